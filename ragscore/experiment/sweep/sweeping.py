"""Run the sweep of an experiment on its datasets."""

from __future__ import annotations

import statistics
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache
from ragscore.dataset import Dataset, SharedQueries
from ragscore.dataset.labels import clusters_of
from ragscore.elements.numbers import count_text
from ragscore.errors import RagscoreError
from ragscore.executors import Finished, Workers
from ragscore.experiment.chunked_datasets import chunked, chunkers_of
from ragscore.experiment.failing_alone import failing_alone
from ragscore.experiment.journal import Journal
from ragscore.experiment.model import Experiment
from ragscore.experiment.run_notes import RunNotes
from ragscore.experiment.sweep.configuration_search import SweepSearch
from ragscore.experiment.sweep.configurations import Configurations, grids_of
from ragscore.experiment.sweep.grid import bounds, written_options
from ragscore.experiment.sweep.outcome import Outcome, Scoring, scored_run
from ragscore.experiment.sweep.sweep_job import SweepJob
from ragscore.measures import parse_measure, parse_measures
from ragscore.messages import _
from ragscore.progress import Progress, Stage
from ragscore.results.manifest import Key
from ragscore.retrievers.graph import with_inputs
from ragscore.run import Run
from ragscore.sweeps.model import SweptConfigurations

TIMED = 20
"""Queries by which a configuration is timed, at most: there may be hundreds of them."""
FIRST = 3
"""Configurations whose search tells how long one takes."""
MIN_SECONDS = 20.0
"""Of work that must be left for processes of this machine; starting one takes about two."""
BATCH = 8
"""Configurations that a process is given at a time: neighbours share inputs."""


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
    workers: Workers,
) -> dict[str, SweptConfigurations]:
    """Search and score every configuration on every dataset.

    Args:
        experiment: with a sweep.
        configurations: of its sweep.
        datasets: its own, loaded.
        runs: by dataset and retriever, those with the settings of the file.
        cache: where what is shared is kept, and what each configuration scores.
        notes: reports configurations, and of those that fail.
        journal: where the answers of systems that are asked are kept meanwhile.
        workers: who may search configurations besides this process.

    Returns:
        By dataset, what the configurations score; a dataset on which all failed is left out.
    """
    swept = {}
    for at, dataset in enumerate(datasets):
        given = (experiment, at, dataset, configurations, cache, notes, journal, workers)
        found = _Swept(*given).run(runs)
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
        at: int,
        dataset: Dataset,
        configurations: Configurations,
        cache: Cache,
        notes: RunNotes,
        journal: Journal,
        workers: Workers,
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
        self.configurations, self.cache, self.workers = configurations, cache, workers
        self.depth = dataset.reachable_depth(experiment.depth)
        self.scoring = sweep_scoring(experiment)
        latency = experiment.latency or None
        if latency is not None:
            fewer = {"concurrency": (1,), "queries": min(latency.queries, TIMED)}
            latency = latency.model_copy(update=fewer)
        self.failures = dict[str, str]()
        self.elsewhere = set[str]()
        blocked = dataset.corpus is not None and dataset.corpus.blocks
        self.job = SweepJob(
            at if blocked else dataset,
            experiment,
            dict(configurations.specs),
            self.depth,
            experiment.strict,
            self.scoring,
            cache.place,
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
            self.notes.note_on(
                self.dataset.name,
                _(
                    "{count} of {n} configurations failed and are left out; the first is "
                    "{name}: {error}",
                    **facts,
                ),
            )
        return self._collected(outcomes, failures, runs) if outcomes else None

    def _outcomes(self) -> dict[str, Outcome]:
        """What each configuration scores. Those after the first few may be searched by other
        processes, and their indexes built; here each is timed then, while nothing else runs."""
        outcomes = dict[str, Outcome]()
        labels = deque(self.configurations.candidates)
        label = _("sweeping {name}", name=self.dataset.name)
        with self.notes.stage(label, len(labels), "configurations") as stage:
            searched = list[float]()
            if self.workers.spreads:
                self._search_elsewhere(labels, 0.0, stage)
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
                if len(searched) == FIRST and not self.workers.spreads:
                    searched.append(0)  # once is enough
                    self._search_elsewhere(labels, statistics.median(searched[:FIRST]), stage)
        return outcomes

    def _note_saved(self) -> None:
        names = self.configurations.candidates
        saved = sum(map(self.search.is_kept, names)) if self.cache.persistent else 0
        if saved:
            facts = {"count": count_text(saved), "n": count_text(len(names))}
            self.notes.note_on(
                self.dataset.name,
                _(
                    "{count} of {n} configurations are scored and saved; run the same command "
                    "again to continue",
                    **facts,
                ),
            )

    def _search_elsewhere(self, labels: Collection[str], seconds: float, stage: Stage) -> None:
        """Give what is left to other processes, where that is worth it, or to other machines."""
        spreads = self.workers.spreads
        left = [
            name
            for name in labels
            if (name in self.search.keys if spreads else self.search.one_core(name))
            and not self.search.is_kept(name)
        ]
        few = len(left) * seconds < MIN_SECONDS or self.workers.count(len(left), BATCH) < 2
        if few and not spreads:
            return
        self.search.search_inputs(left)
        # A worker of a cluster may have to encode for its configuration.
        self.workers.run(
            self.job, left, lambda done: self._take(done, stage), batch=BATCH, gpu=spreads
        )

    def _take(self, done: Finished, stage: Stage) -> None:
        """Know of a configuration that was searched elsewhere."""
        if done.error is not None:
            self.failures[done.task] = f"{_on(done.node)}{done.error}"
        self.elsewhere.add(done.task)
        stage.advance()

    def _build_elsewhere(self, labels: Collection[str], seconds: float) -> None:
        """Let other processes build the indexes that are left, where that is worth it: they are
        opened from the cache then, and searched here."""
        if not seconds or len(labels) * seconds < MIN_SECONDS:
            return
        left = self.search.unbuilt(labels)
        if len(left) * seconds < MIN_SECONDS or self.workers.count(len(left)) < 2:
            return
        job = replace(self.job, only_builds=True)
        # One that fails is built again here, where it is named.
        self.workers.run(job, left, lambda done: None)

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
            bounds={
                f"{name}.{parameter}": ends
                for name, grid in grids_of(swept).items()
                for parameter, ends in bounds(retrievers[name], grid).items()
            },
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


def _on(node: str) -> str:
    return f"node {node}: " if node else ""


def _row(outcome: Outcome, ids: tuple[str, ...]) -> list[float]:
    return [outcome.values.get(query, np.nan) for query in ids]
