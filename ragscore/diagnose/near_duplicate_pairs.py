"""All pairs of texts that are nearly the same, among hundreds of thousands.

Two sets of shingles that share four fifths of their union share one of the rarest fifth of either
(the prefix filter: S. Chaudhuri and others, A primitive operator for similarity joins in data
cleaning, 2006). So only texts that share a rare shingle are compared.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, ranges
from ragscore.diagnose.text_words import MAX_TEXTS, SHINGLE_BITS, SHINGLE_MASK, TextWords

MAX_SHARING = 32
"""A text is compared with this many others that share a rare shingle with it, for each of them."""
MAX_PAIRS = 200_000
"""So many pairs are compared: those that share the most rare shingles."""
_SLOTS, _LOW, _ROW = 1 << 22, np.uint64(32), np.uint64(24)
_AT_ONCE = 20_000


def near_duplicate_pairs(texts: TextWords, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pairs of texts that :func:`~ragscore.diagnose.near_duplicates.nearly_same` finds alike.

    Args:
        texts: the words of all texts; of those from 2**24 on none is found.
        rows: the texts to compare, ascending: one of those that are equal.

    Returns:
        int64[m, 2], the lower row first, ascending.
    """
    keys = texts.shingles
    row_of = (keys >> np.uint64(SHINGLE_BITS)).astype(np.int64)
    sizes = np.bincount(row_of, minlength=len(texts))
    wanted = np.zeros(len(texts), dtype=bool)
    wanted[rows] = True
    candidates = _candidates(keys[wanted[row_of]], sizes)
    found = [np.zeros((0, 2), dtype=np.int64)]
    starts = bounds_of(sizes)
    for first in range(0, len(candidates), _AT_ONCE):
        pairs = candidates[first : first + _AT_ONCE]
        common = _common(keys, starts, sizes, pairs)
        union = sizes[pairs].sum(axis=1) - common
        found.append(pairs[5 * common >= 4 * union])
    all_pairs = np.concatenate(found)
    return all_pairs[np.lexsort((all_pairs[:, 1], all_pairs[:, 0]))]


def _candidates(keys: NDArray[np.uint64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pairs that share a rare shingle, those that share the most first: int64[m, 2]."""
    shingle, row = keys & SHINGLE_MASK, keys >> np.uint64(SHINGLE_BITS)
    slots = (shingle & np.uint64(_SLOTS - 1)).astype(np.int64)
    often = np.minimum(np.bincount(slots, minlength=_SLOTS), 255).astype(np.uint64)[slots]
    low = shingle & np.uint64(0xFFFFFFFF)
    rarest = np.sort((row << np.uint64(40)) | (often << _LOW) | low)
    row_of = (rarest >> np.uint64(40)).astype(np.int64)
    bounds = bounds_of(np.bincount(row_of, minlength=len(sizes)))
    place = np.arange(len(rarest)) - bounds[row_of]
    # With s shingles, all but the last ceil(4s/5) - 1 may be the first that two texts share.
    rare = rarest[place < sizes[row_of] - (4 * sizes[row_of] + 4) // 5 + 1]
    kept = np.sort(((rare & np.uint64(0xFFFFFFFF)) << _ROW) | (rare >> np.uint64(40)))
    shared, sharing = kept >> _ROW, (kept & np.uint64((1 << 24) - 1)).astype(np.int64)
    pairs = [np.zeros(0, dtype=np.int64)]
    for step in range(1, MAX_SHARING + 1):
        at = np.flatnonzero(shared[step:] == shared[:-step])
        if not len(at):
            break
        low_row, high_row = sharing[at], sharing[at + step]
        small = np.minimum(sizes[low_row], sizes[high_row])
        like = 5 * small >= 4 * np.maximum(sizes[low_row], sizes[high_row])
        pairs.append((low_row[like] << 24) | high_row[like])
    different, times = np.unique(np.concatenate(pairs), return_counts=True)
    first = np.argsort(-times, kind="stable")[:MAX_PAIRS]
    return np.stack([different[first] >> 24, different[first] & ((1 << 24) - 1)], axis=1)


def _common(
    keys: NDArray[np.uint64],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    pairs: NDArray[np.int64],
) -> NDArray[np.int64]:
    """How many shingles the texts of each pair share: int64[m]."""
    lengths = sizes[pairs[:, 0]]
    shingle = keys[ranges(starts[pairs[:, 0]], lengths)] & SHINGLE_MASK
    return shared_counts(keys, shingle, np.repeat(pairs[:, 1], lengths), bounds_of(lengths))


def shared_counts(
    keys: NDArray[np.uint64],
    shingles: NDArray[np.uint64],
    rows: NDArray[np.int64],
    bounds: NDArray[np.int64],
) -> NDArray[np.int64]:
    """How many of some shingles stand in a text.

    Args:
        keys: of texts, ascending.
        shingles: uint64[n], without their text.
        rows: int64[n], the text to look for each in.
        bounds: int64[m + 1], where the shingles begin that are counted together.
    """
    sought = (rows.astype(np.uint64) << np.uint64(SHINGLE_BITS)) | shingles
    at = np.minimum(np.searchsorted(keys, sought), max(len(keys) - 1, 0))
    there = keys[at] == sought if len(keys) else np.zeros(len(sought), dtype=bool)
    there &= rows < MAX_TEXTS  # else the number of another text would stand in the upper bits
    return np.diff(bounds_of(there.astype(np.int64))[bounds])
