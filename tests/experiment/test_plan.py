"""``--dry-run``: what would run and what the cache has, and nothing happens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ragscore
from ragscore import Cache, Plan, load_experiment, run_experiment
from ragscore.cli import main
from ragscore.experiment import planned_dataset
from ragscore.retrievers.bm25 import BM25Index
from tests.factories.house import PASSAGES, QUERIES, write_dataset

CONFIG = """\
dataset: house
retrievers:
  bm25: {kind: bm25}
  ann: {kind: faiss, encoder: minilm, index: HNSW4}
  hybrid: {kind: fusion, retrievers: [bm25, ann]}
measures: [nDCG@3]
depth: 4
report: false
sweep:
  bm25: {k1: [0.6, 1.2, 1.8]}
  hybrid: {weights: [[1, 1], [1, 3]]}
"""


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_dataset(tmp_path / "house")
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG)
    monkeypatch.setenv("RAGSCORE_CACHE", str(tmp_path / "cache"))
    return path


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def rows(plan: Plan) -> dict[tuple[str, bool], Any]:
    return {(row.retriever, row.swept): row for row in plan.retrievers}


def test_before_anything_ran(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files(config.parent)
    plan = ragscore.plan(config, cache=Cache.default())
    assert files(config.parent) == before
    found = rows(plan)
    assert list(found) == [
        ("bm25", False), ("ann", False), ("hybrid", False), ("ann (exact)", False),
        ("bm25", True), ("hybrid", True),
    ]  # fmt: skip
    assert (found["bm25", False].made, found["bm25", False].basis) == (("tokens",), "sample")
    assert found["bm25", True].reused == ("tokens",), "which the retriever above makes"
    assert (found["bm25", True].runs, found["hybrid", True].runs) == (3, 6)
    ann = found["ann", False]
    assert (ann.made, ann.texts, ann.basis) == (("vectors", "index"), len(PASSAGES), "unknown")
    printed = str(plan)
    assert "vectors of 5 texts, index" in printed
    assert "the parts marked unknown come on top" in printed
    document = plan.to_dict()
    assert document["retrievers"][1]["seconds"] is None


def test_vectors_are_reused_for_equal_texts_only(config: Path) -> None:
    body = CONFIG.partition("sweep:")[0].replace("index: HNSW4", "windows: {size: 8}")
    others = (
        "  flat: {kind: faiss, encoder: minilm}\n"
        "  ivf: {kind: faiss, encoder: minilm, metric: l2}\n"
        "  titles: {kind: faiss, encoder: minilm, fields: [title]}\nmeasures"
    )
    config.write_text(body.replace("measures", others))
    plan = ragscore.plan(config)
    found = rows(plan)
    windows, flat, ivf = (found[name, False] for name in ("ann", "flat", "ivf"))
    assert (windows.made, windows.reused, windows.texts) == (("vectors", "index"), (), 0)
    assert windows.basis == "unknown"
    assert (flat.made, flat.reused, flat.texts) == (("vectors", "index"), (), len(PASSAGES))
    assert (ivf.made, ivf.reused) == (("index",), ("vectors",))
    assert found["titles", False].texts == 1, "an empty title, of every passage"
    assert "  vectors, index" in str(plan)


def test_a_plan_without_a_cache_reuses_nothing(config: Path) -> None:
    plan = ragscore.plan(load_experiment(config), only=["bm25"])
    assert plan.cache is None
    assert {row.retriever for row in plan.retrievers} == {"bm25"}
    assert "No cache: nothing is kept." in str(plan)


def test_what_ran_is_in_the_plan(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text(CONFIG.replace("ann: {kind: faiss, encoder: minilm, index: HNSW4}",
                                     "ann: {kind: bm25, tokenizer: words}"))  # fmt: skip
    run_experiment(config, output=config.parent / "out", cache=Cache.default())
    cache = Cache.default()
    plan = ragscore.plan(config, cache=cache)
    assert all(row.kept == row.runs for row in plan.retrievers)
    assert "Nothing left to search" in str(plan)

    config.write_text(config.read_text().replace("1.8]", "1.8, 2.4]"))
    before = files(config.parent)

    def searched(*given: Any) -> None:
        raise AssertionError("a dry run searches nothing that it knows")

    monkeypatch.setattr(BM25Index, "search", searched)
    monkeypatch.setattr(planned_dataset, "sampled_cost", searched)
    found = rows(ragscore.plan(config, cache=cache))
    assert (found["bm25", True].kept, found["bm25", True].runs) == (3, 4)
    assert (found["hybrid", True].kept, found["hybrid", True].runs) == (6, 8)
    assert found["bm25", True].reused == ("tokens",)
    assert (found["bm25", True].basis, found["bm25", True].made) == ("recorded", ())
    assert 0 < found["bm25", True].seconds < 5
    entry = planned_dataset.BYTES_OF_ENTRY
    its_run, its_values = 4 * 4 * 12 + entry, 4 * 24 + entry
    assert found["bm25", True].bytes == its_run + its_values, "the run is for the hybrids"
    assert found["hybrid", True].bytes == 2 * its_values
    assert files(config.parent) == before


def test_code_that_ran_once_has_a_time_and_so_have_its_configurations(config: Path) -> None:
    (config.parent / "timed_code.py").write_text(
        "import time\n\n\nclass Search:\n"
        "    def __init__(self, pause):\n        self.pause = pause\n\n"
        "    def retrieve(self, queries, k):\n        time.sleep(self.pause * len(queries))\n"
        "        return [['pets'] for query in queries]\n"
    )
    config.write_text(
        "dataset: house\nretrievers:\n"
        "  mine: {kind: custom, use: 'timed_code:Search', options: {pause: 0.002}}\n"
        "measures: [nDCG@3]\ndepth: 4\nlatency: false\nreport: false\n"
        "sweep:\n  mine: {options.pause: [0.001, 0.003]}\n"
    )
    cache = Cache.default()
    assert {row.basis for row in ragscore.plan(config, cache=cache).retrievers} == {"unknown"}
    alone = load_experiment(config, ["sweep=false"])
    run_experiment(alone, output=config.parent / "out", cache=cache)
    found = rows(ragscore.plan(config, cache=cache))
    mine, swept = found["mine", False], found["mine", True]
    assert (mine.kept, mine.basis, swept.runs, swept.basis) == (0, "recorded", 2, "recorded")
    assert 0.002 * len(QUERIES) <= mine.seconds < swept.seconds < 2


@pytest.mark.parametrize("format", ["table", "json"])
def test_the_command(config: Path, capsys: pytest.CaptureFixture[str], format: str) -> None:
    before = files(config.parent)
    assert not main(["run", str(config), "--dry-run", "--format", format, "--only", "bm25"])
    printed = capsys.readouterr().out
    assert files(config.parent) == before
    if format == "json":
        assert [row["runs"] for row in json.loads(printed)["retrievers"]] == [1, 3]
    else:
        assert "bm25 (sweep)" in printed
        assert "This was a dry run: nothing was searched or written." in printed
