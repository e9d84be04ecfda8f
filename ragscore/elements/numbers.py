"""Numbers as people read them. What is printed is rounded here, and nowhere before.

Three decimals, differences signed, never ``p = 0.000``; a number that does not exist is ``-``.
"""

from __future__ import annotations

import math

NOTHING = "-"
"""Printed where there is no number."""
DECIDED = "*"
"""Marks a decided difference: corrected p below .05, and its interval excludes 0."""
BELOW_MARGIN = "\u00b0"
"""Marks a difference that is decided but smaller than the margin."""
EQUAL = "="
"""Marks a difference whose whole interval is smaller than the margin."""
BAND = "band"
"""Not printed: the margin, where differences are drawn."""
DISAGREES = "\u2020"
"""Marks a p-value that contradicts its interval."""
EARLIER = "\u2020"
"""Marks a time that comes from the cache."""
ROUNDING = 1e-12
"""A mean of scores this near to 0 is 0: the rest is floating point."""


def number_text(value: float | None, digits: int = 3) -> str:
    """A number with three decimals; no 0 has a sign.

    >>> number_text(0.55312), number_text(1234.5, 1), number_text(float("nan")), number_text(-0.0)
    ('0.553', '1,234.5', '-', '0.000')
    """
    if value is None or not math.isfinite(value):
        return NOTHING
    return f"{0.0 if abs(value) <= ROUNDING else value:,.{digits}f}"


def signed_text(value: float | None, digits: int = 3) -> str:
    """A difference with its sign; an exact 0 has none.

    >>> signed_text(0.0071), signed_text(-0.05), signed_text(0.0), signed_text(0.3, 2)
    ('+0.007', '-0.050', '0.000', '+0.30')
    """
    if value is None or not ROUNDING < abs(value) < math.inf:
        return number_text(value, digits)
    return f"{value:+,.{digits}f}"


def allowed_text(value: float) -> str:
    """A number with three decimals, rounded up: what a setting has to allow so that it holds this.

    >>> allowed_text(0.0304), allowed_text(0.035)
    ('0.031', '0.035')
    """
    # 0.035 * 1000 is a little more than 35.
    return number_text(math.ceil(round(value * 1000, 6)) / 1000)


def interval_text(low: float | None, high: float | None, *, sign: bool = False) -> str:
    """The bounds of an interval; empty if they can't be estimated.

    >>> interval_text(0.4121, 0.53), interval_text(-0.012, 0.03, sign=True)
    ('[0.412, 0.530]', '[-0.012, +0.030]')
    """
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return ""
    shown = signed_text if sign else number_text
    return f"[{shown(low)}, {shown(high)}]"


def p_text(p: float, *, floor: bool = False) -> str:
    """A p-value with three decimals, more where it would be rounded across .05.

    >>> p_text(0.8), p_text(0.0004), p_text(0.04996), p_text(0.019, floor=True)
    ('0.800', '<0.001', '0.04996', '<0.02')

    Args:
        p: from 0 to 1; NaN if there is none.
        floor: it is the smallest that its resampling can give: what it is below is printed.
    """
    if math.isnan(p):
        return NOTHING
    if p < 0.001:
        return "<0.001"
    if floor and p < 1:
        step = 10.0 ** math.floor(math.log10(p))
        return f"<{(math.floor(p / step) + 1) * step:g}"
    return f"{p:.{_p_digits(p)}f}"


def _p_digits(p: float) -> int:
    digits = 3
    while p < 0.05 <= round(p, digits):
        digits += 1
    return digits


def share_text(share: float) -> str:
    """A share as people read it; 0 % and 100 % only where it is none or all.

    >>> share_text(0.147), share_text(0.9999), share_text(1.0), share_text(float("nan"))
    ('14.7 %', '99.9 %', '100 %', '-')
    """
    if math.isnan(share):
        return NOTHING
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    return f"{min(max(100 * share, 0.1), 99.9):.1f} %"


def rough_text(value: float, digits: int = 2) -> str:
    """A positive number that is known roughly: so many digits that say something.

    >>> rough_text(0.00312), rough_text(1.26), rough_text(99.6), rough_text(1234.5)
    ('0.0031', '1.3', '100', '1,234')
    """
    return f"{value:.{digits}g}" if value < 10**digits - 0.5 else f"{value:,.0f}"


def count_text(count: int) -> str:
    """How many, thousands parted.

    >>> count_text(11167)
    '11,167'
    """
    return f"{count:,}"


def plain_number(value: float) -> str:
    """A number that somebody chose, such as a margin, as it was written.

    >>> plain_number(0.01), plain_number(10.0)
    ('0.01', '10')
    """
    return f"{value:g}"


def latency_text(milliseconds: float) -> str:
    """A latency in milliseconds with two or more digits, without its unit.

    >>> latency_text(0.42), latency_text(3.21), latency_text(1234.5)
    ('0.42', '3.2', '1234')
    """
    digits = 2 if milliseconds < 1 else 1 if milliseconds < 10 else 0
    return f"{milliseconds:.{digits}f}"


def latency_range_text(milliseconds: float) -> str:
    """Between which round times a latency lies: half of a time, or less, is noise.

    >>> latency_range_text(0.42), latency_range_text(21), latency_range_text(1234.5)
    ('<1 ms', '20-50 ms', '1-2 s')
    """
    if milliseconds < 1:
        return "<1 ms"
    value, unit = (milliseconds, "ms") if milliseconds < 1000 else (milliseconds / 1000, "s")
    power = 10.0 ** math.floor(math.log10(value))
    low, high = next(((a, b) for a, b in ((1, 2), (2, 5), (5, 10)) if value < b * power), (5, 10))
    return f"{low * power:,g}-{high * power:,g} {unit}"


def bytes_text(count: float) -> str:
    """A size in the unit that fits.

    >>> bytes_text(812), bytes_text(80_872), bytes_text(3_481_000_000)
    ('812 B', '80.9 kB', '3.5 GB')
    """
    if count < 1000:
        return f"{count:.0f} B"
    for unit in ("kB", "MB", "GB"):
        count /= 1000
        if count < 999.95:
            return f"{count:.1f} {unit}"
    return f"{count / 1000:,.1f} TB"


def price_text(price: float) -> str:
    """A price without its currency; small ones with two digits that say something.

    >>> price_text(12.5), price_text(0.00168), price_text(12000.0)
    ('12.50', '0.0017', '12,000.00')
    """
    if 0 < price < 0.1:
        return f"{price:.{min(1 - math.floor(math.log10(price)), 12)}f}"
    return f"{price:,.2f}"


def record_text(wins: int, losses: int, ties: int) -> str:
    """Queries that are better, worse, the same.

    >>> record_text(34, 20, 20)
    '34/20/20'
    """
    return f"{wins}/{losses}/{ties}"


def minute(created: str) -> str:
    """An ISO 8601 moment to the minute.

    >>> minute("2026-11-21T22:46:05+00:00")
    '2026-11-21 22:46'
    """
    return created[:16].replace("T", " ")
