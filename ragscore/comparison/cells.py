"""What is said of a difference by a sign or in a few words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragscore.blocks.numbers import BELOW_MARGIN, DECIDED
from ragscore.comparison.wording import Part, say

if TYPE_CHECKING:
    from ragscore.comparison.model import Difference
    from ragscore.strings import Language


def decided_mark(one: Difference) -> str:
    """The mark behind a difference; none where nothing is decided, or outside the family."""
    if not one.decided:
        return ""
    return BELOW_MARGIN if one.below_margin else DECIDED


def withheld_text(one: Difference, language: Language = "en") -> str:
    """Why nothing is claimed of a difference; empty where something is.

    >>> from types import SimpleNamespace as Some
    >>> withheld_text(Some(withheld="few differ", differing=2, n=100, clusters=None))
    'only 2 of 100 queries differ'
    """
    if not one.withheld:
        return ""
    units = one.n if one.clusters is None else one.clusters
    clustered = "" if one.clusters is None or one.withheld == "no margin" else "_clusters"
    why = "none differ" if one.withheld == "few differ" and not one.differing else one.withheld
    key = f"withheld_{why.replace(' ', '_')}{clustered}"
    return say([Part(key, {"x": one.differing, "n": units})], language)
