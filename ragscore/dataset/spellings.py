"""Ids that are spelled differently, and mean the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from typing import Literal

Spelling = Literal["case", "unicode", "blanks", "suffix", "folder", "zeros", "decimal", "letters"]
UNSEEN = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
"""Characters of no width."""
SPELLINGS: dict[Spelling, Callable[[str], str]] = {
    "case": str.casefold,
    "unicode": lambda text: unicodedata.normalize("NFKC", text.translate(UNSEEN)),
    "blanks": lambda text: re.sub(r"\s+", "", text),
    "suffix": lambda text: re.sub(r"\.[A-Za-z][A-Za-z0-9]{0,4}$", "", text),
    "folder": lambda text: re.split(r"[/\\]", text)[-1],
    "decimal": lambda text: re.sub(r"^(\d+)\.0+$", r"\1", text),
    "zeros": lambda text: re.sub(r"(?<!\d)0+(?=\d)", "", text),
    "letters": lambda text: re.sub(r"^\D*?[-_]?(?=\d+$)", "", text),
}
"""By how ids differ, the form in which they are equal; the first that fits is the likely one."""
CERTAIN: tuple[Spelling, ...] = ("case", "unicode", "blanks", "decimal")
"""Differences that are beyond doubt also where other ids are spelled alike."""
HINTS: dict[Spelling, str] = {
    "unicode": "Unicode form",
    "zeros": "leading zeros",
    "case": "case",
    "blanks": "blanks",
    "decimal": ".0 at the end",
    "suffix": "its suffix",
    "folder": "its folder",
}
"""How ids differ, in an error."""
MAX_COMPARED = 200_000
"""Ids that a missing one is compared with."""


def spelled_otherwise(missing: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """By missing id, the known one that is probably meant, in a sentence; none if there is none.

    >>> spelled_otherwise(["07", "x"], ["7", "8"])
    {'07': "there is '7', which differs in leading zeros"}
    """
    left, hints = set(missing), dict[str, str]()
    for spelling, what in HINTS.items() if len(known) <= MAX_COMPARED else ():
        form = SPELLINGS[spelling]
        by_form = {form(text): text for text in known} if left else {}
        found = {text: by_form[form(text)] for text in left if form(text) in by_form}
        left -= found.keys()
        for text, other in found.items():
            hints[text] = f"there is '{other}', which differs in {what}"
    return hints
