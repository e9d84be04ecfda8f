"""Which characters of some texts stand in others: the pieces that old and new passages share.

Every 12 characters of the old texts are hashed; those of the new texts are looked up in blocks, so
that memory is bounded by the old ones, and time is linear in both. What follows one another at the
same distance is one piece, made as long as it can be. Two texts share short pieces by chance, such
as "of the": a piece counts where it is long, or where both of its ends are ends of a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.code_points import codes_of
from ragscore.dataset.quotes import occurrences

GRAM = 12
"""Characters that are hashed together; shorter texts are looked for whole, as words."""
LONG = 32
"""A piece of this many characters is not there by chance."""
NEAR = 64
"""Characters by which an edit may move what follows."""
MAX_REPEATS = 256
"""What occurs more often in the old texts begins no piece, but may be inside of one."""
SPACED = "\u0e00"
"""Scripts below it (Latin, Greek, Cyrillic, Hebrew, Arabic, those of India) have white space
between words."""
BLOCK_CHARACTERS = 1 << 20
_OLD_END, _NEW_END = 0x110000, 0x110001
"""Beyond Unicode: what stands behind each text equals nothing."""
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class SharedPieces:
    """Pieces that old and new texts share, ordered by old text, new text and place.

    Attributes:
        old, new: int64[n], numbers of the texts.
        old_start, new_start: int64[n], where the piece begins in each.
        length: int64[n], its characters.
    """

    old: NDArray[np.int64]
    new: NDArray[np.int64]
    old_start: NDArray[np.int64]
    new_start: NDArray[np.int64]
    length: NDArray[np.int64]

    def of(self, old: int) -> range:
        """The rows of the pieces of one old text."""
        first, last = np.searchsorted(self.old, [old, old + 1])
        return range(int(first), int(last))


def shared_pieces(old: Sequence[str], new: Iterable[str]) -> SharedPieces:
    """The pieces that texts share; both are in normal form."""
    index = _Index(old)
    found = [index.pieces(block, first) for first, block in _blocks(new)]
    nothing = np.zeros(0, dtype=np.int64)
    columns = [np.concatenate([nothing, *(part[column] for part in found)]) for column in range(5)]
    order = np.lexsort((columns[3], columns[1], columns[0]))
    return SharedPieces(*(column[order] for column in columns))


def _blocks(texts: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    block: list[str] = []
    first = number = held = 0
    for number, text in enumerate(texts, 1):
        block.append(text)
        held += len(text)
        if held >= BLOCK_CHARACTERS:
            yield first, block
            block, first, held = [], number, 0
    if block:
        yield first, block


class _Index:
    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.codes, self.starts = _joined(texts, _OLD_END)
        hashes = _hashes(self.codes)
        self.places = np.argsort(hashes, kind="stable")
        self.hashes = hashes[self.places]
        self.short = [(number, text) for number, text in enumerate(texts) if 0 < len(text) < GRAM]

    def pieces(self, block: list[str], first: int) -> tuple[NDArray[np.int64], ...]:
        """The pieces that a block of new texts shares, the first of which has this number."""
        codes, starts = _joined(block, _NEW_END)
        at_old, at_new, length = self._runs(codes)
        old = np.searchsorted(self.starts, at_old, side="right") - 1
        new = np.searchsorted(starts, at_new, side="right") - 1
        old_start, new_start = at_old - self.starts[old], at_new - starts[new]
        old_size = np.array([*map(len, self.texts)], dtype=np.int64)[old]
        new_size = np.array([*map(len, block)], dtype=np.int64)[new]
        bounded = ((old_start == 0) | (new_start == 0)) & (
            (old_start + length == old_size) | (new_start + length == new_size)
        )
        kept = bounded | (length >= LONG)
        kept |= _beside(kept, old * (len(block) + 1) + new, new_start - old_start)
        columns = [column[kept] for column in (old, new + first, old_start, new_start, length)]
        short = [
            (number, at + first, 0, place, len(text))
            for at, other in enumerate(block)
            for number, text in self.short
            for place in occurrences(other, text)
            if not (_inside_word(other, place) or _inside_word(other, place + len(text)))
        ]
        added = np.array(short, dtype=np.int64).reshape(-1, 5).T
        return tuple(
            np.concatenate([column, more]) for column, more in zip(columns, added, strict=True)
        )

    def _runs(
        self, codes: NDArray[np.uint32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Where pieces begin in the old and the new texts, and how long they are."""
        hashes = _hashes(codes)
        by_hash = np.argsort(hashes)  # sorted ones are looked up ten times as fast
        hashes = hashes[by_hash]
        first = np.searchsorted(self.hashes, hashes, side="left")
        counts = np.searchsorted(self.hashes, hashes, side="right") - first
        counts[counts > MAX_REPEATS] = 0
        at_new = np.repeat(by_hash, counts)
        at_old = self.places[ranges(first, counts)]
        order = np.lexsort((at_new, at_new - at_old))
        at_new, at_old = at_new[order], at_old[order]
        begins = np.ones(len(order), dtype=bool)
        begins[1:] = (np.diff(at_new) != 1) | (np.diff(at_old) != 1)
        starts = np.flatnonzero(begins)
        length = np.diff(np.append(starts, len(order))) + GRAM - 1
        old, new = at_old[starts].astype(np.int64), at_new[starts].astype(np.int64)
        # What occurs too often to begin a piece may go on in front of one and behind it.
        more = np.ones(len(old), dtype=bool)
        while more.any():
            more = (old > 0) & (new > 0) & more
            more[more] = self.codes[old[more] - 1] == codes[new[more] - 1]
            old, new, length = old - more, new - more, length + more
        more = np.ones(len(old), dtype=bool)
        while more.any():
            more = (old + length < len(self.codes)) & (new + length < len(codes)) & more
            more[more] = self.codes[old[more] + length[more]] == codes[new[more] + length[more]]
            length = length + more
        pieces = np.unique(np.stack([old, new, length], axis=1), axis=0)
        return pieces[:, 0], pieces[:, 1], pieces[:, 2]


