"""The report's words in its language, from one table of strings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ragscore.names import few
from ragscore.report.options import Language
from ragscore.report.strings import STRINGS


@dataclass(frozen=True)
class Words:
    """Texts by key.

    >>> Words("en")("curves")
    'Precision and recall against k'
    """

    language: Language

    def __call__(self, key: str, /, **facts: object) -> str:
        """The text of a key, filled; KeyError where the table lacks it."""
        return STRINGS[key][self.language].format(**facts)

    def names(self, names: Iterable[str]) -> str:
        """Names as a sentence lists them: the first five, long ones shortened, and how many more.

        >>> Words("en").names("abcdefg")
        'a, b, c, d, e and 2 more'
        """
        listed, more = few(names)
        return self("names_more", names=listed, more=f"{more:,}") if more else listed
