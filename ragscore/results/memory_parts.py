"""MemoryParts: a result whose runs, scores and datasets are in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ragscore.dataset import Dataset, Qrels
from ragscore.errors import DataError, RagscoreError
from ragscore.results.manifest import Key, Manifest
from ragscore.results.result_parts import ResultParts
from ragscore.results.tokens_file import TokenCounts
from ragscore.run import Run
from ragscore.scoring import Scores
from ragscore.sweeps.model import SweptConfigurations


@dataclass(eq=False)
class MemoryParts(ResultParts):
    """What was searched and scored in this process.

    Attributes:
        manifest: what the result says of itself.
        held_scores: every value.
        held_runs: by (dataset, retriever), as they are recorded.
        held_datasets: by name; those that are known.
        held_qrels: by name: the judgments of the others.
        errors: by (dataset, retriever) without a run: what was raised.
        held_tokens: by dataset, the tokens of the passages that came back.
        held_sweeps: by dataset, what the experiment swept.
        extra_files: by name, files that are kept as they are: what the experiment's gate said.
        text: of the experiment file; empty if there was none.
        folder: where the result was written; None if it was not.
    """

    manifest: Manifest
    held_scores: Scores
    held_runs: Mapping[Key, Run]
    held_datasets: Mapping[str, Dataset]
    held_qrels: Mapping[str, Qrels] = field(default_factory=dict)
    errors: Mapping[Key, RagscoreError] = field(default_factory=dict)
    held_tokens: Mapping[str, TokenCounts] = field(default_factory=dict)
    held_sweeps: Mapping[str, SweptConfigurations] = field(default_factory=dict)
    extra_files: dict[str, bytes] = field(default_factory=dict)
    text: str = ""
    folder: Path | None = None

    @property
    def scores(self) -> Scores:
        """Every value."""
        return self.held_scores

    @property
    def experiment_text(self) -> str:
        """The experiment file."""
        return self.text

    @cached_property
    def failures(self) -> Mapping[Key, RagscoreError]:
        """What was raised."""
        return self.errors

    def run(self, dataset: str, retriever: str) -> Run:
        """A run."""
        self.entry(dataset, retriever)
        return self.held_runs[dataset, retriever]

    def dataset(self, name: str) -> Dataset:
        """A dataset."""
        self.dataset_entry(name)
        if name not in self.held_datasets:
            raise DataError(
                "the judgments are a file, so texts, tags and metadata are not known",
                where=name,
                instead="Give the dataset's folder as --qrels",
            )
        return self.held_datasets[name]

    def qrels(self, name: str) -> Qrels:
        """The judgments of a dataset."""
        return self.held_qrels[name] if name in self.held_qrels else self.dataset(name).qrels

    def token_counts(self, dataset: str) -> TokenCounts | None:
        """The tokens of the passages that came back."""
        return self.held_tokens.get(dataset)

    def returned_texts(self, dataset: str) -> Mapping[str, str]:
        """The texts that systems returned, by passage id, where the dataset has no corpus."""
        held = self.held_datasets.get(dataset)
        return {} if held is None else held.returned

    def extra_file(self, name: str) -> bytes | None:
        """A file that is kept as it is."""
        return self.extra_files.get(name)

    def swept(self, dataset: str) -> SweptConfigurations | None:
        """What the experiment swept."""
        return self.held_sweeps.get(dataset)
