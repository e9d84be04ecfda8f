"""The table of faults: one row for each kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

HEADER = ("what", "tried", "noticed", "unharmed", "silent", "torn", "hung", "left over")

Wanted = Callable[[str], object]
"""Whether a row of this name is wanted."""
EVERYTHING: Wanted = bool


@dataclass
class Row:
    """What came back from one kind of fault.

    Attributes:
        what: the fault, and where.
        tried: how often.
        noticed: the command named it: an error in one line, or a note.
        unharmed: nothing was said and every number was what it is without the fault.
        silent: a number changed and nothing was said.
        torn: something half-written passed as whole, or an earlier result was lost.
        hung: the command did not end.
        left: files of unfinished work that were there after the next run.
    """

    what: str
    tried: int = 0
    noticed: int = 0
    unharmed: int = 0
    silent: int = 0
    torn: int = 0
    hung: int = 0
    left: int = 0

    @property
    def failed(self) -> bool:
        """Whether something happened that must not."""
        return bool(self.silent or self.torn or self.hung or self.left)


def total(rows: list[Row]) -> Row:
    """The sum of all rows."""
    counts = [field.name for field in fields(Row) if field.name != "what"]
    return Row("all", **{name: sum(getattr(row, name) for row in rows) for name in counts})


def markdown(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [HEADER, ("---", *("--:",) * (len(HEADER) - 1))]
    for row in [*rows, total(rows)]:
        lines.append(tuple(str(getattr(row, field.name)) for field in fields(Row)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
