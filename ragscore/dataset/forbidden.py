"""Forbidden passages: what must not come back for a query, by lists and by rules on metadata."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of
from ragscore.dataset.conditions import OF_LIST, Condition, Conditions, listed
from ragscore.dataset.corpus import Corpus
from ragscore.dataset.documents import Documents
from ragscore.dataset.ids import Ids, digest_texts
from ragscore.dataset.metadata import MetadataColumn, plain
from ragscore.dataset.metadata_filter import RECENT, MetadataFilter, holds, spans
from ragscore.dataset.queries import Queries
from ragscore.described import in_short
from ragscore.errors import ConfigError, Problem
from ragscore.spec import canonical_json

LISTED = 1
"""What :meth:`Forbidden.sources` says of a passage that a list names; rule n is LISTED + 1 + n."""


@dataclass(frozen=True, eq=False)
class ForbiddenRule:
    """A rule on metadata: the passages that fulfil its condition are forbidden.

    Attributes:
        condition: as it was written.
        column: what the passages of the corpus have under its field.
        group: int64[Q], which of ``values`` a query has; -1 where it lacks the key that the
            condition names, and nothing is forbidden to it.
        values: what the passages' values are compared with.
    """

    condition: Condition
    column: MetadataColumn
    group: NDArray[np.int64]
    values: Sequence[Any]

    @classmethod
    def over(
        cls, condition: Condition, corpus: Corpus, queries: Queries, where: str
    ) -> ForbiddenRule:
        """The rule over a corpus, for its queries.

        Args:
            where: the rule stands, for messages: ``forbidden``.

        Raises:
            ConfigError: no passage has its field, no query its key, or values cannot be compared.
        """
        found = MetadataFilter.over([condition], corpus)
        wrong = [replace(problem, where=f"{where}.field") for problem in found.problems]
        if not wrong:
            unfit = found.unknown_keys(queries) + found.unfit_values(queries)
            wrong = [replace(problem, where=f"{where}.value") for problem in unfit]
        (column,) = found.columns
        if wrong or column is None:
            raise ConfigError(wrong)
        group, wanted = found.wanted(queries)
        values = [value for (value,) in wanted]
        unrestricted = np.array([value is None for value in values], dtype=bool)
        return cls(condition, column, np.where(unrestricted[group], -1, group), values)

    def __str__(self) -> str:
        shown = self.condition.value
        if not isinstance(shown, str) or self.condition.key is None:
            shown = in_short(list(shown) if isinstance(shown, tuple) else shown)
        return f"{self.condition.field} {self.condition.op} {shown}"

    def groups_of(self, query_rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The group of some queries, also of such as only judgments name: int64[Q]."""
        known = query_rows < len(self.group)
        constant = 0 if self.condition.key is None and len(self.values) else -1
        return np.where(known, self.group[np.where(known, query_rows, 0)], constant)

    def flags(self, query_rows: NDArray[np.int64], rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which passages it forbids: bool[Q, depth].

        Args:
            rows: int32[Q, depth], rows of the corpus; -1 is forbidden to none.
        """
        group = self.groups_of(query_rows)
        if self._spans is not None and self.column.several:
            found = np.zeros(rows.shape, dtype=bool)
            for low, high in self._spans:
                found |= self.column.any_between(rows, low[group][:, None], high[group][:, None])
            return found & (group >= 0)[:, None]
        if self._spans is not None:
            codes = np.where(rows >= 0, self.column.by_passage[rows], np.int32(-1))
            found = np.zeros(rows.shape, dtype=bool)
            for low, high in self._spans:  # two at most
                found |= (codes >= low[group][:, None]) & (codes < high[group][:, None])
            return found & (group >= 0)[:, None]
        found = np.zeros(rows.shape, dtype=bool)
        for number in np.unique(group[group >= 0]).tolist():
            members = np.flatnonzero(group == number)
            part = rows[members]
            found[members] = (part >= 0) & self._mask(number)[part]
        return found

    def grouped(self, row_of: NDArray[np.int32], size: int) -> ForbiddenRule:
        """The rule over units: it forbids one where it forbids any passage of it.

        Args:
            row_of: int32[n], the unit of each passage of the corpus, -1 for none.
            size: how many units there are.
        """
        return replace(self, column=self.column.grouped(row_of, size))

    @cached_property
    def restricts(self) -> NDArray[np.bool_]:
        """Which queries it forbids any passage: bool[Q]."""
        forbids = np.zeros(len(self.values), dtype=bool)
        if self._spans is not None:
            counts = np.bincount(self.column.codes, minlength=len(self.column.values))
            below = np.append(0, np.cumsum(counts))
            for low, high in self._spans:
                forbids |= below[high] > below[low]
        else:
            for number, value in enumerate(self.values):
                forbids[number] = value is not None and self._mask(number).any()
        return (self.group >= 0) & forbids[self.group]

    @cached_property
    def _mask(self) -> Any:
        op, column, values = self.condition.op, self.column, self.values
        return lru_cache(maxsize=RECENT)(lambda number: holds(op, column, values[number]))

    @cached_property
    def _spans(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]] | None:
        """By group where the forbidden values begin and end, as (low, high) pairs of int64[G];
        None if a list of values or parts of texts are compared."""
        op, column = self.condition.op, self.column
        if column.lists or op in OF_LIST or op == "contains":
            return None
        of_each = [[(0, 0)] if value is None else spans(op, column, value) for value in self.values]
        width = max((len(each) for each in of_each), default=0)
        padded = [each + [(0, 0)] * (width - len(each)) for each in of_each]
        both = np.array(padded, dtype=np.int64).reshape(len(of_each), width, 2)
        return [(both[:, at, 0], both[:, at, 1]) for at in range(width)]


@dataclass(frozen=True, eq=False)
class Forbidden:
    """What must not come back, beside the judgments of :class:`~ragscore.dataset.Qrels`.

    Attributes:
        indptr: int64[Q + 1], where the listed passages of each query begin.
        rows: int32[n], listed passages by row in the qrels, ascending within a query.
        rules: each forbids what fulfils it.
        corpus_rows: int32[P], the row in the corpus of each passage of the qrels, -1 where it has
            none; None if the corpus is their beginning.
    """

    indptr: NDArray[np.int64]
    rows: NDArray[np.int32]
    rules: tuple[ForbiddenRule, ...] = ()
    corpus_rows: NDArray[np.int32] | None = None

    @classmethod
    def of_pairs(
        cls, query_ids: Iterable[str], passage_ids: Iterable[str], queries: Ids, passages: Ids
    ) -> Forbidden:
        """Of listed pairs, whose ids the vocabularies hold; a pair may be named twice."""
        rows = passages.rows(list(passage_ids)).astype(np.int64)
        of_query = queries.rows(list(query_ids)).astype(np.int64)
        pairs = np.unique(of_query * max(len(passages), 1) + rows)
        of_query, rows = np.divmod(pairs, max(len(passages), 1))
        return cls(bounds_of(np.bincount(of_query, minlength=len(queries))), rows.astype(np.int32))

    @property
    def queries(self) -> int:
        """How many queries it is about."""
        return len(self.indptr) - 1

    @cached_property
    def query_of(self) -> NDArray[np.int64]:
        """The query of each listed passage: int64[n]."""
        return np.repeat(np.arange(self.queries), np.diff(self.indptr))

    def flags(self, query_rows: NDArray[np.int64], rows: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Which passages are forbidden: bool[Q, depth].

        Args:
            query_rows: int64[Q], rows of the qrels.
            rows: int32[Q, depth], rows of their passages in the qrels, -1 if there is none.
        """
        return self.sources(query_rows, rows) > 0

    def sources(self, query_rows: NDArray[np.int64], rows: NDArray[np.int32]) -> NDArray[np.int16]:
        """What forbids each passage, int16[Q, depth]: 0 nothing, :data:`LISTED` a list, else the
        first rule that does."""
        found = np.zeros(rows.shape, dtype=np.int16)
        if self.rules:
            in_corpus = self._in_corpus(rows)
            for number, rule in reversed(list(enumerate(self.rules))):
                found[rule.flags(query_rows, in_corpus)] = LISTED + 1 + number
        having = np.flatnonzero(self.indptr[query_rows + 1] > self.indptr[query_rows])
        if len(having) and rows.shape[1]:
            part = rows[having].astype(np.int64)
            span = max(int(part.max(initial=0)), int(self.rows.max(initial=0))) + 1
            keys = self.query_of * span + self.rows
            wanted = query_rows[having][:, None] * span + part
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            hit = (part >= 0) & (keys[at] == wanted)
            found[having] = np.where(hit, np.int16(LISTED), found[having])
        return found

    def _in_corpus(self, rows: NDArray[np.int32]) -> NDArray[np.int32]:
        if self.corpus_rows is None:
            size = self.rules[0].column.size
            return np.where(rows < size, rows, np.int32(-1))
        known = (rows >= 0) & (rows < len(self.corpus_rows))
        return np.where(known, self.corpus_rows[np.where(known, rows, 0)], np.int32(-1))

    def name(self, source: int) -> str:
        """The rule behind a number of :meth:`sources`; empty for a list."""
        return str(self.rules[source - LISTED - 1]) if source > LISTED else ""

    @cached_property
    def restricted(self) -> NDArray[np.bool_]:
        """Which queries anything is forbidden to: bool[Q]."""
        found = np.diff(self.indptr) > 0
        for rule in self.rules:
            found[: len(rule.restricts)] |= rule.restricts
        return found

    def renumbered(self, new_row: NDArray[np.int32], size: int) -> Forbidden:
        """The same over another vocabulary.

        Args:
            new_row: int32[P], where each passage stands there, -1 where it does not.
            size: of it.
        """
        rows = new_row[self.rows]
        kept = rows >= 0
        query_of, rows = self.query_of[kept], rows[kept]
        order = np.lexsort((rows, query_of))
        corpus_rows = None
        if self.rules:
            old = np.arange(len(new_row), dtype=np.int32)
            there = new_row >= 0
            corpus_rows = np.full(size, -1, dtype=np.int32)
            corpus_rows[new_row[there]] = self._in_corpus(old)[there]
        indptr = bounds_of(np.bincount(query_of, minlength=self.queries))
        return Forbidden(indptr, rows[order], self.rules, corpus_rows)

    def lists(self, queries: Ids, passages: Ids) -> dict[str, list[str]]:
        """By query with a list: the ids that it names."""
        found: dict[str, list[str]] = {}
        ids = zip(queries.texts(self.query_of), passages.texts(self.rows), strict=True)
        for query_id, passage_id in ids:
            found.setdefault(query_id, []).append(passage_id)
        return found

    def digest_of(self, queries: Ids, passages: Ids) -> str:
        """SHA-256 of lists and rules, by ids, whatever the order of either: 64 hex digits."""
        pairs = sorted(zip(queries.texts(self.query_of), passages.texts(self.rows), strict=True))
        rules = [rule.condition.canonical_json() for rule in self.rules]
        return digest_texts([q for q, _ in pairs], [p for _, p in pairs], sorted(rules))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of lists, by rows, and of rules with the metadata that they read: 64 hex
        digits."""
        sha = hashlib.sha256()
        columns = [self.indptr, self.rows]
        for rule in self.rules:
            compared = [plain(list(rule.column.values)), plain(list(rule.values))]
            sha.update((rule.condition.canonical_json() + canonical_json(compared)).encode())
            columns += [rule.column.codes, rule.column.rows, rule.group]
        for column in columns:
            sha.update(np.ascontiguousarray(column).tobytes())
        return sha.hexdigest()


def rules_over(
    conditions: Conditions | None,
    corpus: Corpus | None,
    queries: Queries,
    documents: Documents | None = None,
) -> tuple[ForbiddenRule, ...]:
    """The rules over a corpus; where that is to be cut from documents, over these.

    Args:
        conditions: one rule or several, each of which forbids; None for none.

    Raises:
        ConfigError: one does not fit the data.
    """
    if conditions is None:
        return ()
    where = "forbidden"
    if corpus is None and documents is not None:
        corpus = Corpus.uncut(documents)
    if corpus is None:
        raise ConfigError(
            "there is no corpus, and rules read the metadata of its passages",
            where=where,
            instead='Name the passages in the ground truth: "forbidden": ["x"]',
        )
    several = not isinstance(conditions, Condition)
    rules, problems = list[ForbiddenRule](), list[Problem]()
    for number, condition in enumerate(listed(conditions)):
        place = f"{where}[{number}]" if several else where
        try:
            rules.append(ForbiddenRule.over(condition, corpus, queries, place))
        except ConfigError as error:
            problems += error.problems
    if problems:
        raise ConfigError(problems)
    return tuple(rules)
