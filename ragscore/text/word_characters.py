r"""What a word is made of besides letters and digits: the marks that combine with them.

Vowel signs of Hindi, Nepali and Tamil are marks, which ``\w`` leaves out.
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from unicodedata import category

_BLOCKS = ((0x300, 0x1E00), (0x20D0, 0x2100), (0xA66F, 0xAC00), (0xFB1E, 0xFB1F), (0xFE20, 0xFE30))
"""Where the combining marks of living scripts are; kana have theirs elsewhere."""


@cache
def marks() -> str:
    """All of them, for a class of characters in a regular expression."""
    points = chain.from_iterable(range(*block) for block in _BLOCKS)
    return "".join(chr(point) for point in points if category(chr(point)) in ("Mn", "Mc"))
