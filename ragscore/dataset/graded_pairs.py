"""GradedPairs: what judgments hold, as compressed sparse rows, and what follows from it alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, distinct, ranges
from ragscore.dataset.conditions import Condition
from ragscore.dataset.forbidden import Forbidden
from ragscore.dataset.ids import Ids, digest_texts
from ragscore.dataset.judged_units import JudgedUnits
from ragscore.dataset.needs import Needs
from ragscore.dataset.span_truth import SpanTruth


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
    def query_of(self) -> NDArray[np.int64]:
        """The row of the query of each judgment: int64[n]."""
        return np.repeat(np.arange(len(self.indptr) - 1), self.judgments)

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """Which queries have ground truth: bool[Q]."""
        return self.judgments > 0

    @cached_property
    def ideal(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The judged grades of each query, best first, as (indptr int64[Q + 1], grades): negative
        grades are in the pool but not judged, so they are left out."""
        return self._best_first(self.query_of, self.grades)

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
class GradedPairs(Grades):
    """Grades of (query, passage) pairs as compressed sparse rows.

    Attributes:
        queries: ids of the query rows (a query may have no judgment).
        passages: ids of the passage rows; a corpus's ids, then any judged id it lacks. Where there
            are units, the ids of these.
        indptr: int64[Q + 1], where each query's judgments begin.
        rows: int32[n], passage rows, ascending within a query.
        grades: float64[n]. Negative: in the pool, but not judged.
        needs: what each judged passage covers; None if every passage is a need of its own.
        forbidden: what must not come back; None if nothing says so.
        spans: where passages and evidence stand in documents; None if nothing says that.
        units: the unit of each passage; None if judgments name passages.
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

    @property
    def vocabulary(self) -> Ids:
        """The ids that runs name: the passages, also where judgments name units."""
        return self.passages if self.units is None else self.units.passages

    def named(self, passage: str) -> str:
        """The id by which judgments name a passage: that of its unit where it has one."""
        row = -1 if self.units is None else self.units.passages.row(passage)
        unit = -1 if self.units is None or row < 0 else int(self.units.of[row])
        return passage if unit < 0 else self.passages[unit]

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

    @property
    def listed_forbidden(self) -> dict[str, list[str]]:
        """The passages that rows of the ground truth forbid to each query, by ids; rules are
        options of the dataset."""
        return {} if self.forbidden is None else self.forbidden.lists(self.queries, self.passages)

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

    @property
    def rules(self) -> tuple[Condition, ...] | None:
        """The rules of what is forbidden, as they are written; None if there is none."""
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
        queries = self.queries.texts(self.query_of)
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
