"""Numbers as cells of tables: rounded here and in the verdict's text, and nowhere before."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ragscore.comparison.wording import p_text, signed

if TYPE_CHECKING:
    from ragscore.stats.intervals import Interval

NOTHING = "-"
"""Where there is no number."""


def interval_text(interval: Interval, *, sign: bool = False) -> str:
    """``[0.412, 0.530]``, or ``not estimable``."""
    if math.isnan(interval.low) or math.isnan(interval.high):
        return "not estimable"
    if sign:
        return f"[{signed(interval.low)}, {signed(interval.high)}]"
    return f"[{interval.low:.3f}, {interval.high:.3f}]"


def mean_cell(value: float) -> str:
    """A mean with four decimals, as every table prints it."""
    return NOTHING if math.isnan(value) else f"{value:.4f}"


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
    return "yes" if value else "not shown"
