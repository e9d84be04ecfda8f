"""Evidence: characters of documents that answer queries, as columns."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.documents import Documents, texts_of_spans
from ragscore.dataset.ids import Ids
from ragscore.models import Evidence


@dataclass(frozen=True, eq=False)
class EvidenceColumns:
    """Spans of documents that answer queries: located ones only, one to a row, ordered by query,
    need, document, start and end.

    >>> EvidenceColumns.of(Ids(["q1"]), query=[0], document=[0], start=[9], end=[16])
    EvidenceColumns(1 spans of 1 queries)

    Attributes:
        queries: ids of the query rows (a query may have no evidence).
        query: int64[m], the row of the query.
        document: int32[m], the row of the document.
        start, end: int64[m], the characters [start, end) of the document's text, in Unicode code
            points; no span is empty.
        grade: float64[m], above 0.
        need: int32[m], number within the query of the need that the span covers, from 0.
            Alternatives have the same number; a need whose number is not here is covered by
            passages alone.
    """

    queries: Ids
    query: NDArray[np.int64]
    document: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    grade: NDArray[np.float64]
    need: NDArray[np.int32]

    @classmethod
    def of(
        cls,
        queries: Ids,
        *,
        query: Any,
        document: Any,
        start: Any,
        end: Any,
        grade: Any = None,
        need: Any = None,
    ) -> EvidenceColumns:
        """Evidence from parallel columns in any order, each a list or an array of m numbers.

        Args:
            queries: ids of the query rows.
            grade: by default 1 each.
            need: by default each span is a need of its own, in the order given.
        """
        rows = np.asarray(query, dtype=np.int64).reshape(-1)
        grades = np.ones(len(rows)) if grade is None else np.asarray(grade, dtype=np.float64)
        numbers = _numbered(rows) if need is None else np.asarray(need)
        documents = np.asarray(document, dtype=np.int32).reshape(-1)
        starts = np.asarray(start, dtype=np.int64).reshape(-1)
        ends = np.asarray(end, dtype=np.int64).reshape(-1)
        order = np.lexsort((ends, starts, documents, numbers, rows))
        return cls(
            queries,
            rows[order],
            documents[order],
            starts[order],
            ends[order],
            grades[order],
            numbers[order].astype(np.int32),
        )

    def __len__(self) -> int:
        return len(self.query)

    def __repr__(self) -> str:
        return f"EvidenceColumns({len(self):,} spans of {len(np.unique(self.query)):,} queries)"

    def texts(self, documents: Documents) -> list[str]:
        """What stands in each span, exactly."""
        return texts_of_spans(documents.texts, self.document, self.start, self.end)

    def rows(self, documents: Documents) -> dict[str, dict[int, list[Evidence]]]:
        """The evidence of each query that has any, by the number of the need that it covers."""
        found: dict[str, dict[int, list[Evidence]]] = {}
        columns = (self.query, self.need, self.document, self.start, self.end, self.grade)
        for query, need, document, start, end, grade in zip(
            *(column.tolist() for column in columns), strict=True
        ):
            span = Evidence(document=documents.ids[document], start=start, end=end, grade=grade)
            found.setdefault(self.queries[query], {}).setdefault(need, []).append(span)
        return found

    @cached_property
    def digest(self) -> str:
        """SHA-256 of queries and spans: 64 hex digits."""
        sha = hashlib.sha256(self.queries.digest.encode())
        for column in (self.query, self.document, self.start, self.end, self.grade, self.need):
            sha.update(np.ascontiguousarray(column).tobytes())
        return sha.hexdigest()


def _numbered(query: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many rows of the same query stand before each row: int64[m]."""
    order = np.argsort(query, kind="stable")
    sorted_rows = query[order]
    first = np.searchsorted(sorted_rows, sorted_rows, side="left")
    numbers = np.empty(len(query), dtype=np.int64)
    numbers[order] = np.arange(len(query)) - first
    return numbers
