"""The report's words in its language, from one table of strings."""

from __future__ import annotations

from dataclasses import dataclass

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
