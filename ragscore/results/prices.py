"""Columns of prices: one for each currency."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from ragscore.elements import Cell, Column
from ragscore.elements.cells import nothing
from ragscore.elements.numbers import price_text
from ragscore.messages import _
from ragscore.usage import Usage

MAX_CURRENCIES = 3
"""Columns; with more currencies there is one column of text."""


def price_columns(
    usages: Iterable[Usage | None],
) -> Iterator[tuple[Column, Callable[[Usage | None], Cell]]]:
    """What retrievers cost in money: columns, each with its cell for a usage.

    Args:
        usages: of the retrievers; None if nothing is known.
    """
    priced = (usage for usage in usages if usage is not None and usage.price is not None)
    currencies = list(dict.fromkeys(usage.currency for usage in priced))
    label = _("Price")
    if len(currencies) > MAX_CURRENCIES:
        yield Column("price", label, "text"), _with_currency
        return
    for currency in currencies:
        column = Column(f"price {currency}", label, unit=currency, better="low")
        yield column, partial(_in_currency, currency)


def _in_currency(currency: str, usage: Usage | None) -> Cell:
    if usage is None or usage.price is None or usage.currency != currency:
        return nothing()
    return Cell(usage.price, price_text(usage.price))


def _with_currency(usage: Usage | None) -> Cell:
    if usage is None or usage.price is None:
        return nothing()
    text = f"{price_text(usage.price)} {usage.currency}"
    return Cell(text, text)
