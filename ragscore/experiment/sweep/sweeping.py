"""Run the sweep of an experiment on its datasets."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ragscore.blocks.numbers import count_text
from ragscore.cache import Cache
from ragscore.dataset import Dataset, SharedQueries
from ragscore.dataset.labels import clusters_of
from ragscore.errors import RagscoreError
from ragscore.experiment.chunked_datasets import chunked, chunkers_of
from ragscore.experiment.journal import Journal
from ragscore.experiment.model import Experiment
from ragscore.experiment.run_notes import RunNotes
from ragscore.experiment.search import failing_alone
from ragscore.experiment.strings import STRINGS
from ragscore.experiment.sweep.configuration_search import SweepSearch
from ragscore.experiment.sweep.configurations import Configurations
from ragscore.experiment.sweep.grid import written_options
from ragscore.experiment.sweep.outcome import Outcome, Scoring, scored_run
from ragscore.experiment.sweep.processes import MIN_SECONDS, Work, run_workers, worker_count
from ragscore.measures import parse_measure, parse_measures
from ragscore.progress import STAGES, Progress, Stage
from ragscore.results.manifest import Key
from ragscore.retrievers.graph import with_inputs
from ragscore.run import Run
from ragscore.sweeps.model import SweptConfigurations

TIMED = 20
"""Queries by which a configuration is timed, at most: there may be hundreds of them."""
FIRST = 3
"""Configurations whose search tells how long one takes."""


class _NotesOnly(Progress):
    """Shows notes: the stages of single configurations pass too quickly to be read."""

    def __init__(self, shown: Progress) -> None:
        self.note = shown.note  # type: ignore[method-assign]


def run_sweep(
    experiment: Experiment,
    configurations: Configurations,
    datasets: list[Dataset],
    runs: Mapping[Key, Run],
    cache: Cache,
    notes: RunNotes,
    journal: Journal,
) -> dict[str, SweptConfigurations]:
    """Search and score every configuration on every dataset.

    Args:
        experiment: with a sweep.
        configurations: of its sweep.
        datasets: its own, loaded.
        runs: by dataset and retriever, those with the settings of the file.
        cache: where what is shared is kept, and what each configuration scores.
        notes: is notified of configurations, and of those that fail.
        journal: where the answers of systems that are asked are kept meanwhile.

    Returns:
        By dataset, what the configurations score; a dataset on which all failed is left out.
    """
    swept = {}
    for dataset in datasets:
        found = _Swept(experiment, dataset, configurations, cache, notes, journal).run(runs)
        if found is not None:
            swept[dataset.name] = found
    return swept


def sweep_scoring(experiment: Experiment) -> Scoring:
    """How the configurations of an experiment's sweep are scored."""
    assert experiment.sweep
    measures = parse_measures(experiment.measures)
    named = experiment.sweep.measure
    chosen_by = parse_measure(named) if named else measures[0]
    return Scoring(chosen_by, measures, experiment.profile)


