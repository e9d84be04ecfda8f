"""Before a run: a plan cuts what is quick and looks into the cache, `validate` cuts nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragscore
from ragscore import BM25, Cache, Dataset, evaluate, run_experiment
from ragscore.chunking import CustomChunker
from ragscore.cli import main
from ragscore.elements import as_text
from ragscore.experiment.chunked_datasets import chunker_names
from ragscore.experiment.planned_retriever import PlannedRetriever
from tests.factories.harbour_documents import DOCUMENTS, QUESTIONS, TRUTH, write_harbour

CONFIG = """\
dataset: harbour
retrievers:
  quick: {kind: bm25, chunk: {kind: characters, size: 60}}
  tokens: {kind: bm25, chunk: {kind: tokens, size: 20}}
  own: {kind: bm25, chunk: {kind: custom, use: "halves:cut"}}
  both: {kind: fusion, retrievers: [quick, tokens]}
  all: {kind: fusion, retrievers: [quick, own]}
measures: [R@1]
depth: 4
latency: false
report: false
compare: false
sweep:
  quick: {chunk.size: [60, 90]}
  own: {k1: [0.9, 1.5]}
  tokens: {chunk.size: [15, 20]}
"""
CODE = """\
from pathlib import Path

def cut(text):
    with Path(__file__).with_name("calls").open("a") as calls:
        calls.write("1")
    return [(0, PLACE), (PLACE, len(text))]
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    write_harbour(tmp_path / "harbour")
    (tmp_path / "halves.py").write_text(CODE.replace("PLACE", "50"))
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG)
    return path


def rows(config: Path, cache: Cache) -> dict[tuple[str, bool], PlannedRetriever]:
    plan = ragscore.plan(config, cache=cache)
    return {(row.retriever, row.swept): row for row in plan.retrievers}


@pytest.mark.slow
def test_a_plan_and_validate_run_no_code_and_cut_nothing_slow(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache, calls = Cache(tmp_path / "cache"), tmp_path / "calls"
    assert main(["validate", str(config)]) == 0
    found = rows(config, cache)
    assert not calls.exists()
    assert not any((tmp_path / "cache").rglob("*"))
    unknown = {key for key, row in found.items() if row.made == ("chunks",)}
    assert unknown == {
        ("tokens", False),
        ("own", False),
        ("both", False),
        ("all", False),
        ("tokens", True),
        ("own", True),
    }
    assert all(found[key].basis == "unknown" for key in unknown)
    assert (found["tokens", True].runs, found["tokens", True].kept) == (2, 0)
    assert found["quick", False].basis == found["quick", True].basis == "sample"
    assert found["quick", True].runs == 2

    run_experiment(config, output=tmp_path / "result", cache=cache)
    made = calls.read_text()
    assert len(made) == len(DOCUMENTS), "the sweep searches what was cut"
    found = rows(config, cache)
    assert calls.read_text() == made
    left = {key for key, row in found.items() if row.kept < row.runs}
    assert left == {("own", False), ("all", False), ("own", True)}, (
        "what foreign code cuts is known to nobody"
    )
    capsys.readouterr()
    assert "chunks" in str(ragscore.plan(config, cache=cache))
    assert "청크" in as_text(ragscore.plan(config, cache=cache).elements(), language="ko")


def test_filters_are_checked_before_anything_is_cut(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Chunks have the metadata of their documents, and their places."""
    wrong = CONFIG.replace("size: 60}", "size: 60}, filter: {field: tenant, op: '=', value: x}")
    config.write_text(wrong)
    assert main(["validate", str(config)]) == 2
    refused = capsys.readouterr().err
    assert "config.yaml:3:68: retrievers.quick.filter, harbour: no passage has metadata" in refused
    assert "Allowed: document, start, end, part" in refused
    config.write_text(wrong.replace("field: tenant", "field: document"))
    assert main(["validate", str(config)]) == 0
    assert not (tmp_path / "calls").exists()


def test_a_rerun_cuts_nothing_again(config: Path, tmp_path: Path) -> None:
    """All but foreign code; and its chunks are found again by what they hold."""
    results = []
    for turn in ("first", "second"):
        cache = Cache(tmp_path / "cache")
        results.append(run_experiment(config, output=tmp_path / turn, cache=cache))
    assert cache.writes == 0
    assert results[0].to_dict() == results[1].to_dict()
    stages = results[1].stages
    assert all(stages["harbour", name].run_from_cache for name in ("quick", "own", "all"))


def test_code_of_one_name_in_two_folders(tmp_path: Path) -> None:
    """Each retriever searches the chunks of its own, and their names say which."""
    chunkers = []
    for place in (30, 70):
        folder = tmp_path / f"at{place}"
        folder.mkdir()
        (folder / "halved.py").write_text(
            f"def cut(text): return [(0, {place}), ({place}, len(text))]"
        )
        chunkers.append(CustomChunker(use="halved:cut", folder=str(folder)))
    data = Dataset.from_rows(None, QUESTIONS, TRUTH, documents=DOCUMENTS)
    retrievers = {
        name: BM25(chunk=chunker)
        for name, chunker in zip(("thirty", "seventy"), chunkers, strict=True)
    }
    assert chunker_names({"one": retrievers["thirty"]}) == {"one": "custom(use=halved:cut)"}
    names = chunker_names(retrievers)
    assert names["thirty"].endswith("at30)")
    assert names["seventy"].endswith("at70)")
    result = evaluate(data, retrievers, ["R@1"], depth=2)
    for name, place in (("thirty", 30), ("seventy", 70)):
        ids = {id for ranking in result.run("dataset", name).to_dict().values() for id in ranking}
        assert {id for id in ids if id.startswith("rent.md:0-")} == {f"rent.md:0-{place}"}
