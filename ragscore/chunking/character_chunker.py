"""characters: pieces of equal length."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field, PositiveInt

from ragscore.chunking.base import SizedChunker
from ragscore.chunking.text_layout import Layout, Places, Spans


class CharacterChunker(SizedChunker):
    """A fixed number of characters, wherever that ends.

    A chunk ends inside a word, but never inside a character that is made of several code points.

    >>> CharacterChunker(size=8, overlap=2).spans("Rent is due monthly").tolist()
    [[0, 7], [6, 14], [12, 19]]
    """

    kind: Literal["characters"] = "characters"
    size: PositiveInt = 800
    """Characters (Unicode code points) of a chunk at most."""
    overlap: int = Field(0, ge=0)
    """Characters that a chunk shares with the one before it; fewer than `size`."""

    def spans(self, text: str) -> Spans:
        layout = Layout(text)
        return layout.chunks(*self._places(layout))

    def _places(self, layout: Layout) -> tuple[Places, Places]:
        length, step = len(layout), self.size - self.overlap
        if layout.begins is None:
            last = max(1, length - self.overlap) if length else 0
            starts = np.arange(0, last, step, dtype=np.int64)
            return starts, np.minimum(starts + self.size, length)
        breaks = np.flatnonzero(layout.begins)
        found: list[tuple[int, int]] = []
        start, end = 0, 0
        while end < length:
            first, last = breaks.searchsorted([start, start + self.size], "right").tolist()
            end = int(breaks[max(first, last - 1)])
            found.append((start, end))
            # The next chunk has to reach behind this one.
            following = int(breaks[breaks.searchsorted(end, "right")]) if end < length else length
            start = max(end - self.overlap, following - self.size, start + 1)
            start = min(int(breaks[breaks.searchsorted(start)]), end)
        places = np.array(found, dtype=np.int64).reshape(-1, 2)
        return places[:, 0], places[:, 1]
