"""Where a text stands in another but for a few characters: approximate matching.

The number of differing characters is Levenshtein's; the table is that of Sellers, "The theory and
computation of evolutionary distances: pattern recognition" (1980), a row of it at a time. Only
where a piece of the text stands unchanged is it computed: of a text with at most k changes, cut
into k + 1 pieces, one has none (Wu and Manber 1992), so that nothing is missed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ragscore.code_points import codes_of
from ragscore.dataset.quotes import occurrences

MAX_FOUND = 20
"""Places that are looked at, the nearest first."""


@dataclass(frozen=True)
class Nearest:
    """A place that is nearly the same.

    Attributes:
        start, end: its characters [start, end).
        edits: characters to insert, delete or replace.
        similarity: 1 - edits / characters looked for.
    """

    start: int
    end: int
    edits: int
    similarity: float


def nearest(text: str, wanted: str, similarity: float) -> list[Nearest]:
    """The places that are at least so similar, nearest first; no two overlap.

    >>> nearest("Rent is due on the first day.", "Rent is due on the last day.", 0.8)
    [Nearest(start=0, end=29, edits=3, similarity=0.8928571428571429)]

    Args:
        text: where to look.
        wanted: what to look for.
        similarity: above 0, at most 1.
    """
    allowed = int((1 - similarity) * len(wanted) + 1e-9)
    if not wanted or not text:
        return []
    codes, pattern = codes_of(text), codes_of(wanted)
    edits = np.full(len(text) + 1, len(wanted) + 1, dtype=np.int32)
    for begin, end in _windows(text, wanted, allowed):
        here = _edits_by_end(codes[begin:end], pattern)
        np.minimum(edits[begin : end + 1], here, out=edits[begin : end + 1])
    found: list[Nearest] = []
    ends = np.flatnonzero(edits <= allowed)
    while len(ends) and len(found) < MAX_FOUND:
        best = ends[edits[ends] == edits[ends].min()]
        end = next(
            (at for at in best[best <= best[0] + allowed].tolist() if _parts(text, at)),
            int(best[0]),
        )
        start = _start(text, codes, pattern, end, allowed)
        if any(start < place.end and place.start < end for place in found):
            ends = ends[ends != end]
            continue
        count = int(edits[end])
        found.append(Nearest(start, end, count, 1 - count / len(wanted)))
        ends = ends[(ends <= start) | (ends >= end + len(wanted) - allowed)]
    return found


def _windows(text: str, wanted: str, allowed: int) -> Iterator[tuple[int, int]]:
    """The parts of a text that can hold what is wanted with this many edits."""
    pieces = allowed + 1
    bounds = [len(wanted) * number // pieces for number in range(pieces + 1)]
    around: list[tuple[int, int]] = []
    covered = 0
    for begin, end in pairwise(bounds):
        piece = wanted[begin:end]
        for at in occurrences(text, piece) if piece else ():
            first = max(0, at - begin - allowed)
            last = min(len(text), at - begin + len(wanted) + allowed)
            around.append((first, last))
            covered += last - first
            if covered > 8 * len(text):  # it would be faster to look everywhere
                yield 0, len(text)
                return
    start, stop = -1, -1
    for first, last in sorted(around):
        if first > stop:
            if stop >= 0:
                yield start, stop
            start, stop = first, last
        stop = max(stop, last)
    if stop >= 0:
        yield start, stop


def _edits_by_end(
    codes: NDArray[np.uint32], pattern: NDArray[np.uint32], *, anywhere: bool = True
) -> NDArray[np.int32]:
    """The fewest edits of a place that ends in front of each character: int32[n + 1]. It begins
    anywhere, or with the first character: then what is left out in front counts."""
    places = np.arange(len(codes) + 1, dtype=np.int32)
    edits = np.zeros_like(places) if anywhere else places
    for number, code in enumerate(pattern.tolist(), 1):
        row = edits + 1
        row[0] = number
        np.minimum(row[1:], edits[:-1] + (codes != code), out=row[1:])
        row -= places
        edits = np.minimum.accumulate(row) + places
    return edits


def _parts(text: str, at: int) -> bool:
    """Whether no word goes on over a place."""
    return not (0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum())


def _start(
    text: str,
    codes: NDArray[np.uint32],
    pattern: NDArray[np.uint32],
    end: int,
    allowed: int,
) -> int:
    """Where the place that ends here begins; of several, where a word does, and then that of the
    length nearest to the pattern's."""
    begin = max(0, end - len(pattern) - allowed)
    behind = codes[begin:end][::-1]
    edits = _edits_by_end(behind, pattern[::-1], anywhere=False)  # read backwards
    best = 1 + np.flatnonzero(edits[1:] == edits[1:].min())
    lengths = sorted(best.tolist(), key=lambda length: abs(length - len(pattern)))
    return end - next((length for length in lengths if _parts(text, end - length)), lengths[0])