class _Swept:
    """The sweep of one dataset."""

    def __init__(
        self,
        experiment: Experiment,
        dataset: Dataset,
        configurations: Configurations,
        cache: Cache,
        notes: RunNotes,
        journal: Journal,
    ) -> None:
        self.given = dataset
        dataset = chunked(
            dataset,
            configurations.specs,
            cache=cache,
            cut_for=experiment.retrievers,
            progress=notes,
        )
        shared = replace(dataset, queries=SharedQueries.of(dataset.queries))
        self.experiment, self.dataset, self.notes = experiment, shared, notes
        self.configurations, self.cache = configurations, cache
        self.depth = dataset.reachable_depth(experiment.depth)
        self.scoring = sweep_scoring(experiment)
        latency = experiment.latency or None
        if latency is not None:
            fewer = {"concurrency": (1,), "queries": min(latency.queries, TIMED)}
            latency = latency.model_copy(update=fewer)
        self.failures = dict[str, str]()
        self.elsewhere = set[str]()
        self.work = Work(
            dataset,
            dict(configurations.specs),
            self.depth,
            experiment.strict,
            self.scoring,
            cache.root,
        )
        self.search = SweepSearch(
            shared,
            configurations.specs,
            self.depth,
            tuple(configurations.specs),
            latency,
            cache,
            experiment.strict,
            _NotesOnly(notes),
            self.scoring,
            journal=journal,
        )

    def run(self, runs: Mapping[Key, Run]) -> SweptConfigurations | None:
        try:
            outcomes = self._outcomes()
        except KeyboardInterrupt:
            self._note_saved()
            raise
        failures = self.failures
        if failures:
            name, why = next(iter(failures.items()))
            count = len(self.configurations.candidates)
            facts = {"count": len(failures), "n": count, "name": name, "error": why}
            self.notes.note_on(self.dataset.name, STRINGS.note("configurations_failed", **facts))
        return self._collected(outcomes, failures, runs) if outcomes else None

    def _outcomes(self) -> dict[str, Outcome]:
        """What each configuration scores. Those after the first few may be searched by other
        processes, and their indexes built; here each is timed then, while nothing else runs."""
        outcomes = dict[str, Outcome]()
        labels = deque(self.configurations.candidates)
        label = STAGES.note("sweeping", name=self.dataset.name)
        with self.notes.stage(label, len(labels), "configurations") as stage:
            searched = list[float]()
            while labels:
                name = labels.popleft()
                if name not in self.failures:
                    try:
                        with failing_alone(name):
                            outcomes[name] = self.search.outcome(name)
                    except RagscoreError as error:
                        self.failures[name] = str(error)
                    else:
                        if self.search.seconds is not None and self.search.one_core(name):
                            searched.append(self.search.seconds)
                        self._build_elsewhere(labels, self.search.built_seconds(name))
                self.search.done(name)
                if name not in self.elsewhere:
                    stage.advance()
                if len(searched) == FIRST:
                    searched.append(0)  # once is enough
                    self._search_elsewhere(labels, statistics.median(searched[:FIRST]), stage)
        return outcomes

    def _note_saved(self) -> None:
        names = self.configurations.candidates
        saved = sum(map(self.search.is_kept, names)) if self.cache.persistent else 0
        if saved:
            facts = {"count": count_text(saved), "n": count_text(len(names))}
            self.notes.note_on(self.dataset.name, STRINGS.note("sweep_stopped", **facts))

    def _search_elsewhere(self, labels: Collection[str], seconds: float, stage: Stage) -> None:
        """Give what is left to other processes, where that is worth it."""
        left = [
            name for name in labels if self.search.one_core(name) and not self.search.is_kept(name)
        ]
        count = worker_count(len(left))
        if len(left) * seconds < MIN_SECONDS or count < 2:
            return
        self.search.search_inputs(left)

        def done(name: str, error: str | None) -> None:
            if error is not None:
                self.failures[name] = error
            self.elsewhere.add(name)
            stage.advance()

        run_workers(self.work, left, count, done)

    def _build_elsewhere(self, labels: Collection[str], seconds: float) -> None:
        """Let other processes build the indexes that are left, where that is worth it: they are
        opened from the cache then, and searched here."""
        if not seconds or len(labels) * seconds < MIN_SECONDS:
            return
        left = self.search.unbuilt(labels)
        count = worker_count(len(left), batch=1)
        if len(left) * seconds < MIN_SECONDS or count < 2:
            return
        work = replace(self.work, only_builds=True)
        # One that fails is built again here, where it is named.
        run_workers(work, left, count, lambda name, error: None, batch=1)

    def _collected(
        self, outcomes: Mapping[str, Outcome], failures: Mapping[str, str], runs: Mapping[Key, Run]
    ) -> SweptConfigurations:
        candidates = [self.configurations.candidates[name] for name in outcomes]
        swept = self.experiment.sweep.parameters if self.experiment.sweep else {}
        written = {
            name: scored_run(
                runs[self.dataset.name, name], self._as_written(name), self.scoring, self.depth
            )
            for name in swept
            if (self.dataset.name, name) in runs
        }
        # A profile may leave out queries that a run lacks.
        everything = [*outcomes.values(), *written.values()]
        ids = tuple(dict.fromkeys(query for outcome in everything for query in outcome.values))
        retrievers = with_inputs(self.experiment.retrievers, list(swept))
        means = {
            measure: np.array([outcome.means[measure] for outcome in outcomes.values()])
            for measure in next(iter(outcomes.values())).means
        }
        return SweptConfigurations(
            dataset=self.dataset.name,
            measure=next(iter(outcomes.values())).measure,
            query_ids=ids,
            retrievers=tuple(candidate.retriever for candidate in candidates),
            settings=tuple(candidate.setting for candidate in candidates),
            values=np.array([_row(outcome, ids) for outcome in outcomes.values()]),
            means=means,
            latency_ms=np.array([outcome.latency_ms for outcome in outcomes.values()]),
            index_bytes=np.array([outcome.index_bytes for outcome in outcomes.values()]),
            written={name: np.array(_row(outcome, ids)) for name, outcome in written.items()},
            specs={
                name: written_options(spec, swept.get(name, {}))
                for name, spec in retrievers.items()
            },
            inputs={name: spec.inputs() for name, spec in retrievers.items()},
            clusters=self._clusters(ids),
            failures=failures,
        )

    def _as_written(self, name: str) -> Dataset:
        """The dataset as a retriever knows it that has the settings of the file."""
        return self.given.part(chunkers_of(self.experiment.retrievers)[name])

    def _clusters(self, ids: tuple[str, ...]) -> NDArray[np.int64] | None:
        compare = self.experiment.compare
        if not compare or compare.cluster is None:
            return None
        of_query = clusters_of(self.dataset.queries, compare.cluster)
        number: dict[str, int] = {}
        return np.array([number.setdefault(of_query[query], len(number)) for query in ids])


def _row(outcome: Outcome, ids: tuple[str, ...]) -> list[float]:
    return [outcome.values.get(query, np.nan) for query in ids]
