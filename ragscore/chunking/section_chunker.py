"""Chunks of documents with headings: a section each, or its parts where a section is too long."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field, PositiveInt

from ragscore.chunking.base import PackedChunker
from ragscore.chunking.packed_pieces import Level, fitted, packed
from ragscore.chunking.text_layout import Layout, Places, Spans


class Heading(NamedTuple):
    """A heading in a text.

    Attributes:
        start, end: of all that makes it a heading.
        level: 1 is the highest, 6 the lowest.
    """

    start: int
    end: int
    level: int


class SectionChunker(PackedChunker):
    """Base of the chunkers that cut where sections begin.

    A heading stays with what follows it, a heading without text below it with the next one.
    """

    size: PositiveInt | None = None
    """Length of a chunk at most, within a section; by default a section is one chunk."""
    unit: Literal["characters", "words", "tokens"] = "characters"
    """What `size` and `overlap` count."""
    level: Annotated[int, Field(ge=1, le=6)] = 6
    """The lowest headings that begin a section: with 2, sections of level 3 stay in theirs."""

    @abstractmethod
    def headings(self, text: str) -> Sequence[Heading]:
        """The headings of a text, of all levels, in order."""

    @abstractmethod
    def levels(self, layout: Layout, words: Level) -> list[Level]:
        """Where sections that are too long are cut, before it comes to the inside of words.

        Args:
            layout: of the text.
            words: where words begin.
        """

    @abstractmethod
    def visible(self, part: str) -> bool:
        """Whether a reader sees anything of a part of the text."""

    def spans(self, text: str) -> Spans:
        layout = Layout(text)
        begins = self._section_begins(text)
        pieces = layout.pieces(begins)
        section = np.searchsorted(begins, pieces.start, "right").astype(np.int64)
        pieces = pieces._replace(group=section)
        ruler, finest = self.ruler(layout)
        if self.size is not None:
            levels = [*self.levels(layout, finest[0]), *finest]
            pieces = fitted(layout, pieces, levels, ruler, self.size)
        return packed(layout, pieces, ruler, self.size, self.overlap)

    def _section_begins(self, text: str) -> Places:
        begins: list[int] = []
        shown = 0  # where what a reader has not seen a text of begins
        for heading in self.headings(text):
            if heading.level > self.level:
                continue
            if self.visible(text[shown : heading.start]):
                begins.append(heading.start)
            shown = heading.end
        return np.array(begins, dtype=np.int64)
