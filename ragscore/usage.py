"""Tokens and money that foreign code says it used: what an API charges for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Annotated, Any

from pydantic import Field

from ragscore.described import in_short

MAX_CURRENCY = 12
"""Characters that a currency may have."""
KEYS = ("tokens", "price", "currency")


@dataclass(frozen=True)
class Usage:
    """What was used, as the code that used it counted.

    Attributes:
        tokens: None if it counts none.
        price: in ``currency``; None if it counts none.
        currency: such as ``USD``; empty if no price is known.
    """

    tokens: Annotated[int, Field(ge=0)] | None = None
    price: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    currency: Annotated[str, Field(max_length=MAX_CURRENCY)] = ""

    def since(self, before: Usage) -> Usage:
        """What was added: both count from the beginning.

        Raises:
            ValueError: it counts less than before, or in another currency.
        """
        if before.price and self.price is not None and self.currency != before.currency:
            raise ValueError(f"its currency changed from {before.currency} to {self.currency}")
        tokens = None if self.tokens is None else self.tokens - (before.tokens or 0)
        price = None if self.price is None else self.price - (before.price or 0.0)
        if (tokens or 0) < 0 or (price or 0.0) < 0:
            raise ValueError("it is smaller than before. Count from the beginning, and never reset")
        return Usage(tokens, price, self.currency)

    def plus(self, other: Usage) -> Usage:
        """What both used.

        Raises:
            ValueError: they count in different currencies.
        """
        if self.price and other.price and self.currency != other.currency:
            raise ValueError(f"its currency changed from {other.currency} to {self.currency}")
        tokens = price = None
        if self.tokens is not None and other.tokens is not None:
            tokens = self.tokens + other.tokens
        if self.price is not None and other.price is not None:
            price = self.price + other.price
        return Usage(tokens, price, self.currency or other.currency)


class UsageMeter:
    """What foreign code used from now on.

    Args:
        thing: see :func:`read_usage`.
        new: it was made for this retriever alone, so what it counted already counts too.
    """

    def __init__(self, thing: Any, *, new: bool) -> None:
        self._thing = thing
        self._before = Usage()
        self._earlier: Usage | None = None
        self._told = Usage()
        self._fault: BaseException | None = None
        if not new:
            try:
                self._before = read_usage(thing) or Usage()
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # foreign code: searching goes on without it
                self._fault = error

    def spent(self) -> Usage | None:
        """What was used; None if nothing counts it.

        Raises:
            ValueError: as :func:`read_usage`, or what it counts became less.
            BaseException: any that foreign code raises.
        """
        if self._fault is not None:
            raise self._fault
        found = self._own()
        return found if found is None or self._earlier is None else found.plus(self._earlier)

    def remembered(self) -> Usage | None:
        """What was used since it was last asked for that; None if nobody knows."""
        try:
            found = self._own()
            if found is None:
                return None
            since, self._told = found.since(self._told), found
        except KeyboardInterrupt:
            raise
        except BaseException:  # foreign code; spent() says so
            return None
        return since

    def recall(self, usage: Usage) -> None:
        """Count what an earlier process used, too."""
        self._earlier = usage if self._earlier is None else usage.plus(self._earlier)

    def _own(self) -> Usage | None:
        found = read_usage(self._thing)
        return None if found is None else found.since(self._before)


def read_usage(thing: Any) -> Usage | None:
    """What an object's ``usage`` says; None if it has none.

    Args:
        thing: foreign code: an object whose ``usage`` is a mapping with ``tokens``, or ``price``
            and ``currency``, or all three, counted since it was made.

    Raises:
        ValueError: ``usage`` is something else.
        BaseException: any that foreign code raises.
    """
    found = getattr(thing, "usage", None)
    if found is None:
        return None
    if not isinstance(found, Mapping):
        raise ValueError(
            f"it is {in_short(found)}. Make it a mapping such as "
            '{"tokens": 1200, "price": 0.03, "currency": "USD"}'
        )
    unknown = [key for key in found if key not in KEYS]
    if unknown:
        raise ValueError(f"it has {in_short(unknown[0])}. Allowed: {', '.join(KEYS)}")
    tokens, price, currency = (found.get(key) for key in KEYS)
    if tokens is not None and not (_is_number(tokens, Integral) and tokens >= 0):
        raise ValueError(f"tokens is {in_short(tokens)}. It is a whole number of 0 or more")
    if price is not None and not (_is_number(price, Real) and 0 <= price < math.inf):
        raise ValueError(f"price is {in_short(price)}. It is a number of 0 or more")
    if price is not None and not (isinstance(currency, str) and currency.strip()):
        raise ValueError("a price needs a currency. Add one, such as USD")
    if currency is not None and not (
        isinstance(currency, str) and currency.isprintable() and len(currency) <= MAX_CURRENCY
    ):
        raise ValueError(
            f"currency is {in_short(currency)}. It is text of up to {MAX_CURRENCY} characters"
        )
    return Usage(
        None if tokens is None else int(tokens),
        None if price is None else float(price),
        str(currency).strip() if price is not None else "",
    )


def _is_number(value: object, kind: type) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool)
