"""The measures: a visible table, and the words that name them.

To add one: write a small file beside the others, and put its class into :data:`TABLE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain
from typing import Any

from ragscore.errors import MeasureError, did_you_mean
from ragscore.measures.area import AUC
from ragscore.measures.average_precision import AP
from ragscore.measures.average_recall import AR
from ragscore.measures.base import Measure, build
from ragscore.measures.cascade import ERR
from ragscore.measures.coverage import JudgedShare, UnjudgedShare
from ragscore.measures.cumulated_gain import CG, DCG, IDCG, NDCG
from ragscore.measures.first_relevant import MR, RR
from ragscore.measures.geometric import GMAP, GMBPref
from ragscore.measures.inferred import InfAP
from ragscore.measures.interpolated import ElevenPoint, IPrec
from ragscore.measures.passage_counts import NumRel, NumRelRet, NumRet
from ragscore.measures.preference import BPref
from ragscore.measures.r_precision import Rprec
from ragscore.measures.rank_biased import RBP, RBPResidual
from ragscore.measures.recorded_measure import Traits, recorded_measure
from ragscore.measures.sets import F, P, R, Success
from ragscore.measures.trec_names import measures_for, understands
from ragscore.measures.whole_sets import SetF, SetP, SetR
from ragscore.plugins import Catalogue

TABLE: tuple[type[Measure], ...] = (
    *(NDCG, AP, RR, P, R, F, Success, AR, MR, ERR, RBP, RBPResidual, CG, DCG, IDCG),
    *(Rprec, BPref, InfAP, GMAP, GMBPref, IPrec, ElevenPoint, AUC, SetP, SetR, SetF),
    *(JudgedShare, UnjudgedShare, NumRet, NumRel, NumRelRet),
)
"""Every measure that ragscore brings."""

MEASURES: Catalogue[type[Measure]] = Catalogue(
    "ragscore.measures",
    "measure",
    {family.name: family for family in TABLE},
    wanted="a subclass of ragscore.Measure of this name, with a summary",
    fits=lambda name, thing: (
        isinstance(thing, type)
        and issubclass(thing, Measure)
        and getattr(thing, "name", "") == name
        and hasattr(thing, "summary")
    ),
)
"""By name, those that installed packages add too."""
_RECORDED: dict[str, Measure] = {}
"""Measures of other packages by their text, as results that were read record them."""

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


def _by_name(table: Iterable[type[Measure]]) -> dict[str, type[Measure]]:
    """Each measure by its names in lower case.

    Raises:
        MeasureError: a measure does not say what it is, or two have one name: the second would
            print its numbers under the name of the first.
    """
    named: dict[str, type[Measure]] = {}
    for family in table:
        where = f"{family.__module__}.{family.__name__}"
        missing = [word for word in ("name", "summary") if not hasattr(family, word)]
        if not family.__doc__:
            missing.append("docstring")
        if missing:
            raise MeasureError(f"the measure has no {' and no '.join(missing)}", where=where)
        for name in dict.fromkeys(text.lower() for text in (family.name, *family.aliases)):
            if (other := named.setdefault(name, family)) is not family:
                raise MeasureError(
                    f"the name '{name}' is taken by {other.__module__}.{other.__name__}",
                    where=where,
                    instead="Choose another name; case does not count",
                )
    return named


_NAMES = _by_name(TABLE)
_SHAPE = re.compile(
    r"\s*(?P<name>[^\s()@]+)\s*(?:\((?P<options>.*)\))?\s*(?:@\s*(?P<at>[^\s@]+))?\s*"
)

__all__ = [
    "AP", "AR", "AUC", "BPref", "CG", "DCG", "DEFAULT_MEASURES", "ERR", "ElevenPoint", "F", "GMAP",
    "GMBPref", "IDCG", "IPrec", "InfAP", "JudgedShare", "MR", "NDCG", "NumRel", "NumRelRet",
    "NumRet", "P", "R", "RBP", "RBPResidual", "RR", "Rprec", "SetF", "SetP", "SetR", "Success",
    "MEASURES", "TABLE", "UnjudgedShare", "Measure", "Traits", "load_named", "parse_measure",
    "parse_measures", "record_measure",
]  # fmt: skip


def load_named(
    measures: str | Measure | Iterable[str | Measure], *, recorded: bool = False
) -> tuple[str | Measure, ...]:
    """The measures as they are given, once the packages that add some of them are imported.

    What reads a result calls only :func:`parse_measure`, which imports none.

    Args:
        measures: texts, or measures, which need nothing.
        recorded: leave those alone that a result which was read records.

    Raises:
        ConfigError: a package cannot be imported, or adds no measure of that name.
    """
    listed = (measures,) if isinstance(measures, str | Measure) else tuple(measures)
    for text in listed:
        match = _SHAPE.fullmatch(text) if isinstance(text, str) else None
        if match is None or match["name"].lower() in _NAMES:
            continue
        if not (recorded and text in _RECORDED):
            name = _spelled(match["name"], MEASURES.installed())
            if name is not None:
                MEASURES.load(name)
    return listed


def record_measure(text: str, traits: Traits) -> None:
    """Let :func:`parse_measure` know a measure of another package that a result records."""
    _RECORDED.setdefault(text, recorded_measure(text, traits))


def parse_measure(text: str) -> Measure:
    """The measure that a text such as ``nDCG(gain=exp)@10`` names; case and aliases are free.

    >>> str(parse_measure("MAP@100")), str(parse_measure("hit@5"))
    ('AP@100', 'Success@5')

    Raises:
        MeasureError: the name, an option or the cutoff is unknown, or a cutoff is missing.
    """
    if text in _RECORDED and _added(text) is None:
        return _RECORDED[text]
    family, options = _split(text)
    if family.needs_cutoff and family.at not in options:
        needs, write = "a cutoff", f"{text}@10, or {text}@depth for all recorded"
        if family.bare:
            needs, write = f"a level of {family.at}", f"{text}@{family.bare[1]}"
        raise MeasureError(f"{text} needs {needs}", instead=f"Write {write}")
    return build(family, options, text)


def parse_measures(wanted: str | Measure | Iterable[str | Measure]) -> tuple[Measure, ...]:
    """Several measures, given as texts or measures, each once; one may stand alone. ``iprec`` is
    its eleven points."""
    if isinstance(wanted, (str, Measure)):
        wanted = [wanted]
    return tuple(dict.fromkeys(chain.from_iterable(map(_parse_several, wanted))))


def _parse_several(item: str | Measure) -> Iterable[Measure]:
    if isinstance(item, Measure):
        return (item,)
    if item in _RECORDED:
        return (parse_measure(item),)
    family, options = _split(item)
    if not family.bare or family.at in options:
        return (parse_measure(item),)
    return [build(family, {**options, family.at: point}, item) for point in family.bare]


def _split(text: str) -> tuple[type[Measure], dict[str, Any]]:
    """The class that a text names, and its options with what stands behind the @."""
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise MeasureError(
            f"'{text}' is not a measure", instead="Write NAME@k or NAME(option=value)@k"
        )
    family = _NAMES.get(match["name"].lower()) or _added(text)
    if family is None:
        if understands(text):
            meant = ", ".join(map(str, measures_for(text)))
            raise MeasureError(
                f"'{text}' is trec_eval's name", instead=f"Write {meant}" if meant else ""
            )
        installed = _spelled(match["name"], MEASURES.installed())
        if installed is not None:
            raise MeasureError(
                f"the measure '{installed}' is that of an installed package, which is imported "
                "only where a user names it",
                where=text,
                instead=f"Call ragscore.measures.MEASURES.load('{installed}') first",
            )
        own = ["F1" if listed is F else listed.name for listed in TABLE]
        names = [*own, *(name for name in MEASURES.names() if name not in MEASURES.own)]
        instead = did_you_mean(match["name"], names)
        raise MeasureError(f"unknown measure '{match['name']}'", where=text, instead=instead)
    options = _parse_options(match["options"] or "", family.at, text)
    if match["at"] is not None:
        options[family.at] = family.parse_at(match["at"], text)
    return family, options


def _added(text: str) -> type[Measure] | None:
    """The class that a text names, where a package that was loaded adds it."""
    match = _SHAPE.fullmatch(text)
    name = _spelled(match["name"], MEASURES) if match else None
    return None if name is None else MEASURES[name]


def _spelled(name: str, among: Iterable[str]) -> str | None:
    """The name as it stands among others, whatever its case."""
    return next((known for known in among if known.lower() == name.lower()), None)


def _parse_options(inside: str, at: str, text: str) -> dict[str, Any]:
    options: dict[str, Any] = {}
    # A comma inside { } belongs to a map.
    parts = re.split(r",(?![^{]*\})", inside)
    for part in filter(None, (part.strip() for part in parts)):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value or name in ("cutoff", at):
            raise MeasureError(
                f"'{part}' is not an option", where=text, instead="Write name=value inside ( )"
            )
        if name in options:
            raise MeasureError(f"the option '{name}' is given twice", where=text)
        options[name] = value
    return options
