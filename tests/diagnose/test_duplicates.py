"""Texts that are nearly the same: those of the definition, in a corpus of any size."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.arrays import bounds_of
from ragscore.diagnose import nearly_same
from ragscore.diagnose.duplicates import TextWords, near_duplicate_pairs, new_vocabulary
from tests.factories.thorough import examples


def alike(one: str, two: str) -> bool:
    """The definition, in plain Python."""

    def shingles(text: str) -> set[object]:
        words = re.findall(r"\b\w{1,16}\b|\w", text.lower())
        return set(zip(words, words[1:], words[2:], strict=False)) if len(words) > 2 else set(words)

    a, b = shingles(one), shingles(two)
    return bool(a | b) and len(a & b) / len(a | b) >= 0.8


def test_near_duplicate_pairs_are_those_of_the_definition() -> None:
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
    slow = [
        [first, second]
        for first in range(len(texts))
        for second in range(first + 1, len(texts))
        if alike(texts[first], texts[second])
    ]
    words = TextWords.of(texts, new_vocabulary())
    assert len(slow) > 50
    assert near_duplicate_pairs(words, np.arange(len(texts))).tolist() == slow


@settings(max_examples=examples(300), deadline=None)
@given(seed=st.integers(0, 10**6))
def test_pairs_are_nearly_the_same_by_the_definition(seed: int) -> None:
    """Texts cut and repeated so that their similarity lies around 0.8."""
    chance = random.Random(seed)
    body = [f"w{number}" for number in range(chance.randint(3, 60))]
    refrain = [f"r{number}" for number in range(chance.randint(1, 5))]

    def variant() -> str:
        start, less = chance.randint(0, len(body) // 8), chance.randint(0, len(body) // 6)
        words = body[start : len(body) - less] + refrain * chance.choice([0, 0, 1, 6])
        if chance.random() < 0.3:
            words[chance.randrange(len(words))] = "other"
        return " ".join(words)

    texts = [variant() for _ in range(8)]
    pairs = np.array([(one, two) for one in range(8) for two in range(8) if one != two])
    same = [alike(texts[one], texts[two]) for one, two in pairs.tolist()]
    assert nearly_same(texts, pairs).tolist() == same


@pytest.mark.slow
def test_no_text_of_a_large_corpus_is_taken_for_another() -> None:
    """With 24 bits for a row, the text 2**24 would be the text 0."""
    lengths = np.zeros(2**24 + 2, dtype=np.int64)
    lengths[[0, 2**24, 2**24 + 1]] = 5
    words = np.array([*range(1, 6), *range(11, 16), *range(11, 16)])
    texts = TextWords(words, bounds_of(lengths))
    pairs = near_duplicate_pairs(texts, np.arange(len(texts)))
    assert pairs.tolist() == [[2**24, 2**24 + 1]]
