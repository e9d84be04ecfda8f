"""Slices: every measure by query tag and metadata, and where the retrievers change places.

A slice is a set of queries that share a value; queries with several tags are in several slices.
Each mean comes with its interval and n. A change of order alone says little in a small slice;
the gap tests (:mod:`ragscore.stats.gaps`) say where a difference between two retrievers really
is another one inside the slice than outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct, divide
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.score_matrix import ScoreMatrix
from ragscore.dataset import Queries
from ragscore.dataset.labels import labels, rows_by_value
from ragscore.described import in_short
from ragscore.errors import ConfigError, did_you_mean
from ragscore.estimate import Estimate
from ragscore.messages import Text
from ragscore.records import MaybeNaN, Record
from ragscore.stats.corrections import adjust
from ragscore.stats.gaps import MIN_UNITS, GapTests, gap_tests
from ragscore.stats.resampling import at_floor
from ragscore.stats.units import SAME

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class OrderChange(Record):
    """Two retrievers whose order within a slice is opposite to that over all queries."""

    ahead: str
    """Which is better inside the slice."""
    behind: str
    """Which is worse there."""
    inside: float
    """The difference inside the slice, positive."""
    overall: float
    """The same difference over all queries, negative."""


@dataclass(frozen=True)
class Gap(Record):
    """The difference of two retrievers inside a slice against the same outside; positive where
    ``retriever`` is better."""

    retriever: str
    """Whose difference it is."""
    baseline: str
    """The retriever that it is compared with."""
    inside: MaybeNaN
    """Its mean over the queries in the slice."""
    outside: MaybeNaN
    """Its mean over the other queries."""
    value: MaybeNaN
    """inside - outside."""
    n_inside: int
    """Queries in the slice."""
    n_outside: int
    """Queries outside it."""
    p: float | None
    """Two-sided; null if fewer than 10 queries (or clusters) are inside or outside."""
    p_adjusted: float | None
    """Corrected for ``m``; null if ``p`` is."""
    m: int
    """Gap tests on this measure and dataset, over all slices and pairs."""
    resamples: int | None = None
    """Random re-assignments drawn for ``p``; null if none were."""

    @property
    def at_floor(self) -> bool:
        """Whether p is the smallest that this many re-assignments can give."""
        return self.p is not None and at_floor(self.p, self.resamples)


@dataclass(frozen=True)
class SliceMeasure(Record):
    """All retrievers on one measure within a slice."""

    measure: str
    """The measure as it parses."""
    label: Text
    """The measure as tables print its mean."""
    means: Mapping[str, Estimate]
    """The mean of each retriever."""
    swaps: tuple[OrderChange, ...]
    """Pairs whose order is not that over all queries."""
    gaps: tuple[Gap, ...]
    """The difference of each retriever to the baseline."""


@dataclass(frozen=True)
class Slice(Record):
    """The queries that share a value."""

    by: str
    """A tag or metadata key."""
    value: str
    """Its value."""
    n: int
    """How many of the compared queries have it."""
    small: bool
    """Fewer than 10 of them (or of their clusters): too few to conclude anything."""
    measures: tuple[SliceMeasure, ...]
    """The measures, in order."""

    def __getitem__(self, measure: str) -> SliceMeasure:
        """One measure as it parses; KeyError where it has no value in slices."""
        for found in self.measures:
            if found.measure == measure:
                return found
        raise KeyError(measure)


@dataclass(frozen=True)
class Slices(Record):
    """One dataset by one tag or metadata key."""

    dataset: str
    """Name of the dataset."""
    by: str
    """A tag or metadata key."""
    n: int
    """Queries compared."""
    without: int
    """Of these, how many have no value and are in no slice."""
    overlapping: bool
    """Whether queries have several values, so that the slices overlap."""
    baseline: str
    """The retriever that the gaps refer to."""
    left_out: tuple[Text, ...]
    """Measures that have no value within a slice: micro averages."""
    slices: tuple[Slice, ...]
    """The largest first."""

    def __repr__(self) -> str:
        values = ", ".join(found.value for found in self.slices)
        return f"Slices({in_short(self.dataset)} by {in_short(self.by)}: {in_short(values)})"


def sliced(
    common: ScoreMatrix,
    queries: Queries,
    options: CompareOptions,
    *,
    baselines: Sequence[str] = (),
    reassignments: int | None = None,
) -> dict[str, tuple[Slices, ...]]:
    """Every measure within every slice: by baseline, one :class:`Slices` for each name of
    ``options.slices``. Means don't depend on the baseline.

    Args:
        common: the scores; of one retriever there are means alone. A micro average is left out,
            and named.
        queries: of the dataset; see :func:`~ragscore.dataset.labels.labels` for the names.
        options: names, interval, correction, resamples, seed.
        baselines: what the gaps refer to; by default that of the options, else the first retriever.
        reassignments: of the gap tests; by default ``options.resamples``.

    Raises:
        ConfigError: no query has such a tag or metadata, or a baseline is not there.
    """
    baselines = baselines or (options.baseline or common.retrievers[0],)
    for baseline in baselines:
        if baseline not in common.retrievers:
            raise ConfigError(
                f"the baseline '{baseline}' is not among the retrievers",
                where=common.dataset,
                instead=did_you_mean(baseline, common.retrievers),
            )
    common, left_out = _without_micro(common)
    overall, made, members, shells = _means(common.values), [], [], []
    for by in dict.fromkeys(options.slices):
        values = labels(queries, by)
        own = [values.get(query, ()) for query in common.queries]
        without, overlapping = own.count(()), any(len(several) > 1 for several in own)
        shells.append(
            Slices(common.dataset, by, len(own), without, overlapping, "", left_out, slices=())
        )
        rows = rows_by_value(values, common.queries)
        for value in sorted(rows, key=lambda value: (-len(rows[value]), value)):
            inside = np.isin(np.arange(len(own)), rows[value])
            made.append(_slice(common, by, value, inside, overall, options))
            members.append(inside)
    found: dict[str, tuple[Slices, ...]] = {}
    gaps = _gaps(common, np.array(members), baselines, options, reassignments or options.resamples)
    for baseline in baselines:
        slices = [_with_gaps(one, of) for one, of in zip(made, gaps[baseline], strict=True)]
        found[baseline] = tuple(
            replace(
                shell,
                baseline=baseline,
                slices=tuple(one for one in slices if one.by == shell.by),
            )
            for shell in shells
        )
    return found


def _without_micro(common: ScoreMatrix) -> tuple[ScoreMatrix, tuple[Text, ...]]:
    """A micro average is compared by its weights over all queries, which are not a slice's."""
    weighed = {str(measure) for entry in common.entries for measure in entry.weights}
    kept = [at for at, measure in enumerate(common.measures) if measure.measure not in weighed]
    left_out = tuple(measure.label for measure in common.measures if measure.measure in weighed)
    measures = tuple(common.measures[at] for at in kept)
    return replace(common, measures=measures, values=common.values[kept]), left_out


