"""Judgments as they are read: parallel columns, and the line each came from."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import numpy as np

from ragscore.dataset import Ids
from ragscore.formats.reading.decimals import finite_number
from ragscore.formats.reading.lines import File


@dataclass
class Judgments:
    """Columns of (query, passage, grade, line), in the order of the file."""

    query_ids: list[str] = field(default_factory=list)
    passage_ids: list[str] = field(default_factory=list)
    grades: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("q"))

    def add(self, query_id: str, passage_id: str, grade: float, line: int) -> None:
        """Append one judgment."""
        self.query_ids.append(query_id)
        self.passage_ids.append(passage_id)
        self.grades.append(grade)
        self.lines.append(line)

    def add_text(self, query_id: str, passage_id: str, grade: str, line: int, file: File) -> None:
        """Append a judgment read as text; report an empty id, or a grade that is not a number."""
        for kind, text in (("query", query_id), ("passage", passage_id)):
            if not text or text.isspace():
                file.problem(f"the {kind} id is empty", line=line)
                return
        value = finite_number(grade)
        if value is None:
            instead = "A grade is a finite number"
            file.problem(f"the grade '{grade}' is not a number", line=line, instead=instead)
        else:
            self.add(query_id, passage_id, value, line)

    def report_repeated(self, file: File) -> None:
        """Report each judgment of a query and a passage that were judged further up."""
        queries, passages = (
            Ids(dict.fromkeys(ids)).rows(ids).astype(np.int64)
            for ids in (self.query_ids, self.passage_ids)
        )
        pairs = queries * (passages.max(initial=0) + 1) + passages
        order = np.argsort(pairs, kind="stable")
        again = np.flatnonzero(pairs[order[1:]] == pairs[order[:-1]]) + 1
        first = dict(zip(order[again].tolist(), order[again - 1].tolist(), strict=True))
        for at, before in sorted(first.items()):
            file.problem(
                f"the passage '{self.passage_ids[at]}' is judged twice for the query "
                f"'{self.query_ids[at]}', first in {file.place(self.lines[before])}",
                line=self.lines[at],
                instead="Keep one judgment for each pair",
            )

    def __len__(self) -> int:
        return len(self.lines)
