"""open_result: a result folder, read back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from ragscore.dataset import Dataset
from ragscore.errors import ConfigError, DataError, did_you_mean
from ragscore.formats import read_parquet_run
from ragscore.measures import DEFAULT_MEASURES, Measure, parse_measures
from ragscore.paths import expanded
from ragscore.results.data import check_searched, searched_dataset
from ragscore.results.manifest import (
    MANIFEST,
    DatasetEntry,
    Manifest,
    RetrieverEntry,
    check_files,
    read_manifest,
    recorded_bytes,
)
from ragscore.results.scores_file import Recorded, odd_means, read_scores, read_summary
from ragscore.run import Run
from ragscore.scoring import ProfileName, RetrieverScores, Scores, profile_named, score


def open_result(
    folder: str | Path, *, datasets: Mapping[str, Dataset] | None = None
) -> RecordedResult:
    """Open what ``ragscore run`` wrote; scores, runs and datasets are read when they are used.

    Args:
        folder: the result, or a folder of results such as ``results/NAME``: its newest.
        datasets: by name, those that are in memory already and need not be read again.

    Raises:
        DataError: it is no result folder, files of it are missing or have another length, or a
            dataset is not the one that was searched.
    """
    folder = expanded(folder)
    if not (folder / MANIFEST).is_file():
        folder = _newest(folder)
    manifest = read_manifest(folder)
    check_files(folder, manifest)
    result = RecordedResult(folder, manifest)
    for name, dataset in (datasets or {}).items():
        check_searched(dataset, result.dataset_entry(name), folder)
        result._datasets[name] = dataset
    return result


def _newest(folder: Path) -> Path:
    complete = [
        path.parent for path in folder.glob(f"*/{MANIFEST}") if not path.parent.name.startswith(".")
    ]
    if not complete:
        if not folder.exists():
            what = "no such folder"
        elif folder.is_dir():
            what = f"no result is here: there is no {MANIFEST}"
        else:
            what = "it is a file, and a result is a folder"
        raise DataError(
            what,
            where=str(folder),
            instead="Name a folder that `ragscore run` wrote, such as results/NAME",
        )
    return max(complete, key=lambda path: (read_manifest(path).created, path.name))


@dataclass(frozen=True, eq=False)
class RecordedResult:
    """A result folder.

    Attributes:
        folder: where it stands.
        manifest: what it says of itself.
    """

    folder: Path
    manifest: Manifest
    _datasets: dict[str, Dataset] = field(default_factory=dict, repr=False)

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
    def _as_recorded(self) -> tuple[Scores, Recorded]:
        recorded = read_summary(self._bytes("summary.json"), self._at("summary.json"))
        name = "scores.parquet"
        return read_scores(self._bytes(name), recorded.counts, self._at(name)), recorded

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
        self._entry(dataset, retriever)
        several = len(self.datasets) > 1
        name = f"runs/{dataset}/{retriever}.parquet" if several else f"runs/{retriever}.parquet"
        self._bytes(name)
        return read_parquet_run(self.folder / name, name=retriever)

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

    def latency_ms(self, dataset: str, retriever: str) -> float | None:
        """Half of the single queries were answered in this time; None where none was timed."""
        latency = self._entry(dataset, retriever).latency
        return latency.p50_ms if latency is not None else None

    def _repr_html_(self) -> str:
        from ragscore.report.notebook import recorded_html

        return recorded_html(self)

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

    def _weighed(self, entry: RetrieverScores, recorded: Recorded) -> RetrieverScores:
        odd = odd_means(entry, recorded)
        if not odd:
            return entry
        measured = self._measured(entry, entry.measures)
        at = [measured.measures.index(measure) for measure in entry.measures]
        if not np.array_equal(measured.values[at], entry.values, equal_nan=True):
            what = f"the recorded {', '.join(odd)} of {entry.retriever} are not what its run gives"
            raise DataError(what, where=self._at("scores.parquet"))
        return measured

    def _measured(self, entry: RetrieverScores, measures: Iterable[Measure]) -> RetrieverScores:
        return scored_from_run(self, entry.dataset, entry.retriever, measures)


def scored_from_run(
    result: RecordedResult,
    dataset: str,
    retriever: str,
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
) -> RetrieverScores:
    """Scores of a recorded run, as the experiment would have given them.

    Raises:
        MeasureError: a cutoff is above what was recorded.
        DataError: the dataset is not what was searched.
    """
    run, data = result.run(dataset, retriever), result.dataset(dataset)
    n_passages = len(data.corpus) if data.corpus is not None else None
    asked = parse_measures(measures)
    for measure in asked:
        if (
            isinstance(measure.cutoff, int)
            and measure.cutoff > run.depth
            and (n_passages is None or run.depth < n_passages)
        ):
            raise ConfigError(
                f"{measure} has a cutoff above the depth of {run.depth} that was recorded",
                where=str(result.folder),
                instead=f"Ask for a cutoff up to {run.depth}, or run with depth: {measure.cutoff}",
            )
    (entry,) = score(
        run,
        data.qrels,
        asked,
        dataset=dataset,
        retriever=retriever,
        unanswerable=data.queries.unanswerable,
        profile=result.profile,
        recorded=run.depth,
        n_passages=n_passages,
    ).entries
    return entry
