"""Room for text: how wide it is, cutting it, and putting labels where they don't collide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import fsum

import numpy as np
from numpy.typing import ArrayLike

from ragscore.elements.plain import beginning, letter_width, one_line

_NARROW = set("iljtfrI.,:;'|!()[] ")
_BROAD = set("mwMW@%+=<>~")
_TOUCH = 1e-6
"""Rectangles that overlap by less touch: last bits differ from one processor to the next."""


def text_width(text: str, size: float = 12) -> float:
    """About how wide a text is in pixels; rather too wide than too narrow, since fonts differ.

    >>> text_width("bm25", 10), text_width("검색", 10)
    (27.0, 20.0)
    """
    return fsum(map(_ems, one_line(text))) * size  # sum() rounds otherwise since Python 3.12


def widest(texts: Iterable[str], size: float) -> float:
    """The width of the widest text; 0 without texts."""
    return max((text_width(text, size) for text in texts), default=0)


def _ems(character: str) -> float:
    cells = letter_width(character)
    if cells != 1:
        return cells / 2
    if character in _NARROW:
        return 0.34
    if character in _BROAD:
        return 0.9
    return 0.68 if character.isupper() else 0.6


def clipped(text: str, width: float, size: float = 12) -> str:
    """The text, its middle left out where it is wider: names often differ in their ends.

    >>> clipped("a-very-long-name-of-a-retriever-2", 80)
    'a-very…er-2'
    """
    text = one_line(text)
    if text_width(text, size) <= width:
        return text
    room = width - size
    tail = _fitting(text[::-1], room * 0.4, size)[::-1].lstrip()
    head = _fitting(text, room - text_width(tail, size), size).rstrip()
    return f"{head}…{tail}"


def _fitting(text: str, room: float, size: float) -> str:
    return beginning(text, room, lambda character: _ems(character) * size)


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places near the wanted ones, at least a gap apart, in the same order, within bounds.

    Where there is no room for all, the gap shrinks.

    >>> spread([10, 11, 40], 12, 0, 50)
    [4.5, 16.5, 40]
    """
    if not wanted:
        return []
    if len(wanted) > 1:
        gap = min(gap, (high - low) / (len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    # Blocks of labels that touch: each stands at the mean of where its members want to be.
    blocks: list[tuple[float, int]] = []
    for place, i in enumerate(order):
        mean, count = wanted[i] - place * gap, 1
        while blocks and blocks[-1][0] > mean:
            before, members = blocks.pop()
            mean = (mean * count + before * members) / (count + members)
            count += members
        blocks.append((mean, count))
    last = high - (len(wanted) - 1) * gap
    starts = [min(max(mean, low), last) for mean, count in blocks for _ in range(count)]
    places = [0.0] * len(wanted)
    for place, i in enumerate(order):
        places[i] = starts[place] + place * gap
    return places


class Boxes:
    """Rectangles that are taken, so that further labels go elsewhere."""

    def __init__(self) -> None:
        self._taken: list[tuple[float, float, float, float]] = []

    def take(self, left: float, top: float, right: float, bottom: float) -> None:
        """Mark a rectangle as taken."""
        self._taken.append((left, top, right, bottom))

    def take_line(self, x: ArrayLike, y: ArrayLike, *, step: float = 4, half: float = 1.5) -> None:
        """Mark what a line through points runs over."""
        xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
        if xs.size < 2:
            return
        way = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(xs), np.diff(ys)))))
        at = np.arange(0.0, way[-1], step)
        for a, b in zip(np.interp(at, way, xs), np.interp(at, way, ys), strict=True):
            self.take(float(a) - half, float(b) - half, float(a) + half, float(b) + half)

    def free(self, left: float, top: float, right: float, bottom: float) -> bool:
        """Whether a rectangle overlaps none that is taken."""
        left, top, right, bottom = left + _TOUCH, top + _TOUCH, right - _TOUCH, bottom - _TOUCH
        return not any(
            left < r and right > x and top < b and bottom > y for x, y, r, b in self._taken
        )


def wrapped(text: str, width: float, size: float = 12) -> list[str]:
    """Lines of a text, broken at spaces, a word that is too wide cut.

    >>> wrapped("one two three", 50)
    ['one two', 'three']
    """
    lines: list[str] = []
    for word in one_line(text).split(" "):
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(joined, size) <= width:
            lines[-1] = joined
        else:
            lines.append(clipped(word, width, size))
    return lines
