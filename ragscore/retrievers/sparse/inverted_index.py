"""The weights of a sparse model as an inverted index, and its exact scores.

A score is the sum, over the terms that query and passage share, of the products of their weights.
Adding them up term by term is several times as fast as the product of sparse matrices of scipy.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, load_arrays, save_arrays
from ragscore.dataset import Ids
from ragscore.encoders import Truncation, read_truncation, write_truncation
from ragscore.encoders.ragged import Ragged
from ragscore.errors import DataError
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.run_order import BestPassages, rows_by_id

ARRAYS = ("bounds", "places", "weights", "row_at")


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
        truncation: what the model did not read of the passages; None if it does not say.
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
    ) -> BestPassages:
        """The passages that share a term with a query, best first.

        Args:
            queries: the weights of Q queries.
            depth: how many passages at most a query gets.
            allowed: bool[N] by corpus row, the passages that they may get; None allows all.
        """
        assert queries.columns is not None
        best = BestPassages.none(len(queries), depth)
        may = None if allowed is None else allowed[self.row_at]
        sums = np.zeros(len(self.row_at))
        for at in range(len(queries)):
            part = slice(queries.bounds[at], queries.bounds[at + 1])
            self._add(queries.columns[part], queries.values[part], sums)
            found = np.flatnonzero(sums if may is None else sums * may)
            best.put(at, self.row_at[found], sums[found])
            sums[:] = 0
        return best

    def _add(
        self,
        columns: NDArray[np.int32],
        weights: NDArray[np.floating[Any]],
        sums: NDArray[np.float64],
    ) -> None:
        """Add up, at the place of each passage, the products of the weights of shared terms."""
        last = len(self.bounds) - 1  # no passage has a later term
        for term, weight in zip(columns.tolist(), weights, strict=True):
            if term < last:
                part = slice(self.bounds[term], self.bounds[term + 1])
                sums[self.places[part]] += self.weights[part] * weight

    def write(self, folder: Path) -> None:
        """Keep it in a folder."""
        save_arrays(folder, {name: getattr(self, name) for name in ARRAYS})
        write_truncation(self.truncation, folder)
        if self.cost is not None:
            self.cost.write(folder)

    @classmethod
    def read(cls, folder: Path, *, mapped: bool) -> InvertedIndex:
        """That which a folder keeps; ``mapped`` leaves its postings in the files.

        Raises:
            Exception: any; the folder is damaged.
        """
        arrays = load_arrays(folder, ARRAYS, mapped=mapped)
        made = cls(**arrays, truncation=read_truncation(folder), cost=BuildCost.read(folder))
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
