"""Numbers as cells: the value in full precision, and the text that people read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ragscore.comparison.cells import NOTHING, decided_mark, interval_text, signed_cell
from ragscore.comparison.cells import p_cell as p_digits
from ragscore.comparison.model import ALPHA
from ragscore.comparison.wording import milliseconds
from ragscore.report.model import Cell
from ragscore.scoring.tables import percent

if TYPE_CHECKING:
    from ragscore.comparison.model import Difference
    from ragscore.report.words import Words
    from ragscore.stats.intervals import Interval
    from ragscore.tuning.bands import Band


EARLIER = "\u2020"
"""Behind a time that comes from the cache."""


def nothing(text: str = NOTHING, *, retriever: str | None = None) -> Cell:
    """No number."""
    return Cell(None, text, retriever=retriever)


def name_cell(retriever: str, *, hint: str = "") -> Cell:
    """A retriever's name."""
    return Cell(retriever, retriever, retriever=retriever, hint=hint)


def text_cell(text: str, *, quote: bool = False) -> Cell:
    """Words."""
    return Cell(text, text, quote=quote)


def count_cell(count: int) -> Cell:
    """How many."""
    return Cell(count, f"{count:,}")


def share_cell(share: float | None) -> Cell:
    """A share."""
    if share is None or math.isnan(share):
        return nothing()
    return Cell(share, percent(share))


def number_cell(value: float | None, digits: int = 3) -> Cell:
    """A number with so many decimals."""
    if value is None or not math.isfinite(value):
        return nothing()
    return Cell(value, f"{value:,.{digits}f}")


def interval_words(interval: Interval, words: Words, *, sign: bool = False) -> str:
    """``[0.412, 0.530]``, or that it can't be estimated."""
    if math.isnan(interval.low) or math.isnan(interval.high):
        return words("not_estimable")
    return interval_text(interval, sign=sign)


def mean_cell(
    value: float,
    interval: Interval | None,
    words: Words,
    *,
    strong: bool = False,
    retriever: str | None = None,
) -> Cell:
    """A mean with three decimals and its interval."""
    if math.isnan(value):
        return nothing(retriever=retriever)
    if interval is None:
        return Cell(value, f"{value:.3f}", strong=strong, retriever=retriever)
    return Cell(
        value,
        f"{value:.3f}",
        low=_known(interval.low),
        high=_known(interval.high),
        interval=interval_words(interval, words),
        strong=strong,
        retriever=retriever,
        hint=interval.note,
    )


def band_cell(band: Band, at: int, words: Words) -> Cell:
    """What a curve has at one of its settings."""
    value, low, high = float(band.mean[at]), float(band.low[at]), float(band.high[at])
    if math.isnan(value):
        return nothing()
    known = not math.isnan(low)
    shown = f"[{low:.3f}, {high:.3f}]" if known else words("not_estimable")
    return Cell(value, f"{value:.3f}", low=_known(low), high=_known(high), interval=shown)


def difference_cell(one: Difference, words: Words, *, retriever: str | None = None) -> Cell:
    """A difference with its sign, its interval, and a mark where it is decided."""
    if math.isnan(one.value):
        return nothing(retriever=retriever)
    hint = one.interval.note
    if one.disagrees:
        by_test = "not_after_correction" if one.test.p < ALPHA else "not_by_test"
        hint = words("interval_includes_zero" if one.p_adjusted < ALPHA else by_test)
    return Cell(
        one.value,
        signed_cell(one.value),
        low=_known(one.interval.low),
        high=_known(one.interval.high),
        interval=interval_words(one.interval, words, sign=True),
        mark=decided_mark(one),
        retriever=retriever,
        hint=hint,
    )


def signed_number(value: float) -> Cell:
    """A difference alone."""
    return nothing() if math.isnan(value) else Cell(value, signed_cell(value))


def p_cell(p: float) -> Cell:
    """A p-value as the terminal prints it: three decimals, never 0.000 nor rounded across .05.

    >>> p_cell(0.0302).text, p_cell(0.00001).text, p_cell(1.0).text
    ('0.030', '<0.001', '1.000')
    """
    return nothing() if math.isnan(p) else Cell(p, p_digits(p))


RECORD = ("wins", "losses", "ties")
"""The columns of CSV that a record is split into."""


def record_cell(one: Difference) -> Cell:
    """Queries that are better, worse, the same."""
    text = f"{one.wins}/{one.losses}/{one.ties}"
    return Cell(text, text, parts=(one.wins, one.losses, one.ties))


def latency_cell(value: float | None, *, earlier: bool = False) -> Cell:
    """Milliseconds; the column says the unit, a mark that they were timed in an earlier run."""
    if value is None:
        return nothing()
    return Cell(value, milliseconds(value).removesuffix(" ms"), mark=EARLIER if earlier else "")


def _known(bound: float) -> float | None:
    return None if math.isnan(bound) else bound
