"""Exact search: what a comparison with all passages finds, to the last bit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore import canonical
from ragscore.canonical import Metric
from ragscore.dataset import Ids
from ragscore.dataset.ids import NumberedIds
from ragscore.encoders import Vectors
from ragscore.errors import RetrieverError
from ragscore.retrievers.faiss.vectors_in_place import VectorsInPlace
from ragscore.retrievers.prepared_vectors import prepare_passages
from ragscore.retrievers.run_order import BestPassages
from tests.factories.thorough import THOROUGH

DRAW = np.random.default_rng(7)
VECTORS = DRAW.standard_normal((3_000, 24), dtype=np.float32)
ASKED = DRAW.standard_normal((1_000, 24), dtype=np.float32)


def by_all(
    vectors: Vectors, asked: Vectors, metric: Metric, depth: int, ids: Ids, may: Any = None
) -> BestPassages:
    """Each query compared with every passage."""
    rows = np.arange(len(vectors)) if may is None else np.flatnonzero(may)
    rows = np.array(sorted(rows.tolist(), key=lambda row: ids[row], reverse=True), dtype=np.int64)
    scores = canonical.scores(asked, vectors[rows], metric)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
    return BestPassages(rows[order], np.take_along_axis(scores, order, axis=1))


def assert_same(found: BestPassages, wanted: BestPassages) -> None:
    """Ids and scores, whatever the order of those that tie."""
    for query, (rows, scores) in enumerate(zip(wanted.rows, wanted.scores, strict=True)):
        pairs = sorted(zip(scores.tolist(), rows.tolist(), strict=True))
        given = zip(found.scores[query].tolist(), found.rows[query].tolist(), strict=True)
        assert sorted(given) == pairs


@pytest.mark.parametrize("metric", ["ip", "l2", "cosine"])
@pytest.mark.parametrize("depth", [1, 20, 101, 3_000])
@pytest.mark.parametrize("among", [None, 700])
@pytest.mark.parametrize("queries", [0, 1, 200, 1_000])
def test_what_a_comparison_with_all_finds(
    metric: Metric, depth: int, among: int | None, queries: int
) -> None:
    vectors, asked, ids = VECTORS.copy(), ASKED[:queries].copy(), NumberedIds(len(VECTORS))
    if metric == "cosine":
        for rows in (vectors, asked):
            canonical.normalise(rows)
    may = None if among is None else np.random.default_rng(1).permutation(3_000) < among
    depth = min(depth, among or depth)
    searched = VectorsInPlace(vectors, metric, unit=metric == "cosine")
    found = searched.best(asked, depth, ids, may)
    few = slice(0, 20 if depth < 1_000 else 2)  # sorting all of them in Python takes its time
    assert_same(
        BestPassages(found.rows[few], found.scores[few]),
        by_all(vectors, asked[few], metric, depth, ids, may),
    )
    assert found.rows.shape == (queries, depth)
    assert (found.rows >= 0).all()


@pytest.mark.parametrize("metric", ["ip", "l2"])
@pytest.mark.parametrize("copies", [3, 40, 3_000])
def test_equal_vectors_have_equal_scores_and_the_largest_ids_stay(
    metric: Metric, copies: int
) -> None:
    same = np.concatenate([VECTORS[: 6_000 // copies]] * copies)
    ids = NumberedIds(len(same))
    for queries in (5, 300):
        found = VectorsInPlace(same, metric).best(ASKED[:queries], 10, ids)
        some = BestPassages(found.rows[:5], found.scores[:5])
        assert_same(some, by_all(same, ASKED[:5], metric, 10, ids))


def test_scores_nearer_than_float32_tells_are_told_apart() -> None:
    """Hundreds of passages that any sum in float32 may order otherwise, more than are candidates
    at first, and then than at all."""
    numbers = np.random.default_rng(3)
    for count in (300, 5_000):
        near = np.repeat(VECTORS[:1], count, axis=0)
        near[:, 0] += numbers.integers(0, 50, count).astype(np.float32) * np.float32(2e-7)
        vectors = np.concatenate([near, VECTORS])
        canonical.normalise(vectors)
        asked, ids = vectors[:3].copy(), NumberedIds(len(vectors))
        found = VectorsInPlace(vectors, "cosine", unit=True).best(asked, 20, ids)
        assert_same(found, by_all(vectors, asked, "cosine", 20, ids))


SEARCHES = """
import hashlib, json, sys
import faiss
import numpy as np
from ragscore.dataset.ids import NumberedIds
from ragscore.retrievers.faiss.vectors_in_place import VectorsInPlace