def _means(values: Floats) -> Floats:
    """Mean of the defined, float64[M, S]; NaN if there is none."""
    defined = ~np.isnan(values)
    sums = np.where(defined, values, 0.0).sum(axis=-1)
    return divide(sums, defined.sum(axis=-1), np.nan)


def _slice(
    common: ScoreMatrix,
    by: str,
    value: str,
    inside: NDArray[np.bool_],
    overall: Floats,
    options: CompareOptions,
) -> Slice:
    """One slice, still without gaps."""
    values, estimates = _means(common.values[:, :, inside]), common.means(options, inside)
    measures = []
    for measure, means, here, everywhere in zip(
        common.measures, estimates, values, overall, strict=True
    ):
        swaps = _swaps(common.retrievers, measure.sign * here, measure.sign * everywhere)
        measures.append(SliceMeasure(measure.measure, measure.label, means, swaps, ()))
    n = int(inside.sum())
    units = n if common.clusters is None else len(distinct(common.clusters[inside]))
    return Slice(by, value, n, units < MIN_UNITS, tuple(measures))


def _swaps(retrievers: Sequence[str], inside: Floats, overall: Floats) -> tuple[OrderChange, ...]:
    """Pairs whose order inside is not that over all: float64[S] each, more is better."""
    found = []
    for first, second in combinations(range(len(retrievers)), 2):
        here, all_in_all = inside[first] - inside[second], overall[first] - overall[second]
        if min(abs(here), abs(all_in_all)) > SAME and (here > 0) != (all_in_all > 0):
            ahead, behind = (first, second) if here > 0 else (second, first)
            leads = abs(float(here)), -abs(float(all_in_all))
            found.append(OrderChange(retrievers[ahead], retrievers[behind], *leads))
    return tuple(found)


