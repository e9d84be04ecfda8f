"""Judgments as they are read: parallel columns, and the line each came from."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field

from ragscore.formats.reading.lines import File

GRADE_NUMBER = "A grade is a finite number"


@dataclass
class Judgments:
    """Columns of (query, passage, grade, line), in the order of the file."""

    query_ids: list[str] = field(default_factory=list)
    passage_ids: list[str] = field(default_factory=list)
    grades: array[float] = field(default_factory=lambda: array("d"))
    lines: array[int] = field(default_factory=lambda: array("q"))
    unit: str = ""
    """What a line is called: nothing for a line, ``row `` in a Parquet file."""

    def add(self, query_id: str, passage_id: str, grade: float, line: int) -> None:
        """Append one judgment."""
        self.query_ids.append(query_id)
        self.passage_ids.append(passage_id)
        self.grades.append(grade)
        self.lines.append(line)

    def add_text(self, query_id: str, passage_id: str, grade: str, line: int, file: File) -> None:
        """Append a judgment read as text; report an empty id, or a grade that is not a number."""
        if not query_id or query_id.isspace() or not passage_id or passage_id.isspace():
            of = "query" if not query_id or query_id.isspace() else "passage"
            file.problem(f"the {of} id is empty", line=line, unit=self.unit)
            return
        try:
            value = float(grade)
        except ValueError:
            value = math.nan
        # Python reads 1_0 and the digits of other scripts, and nothing else does.
        if not math.isfinite(value) or "_" in grade or not grade.isascii():
            file.problem(
                f"the grade '{grade}' is not a number",
                line=line,
                instead=GRADE_NUMBER,
                unit=self.unit,
            )
            return
        self.add(query_id, passage_id, value, line)

    def __len__(self) -> int:
        return len(self.lines)
