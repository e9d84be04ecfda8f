"""From a dataset and retrievers to recorded runs: the slow part, done once.

Each retriever is built and searched once, to the largest depth that it or any retriever built
on it asks for. One that fails takes down only itself and those built on it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Dataset
from ragscore.errors import RagscoreError, RetrieverError, message_of
from ragscore.experiment import cached_runs
from ragscore.experiment.chunked_datasets import chunkers_of
from ragscore.experiment.earlier_runs import EarlierRuns
from ragscore.experiment.failing_alone import failing_alone
from ragscore.experiment.journal import Journal
from ragscore.experiment.kept_runs import KeptRuns
from ragscore.experiment.known_costs import keep_cost
from ragscore.experiment.latency import Latency
from ragscore.experiment.search_blocks import search_blocks
from ragscore.experiment.spread_queries import SpreadQueries
from ragscore.experiment.timing import time_queries
from ragscore.messages import _
from ragscore.progress import Progress
from ragscore.results.stages import QueryTimes, Stages
from ragscore.retrievers import open_custom
from ragscore.retrievers.base import Index, RetrieverSpec
from ragscore.retrievers.graph import (
    informed,
    keys,
    search_order,
    with_inputs,
)
from ragscore.run import Run
from ragscore.usage import Usage


@dataclass(eq=False)
class SearchedRuns:
    """The runs over one dataset, by retriever.

    Attributes:
        runs: in the experiment's order, cut at its depth.
        stages: what each cost.
        failures: why there is no run.
        texts: of passages that systems returned, by id, where there is no corpus.
    """

    runs: dict[str, Run] = field(default_factory=dict)
    stages: dict[str, Stages] = field(default_factory=dict)
    failures: dict[str, RagscoreError] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


@dataclass(eq=False)
class Search(KeptRuns):
    """One pass over one dataset; see :meth:`run`.

    Attributes:
        retrievers: specs, or Python functions, objects and classes, by name.
        depth: how many passages a run keeps for a query.
        wanted: names to report; their inputs are searched but not reported.
        latency: how to time single queries; None times none.
        cache: None keeps nothing.
        strict: a passage returned twice is an error.
        journal: where the answers of systems that are asked are kept meanwhile.
        earlier: what an earlier result has of it, of which only the failed queries are searched.
        failed: why retrievers have failed already, by name.
        spread: has workers do what takes long of a search; None if there are none.
    """

    dataset: Dataset
    retrievers: Mapping[str, RetrieverSpec | Any]
    depth: int
    wanted: tuple[str, ...]
    latency: Latency | None
    cache: Cache | None
    strict: bool
    progress: Progress
    journal: Journal = field(default_factory=lambda: Journal(None), kw_only=True)
    earlier: EarlierRuns = field(default_factory=EarlierRuns, kw_only=True)
    failed: Mapping[str, RagscoreError] = field(default_factory=dict, kw_only=True)
    spread: SpreadQueries | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        given = self.retrievers.items()
        self.specs = informed(
            {name: spec for name, spec in given if isinstance(spec, RetrieverSpec)}
        )
        self.retrievers = {**self.retrievers, **self.specs}
        self.corpus: Corpus = self._corpus()
        self.chunkers = chunkers_of(self.retrievers)
        order = search_order(self.specs, self.retrievers)
        foreign = [name for name in self.retrievers if name not in self.specs]
        needed = self._needed_depths(order)
        self.order = [name for name in [*foreign, *order] if name in needed]
        self.depths = needed
        self.keys = keys({name: spec for name, spec in self.specs.items() if self._cacheable(name)})
        self.indexes: dict[str, Index] = {}
        self.closed: set[str] = set()
        self.spread_out: set[str] = set()
        self.full_runs: dict[str, Run] = {}
        self.retrieved = SearchedRuns()

    def run(self) -> SearchedRuns:
        """Search everything that is wanted, inputs first."""
        last = {
            name: consumer
            for consumer in self.order
            for name in [consumer, *with_inputs(self.specs, [consumer])]
        }
        try:
            for name in self.order:
                self._run(name)
                for own in [own for own in last if last[own] == name]:
                    self._close(own)
        finally:
            for name in self.order:
                self._close(name)
        for name in self.retrievers:
            if name in self.wanted and name in self.full_runs:
                self.retrieved.runs[name] = self._reported(self.full_runs[name])
        return self.retrieved

    def _run(self, name: str) -> None:
        """Retrieve with one of them; where it fails, the others go on."""
        try:
            with failing_alone(name):
                self._retrieve(name)
        except RagscoreError as error:
            self.retrieved.failures[name] = error
        if name in self.retrieved.failures:
            self.progress.note(
                _("{retriever} failed; the other retrievers continue", retriever=name)
                if len(self.order) > 1
                else _("{retriever} failed", retriever=name)
            )
        if self.cache is not None and self.cache.failure is not None:
            self.progress.note(str(self.cache.failure))

    def _close(self, name: str) -> None:
        """Close an index that nothing asks any more, where there is one and it is open. Where that
        fails, nothing is lost."""
        if name not in self.indexes or name in self.closed:
            return
        self.closed.add(name)
        try:
            with failing_alone(name):
                self.indexes[name].close()
        except RagscoreError as error:
            self.progress.note(
                _(
                    "{error}; this happened while it was being closed, and its run is not affected",
                    error=str(error),
                )
            )

    def _corpus(self) -> Corpus:
        """The dataset's, or in its place the ids that judgments and recorded runs name."""
        if self.dataset.corpus is not None:
            return self.dataset.corpus
        ids = self.dataset.qrels.vocabulary
        for spec in self.specs.values():
            with suppress(RagscoreError):  # building it reports this better
                ids = ids.extended(spec.passages_named())
        return Corpus.of_ids(ids)

    def _reported(self, run: Run) -> Run:
        run = (run.without_self() if self.dataset.drop_self else run).cut(self.depth)
        # One that searched the chunks of some chunkers alone is brought onto those of all.
        return run if self.dataset.chunkings is None else run.onto(self.corpus.ids)

    def _needed_depths(self, order: list[str]) -> dict[str, int]:
        # One more is searched where the query itself will be dropped from its ranking.
        own = self.depth + 1 if self.dataset.drop_self else self.depth
        needed = {name: min(own, self._deepest(name)) for name in self.wanted}
        for name in reversed(order):
            if name in needed:
                spec = self.specs[name]
                for source in spec.inputs():
                    depth = min(spec.search_depth(needed[name]), self._deepest(source))
                    needed[source] = max(needed.get(source, 0), depth)
        return needed

    def _deepest(self, name: str) -> int:
        """How many passages a query can get: what a system may return is only known where there is
        a corpus."""
        return sys.maxsize if self.corpus.ids_only else len(self.corpus_of(name))

    def _cacheable(self, name: str) -> bool:
        spec = self.specs.get(name)
        return spec is not None and spec.repeatable() and all(map(self._cacheable, spec.inputs()))

    def _timed(self, name: str) -> bool:
        spec = self.specs.get(name)
        return (
            spec is not None
            and spec.timed()
            and not self._all_at_once(name)
            and all(map(self._timed, spec.inputs()))
        )

    def _all_at_once(self, name: str) -> bool:
        """Whether it reads the whole corpus for any number of queries: what one of them takes alone
        says nothing."""
        return self.specs[name].blockwise and bool(self.corpus_of(name).blocks)

    def _retrieve(self, name: str) -> None:
        if name in self.failed:
            raise self.failed[name]
        spec = self.retrievers[name]
        needs_corpus = isinstance(spec, RetrieverSpec) and spec.needs_corpus
        if self.dataset.corpus is None and needs_corpus:
            raise RetrieverError(
                f"the dataset '{self.dataset.name}' has no corpus, so there is nothing to search",
                retriever=name,
                instead="Add the corpus file; without it only recorded runs can be scored, and "
                "systems that hold the passages themselves",
            )
        sources = spec.inputs() if isinstance(spec, RetrieverSpec) else ()
        for source in sources:
            if source in self.retrieved.failures:
                raise RetrieverError(f"its input '{source}' failed", retriever=name)
        queries, passages = self.dataset.queries.ids, self.corpus_of(name).ids
        found = self._kept(
            name, "runs", lambda folder: cached_runs.read_run(folder, queries, passages, name)
        )
        earlier = self._earlier(name, sources)
        taken = None
        if found is None and earlier is not None and len(earlier) == len(queries):
            found = taken = self.earlier.whole(name, earlier)
        if found is not None:
            self.earlier.searched(name, np.zeros(0, dtype=np.int64), len(queries))
        run, stages = found or self._searched(name, sources, earlier)
        below = (cut for source in sources for cut in self.retrieved.stages[source].truncations)
        stages = replace(stages, truncations=tuple(dict.fromkeys([*stages.truncations, *below])))
        timed = taken is not None and stages.latency is not None
        if self.latency is not None and self._timed(name) and not timed:
            stages = replace(stages, latency=self._latency(name, self.latency))
        if (
            self.latency is not None
            and name in self.specs
            and self.specs[name].timed()
            and self._all_at_once(name)
        ):
            self.progress.note(
                _(
                    "{name} searches the corpus in blocks, all queries at once: its latency "
                    "is not timed",
                    name=name,
                )
            )
        if found is None and name in self.specs and name not in self.spread_out:
            count = len(self.dataset.queries)
            keep_cost(self.cache, self.specs[name], self.corpus_of(name), stages, count)
        self.full_runs[name], self.retrieved.stages[name] = run, stages

    def _earlier(self, name: str, sources: tuple[str, ...]) -> Run | None:
        """What an earlier result has of a retriever that need not be searched again; None if it
        has nothing, or not as deep as what is built on it reads."""
        specs = [self.specs[other] for other in self.order if other in self.specs]
        read = any(name in spec.inputs() for spec in specs)
        if read and self.depths[name] > self.depth:
            return None
        passages = self.corpus_of(name).ids
        return self.earlier.answers(name, sources, self.dataset.queries.ids, passages)

    def _searched(
        self, name: str, sources: tuple[str, ...], earlier: Run | None
    ) -> tuple[Run, Stages]:
        began = time.perf_counter()
        index = self._index(name)
        built = time.perf_counter()
        inputs = {source: self.full_runs[source] for source in sources}
        index.prepare(self.dataset.queries, inputs)
        spared = self.dataset.queries.spared_seconds
        ready = time.perf_counter()
        answers = self.answers_of(name)
        if earlier is not None:
            answers.take(earlier, self.earlier.seconds(name))
        self.earlier.searched(name, answers.left(), len(self.dataset.queries))
        if (note := self.earlier.going_on(name, len(self.dataset.queries))) is not None:
            self.progress.note(answers.noted(note))
        answers.read(self.corpus_of(name).ids, self.progress)
        if earlier is None:
            self._spread(name, index, sources)
        run = search_blocks(name, index, answers, self.depths[name], inputs, self.progress)
        run = run.failed_with(inputs)
        ended = time.perf_counter()
        # What another retriever has computed of the queries is a part of this one's search, too.
        seconds = ended - ready + self.dataset.queries.spared_seconds - spared + answers.seconds
        cost = index.build_cost
        encoding = cost.encoding if cost is not None else None
        stages = Stages(
            index_seconds=built - began,
            index_from_cache=index.reopened,
            index_bytes=index.size_bytes,
            load_seconds=ready - built,
            search_seconds=seconds,
            queries_per_second=len(self.dataset.queries) / max(seconds, 1e-9),
            truncations=index.truncations(self.dataset.queries),
            build_seconds=cost.seconds if cost is not None else None,
            encoding=encoding.reopened() if encoding is not None and index.reopened else encoding,
            usage=self._usage(name, index),
            filtered=index.filter_counts(self.dataset.queries),
            calls=index.call_times(),
            failed=run.failures,
            leaves_out=run.leaves_out,
        )
        self.retrieved.texts = {**index.returned_texts(), **self.retrieved.texts}
        for note in index.notes():
            self.progress.note(note)
        if earlier is not None:
            return run, self.earlier.joined(name, stages)
        self._keep(name, "runs", lambda folder: cached_runs.write_run(folder, run, stages))
        if self.cache is None or self.cache.failure is None:
            index.forget()
        return run, stages

    def _spread(self, name: str, index: Index, sources: tuple[str, ...]) -> None:
        """Have workers put into the cache what takes long of a search, where there are any and they
        find there what it reads."""
        if self.spread is None or not index.spreads or not all(map(self.is_kept, sources)):
            return
        inputs = {source: self._key(source, "runs") for source in sources}
        given = (self.dataset, self.corpus_of(name), index, self.specs[name], self.depths[name])
        if self.spread.search(*given, inputs):
            self.spread_out.add(name)

    def _usage(self, name: str, index: Index) -> Usage | None:
        """What the search used; what cannot be read of it costs no run."""
        try:
            return index.usage()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # foreign code
            self.progress.note(
                _(
                    "the `usage` of {name} could not be read and is left out: {error}",
                    name=name,
                    error=message_of(error),
                )
            )
            return None

    def _index(self, name: str) -> Index:
        if name not in self.indexes:
            spec = self.retrievers[name]
            corpus = self._searched_corpus(name)
            if isinstance(spec, RetrieverSpec):
                self.indexes[name] = spec.build(
                    corpus, self.cache, name=name, progress=self.progress, strict=self.strict
                )
            else:
                self.indexes[name] = open_custom(
                    spec, corpus, name=name, strict=self.strict, progress=self.progress
                )
        return self.indexes[name]

    def _searched_corpus(self, name: str) -> Corpus:
        """What a retriever is built over: where there is no corpus, also the ids that the systems
        it builds on returned."""
        if not self.corpus.ids_only or name not in self.specs:
            return self.corpus_of(name)
        ids = self.corpus.ids
        for source in self.specs[name].inputs():
            ids = ids.extended(self.full_runs[source].passages)
        return self.corpus if ids is self.corpus.ids else Corpus.of_ids(ids)

    def _latency(self, name: str, asked: Latency) -> QueryTimes:
        """The latency, from the cache or timed now; a cached run opens its index for that."""
        found = self._kept(name, "latency", cached_runs.read_latency)
        if found is not None:
            return found
        latency = time_queries(
            name,
            self.specs,
            self._index,
            self.dataset.queries,
            self.full_runs,
            self.depths[name],
            asked,
            self.progress,
        )
        self._keep(name, "latency", lambda folder: cached_runs.write_latency(folder, latency))
        return latency
