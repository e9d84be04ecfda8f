"""RecordedResult: a result folder, read back; each part when it is used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ragscore.dataset import Dataset
from ragscore.described import in_short
from ragscore.display import Displayed
from ragscore.encoders import Truncation
from ragscore.errors import ConfigError, DataError, did_you_mean
from ragscore.formats import read_parquet_run
from ragscore.measures import Measure, parse_measures
from ragscore.results.data import searched_dataset
from ragscore.results.layout import EXPERIMENT, MANIFEST, SCORES, SUMMARY, TOKENS, run_file
from ragscore.results.manifest import (
    DAMAGED,
    DatasetEntry,
    Manifest,
    RetrieverEntry,
    read_document,
    recorded_bytes,
)
from ragscore.results.measured import scored_from_run
from ragscore.results.scores_file import RecordedMeans, odd_means, read_scores, read_summary
from ragscore.results.tokens_file import TokenCounts, read_tokens
from ragscore.run import Run
from ragscore.scoring import ProfileName, RetrieverScores, Scores, profile_named


@dataclass(frozen=True, eq=False)
class RecordedResult(Displayed):
    """A result folder.

    Attributes:
        folder: where it stands.
        manifest: what it says of itself.
    """

    folder: Path
    manifest: Manifest
    _datasets: dict[str, Dataset] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        names = ", ".join(self.retrievers)
        return f"RecordedResult({in_short(str(self.folder))}: {in_short(names)})"

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self.manifest.experiment

    @property
    def datasets(self) -> list[str]:
        """Names of the datasets."""
        return [entry.name for entry in self.manifest.datasets]

    @property
    def retrievers(self) -> list[str]:
        """Names of the retrievers that have a run on some dataset, in the order of the config."""
        done = (entry for entry in self.manifest.retrievers if entry.status == "complete")
        return list(dict.fromkeys(entry.name for entry in done))

    @property
    def failures(self) -> dict[tuple[str, str], str]:
        """By (dataset, retriever) without a run: the error."""
        failed = (entry for entry in self.manifest.retrievers if entry.status == "failed")
        return {(entry.dataset, entry.name): entry.error for entry in failed}

    @property
    def profile(self) -> ProfileName:
        """The conventions that the scores follow."""
        return self.manifest.profile

    @property
    def primary(self) -> str:
        """The measure that was listed first."""
        measures = self.scores.measures
        return str(measures[0]) if measures else ""

    @cached_property
    def scores(self) -> Scores:
        """The recorded value of every query, with the counts behind the means.

        A measure whose mean weighs its queries is measured anew from the run, since the weights
        are not recorded.

        Raises:
            DataError: scores.parquet or summary.json are damaged or do not agree.
        """
        scores, recorded = self._as_recorded
        return Scores(tuple(self._weighed(entry, recorded) for entry in scores.entries))

    @cached_property
    def plain_scores(self) -> Scores:
        """The scores without the measures whose mean weighs its queries (:meth:`weighed`): what
        can be told where a dataset is not there any more.

        Raises:
            DataError: scores.parquet or summary.json are damaged.
        """
        scores, recorded = self._as_recorded
        entries = []
        for entry in scores.entries:
            odd = odd_means(entry, recorded)
            entries.append(entry.by([one for one in entry.measures if str(one) not in odd]))
        return Scores(tuple(entries))

    def weighed(self, dataset: str) -> list[str]:
        """The measures on a dataset whose mean weighs its queries."""
        scores, recorded = self._as_recorded
        own = (entry for entry in scores.entries if entry.dataset == dataset)
        return list(dict.fromkeys(one for entry in own for one in odd_means(entry, recorded)))

    @cached_property
    def _as_recorded(self) -> tuple[Scores, RecordedMeans]:
        recorded = read_summary(self._bytes(SUMMARY), self._at(SUMMARY))
        name = SCORES
        most = len(recorded.means) * max((one.queries for one in self.manifest.datasets), default=0)
        scores = read_scores(self._bytes(name), recorded.counts, self._at(name), most)
        scored = {(entry.dataset, entry.retriever) for entry in scores.entries}
        complete = {
            (one.dataset, one.name) for one in self.manifest.retrievers if one.status == "complete"
        }
        for dataset, retriever in sorted(scored ^ complete):
            has, lacks = (MANIFEST, name) if (dataset, retriever) in complete else (name, MANIFEST)
            what = f"{has} names {retriever} on {dataset}, and {lacks} does not"
            raise DataError(what, where=str(self.folder), instead=DAMAGED)
        return scores, recorded

    def scored(self, measures: Iterable[str | Measure]) -> Scores:
        """The scores by these measures: the recorded ones where all are there, else from the
        recorded runs.

        Raises:
            MeasureError: a measure cannot be parsed, or its cutoff is above a run's depth.
            DataError: the dataset is needed and is not what was searched.
        """
        asked = profile_named(self.profile).measures(parse_measures(measures))
        entries = []
        for entry in self.scores.entries:
            if set(asked) <= set(entry.measures):
                entries.append(entry.by(asked))
            else:
                entries.append(self._measured(entry, asked))
        return Scores(tuple(entries))

    def run(self, dataset: str, retriever: str) -> Run:
        """The recorded run, over the passage ids that it names.

        Raises:
            DataError: there is no such run, or its file is damaged.
        """
        entry = self._entry(dataset, retriever)
        name = run_file(dataset, retriever, several=len(self.datasets) > 1)
        searched = self.dataset_entry(dataset).queries
        return read_parquet_run(
            self.folder / name,
            name=retriever,
            content=self._bytes(name),
            most_rows=searched * entry.depth,
        )

    def token_counts(self, dataset: str) -> TokenCounts | None:
        """The tokens of the passages that came back, as the run's tokenizer counted them; None
        where it counted none. The tokenizer itself is never loaded here.

        Raises:
            DataError: the recorded counts are damaged.
        """
        return self._token_counts.get(dataset)

    @cached_property
    def _token_counts(self) -> dict[str, TokenCounts]:
        if TOKENS not in self.manifest.files:
            return {}
        most = sum(
            self.dataset_entry(one.dataset).queries * one.depth for one in self.manifest.retrievers
        )
        return read_tokens(self._bytes(TOKENS), self._at(TOKENS), most)

    def dataset(self, name: str | None = None) -> Dataset:
        """The dataset that was searched, read from where it was.

        Args:
            name: by default the only one.

        Raises:
            DataError: it is not there any more, or has changed since.
        """
        if name is None:
            if len(self.datasets) > 1:
                raise ConfigError("there are several datasets", instead=f"Name one: {self._names}")
            name = self.datasets[0]
        if name not in self._datasets:
            self._datasets[name] = searched_dataset(self.dataset_entry(name), self.folder)
        return self._datasets[name]

    def dataset_entry(self, name: str) -> DatasetEntry:
        """What the manifest says of a dataset; a DataError where it says nothing."""
        entry = next((one for one in self.manifest.datasets if one.name == name), None)
        if entry is None:
            raise self._unknown_dataset(name)
        return entry

    @cached_property
    def document(self) -> dict[str, Any]:
        """All that manifest.json says, as plain data.

        Raises:
            DataError: it was changed meanwhile.
        """
        return read_document(self.folder)

    @cached_property
    def experiment_text(self) -> str:
        """experiment.yaml as it was written; empty where the result has none.

        Raises:
            DataError: it was changed.
        """
        if EXPERIMENT not in self.manifest.files:
            return ""
        return self._bytes(EXPERIMENT).decode("utf-8", "replace")

    def latency_ms(self, dataset: str, retriever: str) -> float | None:
        """Half of the single queries were answered in this time; None where none was timed."""
        latency = self._entry(dataset, retriever).latency
        return latency.p50_ms if latency is not None else None

    def truncations(self, dataset: str) -> tuple[Truncation, ...]:
        """What the encoders did not read of a dataset's passages and queries."""
        own = (entry for entry in self.manifest.retrievers if entry.dataset == dataset)
        return tuple(dict.fromkeys(cut for entry in own for cut in entry.truncations))

    @property
    def _names(self) -> str:
        return ", ".join(self.datasets)

    def _at(self, name: str) -> str:
        return str(self.folder / name)

    def _bytes(self, name: str) -> bytes:
        return recorded_bytes(self.folder, self.manifest, name)

    def _entry(self, dataset: str, retriever: str) -> RetrieverEntry:
        where = str(self.folder)
        if dataset not in self.datasets:
            raise self._unknown_dataset(dataset)
        for entry in self.manifest.retrievers:
            if (entry.dataset, entry.name) != (dataset, retriever):
                continue
            if entry.status == "failed":
                what = f"'{retriever}' failed on {dataset}: {entry.error}"
                raise DataError(what, where=where)
            return entry
        instead = did_you_mean(retriever, self.retrievers)
        raise DataError(f"no retriever is named '{retriever}'", where=where, instead=instead)

    def _unknown_dataset(self, name: str) -> DataError:
        instead = did_you_mean(name, self.datasets)
        return DataError(f"no dataset is named '{name}'", where=str(self.folder), instead=instead)

    def _weighed(self, entry: RetrieverScores, recorded: RecordedMeans) -> RetrieverScores:
        odd = odd_means(entry, recorded)
        if not odd:
            return entry
        measured = self._measured(entry, entry.measures)
        at = [measured.measures.index(measure) for measure in entry.measures]
        if not np.array_equal(measured.values[at], entry.values, equal_nan=True):
            what = f"the recorded {', '.join(odd)} of {entry.retriever} are not what its run gives"
            raise DataError(what, where=self._at(SCORES))
        return measured

    def _measured(self, entry: RetrieverScores, measures: Iterable[Measure]) -> RetrieverScores:
        return scored_from_run(self, entry.dataset, entry.retriever, measures)
