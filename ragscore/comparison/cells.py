"""Numbers as cells of tables: rounded here and in the verdict's text, and nowhere before."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ragscore.comparison.wording import Part, p_text, say, signed
from ragscore.stats.intervals import NOT_ESTIMABLE

if TYPE_CHECKING:
    from ragscore.comparison.model import Difference
    from ragscore.comparison.options import Language
    from ragscore.stats.intervals import Interval

NOTHING = "-"
"""Where there is no number."""
NOT_SHOWN = "not shown"
DECIDED = "*"
"""Behind a difference that is decided: corrected p below .05, and its interval excludes 0."""
BELOW_MARGIN = "\u00b0"
"""Behind one that is decided, and smaller than the margin."""
DISAGREES = "\u2020"
"""Behind a p-value that says otherwise than the interval."""


def decided_mark(one: Difference) -> str:
    """The mark behind a difference; none where nothing is decided, or outside the family."""
    if not one.decided:
        return ""
    return BELOW_MARGIN if one.below_margin else DECIDED


def interval_text(interval: Interval, *, sign: bool = False) -> str:
    """``[0.412, 0.530]``, or ``not estimable``."""
    if math.isnan(interval.low) or math.isnan(interval.high):
        return NOT_ESTIMABLE
    if sign:
        return f"[{signed(interval.low)}, {signed(interval.high)}]"
    return f"[{interval.low:.3f}, {interval.high:.3f}]"


def mean_cell(value: float) -> str:
    """A mean with three decimals, as every table prints it."""
    return NOTHING if math.isnan(value) else f"{value:.3f}"


def signed_cell(value: float) -> str:
    """A difference with its sign and three decimals."""
    return NOTHING if math.isnan(value) else signed(value)


def p_cell(value: float) -> str:
    """A p-value with three decimals, more where it would be rounded across .05.

    >>> p_cell(0.8), p_cell(0.0004), p_cell(0.04996)
    ('0.800', '<0.001', '0.04996')
    """
    if math.isnan(value):
        return NOTHING
    return _small(value) if value < 0.001 or value < 0.05 <= round(value, 3) else f"{value:.3f}"


def _small(value: float) -> str:
    return p_text(value).removeprefix("= ").replace("< ", "<")


def yes_cell(value: bool) -> str:
    """What a test showed; that it shows nothing is no proof of the contrary."""
    return "yes" if value else NOT_SHOWN


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
