"""compare(): each dataset by one choice of baseline and primary measure, in the record that
comparison.json holds; DatasetComparer: one dataset by any choice.

Scores are brought onto common queries once, and each difference of two retrievers on a measure is
computed once, whichever choices read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Annotated, Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, InstanceOf, PlainSerializer

from ragscore.comparison.check import QueryCost, SearchFacts, find_data_problem
from ragscore.comparison.differences import AdjustedDifferences, Difference, Family, Identical
from ragscore.comparison.leader import Leader, verdict_of
from ragscore.comparison.options import CompareChanges, CompareOptions
from ragscore.comparison.overlap import Overlap
from ragscore.comparison.query_slices import Slices
from ragscore.comparison.score_matrix import on_common_queries
from ragscore.comparison.verdict import Verdict
from ragscore.dataset import SampledCorpus
from ragscore.described import in_short
from ragscore.elements import Section
from ragscore.elements.show import Shown
from ragscore.errors import ConfigError, DataError, did_you_mean
from ragscore.estimate import Estimate
from ragscore.messages import Text, _, joined
from ragscore.names import Language
from ragscore.records import Record
from ragscore.scoring import RetrieverScores, Scores


@dataclass(frozen=True)
class MeasureComparison(Record):
    """All retrievers on one measure."""

    measure: str
    """The measure as it parses: ``AP@10``."""
    label: Text
    """The measure as tables print it: ``mAP@10``."""
    primary: bool
    """Whether it decides the verdict; a secondary measure is a family of its own."""
    lower_is_better: bool
    """Whether small values are good; differences are signed so that + is better."""
    logarithm: bool
    """Whether differences are those of natural logarithms: of a geometric mean."""
    means: Mapping[str, Estimate]
    """By retriever, in order: the mean by the measure's own aggregate (a sum becomes a mean per
    query) with its interval, 95 %, not adjusted, over its queries with a value."""
    differences: tuple[Difference, ...]
    """The difference of each other retriever to the baseline that is shown."""
    best: str | None
    """The retriever that is decided to be better than every other, whatever the baseline; null
    if none is, or the measure cannot rank them. Bold where a table shows its mean."""
    notes: tuple[Text, ...] = ()
    """Notes on this measure."""

    def __repr__(self) -> str:
        return f"MeasureComparison({in_short(str(self.label))}: {in_short(', '.join(self.means))})"

    @property
    def margin(self) -> float | None:
        """The margin of its differences; None if they have none."""
        return self.differences[0].margin if self.differences else None

    @property
    def difference_label(self) -> Text:
        """What its differences are differences of: its label, of a geometric mean ``ln`` of it."""
        return joined(["ln", self.label]) if self.logarithm else self.label


@dataclass(frozen=True)
class DatasetComparison(Record):
    """All retrievers on one dataset."""

    dataset: str
    """Name of the dataset."""
    retrievers: tuple[str, ...]
    """Names, in order."""
    baseline: str
    """The retriever that the tables compare the others with: the first where the experiment
    names none."""
    family: Family
    """Which comparisons are corrected together."""
    identical: Annotated[
        tuple[Identical, ...],
        PlainSerializer(
            lambda groups: [list(group.retrievers) for group in groups],
            return_type=list[list[str]],
        ),
    ]
    """Retrievers that returned the same passages for every query: one retriever in the family."""
    primary: str
    """The measure that decides the verdict, as it parses."""
    n: Annotated[int, Field(serialization_alias="queries")]
    """Queries compared."""
    clusters: int | None
    """Clusters that they form; null if queries are independent."""
    verdict: Verdict
    """What the comparison says."""
    measures: tuple[MeasureComparison, ...]
    """In order, the primary first."""
    leader: tuple[Difference, ...]
    """The best on the primary measure against each other retriever that is not the same as
    another, corrected in the family as any other difference. Empty if nothing could be compared."""
    in_context: MeasureComparison | None
    """Where the verdict is about the same context: the primary measure over what that holds, named
    without its cutoff."""
    pairs: Mapping[str, tuple[Difference, ...]] | None
    """By measure as it parses, the primary first: every pair of retrievers of which no other
    returned the same, the first listed against the second; p is adjusted over all pairs of the
    measure. Null where all pairs were not asked for."""
    notes: tuple[Text, ...] = ()
    """Notes on the comparison: queries left out, few clusters."""
    sample: SampledCorpus | None = None
    """What the corpus that was searched is a sample of: no number holds for the whole. Null where
    it is whole."""
    differences: Annotated[InstanceOf[AdjustedDifferences] | None, Field(exclude=True)] = field(
        default=None, repr=False, compare=False
    )
    """What was compared; None if the comparison was read from a file."""

    def difference(self, measure: str, retriever: str, baseline: str) -> Difference:
        """One retriever against another on a measure, whatever is shown: corrected in the family,
        outside of which it has no p-value and no mark.

        Raises:
            DataError: a name was not compared, or the comparison was read from a file.
        """
        if self.differences is None:
            raise DataError("a comparison from a file has only the differences that it lists")
        return self.differences.difference(*self._numbers(measure, retriever, baseline))

    def all_pairs(self, measure: str) -> tuple[Difference, ...]:
        """Every pair of retrievers on a measure, corrected over all pairs; see ``pairs``."""
        if self.differences is None:
            return (self.pairs or {}).get(measure, ())
        return self.differences.all_pairs(self._numbers(measure)[0])

    def per_query(self, measure: str, retriever: str, baseline: str) -> NDArray[np.float64]:
        """float64[Q]: how much better a retriever is than another on each query, NaN where either
        has no value; differences of logarithms for a geometric mean."""
        assert self.differences is not None
        return self.differences.common.differences(*self._numbers(measure, retriever, baseline))

    def _numbers(self, measure: str, *retrievers: str) -> list[int]:
        assert self.differences is not None
        common = self.differences.common
        measures = [compared.measure for compared in common.measures]
        for name, known in ((measure, measures), *((r, common.retrievers) for r in retrievers)):
            if name not in known:
                raise DataError(f"'{name}' was not compared", instead=did_you_mean(name, known))
        return [measures.index(measure), *map(common.retrievers.index, retrievers)]

    def same(self, one: str, other: str) -> bool:
        """Whether two retrievers returned the same passages for every query."""
        pair = {one, other}
        return len(pair) == 2 and any(pair <= set(group.retrievers) for group in self.identical)

    def __getitem__(self, measure: str) -> MeasureComparison:
        """The comparison on one measure as it parses; KeyError where it was not scored."""
        for found in self.measures:
            if found.measure == measure:
                return found
        raise KeyError(
            f"{measure} was not compared; available: {[m.measure for m in self.measures]}"
        )

    def __repr__(self) -> str:
        retrievers = in_short(", ".join(self.retrievers))
        return f"DatasetComparison({in_short(self.dataset)}: {retrievers}, {self.verdict.state})"

    def __str__(self) -> str:
        return str(self.verdict)


@dataclass(frozen=True)
class Comparison(Record, Shown):
    """Retrievers compared on each dataset; datasets are never pooled."""

    schema_version: Annotated[Literal[8], Field(serialization_alias="schema")] = field(
        default=8, init=False
    )
    """Version of this format."""
    options: CompareOptions
    """The options of the comparison."""
    datasets: tuple[DatasetComparison, ...]
    """One comparison for each dataset."""
    slices: tuple[Slices, ...] = ()
    """Slices by tag or metadata key; empty if none were requested."""
    overlap: Mapping[str, tuple[Overlap, ...]] = field(default_factory=dict)
    """The overlap of each pair of runs, by dataset; empty if the judgments are not known."""

    def __getitem__(self, dataset: str) -> DatasetComparison:
        """The comparison on one dataset; KeyError if there is none."""
        for comparison in self.datasets:
            if comparison.dataset == dataset:
                return comparison
        raise KeyError(f"no dataset {dataset!r}; there is: {[d.dataset for d in self.datasets]}")

    def __repr__(self) -> str:
        return f"Comparison({', '.join(map(repr, self.datasets[:3]))[:200]})"

    def elements(self, *, every_measure: bool = True) -> tuple[Section, ...]:
        """What is printed for each dataset: the verdict, every measure, all pairs, slices, what
        pairs find together, and how to read it all.

        Args:
            every_measure: slices by all measures, not the primary one alone.
        """
        from ragscore.comparison.printing import comparison_elements

        return tuple(comparison_elements(self, dataset, every_measure) for dataset in self.datasets)

    def brief(
        self,
        *,
        named: bool | None = None,
        latency: Mapping[str, Mapping[str, float]] = MappingProxyType({}),
    ) -> tuple[Section, ...]:
        """The verdict and the differences on the primary measure, of each dataset.

        Args:
            named: whether to name the datasets; by default where there are several.
            latency: by dataset and retriever, milliseconds a query, where known.
        """
        from ragscore.comparison.printing import brief_elements

        named = len(self.datasets) > 1 if named is None else named
        return tuple(
            brief_elements(
                dataset, self.options, named=named, latency=latency.get(dataset.dataset, {})
            )
            for dataset in self.datasets
        )

    @property
    def language(self) -> Language:
        """That of its options."""
        return self.options.language


def comparison_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of comparison.json."""
    return Comparison.json_schema("ragscore comparison")


