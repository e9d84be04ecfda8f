"""SpanTruth: where passages and evidence stand in documents, for measures that count characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of
from ragscore.dataset.chunks import Chunks
from ragscore.dataset.corpus import Unit
from ragscore.dataset.evidence import EvidenceColumns

_WHITE = np.array([code for code in range(0x3001) if chr(code).isspace()], dtype=np.uint32)
"""Every white-space character, as :meth:`str.isspace` has them."""


@dataclass(frozen=True, eq=False)
class SpanTruth:
    """Places in documents, of passages and of evidence.

    Attributes:
        chunks: places of passages.
        rows: int64[N], the row in ``chunks`` of each passage of the judgments; -1 for one that is
            no piece of a document.
        evidence: by rows of the judgments' queries.
        texts: of the documents.
    """

    chunks: Chunks
    rows: NDArray[np.int64]
    evidence: EvidenceColumns
    texts: Sequence[str]
    _words: dict[str, NDArray[np.int64]] = field(default_factory=dict, repr=False)

    def taken(self, rows: NDArray[np.integer[Any]]) -> SpanTruth:
        """The same places for other passages: ``rows`` are theirs here, -1 for one that is not."""
        return replace(self, rows=np.append(self.rows, -1)[rows])

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """int64[documents + 1], where each document begins among the characters of all."""
        return bounds_of(np.fromiter(map(len, self.texts), dtype=np.int64, count=len(self.texts)))

    @cached_property
    def passage_places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where each passage begins and ends among the characters of all documents: int64[N + 1]
        each; one that is no piece of a document, and the one behind the last, are empty."""
        base = self.offsets[self.chunks.document]
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
        base = self.offsets[self.evidence.document[at]]
        return place[at], base + self.evidence.start[at], base + self.evidence.end[at]

    def before(self, places: NDArray[np.int64], unit: Unit) -> NDArray[np.int64]:
        """How many characters of all documents, or white-space words that begin there, stand before
        each place: int64, of the shape of ``places``."""
        if unit == "characters":
            return places
        if "starts" not in self._words:
            self._words["starts"] = _word_starts(self.texts)
        return np.searchsorted(self._words["starts"], places, side="left").astype(np.int64)


def _word_starts(texts: Sequence[str]) -> NDArray[np.int64]:
    """Where words begin among the characters of all texts: those that are no white space and stand
    behind some, or at the beginning of a text."""
    found, offset = [np.zeros(0, dtype=np.int64)], 0
    for text in texts:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        word = ~np.isin(codes, _WHITE)
        word[1:] &= ~word[:-1].copy()
        found.append(np.flatnonzero(word) + offset)
        offset += len(text)
    return np.concatenate(found)
