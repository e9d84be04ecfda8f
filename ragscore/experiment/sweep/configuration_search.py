"""Search and score the configurations of a sweep on one dataset.

Each configuration is searched to the experiment's depth, so that its value is the one that the
table would show. What it is built on is searched once; an input's run is kept for as long as a
configuration needs it. What each scores is kept in the cache as soon as it is known, so that a
sweep which was stopped goes on from there.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import entry_key
from ragscore.dataset import Queries
from ragscore.encoders.gathering import kept_passages
from ragscore.errors import RagscoreError
from ragscore.experiment.failing_alone import failing_alone
from ragscore.experiment.search import Search
from ragscore.experiment.sweep.outcome import (
    OUTCOMES,
    Outcome,
    Scoring,
    read_outcome,
    scored_run,
    write_outcome,
)
from ragscore.experiment.timing import AskedQueries, single_queries
from ragscore.results.stages import Stages
from ragscore.retrievers.base import Index, RetrieverSpec
from ragscore.retrievers.graph import with_inputs
from ragscore.run import Run

T = TypeVar("T")

FORMAT = 3
"""Raise this when what is kept of a configuration means something else than before."""
TIMES = "sweep-times"
"""The cache's kind of entry for the times of single queries, those of inputs apart."""


@dataclass(eq=False)
class SweepSearch(Search):
    """The configurations of a sweep, each searched when it is asked for.

    Attributes:
        scoring: how they are scored.
    """

    scoring: Scoring

    def __post_init__(self) -> None:
        super().__post_init__()
        self.consumers = Counter(
            source for name in self.order for source in set(self.specs[name].inputs())
        )
        self.shared = frozenset(self.consumers)
        self.kept_open: dict[type[RetrieverSpec], Index] = {}
        self.times: dict[str, NDArray[np.float64]] = {}
        self.seconds: float | None = None
        """What searching and scoring the last configuration took; None if it was kept."""
        self.answers: dict[str, dict[str, Run]] = {}
        """Of an input, by query of the sample, what it returns for this query alone."""

    def outcome(self, name: str) -> Outcome:
        """What a configuration scores: from the cache, or searched now.

        Raises:
            Exception: any; the configuration failed.
        """
        self.seconds = None
        found = self._known(name)
        if found is None:
            began = time.perf_counter()
            self._retrieve_with_inputs(name)
            found = self._scored(name)
            self._keep_outcome(name, found)
            self.seconds = time.perf_counter() - began
        if self.latency is not None and self._timed(name):
            found = replace(found, latency_ms=self._median_ms(name, self.latency.queries))
        return found

    def is_kept(self, name: str) -> bool:
        """Whether the cache has what a configuration scores; nothing is read."""
        if self.cache is None or name not in self.keys:
            return False
        return self.cache.has(OUTCOMES, self._outcome_key(name))

    def keeps_run(self, name: str) -> bool:
        """Only what configurations are built on: other runs nobody asks for again."""
        return name in self.shared and super().keeps_run(name)

    def _known(self, name: str) -> Outcome | None:
        """What the cache has of a configuration, its latency apart."""
        if self.cache is None or name not in self.keys:
            return None
        return self.cache.read(
            OUTCOMES, self._outcome_key(name), read_outcome, progress=self.progress
        )

    def done(self, name: str) -> None:
        """Let go of what only this configuration needed."""
        for source in set(self.specs[name].inputs()):
            self.consumers[source] -= 1
            if self.consumers[source] <= 0:
                self._let_go(source)
        if self.consumers[name] <= 0:
            self._let_go(name)

    def forget(self) -> None:
        """Let go of all runs and indexes, but for one index of each kind."""
        for name in {*self.full_runs, *self.indexes}:
            self._let_go(name)

    def one_core(self, name: str) -> bool:
        """Whether searching a configuration, its inputs being there, keeps one core busy."""
        return name in self.keys and self.specs[name].one_core

    def build(self, name: str) -> None:
        """Build the index of a configuration, which the cache keeps."""
        self._index(name)

    def built_seconds(self, name: str) -> float:
        """What building the index of a configuration took on one core, its texts being encoded; 0
        where it was in the cache, or where more cores worked."""
        stages = self.retrieved.stages.get(name)
        if stages is None or stages.index_from_cache or not self.specs[name].builds_on_one_core:
            return 0.0
        return stages.build_seconds or 0.0

    def unbuilt(self, names: Iterable[str]) -> list[str]:
        """Of the configurations whose index one core builds, one for each index that is still to be
        built, and whose texts are encoded."""
        found, seen = [], set[str]()
        for name in names:
            spec = self.specs[name]
            if name not in self.keys or not spec.builds_on_one_core:
                continue
            artifacts = {
                artifact.what: artifact for artifact in spec.artifacts(self.corpus_of(name))
            }
            index, vectors = artifacts["index"], artifacts.get("vectors")
            if index.key in seen or (self.cache and self.cache.has(index.kind, index.key)):
                continue
            seen.add(index.key)
            if vectors is not None:
                kept = kept_passages(self.cache, vectors.key, vectors.texts)
                if not kept.texts or kept.kept < kept.texts:
                    continue
            found.append(name)
        return found

    def search_inputs(self, names: Collection[str]) -> None:
        """Search what these are built on and what uses every core itself, and keep the runs."""
        for name in with_inputs(self.specs, names):
            if name in self.shared and not self.specs[name].one_core:
                with suppress(RagscoreError), failing_alone(name):  # what is built on it says so
                    self._retrieve_with_inputs(name)

    def _retrieve_with_inputs(self, name: str) -> None:
        for source in self.specs[name].inputs():
            if source not in self.full_runs and source not in self.retrieved.failures:
                try:
                    with failing_alone(source):
                        self._retrieve_with_inputs(source)
                except RagscoreError as error:  # what is built on it says so
                    self.retrieved.failures[source] = error
        # A single query is timed when the outcome is there, and not for each input.
        latency, self.latency = self.latency, None
        try:
            self._retrieve(name)
        finally:
            self.latency = latency

    def _median_ms(self, name: str, count: int) -> float:
        """Milliseconds of half of a sample of queries, each searched alone. What a configuration is
        built on is timed once for all configurations, and its times are added."""
        count = min(count, len(self.dataset.queries))
        searched = with_inputs(self.specs, [name])
        return float(np.median(sum(self._times(part, count) for part in searched)) * 1000)

    def _times(self, name: str, count: int) -> NDArray[np.float64]:
        """Seconds of each query of the sample, without those of the inputs: float64[count]."""
        if name not in self.times:
            found = self._kept(name, TIMES, lambda folder: np.load(folder / "seconds.npy"))
            if found is None:
                seconds = self._ask(name, count)
                self._keep(name, TIMES, lambda folder: np.save(folder / "seconds.npy", seconds))
                found = seconds
            self.times[name] = found
        return self.times[name]

    def _ask(self, name: str, count: int) -> NDArray[np.float64]:
        """Search the queries of the sample one by one, and keep the answers while they are needed;
        seconds of each, without those of the inputs: float64[count]."""
        queries, index = self.dataset.queries, self._index(name)
        sources = self.specs[name].inputs()
        known = (source for source in sources if source in self.full_runs)
        index.prepare(queries, {source: self.full_runs[source] for source in known})
        for source in sources:
            if source not in self.answers:
                self._ask(source, count)
        inputs = {source: self.answers[source] for source in sources}
        answers = dict[str, Run]()

        def answer(query: Queries) -> Run:
            (id,) = query.ids
            given = {source: runs[id] for source, runs in inputs.items()}
            answers[id] = index.search(query, self.depths[name], given)
            return answers[id]

        seconds = AskedQueries(single_queries(queries, count), answer).seconds_alone()
        if self.consumers[name] > 0:
            self.answers[name] = answers
        return seconds

    def _scored(self, name: str) -> Outcome:
        run = self._reported(self.full_runs[name])
        sizes = self._index_sizes(name)
        return scored_run(
            run, self.part_of(name), self.scoring, self.depth, float(sum(sizes.values()))
        )

    def _index_sizes(self, name: str) -> dict[str, float]:
        """By retriever that is searched for a configuration, the bytes of its index."""
        stages: Stages = self.retrieved.stages[name]
        sources = self.specs[name].inputs()
        unknown = 0.0 if sources else np.nan  # a fusion has no index of its own
        own = unknown if stages.index_bytes is None else float(stages.index_bytes)
        sizes = {name: own}
        for source in sources:
            sizes.update(self._index_sizes(source))
        return sizes

    def _let_go(self, name: str) -> None:
        self.full_runs.pop(name, None)
        self.answers.pop(name, None)
        self._close(name)
        self.closed.discard(name)
        index = self.indexes.pop(name, None)
        if index is not None:
            # One of each kind stays open: the next shares its model, or its tokens.
            self.kept_open[type(self.specs[name])] = index

    def _keep(self, name: str, kind: str, write: Callable[[Path], None]) -> None:
        if kind != "runs" or self.keeps_run(name):
            super()._keep(name, kind, write)

    def _key(self, name: str, kind: str) -> str:
        return super()._key(name, "latency" if kind == TIMES else kind)

    def _outcome_key(self, name: str) -> str:
        measures = [str(measure) for measure in self.scoring.all]
        searched = [self._key(name, "runs"), self.depth]
        content = [*searched, measures, self.scoring.profile]
        return entry_key(FORMAT, content, self.dataset.digest)

    def _keep_outcome(self, name: str, outcome: Outcome) -> None:
        if self.cache is not None and name in self.keys:
            key = self._outcome_key(name)
            self.cache.keep(OUTCOMES, key, lambda folder: write_outcome(folder, outcome))
