"""csv, tsv: runs as tables with named columns.

::

    query,passage,score         ``rank`` may stand for or beside the score

Each column has several names that are understood, in any case. Everything is read as text, so
that the id 007 stays 007.
"""

from __future__ import annotations

import re
from pathlib import Path

from ragscore.formats.reading.column_names import is_headed
from ragscore.formats.reading.decimals import finite_number
from ragscore.formats.reading.lines import File, plain_name
from ragscore.formats.reading.problems import collected
from ragscore.formats.reading.table_file import AliasedTable
from ragscore.formats.runs.base import RunFormat
from ragscore.run import Returned, Run

ASCII_BLANKS = " \t\n\r\f\v"
RANK = re.compile(r"\s*0*(\d{1,9})\s*", re.ASCII)


def read_table_run(path: Path, *, name: str | None = None, strict: bool = False) -> Run:
    """A run from a table; the arguments are those of :class:`ReadRun`.

    Raises:
        DataError: rows that aren't valid in a run, with their lines.
    """
    with collected() as problems:
        returned = _returned(
            AliasedTable(File(path, problems), ("query", "passage"), ("score", "rank"))
        )
    name = name or plain_name(path, (*CSV.suffixes, *TSV.suffixes))
    return Run.from_dict(returned, name=name, strict=strict)


def _returned(table: AliasedTable) -> dict[str, Returned]:
    """What each query got, with scores where the table has them, else by rank where it has these,
    else in the order of the file."""
    scored: dict[str, list[tuple[str, float]]] = {}
    ranked: dict[str, list[tuple[int, str]]] = {}
    line_of: dict[tuple[str, int], int] = {}
    for number, (line, values) in enumerate(table.rows()):
        query, passage = table.id(values, "query", line), table.id(values, "passage", line)
        if query is None or passage is None:
            continue
        rank = number
        if "score" in table.name_of:
            text = str(table.named(values, "score"))
            score = finite_number(text.strip(ASCII_BLANKS))
            if score is None:
                table.file.problem(
                    f"the score of passage '{passage}' for query '{query}' is '{text}'",
                    line=line,
                    instead="A score is a finite number",
                )
            else:
                scored.setdefault(query, []).append((passage, score))
            continue
        if "rank" in table.name_of:
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
        ranked.setdefault(query, []).append((rank, passage))
    by_rank = {query: [passage for _, passage in sorted(rows)] for query, rows in ranked.items()}
    return {**scored, **by_rank}


CSV = RunFormat(
    description="columns query, passage, and score or rank (or q_id, doc_id, score, ...)",
    suffixes=(".csv",),
    example="query,passage,score\nq1,a,2.5\nq1,b,1\nq2,b,.5\n",
    read=read_table_run,
)
TSV = RunFormat(
    description="the columns of csv, separated by TAB, where the first line names the columns",
    suffixes=(".tsv",),
    example="qid\tdocno\tsim\nq1\ta\t2.5\nq1\tb\t1\nq2\tb\t.5\n",
    read=read_table_run,
    begins=is_headed,
)
