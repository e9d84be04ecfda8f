"""Retrievers that search the passages of a corpus, and what they have in common.

A subclass says in :meth:`CorpusRetriever.open_index` how its index is made or reopened;
:meth:`CorpusRetriever.build` is the same for all of them.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import Annotated, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, field_validator, model_validator

from ragscore.cache import Cache
from ragscore.chunking import Chunker
from ragscore.dataset import INDEXED, Corpus, PassageField, Queries
from ragscore.dataset.conditions import Conditions, listed
from ragscore.dataset.metadata import OF_METADATA, metadata_key
from ragscore.dataset.metadata_filter import MetadataFilter
from ragscore.errors import Problem, RetrieverError
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.base import Index, MetadataRead, RetrieverSpec
from ragscore.retrievers.collapsed import StandsFor, collapsed, parents
from ragscore.retrievers.filtered import FilteredIndex
from ragscore.validation.findings import contradiction

OVERFETCH = 1_000


class CorpusRetriever(RetrieverSpec):
    """Base of the retrievers that search a corpus themselves."""

    chunk: Chunker | None = None
    """How the dataset's documents are cut into the passages that this retriever searches; none
    where the dataset has passages of its own."""
    filter: Conditions | None = None
    """What the metadata of a passage must be for a query to get it: `{field, op, value}`, or a list
    of such conditions that must all hold."""
    overfetch: Annotated[int, Field(ge=1, le=1_000_000)] = OVERFETCH
    """How many passages are fetched for each query before `filter` is applied, by retrievers that
    cannot search the allowed passages alone."""
    collapse: str | None = None
    """`metadata.KEY`: a passage counts for the one whose id it has under this metadata key; such
    parents are what is returned, with the score of their best child."""

    unbuilt: ClassVar[frozenset[str]] = frozenset({"chunk", "filter", "overfetch", "collapse"})
    """Options that change no index."""

    @property
    def fetched_before_filter(self) -> int:
        """How many passages a query asks for before ``filter`` is applied."""
        return self.overfetch

    @field_validator("filter")
    @classmethod
    def _always_several(cls, conditions: Conditions | None) -> Conditions | None:
        """One condition and a list of it are the same, and have one key."""
        if conditions == ():
            raise ValueError("an empty list restricts nothing. Leave filter out")
        return conditions if conditions is None else listed(conditions)

    @field_validator("collapse")
    @classmethod
    def _names_metadata(cls, collapse: str | None) -> str | None:
        if collapse == OF_METADATA or collapse == "":
            raise ValueError("it names no key. Write metadata.KEY")
        if collapse is not None and not collapse.startswith(OF_METADATA):
            raise ValueError(f"'{collapse}' names no metadata. Write metadata.{collapse}")
        return collapse

    @model_validator(mode="after")
    def _filters(self) -> Self:
        if self.filter is None and self.overfetch != OVERFETCH:
            what = "overfetch has no meaning without filter"
            raise contradiction("overfetch", what, "Leave it out")
        return self

    def resolved(self, base: Path) -> Self:
        made = super().resolved(base)
        if made.chunk is None:
            return made
        return made.model_copy(update={"chunk": made.chunk.resolved(base)})

    def check(self) -> list[Problem]:
        """What its chunker finds wrong."""
        found = [] if self.chunk is None else self.chunk.check()
        of_chunk = [
            replace(problem, where=f"chunk.{problem.where}" if problem.where else "chunk")
            for problem in found
        ]
        return [*super().check(), *of_chunk]

    def metadata_read(self) -> MetadataRead:
        conditions = listed(self.filter)
        fields = {condition.field for condition in conditions}
        if self.collapse is not None:
            fields.add(metadata_key(self.collapse))
        keys = {condition.key for condition in conditions if condition.key is not None}
        return MetadataRead(frozenset(fields), frozenset(keys))

    def check_data(self, corpus: Corpus, queries: Queries) -> list[Problem]:
        """The metadata that ``filter`` and ``collapse`` name is there, and can be compared."""
        problems = super().check_data(corpus, queries)
        if corpus.ids_only:  # there is no metadata, and the system filters itself
            return problems
        if self.filter is not None:
            allowing = MetadataFilter.over(listed(self.filter), corpus)
            problems += allowing.problems
            problems += allowing.unknown_keys(queries) + allowing.unfit_values(queries)
        if self.collapse is not None:
            found = parents(corpus, metadata_key(self.collapse))
            problems += [found] if isinstance(found, Problem) else []
        return problems

    def returnable(self, corpus: Corpus) -> NDArray[np.intp] | None:
        """Where passages count for their parents: these, and those without a parent."""
        if self.collapse is None:
            return None
        found = parents(corpus, metadata_key(self.collapse))
        return None if isinstance(found, Problem) else found.returnable

    def check_depth(self, depth: int) -> Problem | None:
        """Also that enough passages are fetched for a filter to be applied to."""
        if self.filter is None or self.overfetch >= depth or self.overfetch == OVERFETCH:
            return super().check_depth(depth)
        return Problem(
            f"overfetch is {self.overfetch:,}, below the depth {depth:,}",
            where="overfetch",
            instead=f"Write overfetch: {depth} or more, or leave it out",
        )

    def build(
        self,
        corpus: Corpus,
        cache: Cache | None = None,
        *,
        name: str | None = None,
        strict: bool = False,
        progress: Progress = SILENT,
    ) -> Index:
        name = name or self.kind
        if not len(corpus) and not corpus.ids_only:
            raise RetrieverError("the corpus is empty", retriever=name)
        if corpus.blocks and (unfit := self.unfit_for_blocks()) is not None:
            raise RetrieverError(unfit.what, retriever=name, instead=unfit.instead)
        allowing, stands_for = self._allowing(corpus, name), self._standing(corpus, name)
        index = self.open_index(corpus, cache, name=name, strict=strict, progress=progress)
        if allowing is not None:
            index = FilteredIndex(index, allowing, self.fetched_before_filter)
        return index if stands_for is None else collapsed(index, stands_for)

    def _allowing(self, corpus: Corpus, name: str) -> MetadataFilter | None:
        if self.filter is None or corpus.ids_only:  # the system filters itself
            return None
        allowing = MetadataFilter.over(listed(self.filter), corpus)
        for problem in allowing.problems:
            raise RetrieverError(problem.what, retriever=name, instead=problem.instead)
        return allowing

    def _standing(self, corpus: Corpus, name: str) -> StandsFor | None:
        if self.collapse is None:
            return None
        found = parents(corpus, metadata_key(self.collapse))
        if isinstance(found, Problem):
            raise RetrieverError(found.what, retriever=name, instead=found.instead)
        return found

    @abstractmethod
    def open_index(
        self,
        corpus: Corpus,
        cache: Cache | None,
        *,
        name: str,
        strict: bool,
        progress: Progress,
    ) -> Index:
        """The index over the whole corpus: made, or reopened from the cache; see :meth:`build`."""


def _named_once(fields: tuple[PassageField, ...]) -> tuple[PassageField, ...]:
    if len(set(fields)) < len(fields):
        raise ValueError("a field is named twice. Write each of title and text once")
    return fields


IndexedFields = Annotated[
    tuple[PassageField, ...], Field(min_length=1), AfterValidator(_named_once)
]
"""Fields of a passage, each once."""


class FieldRetriever(CorpusRetriever):
    """Base of the retrievers that read the title and the text of a passage."""

    fields: IndexedFields = INDEXED
    """The fields that are indexed: `[title, text]` joined by a space, `[text]` or `[title]`."""
