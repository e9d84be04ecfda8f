"""tokens: as many tokens of a model's tokenizer as the size has room for."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, PositiveInt

from ragscore.chunking.base import MINILM, PackedChunker
from ragscore.chunking.packed_pieces import fitted, packed
from ragscore.chunking.text_layout import NO_PLACES, Layout, Spans


class TokenChunker(PackedChunker):
    """As many words as a number of tokens has room for: what an encoder reads at once.

    A chunk ends between words; a word that has more tokens than the size, as a sentence of Chinese
    has, is cut between tokens.

    >>> text = "Tenants pay the rent in advance."
    >>> [text[start:end] for start, end in TokenChunker(size=3).spans(text)]
    ['Tenants pay the', 'rent in', 'advance.']
    """

    kind: Literal["tokens"] = "tokens"
    size: PositiveInt = 200
    """Tokens of a chunk at most, without special ones."""
    overlap: int = Field(0, ge=0)
    """Tokens that a chunk shares with the one before it at most; fewer than `size`."""
    unit: Literal["tokens"] = "tokens"
    """Always tokens."""
    tokenizer: str = MINILM
    """Whose tokens: a folder with a Hugging Face tokenizer.json, an encoder such as minilm, or a
    model of the hub that is on this machine."""

    def spans(self, text: str) -> Spans:
        layout = Layout(text)
        ruler, levels = self.ruler(layout)
        whole = layout.pieces(NO_PLACES)
        pieces = fitted(layout, whole, levels[:1], ruler, 0, apart=False)
        pieces = fitted(layout, pieces, levels[1:], ruler, self.size, apart=False)
        return packed(layout, pieces, ruler, self.size, self.overlap)
