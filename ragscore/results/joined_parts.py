"""JoinedParts: several results looked at as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ragscore.dataset import Dataset, Qrels
from ragscore.errors import ConfigError, DataError
from ragscore.measures import Measure
from ragscore.messages import Message, Text, _, listed
from ragscore.results.manifest import DatasetEntry, Key, Manifest
from ragscore.results.result_parts import ResultParts
from ragscore.results.tokens_file import TokenCounts
from ragscore.run import Run
from ragscore.scoring import Scores
from ragscore.sweeps.model import SweptConfigurations


class JoinedParts(ResultParts):
    """The parts of several results, perhaps scored by other measures. A retriever whose name
    several of them have is named after its folder too.

    Args:
        joined: whose parts; results of the same data and conventions.
        measures: what all are scored by; by default what they recorded.
        notes: for the user.
    """

    def __init__(
        self,
        joined: Sequence[ResultParts],
        measures: Iterable[str | Measure] = (),
        notes: Sequence[Text] = (),
    ) -> None:
        self.joined = joined
        self.measures = tuple(measures)
        self.folder = joined[0].folder if len(joined) == 1 else None
        self._names = _names(joined)
        first = joined[0].manifest
        entries = [
            entry.model_copy(
                update={
                    "name": self._names.get((at, entry.name), entry.name),
                    "inputs": tuple(self._names.get((at, name), name) for name in entry.inputs),
                }
            )
            for at, parts in enumerate(joined)
            for entry in parts.manifest.retrievers
        ]
        datasets = {entry.name: entry for parts in joined for entry in parts.manifest.datasets}
        self.manifest: Manifest = first.model_copy(
            update={
                "datasets": tuple(datasets.values()),
                "retrievers": tuple(entries),
                "compare": _agreed(joined),
                "notes": tuple(notes),
            }
        )

    @cached_property
    def _owners(self) -> Mapping[Key, tuple[ResultParts, str]]:
        """By (dataset, retriever): whose run it is, and what it is called there."""
        return {
            (entry.dataset, self._names[at, entry.name]): (parts, entry.name)
            for at, parts in enumerate(self.joined)
            for entry in parts.manifest.retrievers
            if entry.status == "complete"
        }

    @cached_property
    def scores(self) -> Scores:
        """The values of all, by the same measures."""
        entries = []
        for at, parts in enumerate(self.joined):
            scores = parts.scored(self.measures) if self.measures else parts.scores
            for entry in scores.entries:
                entries.append(replace(entry, retriever=self._names[at, entry.retriever]))
        return Scores(tuple(entries))

    def swept(self, dataset: str) -> SweptConfigurations | None:
        """What the experiment swept, where there is one; sweeps are not joined."""
        return self.joined[0].swept(dataset) if len(self.joined) == 1 else None

    def run(self, dataset: str, retriever: str) -> Run:
        """A run as it was recorded."""
        self.entry(dataset, retriever)
        parts, name = self._owners[dataset, retriever]
        return parts.run(dataset, name)

    def as_scored(self, dataset: str, retriever: str, run: Run) -> Run:
        """A recorded run in the order that the conventions of its own scores give it."""
        parts, name = self._owners[dataset, retriever]
        return parts.as_scored(dataset, name, run)

    def dataset(self, name: str) -> Dataset:
        """The dataset that was searched."""
        return self._with(name).dataset(name)

    def part(self, dataset: str, retriever: str) -> Dataset:
        """A dataset as a retriever of its own result knows it."""
        self.entry(dataset, retriever)
        parts, name = self._owners[dataset, retriever]
        return parts.part(dataset, name)

    def qrels(self, name: str) -> Qrels:
        """The judgments of a dataset."""
        return self._with(name).qrels(name)

    def token_counts(self, dataset: str) -> TokenCounts | None:
        """The tokens of the passages that came back; of several results they are not known."""
        return self.joined[0].token_counts(dataset) if len(self.joined) == 1 else None

    def returned_texts(self, dataset: str) -> Mapping[str, str]:
        """The texts that systems returned, by passage id; of several results, those of the first
        that has any."""
        return next(filter(None, (parts.returned_texts(dataset) for parts in self.joined)), {})

    @property
    def experiment_text(self) -> str:
        """The experiment file of the only result."""
        return self.joined[0].experiment_text if len(self.joined) == 1 else ""

    def extra_file(self, name: str) -> bytes | None:
        """A file of the only result that is kept as it is."""
        return self.joined[0].extra_file(name) if len(self.joined) == 1 else None

    def _with(self, dataset: str) -> ResultParts:
        self.dataset_entry(dataset)
        return next(parts for parts in self.joined if dataset in parts.datasets)


def joined_parts(
    results: Sequence[ResultParts],
    measures: Iterable[str | Measure] = (),
    *,
    allow_intersect: bool = False,
) -> JoinedParts:
    """The parts of several results, which must be of the same data and conventions.

    Args:
        results: whose.
        measures: what all are scored by; by default what they recorded.
        allow_intersect: note what differs instead of refusing it.

    Raises:
        ConfigError: a result is named twice.
        DataError: datasets or conventions differ.
    """
    opened = [parts.folder.resolve() for parts in results if parts.folder is not None]
    if len(set(opened)) < len(opened):
        twice = next(folder for folder in opened if opened.count(folder) > 1)
        raise ConfigError("the same result is named twice", where=str(twice))
    notes = [
        _(
            "{dataset}: {retriever} failed in that run and is left out",
            dataset=dataset,
            retriever=retriever,
        )
        for parts in results
        for dataset, retriever in parts.failures
    ]
    notes += _differences(results, allow_intersect)
    clustered = {(parts.manifest.compare or {}).get("cluster") for parts in results}
    if len(clustered) > 1:
        quoted = sorted(f"'{key}'" for key in clustered if key is not None)
        named = listed(tuple(quoted))
        notes.append(
            _(
                "not all experiments cluster their queries by {keys}; choose with --cluster",
                keys=named,
            )
        )
    return JoinedParts(results, measures, notes)


def _agreed(results: Sequence[ResultParts]) -> dict[str, Any]:
    """The options by which all experiments were compared; of several those that all share,
    without the baseline, whose name need not be there once."""
    first, *others = [parts.manifest.compare or {} for parts in results]
    return {
        name: value
        for name, value in first.items()
        if not others or (name != "baseline" and all(other.get(name) == value for other in others))
    }


def _differences(results: Sequence[ResultParts], allow_intersect: bool) -> list[Message]:
    """Refuse results of other data or conventions; notes where that is allowed."""
    notes = []
    first: dict[str, tuple[ResultParts, DatasetEntry, str]] = {}
    listed = [entry for parts in results for entry in parts.manifest.datasets]
    sampled = {entry.name for entry in listed if entry.sample is not None}
    for parts in results:
        if parts.manifest.profile != results[0].manifest.profile:
            what = (
                f"{results[0].where} was scored by the profile '{results[0].manifest.profile}' and "
                f"{parts.where} by '{parts.manifest.profile}'"
            )
            notes.append(_allowed(what, allow_intersect, "Score both by one profile"))
        for entry in parts.manifest.datasets:
            size = f"{entry.queries:,} queries and {entry.judgments:,} judgments"
            if entry.sample is not None:
                size = f"{entry.sample.size().text()}, {size}"
            elif entry.name in sampled:
                size = f"the whole corpus, {size}"
            there, known, there_size = first.setdefault(entry.name, (parts, entry, size))
            if not entry.is_same(known):
                what = (
                    f"the dataset '{entry.name}' is not the same in both: {there.where} has "
                    f"{there_size}, {parts.where} has {size}"
                )
                notes.append(_allowed(what, allow_intersect, "Run both on the same files"))
    return notes


def _allowed(what: str, allow_intersect: bool, instead: str) -> Message:
    if not allow_intersect:
        raise DataError(
            what, instead=f"{instead}, or compare on the common queries: --allow-intersect"
        )
    return _("{what}: read the comparison with care", what=what)


def _names(results: Sequence[ResultParts]) -> dict[tuple[int, str], str]:
    """By (place of the result, retriever): a name that is there once."""
    listed = [(at, name) for at, parts in enumerate(results) for name in parts.retrievers]
    folders = [
        parts.folder.name if parts.folder is not None else parts.manifest.experiment
        for parts in results
    ]
    if len(set(folders)) < len(folders):
        folders = [
            parts.folder.as_posix()
            if parts.folder is not None
            else f"{parts.manifest.experiment} {at + 1}"
            for at, parts in enumerate(results)
        ]
    names = [name for _, name in listed]
    return {
        (at, name): name if names.count(name) == 1 else f"{folders[at]}/{name}"
        for at, name in listed
    }
