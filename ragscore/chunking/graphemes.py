"""Grapheme clusters: the characters of a text that a reader sees as one.

A letter and its accents, the syllables of Hangul that are written as jamo, a family of emoji, a
carriage return and its line feed are one each (Unicode Standard Annex 29). The rules themselves are
those of the package regex; here only the places are found where they matter.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint32]
Flags = NDArray[np.bool_]

_JOINS_BEFORE = (
    r"\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}\p{GCB=V}\p{GCB=T}\p{GCB=Regional_Indicator}"
)
"""What may belong to the character before it; a line feed does so behind a carriage return."""
_JOINS_AFTER = (
    r"\p{GCB=Prepend}\p{GCB=L}\p{GCB=ZWJ}\p{GCB=Extend}\p{GCB=Regional_Indicator}\p{GCB=CR}"
)
"""What the character behind it may belong to."""


def cluster_begins(text: str, codes: Codes) -> Flags | None:
    """Where clusters begin: bool[n + 1], the last for the end; None if each character is one.

    Args:
        text: any text.
        codes: its code points.
    """
    if text.isascii() and "\r\n" not in text:
        return None
    before, after = _joining()
    doubtful = np.zeros(len(codes) + 1, dtype=bool)
    doubtful[1:-1] = before[codes[1:]] | after[codes[:-1]]
    if not doubtful.any():
        return None
    begins = ~doubtful
    edges = np.diff(doubtful.astype(np.int8))
    clusters = _cluster().finditer
    for first, last in zip(
        np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True
    ):
        # From a place where a cluster begins for certain to the next such place.
        for found in clusters(text, first, last + 1):
            begins[found.start()] = True
    return begins


@cache
def _joining() -> tuple[Flags, Flags]:
    """By code point, whether it may belong to the one before it, and the one behind it to it."""
    import regex

    everything = "".join(map(chr, range(0x110000)))
    tables = []
    for members in (_JOINS_BEFORE, _JOINS_AFTER):
        table = np.zeros(0x110000, dtype=bool)
        for found in regex.finditer(f"[{members}]+", everything):
            table[found.start() : found.end()] = True
        tables.append(table)
    return tables[0], tables[1]


@cache
def _cluster():  # type: ignore[no-untyped-def]
    import regex

    return regex.compile(r"\X")
