"""Retrievers that search the passages of a corpus, and what they have in common.

A subclass says in :meth:`CorpusRetriever.open_index` how its index is made or reopened;
:meth:`CorpusRetriever.build` is the same for all of them.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Annotated

from pydantic import AfterValidator, Field

from ragscore.cache import Cache
from ragscore.dataset import INDEXED, Corpus, PassageField
from ragscore.progress import SILENT, Progress
from ragscore.retrievers.base import Index, RetrieverSpec


class CorpusRetriever(RetrieverSpec):
    """Base of the retrievers that search a corpus themselves."""

    def build(
        self,
        corpus: Corpus,
        cache: Cache | None = None,
        *,
        name: str | None = None,
        strict: bool = False,
        progress: Progress = SILENT,
    ) -> Index:
        return self.open_index(
            corpus, cache, name=name or self.kind, strict=strict, progress=progress
        )

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
