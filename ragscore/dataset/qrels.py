"""Qrels: grades of (query, passage) pairs, as compressed sparse rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, distinct, ranges
from ragscore.dataset.conditions import Condition
from ragscore.dataset.forbidden import Forbidden, ForbiddenRule
from ragscore.dataset.forbidden_units import forbidden_places, named_by_units
from ragscore.dataset.ids import Ids, digest_texts
from ragscore.dataset.judged_units import JudgedUnits
from ragscore.dataset.needs import Needs
from ragscore.dataset.span_truth import SpanTruth
from ragscore.errors import DataError


class Grades:
    """What judgments say of each query, however they name passages.

    ``indptr`` (int64[Q + 1]) is where each query's ``grades`` (float64[n]) begin.
    """

    indptr: NDArray[np.int64]
    grades: NDArray[np.float64]

    @cached_property
    def judgments(self) -> NDArray[np.int64]:
        """Number of judgments of each query: int64[Q]."""
        return np.diff(self.indptr)

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """Which queries have ground truth: bool[Q]."""
        return self.judgments > 0

    @cached_property
    def ideal(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The judged grades of each query, best first, as (indptr int64[Q + 1], grades): negative
        grades are in the pool but not judged, so they are left out."""
        query_of = np.repeat(np.arange(len(self.indptr) - 1), self.judgments)
        return self._best_first(query_of, self.grades)

    def _best_first(
        self, query_of: NDArray[np.int64], grades: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        order = np.lexsort((-grades, query_of))
        grades, query_of = grades[order], query_of[order]
        judged = grades >= 0
        indptr = bounds_of(np.bincount(query_of[judged], minlength=len(self.indptr) - 1))
        return indptr, grades[judged]

    def ideal_of(
        self, query_rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """:attr:`ideal` of some queries."""
        all_indptr, all_grades = self.ideal
        starts = all_indptr[query_rows]
        lengths = all_indptr[query_rows + 1] - starts
        return np.append(0, np.cumsum(lengths)), all_grades[ranges(starts, lengths)]


@dataclass(frozen=True, eq=False)
class Qrels(Grades):
    """Grades of (query, passage) pairs as compressed sparse rows.

    Attributes:
        queries: ids of the query rows (a query may have no judgment).
        passages: ids of the passage rows; a corpus's ids, then any judged id it lacks. Where there
            are units, the ids of these.
        indptr: int64[Q + 1], where each query's judgments begin.
        rows: int32[n], passage rows, ascending within a query.
        grades: float64[n]. Negative: in the pool, but not judged.
        needs: what each judged passage covers; None where every passage is a need of its own.
        forbidden: what must not come back; None where nothing says so.
        spans: where passages and evidence stand in documents; None where nothing says that.
        units: the unit of each passage; None where judgments name passages.
    """

    queries: Ids
    passages: Ids
    indptr: NDArray[np.int64]
    rows: NDArray[np.int32]
    grades: NDArray[np.float64]
    needs: Needs | None = None
    forbidden: Forbidden | None = None
    spans: SpanTruth | None = None
    units: JudgedUnits | None = None

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
        return cls.from_rows(query_rows, passage_rows, values, queries, passages)

    @classmethod
    def from_rows(
        cls,
        query_rows: NDArray[np.integer[Any]],
        passage_rows: NDArray[np.integer[Any]],
        grades: NDArray[np.float64],
        queries: Ids,
        passages: Ids,
    ) -> Qrels:
        """Qrels from three parallel arrays: rows of ``queries`` and of ``passages``, and grades
        that are finite numbers.

        Raises:
            DataError: a pair is judged twice.
        """
        pairs = query_rows.astype(np.int64) * max(len(passages), 1) + passage_rows
        if not (pairs[1:] > pairs[:-1]).all():
            order = np.argsort(pairs, kind="stable")
            pairs, grades = pairs[order], grades[order]
            query_rows, passage_rows = query_rows[order], passage_rows[order]
        twice = np.flatnonzero(pairs[1:] == pairs[:-1])
        if len(twice):
            at = int(twice[0])
            raise DataError(
                f"passage '{passages[int(passage_rows[at])]}' is judged twice",
                where=f"query '{queries[int(query_rows[at])]}'",
                instead="Keep one judgment for each pair",
            )
        indptr = bounds_of(np.bincount(query_rows, minlength=len(queries)))
        return cls(queries, passages, indptr, passage_rows.astype(np.int32), grades)

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

    @property
    def vocabulary(self) -> Ids:
        """The ids that runs name: the passages, also where judgments name units."""
        return self.passages if self.units is None else self.units.passages

    def named(self, passage: str) -> str:
        """The id by which judgments name a passage: that of its unit where it has one."""
        row = -1 if self.units is None else self.units.passages.row(passage)
        unit = -1 if self.units is None or row < 0 else int(self.units.of[row])
        return passage if unit < 0 else self.passages[unit]

    def with_units(self, units: JudgedUnits | None) -> Qrels:
        """The same judgments, which name units; without a corpus runs name these, too."""
        if units is None:
            return self
        if not len(units.passages):
            units = units.over(self.passages, self.passages)
        forbidden = self.forbidden
        if forbidden is not None:
            forbidden = named_by_units(forbidden, units, self.passages)
        return replace(self, units=units, forbidden=forbidden)

    @cached_property
    def forbidding(self) -> Forbidden | None:
        """What is forbidden of what :meth:`places` numbers: passages, or units."""
        if self.units is None or self.forbidden is None:
            return self.forbidden
        return forbidden_places(self.forbidden, self.units, self.passages)

    def places(self, passage_rows: NDArray[np.int32]) -> NDArray[np.int32]:
        """What cutoffs count at places of rankings, by number: passages, or units."""
        if self.units is None:
            return passage_rows
        return self.units.places(passage_rows, len(self.passages))

    def unknown(self, corpus: Ids) -> list[str]:
        """Ids of the judgments, and of lists of what is forbidden, that no passage of the corpus
        has; where they name units, that no passage has for its unit."""
        if self.units is None:
            return self.passages[len(corpus) :]
        count, listed = self.units.count, np.empty(0, dtype=np.int32)
        if self.forbidden is not None:  # lists may name passages, too
            others = distinct(self.forbidden.rows[self.forbidden.rows >= count])
            listed = others[corpus.rows(self.passages.texts(others)) < 0]
        judged = distinct(np.append(self.rows[self.rows >= count], listed))
        return self.passages.texts(judged)

    @cached_property
    def shared_needs(self) -> Needs | None:
        """The needs, where any has several passages or none, or a passage covers several, or
        several cover one together: else the relevant passages are the needs, and nothing is judged
        in another way."""
        if self.needs is None or self.needs.joint or self.together:
            return self.needs
        covering = np.repeat(self.query_of, np.diff(self.needs.indptr))
        named = np.unique(self.needs.bounds[covering] + self.needs.need)
        one_each = len(named) == len(self.needs.need) == len(self.needs.best)
        return None if one_each else self.needs

    @property
    def together(self) -> bool:
        """Whether several passages may cover a need only together."""
        return self.spans is not None and self.spans.together is not None

    @cached_property
    def query_of(self) -> NDArray[np.int64]:
        """The row of the query of each judgment: int64[n]."""
        return np.repeat(np.arange(len(self.queries)), self.judgments)

    @cached_property
    def by_falling_id(self) -> NDArray[np.int64]:
        """The judgments of each query, one after another, by the ids of their passages as text,
        descending, as passages of equal score are ordered: int64[n]."""
        texts = self.passages.texts(self.rows)
        falling = np.array(sorted(range(len(self)), key=texts.__getitem__, reverse=True), dtype=int)
        order: NDArray[np.int64] = falling[np.argsort(self.query_of[falling], kind="stable")]
        return order

    @cached_property
    def ideal(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """As of all judgments; where needs are shared, the highest grade for each need, and 0 for
        each judged passage that covers none."""
        needs = self.shared_needs
        if needs is None:
            return self._best_first(self.query_of, self.grades)
        idle = (np.diff(needs.indptr) == 0) & (self.grades >= 0)
        wanted = np.repeat(np.arange(len(self.queries)), np.diff(needs.bounds))
        return self._best_first(
            np.append(wanted, self.query_of[idle]),
            np.append(needs.best, np.zeros(np.count_nonzero(idle))),
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        judged = int((self.judgments > 0).sum())
        return f"Qrels({len(self):,} judgments of {judged:,} queries)"

    def query_rows(self, query_ids: Iterable[str]) -> NDArray[np.int64]:
        """The rows of the given queries that exist, each once: int64[m]."""
        rows = self.queries.rows(query_ids).astype(np.int64)
        return distinct(rows[rows >= 0])

    def query_texts(self, query_rows: NDArray[np.int64]) -> list[str]:
        """The ids of the queries in some rows."""
        return self.queries.texts(query_rows)

    def onto(self, passages: Ids) -> Qrels:
        """The same judgments over another vocabulary of runs, which must hold every judged
        passage."""
        if self.vocabulary is passages:
            return self
        if self.units is not None:
            return replace(self, units=self.units.over(passages, self.passages))
        new_row = passages.rows(self.passages)
        rows = new_row[self.rows]
        query_of = np.repeat(np.arange(len(self.queries)), self.judgments)
        order = np.lexsort((rows, query_of))
        needs = None if self.needs is None else self.needs.taken(order)
        forbidden = self._forbidden_in(new_row, passages)
        spans = None if self.spans is None else self.spans.taken(self.passages.rows(passages))
        columns = self.indptr, rows[order], self.grades[order]
        return Qrels(self.queries, passages, *columns, needs, forbidden, spans)

    def _forbidden_in(self, new_row: NDArray[np.int32], passages: Ids) -> Forbidden | None:
        found = self.forbidden
        return None if found is None else found.renumbered(new_row, len(passages))

    def part(self, rows: NDArray[np.int64], passages: Ids) -> Qrels:
        """The judgments of some passages alone. What covers a need elsewhere stays a need.

        Args:
            rows: of the passages, ascending.
            passages: their ids.
        """
        if self.units is not None:
            return self.onto(passages)
        new_row = np.full(len(self.passages), -1, dtype=np.int32)
        new_row[rows] = np.arange(len(rows), dtype=np.int32)
        kept = np.flatnonzero(new_row[self.rows] >= 0)
        query_of = np.repeat(np.arange(len(self.queries)), self.judgments)
        indptr = bounds_of(np.bincount(query_of[kept], minlength=len(self.queries)))
        needs = None if self.needs is None else self.needs.taken(kept)
        judged = new_row[self.rows[kept]]
        forbidden = self._forbidden_in(new_row, passages)
        spans = None if self.spans is None else self.spans.taken(rows)
        columns = indptr, judged, self.grades[kept]
        return Qrels(self.queries, passages, *columns, needs, forbidden, spans)

    def with_rules(self, rules: tuple[ForbiddenRule, ...], *, cut: bool = True) -> Qrels:
        """The same judgments with rules of what is forbidden.

        Args:
            rules: over the corpus, which is the beginning of the passages.
            cut: false where they are over documents, and passages are still to be cut out of them.
        """
        if not rules:
            return self
        nothing = Forbidden.of_pairs((), (), self.queries, self.passages)
        corpus_rows = None if cut else np.empty(0, dtype=np.int32)
        made = replace(self.forbidden or nothing, rules=rules, corpus_rows=corpus_rows)
        return replace(self, forbidden=made)

    @property
    def rules(self) -> tuple[Condition, ...] | None:
        """The rules of what is forbidden, as they are written; None where there is none."""
        rules = () if self.forbidden is None else self.forbidden.rules
        return tuple(rule.condition for rule in rules) or None

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """Which queries have ground truth: judgments, or needs that nothing covers: bool[Q]."""
        judged = super().judged
        return judged if self.needs is None else judged | (np.diff(self.needs.bounds) > 0)

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
    def judgments_digest(self) -> str:
        """SHA-256 of the judgments alone, by ids: neither the order of queries nor passages that
        nobody judged change it. 64 hex digits."""
        queries = self.queries.texts(np.repeat(np.arange(len(self.queries)), self.judgments))
        passages = self.passages.texts(self.rows)
        order = sorted(range(len(self)), key=lambda at: (queries[at], passages[at]))
        columns = (queries, passages, list(map(repr, self.grades.tolist())))
        listed = [[column[at] for at in order] for column in columns]
        if self.shared_needs is not None:
            listed.append(self.shared_needs.texts(order))
            wanted = self.shared_needs.wanted
            named = sorted(zip(self.queries, wanted, strict=False))
            listed += [[text for pair in named if pair[1] for text in pair]]
        if self.forbidden is not None:
            listed.append([self.forbidden.digest_of(self.queries, self.passages)])
        if self.units is not None:
            listed.append([self.units.unit.digest()])
        return digest_texts(*listed)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of queries, passages and grades: 64 hex digits."""
        sha = hashlib.sha256((self.queries.digest + self.passages.digest).encode())
        for column in (self.indptr, self.rows, self.grades):
            sha.update(np.ascontiguousarray(column).tobytes())
        if self.needs is not None:
            sha.update(self.needs.digest.encode())
        if self.forbidden is not None:
            sha.update(b"forbidden" + self.forbidden.digest.encode())
        if self.units is not None:
            sha.update(b"units" + self.units.digest.encode())
        return sha.hexdigest()
