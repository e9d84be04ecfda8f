"""SpanTruth: where passages and evidence stand in documents, for measures that count characters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.chunks import Chunks
from ragscore.dataset.corpus import Unit
from ragscore.dataset.documents import Documents
from ragscore.dataset.evidence import EvidenceColumns
from ragscore.dataset.evidence_line import EvidenceLine


@dataclass(frozen=True, eq=False)
class SpanTruth:
    """Places in documents, of passages and of evidence.

    Attributes:
        chunks: places of passages.
        rows: int64[N], the row in ``chunks`` of each passage of the judgments; -1 for one that is
            no piece of a document.
        evidence: by rows of the judgments' queries.
        documents: that these are places in.
        together: the share of evidence that several passages cover among them; None where one
            passage has to hold it.
    """

    chunks: Chunks
    rows: NDArray[np.int64]
    evidence: EvidenceColumns
    documents: Documents
    together: float | None = None

    def taken(self, rows: NDArray[np.integer[Any]]) -> SpanTruth:
        """The same places for other passages: ``rows`` are theirs here, -1 for one that is not."""
        return replace(self, rows=np.append(self.rows, -1)[rows])

    @cached_property
    def passage_places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where each passage begins and ends among the characters of all documents: int64[N + 1]
        each; one that is no piece of a document, and the one behind the last, are empty."""
        base = self.documents.offsets[self.chunks.document]
        starts = np.append(base + self.chunks.start, 0)[np.append(self.rows, -1)]
        ends = np.append(base + self.chunks.end, 0)[np.append(self.rows, -1)]
        return starts, ends

    def evidence_of(
        self, query_rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The evidence of some queries as (place of the query among these, start, end), among the
        characters of all documents: int64[m] each."""
        place_of = np.full(max(len(self.evidence.queries), int(query_rows.max(initial=-1)) + 1), -1)
        place_of[query_rows] = np.arange(len(query_rows))
        place = place_of[self.evidence.query]
        at = np.flatnonzero(place >= 0)
        base = self.documents.offsets[self.evidence.document[at]]
        return place[at], base + self.evidence.start[at], base + self.evidence.end[at]

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
