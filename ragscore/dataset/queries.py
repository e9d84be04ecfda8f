"""Queries: all questions, as columns."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.ids import Ids, digest_texts
from ragscore.dataset.metadata import WithMetadata
from ragscore.models import Query

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Queries(WithMetadata):
    """All questions, as columns; ``answerable`` is bool[Q], tags and metadata by row."""

    ids: Ids
    texts: Sequence[str]
    answerable: NDArray[np.bool_]
    tags: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    metadata: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def from_rows(cls, rows: Iterable[Query]) -> Queries:
        """Columns from rows. Raises DataError where an id occurs twice."""
        ids: list[str] = []
        texts: list[str] = []
        answerable: list[bool] = []
        tags: dict[int, tuple[str, ...]] = {}
        metadata: dict[int, Mapping[str, Any]] = {}
        for row, query in enumerate(rows):
            ids.append(query.id)
            texts.append(query.text)
            answerable.append(query.answerable)
            if query.tags:
                tags[row] = tuple(query.tags)
            if query.metadata:
                metadata[row] = query.metadata
        return cls(Ids(ids), texts, np.array(answerable, dtype=bool), tags, metadata)

    @classmethod
    def from_texts(cls, texts: Mapping[str, str]) -> Queries:
        """Columns from a mapping of query id to text, all answerable."""
        return cls(Ids(texts), list(texts.values()), np.ones(len(texts), dtype=bool))

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, row: int) -> Query:
        return Query(
            id=self.ids[row],
            text=self.texts[row],
            tags=list(self.tags.get(row, ())),
            metadata=dict(self.metadata.get(row, {})),
            answerable=bool(self.answerable[row]),
        )

    def __iter__(self) -> Iterator[Query]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        return f"Queries({len(self):,})"

    def select(self, rows: Sequence[int] | NDArray[np.integer[Any]]) -> Queries:
        """The queries in the given rows, in that order."""
        picked = [int(row) for row in rows]
        return Queries(
            Ids(self.ids[row] for row in picked),
            [self.texts[row] for row in picked],
            self.answerable[picked] if picked else np.zeros(0, dtype=bool),
            {new: self.tags[old] for new, old in enumerate(picked) if old in self.tags},
            {new: self.metadata[old] for new, old in enumerate(picked) if old in self.metadata},
        )

    def computed(self, what: Hashable, make: Callable[[], T]) -> T:
        """Something that is computed of all these queries, such as their vectors: here made anew
        each time, so that whoever times a search times this too; :class:`SharedQueries` keep it.

        Args:
            what: it is, and by what.
            make: computes it.
        """
        return make()

    @property
    def spared_seconds(self) -> float:
        """Seconds that would have been spent on what was computed before, had it not been kept."""
        return 0.0

    @property
    def unanswerable(self) -> frozenset[str]:
        """Ids of the queries that have no answer in the corpus."""
        return frozenset(self.ids[int(row)] for row in np.flatnonzero(~self.answerable))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ids, texts and answerable, in order: 64 hex digits."""
        flags = "".join("1" if flag else "0" for flag in self.answerable)
        return digest_texts(self.ids, self.texts, (flags,))


@dataclass
class _Kept:
    """What was computed of queries, how long that took, and how often it was asked for again."""

    value: Any
    seconds: float
    again: int = 0


@dataclass(frozen=True, eq=False)
class SharedQueries(Queries):
    """Queries that are searched many times, so that what is computed of them is kept; those that
    are selected of them are ordinary ones, so that timing a few of them computes it."""

    kept: dict[Hashable, _Kept] = field(default_factory=dict)

    @classmethod
    def of(cls, queries: Queries) -> SharedQueries:
        """The same queries."""
        return cls(queries.ids, queries.texts, queries.answerable, queries.tags, queries.metadata)

    def computed(self, what: Hashable, make: Callable[[], T]) -> T:
        """What was computed before, or is now."""
        kept = self.kept.get(what)
        if kept is None:
            began = time.perf_counter()
            value = make()
            self.kept[what] = _Kept(value, time.perf_counter() - began)
            return value
        kept.again += 1
        found: T = kept.value
        return found

    @property
    def spared_seconds(self) -> float:
        """What computing these again would have taken, as often as it was asked for."""
        return sum(kept.seconds * kept.again for kept in self.kept.values())
