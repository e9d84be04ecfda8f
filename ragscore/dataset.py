"""Columns of a dataset: ids, corpus, queries, qrels. No pydantic here, no files.

Inside ragscore a passage is its row in the corpus and a query its row in the query list; the
text ids live in :class:`Ids` and are looked at only at the borders.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import ConfigError, DataError, Problem
from ragscore.models import GroundTruth, Passage, Query

Field = Literal["title", "text"]
Unit = Literal["characters", "words"]
GroundTruths = Iterable[GroundTruth] | Mapping[str, Mapping[str, float] | Sequence[str]]


class Ids(Sequence[str]):
    """A vocabulary of text ids: row number to id, id to row number.

    Args:
        texts: the ids, unique, in row order.

    Raises:
        DataError: an id occurs twice.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts: list[str] = list(texts)
        self._row_of: dict[str, int] = {text: row for row, text in enumerate(self._texts)}
        if len(self._row_of) != len(self._texts):
            seen: set[str] = set()
            twice = next(text for text in self._texts if text in seen or seen.add(text))
            raise DataError(f"the id '{twice}' occurs twice", instead="Ids must be unique")

    def __len__(self) -> int:
        return len(self._texts)

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        return self._texts[row]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __contains__(self, text: object) -> bool:
        return text in self._row_of

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ids):
            return NotImplemented
        return self is other or self._texts == other._texts

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self._texts[:3]))
        return f"Ids({len(self):,}: {shown}{', ...' if len(self) > 3 else ''})"

    def row(self, text: str) -> int:
        """The row of one id, -1 where it is unknown."""
        return self._row_of.get(text, -1)

    def rows(self, texts: Iterable[str]) -> NDArray[np.int32]:
        """The rows of many ids as int32[n], -1 where an id is unknown."""
        get = self._row_of.get
        return np.fromiter((get(text, -1) for text in texts), dtype=np.int32)

    def starts_with(self, other: Ids) -> bool:
        """True where every row of ``other`` names the same id here."""
        return self is other or self._texts[: len(other)] == other._texts

    def extended(self, texts: Iterable[str]) -> Ids:
        """These ids, then those of ``texts`` that are new, in their order; self if none is."""
        new = [text for text in dict.fromkeys(texts) if text not in self._row_of]
        return Ids(self._texts + new) if new else self

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the ids and their order: 64 hex digits."""
        return digest_texts(self._texts)


def digest_texts(*columns: Sequence[str]) -> str:
    """SHA-256 of columns of texts: 64 hex digits. Their lengths are hashed too, so that moving
    a character from one text to its neighbour changes the digest."""
    sha = hashlib.sha256()
    for column in columns:
        sha.update(np.fromiter(map(len, column), dtype="<i8", count=len(column)).tobytes())
        for start in range(0, len(column), 65_536):
            sha.update("".join(column[start : start + 65_536]).encode("utf-8", "surrogatepass"))
    return sha.hexdigest()


@dataclass(frozen=True, eq=False)
class Corpus:
    """All passages, as columns.

    Attributes:
        ids: passage ids in corpus order.
        texts: one text a passage.
        titles: one title a passage, or None where no passage has one.
        tags, metadata: by row, only for the passages that have any.
    """

    ids: Ids
    texts: Sequence[str]
    titles: Sequence[str] | None = None
    tags: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    metadata: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)

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
        return Passage(
            id=self.ids[row],
            text=self.texts[row],
            title=self.titles[row] if self.titles else "",
            tags=list(self.tags.get(row, ())),
            metadata=dict(self.metadata.get(row, {})),
        )

    def __iter__(self) -> Iterator[Passage]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        return f"Corpus({len(self):,} passages)"

    def content(self, fields: Sequence[Field] = ("text",)) -> Sequence[str]:
        """What a retriever indexes: the named fields of each passage, joined by a space; a
        field that is empty adds nothing."""
        if tuple(fields) == ("text",):
            return self.texts
        titles = self.titles or [""] * len(self)
        columns = [titles if name == "title" else self.texts for name in fields]
        return [" ".join(filter(None, parts)) for parts in zip(*columns, strict=True)]

    def lengths(self, unit: Unit = "words") -> NDArray[np.int32]:
        """Length of each passage's text as int32[N], in characters or white-space words."""
        if unit == "characters":
            return np.fromiter(map(len, self.texts), dtype=np.int32, count=len(self))
        if unit == "words":
            counts = (len(text.split()) for text in self.texts)
            return np.fromiter(counts, dtype=np.int32, count=len(self))
        raise ConfigError(f"unknown unit '{unit}'", instead="Allowed: characters, words")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ids, titles and texts, in order: 64 hex digits."""
        return digest_texts(self.ids, self.titles or (), self.texts)


@dataclass(frozen=True, eq=False)
class Queries:
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
        """The named rows as queries of their own, in the order given."""
        picked = [int(row) for row in rows]
        return Queries(
            Ids(self.ids[row] for row in picked),
            [self.texts[row] for row in picked],
            self.answerable[picked] if picked else np.zeros(0, dtype=bool),
            {new: self.tags[old] for new, old in enumerate(picked) if old in self.tags},
            {new: self.metadata[old] for new, old in enumerate(picked) if old in self.metadata},
        )

    @property
    def unanswerable(self) -> frozenset[str]:
        """Ids of the queries that have no answer in the corpus."""
        return frozenset(self.ids[int(row)] for row in np.flatnonzero(~self.answerable))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of ids, texts and answerable, in order: 64 hex digits."""
        flags = "".join("1" if flag else "0" for flag in self.answerable)
        return digest_texts(self.ids, self.texts, (flags,))


