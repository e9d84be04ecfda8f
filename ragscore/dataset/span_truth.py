"""SpanTruth: where passages and evidence stand in documents, for measures that count characters."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.dataset.chunks import Chunks
from ragscore.dataset.corpus import Unit
from ragscore.dataset.documents import Documents
from ragscore.dataset.evidence import EvidenceColumns
from ragscore.dataset.evidence_line import EvidenceLine
from ragscore.dataset.passage_places import PassagePlaces


@dataclass(frozen=True, eq=False)
class SpanTruth:
    """Places in documents, of passages and of evidence.

    Attributes:
        chunks: places of passages.
        rows: int64[N], the row in ``chunks`` of each passage of the judgments; -1 for one that is
            no piece of a document.
        evidence: by rows of the judgments' queries.
        documents: that these are places in.
        together: the share of evidence that several passages cover among them; None if one
            passage has to hold it.
    """

    chunks: Chunks
    rows: NDArray[np.int64]
    evidence: EvidenceColumns
    documents: Documents
    together: float | None = None
    _before: dict[tuple[Unit, str | None], tuple[NDArray[np.int64], NDArray[np.int64]]] = field(
        default_factory=dict, init=False, repr=False
    )

    def taken(self, rows: NDArray[np.integer[Any]]) -> SpanTruth:
        """The same places for other passages: ``rows`` are theirs here, -1 for one that is not."""
        return replace(self, rows=np.append(self.rows, -1)[rows])

    @cached_property
    def places(self) -> PassagePlaces:
        """Where the passages stand among the characters of all documents."""
        base, there = self.documents.offsets[self.chunks.document], self.rows >= 0
        starts, ends = (np.zeros(len(self.rows), dtype=np.int64) for _ in range(2))
        starts[there] = (base + self.chunks.start)[self.rows[there]]
        ends[there] = (base + self.chunks.end)[self.rows[there]]
        return PassagePlaces.of(starts, ends)

    def evidence_of(
        self, query_rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The evidence of some queries as (place of the query among these, start, end), among the
        characters of all documents: int64[m] each."""
        first, end = (
            np.searchsorted(self.evidence.query, query_rows, side=side)
            for side in ("left", "right")
        )
        place = np.repeat(np.arange(len(query_rows)), end - first)
        at = ranges(first, end - first)
        base = self.documents.offsets[self.evidence.document[at]]
        return place, base + self.evidence.start[at], base + self.evidence.end[at]

    @cached_property
    def evidence_line(self) -> EvidenceLine:
        """The texts of all evidence, one behind the other."""
        return EvidenceLine.of(self.evidence, self.documents.texts)

    def before(
        self, places: NDArray[np.int64], unit: Unit, tokenizer: str | None = None
    ) -> NDArray[np.int64]:
        """How many characters of all documents, or words or tokens that begin there, stand before
        each place: int64, of the shape of ``places``."""
        if unit == "characters":
            return places
        starts = self.documents.words if unit == "words" else self.documents.tokens[tokenizer or ""]
        return np.searchsorted(starts, places, side="left").astype(np.int64)

    def ends_before(
        self, unit: Unit, tokenizer: str | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What stands before the beginning and before the end of each passage: int64[N] each; as
        :meth:`before`, and computed once."""
        key = unit, tokenizer
        if key not in self._before:
            start, end = self.places.start, self.places.end
            found = self.before(start, unit, tokenizer), self.before(end, unit, tokenizer)
            self._before[key] = found
        return self._before[key]
