"""``--dry-run`` over a corpus in blocks: measured on its beginning, and multiplied."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pytest
from numpy.typing import NDArray

import ragscore
from ragscore import Cache, load_experiment, run_experiment
from ragscore.cli import main
from ragscore.errors import ConfigError
from ragscore.experiment.staging import run_stage
from ragscore.retrievers.faiss.stored import bytes_of_vector
from ragscore.scoring import many_queries
from tests.factories.systems.embedding_server import embedding_server

CONFIG = """\
dataset: {{path: {dataset}, block: 40}}
memory: 4GB
retrievers:
  bm25: {{kind: bm25}}
  dense: {{kind: faiss, encoder: {{kind: precomputed, passages: p.npy, queries: q.npy}}}}
  graph: {{kind: faiss, encoder: minilm, index: HNSW8}}
  graphs: {{kind: faiss, encoder: minilm, index: HNSW8, per_block: true}}
  both: {{kind: fusion, retrievers: [bm25, dense]}}
measures: [nDCG@5]
depth: 10
latency: false
report: false
"""


@pytest.fixture
def config(root: Path, tmp_path: Path) -> Path:
    draw = np.random.default_rng(0)
    np.save(tmp_path / "p.npy", draw.standard_normal((185, 8)).astype(np.float32))
    np.save(tmp_path / "q.npy", draw.standard_normal((87, 8)).astype(np.float32))
    path = tmp_path / "blocks.yaml"
    path.write_text(CONFIG.format(dataset=root / "datasets" / "harbour-tenancy"))
    return path


def rows(plan: ragscore.Plan) -> dict[str, Any]:
    return {row.retriever: row for row in plan.retrievers}


def test_before_anything_is_read(config: Path) -> None:
    cache = Cache()
    plan = ragscore.plan(config, cache=cache)
    (corpus,) = plan.corpora
    assert (corpus.passages, corpus.blocks, corpus.kept) == (185, 5, 0)
    assert corpus.seconds > 0
    dataset = ragscore.load_dataset(load_experiment(config).datasets[0])
    assert dataset.corpus is not None
    read = [*dataset.corpus.texts, *(dataset.corpus.titles or ())]
    assert corpus.bytes == pytest.approx(len("".join(read).encode()), rel=0.1)
    found = rows(plan)
    assert list(found) == ["bm25", "dense", "graph", "graphs", "both", "graph (exact)"]
    assert (found["bm25"].made, found["bm25"].basis) == (("tokens",), "sample")
    assert 0 < found["bm25"].seconds < 60
    assert (found["dense"].texts, found["dense"].made) == (0, ())
    assert 0 < found["dense"].seconds < 60
    assert (found["graph"].texts, found["graph"].made) == (185, ("vectors", "index"))
    assert math.isnan(found["graph"].seconds)
    assert found["graph"].bytes > 185 * 384 * 4
    assert (found["graphs"].texts, found["graphs"].reused) == (0, ("vectors",))
    assert found["graphs"].made == ("index",)
    assert found["both"].basis == "sample"
    assert {path.name for path in cache.root.iterdir()} == {"passage-counts"}


@pytest.mark.slow
def test_what_was_encoded_and_run_is_not_planned_again(config: Path) -> None:
    cache = Cache()
    run_stage("encode", config, "2/5", cache=cache, only=["graph"])
    plan = ragscore.plan(config, cache=cache, only=["graph"])
    assert plan.corpora[0].kept == 1
    graph, exact = plan.retrievers
    assert (graph.texts, exact.texts, exact.reused) == (145, 0, ("vectors",))
    run_experiment(
        load_experiment(config), only=["both"], output=config.parent / "run", cache=cache
    )
    found = ragscore.plan(config, cache=cache, only=["both"])
    assert found.corpora[0].kept == 5
    assert [row.kept for row in found.retrievers] == [1, 1, 1]


def test_it_is_printed(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGSCORE_CACHE", str(config.parent / "cache"))
    assert main(["run", str(config), "--only", "bm25", "--dry-run"]) == 0
    printed = capsys.readouterr().out
    assert "harbour-tenancy: 185 passages in 5 blocks, 0 of them in the cache." in printed
    assert "In blocks, a run needs up to about 250." in printed
    assert "; memory is 4GB." in printed
    # 5 blocks x 87 queries x 10 passages x 12 bytes
    assert "Results of single blocks take up to 52.2 kB more of the cache" in printed
    assert f"Cache: {config.parent / 'cache'} (" in printed


def test_very_many_queries_are_more_than_are_needed(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache()
    assert not ragscore.plan(config, cache=cache, only=["bm25"]).notes
    monkeypatch.setattr(many_queries, "MANY_QUERIES", 74)
    monkeypatch.setattr(many_queries, "SAMPLE", 37)
    (note,) = ragscore.plan(config, cache=cache, only=["bm25"]).notes
    assert "there are 87 queries; a random 37 of them would give the mean" in str(note)
    experiment = load_experiment(config)
    result = run_experiment(experiment, only=["bm25"], output=config.parent / "run", cache=cache)
    said = [note for note in map(str, result.manifest.notes) if "37 of them" in note]
    assert len(said) == 1
    assert "harbour-tenancy, bm25: with 74 queries, nDCG@5 is known to ±" in said[0]


@pytest.mark.slow
def test_what_a_run_refuses_the_plan_and_the_stages_refuse(tmp_path: Path) -> None:
    def write(name: str, rows: Iterable[object]) -> None:
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    write("passages.jsonl", ({"id": f"p{row}", "text": f"rent {row}"} for row in range(150)))
    write("queries.jsonl", ({"id": f"q{row}", "text": "rent"} for row in range(20_000)))
    write("ground_truth.jsonl", [{"query_id": "q0", "passages": {"p0": 1}}])
    path = tmp_path / "many.yaml"
    path.write_text(
        f"dataset: {tmp_path}\nmemory: 100MB\ndepth: 150\nretrievers: {{bm25: {{kind: bm25}}}}\n"
    )
    for refusing in (
        lambda: ragscore.plan(path, cache=Cache()),
        lambda: run_stage("encode", path, cache=Cache()),
        lambda: run_experiment(path, output=tmp_path / "run", cache=Cache()),
    ):
        with pytest.raises(ConfigError, match=r"20,000 queries take about 108\.0 MB"):
            refusing()


PRICED = """\
  service:
    kind: faiss
    encoder: {kind: endpoint, url: "http://127.0.0.1:9", model: m, dimensions: 8, price: 1000}
