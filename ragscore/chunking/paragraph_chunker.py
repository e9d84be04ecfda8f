"""paragraphs: what blank lines separate, packed to a size."""

from __future__ import annotations

import re
from typing import Literal

import numpy as np
from pydantic import PositiveInt

from ragscore.chunking.base import PackedChunker
from ragscore.chunking.packed_pieces import Level, fitted, packed
from ragscore.chunking.sentence_rules import BLANK, sentence_begins
from ragscore.chunking.text_layout import Layout, Places, Spans

BLANK_LINE = re.compile(BLANK)


def paragraph_begins(text: str) -> Places:
    """Where paragraphs begin but the first: int64[n], each behind a blank line."""
    ends = [found.end() for found in BLANK_LINE.finditer(text)]
    return np.array(ends, dtype=np.int64)


def paragraph_level(layout: Layout) -> Level:
    """Pieces cut into paragraphs."""
    return lambda start, end: paragraph_begins(layout.text)


def sentence_level(layout: Layout) -> Level:
    """Pieces cut into sentences, by rules."""
    return lambda start, end: sentence_begins(layout.text)


class ParagraphChunker(PackedChunker):
    r"""Whole paragraphs, as many as a size has room for; a longer one is cut at sentences.

    Blank lines separate paragraphs. A sentence that is too long is cut between words, a word that
    is too long anywhere. Parts of a paragraph stay apart from its neighbours.

    >>> text = "Rent is due.\n\nPets are allowed.\n\nNotice is three months."
    >>> chunker = ParagraphChunker(size=32)
    >>> [text[start:end] for start, end in chunker.spans(text)]
    ['Rent is due.\n\nPets are allowed.', 'Notice is three months.']
    """

    kind: Literal["paragraphs"] = "paragraphs"
    size: PositiveInt = 800
    """Length of a chunk at most; what cannot be cut may be longer."""
    unit: Literal["characters", "words", "tokens", "paragraphs"] = "characters"
    """What `size` and `overlap` count; paragraphs themselves are never cut."""

    def spans(self, text: str) -> Spans:
        layout = Layout(text)
        pieces = layout.pieces(paragraph_begins(text))
        ruler, finest = self.ruler(layout, pieces)
        levels = [sentence_level(layout), *finest] if finest else []
        pieces = fitted(layout, pieces, levels, ruler, self.size)
        return packed(layout, pieces, ruler, self.size, self.overlap)
