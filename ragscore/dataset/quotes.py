"""Where a quote stands in a document: exactly, else in the normal form of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Literal

from ragscore.dataset.normal_text import NormalText

Way = Literal["exact", "normal"]
"""``exact``: character by character. ``normal``: but for white space, quotation marks, dashes,
ligatures and Unicode's form."""
MAX_PLACES = 20
"""A quote that stands in more places is counted no further."""


@dataclass(frozen=True)
class QuotePlaces:
    """Where a quote stands.

    Attributes:
        way: how it was found, or not found.
        spans: the characters [start, end) of each place, at most :data:`MAX_PLACES`.
    """

    way: Way
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class SearchedText:
    """A document's text in which quotes are looked for; its normal form is made once.

    >>> SearchedText("Rent is due. “Always.”").places('is  due. "Always."')
    QuotePlaces(way='normal', spans=((5, 22),))
    """

    text: str

    @cached_property
    def normal(self) -> NormalText:
        """The normal form."""
        return NormalText.of(self.text)

    def places(self, quote: str) -> QuotePlaces:
        """Where a quote stands: exactly, and only where it stands nowhere so, in normal form."""
        exact = tuple(_first(occurrences(self.text, quote), len(quote)))
        normal = normal_quote(quote)
        if exact or not normal:
            return QuotePlaces("exact", exact)
        found = _first(occurrences(self.normal.text, normal), len(normal))
        spans = dict.fromkeys(self.normal.original(start, end) for start, end in found)
        return QuotePlaces("normal", tuple(spans))

    def agrees(self, start: int, end: int, quote: str) -> bool:
        """Whether a quote is what stands in [start, end), both in normal form."""
        found = self.text[start:end]
        return found == quote or normal_quote(found) == normal_quote(quote)


def normal_quote(quote: str) -> str:
    """The normal form of a quote, without white space around it."""
    return NormalText.of(quote).text.strip()


def occurrences(text: str, part: str) -> Iterator[int]:
    """Where a part of a text begins, at every place, also where two overlap."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def _first(places: Iterator[int], length: int) -> list[tuple[int, int]]:
    return [(at, at + length) for at in islice(places, MAX_PLACES)]
