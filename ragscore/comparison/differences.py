"""Paired differences of retrievers: tested many at once, and corrected in their family; which
retrievers are the same."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.comparison.options import CompareOptions
from ragscore.comparison.score_matrix import ScoreMatrix
from ragscore.described import in_short
from ragscore.estimate import Estimate
from ragscore.measures import Measure
from ragscore.messages import Message, _
from ragscore.records import MaybeNaN, Record
from ragscore.run import Run
from ragscore.scoring import RetrieverScores
from ragscore.stats.corrections import Correction, adjust
from ragscore.stats.difference_intervals import difference_intervals, effect_size
from ragscore.stats.equivalence import Equivalence, equivalences
from ragscore.stats.few_differ import TOO_FEW
from ragscore.stats.intervals import LEVEL, NOT_ESTIMABLE, Interval
from ragscore.stats.paired import PairedTest, paired_tests
from ragscore.stats.paired_power import PairedPower, Unknown, unknown_spreads
from ragscore.stats.units import SAME, by_defined, units_of

ALPHA = 0.05
"""An adjusted p-value below this, with an interval that excludes 0, decides."""

Withheld = Literal["", "one unit", "few differ", "no spread", "no margin"]
"""Why a difference carries no claim: fewer than two queries (clusters); 5 or fewer of them
differ; all differ by the same; no margin on a measure that does not lie in [0, 1]."""


@dataclass(frozen=True, kw_only=True)
class Difference(Record):
    """One retriever minus another on one measure; positive where ``retriever`` is better. What a
    family decides has a default, which holds until :meth:`corrected`."""

    retriever: str
    """The retriever that is compared."""
    baseline: str
    """The retriever that it is compared with."""
    value: MaybeNaN
    """Mean difference; null if no query has a value for both."""
    interval: Interval
    """95 %, not adjusted."""
    test: PairedTest
    """The paired test, not adjusted."""
    p_adjusted: MaybeNaN = math.nan
    """The p-value within its family; null if it is in none."""
    m: int = 1
    """Comparisons in the family, identical retrievers counted once."""
    effect: MaybeNaN
    """d_z: mean difference over the standard deviation of the differences; null (infinite in
    Python) where these don't vary."""
    wins: int
    """Queries on which ``retriever`` is better."""
    ties: int
    """Queries on which both are as good."""
    losses: int
    """Queries on which ``retriever`` is worse."""
    n: int
    """Queries with a value for both."""
    clusters: int | None
    """Clusters that these form; null if queries are independent."""
    differing: int
    """Queries (clusters, where there are some) with a difference."""
    margin: float | None
    """The largest difference that does not matter; null if none was given and the measure does
    not lie in [0, 1]."""
    detectable: float | None = None
    """The smallest true difference detected with 80 % power at .05 / m, computed from the spread
    of the differences; null if it cannot be computed: see ``withheld``."""
    needed: int | None = None
    """How many queries, these among them, detect a true difference of the margin with 80 % power
    at .05 / m; never computed from the observed difference; null if ``detectable`` is, and
    without a margin."""
    equivalence: Equivalence | None
    """What the margin says; null if ``needed`` is."""
    withheld: Withheld
    """Why these three are null: fewer than two units, 5 or fewer units that differ, no spread, or
    no margin (then ``detectable`` is not null); empty if none is null."""
    decided: bool = False
    """Adjusted p below .05, the interval excludes 0, and more than 5 units differ, whichever test
    was asked for; never outside the family."""
    below_margin: bool = False
    """Whether it is decided, and the whole interval is closer to 0 than the margin."""
    disagrees: bool = False
    """Whether only one of p-value and interval shows the difference."""

    power: Annotated[PairedPower | None, Field(exclude=True)] = field(
        default=None, repr=False, compare=False
    )
    """How the differences spread; None if that is not known."""

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval, or the mean alone where all differences are the same, so that no spread
        can be estimated; NaN if there are not two units, or where too few differ for any interval
        to hold."""
        if self.interval.estimable or self.test.n < 2 or 0 < self.test.nonzero < self.test.n:
            return self.interval.low, self.interval.high
        return self.value, self.value

    @property
    def equal(self) -> bool:
        """Whether the whole interval is closer to 0 than the margin, and enough differ to say
        so."""
        if self.margin is None or self.differing <= TOO_FEW:
            return False
        return all(-self.margin < bound < self.margin for bound in self.bounds)

    @property
    def reversed(self) -> Difference:
        """The same seen from the other retriever, before it is corrected; the tests are two-sided.
        No zero gets a sign."""
        return replace(
            self,
            retriever=self.baseline,
            baseline=self.retriever,
            value=0.0 - self.value,
            interval=self.interval.reversed,
            effect=0.0 - self.effect,
            wins=self.losses,
            losses=self.wins,
            equivalence=self.equivalence.reversed if self.equivalence else None,
        )

    def corrected(self, p: float, m: int, correction: Correction) -> Difference:
        """The same, with what its family decides.

        Args:
            p: the p-value within its family; NaN if it is in none.
            m: comparisons in the family.
            correction: how p-values are corrected.
        """
        low, high = self.bounds
        excludes, shown = low > 0 or high < 0, p < ALPHA
        decided = shown and excludes and self.differing > TOO_FEW
        alpha = ALPHA / m if correction != "none" else ALPHA
        power, margin = self.power, self.margin
        return replace(
            self,
            p_adjusted=p,
            m=m,
            detectable=power.detectable(alpha) if power else None,
            needed=power.needed(margin, alpha) if power and margin is not None else None,
            decided=decided,
            below_margin=decided and margin is not None and max(abs(low), abs(high)) < margin,
            disagrees=not math.isnan(p) and shown != excludes,
        )

    def __repr__(self) -> str:
        names = f"{in_short(self.retriever)} against {in_short(self.baseline)}"
        return f"Difference({names}: {self.value:+.4g}, {self.n} queries)"


@dataclass(frozen=True)
class Family(Record):
    """The comparisons whose p-values are corrected together, on each measure separately; every
    mark of what is decided comes from it."""

    baseline: str | None
    """Where the experiment names one, the comparisons with it are the family; null: all pairs."""
    m: int
    """How many comparisons, identical retrievers counted once."""


@dataclass(frozen=True)
class Identical:
    """Retrievers that returned the same passages for every query: one retriever for statistics.

    Attributes:
        retrievers: two names or more, as listed; the first stands for all of them.
        reason: why they are the same, where that is known.
    """

    retrievers: tuple[str, ...]
    reason: Message | None = None


Key = tuple[int, int, int]
"""Numbers of a measure, a retriever and the one that it is compared with."""
Pairs = tuple[tuple[int, int], ...]
BLOCK = 100_000
"""Queries whose rankings are compared at once."""


def paired_differences(
    scores: ScoreMatrix, wanted: Iterable[Key], options: CompareOptions
) -> dict[Key, Difference]:
    """Every wanted difference, not corrected yet; those over the same queries share their random
    draws. Values within 1e-12 differ by exactly 0."""
    keys = list(dict.fromkeys(wanted))
    columns = np.array([scores.differences(*key) for key in keys])
    columns = columns.reshape(len(keys), len(scores.queries))
    found: dict[Key, Difference] = {}
    for known, together in by_defined(columns):
        values = columns[np.ix_(together, known)]
        values[np.abs(values) <= SAME] = 0.0
        own = [keys[column] for column in together.tolist()]
        clusters = scores.clusters[known] if scores.clusters is not None else None
        found |= zip(own, _differences(scores, own, values, clusters, options), strict=True)
    return found


def _differences(
    scores: ScoreMatrix,
    keys: Sequence[Key],
    values: NDArray[np.float64],
    clusters: NDArray[np.int64] | None,
    options: CompareOptions,
) -> list[Difference]:
    """Those of float64[C, n] over the same queries."""
    count, n = values.shape
    method = None if options.interval == "default" else options.interval
    margins = [options.margin_on(bounded=scores.measures[key[0]].bounded) for key in keys]
    unknown: list[Unknown] = ["one unit"] * count
    tests = [PairedTest(1.0, options.test, True, None, 0, 0)] * count
    intervals = [Interval(math.nan, math.nan, LEVEL, method or "t", NOT_ESTIMABLE)] * count
    powers: dict[int, PairedPower] = {}
    equal: dict[int, Equivalence] = {}
    if n:
        draws = {"resamples": options.resamples, "seed": options.seed}
        tests = paired_tests(values, method=options.test, clusters=clusters, **draws)
        intervals = difference_intervals(values, method=method, clusters=clusters, **draws)
        units = units_of(values, clusters)
        unknown = unknown_spreads(units)
        known = [column for column in range(count) if not unknown[column]]
        if known:
            powers = dict(zip(known, PairedPower.of(units.only(known)), strict=True))
        within = {column: margin for column in known if (margin := margins[column]) is not None}
        if within:
            tested = equivalences(values[list(within)], list(within.values()), clusters=clusters)
            equal = dict(zip(within, tested, strict=True))
    names, found = scores.retrievers, []
    for column, ((_measure, first, second), row) in enumerate(zip(keys, values, strict=True)):
        mean = math.fsum(row.tolist()) / n if n else math.nan
        wins, losses = int((row > 0).sum()), int((row < 0).sum())
        found.append(
            Difference(
                retriever=names[first],
                baseline=names[second],
                value=0.0 if abs(mean) <= SAME else mean,
                interval=intervals[column],
                test=tests[column],
                effect=effect_size(row) if n else math.nan,
                wins=wins,
                ties=n - wins - losses,
                losses=losses,
                n=n,
                clusters=tests[column].n if clusters is not None else None,
                differing=tests[column].nonzero,
                margin=margins[column],
                equivalence=equal.get(column),
                withheld=unknown[column] or ("no margin" if margins[column] is None else ""),
                power=powers.get(column),
            )
        )
    return found


@dataclass(frozen=True)
class ComparisonPlan:
    """Which comparisons are corrected together, identical retrievers counted once.

    Attributes:
        stands_for: by number of a retriever: the number of the one that stands for it, itself
            where no other returned the same.
        baseline: number of the retriever that the experiment names; None: the family is all pairs.
        distinct: the retrievers without those that an identical one represents.
        all_pairs: every pair of these, the lower number first.
        family: the pairs that are corrected together.
    """

    stands_for: tuple[int, ...]
    baseline: int | None
    distinct: tuple[int, ...]
    all_pairs: Pairs
    family: Pairs


def plan_of(
    names: Sequence[str], identical: Sequence[Identical], baseline: str | None
) -> ComparisonPlan:
    """The plan for some retrievers. Of identical ones the named baseline stands for the others,
    else the first; where the baseline is not among the retrievers, the family is all pairs."""
    stands_for = list(range(len(names)))
    for group in identical:
        first = names.index(baseline if baseline in group.retrievers else group.retrievers[0])
        for name in group.retrievers:
            stands_for[names.index(name)] = first
    named = names.index(baseline) if baseline in names else None
    distinct = tuple(r for r, other in enumerate(stands_for) if r == other)
    pairs = family = tuple(combinations(distinct, 2))
    if named is not None:
        family = tuple(pair for pair in pairs if named in pair)
    return ComparisonPlan(tuple(stands_for), named, distinct, pairs, family)


@dataclass(frozen=True, eq=False)
class AdjustedDifferences:
    """Every pair of retrievers of one dataset on every measure, each measure corrected for itself.

    Attributes:
        common: what was compared.
        options: how.
        identical: retrievers that returned the same passages for every query.
    """

    common: ScoreMatrix
    options: CompareOptions
    identical: Sequence[Identical] = ()

    def without(self, unanswered: Mapping[str, Collection[str]]) -> AdjustedDifferences | None:
        """The same without the queries that each retriever did not answer; None if all did.

        Args:
            unanswered: by retriever, ids of queries.
        """
        if not any(unanswered.values()):
            return None
        common, values = self.common, self.common.values.copy()
        for row, name in enumerate(common.retrievers):
            lacking = set(unanswered.get(name, ()))
            values[:, row, [query in lacking for query in common.queries]] = np.nan
        if np.array_equal(values, common.values, equal_nan=True):
            return None
        return replace(self, common=replace(common, values=values))

    @cached_property
    def plan(self) -> ComparisonPlan:
        """Which comparisons are corrected together."""
        return plan_of(self.common.retrievers, self.identical, self.options.baseline)

    @property
    def family(self) -> Family:
        """What the plan corrects together, by name."""
        plan = self.plan
        named = None if plan.baseline is None else self.common.retrievers[plan.baseline]
        return Family(named, len(plan.family))

    @cached_property
    def means(self) -> list[dict[str, Estimate]]:
        """Of each measure by retriever."""
        return self.common.means(self.options)

    @cached_property
    def _single(self) -> dict[Key, Difference]:
        """Of all distinct pairs and of identical ones, the lower number first; not corrected."""
        plan, of_each = self.plan, range(len(self.common.measures))
        alike = [
            pair
            for pair in combinations(range(len(plan.stands_for)), 2)
            if plan.stands_for[pair[0]] == plan.stands_for[pair[1]]
        ]
        wanted = ((measure, *pair) for measure in of_each for pair in (*plan.all_pairs, *alike))
        return paired_differences(self.common, wanted, self.options)

    @cached_property
    def _adjusted(self) -> dict[bool, dict[Key, float]]:
        """P-values, by whether they are corrected over all pairs, or in the family."""
        found: dict[bool, dict[Key, float]] = {}
        for over_all, pairs in ((True, self.plan.all_pairs), (False, self.plan.family)):
            found[over_all] = {}
            for measure in range(len(self.common.measures)):
                keys = [(measure, *pair) for pair in pairs]
                p = adjust([self._single[key].test.p for key in keys], self.options.correction)
                found[over_all] |= zip(keys, p.tolist(), strict=True)
        return found

    @cached_property
    def _found(self) -> dict[tuple[int, int, int, bool], Difference]:
        """Those that were asked for: every choice of baseline and primary measure shares them."""
        return {}

    def difference(
        self, measure: int, retriever: int, baseline: int, *, over_all: bool = False
    ) -> Difference:
        """One retriever against another.

        Args:
            measure, retriever, baseline: their numbers.
            over_all: corrected over all pairs, for their table; by default in the family, outside
                of which a difference has no p-value and no mark.
        """
        plan, names = self.plan, self.common.retrievers
        over_all = over_all or plan.baseline is None
        asked = measure, retriever, baseline, over_all
        if asked not in self._found:
            one, other = plan.stands_for[retriever], plan.stands_for[baseline]
            p = self._adjusted[over_all].get((measure, min(one, other), max(one, other)), math.nan)
            if one == other:  # identical ones
                one, other = sorted((retriever, baseline))
            found = self._single[measure, min(one, other), max(one, other)]
            found = found if one < other else found.reversed
            found = replace(found, retriever=names[retriever], baseline=names[baseline])
            m = max(len(plan.all_pairs if over_all else plan.family), 1)
            self._found[asked] = found.corrected(p, m, self.options.correction)
        return self._found[asked]

    def all_pairs(self, measure: int) -> tuple[Difference, ...]:
        """Every pair of retrievers of which no other returned the same, the first listed against
        the second; p is corrected over all pairs of the measure."""
        pairs = self.plan.all_pairs
        return tuple(self.difference(measure, *pair, over_all=True) for pair in pairs)


def identical_runs(
    runs: Mapping[str, Run],
    entries: Sequence[RetrieverScores],
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    titled: bool | None = None,
) -> tuple[Identical, ...]:
    """Groups of retrievers whose passages and scores of every query are the same.

    Passages are compared to the deepest cutoff of a measure, in their order; to the depth of the
    runs where a measure has no cutoff. That all measures of all queries agree is no proof: two
    retrievers may return different passages that nobody judged.

    Args:
        runs: by retriever, as the conventions of the scores read them.
        entries: scores of these retrievers on one dataset.
        settings: by retriever, its spec as in the manifest, for the reason.
        titled: whether any passage of the corpus has a title; None if that is not known.
    """
    # The deepest of all: a run may have places that nothing fills, where it named a passage twice.
    depth = max((_depth(entry.measures, runs[entry.retriever]) for entry in entries), default=0)
    groups: list[list[RetrieverScores]] = []
    for entry in entries:
        for group in groups:
            first = group[0]
            if (
                list(first.query_ids) == list(entry.query_ids)
                and np.array_equal(first.values, entry.values, equal_nan=True)
                and _same_rankings(
                    runs[first.retriever], runs[entry.retriever], entry.query_ids, depth
                )
            ):
                group.append(entry)
                break
        else:
            groups.append([entry])
    alike = [tuple(entry.retriever for entry in group) for group in groups if len(group) > 1]
    return tuple(Identical(names, _reason(names, settings or {}, titled)) for names in alike)


def _depth(measures: Sequence[Measure], run: Run) -> int:
    cutoffs = [measure.cutoff for measure in measures]
    whole = [run.rows.shape[1] if not isinstance(cutoff, int) else cutoff for cutoff in cutoffs]
    return max(whole, default=run.rows.shape[1])


def _same_rankings(first: Run, second: Run, queries: Sequence[str], depth: int) -> bool:
    """Whether two runs have the same passages, by their ids, in the same order for each query."""
    rows: NDArray[np.int32] | None = None  # in the vocabulary of the first, by row of the second
    if first.passages is not second.passages:
        rows = np.append(first.passages.rows(second.passages), -1).astype(np.int32)
        rows[:-1][rows[:-1] < 0] = -2  # no passage of the first
    for start in range(0, len(queries), BLOCK):
        part = queries[start : start + BLOCK]
        ours, theirs = (_rows(run, part, depth) for run in (first, second))
        if not np.array_equal(ours, theirs if rows is None else rows[theirs]):
            return False
    return True


def _rows(run: Run, queries: Sequence[str], depth: int) -> NDArray[np.int32]:
    """int32[Q, depth], -1 where a run returned nothing."""
    found: NDArray[np.int32] = np.full((len(queries), depth), -1, dtype=np.int32)
    place, cut = run.queries.rows(list(queries)), run.rows[:, :depth]
    found[place >= 0, : cut.shape[1]] = cut[place[place >= 0]]
    return found


def _reason(
    names: Sequence[str], settings: Mapping[str, Mapping[str, Any]], titled: bool | None
) -> Message | None:
    specs = [settings.get(name) for name in names]
    if titled is not False or None in specs:
        return None
    plain = [_without_fields(spec) for spec in specs]
    if any(spec != specs[0] for spec in specs) and all(spec == plain[0] for spec in plain):
        return _("no passage has a title")
    return None


def _without_fields(spec: Any) -> Any:
    if isinstance(spec, Mapping):
        return {key: _without_fields(field) for key, field in spec.items() if key != "fields"}
    return spec
