"""Texts in a buffer of bytes looked at eight bytes at a time: no Python object for any of them.

A buffer begins and ends with :data:`PADDING` bytes that belong to no text, so that a word may
reach over the edge of what was read.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
MachineWords = NDArray[np.uint64]
"""Eight bytes per word, the first in the lowest place."""
Places = NDArray[np.int64]

WORD = 8
PADDING = 16

_FIRST = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], dtype=np.uint64)
_LAST = ~_FIRST[::-1]


def padded(data: bytes) -> bytearray:
    """The data between :data:`PADDING` bytes of nothing."""
    buffer = bytearray(len(data) + 2 * PADDING)
    buffer[PADDING:-PADDING] = data
    return buffer


def unpadded(buffer: bytearray) -> bytes:
    """The data of :func:`padded`."""
    return bytes(memoryview(buffer)[PADDING:-PADDING])


def words_at(buffer: Bytes, places: Places) -> MachineWords:
    """The words that begin at some places: uint64[n]."""
    # A word may begin anywhere, so the view's stride is one byte.
    everywhere = np.ndarray((len(buffer) - WORD + 1,), "<u8", buffer, strides=(1,))
    words: MachineWords = everywhere[places]
    return words


def first_bytes(words: MachineWords, counts: Places) -> MachineWords:
    """The words with zeros for all but their first bytes; a count may be below 0 or above 8."""
    return words & _FIRST.take(counts, mode="clip")


def last_bytes(words: MachineWords, counts: Places) -> MachineWords:
    """The words with zeros for all but their last bytes; a count may be below 0 or above 8."""
    return words & _LAST.take(counts, mode="clip")


def word_of_texts(buffer: Bytes, starts: Places, lengths: Places, number: int) -> MachineWords:
    """The ``number``-th word of each text, with zeros behind the text: uint64[n]."""
    if not number:
        return first_bytes(words_at(buffer, starts), lengths)
    before = np.minimum(lengths, number * WORD)
    return first_bytes(words_at(buffer, starts + before), lengths - before)
