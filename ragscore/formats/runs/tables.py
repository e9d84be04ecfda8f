"""csv, tsv: runs as tables with named columns.

::

    query,passage,score         ``rank`` may stand for or beside the score

Each column has several names that are understood, in any case. Everything is read as text, so
that the id 007 stays 007.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ragscore.formats.reading.column_names import is_headed
from ragscore.formats.reading.decimals import finite_number
from ragscore.formats.reading.lines import File, plain_name
from ragscore.formats.reading.problems import collected
from ragscore.formats.reading.table_file import AliasedTable
from ragscore.formats.runs.base import RunFormat
from ragscore.run import Run

ASCII_BLANKS = " \t\n\r\f\v"
RANK = re.compile(r"\s*0*(\d{1,9})\s*", re.ASCII)


def read_table_run(path: Path, *, name: str | None = None, strict: bool = False) -> Run:
    """A run from a table; the arguments are those of :class:`ReadRun`.

    Raises:
        DataError: rows that aren't valid in a run, with their lines.
    """
    rows = _RunRows()
    with collected() as problems:
        table = AliasedTable(File(path, problems), ("query", "passage"), ("score", "rank"))
        rows.read(table)
    name = name or plain_name(path, (*CSV.suffixes, *TSV.suffixes))
    return Run.from_dict(rows.returned(), name=name, strict=strict)


@dataclass
class _RunRows:
    """Rows of a run by query: (passage, score, rank), in the order of the file."""

    by_query: dict[str, list[tuple[str, float, int]]] = field(default_factory=dict)
    scored: bool = False
    ranked: bool = False

    def read(self, table: AliasedTable) -> None:
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
                number = finite_number(text.strip(ASCII_BLANKS))
                if number is None:
                    table.file.problem(
                        f"the score of passage '{passage}' for query '{query}' is '{text}'",
                        line=line,
                        instead="A score is a finite number",
                    )
                    continue
                score = number
            elif self.ranked:
                text = str(table.named(values, "rank"))
                match = RANK.fullmatch(text)
                if match is None:
                    table.file.problem(
                        f"the rank of passage '{passage}' for query '{query}' is '{text}'",
                        line=line,
                        instead="A rank is a whole number, 1 for the best",
                    )
                    continue
                rank = int(match[1])
                first = line_of.setdefault((query, rank), line)
                if first != line:
                    table.file.problem(
                        f"rank {rank} is given twice for query '{query}', first in line {first}",
                        line=line,
                        instead="Give each rank once, or scores",
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


CSV = RunFormat(
    description="columns query, passage, and score or rank (or q_id, doc_id, score, ...)",
    description_ko="query, passage 열과 score 또는 rank 열 (q_id, doc_id, score 등도 됨)",
    suffixes=(".csv",),
    example="query,passage,score\nq1,a,2.5\nq1,b,1\nq2,b,.5\n",
    read=read_table_run,
)
TSV = RunFormat(
    description="the columns of csv, separated by TAB, where the first line names the columns",
    description_ko="csv와 같은 열을 탭으로 나눔; 첫 줄이 열 이름일 때",
    suffixes=(".tsv",),
    example="qid\tdocno\tsim\nq1\ta\t2.5\nq1\tb\t1\nq2\tb\t.5\n",
    read=read_table_run,
    begins=is_headed,
)