arrays, found = np.load(sys.argv[1]), {}
for threads in map(int, sys.argv[2].split(",")):
    faiss.omp_set_num_threads(threads)
    for metric in ("cosine", "ip", "l2"):
        passages = arrays[f"{metric}-passages"]
        for queries in (7, 300):
            search = VectorsInPlace(passages, metric, unit=metric == "cosine")
            asked = arrays[f"{metric}-queries"][:queries]
            best = search.best(asked, 40, NumberedIds(len(passages)))
            order = np.lexsort((best.rows, -best.scores), axis=1)
            both = [np.take_along_axis(each, order, axis=1) for each in (best.rows, best.scores)]
            digest = hashlib.sha256(b"".join(each.tobytes() for each in both)).hexdigest()
            found[f"{metric} {queries} {threads}"] = digest
print(json.dumps(found))
"""


def kernels() -> list[str]:
    """Of OpenBLAS, which this processor can run; empty where nobody says what it can."""
    try:
        flags = set(Path("/proc/cpuinfo").read_text(encoding="ascii").split())
    except OSError:
        return []
    needs = {"Prescott": "pni", "Nehalem": "sse4_2", "Sandybridge": "avx", "Haswell": "avx2"}
    needs |= {"Zen": "avx2", "SkylakeX": "avx512f"}
    return [name for name, flag in needs.items() if flag in flags]


def test_the_same_bits_with_any_kernel_and_number_of_threads(tmp_path: Path) -> None:
    """Every passage stands three times; vectors were made before."""
    arrays = {}
    for metric in ("cosine", "ip", "l2"):
        numbers = np.random.default_rng(11)
        passages, queries = (
            numbers.standard_normal((count, 128)).astype(np.float32) for count in (6_000, 300)
        )
        if metric == "cosine":
            for rows in (passages, queries):
                canonical.normalise(rows)
        arrays |= {f"{metric}-passages": np.tile(passages, (3, 1)), f"{metric}-queries": queries}
    np.savez(tmp_path / "vectors.npz", **arrays)

    def digests(threads: str, **environment: str) -> dict[str, str]:
        told = {**os.environ, "OMP_NUM_THREADS": threads[-1], **environment}
        command = [sys.executable, "-c", SEARCHES, str(tmp_path / "vectors.npz"), threads]
        done = subprocess.run(command, env=told, capture_output=True, text=True, check=True)
        found: dict[str, str] = json.loads(done.stdout)
        return found

    found = [digests("1,2,4")]
    tried = kernels() if THOROUGH else kernels()[::5]  # the oldest and the newest
    found += [digests("1,2,4", OPENBLAS_CORETYPE=name) for name in tried]
    for metric in ("cosine", "ip", "l2"):
        for queries in (7, 300):
            of = f"{metric} {queries} "
            seen = {one for each in found for name, one in each.items() if name.startswith(of)}
            assert len(seen) == 1, (of, found)


def test_how_faiss_compares_elsewhere_stays_as_it_was() -> None:
    import faiss

    options: Any = faiss.cvar
    before = options.distance_compute_blas_threshold, faiss.omp_get_max_threads()
    VectorsInPlace(VECTORS, "ip").best(ASKED, 5, NumberedIds(len(VECTORS)))
    assert (options.distance_compute_blas_threshold, faiss.omp_get_max_threads()) == before


@pytest.mark.parametrize("metric", ["ip", "l2", "cosine"])
def test_large_numbers_are_finite_and_infinite_ones_are_named(metric: Metric) -> None:
    vectors = np.full((4, 8), 3e38, np.float32)
    assert prepare_passages(vectors.copy(), metric, list("abcd"), "dense") == 0
    for broken in (np.nan, np.inf, -np.inf):
        vectors[2, 5] = broken
        with pytest.raises(RetrieverError, match="the vector of passage 'c' is not finite"):
            prepare_passages(vectors.copy(), metric, list("abcd"), "dense")


@pytest.mark.parametrize("metric", ["ip", "l2"])
def test_sums_that_float32_cannot_hold(metric: Metric) -> None:
    """FAISS would search for ever; all passages are compared instead."""
    vectors = VECTORS[:40].copy()
    vectors[::4] *= np.float32(1e19)
    vectors[1::8, :2] = np.array([3e19, -3e19], np.float32)
    asked, ids = vectors[:8] * np.float32(0.5), NumberedIds(40)
    found = VectorsInPlace(vectors, metric).best(asked, 12, ids)
    assert_same(found, by_all(vectors, asked, metric, 12, ids))