def compare(
    scores: Scores,
    options: CompareOptions | None = None,
    *,
    clusters: Mapping[str, str] | None = None,
    latency: Mapping[str, float] | None = None,
    identical: Mapping[str, Sequence[Identical]] = MappingProxyType({}),
    **changes: Unpack[CompareChanges],
) -> Comparison:
    """Compare retrievers on each dataset; datasets are never pooled.

    Args:
        scores, options, clusters, latency, changes: as for :func:`ragscore.compare` of scores.
        identical: by dataset, retrievers that returned the same passages for every query, as
            :func:`~ragscore.comparison.differences.identical_runs` finds them: they count as one.

    Raises:
        ConfigError, DataError: as there.
    """
    options = (options or CompareOptions()).changed(**changes)
    if not scores.entries:
        raise ConfigError("nothing to compare: there are no scores", instead="Score two retrievers")
    if options.baseline is not None and options.baseline not in scores.retrievers:
        raise ConfigError(
            f"the baseline '{options.baseline}' is not one of the retrievers",
            instead=did_you_mean(options.baseline, scores.retrievers),
        )
    costs = {name: QueryCost(p50=p50 or None) for name, p50 in (latency or {}).items()}
    datasets = []
    for dataset in scores.datasets:
        comparer = dataset_comparer(
            [entry for entry in scores.entries if entry.dataset == dataset],
            options,
            clusters=clusters,
            identical=identical.get(dataset, ()),
            searches=SearchFacts(costs=costs),
        )
        names = comparer.differences.common.retrievers
        if options.baseline is not None and options.baseline not in names:
            raise ConfigError(
                f"the baseline '{options.baseline}' has no scores on this dataset",
                where=dataset,
                instead=did_you_mean(options.baseline, names),
            )
        datasets.append(comparer.chosen())
    return Comparison(options, tuple(datasets))


