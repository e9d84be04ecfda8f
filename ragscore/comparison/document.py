"""Comparison: all datasets; and comparison.json, which adds slices and what pairs find together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.blocks import Section, as_text
from ragscore.comparison.model import DatasetComparison
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.overlap import Overlap
from ragscore.comparison.printing import brief_blocks, comparison_blocks
from ragscore.comparison.slice_model import Slices
from ragscore.display import Displayed
from ragscore.records import Record
from ragscore.strings import Language


@dataclass(frozen=True)
class Comparison(Record, Displayed):
    """Retrievers compared on each dataset; datasets are never pooled."""

    schema_version: Annotated[Literal[2], Field(serialization_alias="schema")] = field(
        default=2, init=False
    )
    """Version of this format."""
    options: CompareOptions
    """How it was done."""
    datasets: tuple[DatasetComparison, ...]
    """One comparison for each dataset."""

    def __getitem__(self, dataset: str) -> DatasetComparison:
        """The comparison on one dataset; KeyError where there is none."""
        for comparison in self.datasets:
            if comparison.dataset == dataset:
                return comparison
        raise KeyError(f"no dataset {dataset!r}; available: {[d.dataset for d in self.datasets]}")

    def __repr__(self) -> str:
        return f"Comparison({', '.join(map(repr, self.datasets[:3]))[:200]})"

    def blocks(self) -> tuple[Section, ...]:
        """What is printed of it: of each dataset the verdict, every measure, all pairs, how to
        read them; in the language of the options."""
        named = len(self.datasets) > 1
        return tuple(
            comparison_blocks(dataset, self.options, named=named) for dataset in self.datasets
        )

    def brief(
        self, *, named: bool | None = None, language: Language | None = None
    ) -> tuple[Section, ...]:
        """The verdict and the differences on the primary measure, of each dataset.

        Args:
            named: whether to name the datasets; by default where there are several.
            language: of all texts; by default that of the options.
        """
        named = len(self.datasets) > 1 if named is None else named
        return tuple(
            brief_blocks(dataset, self.options, named=named, language=language)
            for dataset in self.datasets
        )

    def __str__(self) -> str:
        return as_text(self.brief())


@dataclass(frozen=True, repr=False)
class ComparisonDocument(Comparison):
    """comparison.json."""

    slices: tuple[Slices, ...]
    """By tag or metadata; empty where none were asked for."""
    overlap: Mapping[str, tuple[Overlap, ...]]
    """By dataset, of each pair of runs; empty where the judgments are not known."""

    def blocks(self, *, every_measure: bool = True) -> tuple[Section, ...]:
        """What is printed of each dataset.

        Args:
            every_measure: slices by all measures, not the primary one alone.
        """
        named = len(self.datasets) > 1
        return tuple(
            comparison_blocks(
                part,
                self.options,
                named=named,
                slices=[found for found in self.slices if found.dataset == part.dataset],
                overlap=self.overlap.get(part.dataset, ()),
                every_measure=every_measure,
            )
            for part in self.datasets
        )


def comparison_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of comparison.json."""
    return ComparisonDocument.json_schema("ragscore comparison")
