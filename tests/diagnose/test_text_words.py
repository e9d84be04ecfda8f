"""Words of texts as numbers: rows that do not fit into a key are no other text's."""

from __future__ import annotations

import numpy as np
import pytest

from ragscore.diagnose import text_words
from ragscore.diagnose.near_duplicate_pairs import near_duplicate_pairs, shared_counts
from ragscore.diagnose.text_words import MAX_TEXTS, SHINGLE_BITS, TextWords, new_vocabulary


def test_the_text_behind_the_last_that_fits_is_not_the_first() -> None:
    """Its number, shifted into the upper bits of a key, would be that of text 0."""
    assert MAX_TEXTS << SHINGLE_BITS == 1 << 64
    keys, shingles = np.array([7], np.uint64), np.array([7, 7, 7], np.uint64)
    rows = np.array([0, MAX_TEXTS - 1, MAX_TEXTS])
    assert shared_counts(keys, shingles, rows, np.arange(4)).tolist() == [1, 0, 0]


def test_texts_that_do_not_fit_have_no_shingles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_words, "MAX_TEXTS", 3)
    texts = TextWords.of(["rent is due on the first"] * 5, new_vocabulary())
    assert near_duplicate_pairs(texts, np.arange(5)).tolist() == [[0, 1], [0, 2], [1, 2]]
