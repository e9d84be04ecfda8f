"""trec_eval's names for measures, both ways, and the order in which it prints them.

:func:`lines` reads what follows ``trec_eval -m`` (``official``, ``all_trec``, ``map``,
``P.5,10``, ``ndcg.1=3,2=9``) and also the names that trec_eval prints (``P_5``,
``iprec_at_recall_0.10``); :func:`name_of` names a measure. What trec_eval has and ragscore has
not stands in :data:`MISSING`. Source: trec_eval 10 (measures.c, meas_init.c).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ragscore.errors import MeasureError, did_you_mean
from ragscore.measures.base import Measure, build
from ragscore.measures.trec_table import (
    ALL_TREC,
    MISSING,
    NAMED,
    NICKNAMES,
    OFFICIAL,
    SET,
    TrecMeasure,
    numbers,
)

__all__ = [
    "ALL_TREC", "MISSING", "OFFICIAL", "SET", "TrecLine", "lines", "measures_for", "name_of",
    "understands",
]  # fmt: skip


@dataclass(frozen=True)
class TrecLine:
    """One line that trec_eval prints for a query and for all of them.

    Attributes:
        name: as trec_eval prints it: ``P_5``, ``ndcg_1=3,2=9``.
        measure: what is computed; None for ``runid`` and ``num_q``, which are no measures.
        whole: printed as a whole number; otherwise with four decimals.
        summary_only: printed for all queries together and not for each.
    """

    name: str
    measure: Measure | None
    whole: bool = False
    summary_only: bool = False

    def printed(self, value: float) -> str:
        """The number as trec_eval prints it.

        >>> TrecLine("map", None).printed(0.17846)
        '0.1785'
        >>> TrecLine("num_ret", None, whole=True).printed(3.0)
        '3'
        """
        return str(int(value)) if self.whole else f"{value:6.4f}"


def understands(text: str) -> bool:
    """Whether a text is one of trec_eval's, with right or wrong parameters.

    >>> [understands(text) for text in ("P.5,10", "recall_5", "all_trec", "nDCG@10")]
    [True, True, True, False]
    """
    return text in NICKNAMES or text.partition(".")[0] in MISSING or _split(text) is not None


def lines(texts: Iterable[str] = ("official",)) -> tuple[TrecLine, ...]:
    """The lines that ``trec_eval -m text -m text`` prints, in its order, each once.

    As in trec_eval, parameters that are given for a measure take the place of its defaults; where
    trec_eval keeps the first of ``-m P.5 -m P.10``, both are printed.

    >>> [line.name for line in lines(["P.10,5", "map", "ndcg.1=3"])]
    ['map', 'P_5', 'P_10', 'ndcg_1=3']

    Raises:
        MeasureError: there is no such measure, or its parameters are wrong.
    """
    wanted: dict[str, dict[str, None]] = {}
    for text in texts:
        for name in NICKNAMES.get(text, ()):
            wanted.setdefault(name, {})
        if text in NICKNAMES:
            continue
        split = _split(text)
        if split is None:
            raise _unknown(text)
        given = wanted.setdefault(split[0], {})
        if split[1] is not None:
            given[split[1]] = None
    found = (_lines_of(name, list(wanted[name])) for name in NAMED if name in wanted)
    return tuple(line for several in found for line in several)


def measures_for(text: str) -> tuple[Measure, ...]:
    """The measures behind one of trec_eval's names; see :func:`lines`.

    >>> [str(measure) for measure in measures_for("success.1,5")]
    ['Success@1', 'Success@5']
    """
    return tuple(line.measure for line in lines([text]) if line.measure is not None)


def name_of(measure: Measure) -> str | None:
    """trec_eval's name for a measure, None if it has none.

    iprec's rounding depends on the version of trec_eval, and is not part of the name.

    >>> from ragscore.measures import parse_measure
    >>> [name_of(parse_measure(text)) for text in ("nDCG@10", "iprec@0.1", "MR")]
    ['ndcg_cut_10', 'iprec_at_recall_0.10', None]
    """
    versions = {"rounding": "trec10"} if "rounding" in type(measure).model_fields else {}
    plain = measure.model_copy(update=versions)
    for name, family in NAMED.items():
        if family.family is not type(plain):
            continue
        if family.kind in ("none", "text") and plain == _made(family, name):
            return name
        value = getattr(plain, family.field)
        fits = family.kind != "none" and not isinstance(value, str | None)
        if fits and plain == _made(family, name, value):
            return f"{name}_{_label(family, value)}"
    return None


def _made(family: TrecMeasure, text: str, value: Any = None) -> Measure | None:
    if family.family is None:
        return None
    options = dict(family.options)
    if value is not None:
        options[family.field] = value
    return build(family.family, options, text)


def _label(family: TrecMeasure, value: Any) -> str:
    return f"{value:.2f}" if family.kind == "levels" else family.write(value)


def _split(text: str) -> tuple[str, str | None] | None:
    """Name and parameters of ``P``, ``P.5,10`` or ``P_5``; None if there is no such name."""
    if text in NAMED:
        return text, None
    name, dot, parameters = text.partition(".")
    if dot and name in NAMED:
        return name, parameters
    for name in sorted(NAMED, key=len, reverse=True):
        if text.startswith(f"{name}_") and text not in MISSING and NAMED[name].kind != "none":
            return name, text[len(name) + 1 :]
    return None


def _unknown(text: str) -> MeasureError:
    name = text if text in MISSING else text.partition(".")[0]
    if name in MISSING:
        return MeasureError(f"ragscore does not have trec_eval's {name}", instead=MISSING[name])
    instead = did_you_mean(text, [*NAMED, *NICKNAMES])
    return MeasureError(f"trec_eval has no measure '{text}'", instead=instead)


def _lines_of(name: str, given: list[str]) -> list[TrecLine]:
    family = NAMED[name]
    if family.kind == "none" or (family.kind == "text" and not given):
        if given:
            raise MeasureError(f"{name} has no parameters", where=f"{name}.{given[0]}")
        return [TrecLine(name, _made(family, name), family.whole, family.summary_only)]
    try:
        values = list(_values(family, given))
    except (ValueError, OverflowError):
        raise MeasureError(
            f"'{','.join(given)}' is not a parameter of {name}",
            instead="Write them as in trec_eval: P.5,10 or ndcg.1=3,2=9 or rbp.p=0.8",
        ) from None
    labels = given if family.kind == "text" else [_label(family, value) for value in values]
    printed = (f"{name}_{label}" for label in labels)
    return [
        TrecLine(text, _made(family, text, value))
        for text, value in zip(printed, values, strict=True)
    ]


def _values(family: TrecMeasure, given: list[str]) -> Iterable[Any]:
    if family.kind == "text":
        return map(family.read, given)
    wanted = {number for text in given for number in numbers(text)} or family.defaults
    # 23.4 is 23 there.
    return sorted(set(map(int, wanted)) if family.kind == "cuts" else wanted)
