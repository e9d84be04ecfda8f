"""A corpus in blocks is searched block by block: the runs are those of one index over all of it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Dataset, Ids, Queries
from ragscore.errors import ConfigError, RetrieverError
from ragscore.experiment import evaluate
from ragscore.formats import load_dataset
from ragscore.retrievers import BM25, Faiss, Fusion, MultiVector, Rerank
from ragscore.retrievers.blockwise import BlockedIndex
from ragscore.retrievers.bm25 import Variant
from ragscore.retrievers.found_passages import FOUND
from ragscore.retrievers.rerank import MMR
from ragscore.retrievers.run_order import BestPassages, MergedPassages, rows_by_id
from ragscore.run import Run
from tests.factories import with_metadata
from tests.factories.blocks import assert_equal, in_blocks
from tests.factories.thorough import examples
from tests.factories.witness import Witness

VARIANTS = get_args(Variant)
WORDS = ["rent", "due", "day", "임대", "deposit"]


TENANCY = Corpus(
    Ids(["a", "c", "b", "e", "d"]),
    ["rent is due", "the deposit is held", "pets need consent", "", "rent rent due deposit"],
)
QUERIES = Queries.from_texts({"q": "rent due", "r": "the deposit", "s": "unicorns"})


IDS = st.lists(st.text("ab가", min_size=1, max_size=4), min_size=1, max_size=25, unique=True)


@settings(max_examples=examples(60), deadline=None)
@given(IDS, st.lists(st.integers(0, 25), max_size=5), st.integers(1, 8), st.data())
def test_the_best_of_parts_are_the_best_of_all(
    texts: list[str], cuts: list[int], depth: int, data: st.DataObject
) -> None:
    ids, count = Ids(texts), len(texts)
    few = st.lists(st.sampled_from([0.0, 0.25, -1.5]), min_size=count, max_size=count)
    scores = np.array(data.draw(st.lists(few, min_size=2, max_size=2)), dtype=np.float32)

    def best(first: int, end: int) -> BestPassages:
        part = Ids(texts[first:end])
        found = BestPassages.none(len(scores), min(depth, end - first))
        row_at = rows_by_id(part)
        for query, values in enumerate(scores[:, first:end]):
            found.put(query, row_at, values[row_at])
        return found

    bounds = [0, *sorted(min(cut, count) for cut in cuts), count]
    merged = MergedPassages(ids, len(scores), min(depth, count))
    for first, end in data.draw(st.permutations(list(pairwise(bounds)))):
        merged.add(best(first, end), first)
    whole = best(0, count)
    runs = [
        Run.make(Ids(["p", "q"]), ids, found.rows, found.scores, name="run")
        for found in (merged.best, whole)
    ]
    assert_equal(*runs)


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=12),
    st.lists(st.integers(0, 12), max_size=4),
    st.sampled_from(VARIANTS),
    st.integers(1, 5),
)
def test_bm25_over_blocks_is_bm25(
    texts: list[list[str]], cuts: list[int], variant: Variant, depth: int
) -> None:
    corpus = Corpus(
        Ids(f"p{row * 7 % 12}" for row in range(len(texts))), list(map(" ".join, texts))
    )
    asked = {"q": "rent due rent", "r": "임대", "s": "nothing", "t": "day deposit gone day"}
    queries = Queries.from_texts(asked)
    spec = BM25(variant=variant, tokenizer="words")
    cut = in_blocks(corpus, cuts)
    if not any(texts):
        with pytest.raises(RetrieverError, match="holds a term to index"):
            spec.build(cut).search(queries, depth)
        return
    index = spec.build(cut)
    assert isinstance(index, BlockedIndex)
    assert_equal(index.search(queries, depth), spec.build(corpus).search(queries, depth))


@pytest.mark.parametrize(
    "collection", ["cranfield", pytest.param("mini-msmarco", marks=pytest.mark.slow)]
)
def test_bm25_over_blocks_of_a_collection(
    collection: str, conformance: Path, tmp_path: Path
) -> None:
    dataset = load_dataset(conformance / "collections" / collection)
    corpus, queries, cache = dataset.corpus, dataset.queries, Cache(tmp_path)
    assert corpus is not None
    cut = in_blocks(corpus, [500, 501, 1300])
    for variant in VARIANTS:
        spec = BM25(variant=variant, k1=0.9)
        index = spec.build(cut, cache)
        found = index.search(queries, 100)
        assert_equal(found, spec.build(corpus).search(queries, 100))
    assert index.reopened
    assert index.build_cost is not None


CONDITIONS: dict[str, Any] = {
    "of the query": {"field": "year", "op": ">=", "value": "query.year"},
    "two": [
        {"field": "labels", "op": "contains", "value": "tax"},
        {"field": "year", "op": "!=", "value": "query.year"},
    ],
    "a part": {"field": "place", "op": "contains", "value": "as"},
    "all": None,
}


@pytest.mark.parametrize("collapse", [None, "metadata.parent"])
@pytest.mark.parametrize("conditions", CONDITIONS.values(), ids=CONDITIONS)
def test_filters_and_parents_over_blocks(
    conditions: Any, collapse: str | None, tmp_path: Path
) -> None:
    corpus, queries = with_metadata.corpus(), with_metadata.queries()
    encoder = with_metadata.encoder(tmp_path, corpus, queries)
    cut, cache = in_blocks(corpus, [11, 12, 70]), Cache(tmp_path / "cache")
    for kind in (BM25(tokenizer="words"), Faiss(encoder=encoder, metric="ip")):
        spec = kind.changed(filter=conditions, collapse=collapse)
        assert not spec.check_data(cut, queries)
        found = spec.build(cut, cache).search(queries, 4)
        assert_equal(found, spec.build(corpus).search(queries, 4))


def test_what_was_found_is_found_again_and_forgotten(tmp_path: Path) -> None:
    cache, spec = Cache(tmp_path), BM25(tokenizer="words")
    corpus = in_blocks(TENANCY, [2, 2, 3])
    whole = spec.build(TENANCY).search(QUERIES, 3)
    for block in corpus.blocks:
        assert not spec.is_encoded(block, cache)
        spec.encode_block(block, cache, name="bm25")
        assert spec.is_encoded(block, cache)
    shared = spec.shared_of(corpus.blocks, QUERIES, cache, name="bm25")
    searched = [block for block in corpus.blocks if len(block)][1:]
    for block in searched:
        assert not spec.is_searched(block, QUERIES, 3, shared.digest, cache)
        found = spec.search_block(block, QUERIES, 3, shared, cache, name="bm25")
        assert found.rows.max() < len(block)
        assert spec.is_searched(block, QUERIES, 3, shared.digest, cache)
    written = cache.writes
    index = spec.build(corpus, cache)
    assert_equal(index.search(QUERIES, 3), whole)
    assert cache.writes == written + 1  # what was found in the first block
    assert_equal(index.search(QUERIES, 3), whole)
    assert cache.writes == written + 1
    index.forget()
    assert not list((tmp_path / FOUND).glob("??/*"))


def test_blocks_of_another_corpus_are_not_taken_for_these(tmp_path: Path) -> None:
    cache, spec = Cache(tmp_path), BM25(tokenizer="words")
    for cuts in ([2], [3], []):
        corpus = in_blocks(TENANCY, cuts)
        found = spec.build(corpus, cache).search(QUERIES, 3)
        assert_equal(found, spec.build(TENANCY).search(QUERIES, 3))


def test_a_damaged_entry_is_made_again(tmp_path: Path) -> None:
    cache, spec = Cache(tmp_path), BM25(tokenizer="words")
    corpus = in_blocks(TENANCY, [2, 4])
    wanted = spec.build(corpus, cache).search(QUERIES, 3)
    for path in tmp_path.rglob("*.npy"):
        path.write_bytes(b"x" + path.read_bytes()[1:])
    witness = Witness()
    index = spec.build(corpus, cache, progress=witness)
    assert_equal(index.search(QUERIES, 3), wanted)
    kinds = {
        kind for kind in ("tokens", "term-counts", FOUND) for note in witness.notes if kind in note
    }
    assert kinds == {"tokens", "term-counts", FOUND}


REFUSED = {
    "multi-vector": (MultiVector(model="m"), "token vectors of all passages are searched together"),
    "mmr": (Rerank(retriever="bm25", by=MMR(encoder="minilm")), "mmr holds the vectors of all"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_all_passages_in_memory_says_so_first(name: str) -> None:
    spec, message = REFUSED[name]
    corpus = in_blocks(TENANCY, [2])
    (problem,) = spec.check_data(corpus, QUERIES)
    assert message in problem.what
    with pytest.raises(RetrieverError, match=message):
        spec.build(corpus)
    assert not spec.check_data(TENANCY, QUERIES)


def test_an_experiment_over_blocks(tmp_path: Path) -> None:
    passages = {passage.id: passage.text for passage in TENANCY}
    whole = Dataset.from_rows(passages, {"q": "rent due", "r": "deposit"}, {"q": ["a"], "r": ["c"]})
    assert whole.corpus is not None
    in_parts = replace(whole, corpus=in_blocks(whole.corpus, [2, 3]))
    retrievers = {
        "bm25": BM25(tokenizer="words"),
        "plus": BM25(tokenizer="words", variant="bm25+"),
        "fused": Fusion(retrievers=("bm25", "plus")),
        "tokens": MultiVector(model="m"),
    }
    with pytest.raises(ConfigError, match=r"retrievers\.tokens\.kind.*are searched together"):
        evaluate(in_parts, retrievers, ["P@1"])
    del retrievers["tokens"]
    witness, cache = Witness(), Cache(tmp_path / "cache")
    options: dict[str, Any] = {"measures": ["nDCG@3"], "depth": 3, "latency_queries": 1}
    found = evaluate(in_parts, retrievers, cache=cache, progress=witness, **options)
    wanted = evaluate(whole, retrievers, **options)
    for name in retrievers:
        assert_equal(found.runs["dataset", name], wanted.runs["dataset", name])
        assert found.stages["dataset", name].latency is None
        assert wanted.stages["dataset", name].latency is not None
    assert sum("its latency is not timed" in note for note in witness.notes) == 2
    assert not list((tmp_path / "cache" / FOUND).glob("??/*"))
    again = evaluate(in_parts, retrievers, cache=cache, **options)
    assert again.stages["dataset", "bm25"].run_from_cache
