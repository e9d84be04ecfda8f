"""The weights of a sparse model as an inverted index, and its exact scores.

A score is the sum, over the terms that query and passage share, of the products of their weights:
a product of two sparse matrices, which is computed for as many queries at a time as memory allows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Ids
from ragscore.encoders import Truncation
from ragscore.encoders.ragged import Ragged, bounds_of
from ragscore.errors import DataError
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.run_order import best_places, rows_by_id

ARRAYS = ("bounds", "places", "weights", "row_at")
TRUNCATION = "truncation.json"

MAX_SCORES = 1 << 23
"""Scores that are computed at a time: a few hundred megabytes with what they are made of."""


@dataclass(frozen=True, eq=False)
class InvertedIndex:
    """Which passages a model gives weight to which term.

    A passage is known by its place in the order of ids as text, the largest first: what ties
    then stands in the order of a run.

    Attributes:
        bounds: int64[V + 1]; the postings of a term are those from its bound to the next. Later
            terms of the model's vocabulary have none.
        places: int32[P], the passage of each posting, ascending within a term.
        weights: float32[P], what the model gives it.
        row_at: int32[N], the corpus row of the passage at each place.
        truncation: what the model did not read of the passages; None where it does not say.
        cost: of building it.
    """

    bounds: NDArray[np.int64]
    places: NDArray[np.int32]
    weights: NDArray[np.float32]
    row_at: NDArray[np.int32]
    truncation: Truncation | None = None
    cost: BuildCost | None = None

    @property
    def size_bytes(self) -> int:
        """Of what a search reads."""
        return self.bounds.nbytes + self.places.nbytes + self.weights.nbytes

    def search(
        self, queries: Ragged, depth: int, allowed: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The passages that share a term with a query, best first.

        Args:
            queries: the weights of Q queries.
            depth: how many passages at most a query gets.
            allowed: bool[N] by corpus row, the passages that they may get; None allows all.

        Returns:
            int32[Q, depth] rows, -1 where there is none, and float64[Q, depth] scores, NaN there.
        """
        rows = np.full((len(queries), depth), -1, dtype=np.int32)
        scores = np.full((len(queries), depth), np.nan)
        may = None if allowed is None else allowed[self.row_at]
        for start, block in self._scores(queries):
            for at in range(block.shape[0]):
                part = slice(block.indptr[at], block.indptr[at + 1])
                found, values = block.indices[part], block.data[part]
                if may is not None:
                    found, values = found[may[found]], values[may[found]]
                chosen = best_places(values, depth)
                rows[start + at, : len(chosen)] = self.row_at[found[chosen]]
                scores[start + at, : len(chosen)] = values[chosen]
        return rows, scores

    def _scores(self, queries: Ragged) -> Iterator[tuple[int, Any]]:
        """The first query of a block, and the scores of all its queries: CSR float32[q, N] with
        places as columns, ascending."""
        from scipy.sparse import csr_array

        terms, count = len(self.bounds) - 1, len(self.row_at)
        postings = csr_array((self.weights, self.places, self.bounds), shape=(terms, count))
        queries = _before(queries, terms)
        assert queries.columns is not None
        # No query has more scores than postings of its terms.
        most = np.concatenate([[0], np.cumsum(np.diff(self.bounds)[queries.columns])])
        until = most[queries.bounds]
        start = 0
        while start < len(queries):
            end = int(np.searchsorted(until, until[start] + MAX_SCORES, side="right")) - 1
            end = min(max(end, start + 1), len(queries))
            part = slice(queries.bounds[start], queries.bounds[end])
            asked = csr_array(
                (
                    queries.values[part],
                    queries.columns[part],
                    queries.bounds[start : end + 1] - queries.bounds[start],
                ),
                shape=(end - start, terms),
            )
            block = asked @ postings
            block.sort_indices()
            yield start, block
            start = end

    def write(self, folder: Path) -> None:
        """Keep it in a folder."""
        for name in ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name))
        known = None if self.truncation is None else asdict(self.truncation)
        (folder / TRUNCATION).write_text(json.dumps(known), encoding="utf-8")
        if self.cost is not None:
            self.cost.write(folder)

    @classmethod
    def read(cls, folder: Path, *, mapped: bool) -> InvertedIndex:
        """That which a folder keeps; ``mapped`` leaves its postings in the files.

        Raises:
            Exception: any; the folder is damaged.
        """
        mode: Literal["r"] | None = "r" if mapped else None
        # Plain arrays: a numpy.memmap runs Python code at every slice.
        arrays: dict[str, Any] = {
            name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode=mode, allow_pickle=False))
            for name in ARRAYS
        }
        found = json.loads((folder / TRUNCATION).read_text(encoding="utf-8"))
        truncation = None if found is None else Truncation(**found)
        made = cls(**arrays, truncation=truncation, cost=BuildCost.read(folder))
        if not len(made.places) == len(made.weights) == made.bounds[-1]:
            raise DataError("its arrays do not belong together")
        return made


def inverted(
    weights: Ragged, number: NDArray[np.intp], ids: Ids
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32], NDArray[np.int32]]:
    """The arrays of an :class:`InvertedIndex`, in their order.

    Args:
        weights: of the terms of each distinct text.
        number: int64[N], which of these is the text of each passage.
        ids: of the corpus.
    """
    assert weights.columns is not None
    row_at = rows_by_id(ids)
    ordered = weights[number[row_at]]
    assert ordered.columns is not None
    # Stable: the places of a term stay ascending.
    by_term = np.argsort(ordered.columns, kind="stable")
    place = np.repeat(np.arange(len(ids), dtype=np.int32), ordered.lengths)
    bounds = bounds_of(np.bincount(ordered.columns))
    return bounds, place[by_term], ordered.values[by_term].astype(np.float32), row_at


def _before(weights: Ragged, terms: int) -> Ragged:
    """The weights of the first ``terms`` of a vocabulary; the others are left out."""
    assert weights.columns is not None
    known = weights.columns < terms
    if known.all():
        return weights
    text = np.repeat(np.arange(len(weights)), weights.lengths)
    bounds = bounds_of(np.bincount(text[known], minlength=len(weights)))
    return Ragged(bounds, weights.values[known], weights.columns[known])