def dataset_comparer(
    entries: Sequence[RetrieverScores],
    options: CompareOptions | None = None,
    *,
    clusters: Mapping[str, str] | None = None,
    identical: Sequence[Identical] = (),
    searches: SearchFacts | None = None,
) -> DatasetComparer:
    """What compares the retrievers of one dataset.

    Args:
        entries: scores of two retrievers or more on one dataset.
        options: how; their baseline, where they name one, makes the family.
        clusters: as for :func:`ragscore.compare`.
        identical: retrievers that returned the same passages for every query.
        searches: what is known of the searches.

    Raises:
        ConfigError, DataError: as compare().
    """
    options, searches = options or CompareOptions(), searches or SearchFacts()
    if options.cluster is not None and clusters is None:
        raise ConfigError(
            f"cluster '{options.cluster}' needs the queries",
            instead="Give clusters={query id: cluster}, or compare a result folder",
        )
    shared = partial(
        on_common_queries,
        entries[0].dataset,
        clusters=clusters,
        allow_intersect=options.allow_intersect,
    )
    differences = AdjustedDifferences(shared(entries), options, identical)
    sizes, in_context = searches.chunk_sizes, None
    if sizes is not None and sizes.context is not None and sizes.entries:
        inside = shared(sizes.entries).in_context(sizes.context)
        in_context = AdjustedDifferences(inside, options, identical)
    return DatasetComparer(differences, in_context, searches)


