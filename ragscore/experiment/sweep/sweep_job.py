"""The configurations of a sweep as the tasks of a job: each is one by its label.

What a worker finds is what one process finds: it is the same code, and results come from the cache,
by name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ragscore.cache import Cache
from ragscore.dataset import Dataset, SharedQueries
from ragscore.executors import Job, TaskWorker
from ragscore.experiment.data_checks import dataset_of, with_counted_tokens
from ragscore.experiment.failing_alone import failing_alone
from ragscore.experiment.model import Experiment
from ragscore.experiment.sweep.configuration_search import SweepSearch
from ragscore.experiment.sweep.outcome import Scoring
from ragscore.progress import SILENT
from ragscore.retrievers.base import RetrieverSpec


@dataclass(frozen=True, eq=False)
class SweepJob(Job):
    """What a worker needs to know.

    Attributes:
        dataset: what is searched; or, where it is read in blocks, which of the experiment's it is:
            the worker reads it again, from the cache.
        experiment: of the sweep.
        specs, depth, strict, scoring: as :class:`SweepSearch` takes them.
        place: of the cache.
        only_builds: indexes are built, and nothing is searched.
    """

    dataset: Dataset | int
    experiment: Experiment
    specs: dict[str, RetrieverSpec]
    depth: int
    strict: bool
    scoring: Scoring
    place: str
    only_builds: bool = False

    def open(self) -> SweepWorker:
        """The configurations, over queries that share what is computed of them."""
        cache, dataset = Cache.at(self.place), self.dataset
        if isinstance(dataset, int):
            dataset = dataset_of(self.experiment, dataset, cache=cache)
            dataset = with_counted_tokens(dataset, self.experiment.all_measures(), cache)
        search = SweepSearch(
            replace(dataset, queries=SharedQueries.of(dataset.queries)),
            self.specs,
            self.depth,
            tuple(self.specs),
            None,
            cache,
            self.strict,
            SILENT,
            self.scoring,
        )
        return SweepWorker(search, self.only_builds)


class SweepWorker(TaskWorker):
    """Searches and scores configurations, or builds their indexes, each by its label."""

    def __init__(self, search: SweepSearch, only_builds: bool) -> None:
        self.search, self.only_builds = search, only_builds

    def do(self, task: str) -> None:
        """Put into the cache what a configuration scores, or its index."""
        with failing_alone(task):
            if self.only_builds:
                self.search.build(task)
            else:
                self.search.outcome(task)

    def rest(self) -> None:
        """Let go of runs and indexes, but for one index of each kind."""
        self.search.forget()
