"""Numbers in the charts' texts: as tables print them, but None counts as NaN."""

from __future__ import annotations

from ragscore.comparison.cells import NOTHING, signed_cell
from ragscore.report.charts.scale import present
from ragscore.report.words import Words


def signed_number(value: float | None) -> str:
    """A difference with its sign and three decimals.

    >>> signed_number(-0.05), signed_number(None)
    ('-0.050', '-')
    """
    return NOTHING if value is None else signed_cell(value)


def plain_number(value: float | None) -> str:
    """A mean with three decimals.

    >>> plain_number(0.52), plain_number(float("nan"))
    ('0.520', '-')
    """
    return NOTHING if value is None or not present(value) else f"{value:.3f}"


def signed_interval(low: float | None, high: float | None, words: Words) -> str:
    """``[+0.028, +0.144]``, or that it can't be estimated."""
    if not (present(low) and present(high)):
        return words("not_estimable")
    return f"[{signed_number(low)}, {signed_number(high)}]"


def count(value: int) -> str:
    """A count with commas: ``1,190``."""
    return f"{value:,}"
