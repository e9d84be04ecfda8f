"""Cells from values: the value in full precision, and the text that people read."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Protocol

from ragscore.elements.model import Cell, Column
from ragscore.elements.numbers import (
    EARLIER,
    NOTHING,
    count_text,
    interval_text,
    latency_range_text,
    latency_text,
    number_text,
    p_text,
    record_text,
    share_text,
    signed_text,
)
from ragscore.messages import Text, _

RECORD = ("wins", "losses", "ties")
"""The columns of CSV that a record of queries is split into."""


class Bounds(Protocol):
    """An interval; both bounds are NaN if it can't be estimated."""

    @property
    def low(self) -> float:
        """The lower bound."""

    @property
    def high(self) -> float:
        """The upper bound."""

    @property
    def note(self) -> Text:
        """What a reader must know of it; empty for most."""


def retriever_column() -> Column:
    """Names of retrievers."""
    return Column("retriever", _("Retriever"), "text")


def nothing(text: Text = NOTHING, *, retriever: str | None = None) -> Cell:
    """No number."""
    return Cell(None, text, retriever=retriever)


def name_cell(retriever: str, *, hint: Text = "") -> Cell:
    """A retriever's name."""
    return Cell(retriever, retriever, retriever=retriever, hint=hint)


def text_cell(text: Text, *, quote: bool = False) -> Cell:
    """Words."""
    return Cell(text, text, quote=quote)


def count_cell(count: int | None, *, unknown: Text = NOTHING) -> Cell:
    """How many; ``unknown`` where there is no number."""
    return nothing(unknown) if count is None else Cell(count, count_text(count))


def share_cell(share: float | None) -> Cell:
    """A share."""
    return nothing() if share is None or math.isnan(share) else Cell(share, share_text(share))


def number_cell(value: float | None, digits: int = 3, *, unknown: Text = NOTHING) -> Cell:
    """A number with this many decimals; ``unknown`` where there is none."""
    if value is None or not math.isfinite(value):
        return nothing(unknown)
    return Cell(value, number_text(value, digits))


def signed_cell(value: float, digits: int = 3) -> Cell:
    """A difference with its sign."""
    return Cell(value, signed_text(value, digits)) if math.isfinite(value) else nothing()


def mean_cell(
    value: float, interval: Bounds | None, *, strong: bool = False, retriever: str | None = None
) -> Cell:
    """A mean with three decimals and its interval.

    Args:
        value: the mean; NaN if there is none.
        interval: where it may lie; None if that is not shown.
        strong: printed bold: it is decided to be the best.
        retriever: whose it is.
    """
    if math.isnan(value):
        return nothing(retriever=retriever)
    text = number_text(value)
    if interval is None:
        return Cell(value, text, strong=strong, retriever=retriever)
    return Cell(
        value,
        text,
        low=_known(interval.low),
        high=_known(interval.high),
        interval=interval_words(interval),
        strong=strong,
        retriever=retriever,
        hint=interval.note,
    )


def difference_cell(
    value: float, interval: Bounds, *, mark: str = "", retriever: str | None = None, hint: Text = ""
) -> Cell:
    """A difference with its sign, its interval, and a mark where it is decided.

    Args:
        value: the difference; NaN if there is none.
        interval: where it may lie.
        mark: what is decided of it.
        retriever: whose it is.
        hint: what must be known of it.
    """
    if math.isnan(value):
        return nothing(retriever=retriever)
    return Cell(
        value,
        signed_text(value),
        low=_known(interval.low),
        high=_known(interval.high),
        interval=interval_words(interval, sign=True),
        mark=mark,
        retriever=retriever,
        hint=hint,
    )


def interval_words(interval: Bounds, *, sign: bool = False) -> Text:
    """``[0.412, 0.530]``, or that it can't be estimated."""
    return interval_text(interval.low, interval.high, sign=sign) or _("not estimable")


def p_cell(p: float | None, *, floor: bool = False) -> Cell:
    """A p-value: three decimals, never 0.000 nor rounded across .05; see :func:`p_text`.

    >>> p_cell(0.0302).text, p_cell(0.00001).text, p_cell(1.0).text
    ('0.030', '<0.001', '1.000')
    """
    return nothing() if p is None or math.isnan(p) else Cell(p, p_text(p, floor=floor))


def yes_cell(decided: bool) -> Cell:
    """What a test decided; "not decided" does not prove the opposite."""
    return text_cell(_("yes") if decided else _("not decided"))


def record_column() -> Column:
    """Queries that are better, worse, the same."""
    return Column(
        "W/L/T",
        _("Better/worse/same"),
        "text",
        _("Queries on which it is better, worse, the same"),
        parts=RECORD,
    )


def record_cell(wins: int, losses: int, ties: int) -> Cell:
    """Queries that are better, worse, the same."""
    text = record_text(wins, losses, ties)
    return Cell(text, text, parts=(wins, losses, ties))


def latency_column() -> Column:
    """Half of the single queries' time."""
    return Column(
        "latency p50 ms",
        _("p50"),
        hint=_("Half of the queries, asked one at a time, were answered in this time"),
        unit="ms",
        better="low",
    )


def latency_cell(milliseconds: float | None, *, earlier: bool = False) -> Cell:
    """Milliseconds, without the unit, which the column has; marked if an earlier run timed them."""
    if milliseconds is None:
        return nothing()
    return Cell(milliseconds, latency_text(milliseconds), mark=EARLIER if earlier else "")


def latency_range_cell(milliseconds: float | None, *, earlier: bool = False) -> Cell:
    """Between which round times a latency lies, with the unit; exactly under the pointer."""
    exact = latency_cell(milliseconds, earlier=earlier)
    if milliseconds is None:
        return exact
    hint: Text = f"{exact.text} ms"
    if earlier:
        hint = _("{time} ms, timed in an earlier run", time=exact.text)
    return replace(exact, text=latency_range_text(milliseconds), hint=hint)


def _known(bound: float) -> float | None:
    return None if math.isnan(bound) else bound
