"""Which texts go into one request: a number of texts, and about a number of tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

TEXT_TOKENS = 2
"""Special tokens that most models put around a text."""
CHARACTERS = 4
"""Characters of ASCII that are about one token."""
OTHER_BYTES = 2
"""Bytes of UTF-8 beyond the first of each character that are about one token: a syllable of Hangul
or a Han character has two of them, an accented letter one."""


def estimated_tokens(texts: Sequence[str]) -> NDArray[np.int64]:
    """About how many tokens texts have, int64[n]: the service's tokenizer is not here.

    >>> estimated_tokens(["Rent is due on the first.", "월세는 매월 1일에 냅니다."]).tolist()
    [9, 14]
    """
    characters = np.array([len(text) for text in texts], dtype=np.int64)
    in_bytes = np.array([len(text.encode("utf-8", "replace")) for text in texts], dtype=np.int64)
    others = -(-(in_bytes - characters) // OTHER_BYTES)
    ascii_letters = np.maximum(characters - others, 0)
    tokens: NDArray[np.int64] = TEXT_TOKENS - (-ascii_letters // CHARACTERS) + others
    return tokens


def packed(tokens: NDArray[np.int64], most_texts: int, most_tokens: int) -> list[NDArray[np.intp]]:
    """The rows of the texts of each request, in their order.

    Args:
        tokens: int64[n], of each text.
        most_texts: that a request may have.
        most_tokens: that its texts may have together; a longer text goes alone.
    """
    requests: list[NDArray[np.intp]] = []
    first, size = 0, 0
    for row, count in enumerate(tokens.tolist()):
        if row > first and (row - first == most_texts or size + count > most_tokens):
            requests.append(np.arange(first, row))
            first, size = row, 0
        size += count
    if first < len(tokens):
        requests.append(np.arange(first, len(tokens)))
    return requests
