"""Corpus: all passages, as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, distinct
from ragscore.dataset.byte_ids import joined_ids
from ragscore.dataset.documents import Documents
from ragscore.dataset.ids import Ids, digest_texts
from ragscore.dataset.metadata import WithMetadata
from ragscore.dataset.rows_of_parts import RowsOfParts
from ragscore.dataset.text_columns import FieldTexts, JoinedTexts, NoTexts, TextColumn, taken
from ragscore.errors import DataError
from ragscore.models import Passage

PassageField = Literal["title", "text"]
Unit = Literal["characters", "words", "tokens"]
"""What texts are counted in: tokens are those of a tokenizer that somebody names."""

INDEXED: tuple[PassageField, ...] = ("title", "text")
"""What retrievers index of a passage unless their ``fields`` name something else."""
WINDOW = 4096
"""Passages whose texts are read together."""


@dataclass(frozen=True, eq=False)
class Corpus(WithMetadata):
    """All passages, as columns.

    Attributes:
        ids: passage ids in corpus order.
        texts: one text per passage.
        titles: one title per passage, or None if no passage has one.
        tags, metadata: by row, only for the passages that have any.
        ids_only: it stands in place of a missing corpus, and holds the ids that
            judgments and runs name: a system may return others.
        blocks: where the corpus is too large for memory, the corpora that it consists of, one
            after the other, each small enough; what is computed of a block depends on nothing but
            the block. Empty if the corpus is in memory as a whole.
        first: of a block, the row of its first passage in the whole corpus.
        known_digest: its :attr:`digest`, or what finds it, where somebody knows it already.
    """

    ids: Ids
    texts: Sequence[str]
    titles: Sequence[str] | None = None
    tags: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    metadata: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    ids_only: bool = False
    blocks: tuple[Corpus, ...] = ()
    first: int = 0
    known_digest: str | Callable[[], str] = ""

    @classmethod
    def of_blocks(
        cls, blocks: Iterable[Corpus], known_digest: str | Callable[[], str] = ""
    ) -> Corpus:
        """A corpus of blocks, one after the other; nothing of their texts is read.

        Raises:
            DataError: an id occurs twice.
        """
        blocks = tuple(blocks)
        ids = joined_ids([block.ids for block in blocks])
        bounds = bounds_of(np.array([len(block) for block in blocks], dtype=np.int64)).tolist()
        # One buffer for the ids of the corpus and of its blocks.
        blocks = tuple(
            replace(block, ids=ids.part(first, after), first=first)
            for block, first, after in zip(blocks, bounds, bounds[1:], strict=False)
        )
        if (rows := ids.repeated()) is not None:
            raise DataError(f"the id '{ids[rows[0]]}' occurs twice", instead="Ids must be unique")
        titles: Sequence[str] | None = None
        if any(block.titles is not None for block in blocks):
            titles = JoinedTexts([block.titles or NoTexts(len(block)) for block in blocks])
        return cls(
            ids,
            JoinedTexts([block.texts for block in blocks]),
            titles,
            RowsOfParts([(len(block), block.tags) for block in blocks]),
            RowsOfParts([(len(block), block.metadata) for block in blocks]),
            blocks=blocks,
            known_digest=known_digest,
        )

    @classmethod
    def uncut(cls, documents: Documents) -> Corpus:
        """Documents as passages, each with the metadata that its chunks will have, but for their
        places in it."""
        found = documents.metadata
        ids = enumerate(documents.ids)
        metadata = {row: {**found.get(row, {}), "document": id} for row, id in ids}
        return cls(documents.ids, documents.texts, metadata=metadata)

    @classmethod
    def of_ids(cls, ids: Ids) -> Corpus:
        """Ids in place of a missing corpus; their texts are empty."""
        return cls(ids, [""] * len(ids), ids_only=True)

    @classmethod
    def from_passages(cls, passages: Iterable[Passage]) -> Corpus:
        """Columns from rows. Raises DataError where an id occurs twice."""
        ids: list[str] = []
        texts: list[str] = []
        titles: list[str] = []
        tags: dict[int, tuple[str, ...]] = {}
        metadata: dict[int, Mapping[str, Any]] = {}
        for row, passage in enumerate(passages):
            ids.append(passage.id)
            texts.append(passage.text)
            titles.append(passage.title)
            if passage.tags:
                tags[row] = tuple(passage.tags)
            if passage.metadata:
                metadata[row] = passage.metadata
        return cls(Ids(ids), texts, titles if any(titles) else None, tags, metadata)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, row: int) -> Passage:
        return next(self.passages(np.array([range(len(self))[row]])))

    def __iter__(self) -> Iterator[Passage]:
        return self.passages(np.arange(len(self)))

    def passages(self, rows: NDArray[np.int64]) -> Iterator[Passage]:
        """Some passages, in this order; texts that stand in files are read many at a time.

        Args:
            rows: int64[n], none of them negative.
        """
        for start in range(0, len(rows), WINDOW):
            own = rows[start : start + WINDOW]
            texts = taken(self.texts, own)
            titles = [""] * len(own) if self.titles is None else taken(self.titles, own)
            columns = own.tolist(), self.ids.texts(own), texts, titles
            for row, id, text, title in zip(*columns, strict=True):
                tags, metadata = list(self.tags.get(row, ())), dict(self.metadata.get(row, {}))
                yield Passage(id=id, text=text, title=title, tags=tags, metadata=metadata)

    def lent(self) -> Corpus:
        """The same passages with columns of their own, for code that may write into them. A corpus
        in blocks is read anew each time somebody looks into it."""
        if self.blocks:
            return self
        titles = None if self.titles is None else _own(self.titles)
        metadata = {row: dict(of_row) for row, of_row in self.metadata.items()}
        return Corpus(self.ids, _own(self.texts), titles, dict(self.tags), metadata)

    def __repr__(self) -> str:
        return f"Corpus({len(self):,} passages)"

    @property
    def titled(self) -> bool:
        """Whether any passage has a title."""
        titles = self.titles
        return titles.any() if isinstance(titles, TextColumn) else any(titles or ())

    def content(self, fields: Sequence[PassageField] = INDEXED) -> Sequence[str]:
        """What a retriever indexes: one string per passage.

        Two fields are joined by a space and stripped, as the loaders of BEIR and MTEB do. Where
        no passage has a title, title and text are the text as it stands.
        """
        if self.titles is None:
            return self.texts if "text" in fields else NoTexts(len(self))
        columns = [self.titles if name == "title" else self.texts for name in fields]
        if len(columns) == 1:
            return columns[0]
        if any(isinstance(column, TextColumn) for column in columns):
            return FieldTexts(columns)
        return [" ".join(parts).strip() for parts in zip(*columns, strict=True)]

    def words(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """White-space words of the texts of some rows; the corpus counts each text once."""
        counts = self._words
        new = distinct(rows[counts[rows] < 0])
        counts[new] = [len(text.split()) for text in taken(self.texts, new)]
        counted: NDArray[np.int64] = counts[rows]
        return counted

    @cached_property
    def _words(self) -> NDArray[np.int64]:
        """By row, -1 where they were not counted so far."""
        return np.full(len(self), -1, dtype=np.int64)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ids, titles and texts, in order: 64 hex digits."""
        known = self.known_digest
        if known:
            return known if isinstance(known, str) else known()
        return self.content_digest()

    def content_digest(self) -> str:
        """The :attr:`digest`, computed from the texts."""
        return digest_texts(self.ids, self.titles or (), self.texts)


def _own(column: Sequence[str]) -> Sequence[str]:
    return list(column) if isinstance(column, list) else column
