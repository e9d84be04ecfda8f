"""Comparison: all datasets, and what comparison.json holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.comparison.model import DatasetComparison
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.overlap import Overlap
from ragscore.comparison.printing import brief_elements, comparison_elements
from ragscore.comparison.slice_model import Slices
from ragscore.display import Displayed
from ragscore.elements import Section, as_text
from ragscore.records import Record


@dataclass(frozen=True)
class Comparison(Record, Displayed):
    """Retrievers compared on each dataset; datasets are never pooled."""

    schema_version: Annotated[Literal[5], Field(serialization_alias="schema")] = field(
        default=5, init=False
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

    def brief(self, *, named: bool | None = None) -> tuple[Section, ...]:
        """The verdict and the differences on the primary measure, of each dataset.

        Args:
            named: whether to name the datasets; by default where there are several.
        """
        named = len(self.datasets) > 1 if named is None else named
        return tuple(
            brief_elements(dataset, self.options, named=named) for dataset in self.datasets
        )

    def __str__(self) -> str:
        return as_text(self.brief(), language=self.options.language)


def comparison_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of comparison.json."""
    return Comparison.json_schema("ragscore comparison")
