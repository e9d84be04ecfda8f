"""Qrels: grades of (query, passage) pairs, as compressed sparse rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of, distinct
from ragscore.dataset.forbidden import Forbidden, ForbiddenRule
from ragscore.dataset.forbidden_units import forbidden_places, named_by_units
from ragscore.dataset.graded_pairs import GradedPairs
from ragscore.dataset.ids import Ids
from ragscore.dataset.judged_units import JudgedUnits
from ragscore.errors import DataError


@dataclass(frozen=True, eq=False, repr=False)
class Qrels(GradedPairs):
    """Grades of (query, passage) pairs: made of columns, rows or a dict, and brought onto other
    vocabularies. The attributes are those of :class:`GradedPairs`."""

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

    def onto(self, passages: Ids) -> Qrels:
        """The same judgments over another vocabulary of runs, which must hold every judged
        passage."""
        if self.vocabulary is passages:
            return self
        if self.units is not None:
            return replace(self, units=self.units.over(passages, self.passages))
        new_row = passages.rows(self.passages)
        rows = new_row[self.rows]
        order = np.lexsort((rows, self.query_of))
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
        indptr = bounds_of(np.bincount(self.query_of[kept], minlength=len(self.queries)))
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