def _beside(
    kept: NDArray[np.bool_], pair: NDArray[np.int64], shift: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which pieces stand beside one that is kept, in the same texts and at nearly the same
    distance, as those around an edited word do: bool[n]."""
    near = np.floor_divide(shift, NEAR)
    span = int(near.max(initial=0) - near.min(initial=0)) + 3
    key = pair * span + (near - near.min(initial=0) + 1)
    return np.isin(key, np.concatenate([key[kept] + step for step in (-1, 0, 1)]))


def _joined(texts: Sequence[str], end: int) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The code points of texts one behind the other, each with an end, and where each begins."""
    behind = np.array([end], dtype=np.uint32)
    parts = [part for text in texts for part in (codes_of(text), behind)]
    lengths = np.fromiter((len(text) + 1 for text in texts), dtype=np.int64, count=len(texts))
    joined = np.concatenate([np.zeros(0, dtype=np.uint32), *parts])
    return joined, np.cumsum(lengths) - lengths


def _hashes(codes: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """A hash of the characters from each place on, :data:`GRAM` of them."""
    count = max(0, len(codes) - GRAM + 1)
    hashed = np.zeros(count, dtype=np.uint64)
    for step in range(GRAM):
        hashed = (hashed + codes[step : step + count]) * _FACTOR
        hashed ^= hashed >> np.uint64(29)
    return hashed


def _inside_word(text: str, at: int) -> bool:
    """Whether a word goes on across a place, in scripts that have white space between words and
    nothing behind them, as Korean has."""
    beside = text[max(at - 1, 0) : at + 1]
    return 0 < at < len(text) and beside.isalnum() and max(beside) < SPACED
