"""Vectors are compared where they are as an exact index of FAISS compares them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ragscore.errors import RetrieverError
from ragscore.retrievers.faiss.vectors_in_place import VectorsInPlace
from ragscore.retrievers.prepared_vectors import Metric, prepare_passages

DRAW = np.random.default_rng(7)
VECTORS = DRAW.standard_normal((3_000, 24), dtype=np.float32)
ASKED = DRAW.standard_normal((40, 24), dtype=np.float32)


@pytest.mark.parametrize("metric", ["ip", "l2"])
@pytest.mark.parametrize("depth", [1, 20, 101, 3_500])
@pytest.mark.parametrize("among", [None, 700])
def test_what_an_exact_index_finds(metric: Metric, depth: int, among: int | None) -> None:
    import faiss

    library: Any = faiss
    index = library.IndexFlatL2(24) if metric == "l2" else library.IndexFlatIP(24)
    index.add(VECTORS)
    params = None
    if among is not None:
        bits = np.packbits(np.arange(len(VECTORS)) % 3_000 < among, bitorder="little")
        params = library.SearchParameters(sel=library.IDSelectorBitmap(bits))
    scores, rows = VectorsInPlace(VECTORS, metric).search(ASKED, depth, params=params)
    expected_scores, expected_rows = index.search(ASKED, depth, params=params)
    assert (rows == expected_rows).all()
    assert (scores == expected_scores).all()
    assert (rows >= 0).sum() == len(ASKED) * min(depth, among or len(VECTORS))


@pytest.mark.parametrize("metric", ["ip", "l2", "cosine"])
def test_large_numbers_are_finite_and_infinite_ones_are_named(metric: Metric) -> None:
    vectors = np.full((4, 8), 3e38, np.float32)
    assert prepare_passages(vectors.copy(), metric, list("abcd"), "dense") == 0
    for broken in (np.nan, np.inf, -np.inf):
        vectors[2, 5] = broken
        with pytest.raises(RetrieverError, match="the vector of passage 'c' is not finite"):
            prepare_passages(vectors.copy(), metric, list("abcd"), "dense")
