"""Columns of prices: one for each currency."""

from __future__ import annotations

from collections.abc import Sequence

from ragscore.elements import Cell, Column
from ragscore.elements.cells import nothing
from ragscore.elements.numbers import price_text
from ragscore.messages import _
from ragscore.usage import Usage

MAX_CURRENCIES = 3
"""Columns; with more currencies there is one column of text."""


def price_columns(usages: Sequence[Usage | None]) -> list[tuple[Column, list[Cell]]]:
    """What retrievers cost in money: each column with a cell for each of them, in their order.

    Args:
        usages: of the retrievers; None if nothing is known.
    """
    prices = [
        (usage.price, usage.currency) if usage is not None and usage.price is not None else None
        for usage in usages
    ]
    currencies = list(dict.fromkeys(price[1] for price in prices if price is not None))
    label = _("Price")
    if len(currencies) > MAX_CURRENCIES:
        shown = [price and f"{price_text(price[0])} {price[1]}" for price in prices]
        return [
            (
                Column("price", label, "text"),
                [Cell(text, text) if text else nothing() for text in shown],
            )
        ]
    return [
        (
            Column(f"price {currency}", label, unit=currency, better="low"),
            [
                Cell(price[0], price_text(price[0]))
                if price is not None and price[1] == currency
                else nothing()
                for price in prices
            ],
        )
        for currency in currencies
    ]
