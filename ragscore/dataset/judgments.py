"""Judgments as they are read, from files and in Python: parallel columns, and the place of each."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ragscore.arrays import bounds_of
from ragscore.dataset.forbidden import Forbidden
from ragscore.dataset.ids import Ids
from ragscore.dataset.located import EvidenceRow
from ragscore.dataset.needs import Needs
from ragscore.dataset.qrels import Qrels
from ragscore.errors import DataError, Problem
from ragscore.models import Evidence, GroundTruth


@dataclass
class Judgments:
    """Columns of (query, passage, grade, line), in the order in which they are read.

    Attributes:
        lines: of the file; rows in Python count from 0.
        covers: by place of a judgment whose passage covers needs: number and grade of each.
        wanted: by query with needs: the highest grade that anything has for each.
        evidence: in documents, as the rows name it.
        forbidden: query, passage and line.
    """

    query_ids: list[str] = field(default_factory=list)
    passage_ids: list[str] = field(default_factory=list)
    grades: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    covers: dict[int, dict[int, float]] = field(default_factory=dict)
    wanted: dict[str, list[float]] = field(default_factory=dict)
    evidence: list[EvidenceRow] = field(default_factory=list)
    forbidden: list[tuple[str, str, int]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.lines)

    def add(self, query_id: str, passage_id: str, grade: float, line: int) -> None:
        """Append one judgment."""
        self.query_ids.append(query_id)
        self.passage_ids.append(passage_id)
        self.grades.append(grade)
        self.lines.append(line)

    def add_row(self, row: GroundTruth, line: int) -> Iterator[Problem]:
        """Append what a row says; what is wrong with it.

        The grade of a passage in a list of ``needs`` is the one that it has under ``passages``, or
        1; a judgment has the highest grade that the passage has for any need.
        """
        problems = [*_empty_ids(row), *_wrong_needs(row), *_wrong_forbidden(row)]
        yield from problems
        if problems:
            return
        graded, needs = row.graded(), list[dict[str, float]]()
        if row.needs or row.evidence:
            wanted = self.wanted.setdefault(row.query_id, [])
        for number, need in enumerate(row.needs):
            if isinstance(need, list):
                cited = [item for item in need if isinstance(item, Evidence)]
                ids = [item for item in need if isinstance(item, str)]
                need = {passage_id: graded.get(passage_id, 1.0) for passage_id in ids}
                self.evidence += (EvidenceRow(row.query_id, number, item, line) for item in cited)
                wanted.append(max([*need.values(), *(item.grade for item in cited)]))
            else:
                wanted.append(max(need.values()))
            needs.append(need)
        for item in row.evidence:
            self.evidence.append(EvidenceRow(row.query_id, len(wanted), item, line, alone=True))
            wanted.append(item.grade)
        covers: dict[str, dict[int, float]] = {}
        for number, need in enumerate(needs):
            for passage_id, grade in need.items():
                covers.setdefault(passage_id, {})[number] = grade
        for passage_id, grade in graded.items():
            if passage_id not in covers:
                self.add(row.query_id, passage_id, grade, line)
        for passage_id, covered in covers.items():
            self.covers[len(self)] = covered
            self.add(row.query_id, passage_id, max(covered.values()), line)
        self.forbidden += ((row.query_id, passage_id, line) for passage_id in row.forbidden)

    @classmethod
    def of_rows(cls, rows: Iterable[GroundTruth]) -> Judgments:
        """What rows say, each with its number from 0.

        Raises:
            DataError: a query has two rows; or what a row says of one contradicts itself.
        """
        judgments, named = cls(), set[str]()
        for number, row in enumerate(rows):
            where = f"query '{row.query_id}'"
            if row.query_id in named:
                instead = "Put all its passages into one row"
                raise DataError(f"{where} has two rows of ground truth", instead=instead)
            named.add(row.query_id)
            if problems := list(judgments.add_row(row, number)):
                raise DataError(replace(problem, where=where) for problem in problems)
        return judgments

    def qrels(self, queries: Ids | None = None, passages: Ids | None = None) -> Qrels:
        """The judgments as compressed sparse rows.

        Args:
            queries, passages: vocabularies to start from; ids they lack are added at the end.

        Raises:
            DataError: a pair is judged twice, or a grade is not a finite number.
        """
        columns = self.query_ids, self.passage_ids, self.grades
        if self.wanted:
            start = Ids(()) if queries is None else queries
            queries = start.extended([*self.query_ids, *self.wanted])
        if self.forbidden:
            start = Ids(()) if queries is None else queries
            queries = start.extended([*self.query_ids, *self.forbidding])
            start = Ids(()) if passages is None else passages
            passages = start.extended([*self.passage_ids, *(of for _, of, _ in self.forbidden)])
        qrels = Qrels.from_columns(*columns, queries=queries, passages=passages)
        if self.forbidden:
            named = self.forbidding, [passage_id for _, passage_id, _ in self.forbidden]
            forbidden = Forbidden.of_pairs(*named, qrels.queries, qrels.passages)
            qrels = replace(qrels, forbidden=forbidden)
        return replace(qrels, needs=self._needs(qrels)) if self.wanted else qrels

    @property
    def forbidding(self) -> list[str]:
        """The query of each forbidden passage."""
        return [query_id for query_id, _, _ in self.forbidden]

    def _needs(self, qrels: Qrels) -> Needs:
        """What the judgments cover, in their order in the qrels. A positive grade of a query
        without needs is a need of its own."""
        query_rows = qrels.queries.rows(self.query_ids).astype(np.int64)
        order = np.lexsort((qrels.passages.rows(self.passage_ids), query_rows)).tolist()
        wanted: list[list[float]] = [[] for _ in range(len(qrels.queries))]
        for query_id, best in self.wanted.items():
            wanted[int(qrels.queries.rows([query_id])[0])] = best
        lengths, need, grades = list[int](), list[int](), list[float]()
        for at in order:
            covered: dict[int, float] = self.covers.get(at, {})
            if not covered and self.grades[at] > 0 and self.query_ids[at] not in self.wanted:
                own = wanted[int(query_rows[at])]
                covered = {len(own): self.grades[at]}
                own.append(self.grades[at])
            lengths.append(len(covered))
            need += sorted(covered)
            grades += [covered[number] for number in sorted(covered)]
        return Needs(
            indptr=bounds_of(np.array(lengths, dtype=np.int64)),
            need=np.array(need, dtype=np.int32),
            grades=np.array(grades, dtype=np.float64),
            bounds=bounds_of(np.array([len(best) for best in wanted], dtype=np.int64)),
            best=np.array([grade for best in wanted for grade in best], dtype=np.float64),
        )


def _empty_ids(row: GroundTruth) -> Iterator[Problem]:
    named: list[tuple[str, Iterable[object]]] = [("passages", row.passages)]
    named += [(f"needs.{number}", need) for number, need in enumerate(row.needs)]
    named.append(("forbidden", row.forbidden))
    for where, ids in named:
        if any(isinstance(one, str) and one.isspace() for one in ids):
            yield Problem(f"{where}: a passage id is empty")


def _wrong_needs(row: GroundTruth) -> Iterator[Problem]:
    if not row.needs and not row.evidence:
        return
    named: set[str] = set()
    of_row = row.graded()
    for number, need in enumerate(row.needs):
        where = f"needs.{number}"
        if not need:
            yield Problem(
                f"{where}: nothing covers this need", instead="Name a passage, or drop it"
            )
        ids = need if isinstance(need, dict) else [item for item in need if isinstance(item, str)]
        listed = Counter(iter(ids))  # of a mapping it would take the values for counts
        named.update(listed)
        for passage_id, count in listed.items():
            if count > 1:
                yield Problem(
                    f"{where}: '{passage_id}' is named twice", instead="Name it once in each need"
                )
        graded = need if isinstance(need, dict) else of_row
        for passage_id in listed:
            if (grade := graded.get(passage_id, 1.0)) <= 0:
                yield Problem(
                    f"{where}: the passage '{passage_id}' covers it and has grade {grade:g}",
                    instead="Give it a grade above 0, or take it out of the need",
                )
    for passage_id, grade in of_row.items():
        if grade > 0 and passage_id not in named:
            yield Problem(
                f"passages: '{passage_id}' has grade {grade:g} and covers none of the needs",
                instead="Name it in the need that it covers, or give it grade 0"
                if row.needs
                else "Write the evidence into needs, in the list of the need that the passage "
                "covers too, or give the passage grade 0",
            )


def _wrong_forbidden(row: GroundTruth) -> Iterator[Problem]:
    if not row.forbidden:
        return
    relevant = {passage_id for passage_id, grade in row.graded().items() if grade > 0}
    for need in row.needs:
        relevant.update(item for item in need if isinstance(item, str))
    for passage_id in row.forbidden:
        if passage_id in relevant:
            yield Problem(
                f"forbidden: the passage '{passage_id}' is relevant for the same query",
                instead="Keep one of the two",
            )


GroundTruths = Iterable[GroundTruth] | Mapping[str, Mapping[str, float] | Sequence[str]]
"""Rows, or ``{query id: {passage id: grade} or [ids]}``."""


def project(ground_truth: GroundTruths, queries: Ids, passages: Ids | None) -> Qrels:
    """Qrels over a corpus from ground truth rows or a plain mapping.

    Args:
        ground_truth: rows, or a mapping.
        queries: the query ids of the dataset; others are added at the end.
        passages: the corpus's ids, if there is a corpus; others are added at the end.

    Raises:
        DataError: a query has two rows; or what a row says of one contradicts itself.
    """
    if isinstance(ground_truth, Mapping):
        return Qrels.from_dict(ground_truth, queries=queries, passages=passages)
    return Judgments.of_rows(ground_truth).qrels(queries, passages)
