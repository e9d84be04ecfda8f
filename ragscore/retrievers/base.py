"""The protocol of retrievers, in three stages.

``spec.inputs()`` names other retrievers it builds on; ``spec.build(corpus, cache)`` makes or
reopens an :class:`Index`; ``index.search(queries, depth, inputs)`` answers a block of queries.
A spec is frozen and holds no state; an index depends on nothing but its spec and the corpus.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.dataset.filter_counts import FilterCounts
from ragscore.encoders import Truncation
from ragscore.errors import ConfigError, Problem, RetrieverError
from ragscore.kinds import KindSpec
from ragscore.progress import SILENT, Progress, Stage
from ragscore.retrievers.allowed import Allowed
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.usage import Usage
from ragscore.run import Run
from ragscore.spec import canonical_json, digest_text

NO_INPUTS: Mapping[str, Run] = {}


class Index(ABC):
    """A retriever over one corpus, ready to answer.

    Attributes:
        name: the name its runs carry.
        size_bytes: bytes of the index on disk or in memory, None where that is unknown.
        passages_indexed: how many passages it can return, None where that is unknown.
        build_cost: what building it cost, also where it was reopened; None where that is unknown.
    """

    name: str
    block: int = 2048
    """How many queries are worth searching at a time."""
    restricts: bool = False
    """True where :meth:`search_allowed` searches among the allowed passages alone."""
    size_bytes: int | None = None
    passages_indexed: int | None = None
    build_cost: BuildCost | None = None
    answered: Stage = Stage()
    """Notified of queries as they are answered, where a block takes long."""

    def prepare(self, queries: Queries) -> None:  # noqa: B027  (most load nothing late)
        """Load what answering needs, so that it is not timed as part of the first search.

        Args:
            queries: all that will be searched, in blocks or one by one.

        Raises:
            RetrieverError: as :meth:`search`.
        """

    def truncations(self, queries: Queries) -> tuple[Truncation, ...]:
        """What this retriever's encoder did not read of the passages and of these queries; its
        inputs report their own."""
        return ()

    def usage(self) -> Usage | None:
        """The tokens and the money used so far, by this retriever alone; None where nothing counts
        them.

        Raises:
            BaseException: any; what foreign code says of it is not what it should be.
        """
        return None

    def filter_counts(self, queries: Queries) -> FilterCounts | None:
        """What its filter did to all of these queries, after they were searched; None where it
        has no filter."""
        return None

    @abstractmethod
    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        """The best ``depth`` passages of each query, over the corpus's ids.

        Args:
            queries: a block of queries.
            depth: how many passages at most a query gets; fewer is fine.
            inputs: for each name in ``spec.inputs()``, its run over the same queries.

        Raises:
            RetrieverError: names the retriever, the query and what was returned.
        """

    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed) -> Run:
        """The best ``depth`` of the passages that each query may get, found among these alone;
        only where :attr:`restricts` is true.

        Args:
            queries: as in :meth:`search`.
            depth: as in :meth:`search`.
            allowed: which passages each of the queries may get.

        Raises:
            RetrieverError: as :meth:`search`.
        """
        raise NotImplementedError(f"{type(self).__name__} cannot restrict its search")


@dataclass(frozen=True)
class MetadataRead:
    """Keys of the metadata that a retriever reads."""

    passages: frozenset[str] = frozenset()
    queries: frozenset[str] = frozenset()


class RetrieverSpec(KindSpec):
    """Base of every retriever's description; a subclass adds ``kind`` and its options."""

    remote: ClassVar[bool] = False
    """True where a query leaves the machine or runs foreign code."""
    needs_corpus: ClassVar[bool] = True
    """False where ids are all that is needed, and a dataset without a corpus will do."""
    cacheable: ClassVar[bool] = True
    """False where equal specs may return different runs (foreign code)."""
    exact_pair: ClassVar[int] = 1
    """How much longer exact search takes for a query and a passage than a product of vectors."""

    one_core: ClassVar[bool] = False
    """True where building and searching keep one core busy, and equal specs give equal runs in any
    process: configurations of a sweep are then searched side by side."""

    def resolved(self, base: Path) -> Self:
        """The same description with paths that are relative to ``base``, the folder of the
        experiment file, made absolute; itself where it names no file."""
        return self

    def check(self) -> list[Problem]:
        """What can be found wrong without building: files, packages, options that do not fit.

        Cheap, and never imports custom code; called after :meth:`resolved`.
        """
        return []

    def check_data(self, corpus: Corpus, queries: Queries) -> list[Problem]:
        """What can be found wrong once the data is there, before anything is built or searched:
        metadata that a filter needs; called for each dataset."""
        return []

    def check_inputs(self, inputs: Mapping[str, RetrieverSpec]) -> list[Problem]:
        """What can be found wrong with the retrievers that it builds on, as far as these are known:
        :meth:`inputs` by name."""
        return []

    def informed(self, inputs: Mapping[str, RetrieverSpec]) -> Self:
        """The same description with what it has to know of the retrievers that it builds on."""
        return self

    def lowest_score(self) -> float | None:
        """The lowest score that a passage can get in theory, whatever the query and the corpus are;
        None where there is no such score, or nobody knows it."""
        return None

    def metadata_read(self) -> MetadataRead:
        """Which metadata can change what it returns, besides texts and ids."""
        return MetadataRead()

    def doubt(self, written: str) -> str | None:
        """Why this retriever suits passages in a language badly, and what suits them better; None
        where nothing is known against it.

        Args:
            written: what :func:`~ragscore.text.script.written_in` says of the passages.
        """
        return None

    def inputs(self) -> tuple[str, ...]:
        """Names of the retrievers whose runs :meth:`Index.search` needs."""
        return ()

    def with_inputs_named(self, names: Mapping[str, str]) -> Self:
        """The same retriever built on others.

        Args:
            names: by the name of an input, the one to take in its place.

        Raises:
            ConfigError: the inputs are not named by the options ``retriever`` and ``retrievers``.
        """
        one, several = getattr(self, "retriever", None), getattr(self, "retrievers", ())
        update: dict[str, object] = {}
        if isinstance(one, str):
            update["retriever"] = names.get(one, one)
        if several:
            update["retrievers"] = tuple(names.get(name, name) for name in several)
        renamed = self.model_copy(update=update) if update else self
        if renamed.inputs() != tuple(names.get(name, name) for name in self.inputs()):
            raise ConfigError(
                f"a retriever of kind {self.kind} cannot be built on a swept retriever",
                instead="Its class has to name its inputs in options `retriever` or `retrievers`",
            )
        return renamed

    def passages_named(self) -> Iterable[str]:
        """Ids of passages that are known without a corpus: those of a recorded run."""
        return ()

    def timed(self) -> bool:
        """True where timing a single search shows what a query costs: not for foreign code, and not
        where the work was done elsewhere."""
        return not self.remote

    def repeatable(self) -> bool:
        """True where equal specs return equal runs, so that a run may be kept in the cache."""
        return self.cacheable

    def artifacts(self, corpus: Corpus) -> Sequence[Artifact]:
        """What :meth:`build` keeps in the cache, or finds there; nothing is built or read."""
        return ()

    def cost_class(self, corpus: Corpus) -> object:
        """What retrievers have in common that cost about the same on a corpus, as JSON: by default
        all that their runs depend on."""
        return self.content()

    def exact(self) -> RetrieverSpec | None:
        """The same retriever with exact search, by which the loss of this one's approximate index
        is measured; None where it searches exactly, or does not search a corpus itself."""
        return None

    def search_depth(self, depth: int) -> int:
        """How deep the inputs must be searched for a run of ``depth``."""
        return depth

    def key(self, input_keys: Mapping[str, str] | None = None) -> str:
        """Digest of everything that can change what is returned over a given corpus.

        Args:
            input_keys: key of each input by name; the names themselves don't count, so that
                renaming a retriever changes no key.
        """
        return digest_text(canonical_json([self.content(), self._input_keys(input_keys or {})]))

    def content(self) -> dict[str, object]:
        """What :meth:`key` digests of the spec itself: all fields that aren't names of inputs,
        with files replaced by digests of what they hold."""
        return self.model_dump(mode="json")

    def _input_keys(self, input_keys: Mapping[str, str]) -> list[str]:
        return [input_keys[name] for name in self.inputs()]

    @abstractmethod
    def build(
        self,
        corpus: Corpus,
        cache: Cache | None = None,
        *,
        name: str | None = None,
        strict: bool = False,
        progress: Progress = SILENT,
    ) -> Index:
        """An index over the corpus: reopened from the cache where it is there.

        Args:
            corpus: what is searched.
            cache: where the index is kept; None keeps it in memory only.
            name: name of the runs; by default the kind.
            strict: a passage returned twice is an error; otherwise the first is kept.
            progress: is notified of long stages.

        Raises:
            RetrieverError: the index cannot be built.
            MissingPackageError: an optional package is needed.
        """


def input_run(
    inputs: Mapping[str, Run], source: str, queries: Ids, passages: Ids, depth: int, name: str
) -> Run:
    """The run of an input as a retriever that builds on it reads it.

    Args:
        inputs: by name, as :meth:`Index.search` gets them.
        source: the input's name.
        queries, passages: what the run is brought onto.
        depth: how deep it is read; it may have been searched deeper for another consumer.
        name: of the retriever that reads it, for messages.

    Raises:
        RetrieverError: it is missing.
    """
    if source not in inputs:
        raise RetrieverError(
            f"the run of '{source}' is missing",
            retriever=name,
            instead="Search that retriever first and pass its run in inputs",
        )
    return inputs[source].cut(depth).for_queries(queries).onto(passages)
