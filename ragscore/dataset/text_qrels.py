"""TextQrels: judgments that name passages by text, for the join with a run that is being read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct
from ragscore.dataset.byte_texts import ByteTexts, TextLookup, numbered
from ragscore.dataset.graded_pairs import Grades
from ragscore.dataset.ids import Ids
from ragscore.dataset.qrels import Qrels


@dataclass(frozen=True, eq=False)
class TextQrels(Grades):
    """Grades of (query, passage) pairs, the pairs of each query together.

    :class:`~ragscore.dataset.Qrels` numbers passages, which takes a Python object for each; a
    join compares texts and needs no numbers.

    Attributes:
        query_ids: the queries in order of appearance (that is their row).
        indptr: int64[Q + 1], where the judgments of each query begin.
        passages: n passage ids.
        grades: float64[n]. Negative: in the pool, but not judged.
    """

    query_ids: ByteTexts
    indptr: NDArray[np.int64]
    passages: ByteTexts
    grades: NDArray[np.float64]

    @classmethod
    def of(cls, qrels: Qrels) -> TextQrels:
        """The same judgments; queries keep their rows, also those without judgments."""
        passages = ByteTexts.of(qrels.passages).take(qrels.rows.astype(np.int64))
        return cls(ByteTexts.of(qrels.queries), qrels.indptr, passages, qrels.grades)

    def numbered(self) -> Qrels:
        """The same judgments over numbered passages, in order of appearance."""
        passages, passage_rows = numbered(self.passages)
        return Qrels.from_rows(
            self.query_of,
            passage_rows,
            self.grades,
            Ids(self.query_ids.to_list()),
            Ids(passages.to_list()),
        )

    def __len__(self) -> int:
        return len(self.grades)

    @cached_property
    def _lookup(self) -> TextLookup:
        return TextLookup(self.query_ids)

    def rows_of(self, query_ids: ByteTexts) -> NDArray[np.int64]:
        """The row of each query, -1 if there is none: int64[n]."""
        return self._lookup.rows(query_ids)

    def query_rows(self, query_ids: Iterable[str]) -> NDArray[np.int64]:
        """The rows of the given queries that exist, each once: int64[m]."""
        rows = self.rows_of(ByteTexts.of(query_ids))
        return distinct(rows[rows >= 0])

    def query_texts(self, query_rows: NDArray[np.int64]) -> list[str]:
        """The ids of the queries in some rows."""
        return self.query_ids.take(query_rows).to_list()

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """A 64-bit hash of each passage id: uint64[n]."""
        return self.passages.hashes()
