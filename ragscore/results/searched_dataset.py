"""SearchedDataset: what was searched, its runs and its scores."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from ragscore.dataset import Dataset, Ids, Qrels
from ragscore.described import in_short
from ragscore.encoders.truncation import Truncation
from ragscore.errors import DataError, RagscoreError
from ragscore.judge import of_units
from ragscore.messages import Message, _, few_names
from ragscore.results.manifest import DatasetEntry, RetrieverEntry
from ragscore.results.result_parts import Holding, ResultParts
from ragscore.results.result_view import Noted, ResultView
from ragscore.run import Run, on_one_vocabulary
from ragscore.scoring import Scores


@dataclass(frozen=True, eq=False)
class SearchedDataset(Holding):
    """One dataset of a result, with its runs and scores.

    Attributes:
        parts: of the whole result.
        view: how it is looked at.
        dataset: its name.
        index: its number among the datasets with scores, from 0.
    """

    parts: ResultParts
    view: ResultView
    dataset: str
    index: int

    def __repr__(self) -> str:
        names = in_short(", ".join(self.retrievers))
        return f"{type(self).__name__}({in_short(self.dataset)}: {names})"

    @cached_property
    def entry(self) -> DatasetEntry:
        """What the manifest says of the dataset."""
        return self.parts.dataset_entry(self.dataset)

    @cached_property
    def entries(self) -> Mapping[str, RetrieverEntry]:
        """By retriever: what the manifest says of it on this dataset."""
        listed = self.parts.manifest.retrievers
        return {entry.name: entry for entry in listed if entry.dataset == self.dataset}

    @cached_property
    def data(self) -> Dataset | None:
        """The dataset; None if it no longer exists or has changed."""
        return self._loaded if isinstance(self._loaded, Dataset) else None

    @cached_property
    def _loaded(self) -> Dataset | RagscoreError:
        try:
            return self.parts.dataset(self.dataset)
        except RagscoreError as error:
            return error

    @property
    def _data_notes(self) -> tuple[Message, ...]:
        loaded = self._loaded
        if isinstance(loaded, Dataset):
            return ()
        return (
            _(
                "The dataset cannot be read as it was searched, so texts, curves, slices "
                "and causes of failure are left out. {error}",
                error=loaded,
            ),
        )

    @cached_property
    def qrels(self) -> Qrels | None:
        """The judgments; None if they are not known."""
        with suppress(RagscoreError):
            return self.parts.qrels(self.dataset)
        return None

    def chunkers(self, retriever: str) -> tuple[str, ...]:
        """Whose chunks a retriever searched; empty for all passages."""
        entry = self.entries.get(retriever)
        return () if entry is None else entry.chunkers

    @property
    def chunked_apart(self) -> bool:
        """Whether retrievers search the chunks of different chunkers."""
        return len({self.chunkers(name) for name in self.retrievers}) > 1

    def part(self, retriever: str) -> Dataset | None:
        """The dataset as a retriever knows it: the chunks that it searched, and their judgments;
        None if it no longer exists or has changed."""
        if not self.chunkers(retriever):
            return self.data
        with suppress(RagscoreError):
            return self.parts.part(self.dataset, retriever)
        return None

    def qrels_for(self, retriever: str) -> Qrels | None:
        """The judgments of the passages that a retriever searched; None if not known."""
        if not self.chunkers(retriever):
            return self.qrels
        part = self.part(retriever)
        return None if part is None else part.qrels

    @cached_property
    def scores(self) -> Scores:
        """By the measures that all retrievers share; no entries if there are none."""
        return self._scored.value

    @cached_property
    def _scored(self) -> Noted[Scores]:
        parts, notes = self.parts, list[Message]()
        try:
            found = parts.scores
        except DataError:
            # Means that weigh the queries are measured anew, from all the datasets.
            if all(parts.is_readable(name) for name in parts.datasets):
                raise
            found = parts.plain_scores
            if left_out := parts.weighed(self.dataset):
                notes.append(
                    _(
                        "Left out, since their means weight the queries and only the dataset has "
                        "the weights: {measures}.",
                        measures=few_names(tuple(left_out)),
                    )
                )
        order = parts.retrievers
        entries = [entry for entry in found.entries if entry.dataset == self.dataset]
        entries.sort(key=lambda entry: order.index(entry.retriever))
        if not entries:
            return Noted(Scores(()), tuple(notes))
        common = [m for m in entries[0].measures if all(m in entry.measures for entry in entries)]
        others = dict.fromkeys(m for entry in entries for m in entry.measures if m not in common)
        if others:
            notes.append(
                _(
                    "Left out, since not every retriever was scored on them: {measures}.",
                    measures=few_names(tuple(map(str, others))),
                )
            )
        listed = tuple(entry.by(common) for entry in entries) if common else ()
        return Noted(Scores(listed), tuple(notes))

    @cached_property
    def retrievers(self) -> tuple[str, ...]:
        """Those with a run, in the order of the experiment."""
        return tuple(self.scores.retrievers)

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """As they parse, the primary first; those that every retriever was scored by."""
        return tuple(map(str, self.scores.entries[0].measures)) if self.scores.entries else ()

    @cached_property
    def labels(self) -> Mapping[str, str]:
        """By measure: what tables print (``mAP@10``)."""
        return {str(measure): measure.label for measure in self.scores.measures}

    @cached_property
    def recorded_runs(self) -> Mapping[str, Run]:
        """By retriever, as they were recorded, all over one vocabulary: the passages of the
        dataset and the judgments first."""
        run = self.parts.run
        read = {name: run(self.dataset, name).renamed(name) for name in self.retrievers}
        judged = Ids(()) if self.qrels is None else self.qrels.vocabulary
        return on_one_vocabulary(read, judged)[0]

    @cached_property
    def passage_runs(self) -> Mapping[str, Run]:
        """By retriever, in the order that the conventions of the scores give them."""
        read = self.parts.as_scored
        return {name: read(self.dataset, name, run) for name, run in self.recorded_runs.items()}

    @cached_property
    def runs(self) -> Mapping[str, Run]:
        """The same; where cutoffs count units, the first passage of each unit alone."""
        runs = self.passage_runs
        if self.qrels is None or self.qrels.units is None:
            return runs
        longest = max((run.passages for run in runs.values()), key=len, default=Ids(()))
        qrels = self.qrels.onto(longest)
        return {name: of_units(run, qrels) for name, run in runs.items()}

    @cached_property
    def latency(self) -> Mapping[str, float]:
        """By retriever: half of the single queries were answered in this many milliseconds."""
        timed = {name: self.entries[name].latency for name in self.retrievers}
        return {name: times.p50_ms for name, times in timed.items() if times is not None}

    @cached_property
    def failures(self) -> Mapping[str, str]:
        """By retriever without a run: the error."""
        listed = self.parts.failures.items()
        return {name: str(error) for (dataset, name), error in listed if dataset == self.dataset}

    @cached_property
    def truncations(self) -> tuple[Truncation, ...]:
        """What the encoders did not read of the passages and queries."""
        listed = self.entries.values()
        return tuple(dict.fromkeys(cut for entry in listed for cut in entry.truncations))
