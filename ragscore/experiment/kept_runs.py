"""What the cache has of the runs of a search, and what is kept of them there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from ragscore.cache import Cache, entry_key
from ragscore.dataset import Corpus, Dataset
from ragscore.experiment import cached_runs
from ragscore.experiment.journal import Journal, KeptAnswers
from ragscore.experiment.latency import Latency
from ragscore.progress import Progress
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.graph import metadata_read

T = TypeVar("T")


class KeptRuns:
    """Base of a search: finds its runs, its answers and its latency in the cache.

    Attributes:
        corpus: that is searched; where documents were cut, the chunks of all chunkers.
        chunkers: by retriever, whose chunks it searches; empty for all passages.
        specs: of the retrievers, by name.
        depths: how deep each is searched.
        keys: of those whose runs the cache keeps.
    """

    dataset: Dataset
    corpus: Corpus
    chunkers: Mapping[str, tuple[str, ...]]
    specs: Mapping[str, RetrieverSpec]
    depths: Mapping[str, int]
    keys: Mapping[str, str]
    strict: bool
    latency: Latency | None
    cache: Cache | None
    journal: Journal
    progress: Progress

    def corpus_of(self, name: str) -> Corpus:
        """What a retriever searches."""
        own = self.part_of(name).corpus
        return self.corpus if own is None else own

    def part_of(self, name: str) -> Dataset:
        """The dataset as a retriever knows it, which its run is judged by."""
        return self.dataset.part(self.chunkers[name])

    def answers_of(self, name: str) -> KeptAnswers:
        """What is known of the answers of a retriever, nothing being read yet."""
        spec, queries = self.specs.get(name), self.dataset.queries
        depends = None if spec is None else spec.answers_depend_on()
        key = None
        if depends is not None:
            content = [depends, self.depths[name], self.strict, self.dataset.metadata_digest]
            key = entry_key(
                cached_runs.FORMAT, content, f"{self.corpus_of(name).digest} {queries.digest}"
            )
        return KeptAnswers(queries, self.journal, self.dataset.name, name, key)

    def is_kept(self, name: str) -> bool:
        """Whether the run of a retriever is in the cache; nothing is read."""
        if self.cache is None or name not in self.keys:
            return False
        return self.cache.has("runs", self._key(name, "runs"))

    def keeps_run(self, name: str) -> bool:
        """Whether the cache is to keep the run of a retriever: that of foreign code it is not."""
        return name in self.keys

    def _key(self, name: str, kind: str) -> str:
        content = [
            self.dataset.queries.digest,
            self.keys[name],
            self.depths[name],
            self.strict,
            self.latency.model_dump(mode="json") if kind == "latency" and self.latency else None,
            self._metadata_digests(name),
        ]
        return entry_key(cached_runs.FORMAT, content, self.corpus_of(name).digest)

    def _metadata_digests(self, name: str) -> list[str]:
        """Digests of the metadata that a retriever reads: those of corpus and queries hold none."""
        read = metadata_read(self.specs, name)
        tables = (
            (self.corpus_of(name), read.passages),
            (self.dataset.queries, read.queries),
        )
        return [table.metadata_digest(read_keys) for table, read_keys in tables if read_keys]

    def _kept(self, name: str, kind: str, read: Callable[[Path], T]) -> T | None:
        if self.cache is None or name not in self.keys:
            return None
        return self.cache.read(kind, self._key(name, kind), read, progress=self.progress)

    def _keep(self, name: str, kind: str, write: Callable[[Path], None]) -> None:
        if self.cache is not None and name in self.keys:
            self.cache.keep(kind, self._key(name, kind), write)
