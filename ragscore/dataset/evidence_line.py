"""EvidenceLine: the texts of all evidence one behind the other, to count what is held of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of
from ragscore.code_points import codes_of, white_space
from ragscore.dataset.documents import texts_of_spans
from ragscore.dataset.evidence import EvidenceColumns


@dataclass(frozen=True, eq=False)
class EvidenceLine:
    """Places on a line on which pieces of evidence stand one behind the other.

    White space counts for nothing: chunks leave out what stands between them.

    Attributes:
        begins: int64[m + 1], where each of m pieces begins.
        white: int64[w], the places of white space, ascending.
        starts: int64[m], where each begins in its document.
    """

    begins: NDArray[np.int64]
    white: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, evidence: EvidenceColumns, texts: Sequence[str]) -> EvidenceLine:
        """The line of some evidence; ``texts`` are those of the documents."""
        pieces = texts_of_spans(texts, evidence.document, evidence.start, evidence.end)
        white = np.flatnonzero(white_space(codes_of("".join(pieces))))
        return cls(bounds_of(evidence.end - evidence.start), white, evidence.start)

    def places(self, piece: NDArray[np.int64], at: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where places within the documents of some pieces stand on the line: int64[n]."""
        found: NDArray[np.int64] = self.begins[piece] + at - self.starts[piece]
        return found

    def characters(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many characters stand from some places of the line to others: int64[n]."""
        white = np.searchsorted(self.white, ends) - np.searchsorted(self.white, starts)
        found: NDArray[np.int64] = ends - starts - white
        return found

    def wanted(self, coverage: float) -> NDArray[np.int64]:
        """How many of its characters cover each piece: int64[m]."""
        lengths = self.characters(self.begins[:-1], self.begins[1:])
        # A product such as 0.7 * 10 may lie just above the whole number that it stands for.
        found: NDArray[np.int64] = np.ceil(lengths * coverage - 1e-9).astype(np.int64)
        return found
