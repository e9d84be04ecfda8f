"""Documents: whole texts, which chunkers cut into passages, as columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of
from ragscore.code_points import codes_of, white_space
from ragscore.dataset.ids import Ids, digest_texts
from ragscore.models import Document


def span_id(document: str, start: int, end: int) -> str:
    """How characters of a document are named: ``DOCUMENT:START-END``."""
    return f"{document}:{start}-{end}"


def characters_in(spans: Iterable[tuple[int, int]]) -> int:
    """How many characters some spans [start, end) hold together, each counted once.

    >>> characters_in([(4, 9), (0, 5)])
    9
    """
    total, covered = 0, 0
    for start, end in sorted(spans):
        total += max(0, end - max(start, covered))
        covered = max(covered, end)
    return total


def texts_of_spans(
    texts: Sequence[str],
    document: NDArray[np.integer[Any]],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
) -> list[str]:
    """What stands in spans of documents, exactly.

    Args:
        texts: of all documents.
        document, start, end: parallel columns: its row, and its characters [start, end).
    """
    columns = document.tolist(), start.tolist(), end.tolist()
    return [texts[row][first:last] for row, first, last in zip(*columns, strict=True)]


@dataclass(frozen=True, eq=False)
class Documents:
    """All documents, as columns.

    >>> documents = Documents.from_rows([Document(id="terms.md", text="Rent is due.")])
    >>> documents, documents.texts[0][0:4], documents.lengths.tolist()
    (Documents(1), 'Rent', [12])

    Attributes:
        ids: document ids.
        texts: one text per document, as it was read. Offsets count its Unicode code points, and
            so do Python's: line ends are as in the file, and nothing is normalised.
        titles: one title per document, or None if none has one.
        metadata: by row, only of the documents that have any.
        tokens: by tokenizer, where its tokens begin among the characters of all documents:
            int64[n], ascending; :func:`~ragscore.tokens.with_tokens` finds them.
    """

    ids: Ids
    texts: Sequence[str]
    titles: Sequence[str] | None = None
    metadata: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    tokens: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)

    @classmethod
    def from_rows(cls, rows: Iterable[Document]) -> Documents:
        """Columns from rows. Raises DataError where an id occurs twice."""
        ids: list[str] = []
        texts: list[str] = []
        titles: list[str] = []
        metadata: dict[int, Mapping[str, Any]] = {}
        for row, document in enumerate(rows):
            ids.append(document.id)
            texts.append(document.text)
            titles.append(document.title)
            if document.metadata:
                metadata[row] = document.metadata
        return cls(Ids(ids), texts, titles if any(titles) else None, metadata)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, row: int) -> Document:
        return Document(
            id=self.ids[row],
            text=self.texts[row],
            title=self.titles[row] if self.titles else "",
            metadata=dict(self.metadata.get(row, {})),
        )

    def __iter__(self) -> Iterator[Document]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        return f"Documents({len(self):,})"

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Characters of each document: int64[N]."""
        return np.fromiter(map(len, self.texts), dtype=np.int64, count=len(self))

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Where each document begins among the characters of all: int64[N + 1]."""
        return bounds_of(self.lengths)

    @cached_property
    def words(self) -> NDArray[np.int64]:
        """Where white-space words begin among the characters of all documents: int64[n]."""
        found = [np.zeros(0, dtype=np.int64)]
        for text, offset in zip(self.texts, self.offsets.tolist(), strict=False):
            solid = ~white_space(codes_of(text))
            solid[1:] &= ~solid[:-1].copy()
            found.append(np.flatnonzero(solid) + offset)
        return np.concatenate(found)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ids, titles and texts, in order: 64 hex digits."""
        return digest_texts(self.ids, self.titles or (), self.texts)
