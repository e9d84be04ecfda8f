"""Text that may be hostile, made safe to show: whatever a template prints goes through here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from markupsafe import Markup, escape

from ragscore.elements.plain import INVISIBLE
from ragscore.messages import Text

_CONTROLS = "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]"
_UNPRINTABLE = re.compile(f"{_CONTROLS}|{INVISIBLE}")
_UNQUOTABLE = re.compile(_CONTROLS)
_TURNING = frozenset({"R", "AL", "RLE", "RLO", "LRE", "LRO", "PDF", "RLI", "LRI", "FSI", "PDI"})
_MARKS = frozenset("\u200e\u200f\u061c")


def clean(text: Text) -> str:
    r"""The text with everything that a page cannot show as U+FFFD; tabs and line ends stay, and
    what turns the direction, which is kept inside an element.

    >>> clean("a\x00b\r\nc"), clean("bm\u200b25")
    ('a\ufffdb\nc', 'bm\ufffd25')
    """
    return _cleaned(str(text), _UNPRINTABLE)


def quoted(text: Text) -> Markup:
    """A text of the dataset as markup: only control characters are replaced in it."""
    return escape(_cleaned(str(text), _UNQUOTABLE))


def _cleaned(text: str, replaced: re.Pattern[str]) -> str:
    if text.isascii() and text.isprintable():  # as in plain()
        return text
    return replaced.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def finalize(value: object) -> object:
    """What jinja2 calls on everything that a template prints, before it escapes it."""
    if isinstance(value, Markup):
        return value
    return "" if value is None else clean(str(value))


def turns(text: str) -> bool:
    """Whether the text can change the direction of what stands beside it.

    >>> turns("bm25"), turns("\u05d0")
    (False, True)
    """
    if text.isascii():
        return False
    return any(letter in _MARKS or unicodedata.bidirectional(letter) in _TURNING for letter in text)


def escaped(text: Text) -> Markup:
    """The text as markup that shows it."""
    return escape(clean(text))


def isolated(text: Text) -> Markup:
    """The text in an element that keeps its direction to itself."""
    return Markup(f"<bdi>{escaped(text)}</bdi>")


def attribute(text: Text) -> str:
    """The text for places that hold no markup (titles, options): its direction kept inside."""
    return f"\u2068{clean(text)}\u2069" if turns(str(text)) else clean(text)


def sentence(text: Text, names: Iterable[str] = ()) -> Markup:
    """A sentence of ours, in which names that could turn its direction are isolated.

    Args:
        text: the sentence, with names of retrievers and datasets as they are.
        names: those that may stand in it; longer ones win.
    """
    text = str(text)
    if not turns(text):
        return escaped(text)
    turning = sorted({name for name in names if turns(name)}, key=len, reverse=True)
    if not turning:
        return isolated(text)
    parts = re.split("(" + "|".join(map(re.escape, turning)) + ")", text)
    inside = (isolated(part) if at % 2 else escaped(part) for at, part in enumerate(parts))
    return Markup(f"<bdi>{''.join(inside)}</bdi>")
