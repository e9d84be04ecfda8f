"""The measures: a visible table, and the words that name them.

To add one: write a small file beside the others, and put its class into :data:`TABLE`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from itertools import chain
from typing import Any

from ragscore.errors import MeasureError, did_you_mean
from ragscore.measures.area import AUC as AUC
from ragscore.measures.average_precision import AP as AP
from ragscore.measures.average_recall import AR as AR
from ragscore.measures.base import Measure as Measure
from ragscore.measures.base import build
from ragscore.measures.cascade import ERR as ERR
from ragscore.measures.complete import AlphaNDCG as AlphaNDCG
from ragscore.measures.complete import Complete as Complete
from ragscore.measures.complete import NeedRank as NeedRank
from ragscore.measures.coverage import JudgedShare as JudgedShare
from ragscore.measures.coverage import UnjudgedShare as UnjudgedShare
from ragscore.measures.cumulated_gain import CG as CG
from ragscore.measures.cumulated_gain import DCG as DCG
from ragscore.measures.cumulated_gain import IDCG as IDCG
from ragscore.measures.cumulated_gain import NDCG as NDCG
from ragscore.measures.first_relevant import MR as MR
from ragscore.measures.first_relevant import RR as RR
from ragscore.measures.geometric import GMAP as GMAP
from ragscore.measures.geometric import GMBPref as GMBPref
from ragscore.measures.inferred import InfAP as InfAP
from ragscore.measures.interpolated import ElevenPoint as ElevenPoint
from ragscore.measures.interpolated import IPrec as IPrec
from ragscore.measures.leaks import Leak as Leak
from ragscore.measures.leaks import LeakCount as LeakCount
from ragscore.measures.leaks import LeakRank as LeakRank
from ragscore.measures.passage_counts import NumRel as NumRel
from ragscore.measures.passage_counts import NumRelRet as NumRelRet
from ragscore.measures.passage_counts import NumRet as NumRet
from ragscore.measures.preference import BPref as BPref
from ragscore.measures.r_precision import Rprec as Rprec
from ragscore.measures.rank_biased import RBP as RBP
from ragscore.measures.rank_biased import RBPResidual as RBPResidual
from ragscore.measures.recorded_measure import Traits as Traits
from ragscore.measures.recorded_measure import recorded_measure
from ragscore.measures.sets import F as F
from ragscore.measures.sets import P as P
from ragscore.measures.sets import R as R
from ragscore.measures.sets import Success as Success
from ragscore.measures.spans import IoU as IoU
from ragscore.measures.spans import SpanF1 as SpanF1
from ragscore.measures.spans import SpanP as SpanP
from ragscore.measures.spans import SpanR as SpanR
from ragscore.measures.trec_names import measures_for, understands
from ragscore.measures.whole_sets import SetF as SetF
from ragscore.measures.whole_sets import SetP as SetP
from ragscore.measures.whole_sets import SetR as SetR
from ragscore.plugins import Catalogue

TABLE: tuple[type[Measure], ...] = (
    *(NDCG, AP, RR, P, R, F, Success, AR, MR, ERR, RBP, RBPResidual, CG, DCG, IDCG),
    *(Rprec, BPref, InfAP, GMAP, GMBPref, IPrec, ElevenPoint, AUC, SetP, SetR, SetF),
    *(Complete, NeedRank, AlphaNDCG),
    *(Leak, LeakCount, LeakRank),
    *(JudgedShare, UnjudgedShare, NumRet, NumRel, NumRelRet),
    *(SpanR, SpanP, SpanF1, IoU),
)
"""Every measure that ragscore brings."""

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


@cache
def _by_name(table: tuple[type[Measure], ...]) -> dict[str, type[Measure]]:
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
        for name in _names_of(family):
            if (other := named.setdefault(name, family)) is not family:
                raise MeasureError(
                    f"the name '{name}' is taken by {other.__module__}.{other.__name__}",
                    where=where,
                    instead="Choose another name; case does not count",
                )
    return named


def _names_of(family: type[Measure]) -> list[str]:
    names = [name.lower() for name in (family.name, *family.aliases)]
    return list(dict.fromkeys((*names, *map(_joined, names))))


def _joined(name: str) -> str:
    """A name without what parts its words: hit_rate, hit-rate and HitRate are one."""
    return name.lower().replace("_", "").replace("-", "")


def _takes_a_name(family: type[Measure]) -> str:
    """Why a package may not add a measure: a name or alias of it is another measure's."""
    named = _by_name(tuple(MEASURES.values()))
    taken = next((name for name in _names_of(family) if name in named), None)
    return f"takes the name '{taken}' of {named[taken].name}" if taken else ""