@dataclass(frozen=True, eq=False)
class Qrels:
    """Grades of (query, passage) pairs as compressed sparse rows.

    Attributes:
        queries: ids of the query rows (a query may have no judgment).
        passages: ids of the passage rows; a corpus's ids, then any judged id it lacks.
        indptr: int64[Q + 1], where each query's judgments begin.
        rows: int32[n], passage rows, ascending within a query.
        grades: float64[n]. Negative: in the pool, but not judged.
    """

    queries: Ids
    passages: Ids
    indptr: NDArray[np.int64]
    rows: NDArray[np.int32]
    grades: NDArray[np.float64]

    @classmethod
    def from_columns(
        cls,
        query_ids: Iterable[str],
        passage_ids: Iterable[str],
        grades: Sequence[float] | NDArray[Any],
        *,
        queries: Ids | None = None,
        passages: Ids | None = None,
    ) -> Qrels:
        """Qrels from three parallel columns.

        Args:
            queries, passages: vocabularies to start from; ids they lack are added at the end.

        Raises:
            DataError: a pair is judged twice, or a grade is not a finite number.
        """
        query_ids, passage_ids = list(query_ids), list(passage_ids)
        queries = queries.extended(query_ids) if queries else Ids(dict.fromkeys(query_ids))
        passages = passages.extended(passage_ids) if passages else Ids(dict.fromkeys(passage_ids))
        query_rows = queries.rows(query_ids).astype(np.int64)
        passage_rows = passages.rows(passage_ids)
        values = np.asarray(grades, dtype=np.float64)
        if not np.isfinite(values).all():
            at = int(np.flatnonzero(~np.isfinite(values))[0])
            raise DataError(
                f"the grade of passage '{passage_ids[at]}' is {values[at]}",
                where=f"query '{query_ids[at]}'",
                instead="A grade is a finite number",
            )
        order = np.lexsort((passage_rows, query_rows))
        query_rows, passage_rows, values = query_rows[order], passage_rows[order], values[order]
        twice = (query_rows[1:] == query_rows[:-1]) & (passage_rows[1:] == passage_rows[:-1])
        if twice.any():
            at = int(np.flatnonzero(twice)[0])
            raise DataError(
                f"passage '{passages[int(passage_rows[at])]}' is judged twice",
                where=f"query '{queries[int(query_rows[at])]}'",
                instead="Keep one judgment for each pair",
            )
        indptr = np.zeros(len(queries) + 1, dtype=np.int64)
        np.cumsum(np.bincount(query_rows, minlength=len(queries)), out=indptr[1:])
        return cls(queries, passages, indptr, passage_rows, values)

    @classmethod
    def from_dict(
        cls,
        judgments: Mapping[str, Mapping[str, float] | Sequence[str]],
        *,
        queries: Ids | None = None,
        passages: Ids | None = None,
    ) -> Qrels:
        """Qrels from ``{query id: {passage id: grade}}``; a list of ids means grade 1 each."""
        query_ids: list[str] = []
        passage_ids: list[str] = []
        grades: list[float] = []
        for query_id, judged in judgments.items():
            graded = judged if isinstance(judged, Mapping) else dict.fromkeys(judged, 1.0)
            query_ids += [query_id] * len(graded)
            passage_ids += graded
            grades += graded.values()
        start = queries.extended(judgments) if queries else Ids(judgments)
        return cls.from_columns(query_ids, passage_ids, grades, queries=start, passages=passages)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        judged = int((self.judgments > 0).sum())
        return f"Qrels({len(self):,} judgments of {judged:,} queries)"

    @cached_property
    def judgments(self) -> NDArray[np.int64]:
        """Number of judgments of each query: int64[Q]."""
        return np.diff(self.indptr)

    @cached_property
    def ideal(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The judged grades of each query, best first, as (indptr int64[Q + 1], grades): negative
        grades are in the pool but not judged, so they are left out."""
        query_of = np.repeat(np.arange(len(self.queries)), self.judgments)
        order = np.lexsort((-self.grades, query_of))
        grades, query_of = self.grades[order], query_of[order]
        judged = grades >= 0
        indptr = np.zeros(len(self.queries) + 1, dtype=np.int64)
        np.cumsum(np.bincount(query_of[judged], minlength=len(self.queries)), out=indptr[1:])
        return indptr, grades[judged]

    def onto(self, passages: Ids) -> Qrels:
        """The same judgments over another vocabulary, which must hold every judged id."""
        if self.passages is passages:
            return self
        new_row = passages.rows(self.passages)
        rows = new_row[self.rows]
        query_of = np.repeat(np.arange(len(self.queries)), self.judgments)
        order = np.lexsort((rows, query_of))
        return Qrels(self.queries, passages, self.indptr, rows[order], self.grades[order])

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{query id: {passage id: grade}}``, queries without judgments left out."""
        grades, rows = self.grades.tolist(), self.rows.tolist()
        return {
            query_id: {
                self.passages[rows[at]]: grades[at]
                for at in range(self.indptr[row], self.indptr[row + 1])
            }
            for row, query_id in enumerate(self.queries)
            if self.judgments[row]
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 of queries, passages and grades: 64 hex digits."""
        sha = hashlib.sha256((self.queries.digest + self.passages.digest).encode())
        for column in (self.indptr, self.rows, self.grades):
            sha.update(np.ascontiguousarray(column).tobytes())
        return sha.hexdigest()


def project(ground_truth: GroundTruths, queries: Ids, passages: Ids | None) -> Qrels:
    """Qrels over a corpus from ground truth rows or a plain mapping.

    Args:
        ground_truth: GroundTruth rows, or ``{query id: {passage id: grade} or [ids]}``.
        queries: the query ids of the dataset; others are added at the end.
        passages: the corpus's ids, if there is a corpus; others are added at the end.

    Raises:
        DataError: a query has two rows.
    """
    if isinstance(ground_truth, Mapping):
        return Qrels.from_dict(ground_truth, queries=queries, passages=passages)
    judgments: dict[str, Mapping[str, float]] = {}
    for row in ground_truth:
        if row.query_id in judgments:
            raise DataError(
                f"query '{row.query_id}' has two rows of ground truth",
                instead="Put all its passages into one row",
            )
        judgments[row.query_id] = row.graded()
    return Qrels.from_dict(judgments, queries=queries, passages=passages)


@dataclass(frozen=True, eq=False)
class Dataset:
    """A corpus, its queries and what answers them.

    Attributes:
        name: short name; it stands in tables and files.
        corpus: None where only runs are judged.
        drop_self: a passage whose id is the query's is dropped from every run.
        counts: what was counted while loading (empty passages, missing passages, ...).
    """

    name: str
    corpus: Corpus | None
    queries: Queries
    qrels: Qrels
    drop_self: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def from_rows(
        cls,
        passages: Iterable[Passage] | Mapping[str, str],
        queries: Iterable[Query] | Mapping[str, str],
        ground_truth: GroundTruths,
        *,
        name: str = "dataset",
        allow_missing: bool = False,
        drop_self: bool = False,
    ) -> Dataset:
        """A dataset from rows, or from plain mappings of id to text.

        >>> dataset = Dataset.from_rows(
        ...     {"a": "Rent is due on the first day."}, {"q1": "When is rent due?"}, {"q1": ["a"]})
        >>> dataset
        Dataset('dataset': 1 passages, 1 queries, 1 judgments)

        Raises:
            DataError: ids occur twice; a judgment names a passage or query that is not there.
        """
        if isinstance(passages, Mapping):
            corpus = Corpus(Ids(passages), list(passages.values()))
        else:
            corpus = Corpus.from_passages(passages)
        if isinstance(queries, Mapping):
            columns = Queries.from_texts(queries)
        else:
            columns = Queries.from_rows(queries)
        qrels = project(ground_truth, columns.ids, corpus.ids)
        dataset = cls(name, corpus, columns, qrels, drop_self)
        problems = missing_judged(dataset, allow_missing_passages=allow_missing)
        if problems:
            raise DataError(problems)
        return dataset

    @property
    def missing_passages(self) -> Sequence[str]:
        """Judged passage ids that the corpus lacks."""
        return self.qrels.passages[len(self.corpus):] if self.corpus is not None else []

    def __repr__(self) -> str:
        passages = f"{len(self.corpus):,} passages" if self.corpus is not None else "no corpus"
        return (
            f"Dataset({self.name!r}: {passages}, {len(self.queries):,} queries, "
            f"{len(self.qrels):,} judgments)"
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that can change a result: 64 hex digits."""
        corpus = self.corpus.digest if self.corpus is not None else ""
        parts = (corpus, self.queries.digest, self.qrels.digest, str(self.drop_self))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def missing_judged(dataset: Dataset, *, allow_missing_passages: bool) -> list[Problem]:
    """Problems with judgments that point at nothing: up to 20."""
    problems = [
        Problem(
            f"judgments name the query '{query_id}', which is not among the queries",
            instead="Add the query or drop its judgments",
        )
        for query_id in dataset.qrels.queries[len(dataset.queries):]
    ]
    if not allow_missing_passages:
        problems += [
            Problem(
                f"judgments name the passage '{passage_id}', which is not in the corpus",
                instead="Add the passage, drop the judgment, or set allow_missing: true",
            )
            for passage_id in dataset.missing_passages
        ]
    return problems[:20]
