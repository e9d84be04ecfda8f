"""Slices: every measure by query tag and metadata, and where the retrievers change places.

A slice is a set of queries that share a value; queries with several tags are in several slices.
Each mean comes with its interval and n. A change of order alone says little in a small slice;
the gap tests (:mod:`ragscore.stats.gaps`) say where a difference between two retrievers really
is another one inside the slice than outside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

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
from ragscore.stats.gaps import MIN_UNITS, gap_tests
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
    overall, keys = _means(common.values), {key: labels(queries, key) for key in options.slices}
    slices: list[Slice] = []
    members: list[NDArray[np.bool_]] = []
    for by, values in keys.items():
        rows = rows_by_value(values, common.queries)
        for value in sorted(rows, key=lambda value: (-len(rows[value]), value)):
            members.append(np.isin(np.arange(len(common.queries)), rows[value]))
            slices.append(_slice(common, by, value, members[-1], overall, options))
    gaps = _gaps(common, np.array(members), baselines, options, reassignments or options.resamples)

    def of_key(by: str, baseline: str) -> Slices:
        own = [keys[by].get(query, ()) for query in common.queries]
        return Slices(
            dataset=common.dataset,
            by=by,
            n=len(own),
            without=own.count(()),
            overlapping=any(len(several) > 1 for several in own),
            baseline=baseline,
            left_out=left_out,
            slices=tuple(
                _with_gaps(part, at, baseline, gaps)
                for at, part in enumerate(slices)
                if part.by == by
            ),
        )

    return {baseline: tuple(of_key(by, baseline) for by in keys) for baseline in baselines}


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


Gaps = defaultdict[tuple[str, int, int], list[Gap]]
"""By baseline, number of a slice, and number of a measure."""


def _gaps(
    common: ScoreMatrix,
    inside: NDArray[np.bool_],
    baselines: Sequence[str],
    options: CompareOptions,
    reassignments: int,
) -> Gaps:
    """A pair is tested once for both of its sides; the tests of a measure with a baseline, in all
    slices, are a family of their own."""
    names, found = common.retrievers, Gaps(list)
    pairs = [
        (measure, *pair)
        for measure in range(len(common.measures))
        for pair in combinations(range(len(names)), 2)
        if any(names[side] in baselines for side in pair)
    ]
    if not pairs or not len(inside):
        return found
    tests = gap_tests(
        np.array([common.differences(*pair) for pair in pairs]),
        inside,
        clusters=common.clusters,
        permutations=reassignments,
        seed=options.seed,
    )
    for baseline, measure in product(baselines, range(len(common.measures))):
        family = {
            row: (names[first], names[second])
            for row, (of, first, second) in enumerate(pairs)
            if of == measure and baseline in (names[first], names[second])
        }
        p = tests.p[list(family)]
        tested = ~np.isnan(p)
        m = int(tested.sum())
        adjusted = np.full(p.shape, np.nan)
        adjusted[tested] = adjust(p[tested], options.correction)
        for (at, (row, sides)), part in product(enumerate(family.items()), range(len(inside))):
            sign = -1.0 if sides[0] == baseline else 1.0
            # No zero gets a sign.
            within = float(sign * tests.inside[row, part] + 0.0)
            without = float(sign * tests.outside[row, part] + 0.0)
            gap = Gap(
                retriever=sides[1] if sides[0] == baseline else sides[0],
                baseline=baseline,
                inside=within,
                outside=without,
                value=within - without,
                n_inside=int(tests.n_inside[row, part]),
                n_outside=int(tests.n_outside[row, part]),
                p=float(p[at, part]) if tested[at, part] else None,
                p_adjusted=float(adjusted[at, part]) if tested[at, part] else None,
                m=m,
                resamples=tests.permutations,
            )
            found[baseline, part, measure].append(gap)
    return found


def _with_gaps(part: Slice, at: int, baseline: str, gaps: Gaps) -> Slice:
    measures = (
        replace(measure, gaps=tuple(gaps[baseline, at, number]))
        for number, measure in enumerate(part.measures)
    )
    return replace(part, measures=tuple(measures))
