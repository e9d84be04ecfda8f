"""The measures: a visible table, and the words that name them.

To add one: write a small file beside the others, and put its class into :data:`TABLE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ragscore.errors import MeasureError, did_you_mean
from ragscore.measures.average_precision import AP
from ragscore.measures.base import Measure, build
from ragscore.measures.cumulated_gain import CG, DCG, IDCG, NDCG
from ragscore.measures.first_relevant import MR, RR
from ragscore.measures.sets import F, P, R, Success

TABLE: tuple[type[Measure], ...] = (NDCG, AP, RR, P, R, F, Success, CG, DCG, IDCG, MR)
"""Every measure there is."""

DEFAULT_MEASURES: tuple[str, ...] = (
    "nDCG@10",
    "AP@10",
    "RR@10",
    "P@10",
    "R@10",
    "F1@10",
    "Success@10",
    "R@depth",
)
"""What is scored where nothing is asked for."""

_NAMES: dict[str, type[Measure]] = {
    name.lower(): family for family in TABLE for name in (family.name, *family.aliases)
}
_SHAPE = re.compile(
    r"\s*(?P<name>[^\s()@]+)\s*(?:\((?P<options>.*)\))?\s*(?:@\s*(?P<cutoff>[^\s@]+))?\s*"
)

__all__ = [
    "AP", "CG", "DCG", "DEFAULT_MEASURES", "F", "IDCG", "MR", "NDCG", "P", "R", "RR", "Success",
    "TABLE", "Measure", "parse_measure", "parse_measures",
]  # fmt: skip


def parse_measure(text: str) -> Measure:
    """The measure that a text such as ``nDCG(gain=exp)@10`` names; case and aliases are free.

    >>> str(parse_measure("MAP@100")), str(parse_measure("hit@5"))
    ('AP@100', 'Success@5')

    Raises:
        MeasureError: the name, an option or the cutoff is unknown, or a cutoff is missing.
    """
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise MeasureError(
            f"'{text}' is not a measure", instead="Write NAME@k or NAME(option=value)@k"
        )
    family = _NAMES.get(match["name"].lower())
    if family is None:
        names = ["F1" if listed is F else listed.name for listed in TABLE]
        instead = did_you_mean(match["name"], names)
        raise MeasureError(f"unknown measure '{match['name']}'", where=text, instead=instead)
    options = _parse_options(match["options"] or "", text)
    cutoff = match["cutoff"]
    if cutoff is not None:
        options["cutoff"] = _parse_cutoff(cutoff, text)
    elif family.needs_cutoff:
        raise MeasureError(
            f"{text} needs a cutoff", instead=f"Write {text}@10, or {text}@depth for all recorded"
        )
    return build(family, options, text)


def parse_measures(wanted: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Several measures, given as texts or measures, each once; one may stand alone."""
    if isinstance(wanted, (str, Measure)):
        wanted = [wanted]
    parsed = (parse_measure(item) if isinstance(item, str) else item for item in wanted)
    return tuple(dict.fromkeys(parsed))


def _parse_cutoff(cutoff: str, text: str) -> int | str:
    if cutoff.lower() == "depth":
        return "depth"
    if not re.fullmatch(r"0*[1-9][0-9]{0,8}", cutoff):
        raise MeasureError(
            f"'{cutoff}' is not a cutoff",
            where=text,
            instead="A cutoff is a whole number of 1 or more, or 'depth'",
        )
    return int(cutoff)


def _parse_options(inside: str, text: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in inside.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value or name == "cutoff":
            raise MeasureError(
                f"'{part}' is not an option", where=text, instead="Write name=value inside ( )"
            )
        if name in options:
            raise MeasureError(f"the option '{name}' is given twice", where=text)
        options[name] = value
    return options
