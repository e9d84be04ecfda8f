"""The protocol of retrievers, in three stages.

``spec.inputs()`` names other retrievers it builds on; ``spec.build(corpus, cache)`` makes or
reopens an :class:`Index`; ``index.search(queries, depth, inputs)`` answers a block of queries.
A spec is frozen and holds no state; an index depends on nothing but its spec and the corpus.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.dataset.allowed import Allowed
from ragscore.dataset.filter_counts import FilterCounts
from ragscore.errors import ConfigError, Problem, RetrieverError
from ragscore.messages import Message
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.answering import NO_INPUTS as NO_INPUTS
from ragscore.retrievers.answering import Answering, AnsweringSpec
from ragscore.retrievers.artifact import Artifact
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.call_times import CallTimes
from ragscore.run import Run
from ragscore.spec import canonical_json, digest_text

MIN_BLOCK, MAX_BLOCK = 8, 2048


def asked_block(concurrency: int) -> int:
    """How many queries a system is asked before their answers are kept for the first time: few, so
    that little is lost with them, and enough to keep all calls busy."""
    return min(max(4 * concurrency, MIN_BLOCK), MAX_BLOCK)


class Index(Answering):
    """A retriever over one corpus, ready to answer.

    Attributes:
        name: the name its runs carry.
        block: how many queries are searched in one call.
        size_bytes: bytes of the index on disk or in memory, None if unknown.
        passages_indexed: how many passages it can return, None if unknown.
        build_cost: what building it cost, also where it was reopened; None if unknown.
        reopened: it was in the cache; nothing was built.
    """

    name: str
    block: int = MAX_BLOCK
    size_bytes: int | None = None
    passages_indexed: int | None = None
    build_cost: BuildCost | None = None
    reopened: bool = False

    def filter_counts(self, queries: Queries) -> FilterCounts | None:
        """What its filter did to all of these queries, after they were searched; None if it
        has no filter."""
        return None

    def remembered(self, queries: Queries) -> Any:
        """What it knows of these queries since it searched them, besides their run, as JSON: it is
        kept with their answers where these are kept, and handed to :meth:`recall` in a later
        process that goes on from them."""
        return None

    def recall(self, remembered: Any) -> None:
        """Know what :meth:`remembered` gave in an earlier process, where it gave something."""

    def returned_texts(self) -> Mapping[str, str]:
        """The texts of passages that it returned so far, by id, where there is no corpus."""
        return {}

    def notes(self) -> Iterable[Message]:
        """What a reader must know of all that it searched, once that is done."""
        return ()

    def forget(self) -> None:
        """Delete from the cache what was kept while it searched: the whole run is kept now."""

    def call_times(self) -> CallTimes | None:
        """How long the calls took that were answered so far; None if nothing outside is
        asked."""
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


class RestrictedIndex(Index):
    """An index that can search among the passages that a query may get alone."""

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        return self.search_allowed(queries, depth, None)

    @abstractmethod
    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed | None) -> Run:
        """The best ``depth`` of the passages that each query may get, found among these alone.

        Args:
            queries: a block of queries.
            depth: how many passages at most a query gets; fewer is fine.
            allowed: which passages each of the queries may get; None allows all.

        Raises:
            RetrieverError: as :meth:`search`.
        """


@dataclass(frozen=True)
class MetadataRead:
    """Keys of the metadata that a retriever reads."""

    passages: frozenset[str] = frozenset()
    queries: frozenset[str] = frozenset()


class RetrieverSpec(AnsweringSpec):
    """Base of every retriever's description; a subclass adds ``kind`` and its options."""

    exact_pair: ClassVar[int] = 1
    """How much longer exact search takes for a query and a passage than a product of vectors."""

    one_core: ClassVar[bool] = False
    """True if building and searching keep one core busy, and equal specs give equal runs in any
    process: configurations of a sweep are then searched side by side."""

    @property
    def needs_corpus(self) -> bool:
        """False if it needs no texts, and a dataset without a corpus will do."""
        return True

    @property
    def blockwise(self) -> bool:
        """True if a corpus in blocks is searched block by block, all queries at once."""
        return False

    @property
    def builds_on_one_core(self) -> bool:
        """True if building takes long on one core once the texts are encoded, and gives the same
        index in any process: the indexes of a sweep are then built side by side."""
        return False

    def check_data(self, corpus: Corpus, queries: Queries) -> list[Problem]:
        """What can be found wrong once the data is there, before anything is built or searched:
        metadata that a filter needs, or a corpus in blocks; called for each dataset."""
        unfit = self.unfit_for_blocks() if corpus.blocks else None
        return [] if unfit is None else [unfit]

    def unfit_for_blocks(self) -> Problem | None:
        """Why it cannot search a corpus in blocks, which does not fit into memory; None if it
        can."""
        return None

    def returnable(self, corpus: Corpus) -> NDArray[np.intp] | None:
        """Rows of the passages that it can return, whatever the query; None if that is all.
        Called after :meth:`check_data` found nothing."""
        return None

    def check_inputs(self, inputs: Mapping[str, RetrieverSpec]) -> list[Problem]:
        """What can be found wrong with the retrievers that it builds on, where these are known:
        :meth:`inputs` by name."""
        return []

    def check_depth(self, depth: int) -> Problem | None:
        """What does not fit the depth of an experiment, such as reading more of its inputs than is
        recorded; None if nothing is. ``where`` is the option, where there is one.

        Args:
            depth: how many passages a run records for a query.
        """
        read = self.search_depth(depth) if self.inputs() else 0
        if read <= depth:
            return None
        option = "n" if "n" in type(self).model_fields else ""
        return Problem(
            f"it reads {read:,} passages of {' and '.join(self.inputs())}, above the depth "
            f"{depth:,}",
            where=option,
            instead=f"Write depth: {read}, or {option or 'read'} up to {depth}",
        )

    def informed(self, inputs: Mapping[str, RetrieverSpec]) -> Self:
        """The same description with what it has to know of the retrievers that it builds on."""
        return self

    def lowest_score(self) -> float | None:
        """The lowest score that a passage can get in theory, whatever the query and the corpus are;
        None if there is no such score, or nobody knows it."""
        return None

    def metadata_read(self) -> MetadataRead:
        """Which metadata can change what it returns, besides texts and ids."""
        return MetadataRead()

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

    def repeatable(self) -> bool:
        """True if equal specs return equal runs, so that a run may be kept in the cache."""
        return self.cacheable

    def answers_depend_on(self) -> dict[str, object] | None:
        """Of a system that is asked, what its answers depend on as far as that can be known, as
        JSON: they are then kept while it is asked, and a run that ended early goes on from them.
        None if none are kept. No value of a variable of the environment is in it in the clear.
        """
        return None

    def resident_bytes(self, passages: int) -> int | None:
        """Bytes of an index that is in memory as a whole, over this many passages; None if the
        corpus is searched in blocks, or nobody knows."""
        return None

    def artifacts(self, corpus: Corpus) -> Sequence[Artifact]:
        """What :meth:`build` keeps in the cache, or finds there; nothing is built or read."""
        return ()

    def cost_class(self, corpus: Corpus) -> object:
        """What retrievers have in common that cost about the same on a corpus, as JSON: by default
        all that their runs depend on."""
        return self.content()

    def exact(self) -> RetrieverSpec | None:
        """The same retriever with exact search, by which the loss of this one's approximate index
        is measured; None if it searches exactly, or does not search a corpus itself."""
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
        inputs = self._input_keys(input_keys or {})
        return digest_text(canonical_json([self.content(), self.versions(), inputs]))

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
            progress: reports long stages.

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
