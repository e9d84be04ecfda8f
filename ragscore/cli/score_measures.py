"""Which measures ``ragscore score`` was asked for, in ragscore's words or in trec_eval's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragscore.measures import JudgedShare, Measure, load_named, parse_measures
from ragscore.measures.trec_names import TrecLine, lines, measures_for, name_of, understands
from ragscore.scoring import Profile


@dataclass(frozen=True)
class Wanted:
    """The measures with the options that flags and profile add.

    Attributes:
        measures: each once, in the order in which they were asked for.
        lines: what ``--format trec`` prints of them, in trec_eval's order; what trec_eval has
            not comes last, under its own name.
    """

    measures: tuple[Measure, ...]
    lines: tuple[TrecLine, ...]


def wanted_measures(
    texts: Sequence[str], *, relevant_from: float | None, profile: Profile
) -> Wanted:
    """The measures that texts name.

    Args:
        texts: ``nDCG@10`` and the like, or what follows ``trec_eval -m``; a name of both, such
            as ``P`` or ``map``, is trec_eval's.
        relevant_from: set on every binary measure that does not say it itself.
        profile: sets the options that are still at their defaults.

    Raises:
        MeasureError: one cannot be parsed, or trec_eval has it and ragscore has not.
    """

    def final(measure: Measure) -> Measure:
        if relevant_from is not None:
            measure = measure.with_relevant_from(relevant_from)
        return profile.measures([measure])[0]

    measures: list[Measure] = []
    named: list[str] = []
    own: list[TrecLine] = []
    for text in texts:
        if understands(text):
            named.append(text)
            measures += measures_for(text)
            continue
        for measure in parse_measures(load_named(text)):
            measures.append(measure)
            name = name_of(measure)
            if name is not None:
                named.append(name)
            else:
                own.append(TrecLine(str(final(measure)), measure, whole=measure.aggregate == "sum"))
    printed = [*(lines(named) if named else ()), *own]
    return Wanted(
        tuple(dict.fromkeys(map(final, measures))),
        tuple(
            dict.fromkeys(
                line if line.measure is None else replace(line, measure=final(line.measure))
                for line in printed
            )
        ),
    )


def judged_beside(measures: Sequence[Measure]) -> Measure:
    """Judged at the largest cutoff that is asked for; at the depth if none is."""
    cutoffs = [measure.cutoff for measure in measures if isinstance(measure.cutoff, int)]
    return JudgedShare() @ (max(cutoffs) if cutoffs else "depth")
