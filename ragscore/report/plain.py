"""Text without what a chart, a plain file or a terminal cannot show or be trusted with."""

from __future__ import annotations

import re

_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
    "\ufffe\uffff]"
)
"""Control characters, half surrogates, and what turns the direction of all that follows."""


def plain(text: str) -> str:
    r"""The text with every character that is not for showing as U+FFFD; its line ends stay.

    >>> plain("a\x1b[31m b\n\u202e c")
    'a\ufffd[31m b\n\ufffd c'
    """
    return _UNPRINTABLE.sub("\ufffd", text)


def one_line(text: str) -> str:
    """The same on one line, with single spaces."""
    return plain(" ".join(text.split()))
