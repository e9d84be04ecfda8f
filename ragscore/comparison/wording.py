"""From facts to sentences: rounding happens here and nowhere before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragscore.comparison.strings import STRINGS

if TYPE_CHECKING:
    from ragscore.comparison.options import Language


@dataclass(frozen=True)
class Part:
    """One sentence or piece of one: its key in the table of strings, and what fills it.

    A fact may be a Part itself, a :class:`MeasureName`, a sequence of names, a text or a number.
    """

    key: str
    facts: Mapping[str, Any]


@dataclass(frozen=True)
class MeasureName:
    """A measure as sentences name it.

    Attributes:
        label: as tables print its mean.
        lower_is_better: said behind it, since a lead is then a smaller value.
    """

    label: str
    lower_is_better: bool


def say(parts: Iterable[Part], language: Language) -> str:
    """The sentences, one behind the other."""
    return " ".join(_said(part, language) for part in parts)


def _said(part: Part, language: Language) -> str:
    filled = {name: _filled(name, fact, language) for name, fact in part.facts.items()}
    return STRINGS[part.key][language].format(**filled)


def _filled(name: str, fact: Any, language: Language) -> str:
    if isinstance(fact, Part):
        return _said(fact, language)
    if isinstance(fact, MeasureName):
        if not fact.lower_is_better:
            return fact.label
        return STRINGS["lower_is_better"][language].format(label=fact.label)
    if isinstance(fact, tuple):
        return _listed(fact, language)
    return _FORMATS.get(name, str)(fact)


def _listed(names: Sequence[str], language: Language) -> str:
    *first, last = names
    if not first:
        return last
    return STRINGS["and"][language].format(names=", ".join(first), last=last)


def signed(difference: float) -> str:
    """A difference with its sign and three decimals; an exact 0 has no sign.

    >>> signed(0.0071), signed(-0.05), signed(0.0)
    ('+0.007', '-0.050', '0.000')
    """
    return "0.000" if abs(difference) <= ROUNDING else f"{difference:+.3f}"


ROUNDING = 1e-12
"""A mean of scores this near to 0 is 0: the rest is floating point."""


def p_text(p: float) -> str:
    """A p-value with its sign of relation, never 0.0000, and never rounded across .05.

    >>> p_text(0.0302), p_text(0.00001), p_text(0.04996), p_text(1.0)
    ('= 0.03', '< 0.001', '= 0.04996', '= 1')
    """
    if p < 0.001:
        return "< 0.001"
    digits = 3
    while p < 0.05 <= round(p, digits):
        digits += 1
    return f"= {round(p, digits):.{digits}f}".rstrip("0").rstrip(".")


def milliseconds(value: float) -> str:
    """A latency with two or more digits.

    >>> milliseconds(0.42), milliseconds(3.21), milliseconds(1234.5)
    ('0.42 ms', '3.2 ms', '1234 ms')
    """
    digits = 2 if value < 1 else 1 if value < 10 else 0
    return f"{value:.{digits}f} ms"


def _value(value: float) -> str:
    return f"{value:.3f}"


def _detectable(difference: float) -> str:
    # A spread this small is still not 0.
    return f"{difference:.3f}" if difference >= 0.0005 else f"{difference:.1g}"


def _number(value: float) -> str:
    return f"{value:g}"


_FORMATS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(("d", "d2", "lo", "hi"), signed),
    **dict.fromkeys(("a", "v1", "v2"), _value),
    **dict.fromkeys(("ms_a", "ms_b"), milliseconds),
    "mde": _detectable,
    "m": _number,
    "p": p_text,
}
"""How a fact of this name is printed; others as they are."""
