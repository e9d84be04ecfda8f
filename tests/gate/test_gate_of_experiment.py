"""``gate:`` of an experiment: where it is wrong, what a run records, what the report shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore import open_result, run_experiment
from ragscore.errors import ConfigError, DataError
from ragscore.experiment import load_experiment
from ragscore.gate import Baseline, gate_result, read_gate, write_baseline
from ragscore.gate.record import parse_gate
from ragscore.gate.text import gate_headline
from ragscore.report.index.finder import Finder
from ragscore.report.index.index_page import index_page
from tests.factories.manifests import resealed

TEXT = """\
dataset: {data}
retrievers:
  bm25: {{kind: bm25}}
measures: [nDCG@10]
latency: false
report: {{sections: [gate]}}
gate:
  max_drop: {{nDCG@10: 0.02}}
  by: kind
  baseline: base.json
"""


@pytest.fixture
def experiment(tmp_path: Path, root: Path) -> Path:
    path = tmp_path / "gated.yaml"
    path.write_text(TEXT.format(data=root / "datasets" / "harbour-tenancy"))
    return path


@pytest.mark.parametrize(
    ("old", "new", "where", "what"),
    [
        ("nDCG@10: 0.02", "nDCX@10: 0.02", "gate.max_drop.nDCX@10", "Did you mean 'nDCG'"),
        ("nDCG@10: 0.02", "nDCG@200: 0.02", "gate.max_drop", "above the depth 100"),
        ("nDCG@10: 0.02", "nDCG@10: -1", "gate.max_drop.nDCG@10", "too small"),
        ("  by: kind", "  retrievers: [bn25]", "gate.retrievers", "Did you mean 'bm25'"),
        ("  max_drop: {nDCG@10: 0.02}\n", "", "gate", "has no condition"),
        ("  by: kind", "  bye: kind", "gate.bye", "Did you mean 'by'"),
    ],
)
def test_a_wrong_gate_is_found_at_its_place(
    experiment: Path, old: str, new: str, where: str, what: str
) -> None:
    experiment.write_text(experiment.read_text().replace(old, new, 1))
    with pytest.raises(ConfigError) as raised:
        load_experiment(experiment)
    assert where in str(raised.value)
    assert what in str(raised.value)
    assert f"{experiment}:" in str(raised.value)


def test_a_run_without_its_baseline_says_so_and_one_with_it_records_the_outcome(
    experiment: Path, tmp_path: Path
) -> None:
    first = run_experiment(experiment, output=tmp_path / "results" / "first")
    assert read_gate(first) is None
    assert any("the gate was not judged" in str(note) for note in first.notes)
    write_baseline(Baseline.from_result(first, ["nDCG@10"]), tmp_path / "base.json")
    second = run_experiment(experiment, output=tmp_path / "results" / "second")
    gated = read_gate(second)
    assert gated is not None
    assert gated.verdict == "PASS"
    folder = tmp_path / "results" / "second"
    reopened = open_result(folder)
    assert read_gate(reopened) == gated
    assert gate_result(reopened).to_dict() == gated.to_dict()
    assert (folder / "gate.md").read_text().startswith("# gated")
    page = (folder / "report.html").read_text()
    assert 'id="d0-gate"' in page or 'data-section="gate"' in page or "Every condition" in page
    found = Finder(tmp_path / "results").results()  # both may be of one second
    assert {each.gate and each.gate.state for each in found} == {"PASS", None}
    assert index_page(found, tmp_path, "en").text.count(str(gate_headline(gated).text)) in (1, 2)
    assert gate_result(reopened, max_drop={"nDCG@10": 0.02}, baseline=tmp_path / "results/first")
    # The folder can be moved and published: it holds the baseline, and no path of this machine.
    for name in ("experiment.yaml", "gate.json", "gate.md", "baseline.json"):
        assert str(tmp_path) not in (folder / name).read_text()
    assert str(tmp_path / "base.json") not in page
    (tmp_path / "base.json").unlink()
    moved = folder.rename(tmp_path / "moved")
    assert gate_result(open_result(moved)).to_dict() == gated.to_dict()
    assert load_experiment(moved / "experiment.yaml").gate
    # It may be a stranger's: what it holds as a baseline is read as data.
    (moved / "baseline.json").write_text("[" * 100_000)
    resealed(moved, "baseline.json")
    with pytest.raises(DataError, match=r"baseline\.json: it is not a .*more than 100 deep"):
        gate_result(open_result(moved))


def test_a_damaged_outcome_is_said(experiment: Path, tmp_path: Path) -> None:
    for content in (b"{", b"[]", b'{"verdict": "GREAT"}'):
        with pytest.raises(DataError, match=r"gate\.json"):
            parse_gate(content, "gate.json")
