"""Pieces to chunks: long pieces are cut finer, and then neighbours are put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from ragscore.chunking.text_layout import Layout, Pieces, Places, Spans

Level = Callable[[Places, Places], Places]
"""Where pieces could be cut: the starts and ends of those that are too long, to places in any
order, of which only those inside these pieces count."""


class Ruler:
    """How long parts of a text are: in its characters, or in words or tokens that stand in it.

    A word or token that a part holds only in part counts whole.

    Args:
        atoms: where the words or tokens begin, and where they end; None counts characters.
    """

    def __init__(self, atoms: tuple[Places, Places] | None = None) -> None:
        self._atoms = atoms

    def before(self, start: Places) -> Places:
        """How many are over where a part begins."""
        if self._atoms is None:
            return start
        return np.searchsorted(self._atoms[1], start, "right").astype(np.int64)

    def up_to(self, end: Places) -> Places:
        """How many have begun where a part ends."""
        if self._atoms is None:
            return end
        return np.searchsorted(self._atoms[0], end, "left").astype(np.int64)

    def lengths(self, pieces: Pieces) -> Places:
        """How long each piece is."""
        return self.up_to(pieces.end) - self.before(pieces.start)


def fitted(
    layout: Layout,
    pieces: Pieces,
    levels: Iterable[Level],
    ruler: Ruler,
    size: int,
    *,
    trim: bool = True,
    apart: bool = True,
) -> Pieces:
    """The pieces, those longer than a size cut at the first level that cuts them, and what is still
    too long at the next.

    Args:
        layout: of the text.
        pieces: parts of it.
        levels: where pieces could be cut, the coarsest first.
        ruler: how long pieces are.
        size: what is longer is cut.
        trim: whether pieces lose the white space at their ends.
        apart: whether the parts of a piece are packed without its neighbours.
    """
    for level in levels:
        long = ruler.lengths(pieces) > size
        if not long.any():
            break
        cuts = layout.floor(np.unique(level(pieces.start[long], pieces.end[long])))
        owner = np.searchsorted(pieces.start, cuts, "right") - 1
        kept = (owner >= 0) & (cuts > pieces.start[owner]) & (cuts < pieces.end[owner])
        kept &= long[owner]
        kept[1:] &= cuts[1:] > cuts[:-1]
        cuts, owner = cuts[kept], owner[kept]
        if not len(cuts):
            continue
        start = np.concatenate([pieces.start, cuts])
        order = np.argsort(start, kind="stable")
        start = start[order]
        owner = np.concatenate([np.arange(len(pieces.start)), owner])[order]
        last = np.append(owner[1:] != owner[:-1], True)
        end = np.where(last, pieces.end[owner], np.append(start[1:], 0))
        group = pieces.group[owner]
        if apart:
            split = np.bincount(owner, minlength=len(pieces.start)) > 1
            own = split[owner]
            new = np.zeros(len(owner), dtype=bool)
            new[1:] = (owner[1:] != owner[:-1]) & (own[1:] | own[:-1])
            new[1:] |= group[1:] != group[:-1]
            group = np.cumsum(new).astype(np.int64)
        pieces = layout.whole(start, end, group, trim=trim)
    return pieces


def packed(layout: Layout, pieces: Pieces, ruler: Ruler, size: int | None, overlap: int) -> Spans:
    """Chunks of as many neighbouring pieces of a group as a size has room for.

    The next chunk begins with the pieces at the end of this one that the overlap has room for, as
    far as the piece behind them fits in too. A piece longer than the size is a chunk.

    Args:
        layout: of the text.
        pieces: parts of it.
        ruler: how long they are.
        size: length of a chunk at most; None has room for a whole group.
        overlap: length that a chunk shares with the one before it at most.
    """
    count = len(pieces.start)
    before, up_to = ruler.before(pieces.start), ruler.up_to(pieces.end)
    last_of_group = np.searchsorted(pieces.group, pieces.group, "right") - 1
    firsts: list[int] = []
    lasts: list[int] = []
    first = 0
    while first < count:
        last = int(last_of_group[first])
        if size is not None:
            fits = int(up_to.searchsorted(before[first] + size, "right")) - 1
            last = min(last, max(fits, first))
        firsts.append(first)
        lasts.append(last)
        following = last + 1
        if overlap and size is not None and last < last_of_group[first]:
            shared = int(before.searchsorted(up_to[last] - overlap))
            room = int(before.searchsorted(up_to[following] - size))
            following = min(max(shared, room, first + 1), following)
        first = following
    return layout.chunks(pieces.start[firsts], pieces.end[lasts])
