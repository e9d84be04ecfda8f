"""From a comparison to its records."""

from __future__ import annotations

import math
from dataclasses import asdict

from ragscore.comparison.model import (
    Comparison,
    DatasetComparison,
    Difference,
    MeanWithInterval,
    MeasureComparison,
    VerdictLine,
)
from ragscore.comparison.records import (
    ComparisonRecord,
    DatasetRecord,
    DifferenceRecord,
    EquivalenceRecord,
    FamilyRecord,
    IntervalRecord,
    LineTextRecord,
    MeanRecord,
    MeasureRecord,
    PairRecord,
    VerdictLineRecord,
    VerdictRecord,
)
from ragscore.stats.intervals import Interval
from ragscore.strings import LANGUAGES


def comparison_record(comparison: Comparison) -> ComparisonRecord:
    """The record of a comparison; numbers that don't exist become null."""
    return ComparisonRecord(
        schema=2,
        options=comparison.options,
        datasets=[_dataset(one) for one in comparison.datasets],
    )


def _dataset(one: DatasetComparison) -> DatasetRecord:
    verdict = VerdictRecord(
        state=one.verdict.state,
        lines=[_line(line) for line in one.verdict.lines],
        leader=one.verdict.leader,
        tied=list(one.verdict.tied),
    )
    pairs = None
    if one.pairs is not None:
        pairs = [PairRecord(**asdict(pair)) for pair in one.pairs]
    return DatasetRecord(
        dataset=one.dataset,
        retrievers=list(one.retrievers),
        baseline=one.baseline,
        family=FamilyRecord(**asdict(one.family)),
        identical=[list(group.retrievers) for group in one.identical],
        primary=one.primary,
        queries=one.n,
        clusters=one.clusters,
        verdict=verdict,
        measures=[_measure(measure) for measure in one.measures],
        leader=[_difference(difference) for difference in one.leader],
        pairs=pairs,
        notes=list(one.notes),
    )


def _line(line: VerdictLine) -> VerdictLineRecord:
    texts = {
        language: LineTextRecord(word=line.word(language), text=line.text(language))
        for language in LANGUAGES
    }
    return VerdictLineRecord(kind=line.kind, facts=dict(line.facts), **texts)


def _measure(one: MeasureComparison) -> MeasureRecord:
    return MeasureRecord(
        measure=one.measure,
        label=one.label,
        primary=one.primary,
        lower_is_better=one.lower_is_better,
        means=[_mean(mean) for mean in one.means.values()],
        differences=[_difference(difference) for difference in one.differences],
        notes=list(one.notes),
    )


def _mean(one: MeanWithInterval) -> MeanRecord:
    return MeanRecord(
        retriever=one.retriever,
        value=_number(one.value),
        interval=_interval(one.interval),
        n=one.n,
    )


def _difference(one: Difference) -> DifferenceRecord:
    values = asdict(one)
    for name in ("value", "effect", "p_adjusted"):
        values[name] = _number(values[name])
    values["interval"] = _interval(one.interval)
    if one.equivalence is not None:
        within = asdict(one.equivalence)
        within["interval90"] = _interval(one.equivalence.interval90)
        within["bound95"] = _number(one.equivalence.bound95)
        values["equivalence"] = EquivalenceRecord(**within)
    return DifferenceRecord(**values)


def _interval(one: Interval) -> IntervalRecord:
    values = asdict(one)
    values["low"], values["high"] = _number(one.low), _number(one.high)
    return IntervalRecord(**values)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
