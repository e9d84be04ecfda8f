"""Lookup: which returned passages the judgments name, for a block of queries at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import repeated
from ragscore.dataset import Qrels

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

MAX_COMPARED = 16
"""Judgments of a query that are held against all its passages one by one, which is quicker than
a search for each passage as long as they are few."""

Hits = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Row in the block, place (from 0) and judgment of each hit, by row and place: int64[h] each."""


class Lookup:
    """The judgments, ready to be looked up.

    Args:
        qrels: over the passages of the rows that will be asked for. Where they name units, a
            passage stands for its unit, and the first of a unit alone is found.
    """

    def __init__(self, qrels: Qrels) -> None:
        self._qrels = qrels
        self._matrix: csr_matrix | None = None
        if int(qrels.judgments.max(initial=0)) > MAX_COMPARED:
            from scipy.sparse import csr_matrix

            # It holds 1 + the place of each judgment, so that 0 means that there is none.
            places = np.arange(1, len(qrels) + 1, dtype=np.int64)
            shape = (len(qrels.queries), max(len(qrels.passages), 1))
            self._matrix = csr_matrix((places, qrels.rows, qrels.indptr), shape=shape)

    def hits(self, query_rows: NDArray[np.int64], rows: NDArray[np.int32]) -> Hits:
        """The judged among returned passages.

        Args:
            query_rows: int64[Q], rows of the queries in the qrels.
            rows: int32[Q, depth], rows of their passages, -1 if there is none; those behind the
                qrels' passages are not judged.
        """
        units = self._qrels.units
        if units is None:
            return self._found(query_rows, rows)
        targets = units.rows(rows)
        return self.unit_hits(query_rows, targets, repeated(targets))

    def unit_hits(
        self,
        query_rows: NDArray[np.int64],
        targets: NDArray[np.int32],
        again: NDArray[np.bool_],
    ) -> Hits:
        """The judged among returned units, each at the first passage of it.

        Args:
            query_rows: int64[Q], rows of the queries in the qrels.
            targets: int32[Q, depth], the units of their passages, -1 if there is none.
            again: bool[Q, depth], places whose unit stands further up.
        """
        row, place, judgment = self._found(query_rows, targets)
        first = np.flatnonzero(~again[row, place])
        return row[first], place[first], judgment[first]

    def _found(self, query_rows: NDArray[np.int64], rows: NDArray[np.int32]) -> Hits:
        if not rows.size:
            none = np.empty(0, dtype=np.int64)
            return none, none, none
        starts = self._qrels.indptr[query_rows]
        counts = self._qrels.indptr[query_rows + 1] - starts
        if self._matrix is None or counts.max(initial=0) <= MAX_COMPARED:
            at, judgment = self._compared(starts, counts, rows)
        else:
            # Beside these the matrix has no column, or, for -1, the last passage's.
            known = ((rows >= 0) & (rows < self._matrix.shape[1])).ravel()
            queries = np.repeat(query_rows, rows.shape[1])
            passages = np.where(known, rows.ravel(), 0)
            found = np.asarray(self._matrix[queries, passages], dtype=np.int64).ravel()
            at = np.flatnonzero(known & (found > 0))
            judgment = found[at] - 1
        row, place = np.divmod(at, rows.shape[1])
        return row, place, judgment

    def _compared(
        self, starts: NDArray[np.int64], counts: NDArray[np.int64], rows: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Flat place and judgment of each hit: every judgment held against its query's row."""
        places, judgments = [], []
        last = len(self._qrels) - 1
        for number in range(int(counts.max(initial=0))):
            judgment = np.minimum(starts + number, last)
            passage = np.where(number < counts, self._qrels.rows[judgment], np.int32(-2))
            at = np.flatnonzero(rows == passage[:, None])
            places.append(at)
            judgments.append(judgment[at // rows.shape[1]])
        if not places:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        at = np.concatenate(places)
        order = np.argsort(at, kind="stable")
        return at[order], np.concatenate(judgments)[order]
