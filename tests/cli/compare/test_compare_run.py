"""The comparison that ``ragscore run`` makes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import ragscore as package
from ragscore.messages import Message
from tests.factories.lexical import CONFIG, ROOT


def test_the_experiments_options_are_the_defaults(tmp_path: Path, ragscore) -> None:
    config = tmp_path / "x.yaml"
    text = CONFIG.format(dataset=ROOT / "datasets" / "harbour-tenancy")
    more = "compare: {baseline: words, margin: 0.03, slices: [topic], cluster: topic}\n"
    config.write_text(text + more)
    code, out, _ = ragscore("run", config, "--output", tmp_path / "out", "-q")
    assert code == 0
    assert "Minus words" in out
    _, out, _ = ragscore("compare", tmp_path / "out")
    assert "Margin 0.03" in out
    assert "nDCG@10 by topic" in out
    assert "in 35 clusters" in out
    _, out, _ = ragscore("compare", tmp_path / "out", "--margin", "0.2", "--baseline", "bm25")
    assert "Margin 0.2" in out
    assert "Minus bm25" in out
    # What was run again reads back, also without the baseline.
    code, out, _ = ragscore(
        "run", tmp_path / "out" / "experiment.yaml", "--only", "bm25", "--only", "k1-b",
        "--output", tmp_path / "less",
    )  # fmt: skip
    assert code == 0
    assert "Minus bm25" in out
    assert package.load_experiment(tmp_path / "less" / "experiment.yaml").compare.baseline is None


def test_no_comparison(tmp_path: Path, ragscore) -> None:
    config = tmp_path / "x.yaml"
    config.write_text(CONFIG.format(dataset=ROOT / "datasets" / "harbour-tenancy"))
    for name, more in (("off", ("--set", "compare=false")), ("one", ("--only", "bm25"))):
        code, out, _ = ragscore("run", config, "--output", tmp_path / name, *more)
        assert code == 0
        assert "primary" not in out
        assert not (tmp_path / name / "comparison.json").exists()
    code, _, err = ragscore("compare", tmp_path / "one")
    assert code == 2
    assert "'bm25' is the only retriever" in err
    code, out, _ = ragscore("compare", tmp_path / "off")
    assert code == 0
    assert out.startswith("Not decided. ")


def test_a_failed_retriever_is_left_out(tmp_path: Path, ragscore) -> None:
    (tmp_path / "raises_in_compare.py").write_text("def retrieve(query, k):\n    raise OSError\n")
    config = tmp_path / "x.yaml"
    text = CONFIG.format(dataset=ROOT / "datasets" / "harbour-tenancy")
    broken = 'retrievers:\n  broken: {kind: custom, use: "raises_in_compare:retrieve"}\n'
    config.write_text(text.replace("retrievers:\n", broken) + "compare: {baseline: broken}\n")
    code, out, err = ragscore("run", config, "--output", tmp_path / "out")
    assert code == 4
    assert "Minus bm25" in out
    told = "broken failed and is left out of the comparison"
    assert told in err
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    notes = [str(Message.read(note)) for note in manifest["notes"]]
    assert any(told in note for note in notes)
    assert any("baseline broken has no run" in note for note in notes)
    code, out, err = ragscore("compare", tmp_path / "out")
    assert code == 0
    assert "Not yet. broken failed (1 of 4 retrievers): query " in out
    assert out.count("broken") == 1
    assert "broken" in err


def test_several_datasets_are_not_pooled(tmp_path: Path, ragscore) -> None:
    text = CONFIG.format(dataset="x").partition("\n")[2]
    copy = shutil.copytree(ROOT / "datasets" / "harbour-tenancy", tmp_path / "copy")
    config = tmp_path / "x.yaml"
    config.write_text(f"datasets: [{ROOT / 'datasets' / 'harbour-tenancy'}, {copy}]\n{text}")
    code, out, _ = ragscore("run", config, "--output", tmp_path / "out", "-q")
    assert code == 0
    assert out.startswith(
        "Not decided. Use words: best on average of 2 datasets, nDCG@10 0.527.\n"
        "Sure: nothing yet.\nOpen: words or bm25 on harbour-tenancy and copy.\n"
    )
    assert out.count("Not decided. ") == 3
    _, out, _ = ragscore("compare", tmp_path / "out", "--format", "json")
    assert [one["dataset"] for one in json.loads(out)["datasets"]] == ["harbour-tenancy", "copy"]
