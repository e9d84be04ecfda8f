"""words: as many white-space words as the size has room for."""

from __future__ import annotations

from typing import Literal

import numpy as np
from pydantic import Field, PositiveInt

from ragscore.chunking.base import SizedChunker
from ragscore.chunking.text_layout import Layout, Spans


class WordChunker(SizedChunker):
    """A fixed number of words, separated by white space.

    >>> text = "Rent is due monthly"
    >>> [text[start:end] for start, end in WordChunker(size=2).spans(text)]
    ['Rent is', 'due monthly']
    """

    kind: Literal["words"] = "words"
    size: PositiveInt = 150
    """Words of a chunk at most."""
    overlap: int = Field(0, ge=0)
    """Words that a chunk shares with the one before it; fewer than `size`."""

    def spans(self, text: str) -> Spans:
        begins, ends = Layout(text).words
        count = len(begins)
        last = max(1, count - self.overlap) if count else 0
        first = np.arange(0, last, self.size - self.overlap)
        behind = np.minimum(first + self.size, count) - 1
        return np.stack([begins[first], ends[behind]], axis=1)
