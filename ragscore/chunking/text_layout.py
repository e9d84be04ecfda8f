"""Layout: a text as chunkers see it, its clusters, white space and words as arrays of places."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.chunking.graphemes import Codes, Flags, cluster_begins
from ragscore.code_points import codes_of, white_space
from ragscore.encoders.named_tokenizers import open_tokenizer

Places = NDArray[np.int64]
"""Offsets into a text, in code points."""
Spans = NDArray[np.int64]
"""int64[m, 2] of [start, end)."""

NO_PLACES: Places = np.zeros(0, dtype=np.int64)


class Pieces(NamedTuple):
    """Parts of a text, in order and apart from each other.

    Attributes:
        start, end: int64[n], where each begins and ends.
        group: int64[n], ascending: a chunk has pieces of one group alone.
    """

    start: Places
    end: Places
    group: Places


class Layout:
    """What chunkers ask of a text, each computed when it is first asked.

    A grapheme is white space only if all its characters are; a space with a combining mark is not.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def _codes(self) -> Codes:
        return codes_of(self.text)

    @cached_property
    def begins(self) -> Flags | None:
        """Where grapheme clusters begin: bool[n + 1]; None if each character is one."""
        return cluster_begins(self.text, self._codes)

    @cached_property
    def _breaks(self) -> Places | None:
        return None if self.begins is None else np.flatnonzero(self.begins)

    @cached_property
    def _solid(self) -> Flags:
        """Characters of clusters that are no white space: bool[n]."""
        solid = ~white_space(self._codes)
        if self._breaks is None or not len(solid):
            return solid
        starts = self._breaks[:-1]
        whole: Flags = np.logical_or.reduceat(solid, starts)
        return np.repeat(whole, np.diff(self._breaks))

    @cached_property
    def _next_solid(self) -> Places:
        """Where the characters are that are no white space."""
        return np.flatnonzero(self._solid)

    @cached_property
    def words(self) -> tuple[Places, Places]:
        """Where white-space words begin, and where they end."""
        edges = np.diff(self._solid.astype(np.int8), prepend=0, append=0)
        return np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)

    def tokens(self, tokenizer: str) -> tuple[Places, Places]:
        """Where the tokens of a named tokenizer begin, and where they end."""
        spans = open_tokenizer(tokenizer).spans(self.text)
        return np.maximum.accumulate(spans[:, 0]), np.maximum.accumulate(spans[:, 1])

    def floor(self, places: Places) -> Places:
        """For each place the last one not behind it where a cluster begins."""
        if self._breaks is None:
            return places
        return self._breaks[np.searchsorted(self._breaks, places, "right") - 1]

    def ceiling(self, places: Places) -> Places:
        """For each place the first one not before it where a cluster begins."""
        if self._breaks is None:
            return places
        return self._breaks[np.searchsorted(self._breaks, places, "left")]

    def breaks_inside(self, start: Places, end: Places) -> Places:
        """Where clusters begin inside some spans."""
        places = ranges(start, end - start)
        kept: Places = places if self.begins is None else places[self.begins[places]]
        return kept

    def trimmed(self, start: Places, end: Places) -> tuple[Places, Places]:
        """Spans without the white space at their ends; where there is nothing else, the end is not
        behind the start."""
        solid = self._next_solid
        if not len(solid):
            return start, start
        first = np.searchsorted(solid, start)
        last = np.searchsorted(solid, end) - 1
        nothing = first > last
        starts = solid[np.minimum(first, len(solid) - 1)]
        ends = solid[np.maximum(last, 0)] + 1
        return np.where(nothing, start, starts), np.where(nothing, start, ends)

    def chunks(self, start: Places, end: Places) -> Spans:
        """Spans, ascending, without the white space at their ends, and without those of which
        another then holds all."""
        start, end = self.trimmed(start, end)
        reached = np.maximum.accumulate(np.append(0, end))
        new = (end > start) & (end > reached[:-1])
        start, end = start[new], end[new]
        last = np.append(start[1:] > start[:-1], True)[: len(start)]
        spans: Spans = np.stack([start, end], axis=1)[last]
        return spans

    def pieces(self, cuts: Places, *, trim: bool = True) -> Pieces:
        """The pieces between some places, all of one group.

        Args:
            cuts: where pieces begin, in any order; inside a cluster, before it.
            trim: whether the white space at their ends is left out, and what is nothing else.
        """
        bounds = np.unique(np.concatenate([[0], self.floor(cuts), [len(self)]])).astype(np.int64)
        start, end = bounds[:-1], bounds[1:]
        return self.whole(start, end, np.zeros(len(start), dtype=np.int64), trim=trim)

    def whole(self, start: Places, end: Places, group: Places, *, trim: bool) -> Pieces:
        """Pieces of some spans, trimmed where that is wanted; those of white space are left out."""
        if not trim:
            return Pieces(start, end, group)
        start, end = self.trimmed(start, end)
        there = end > start
        return Pieces(start[there], end[there], group[there])
