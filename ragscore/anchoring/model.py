"""What ``ragscore anchor`` says of one piece of evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragscore.records import Record

How = Literal["differs", "offsets", "exact", "normal", "fuzzy", "ambiguous", "missing", "wrong"]


def uncertain(allow_differing: bool) -> tuple[How, ...]:
    """What has no certain place; what differs has one where that is allowed."""
    return (*(() if allow_differing else ("differs",)), "ambiguous", "missing", "wrong")


@dataclass(frozen=True)
class QuotedPlace(Record):
    """A place where a quote stands, or nearly stands."""

    start: int
    """Offset of the first character."""
    end: int
    """Offset behind the last character."""
    text: str
    """What stands there."""
    similarity: float
    """1 - differing characters / characters of the quote, both in normal form."""


@dataclass(frozen=True)
class AnchoredEvidence(Record):
    """One piece of evidence, and where it stands."""

    query: str
    """Id of the query."""
    line: int
    """Line of its row in the file of the ground truth."""
    document: str
    """Id of the document."""
    how: How
    """``differs``: nearly, and nowhere else, but a number or a negation is another. ``offsets``: it
    has offsets that agree with what stands there. ``exact``: the quote stands there once.
    ``normal``: it does but for white space, quotation marks, dashes, ligatures and Unicode's form.
    ``fuzzy``: nearly, and nowhere else. ``ambiguous``: in several places. ``missing``: nowhere.
    ``wrong``: its document, offsets or quote cannot be right."""
    quote: str | None
    """The quote of the row; null if it has offsets alone."""
    place: QuotedPlace | None
    """Where it stands, or of one that differs nearly stands; null if that is not certain."""
    places: tuple[QuotedPlace, ...] = ()
    """Where it may stand, of an ambiguous one."""
    apart: tuple[str, ...] = ()
    """Of one that differs, the numbers and negations of the quote and of what was found:
    ``31 / 90``, ``- / not``."""
    problem: str | None = None
    """What is wrong, of a wrong one."""
