"""ResultParts: what a result is made of, wherever it comes from, and what its manifest tells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from ragscore.dataset import Dataset, Qrels
from ragscore.errors import ConfigError, DataError, RagscoreError, unknown_name
from ragscore.measures import Measure, parse_measures
from ragscore.results.manifest import DatasetEntry, Key, Manifest, RetrieverEntry
from ragscore.results.tokens_file import TokenCounts
from ragscore.run import Run
from ragscore.scoring import RetrieverScores, Scores, profile_named, score
from ragscore.sweeps.model import SweptConfigurations


class Holding:
    """Base of objects whose parts are computed when they are first read."""

    def holding(self, **parts: Any) -> Self:
        """The same object with these parts in place of its own.

        Args:
            parts: by name; what was computed before is kept, and what was not reads these.
        """
        made = copy(self)
        vars(made).update(parts)
        return made


class ResultParts(ABC):
    """The runs, scores and datasets of a result.

    What is damaged, or needs a dataset that is gone, is a DataError when it is read.

    Attributes:
        manifest: what it says of itself.
        folder: where it stands; None if it is only in memory.
    """

    manifest: Manifest
    folder: Path | None

    @property
    @abstractmethod
    def scores(self) -> Scores:
        """The value of every query, with the counts behind the means."""

    @property
    def experiment_text(self) -> str:
        """experiment.yaml; empty if no experiment file was run."""
        return ""

    @abstractmethod
    def run(self, dataset: str, retriever: str) -> Run:
        """A run as it was recorded; a DataError if there is none."""

    @abstractmethod
    def dataset(self, name: str) -> Dataset:
        """The dataset that was searched; a DataError where it has changed since."""

    def qrels(self, name: str) -> Qrels:
        """The judgments of a dataset."""
        return self.dataset(name).qrels

    def part(self, dataset: str, retriever: str) -> Dataset:
        """A dataset as a retriever knows it: the chunks that it searched, and their judgments;
        where nothing was chunked, the dataset."""
        return self.dataset(dataset).part(self.entry(dataset, retriever).chunkers)

    def token_counts(self, dataset: str) -> TokenCounts | None:
        """The tokens of the passages that came back, as the run's tokenizer counted them; None
        if it counted none."""
        return None

    def returned_texts(self, dataset: str) -> Mapping[str, str]:
        """The texts that systems returned, by passage id, where the dataset has no corpus."""
        return {}

    def swept(self, dataset: str) -> SweptConfigurations | None:
        """What the experiment swept on a dataset; None if it swept nothing."""
        return None

    def extra_file(self, name: str) -> bytes | None:
        """One of the files that are kept as they are, such as what the experiment's gate said; None
        if there is none."""
        return None

    @property
    def plain_scores(self) -> Scores:
        """The scores without the measures that :meth:`weighed` names: what is left where a
        dataset no longer exists."""
        return self.scores

    def weighed(self, dataset: str) -> list[str]:
        """The measures whose mean weighs its queries by what only the dataset knows."""
        return []

    def as_scored(self, dataset: str, retriever: str, run: Run) -> Run:
        """A recorded run in the order that the conventions of its scores give it."""
        return profile_named(self.manifest.profile).run(run)

    def scored(self, measures: Iterable[str | Measure]) -> Scores:
        """The scores by these measures: the recorded ones where all are there, else from the
        recorded runs.

        Raises:
            MeasureError: a measure cannot be parsed, or its cutoff is above a run's depth.
            DataError: the dataset is needed and is not what was searched.
        """
        asked = profile_named(self.manifest.profile).measures(parse_measures(measures))
        return Scores(
            tuple(
                entry.by(asked)
                if set(asked) <= set(entry.measures)
                else self.measured(entry.dataset, entry.retriever, asked)
                for entry in self.scores.entries
            )
        )

    def measured(
        self, dataset: str, retriever: str, measures: Iterable[str | Measure]
    ) -> RetrieverScores:
        """Scores of a recorded run, as the experiment would have given them.

        Raises:
            ConfigError: a cutoff is above what was recorded.
            DataError: the dataset is not what was searched.
        """
        run, data = self.run(dataset, retriever), self.part(dataset, retriever)
        whole = data.corpus is not None and run.depth >= len(data.corpus)
        asked = parse_measures(measures)
        for measure in asked:
            if isinstance(measure.cutoff, int) and measure.cutoff > run.depth and not whole:
                raise ConfigError(
                    f"{measure} has a cutoff above the depth of {run.depth} that was recorded",
                    where=self.where,
                    instead=f"Ask for a cutoff up to {run.depth}, or run with depth: "
                    f"{measure.cutoff}",
                )
        (entry,) = score(
            run,
            data,
            asked,
            dataset=dataset,
            retriever=retriever,
            profile=self.manifest.profile,
            recorded=run.depth,
        ).entries
        return entry

    # What the manifest tells.

    @cached_property
    def datasets(self) -> list[str]:
        """Names of the datasets."""
        return [entry.name for entry in self.manifest.datasets]

    @cached_property
    def retrievers(self) -> list[str]:
        """Names of the retrievers that have a run on some dataset, in the order of the config."""
        return list(dict.fromkeys(name for _, name in self.manifest.runs))

    @cached_property
    def failures(self) -> Mapping[Key, RagscoreError]:
        """By (dataset, retriever) without a run: the error."""
        failed = (entry for entry in self.manifest.retrievers if entry.status == "failed")
        return {entry.key: RagscoreError(entry.error) for entry in failed}

    def dataset_entry(self, name: str) -> DatasetEntry:
        """What the manifest says of a dataset; a DataError where it says nothing."""
        entry = next((entry for entry in self.manifest.datasets if entry.name == name), None)
        if entry is None:
            raise DataError(unknown_name("dataset", name, self.datasets, self.where))
        return entry

    def entry(self, dataset: str, retriever: str) -> RetrieverEntry:
        """What the manifest says of a run; a DataError if there is none."""
        self.dataset_entry(dataset)
        for entry in self.manifest.retrievers:
            if entry.key == (dataset, retriever):
                if entry.status == "failed":
                    what = f"'{retriever}' failed on {dataset}: {entry.error}"
                    raise DataError(what, where=self.where)
                return entry
        raise DataError(unknown_name("retriever", retriever, self.retrievers, self.where))

    def only_dataset(self) -> str:
        """The name of the only dataset; a ConfigError where there are several."""
        if len(self.datasets) > 1:
            names = ", ".join(self.datasets)
            raise ConfigError("there are several datasets", instead=f"Name one: {names}")
        return self.datasets[0]

    def is_readable(self, dataset: str) -> bool:
        """Whether a dataset is there as it was searched."""
        try:
            self.dataset(dataset)
        except RagscoreError:
            return False
        return True

    @property
    def where(self) -> str:
        """The folder, for messages."""
        return str(self.folder) if self.folder is not None else ""
