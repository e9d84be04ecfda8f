"""What is to be done on one dataset, retriever by retriever, and what of it is in the cache."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

from ragscore.cache import Cache
from ragscore.encoders.gathering import kept_passages
from ragscore.experiment.chunked_datasets import PlannedChunks, planned_chunks
from ragscore.experiment.exact_runs import searched_beside
from ragscore.experiment.journal import Journal
from ragscore.experiment.known_costs import KnownCost, known_cost
from ragscore.experiment.model import Experiment
from ragscore.experiment.planned_retriever import (
    BYTES_OF_ENTRY,
    BYTES_OF_EXPORT,
    BYTES_OF_RANK,
    BYTES_OF_VALUE,
    LeftToDo,
    PlannedRetriever,
)
from ragscore.experiment.sampled_costs import sampled_cost, sampled_scoring
from ragscore.experiment.search import Search
from ragscore.experiment.sweep.configuration_search import SweepSearch
from ragscore.experiment.sweep.configurations import Configurations
from ragscore.experiment.sweep.sweeping import TIMED, sweep_scoring
from ragscore.progress import SILENT
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.graph import with_inputs


class PlannedDataset:
    """The plan of one dataset."""

    def __init__(
        self,
        experiment: Experiment,
        configurations: Configurations | None,
        chunks: PlannedChunks,
        cache: Cache | None,
        wanted: Sequence[str],
    ) -> None:
        self.experiment, self.chunks, self.cache = experiment, chunks, cache
        self.dataset = chunks.dataset
        self.configurations = configurations
        self.depth = self.dataset.reachable_depth(experiment.depth)
        self.wanted = tuple(wanted)
        self.planned: set[str] = set()
        """Keys of what is made already, or will be by a row above."""
        self.encoded: dict[str, set[str]] = {}
        """By encoder, the texts of which rows above have vectors."""

    @cached_property
    def scoring_seconds(self) -> float:
        """What scoring one configuration takes, and keeping that and its times."""
        entries = 2 if self.experiment.latency else 1
        return sampled_scoring(self.dataset, sweep_scoring(self.experiment), self.depth, entries)

    def rows(self) -> Iterator[PlannedRetriever]:
        """The retrievers as they are written, the exact searches beside them, then those that are
        swept."""
        experiment = self.experiment
        latency = experiment.latency or None
        options = (latency, self.cache, experiment.strict, SILENT)
        search = Search(
            self.dataset,
            experiment.retrievers,
            self.depth,
            self.wanted,
            *options,
            journal=Journal(self.cache),
        )
        for name in search.order:
            yield self._row(search, name, [name], self.chunks, swept=False)
        beside = searched_beside(search)
        exact = Search(self.dataset, beside, self.depth, tuple(beside), None, *options[1:])
        for name in beside:
            yield self._row(exact, name, [name], self.chunks, swept=False)
        found = self.configurations
        if experiment.sweep and found is not None:
            scoring = sweep_scoring(experiment)
            chunks = planned_chunks(self.dataset, found.specs, cache=self.cache)
            swept = SweepSearch(
                chunks.dataset,
                found.specs,
                chunks.dataset.reachable_depth(experiment.depth),
                tuple(found.specs),
                *options,
                scoring,
            )
            for name in experiment.sweep.parameters:
                labels = [
                    label
                    for label, candidate in found.candidates.items()
                    if candidate.retriever == name
                ]
                yield self._row(swept, name, labels, chunks, swept=True)

    def _row(
        self,
        search: Search,
        name: str,
        labels: Sequence[str],
        chunks: PlannedChunks,
        *,
        swept: bool,
    ) -> PlannedRetriever:
        uncut = chunks.uncut(search.retrievers).intersection(labels)
        specs = {label: search.specs[label] for label in labels if label not in uncut}
        left = {label: spec for label, spec in specs.items() if not search.is_kept(label)}
        work = _DatasetWork(self, search, swept, self.experiment.retrievers.get(name))
        for label, spec in left.items():
            work.add(label, spec)
        if uncut:
            work.add_uncut()
        return work.row(self.dataset.name, name, len(labels), len(specs) - len(left))


class _DatasetWork(LeftToDo):
    """What is left to do on a dataset in memory; ``written`` is the retriever with the settings of
    the file, which tells of a configuration of which nothing else is known."""

    def __init__(
        self, planned: PlannedDataset, search: Search, swept: bool, written: RetrieverSpec | None
    ) -> None:
        super().__init__(swept)
        self.planned, self.search, self.written = planned, search, written
        self.costs: dict[str, KnownCost | None] = {}

    def add(self, label: str, spec: RetrieverSpec) -> None:
        """Count one run that is not in the cache."""
        corpus, queries = self.search.corpus_of(label), len(self.planned.dataset.queries)
        answers = self.search.answers_of(label)
        answers.peek(corpus.ids)
        self.answered += answers.kept
        build = self._artifacts(label, spec)
        self.ask_queries(spec, self.planned.dataset.queries.texts, self.planned.planned)
        cost = self._cost(label, spec)
        if cost is None:
            self.searching += self.known(math.nan)
        else:
            built = cost.build_seconds if build else cost.open_seconds or 0.0
            self.indexing += self.known(built, sampled=cost.sampled)
            self.searching += cost.query_seconds * (queries - answers.kept) + self._timing(label)
        if build and spec.needs_corpus:
            size = math.nan if cost is None or cost.index_bytes is None else cost.index_bytes
            self.bytes += size
        if self.search.keeps_run(label):
            depth = min(self.search.depths[label], len(corpus))
            exported = 0 if self.swept else BYTES_OF_EXPORT
            self.bytes += queries * depth * (BYTES_OF_RANK + exported) + BYTES_OF_ENTRY
        if self.swept:
            self.bytes += queries * BYTES_OF_VALUE + BYTES_OF_ENTRY
            self.searching += self.planned.scoring_seconds

    def add_uncut(self) -> None:
        """Count runs over chunks that are not known yet: nothing of them can be looked for."""
        self.made["chunks"] = None
        self.searching, self.bytes = self.known(math.nan), math.nan

    def _artifacts(self, label: str, spec: RetrieverSpec) -> bool:
        """Count what a retriever is built on; whether its index has to be built."""
        corpus, cache = self.search.corpus_of(label), self.planned.cache
        artifacts = spec.artifacts(corpus)
        there = {
            artifact.what
            for artifact in artifacts
            if artifact.kind and cache is not None and cache.has(artifact.kind, artifact.key)
        }
        build = False
        for artifact in artifacts:
            if artifact.key in self.planned.planned or artifact.what in there:
                self.reused[artifact.what] = None
                continue
            if artifact.kind:
                self.planned.planned.add(artifact.key)
                self.made[artifact.what] = None
                build = True
            elif "index" not in there:
                self._vectors(artifact)
        return build or not artifacts

    def _vectors(self, artifact: Artifact) -> None:
        key, texts, dimension = artifact.key, artifact.texts, artifact.dimension
        if not texts:  # windows, which are not cut here
            self.made["vectors"] = None
            self.encoding, self.bytes = self.known(math.nan), math.nan
            return
        encoded = self.planned.encoded.setdefault(key, set())
        others = list(dict.fromkeys(text for text in texts if text not in encoded))
        encoded.update(others)
        kept = kept_passages(self.planned.cache, key, others)
        missing = kept.texts - kept.kept
        if kept.kept or len(others) < len(texts):
            self.reused["vectors"] = None
        if missing:
            self.made["vectors"] = None
            self.texts += missing
            self.encoding += self.known(missing * kept.seconds_each)
            self.bytes += missing * dimension * 4 if dimension else math.nan
            if artifact.encoder is not None:
                asked = artifact.encoder.planned(others, "passage")
                self.ask(asked and asked.part(missing / kept.texts))

    def _timing(self, label: str) -> float:
        """Seconds that timing single queries takes: of a configuration without its inputs, which
        are timed once for all."""
        latency, specs = self.planned.experiment.latency, self.search.specs
        if not latency or not specs[label].timed():
            return 0.0
        if self.swept:
            count, timed = min(latency.queries, TIMED), {label: specs[label]}
        else:
            count, timed = (
                latency.queries * len(latency.concurrency),
                with_inputs(specs, [label]),
            )
        costs = [
            cost for name, spec in timed.items() if (cost := self._cost(name, spec)) is not None
        ]
        each = math.fsum(cost.single_seconds or cost.query_seconds for cost in costs)
        return min(count, len(self.planned.dataset.queries)) * each

    def _cost(self, label: str, spec: RetrieverSpec) -> KnownCost | None:
        planned, corpus = self.planned, self.search.corpus_of(label)
        kind = str([spec.cost_class(corpus), self.search.chunkers[label]])
        if kind not in self.costs:
            found = known_cost(planned.cache, spec, corpus)
            found = found or sampled_cost(spec, self.search.part_of(label), planned.depth)
            if found is None and self.swept and self.written is not None:
                found = known_cost(planned.cache, self.written, corpus)
            self.costs[kind] = found
        return self.costs[kind]
