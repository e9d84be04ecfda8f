"""Judgments of files: what is read as text, and what is wrong with it."""

from __future__ import annotations

import numpy as np

from ragscore.dataset import Ids
from ragscore.dataset.judgments import Judgments
from ragscore.formats.reading.decimals import finite_number
from ragscore.formats.reading.lines import File
from ragscore.models import GroundTruth


def add_text(
    judgments: Judgments, query_id: str, passage_id: str, grade: str, line: int, file: File
) -> None:
    """Append a judgment read as text; report an empty id, or a grade that is not a number."""
    for kind, text in (("query", query_id), ("passage", passage_id)):
        if not text or text.isspace():
            file.problem(f"the {kind} id is empty", line=line)
            return
    value = grade_of(grade, line, file)
    if value is not None:
        judgments.add(query_id, passage_id, value, line)


def grade_of(text: str, line: int, file: File) -> float | None:
    """A grade read as text; None if it is not a number, which is reported."""
    value = finite_number(text)
    if value is None:
        instead = "A grade is a finite number"
        what = f"the grade '{text}' is not a number" if text else "there is no grade"
        file.problem(what, line=line, instead=instead)
    return value


def add_row(judgments: Judgments, row: GroundTruth, line: int, file: File) -> None:
    """Append what a row says; report what is wrong with it."""
    for problem in judgments.add_row(row, line):
        file.problem(problem.what, line=line, instead=problem.instead)


def report_repeated(judgments: Judgments, file: File, *, hint: str = "") -> None:
    """Report each judgment of a query and a passage that were judged further up.

    Args:
        hint: what else could be meant, at the end of each problem.
    """
    queries, passages = (
        Ids(dict.fromkeys(ids)).rows(ids).astype(np.int64)
        for ids in (judgments.query_ids, judgments.passage_ids)
    )
    pairs = queries * (passages.max(initial=0) + 1) + passages
    order = np.argsort(pairs, kind="stable")
    again = np.flatnonzero(pairs[order[1:]] == pairs[order[:-1]]) + 1
    first = dict(zip(order[again].tolist(), order[again - 1].tolist(), strict=True))
    for at, before in sorted(first.items()):
        file.problem(
            f"the passage '{judgments.passage_ids[at]}' is judged twice for the query "
            f"'{judgments.query_ids[at]}', first in {file.place(judgments.lines[before])}",
            line=judgments.lines[at],
            instead=f"Keep one judgment for each pair{hint}",
        )
