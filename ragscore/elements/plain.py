"""Text as a terminal, a chart or a plain file may have it: cleaned, measured, folded."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

from ragscore.messages import Text

_JOINING = "\u0590-\u061b\u061d-\u109f\u1780-\u18af\u2190-\u2bff\ufb1d-\ufefc\U0001f000-\U0001faff"
INVISIBLE = (
    "[\xad\u115f\u1160\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
    f"|(?<![{_JOINING}])[\u061c\u200c-\u200f](?![{_JOINING}])"
)
"""What has no width, as a regular expression: two names may differ in nothing else. Joiners and
marks of direction stay in scripts, and among emoji, that are written with them."""
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff"
    f"\ufffe\uffff]|{INVISIBLE}"
)
"""Control characters, half surrogates, what turns the direction of all that follows, and what
cannot be seen."""


def plain(text: str) -> str:
    r"""The text with every character that is not for showing as U+FFFD; its line ends stay.

    >>> plain("a\x1b[31m b\n\u202e c"), plain("bm\u200b25")
    ('a\ufffd[31m b\n\ufffd c', 'bm\ufffd25')
    """
    if text.isascii() and text.isprintable():  # nearly all are, and the expression is slow
        return text
    return _UNPRINTABLE.sub("\ufffd", text)


_UNSEEN = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff"
)
_COMMAND = re.compile(
    rf"^(?:[^\S\n]|[{_UNSEEN}])*(?=:[{_UNSEEN}]*:)|#(?=[{_UNSEEN}]*#[\w{_UNSEEN}]*\[)",
    re.MULTILINE,
)
"""What stands before the rest of a build server's command. A server may compare texts without what
has no width."""


def for_log(text: str, escape: str = "\\") -> str:
    r"""The text as the log of a build server may have it: a backslash in each command of GitHub,
    Azure or TeamCity, which are lines that begin with ``::``, and ``##NAME[`` anywhere.

    >>> print(for_log("::error::no\nA ##[group]"))
    \::error::no
    A #\#[group]

    Args:
        text: its lines.
        escape: what is written in place of the backslash.
    """
    return _COMMAND.sub(lambda found: found[0] + escape, text)


def one_line(text: Text) -> str:
    """The same on one line, with single spaces."""
    return plain(" ".join(str(text).split()))


def text_width(text: str) -> int:
    """Cells of a terminal that a text takes: two for a wide character such as a Hangul one.

    >>> text_width("k 값")
    4
    """
    if text.isascii():
        return len(text)
    return sum(map(letter_width, text))


def letter_width(letter: str) -> int:
    """Cells of a terminal that a character takes."""
    if unicodedata.combining(letter) or unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def beginning(text: str, room: float, width: Callable[[str], float] = letter_width) -> str:
    """As much of a text's beginning as there is room for; ``width``: of one character, by default
    in cells of a terminal.

    >>> beginning("k 값을", 4)
    'k 값'
    """
    for at, letter in enumerate(text):
        room -= width(letter)
        if room < 0:
            return text[:at]
    return text


def beginning_of(text: str, width: int) -> str:
    r"""The beginning of a text on one line, as far as this many cells have room for it.

    >>> beginning_of("Rent is due\non the first.", 12)
    'Rent is due …'
    """
    line = one_line(text[: 4 * width])
    shown = beginning(line, width)
    return line if shown == line else f"{shown.rstrip()} …"


def folded(text: str, width: int) -> list[str]:
    """The lines of a text that take no more than ``width`` cells each; a longer word is cut.

    >>> folded("which k reaches which recall", 12)
    ['which k', 'reaches', 'which recall']
    """
    if text_width(text) <= width:
        return [text]
    lines, line, taken = [], "", 0
    for word in _words(text, width):
        wide = text_width(word)
        if line and taken + 1 + wide > width:
            lines.append(line)
            line, taken = "", 0
        line = f"{line} {word}" if line else word
        taken += wide + (taken > 0)
    return [*lines, line]


def _words(text: str, width: int) -> Iterator[str]:
    """The words, in pieces of ``width`` where they are longer."""
    for word in text.split(" "):
        piece, taken = "", 0
        for letter in word if text_width(word) > width else ():
            wide = letter_width(letter)
            if piece and taken + wide > width:
                yield piece
                piece, taken = "", 0
            piece += letter
            taken += wide
        yield piece or word