@dataclass(frozen=True, eq=False)
class DatasetComparer:
    """One dataset, compared by any choice of baseline and primary measure: with that measure listed
    first, and tables against that baseline. What a choice needs is computed when it is first read.

    Attributes:
        differences: of every pair on every measure, corrected by the family of the options whatever
            the choice, so that none turns the mark of a difference on or off.
        in_context: the same by what the same context holds, where retrievers search different
            chunks; None if they don't, or that is not known.
        searches: what is known of the searches.
    """

    differences: AdjustedDifferences
    in_context: AdjustedDifferences | None
    searches: SearchFacts
    _verdicts: dict[int, tuple[Verdict, tuple[Difference, ...]]] = field(
        default_factory=dict, init=False
    )

    def chosen(self, baseline: str | None = None, primary: str | None = None) -> DatasetComparison:
        """The comparison by one choice; by default by the first measure, against the baseline of
        the options or, where these name none, the first retriever."""
        differences, common = self.differences, self.differences.common
        names = [measure.measure for measure in common.measures]
        baseline = baseline or differences.options.baseline or common.retrievers[0]
        first = 0 if primary is None else names.index(primary)
        order = sorted(range(len(names)), key=lambda at: at != first)
        verdict, leader = self._verdict(first)
        inside, in_context = self._inside(first), None
        if inside is not None:
            in_context = _against(baseline, *inside, _measure(*inside), primary=True)
        return DatasetComparison(
            dataset=common.dataset,
            retrievers=common.retrievers,
            baseline=baseline,
            family=differences.family,
            identical=tuple(differences.identical),
            primary=names[first],
            n=len(common.queries),
            clusters=int(common.clusters.max()) + 1 if common.clusters is not None else None,
            verdict=verdict,
            measures=tuple(
                _against(baseline, differences, at, self._measures[at], primary=at == first)
                for at in order
            ),
            leader=leader,
            in_context=in_context,
            pairs={names[at]: differences.all_pairs(at) for at in order}
            if differences.options.all_pairs
            else None,
            notes=common.notes,
            sample=common.sample,
            differences=differences,
        )

    @cached_property
    def _measures(self) -> tuple[MeasureComparison, ...]:
        """What every choice says of each measure."""
        return tuple(
            _measure(self.differences, at) for at in range(len(self.differences.common.measures))
        )

    def _inside(self, primary: int) -> tuple[AdjustedDifferences, int] | None:
        """The differences in the same context, and the number of a measure among those; None if
        the context does not decide."""
        if self.in_context is None:
            return None
        family = str(self.differences.common.measures[primary].parsed.family())
        listed = [compared.measure for compared in self.in_context.common.measures]
        return (self.in_context, listed.index(family)) if family in listed else None

    def _verdict(self, primary: int) -> tuple[Verdict, tuple[Difference, ...]]:
        """What a primary measure says, whatever the baseline; and its leader against the others."""
        if primary not in self._verdicts:
            at_k, inside = self._leader(self.differences, primary), self._inside(primary)
            leader = at_k if inside is None else self._leader(*inside)
            answered = leader.corrected.without(self.searches.unanswered)
            verdict = verdict_of(
                leader,
                self.searches,
                identical=self.differences.identical,
                answered=None if answered is None else replace(leader, corrected=answered),
                at_k=None if inside is None else at_k,
            )
            self._verdicts[primary] = verdict, at_k.against
        return self._verdicts[primary]

    def _leader(self, differences: AdjustedDifferences, at: int) -> Leader:
        """How retrievers stand on a measure, with the means that a verdict speaks of: where queries
        that failed are left out, those over the queries that all answered."""
        common, means = differences.common, differences.means[at]
        if any(entry.counts.left_out for entry in common.entries):
            known = ~np.isnan(common.values[at]).any(axis=0)
            means = common.means(differences.options, known)[at]
        return Leader(differences, at, means, self.searches.costs)


def _measure(differences: AdjustedDifferences, at: int) -> MeasureComparison:
    """All retrievers on a measure, but for what a choice adds. The best is the one that is decided
    to be better than every other, where the ranking can be read."""
    common = differences.common
    measure, notes, leader = common.measures[at], common.measures[at].notes, Leader(differences, at)
    readable = find_data_problem(common, at, leader.against) is None
    if np.isnan(common.values[at]).any():
        undefined = _(
            "undefined for some queries; each pair is compared on the queries with a value for both"
        )
        notes = (*notes, undefined)
    return MeasureComparison(
        measure=measure.measure,
        label=measure.label,
        primary=False,
        lower_is_better=measure.sign < 0,
        logarithm=measure.logarithm,
        means=differences.means[at],
        differences=(),
        best=leader.best if readable else None,
        notes=notes,
    )


def _against(
    baseline: str,
    differences: AdjustedDifferences,
    at: int,
    measure: MeasureComparison,
    *,
    primary: bool,
) -> MeasureComparison:
    """The same with the differences to a baseline, which changes no mark."""
    names = differences.common.retrievers
    number = names.index(baseline)
    others = (r for r in range(len(names)) if r != number)
    found = tuple(differences.difference(at, r, number) for r in others)
    return replace(measure, primary=primary, differences=found)
