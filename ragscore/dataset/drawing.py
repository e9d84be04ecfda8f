"""drawn(): which ids a sample holds, by a rule that looks at nothing but id and seed.

Each id has a number that looks random, and the ids with the smallest numbers are drawn. So it does
not matter in which order they stand or over which files they are spread, a larger sample holds
every smaller one of the same seed, and each id is drawn with the same probability.

Source: bottom-k sampling (E. Cohen & H. Kaplan, "Summarizing data using bottom-k sketches", PODC
2007); the number is the finalizer of SplitMix64 (G. L. Steele, D. Lea & C. H. Flood, "Fast
splittable pseudorandom number generators", OOPSLA 2014) over the bytes of the id.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.byte_ids import ByteIds
from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.byte_words import WORD, MachineWords, word_of_texts

BLOCK = 1 << 16
"""Ids looked at together."""
INCREMENT = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def drawn(ids: Iterable[str], count: int, seed: int = 0) -> NDArray[np.int64]:
    """The rows of the ids that a sample holds, ascending: int64[min(count, n)].

    >>> ids = [f"p{number}" for number in range(1000)]
    >>> few, more = drawn(ids, 3), drawn(ids, 30)
    >>> len(few), set(few.tolist()) <= set(more.tolist())
    (3, True)

    Args:
        ids: different ones, in row order.
        count: how many are drawn; all where there are no more.
        seed: another one draws others.
    """
    texts = ids.packed if isinstance(ids, ByteIds) else ByteTexts.of(ids)
    if count >= len(texts):
        return np.arange(len(texts))
    numbers = draw_numbers(texts, seed)
    last = np.partition(numbers, count - 1)[count - 1]
    taken = np.flatnonzero(numbers < last)
    level = np.flatnonzero(numbers == last)
    # Two ids with one number have never been seen; the order of the texts decides then.
    level = np.array(sorted(level.tolist(), key=texts.__getitem__), dtype=np.int64)
    return np.sort(np.append(taken, level[: count - len(taken)]))


def draw_numbers(texts: ByteTexts, seed: int) -> MachineWords:
    """The number of each id, which depends on its bytes and the seed alone: uint64[n]."""
    start = _mixed(np.array([seed % (1 << 64)], dtype=np.uint64) + INCREMENT)
    numbers = np.empty(len(texts), dtype=np.uint64)
    for first in range(0, len(texts), BLOCK):
        block = slice(first, first + BLOCK)
        starts, lengths = texts.starts[block], texts.lengths[block]
        # The length tells a text from the same one with NUL characters behind it.
        found = _mixed(start ^ lengths.astype(np.uint64))
        for word in range(-(-int(lengths.max(initial=0)) // WORD)):
            own = np.flatnonzero(lengths > word * WORD)
            bytes_of = word_of_texts(texts.buffer, starts[own], lengths[own], word)
            found[own] = _mixed((found[own] ^ bytes_of) + INCREMENT)
        numbers[block] = found
    return numbers


def _mixed(numbers: MachineWords) -> MachineWords:
    """Numbers in which each bit depends on all of the number that was given."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * FIRST
    numbers = (numbers ^ (numbers >> np.uint64(27))) * SECOND
    return numbers ^ (numbers >> np.uint64(31))
