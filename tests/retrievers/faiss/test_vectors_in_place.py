"""Vectors are compared where they are as an exact index of FAISS compares them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragscore.errors import RetrieverError
from ragscore.retrievers.faiss.vectors_in_place import FEW, VectorsInPlace
from ragscore.retrievers.prepared_vectors import Metric, prepare_passages

DRAW = np.random.default_rng(7)
VECTORS = DRAW.standard_normal((3_000, 24), dtype=np.float32)
ASKED = DRAW.standard_normal((1_000, 24), dtype=np.float32)


@pytest.mark.parametrize("metric", ["ip", "l2"])
@pytest.mark.parametrize("depth", [1, 20, 101, 3_500])
@pytest.mark.parametrize("among", [None, 700])
@pytest.mark.parametrize("queries", [0, 1, 19, 20, 200, 1_000])
def test_what_an_exact_index_finds(
    metric: Metric, depth: int, among: int | None, queries: int
) -> None:
    import faiss

    library: Any = faiss
    index = library.IndexFlatL2(24) if metric == "l2" else library.IndexFlatIP(24)
    index.add(VECTORS)
    params = None
    if among is not None:
        bits = np.packbits(np.arange(len(VECTORS)) % 3_000 < among, bitorder="little")
        params = library.SearchParameters(sel=library.IDSelectorBitmap(bits))
    asked = ASKED[:queries]
    scores, rows = VectorsInPlace(VECTORS, metric).search(asked, depth, params=params)
    expected_scores, expected_rows = index.search(asked, depth, params=params)
    assert np.allclose(scores, expected_scores, rtol=1e-5, atol=2e-5)
    moved = rows != expected_rows
    assert moved.sum() <= moved.size / 1_000, "neighbours whose scores differ by rounding alone"
    if metric == "l2" or among is not None or queries < FEW:  # FAISS does the same as ever
        assert not moved.any()
        assert (scores == expected_scores).all()
    assert (rows >= 0).sum() == len(asked) * min(depth, among or len(VECTORS))


def test_scores_are_the_same_bits_on_any_number_of_cores() -> None:
    import faiss

    cores, found = faiss.omp_get_max_threads(), {}
    wide = DRAW.standard_normal((2_000, 384), dtype=np.float32)
    for queries in (20, 64, 65, 129, 200, 999):
        asked = wide[:queries]
        try:
            for used in (1, 2, 3, 16):
                faiss.omp_set_num_threads(used)
                scores, rows = VectorsInPlace(wide, "ip").search(asked, 50)
                found[used] = scores.tobytes(), rows.tobytes()
        finally:
            faiss.omp_set_num_threads(cores)
        assert len(set(found.values())) == 1


def test_equal_vectors_have_equal_scores() -> None:
    twice = np.concatenate([VECTORS, VECTORS[::-1]])
    scores, rows = VectorsInPlace(twice, "ip").search(ASKED[:333], 10)
    assert (scores[:, ::2] == scores[:, 1::2]).all()
    assert (rows[:, ::2] + rows[:, 1::2] == len(twice) - 1).all()


def test_how_faiss_compares_elsewhere_stays_as_it_was() -> None:
    import faiss

    options: Any = faiss.cvar
    before = options.distance_compute_blas_threshold
    VectorsInPlace(VECTORS, "ip").search(ASKED, 5)
    assert options.distance_compute_blas_threshold == before
    with pytest.raises(MemoryError):
        VectorsInPlace(VECTORS, "ip").search(Unreadable(ASKED), 5)  # type: ignore[arg-type]
    assert options.distance_compute_blas_threshold == before


class Unreadable:
    """Vectors that cannot be taken apart."""

    def __init__(self, vectors: Any) -> None:
        self.count = len(vectors)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, part: slice) -> Any:
        raise MemoryError


@pytest.mark.parametrize("metric", ["ip", "l2", "cosine"])
def test_large_numbers_are_finite_and_infinite_ones_are_named(metric: Metric) -> None:
    vectors = np.full((4, 8), 3e38, np.float32)
    assert prepare_passages(vectors.copy(), metric, list("abcd"), "dense") == 0
    for broken in (np.nan, np.inf, -np.inf):
        vectors[2, 5] = broken
        with pytest.raises(RetrieverError, match="the vector of passage 'c' is not finite"):
            prepare_passages(vectors.copy(), metric, list("abcd"), "dense")
