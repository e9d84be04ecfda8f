"""The runs of an earlier result, of which only the queries that failed are asked again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Dataset, Ids
from ragscore.elements.numbers import count_text
from ragscore.errors import ConfigError
from ragscore.messages import Message, _
from ragscore.results import Result
from ragscore.results.layout import EXPERIMENT
from ragscore.results.manifest import Key, Retried, RetriedRun
from ragscore.results.manifest_file import DIGEST, read_document
from ragscore.results.opening import open_result
from ragscore.results.recorded_dataset import check_searched
from ragscore.results.stages import Stages
from ragscore.run import Run


@dataclass(eq=False)
class EarlierRuns:
    """What one dataset's retrievers returned in an earlier result.

    Attributes:
        where: the name of its folder; empty if there is none.
        runs: what it recorded of each that has a run, over the ids of its passages.
        stages: what the search of these cost.
        asked: by retriever, how many queries were searched again.
    """

    where: str = ""
    runs: Mapping[str, Run] = field(default_factory=dict)
    stages: Mapping[str, Stages] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    _renewed: dict[str, NDArray[np.bool_]] = field(default_factory=dict)

    def answers(self, name: str, inputs: Iterable[str], queries: Ids, passages: Ids) -> Run | None:
        """What a retriever returned for the queries that need not be searched again: it answered
        them, and its inputs have the same run as then. None if there are none.

        Args:
            name: of the retriever.
            inputs: that it builds on, each after :meth:`searched` was called for it.
            queries: all of them.
            passages: the corpus's ids, or those that are known where there is no corpus.
        """
        run = self.runs.get(name)
        if run is None:
            return None
        again = np.zeros(len(queries), dtype=bool)
        again[queries.rows(run.failed_queries)] = True
        for source in inputs:
            again |= self._renewed[source]
        rows = np.flatnonzero(~again)
        if not len(rows):
            return None
        kept = run.for_queries(Ids(queries.texts(rows)))
        kept = kept.onto(passages.extended(kept.passages))
        return replace(kept, failures=(), leaves_out=False)

    def whole(self, name: str, run: Run) -> tuple[Run, Stages] | None:
        """The run of a retriever with what its search cost then; None if nothing says that."""
        if name not in self.stages:
            return None
        stages = self.stages[name]
        latency = None if stages.latency is None else replace(stages.latency, from_cache=True)
        return run.renamed(name), replace(stages, run_from_cache=True, latency=latency)

    def seconds(self, name: str) -> float:
        """That the search of a retriever took then."""
        return self.stages[name].search_seconds if name in self.stages else 0.0

    def joined(self, name: str, now: Stages) -> Stages:
        """What the search of some queries cost, with what that of the others cost then.

        Args:
            name: of the retriever.
            now: whose search seconds count both already.
        """
        then = self.stages.get(name)
        if then is None:
            return now
        calls = [times for times in (then.calls, now.calls) if times is not None]
        usage, filtered = now.usage, now.filtered
        if usage is not None and then.usage is not None and usage.currency == then.usage.currency:
            usage = usage.plus(then.usage)
        if filtered is not None and then.filtered is not None:
            fetched = max(filtered.fetched, then.filtered.fetched)
            short = filtered.short + then.filtered.short
            filtered = replace(filtered, fetched=fetched, short=short)
        # Percentiles cannot be joined: those of more calls stand.
        most = max(calls, key=lambda times: times.queries, default=None)
        if most is not None and None not in (again := [times.asked_again for times in calls]):
            most = replace(most, asked_again=sum(filter(None, again)))
        return replace(now, usage=usage, filtered=filtered, calls=most)

    def searched(self, name: str, rows: NDArray[np.int64], count: int) -> None:
        """Note which queries, by row of ``count``, a retriever is searched for now."""
        self._renewed[name] = np.zeros(count, dtype=bool)
        self._renewed[name][rows] = True
        if len(rows):
            self.asked[name] = len(rows)

    def going_on(self, name: str, count: int) -> Message | None:
        """How many of ``count`` queries a retriever is searched for again, and why; None if all
        is as it was."""
        asked = self.asked.get(name, 0)
        if not asked or not self.where:
            return None
        facts = {"n": count_text(count), "folder": self.where}
        if name not in self.runs:
            return _("{folder} has no run of this retriever, so all {n} queries are asked", **facts)
        if asked < count:
            return _(
                "{count} of {n} queries failed in {folder} and are asked again; the other "
                "answers are reused",
                count=count_text(asked),
                **facts,
            )
        return _(
            "its run in {folder} is too shallow for the retrievers built on it, so all {n} "
            "queries are asked again",
            **facts,
        )


class Retry:
    """An earlier result whose failed queries are to be asked again.

    Args:
        folder: the result, or a folder of results, of which the newest counts.

    Raises:
        DataError: it is no result, or damaged.
        ConfigError: no experiment file was run for it.
    """

    def __init__(self, folder: str | Path) -> None:
        self.result: Result = open_result(folder)
        assert self.result.folder is not None
        self.folder: Path = self.result.folder
        if not self.result.experiment_text:
            raise ConfigError(
                "this result was not made from an experiment file, so nothing says how to run it",
                where=str(self.folder),
                instead="Name a folder that `ragscore run` wrote",
            )
        self.experiment = self.folder / EXPERIMENT
        self.earlier: dict[str, EarlierRuns] = {}

    @property
    def failed(self) -> bool:
        """Whether a retriever or a query failed."""
        runs = self.result.manifest.retrievers
        return any(entry.status == "failed" or entry.failed for entry in runs)

    @property
    def only(self) -> tuple[str, ...]:
        """The retrievers that were chosen then; none of them is all."""
        return self.result.manifest.only or ()

    def runs_over(self, dataset: Dataset) -> EarlierRuns:
        """What was recorded over a dataset.

        Raises:
            DataError: the dataset is not what was searched then, or a run is damaged.
        """
        name = dataset.name
        check_searched(dataset, self.result.parts.dataset_entry(name), self.folder)
        keys = [key for key in self.result.runs if key[0] == name]
        stages = self.result.stages
        found = EarlierRuns(
            self.folder.name,
            {retriever: self.result.run(name, retriever) for _, retriever in keys},
            {key[1]: stages[key] for key in keys if key in stages},
        )
        self.earlier[name] = found
        return found

    def recorded(self, runs: Mapping[Key, Run]) -> Retried:
        """What the manifest of the new result says of this one.

        Args:
            runs: of the new result.
        """
        document = read_document(self.folder)
        listed = (
            RetriedRun(
                dataset=dataset,
                retriever=retriever,
                queries=count,
                failed=len(runs[dataset, retriever].failures),
            )
            for dataset, earlier in self.earlier.items()
            for retriever, count in earlier.asked.items()
            if (dataset, retriever) in runs
        )
        return Retried(
            result=self.folder.name,
            created=self.result.manifest.created,
            digest=document.get(DIGEST),
            runs=tuple(listed),
        )
