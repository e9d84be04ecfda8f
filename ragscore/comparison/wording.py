"""From facts to sentences: rounding happens here and nowhere before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragscore.blocks.numbers import (
    count_text,
    interval_text,
    number_text,
    plain_number,
    signed_text,
    size_text,
)
from ragscore.comparison.strings import STRINGS

if TYPE_CHECKING:
    from ragscore.comparison.model import Family
    from ragscore.strings import Language


LISTED = 3
"""So many names are listed; the others are counted."""


@dataclass(frozen=True)
class Part:
    """One sentence or piece of one: its key in the table of strings, and what fills it.

    A fact may be a Part, a :class:`MeasureName`, :class:`Estimate` or :class:`Listed`, a text or a
    number.
    """

    key: str
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class MeasureName:
    """A measure as sentences name it.

    Attributes:
        label: as tables print its mean.
        lower_is_better: stated behind it, since a lead is then a smaller value.
    """

    label: str
    lower_is_better: bool


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval; the bounds are NaN where they can't be estimated."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Bounds:
    """The interval of a difference; NaN where it can't be estimated."""

    low: float
    high: float


@dataclass(frozen=True)
class Listed:
    """Names or pieces of a sentence in a row: the first three, and how many others there are.

    Attributes:
        parts: texts or Parts.
        last: how the last one is joined: ``and`` or ``or``.
    """

    parts: tuple[Any, ...]
    last: str = "and"


def say(parts: Iterable[Part], language: Language) -> str:
    """The sentences, one behind the other."""
    return " ".join(_sentence(part, language) for part in parts)


def word(key: str, language: Language) -> str:
    """A word of the table of strings that nothing fills."""
    return STRINGS[key][language]


def family_name(family: Family, language: Language) -> str:
    """Which comparisons are corrected together: ``all 3 pairs``."""
    kind = "pair" if family.baseline is None else "baseline"
    if family.m <= 1:
        key = {"pair": "family_pair", "baseline": "family_one"}[kind]
    else:
        key = {"pair": "family_pairs", "baseline": "family_baseline"}[kind]
    return _sentence(Part(key, {"count": family.m, "baseline": family.baseline}), language)


def _sentence(part: Part, language: Language) -> str:
    filled = {name: _filled(name, fact, language) for name, fact in part.facts.items()}
    return STRINGS[part.key][language].format(**filled)


def _filled(name: str, fact: Any, language: Language) -> str:
    if isinstance(fact, Part):
        return _sentence(fact, language)
    if isinstance(fact, MeasureName):
        if not fact.lower_is_better:
            return fact.label
        return STRINGS["lower_is_better"][language].format(label=fact.label)
    if isinstance(fact, Listed):
        return _listed(fact, language)
    if isinstance(fact, Estimate):
        return number_text(fact.value) + _bracket(fact.low, fact.high)
    if isinstance(fact, Bounds):
        return _bracket(fact.low, fact.high, sign=True)
    return _FORMATS.get(name, str)(fact)


def _listed(listed: Listed, language: Language) -> str:
    shown = [_filled("", part, language) for part in listed.parts[:LISTED]]
    if hidden := len(listed.parts) - len(shown):
        shown.append(
            _sentence(Part("others" if hidden > 1 else "one_other", {"count": hidden}), language)
        )
    *first, last = shown
    if not first:
        return last
    return STRINGS[listed.last][language].format(names=", ".join(first), last=last)


def _bracket(low: float, high: float, *, sign: bool = False) -> str:
    bounds = interval_text(low, high, sign=sign)
    return f" {bounds}" if bounds else ""


_FORMATS: dict[str, Callable[[Any], str]] = {
    "d": signed_text,
    "size": size_text,
    "m": plain_number,
    **dict.fromkeys(("x", "n", "count", "need"), count_text),
}
"""How a fact of this name is printed; others as they are."""