def _with_gaps(one: Slice, gaps: Sequence[tuple[Gap, ...]]) -> Slice:
    measures = zip(one.measures, gaps, strict=True)
    return replace(one, measures=tuple(replace(measure, gaps=of) for measure, of in measures))


OfSlice = list[tuple[Gap, ...]]
"""By measure, the gaps of each other retriever to the baseline."""


def _gaps(
    common: ScoreMatrix,
    inside: NDArray[np.bool_],
    baselines: Sequence[str],
    options: CompareOptions,
    reassignments: int,
) -> dict[str, list[OfSlice]]:
    """By baseline and slice; a pair is tested once for both of its sides."""
    names, measures = common.retrievers, range(len(common.measures))
    numbers = {names.index(baseline) for baseline in baselines}
    pairs = [pair for pair in combinations(range(len(names)), 2) if not numbers.isdisjoint(pair)]
    if not pairs or not len(inside):
        return {baseline: [[() for _ in measures] for _ in inside] for baseline in baselines}
    tests = gap_tests(
        np.array([common.differences(at, *pair) for at in measures for pair in pairs]),
        inside,
        clusters=common.clusters,
        permutations=reassignments,
        seed=options.seed,
    )
    found: dict[str, list[OfSlice]] = {}
    for baseline in baselines:
        own = [(at, pair) for at, pair in enumerate(pairs) if names.index(baseline) in pair]
        of_measures = [
            _of_measure(
                names, baseline, {at * len(pairs) + row: pair for row, pair in own}, tests, options
            )
            for at in measures
        ]
        found[baseline] = [list(of_slice) for of_slice in zip(*of_measures, strict=True)]
    return found


def _of_measure(
    names: Sequence[str],
    baseline: str,
    pairs: Mapping[int, tuple[int, int]],
    tests: GapTests,
    options: CompareOptions,
) -> list[tuple[Gap, ...]]:
    """By slice. The tests of a measure with a baseline, whose rows are given with their pairs, are
    a family of their own."""
    p = tests.p[list(pairs)]
    tested = ~np.isnan(p)
    adjusted = np.full(p.shape, np.nan)
    adjusted[tested] = adjust(p[tested], options.correction)

    def gap(at: int, row: int, column: int) -> Gap:
        first, second = (names[number] for number in pairs[row])
        sign = -1.0 if first == baseline else 1.0  # no zero gets one
        within, without = (
            float(sign * of[row, column] + 0.0) for of in (tests.inside, tests.outside)
        )
        known = tested[at, column]
        return Gap(
            retriever=second if first == baseline else first,
            baseline=baseline,
            inside=within,
            outside=without,
            value=within - without,
            n_inside=int(tests.n_inside[row, column]),
            n_outside=int(tests.n_outside[row, column]),
            p=float(p[at, column]) if known else None,
            p_adjusted=float(adjusted[at, column]) if known else None,
            m=int(tested.sum()),
            resamples=tests.permutations,
        )

    return [
        tuple(gap(at, row, column) for at, row in enumerate(pairs)) for column in range(p.shape[1])
    ]
