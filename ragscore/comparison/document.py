"""Comparison: all datasets, and what comparison.json holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, InstanceOf, PlainSerializer

from ragscore.comparison.differences import AdjustedDifferences
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.overlap import Overlap
from ragscore.comparison.query_slices import Slices
from ragscore.comparison.record import Difference, Family, Identical, MeasureComparison
from ragscore.comparison.verdict import Verdict
from ragscore.dataset import SampledCorpus
from ragscore.described import in_short
from ragscore.elements import Section
from ragscore.elements.show import Shown
from ragscore.errors import DataError, did_you_mean
from ragscore.messages import Text
from ragscore.names import Language
from ragscore.records import Record


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

    schema_version: Annotated[Literal[7], Field(serialization_alias="schema")] = field(
        default=7, init=False
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

        return tuple(
            comparison_elements(
                dataset,
                self.options,
                named=len(self.datasets) > 1,
                slices=[found for found in self.slices if found.dataset == dataset.dataset],
                overlap=self.overlap.get(dataset.dataset, ()),
                every_measure=every_measure,
            )
            for dataset in self.datasets
        )

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
