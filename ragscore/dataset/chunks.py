"""Chunks: the pieces that chunkers cut documents into, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import changes
from ragscore.dataset.documents import span_id, texts_of_spans
from ragscore.dataset.ids import Ids

BLOCK = 1_024
"""Texts of chunks that are cut out together."""


@dataclass(frozen=True, eq=False)
class Chunks:
    """Pieces of documents, ordered by document, start and end; no two are equal.

    >>> chunks = Chunks.of_spans([[(0, 4), (2, 7)], [(0, 3)]])
    >>> chunks.ids(Ids(["a.md", "b.md"]))
    ['a.md:0-4', 'a.md:2-7', 'b.md:0-3']
    >>> chunks.texts(["Rent is due", "Yes"])
    ['Rent', 'nt is', 'Yes']

    Attributes:
        document: int32[m], rows of the documents.
        start, end: int64[m], characters [start, end) of the document, in Unicode code points.
    """

    document: NDArray[np.int32]
    start: NDArray[np.int64]
    end: NDArray[np.int64]

    COLUMNS: ClassVar[tuple[str, ...]] = ("document", "start", "end")

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The three columns by name."""
        return {name: getattr(self, name) for name in self.COLUMNS}

    def within(self, lengths: NDArray[np.int64]) -> bool:
        """Whether all of them are places in documents of these lengths, and none is empty."""
        known = (self.document >= 0) & (self.document < len(lengths))
        if not known.all():
            return False
        inside = (self.start >= 0) & (self.start < self.end) & (self.end <= lengths[self.document])
        return bool(inside.all())

    @classmethod
    def of(
        cls,
        document: NDArray[np.integer[Any]],
        start: NDArray[np.integer[Any]],
        end: NDArray[np.integer[Any]],
    ) -> Chunks:
        """Chunks from three parallel columns in any order; equal ones are one."""
        order = np.lexsort((end, start, document))
        columns = (document[order], start[order], end[order])
        new = changes(*columns)
        own_document, own_start, own_end = (column[new] for column in columns)
        return cls(
            own_document.astype(np.int32), own_start.astype(np.int64), own_end.astype(np.int64)
        )

    @classmethod
    def of_spans(cls, spans: Iterable[Any]) -> Chunks:
        """Chunks from the spans of each document in turn, int64[n, 2] of [start, end)."""
        by_document = [np.asarray(found, dtype=np.int64).reshape(-1, 2) for found in spans]
        counts = [len(found) for found in by_document]
        together = np.concatenate([np.zeros((0, 2), dtype=np.int64), *by_document])
        return cls.of(np.repeat(np.arange(len(counts)), counts), together[:, 0], together[:, 1])

    @classmethod
    def union(cls, several: Sequence[Chunks]) -> Chunks:
        """The chunks that are in any of several."""
        return cls.of(
            np.concatenate([np.zeros(0, dtype=np.int32), *(own.document for own in several)]),
            np.concatenate([np.zeros(0, dtype=np.int64), *(own.start for own in several)]),
            np.concatenate([np.zeros(0, dtype=np.int64), *(own.end for own in several)]),
        )

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        return f"Chunks({len(self):,} of {len(np.unique(self.document)):,} documents)"

    def select(self, rows: NDArray[np.integer[Any]]) -> Chunks:
        """The chunks in some ascending rows."""
        return Chunks(self.document[rows], self.start[rows], self.end[rows])

    def rows_of(self, others: Chunks) -> NDArray[np.int64]:
        """The rows here of other chunks: int64[len(others)], -1 where one is not among these."""
        document = np.concatenate([self.document, others.document])
        start = np.concatenate([self.start, others.start])
        end = np.concatenate([self.end, others.end])
        # The sort is stable: an equal chunk of these stands before that of the others.
        order = np.lexsort((end, start, document))
        own = order < len(self)
        last = np.maximum.accumulate(np.where(own, np.arange(len(order)), -1))
        place = order[last]
        same = (
            (last >= 0)
            & (document[order] == document[place])
            & (start[order] == start[place])
            & (end[order] == end[place])
        )
        rows = np.full(len(order), -1, dtype=np.int64)
        rows[order] = np.where(same, place, -1)
        return rows[len(self) :]

    def ids(self, documents: Ids) -> list[str]:
        """Ids of passages, ``DOCUMENT:START-END``: those of equal chunks are equal, whatever
        chunker cut them."""
        columns = (self.document.tolist(), self.start.tolist(), self.end.tolist())
        return [
            span_id(documents[row], start, end) for row, start, end in zip(*columns, strict=True)
        ]

    def texts(self, documents: Sequence[str]) -> list[str]:
        """The characters of each chunk, as they stand in the texts of the documents."""
        return texts_of_spans(documents, self.document, self.start, self.end)


class ChunkTexts(Sequence[str]):
    """The texts of chunks, cut out of their documents when they are read: chunks may overlap, and
    hold a document many times.

    Args:
        chunks: the chunks.
        documents: the texts of the documents.
    """

    def __init__(self, chunks: Chunks, documents: Sequence[str]) -> None:
        self.chunks, self.documents = chunks, documents

    def __len__(self) -> int:
        return len(self.chunks)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if isinstance(row, slice):
            rows = np.arange(*row.indices(len(self)))
            return self.chunks.select(rows).texts(self.documents)
        document = self.documents[int(self.chunks.document[row])]
        return document[int(self.chunks.start[row]) : int(self.chunks.end[row])]

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), BLOCK):
            yield from self[start : start + BLOCK]


@dataclass(frozen=True, eq=False)
class ChunkMetadata(Mapping[int, Mapping[str, Any]]):
    """The metadata of chunks by row: their document's, with its id and the place in it. Nothing is
    stored for each chunk.

    Attributes:
        chunks: the chunks.
        documents: ids of the documents.
        of_documents: metadata of the documents by row, only of those that have any.
    """

    chunks: Chunks
    documents: Ids
    of_documents: Mapping[int, Mapping[str, Any]]

    def __len__(self) -> int:
        return len(self.chunks)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.chunks)))

    def __getitem__(self, row: int) -> Mapping[str, Any]:
        if not 0 <= row < len(self.chunks):
            raise KeyError(row)
        document = int(self.chunks.document[row])
        return {
            **self.of_documents.get(document, {}),
            "document": self.documents[document],
            "start": int(self.chunks.start[row]),
            "end": int(self.chunks.end[row]),
        }
