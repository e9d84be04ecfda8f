"""recursive: cut at the coarsest separator that makes the pieces small enough."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, PositiveInt

from ragscore.chunking.base import PackedChunker
from ragscore.chunking.packed_pieces import Level, fitted, packed
from ragscore.chunking.text_layout import NO_PLACES, Layout, Places, Spans


class RecursiveChunker(PackedChunker):
    r"""Cut at blank lines; longer pieces at line ends, then at words, then anywhere.

    Pieces that are small enough are put together up to the size, but only with neighbours that the
    same cuts made: as the recursive character splitters of other tools do, whose chunks these are
    (LangChain's RecursiveCharacterTextSplitter).

    >>> text = "Rent is due.\nIt is paid monthly.\n\nPets are allowed."
    >>> [text[start:end] for start, end in RecursiveChunker(size=20).spans(text)]
    ['Rent is due.', 'It is paid monthly.', 'Pets are allowed.']
    """

    kind: Literal["recursive"] = "recursive"
    size: PositiveInt = 800
    """Length of a chunk at most; what no separator cuts may be longer."""
    unit: Literal["characters", "words", "tokens"] = "characters"
    """What `size` and `overlap` count."""
    separators: Annotated[tuple[str, ...], Field(min_length=1)] = ("\n\n", "\n", " ", "")
    """Where texts may be cut, the best place first: before each of these. The empty one is between
    any two characters; a line end is also one of Windows."""

    def spans(self, text: str) -> Spans:
        layout = Layout(text)
        ruler, _ = self.ruler(layout)
        levels = [_level(layout, separator) for separator in self.separators]
        pieces = layout.pieces(NO_PLACES, trim=False)
        # Pieces of just the size count as too long there; cut and put together they are the same.
        pieces = fitted(layout, pieces, levels, ruler, self.size - 1, trim=False)
        return packed(layout, pieces, ruler, self.size, self.overlap)


def _level(layout: Layout, separator: str) -> Level:
    if not separator:
        return layout.breaks_inside

    pattern = re.escape(separator).replace("\\\n", "\r?\n")

    def places(start: Places, end: Places) -> Places:
        found = [match.start() for match in re.finditer(pattern, layout.text)]
        return np.array(found, dtype=np.int64)

    return places
