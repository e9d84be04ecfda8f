"""Scores of pairs are kept: by model and the two texts, and for nothing else."""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore import Cache
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.retrievers import Rerank
from ragscore.retrievers.rerank.cross_encoder import OpenCrossEncoder
from ragscore.retrievers.rerank.pairs import _joined, _parted
from ragscore.run import Run

NAMES = [f"p{number}" for number in range(20)]
CORPUS = Corpus(
    Ids(NAMES), [f"Section {number} stands in part {number % 3}." for number in range(20)]
)
QUERIES = Queries.from_texts({f"q{number}": f"what says section {number}" for number in range(6)})


@pytest.fixture
def scored(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many pairs each call of the model scored."""
    counts: list[int] = []
    whole = OpenCrossEncoder.score_pairs

    def counted(self: Any, queries: Sequence[str], *others: Any) -> Any:
        counts.append(len(queries))
        return whole(self, queries, *others)

    monkeypatch.setattr(OpenCrossEncoder, "score_pairs", counted)
    return counts


def first(queries: Queries = QUERIES) -> Run:
    drawn = random.Random(2)
    found = {name: {p: drawn.random() for p in drawn.sample(NAMES, 12)} for name in QUERIES.ids}
    return Run.from_dict(found, passages=CORPUS.ids).for_queries(queries.ids)


def run(
    model: Path,
    cache: Cache | None,
    queries: Queries = QUERIES,
    corpus: Corpus = CORPUS,
    **options: Any,
) -> Run:
    by = {"kind": "cross-encoder", "model": str(model), "batch_size": 4, **options.pop("by", {})}
    spec = Rerank.model_validate({"retriever": "first", "n": 8, "by": by, **options})
    index = spec.build(corpus, cache)
    index.prepare(queries)
    return index.search(queries, 20, {"first": first(queries)})


def test_a_pair_is_scored_once(cross_encoder: Path, tmp_path: Path, scored: list[int]) -> None:
    cache = Cache(tmp_path)
    without = run(cross_encoder, None)
    assert sum(scored) == 6 * 8
    scored.clear()
    kept = run(cross_encoder, cache)
    assert sum(scored) == 6 * 8
    assert kept.to_dict() == without.to_dict()
    scored.clear()
    run(cross_encoder, cache, n=5)
    run(cross_encoder, cache, blend=0.5)
    run(cross_encoder, cache, by={"batch_size": 2})
    assert run(cross_encoder, cache).to_dict() == without.to_dict()
    assert scored == []
    run(cross_encoder, cache, n=10)
    assert sum(scored) == 6 * 2
    scored.clear()
    run(cross_encoder, cache, by={"max_seq_length": 12})
    assert sum(scored) == 6 * 8


def test_what_was_not_read_is_kept_too(cross_encoder: Path, tmp_path: Path) -> None:
    cuts = []
    for _ in range(2):
        by = {"kind": "cross-encoder", "model": str(cross_encoder), "max_seq_length": 12}
        index = Rerank(retriever="first", n=8, by=by).build(CORPUS, Cache(tmp_path))
        index.search(QUERIES, 20, {"first": first()})
        cuts.append(index.truncations(QUERIES))
    assert cuts[0] == cuts[1]
    assert cuts[0][0].cut > 0


def test_a_stopped_run_goes_on(
    cross_encoder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scored: list[int],
) -> None:
    monkeypatch.setattr(import_module("ragscore.encoders.gathering"), "KEEP_TEXTS", 4)
    counted = OpenCrossEncoder.score_pairs

    def stopped(self: Any, *given: Any) -> Any:
        if len(scored) == 5:
            raise KeyboardInterrupt
        return counted(self, *given)

    with monkeypatch.context() as patched:
        patched.setattr(OpenCrossEncoder, "score_pairs", stopped)
        with pytest.raises(KeyboardInterrupt):
            run(cross_encoder, Cache(tmp_path))
    assert sum(scored) == 5 * 4
    run(cross_encoder, Cache(tmp_path))
    assert sum(scored) == 6 * 8


def test_a_query_alone_is_timed_and_scored_again(
    cross_encoder: Path, tmp_path: Path, scored: list[int]
) -> None:
    cache = Cache(tmp_path)
    whole = run(cross_encoder, cache)
    scored.clear()
    alone = QUERIES.select([2])
    assert list(run(cross_encoder, cache, alone).to_dict()["q2"]) == list(whole.to_dict()["q2"])
    assert scored == [8]


def test_a_passage_that_changed_is_scored_again(
    cross_encoder: Path, tmp_path: Path, scored: list[int]
) -> None:
    cache = Cache(tmp_path)
    run(cross_encoder, cache)
    scored.clear()
    pool = first().cut(8).rows
    changed = Corpus(CORPUS.ids, ["Repealed.", *CORPUS.texts[1:]])
    run(cross_encoder, cache, corpus=changed)
    assert sum(scored) == int((pool == 0).sum()) > 0


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_pairs_are_told_apart(pairs: list[tuple[str, str]]) -> None:
    joined = [_joined(*pair) for pair in pairs]
    assert list(zip(*_parted(joined), strict=True)) == pairs


def test_the_smallest_pool(cross_encoder: Path) -> None:
    nothing = Run(QUERIES.ids, CORPUS.ids, np.full((6, 0), -1, dtype=np.int32), np.empty((6, 0)))
    by = {"kind": "cross-encoder", "model": str(cross_encoder)}
    index = Rerank(retriever="first", by=by).build(CORPUS)
    assert index.search(QUERIES, 20, {"first": nothing}).returned.tolist() == [0] * 6