"""


@pytest.mark.slow
def test_money_is_added_up_and_what_nobody_measured_says_how(config: Path) -> None:
    cache = Cache(config.parent / "cache")
    config.write_text(config.read_text().replace("measures:", PRICED + "measures:"))
    only = ["bm25", "service", "graphs"]
    before = ragscore.plan(config, cache=cache, only=only)
    service = rows(before)["service"]
    assert math.isnan(service.encoding_seconds)
    assert 0 < service.search_seconds < 60, "known, though encoding is not"
    assert service.price is not None
    printed = str(before)
    assert f"more in the cache, ~{service.price:.2f} USD; the parts marked" in printed
    assert "stage encode EXPERIMENT --only service --shard 1/5`" in printed
    assert before.free_bytes
    run_stage("encode", config, "1/5", cache=cache, only=["graphs"])
    graphs = rows(ragscore.plan(config, cache=cache, only=["graphs"]))["graphs"]
    assert graphs.texts == 145
    assert graphs.encoding_seconds > 0
    assert "graphs: " in str(ragscore.plan(config, cache=cache, only=["graphs"]))


def test_a_plan_of_encoded_blocks_asks_a_service_for_no_query(config: Path) -> None:
    def letters(texts: Sequence[str]) -> NDArray[np.float32]:
        counts = [[text.lower().count(chr(97 + n)) + 0.1 for n in range(8)] for text in texts]
        return np.array(counts, dtype=np.float32)

    cache = Cache(config.parent / "cache")
    with embedding_server(letters) as service:
        priced = PRICED.replace("http://127.0.0.1:9", service.url)
        config.write_text(config.read_text().replace("measures:", priced + "measures:"))
        only = ["service"]
        run_stage("encode", config, "1/1", cache=cache, only=only)
        encoded = len(service.bodies)
        left = rows(ragscore.plan(config, cache=cache, only=only))["service"]
        assert (left.kept, left.made, left.search_seconds > 0) == (0, (), True)
        assert len(service.bodies) == encoded
        run_stage("search", config, "1/1", cache=cache, only=only)
        assert len(service.bodies) > encoded
        found = rows(ragscore.plan(config, cache=cache, only=only))["service"]
        assert (found.kept, found.search_seconds) == (0, 0)


def test_what_blocks_took_is_what_others_are_planned_by(config: Path) -> None:
    cache = Cache(config.parent / "cache")
    run_stage("encode", config, "1-2/5", cache=cache, only=["bm25"])
    for folder in [path.parent for path in cache.root.glob("term-counts/*/*/cost.json")]:
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
        del files["digests.json"]  # which it is sealed with anew
        files["cost.json"] = b'{"seconds": 8.0, "encoding": null}'  # as if it had taken so long

        def write(into: Path, files: dict[str, bytes] = files) -> None:
            for name, content in files.items():
                (into / name).write_bytes(content)

        cache.delete("term-counts", folder.name)
        cache.keep("term-counts", folder.name, write)
    bm25 = rows(ragscore.plan(config, cache=cache, only=["bm25"]))["bm25"]
    assert bm25.seconds - bm25.search_seconds == pytest.approx(8.0 / 40 * 105)


@pytest.mark.slow
def test_sweeps_and_exact_searches_are_planned_too(config: Path) -> None:
    changes = [
        "retrievers={bm25: {kind: bm25}, graph: {kind: faiss, index: HNSW8, encoder: {kind: "
        "precomputed, passages: p.npy, queries: q.npy}}}",
        "sweep={bm25: {k1: [0.9, 1.2, 1.5]}}",
    ]
    experiment, cache = load_experiment(config, changes), Cache(config.parent / "cache")
    before = {
        (row.retriever, row.swept): row for row in ragscore.plan(experiment, cache=cache).retrievers
    }
    assert [*before] == [
        ("bm25", False),
        ("graph", False),
        ("graph (exact)", False),
        ("bm25", True),
    ]
    swept = before["bm25", True]
    assert (swept.runs, swept.kept, swept.reused, swept.made) == (3, 0, ("tokens",), ())
    assert 0 < swept.seconds < 60
    graph = before["graph", False]
    assert (graph.made, graph.basis) == (("index",), "unknown")
    assert graph.bytes - before["graph (exact)", False].bytes == 185 * bytes_of_vector(
        faiss.index_factory(8, "HNSW8")
    )
    run_experiment(experiment, output=config.parent / "run", cache=cache)
    after = ragscore.plan(experiment, cache=cache)
    assert [(row.kept, row.runs) for row in after.retrievers] == [(1, 1), (1, 1), (1, 1), (3, 3)]
    deeper = ragscore.plan(load_experiment(config, [*changes, "depth=20"]), cache=cache)
    found = {row.retriever: row for row in deeper.retrievers if not row.swept}
    assert (found["graph"].reused, found["graph"].basis) == (("index",), "recorded")
    assert (found["bm25"].reused, found["bm25"].made) == (("tokens",), ())
