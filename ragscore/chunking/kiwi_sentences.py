"""Sentences of Korean as kiwi finds them."""

from __future__ import annotations

import numpy as np

from ragscore.chunking.text_layout import Places
from ragscore.encoders.open_model import encodable
from ragscore.text.korean import kiwi


def kiwi_sentence_begins(text: str) -> Places:
    """Where sentences begin: int64[n]. Lines are split alone, since kiwi takes far longer than
    twice as long for twice the text."""
    split = kiwi().split_into_sents
    begins: list[int] = []
    at = 0
    for line in encodable(text).splitlines(keepends=True):
        if not line.isspace():
            begins += [at + sentence.start for sentence in split(line)]
        at += len(line)
    return np.array(begins, dtype=np.int64)
