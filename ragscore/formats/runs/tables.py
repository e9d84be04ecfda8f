"""Runs and judgments as tables with named columns: CSV, TSV, and judgments in Parquet.

::

    query,passage,score         a run; ``rank`` may stand for or beside the score
    query,passage,grade         judgments; without a grade every pair has grade 1

Each column has several names that are understood, in any case. Everything is read as text, so
that the id 007 stays 007.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ragscore.dataset import Qrels
from ragscore.dataset.columns import text_of
from ragscore.formats.datasets.judgments import Judgments
from ragscore.formats.datasets.tables import Table, Values
from ragscore.formats.reading.lines import File
from ragscore.formats.reading.problems import Problems, TooManyError
from ragscore.formats.runs.detect import NAMES, column_of, normal_name
from ragscore.run import Run

NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
RANK = re.compile(r"\s*0*(\d{1,9})\s*", re.ASCII)


def read_table_run(path: Path, *, name: str, strict: bool = False) -> Run:
    """A run over the passage ids that its file names.

    Args:
        path: ``.csv`` or ``.tsv``, also ``.gz`` and ``.zst``.
        name: name of the run.
        strict: a passage that is named twice for a query is an error.

    Raises:
        DataError: rows that are no run, with their lines.
    """
    problems = Problems()
    rows = _RunRows()
    with suppress(TooManyError):
        table = _NamedTable(File(path, problems), ("query", "passage"), ("score", "rank"))
        rows.read(table)
    if problems.found:
        raise problems.error()
    return Run.from_dict(rows.returned(), name=name, strict=strict)


def read_table_qrels(path: Path) -> Qrels:
    """The judgments of a table, one pair to a row.

    Raises:
        DataError: rows that are no judgments, with their lines; a pair is judged twice.
    """
    problems = Problems()
    file = File(path, problems)
    table = _NamedTable(file, ("query", "passage"), ("grade",))
    judgments = Judgments(unit=table.unit)
    line_of: dict[tuple[str, str], int] = {}
    with suppress(TooManyError):
        for line, values in table.rows():
            query, passage = table.id(values, "query", line), table.id(values, "passage", line)
            if query is None or passage is None:
                continue
            grade = table.named(values, "grade") if "grade" in table.name_of else "1"
            text = "" if grade is None else str(grade).strip()
            judgments.add_text(query, passage, text, line, file)
            first = line_of.setdefault((query, passage), line)
            if first != line:
                table.problem(
                    f"the passage '{passage}' is judged twice for the query '{query}', first in "
                    f"{table.unit or 'line '}{first}",
                    line,
                    "Keep one judgment for each pair",
                )
    if problems.found:
        raise problems.error()
    return Qrels.from_columns(judgments.query_ids, judgments.passage_ids, judgments.grades)


class _NamedTable(Table):
    """A table whose columns go by any of their names."""

    def __init__(self, file: File, wanted: Sequence[str], more: Sequence[str]) -> None:
        super().__init__(file, wanted, [(column, column) for column in more])
        self.more = more
        self.name_of: dict[str, str] = {}
        """What the file calls each column that it has."""

    def _find(self, columns: list[str]) -> bool:
        self.columns = columns
        normal = [normal_name(column) for column in columns]
        self.at, self.name_of = {}, {}
        complete = True
        for column in (*self.wanted, *self.more):
            found = column_of(column, columns)
            if found is None:
                if column in self.wanted:
                    complete = False
                    self.file.problem(
                        f"there is no column '{column}'",
                        line=0 if self.is_parquet else 1,
                        instead=self._understood((column,), columns),
                    )
                continue
            count = normal.count(normal_name(found))
            if count > 1:
                complete = False
                self.file.problem(f"{count} columns have the name '{normal_name(found)}'", line=1)
            self.at[found] = columns.index(found)
            self.name_of[column] = found
        if complete and len(columns) > 2 and not self.name_of.keys() & set(self.more):
            # Two columns say all they can; a third would be passed over in silence.
            complete = False
            self.file.problem(
                f"there is no column '{self.more[0]}'",
                line=0 if self.is_parquet else 1,
                instead=self._understood(self.more, columns),
            )
        return complete

    @staticmethod
    def _understood(wanted: Sequence[str], found: Sequence[str]) -> str:
        names = dict.fromkeys(name for column in wanted for name in NAMES[column])
        return f"Found: {', '.join(found)[:200]}. Understood: {', '.join(names)}"

    def named(self, values: Values, column: str) -> object:
        """The value of a column by the name that it has here."""
        return self.value(values, self.name_of.get(column, column))

    def id(self, values: Values, column: str, line: int) -> str | None:
        """An id; None where it is reported instead."""
        given = self.named(values, column)
        text = text_of(given)
        if text is None:
            self.problem(f"{given!r} where a {column} id is expected", line, "Write ids as text")
        elif not text or text.isspace():
            self.problem(f"the {column} id is empty", line)
            return None
        return text


@dataclass
class _RunRows:
    """Rows of a run by query: (passage, score, rank), in the order of the file."""

    by_query: dict[str, list[tuple[str, float, int]]] = field(default_factory=dict)
    scored: bool = False
    ranked: bool = False

    def read(self, table: _NamedTable) -> None:
        line_of: dict[tuple[str, int], int] = {}
        for line, values in table.rows():
            self.scored = "score" in table.name_of
            self.ranked = "rank" in table.name_of and not self.scored
            query, passage = table.id(values, "query", line), table.id(values, "passage", line)
            if query is None or passage is None:
                continue
            score, rank = 0.0, 0
            if self.scored:
                text = str(table.named(values, "score"))
                score = float(text) if NUMBER.fullmatch(text) else math.nan
                if not math.isfinite(score):
                    table.problem(
                        f"the score of passage '{passage}' for query '{query}' is '{text}'",
                        line,
                        "A score is a finite number",
                    )
                    continue
            elif self.ranked:
                text = str(table.named(values, "rank"))
                match = RANK.fullmatch(text)
                if match is None:
                    table.problem(
                        f"the rank of passage '{passage}' for query '{query}' is '{text}'",
                        line,
                        "A rank is a whole number, 1 for the best",
                    )
                    continue
                rank = int(match[1])
                first = line_of.setdefault((query, rank), line)
                if first != line:
                    table.problem(
                        f"rank {rank} is given twice for query '{query}', first in line {first}",
                        line,
                        "Give each rank once, or scores",
                    )
            self.by_query.setdefault(query, []).append((passage, score, rank))

    def returned(self) -> dict[str, list[tuple[str, float]] | list[str]]:
        """What each query got, as :class:`Run` takes it."""
        if self.scored:
            return {
                query: [(passage, score) for passage, score, _ in rows]
                for query, rows in self.by_query.items()
            }
        by_rank = {
            query: sorted(rows, key=lambda row: row[2]) if self.ranked else rows
            for query, rows in self.by_query.items()
        }
        return {query: [passage for passage, _, _ in rows] for query, rows in by_rank.items()}