MEASURES: Catalogue[type[Measure]] = Catalogue(
    "ragscore.measures",
    "measure",
    {getattr(family, "name", family.__name__): family for family in TABLE},
    wanted="a subclass of ragscore.Measure of this name, with a summary",
    fits=lambda name, thing: (
        isinstance(thing, type)
        and issubclass(thing, Measure)
        and getattr(thing, "name", "") == name
        and hasattr(thing, "summary")
    ),
    objection=_takes_a_name,
)
"""By name, those that installed packages add too."""
_SHAPE = re.compile(
    r"\s*(?P<name>[^\s()@]+)\s*(?:\((?P<options>.*)\))?\s*(?:@\s*(?P<at>[^\s@]+))?\s*"
)


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
        if match is None or _known(match["name"]) or (recorded and text in _RECORDED):
            continue
        name = _spelled(match["name"], MEASURES.installed())
        if name is not None:
            MEASURES.load(name)
    return listed


def record_measure(text: str, traits: Traits) -> None:
    """Let :func:`parse_measure` know a measure of another package that a result records."""
    _RECORDED.setdefault(text, recorded_measure(text, traits))


def parse_measure(text: str) -> Measure:
    """The measure that a text such as ``nDCG(gain=exp)@10`` names, in any case, by any alias, its
    words parted by _ or - or not.

    >>> str(parse_measure("MAP@100")), str(parse_measure("hit_rate@5"))
    ('AP@100', 'Success@5')

    Raises:
        MeasureError: the name, an option or the cutoff is unknown, or a cutoff is missing.
    """
    match = _SHAPE.fullmatch(text)
    if text in _RECORDED and (match is None or _known(match["name"]) is None):
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
    family = _known(match["name"])
    if family is None:
        if understands(text):
            meant = ", ".join(map(str, measures_for(text)))
            raise MeasureError(
                f"'{text}' is trec_eval's name", instead=f"Write {meant}" if meant else ""
            )
        installed = _spelled(match["name"], MEASURES.installed())
        if installed is not None:
            raise MeasureError(
                f"the measure '{installed}' comes from an installed package, which is imported "
                "only where a user names it",
                where=text,
                instead=f"Call ragscore.measures.MEASURES.load('{installed}') first",
            )
        own = ["F1" if listed is F else listed.name for listed in TABLE]
        names = [*own, *(name for name in MEASURES.names() if name not in MEASURES.own)]
        also = chain.from_iterable(listed.aliases for listed in MEASURES.values())
        instead = did_you_mean(match["name"], names, also)
        raise MeasureError(f"unknown measure '{match['name']}'", where=text, instead=instead)
    options = _parse_options(match["options"] or "", family.at, text)
    if match["at"] is not None:
        options[family.at] = family.parse_at(match["at"], text)
    return family, options


def _known(name: str) -> type[Measure] | None:
    """The class of a name or alias: ragscore's own, or one of a package that was loaded."""
    named = _by_name(tuple(MEASURES.values()))
    if name.lower() in named or understands(name):
        return named.get(name.lower())
    return named.get(_joined(name))


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
