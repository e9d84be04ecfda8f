"""Chunkings: what the chunkers of an experiment made of the documents, and who made what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.chunks import ChunkMetadata, Chunks, ChunkTexts
from ragscore.dataset.corpus import Corpus
from ragscore.dataset.documents import Documents
from ragscore.dataset.ids import Ids


@dataclass(frozen=True, eq=False)
class Chunkings:
    """The chunks of all chunkers: two that cut out the same characters share a passage.

    Attributes:
        documents: that were cut.
        chunks: of all of them.
        rows: by chunker, the rows of its own: int64[m], ascending.
    """

    documents: Documents
    chunks: Chunks
    rows: Mapping[str, NDArray[np.int64]]
    _parts: dict[tuple[str, ...], Chunkings] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, documents: Documents, by: Mapping[str, Chunks]) -> Chunkings:
        """From the chunks of each chunker."""
        chunks = Chunks.union(list(by.values()))
        return cls(documents, chunks, {name: chunks.rows_of(own) for name, own in by.items()})

    @property
    def names(self) -> tuple[str, ...]:
        """The chunkers."""
        return tuple(self.rows)

    def rows_of(self, names: Sequence[str]) -> NDArray[np.int64]:
        """The rows of the chunks of some chunkers: int64[m], ascending."""
        own = np.zeros(len(self.chunks), dtype=bool)
        for name in names:
            own[self.rows[name]] = True
        return np.flatnonzero(own)

    def part(self, names: Sequence[str]) -> Chunkings:
        """Those of some chunkers alone; the same object for the same chunkers."""
        chosen = tuple(name for name in self.rows if name in names)
        if chosen == self.names:
            return self
        if chosen not in self._parts:
            rows = self.rows_of(chosen)
            own = {name: np.searchsorted(rows, self.rows[name]) for name in chosen}
            self._parts[chosen] = Chunkings(self.documents, self.chunks.select(rows), own)
        return self._parts[chosen]

    @cached_property
    def corpus(self) -> Corpus:
        """The chunks as passages, each with its document's title and metadata."""
        chunks, documents = self.chunks, self.documents
        titles = documents.titles
        return Corpus(
            Ids(chunks.ids(documents.ids)),
            ChunkTexts(chunks, documents.texts),
            None if titles is None else [titles[row] for row in chunks.document.tolist()],
            metadata=ChunkMetadata(chunks, documents.ids, documents.metadata),
        )
