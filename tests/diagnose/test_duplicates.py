"""Texts that are nearly the same: those of the definition, in a corpus of any size."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ragscore.diagnose import nearly_same, shingles
from ragscore.diagnose.duplicates import (
    TextWords,
    near_duplicate_pairs,
    new_vocabulary,
    row_bits,
)


@pytest.mark.parametrize("bits", [row_bits(0), row_bits(100_000_000), 31])
def test_near_duplicate_pairs_are_those_of_the_definition(bits: int) -> None:
    """Whatever number of texts the keys have room for."""
    draw = random.Random(3)
    texts = ["", "one", "one two", "Two one", "a" * 40, "가나다라마바사아자차카타파하거너더러" * 2]
    for _ in range(150):
        words = [f"w{draw.randrange(900)}" for _ in range(draw.randrange(40))]
        texts.append(" ".join(words))
        for _ in range(draw.randrange(3)):
            changed = list(words)
            for _ in range(draw.randrange(3) if words else 0):
                changed[draw.randrange(len(words))] = f"é{draw.randrange(9)}"
            texts.append(", ".join(changed))
    sets = [shingles(text) for text in texts]
    slow = [
        [first, second]
        for first in range(len(texts))
        for second in range(first + 1, len(texts))
        if nearly_same(sets[first], sets[second])
    ]
    words = TextWords.of(texts, new_vocabulary(), row_bits=bits)
    assert len(slow) > 50
    assert near_duplicate_pairs(words, np.arange(len(texts))).tolist() == slow


def test_no_text_of_a_large_corpus_is_taken_for_another() -> None:
    """The last row that fits has a key of its own: shifted by 40 bits, row 2**24 would be row 0."""
    bits = row_bits(2**24 + 1)
    none = np.zeros(0, dtype=np.int64)
    texts = TextWords(none, np.zeros(1, dtype=np.int64), bits)
    rows = np.array([0, 2**24 - 1, 2**24, 2**bits - 1])
    keys = texts.keys(rows, np.full(4, 7, np.uint64))
    assert texts.rows(keys).tolist() == rows.tolist()
    assert texts.without_rows(keys).tolist() == [7] * 4
