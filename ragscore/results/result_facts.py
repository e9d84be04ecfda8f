"""ResultFacts: what a result says of itself, and what was found: runs, scores and datasets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragscore.dataset import Dataset, Qrels
from ragscore.errors import DiskError, RagscoreError
from ragscore.measures import Measure
from ragscore.messages import Text
from ragscore.results.manifest import Key, Manifest
from ragscore.results.result_parts import Holding, ResultParts
from ragscore.results.result_view import experiment_data
from ragscore.results.stages import Stages
from ragscore.results.summary import FailureRow, Summary, summarise
from ragscore.run import Run
from ragscore.scoring import Scores

if TYPE_CHECKING:
    import polars


class Runs(Mapping[Key, Run]):
    """The runs of a result by (dataset, retriever), each read when it is first used."""

    def __init__(self, parts: ResultParts) -> None:
        self._parts = parts
        self._keys = parts.manifest.runs
        self._read: dict[Key, Run] = {}

    def __getitem__(self, key: Key) -> Run:
        if key not in self._read:
            if key not in self._keys:
                raise KeyError(key)
            self._read[key] = self._parts.run(*key)
        return self._read[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


@dataclass(frozen=True, eq=False)
class ResultFacts(Holding):
    """What was recorded of a result.

    Attributes:
        parts: where runs, scores and datasets come from.
        page: the report's page that was written, the folder of the report where no page was
            wanted; None if none was written with the result.
        unreported: why no report could be written; None if nothing hindered it.
        report_notes: what was noted while the report was written.
    """

    parts: ResultParts
    page: Path | None = None
    unreported: DiskError | None = None
    report_notes: tuple[Text, ...] = ()

    # What the manifest says.

    @property
    def manifest(self) -> Manifest:
        """What the result says of itself."""
        return self.parts.manifest

    @property
    def name(self) -> str:
        """The name of the experiment, or of what was evaluated."""
        return self.manifest.experiment

    @cached_property
    def description(self) -> str:
        """The experiment's description; empty if it has none."""
        return str(experiment_data(self.parts.experiment_text).get("description") or "")

    @property
    def folder(self) -> Path | None:
        """The result's folder; None if it is only in memory."""
        return self.parts.folder

    @property
    def experiment_text(self) -> str:
        """experiment.yaml; empty if no experiment file was run."""
        return self.parts.experiment_text

    @property
    def notes(self) -> tuple[Text, ...]:
        """What the user should know, each once."""
        return (*self.manifest.notes, *self.report_notes)

    @property
    def datasets(self) -> list[str]:
        """Names of the datasets."""
        return self.parts.datasets

    @property
    def retrievers(self) -> list[str]:
        """Names of the retrievers that have a run on some dataset, in the order of the config."""
        return self.parts.retrievers

    @property
    def failures(self) -> Mapping[Key, RagscoreError]:
        """By (dataset, retriever) without a run: the error."""
        return self.parts.failures

    @cached_property
    def stages(self) -> Mapping[Key, Stages]:
        """By (dataset, retriever): what the search cost."""
        return {entry.key: entry.stages for entry in self.manifest.retrievers if entry.stages}

    # What was found.

    @cached_property
    def scores(self) -> Scores:
        """The value of every query, with the counts behind the means.

        Raises:
            DataError: what was recorded is damaged.
        """
        return self.parts.scores

    @property
    def primary(self) -> str:
        """The measure that was listed first."""
        measures = self.scores.measures
        return str(measures[0]) if measures else ""

    @cached_property
    def runs(self) -> Runs:
        """By (dataset, retriever), as they were recorded."""
        return Runs(self.parts)

    def run(self, dataset: str, retriever: str) -> Run:
        """The recorded run, over the passage ids that it names.

        Raises:
            DataError: there is no such run, or its file is damaged.
        """
        return self.parts.run(dataset, retriever)

    def dataset(self, name: str | None = None) -> Dataset:
        """The dataset that was searched, read from where it was.

        Args:
            name: by default the only one.

        Raises:
            DataError: it no longer exists, or has changed since.
        """
        return self.parts.dataset(self.parts.only_dataset() if name is None else name)

    def qrels(self, name: str | None = None) -> Qrels:
        """The judgments of a dataset; as :meth:`dataset`."""
        return self.parts.qrels(self.parts.only_dataset() if name is None else name)

    def scored(self, measures: Iterable[str | Measure]) -> Scores:
        """The scores by these measures: the recorded ones where all are there, else from the
        recorded runs.

        Raises:
            MeasureError: a measure cannot be parsed, or its cutoff is above a run's depth.
            DataError: the dataset is needed and is not what was searched.
        """
        return self.parts.scored(measures)

    def to_polars(self) -> polars.DataFrame:
        """The means, one row each; see :meth:`Scores.to_polars`."""
        return self.scores.to_polars()

    def per_query(self) -> polars.DataFrame:
        """The values of every query; see :meth:`Scores.per_query`."""
        return self.scores.per_query()

    def to_pandas(self, *, per_query: bool = False) -> Any:
        """The means, or the values of every query, in pandas; see :meth:`Scores.to_pandas`."""
        return self.scores.to_pandas(per_query=per_query)

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """``{dataset: {retriever: {measure: mean}}}``."""
        return self.scores.to_dict()

    def summary(self) -> Summary:
        """What summary.json says."""
        failures = [
            FailureRow(dataset=dataset, retriever=retriever, error=str(error))
            for (dataset, retriever), error in self.failures.items()
        ]
        return summarise(self.name, self.scores, failures)
