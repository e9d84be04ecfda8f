"""CSV: numbers in full precision, nothing that computes; of tables, intervals as two columns."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from ragscore.elements.model import Cell, Column, Table
from ragscore.elements.plain import for_log, plain
from ragscore.messages import Message

Value = float | int | str | bool | None
CAVEAT = "caveat"
"""The column of what no number may be read without."""
_COMPUTES = ("=", "+", "-", "@", "\t", "\r", "\n", *"\uff1d\uff0b\uff0d\uff20")
"""What a spreadsheet takes for the beginning of a formula; some take = + - @ of full width too."""


def csv_text(table: Table) -> str:
    """A table as CSV, header first; the title and notes are left out, and a caveat is a column.

    A column holds numbers, or truth values, or texts, never two of these. Texts are quoted, and
    one that a spreadsheet would compute gets an apostrophe. Empty for what is not there.

    Args:
        table: any table.
    """
    columns: dict[str, list[str]] = {}
    for at, column in enumerate(table.columns):
        cells = [row[at] for row in table.rows]
        for name, values in _columns(column, cells):
            number = column.kind == "number" or bool(column.parts)
            columns[name] = _written(values, number=number)
    if table.caveat:
        columns[CAVEAT] = _written([str(table.caveat)] * len(table.rows), number=False)
    return _joined(columns)


def csv_of_columns(columns: Mapping[str, Sequence[Value]]) -> str:
    """Columns by name as CSV, as :func:`csv_text` writes those of a table.

    >>> print(csv_of_columns({"query": ["q1", "=q2"], "rank": [3, None]}), end="")
    "query","rank"
    "q1",3
    "'=q2",
    """
    return _joined({name: _written(values, number=False) for name, values in columns.items()})


def _joined(columns: Mapping[str, Sequence[str]]) -> str:
    header = ",".join(map(_quoted, columns))
    lines = [header, *(",".join(row) for row in zip(*columns.values(), strict=True))]
    return "\n".join(lines) + "\n"


def _columns(column: Column, cells: Sequence[Cell]) -> Iterable[tuple[str, list[Value]]]:
    if column.parts:
        for at, name in enumerate(column.parts):
            yield name, [cell.parts[at] if cell.parts else None for cell in cells]
        return
    values = [cell.value for cell in cells]
    yield column.name, [str(value) if isinstance(value, Message) else value for value in values]
    if column.interval:
        yield f"{column.name} low", [cell.low for cell in cells]
        yield f"{column.name} high", [cell.high for cell in cells]


def _written(values: Sequence[Value], *, number: bool) -> list[str]:
    """The fields of a column, by what all its values are."""
    there = [value for value in values if value is not None]
    if there and all(isinstance(value, bool) for value in there):
        return ["" if value is None else str(value).lower() for value in values]
    if number or not any(isinstance(value, str | bool) for value in there):
        exact = not any(isinstance(value, float) for value in there)
        return [_number(value, exact) for value in values]
    return ["" if value is None else _quoted(str(value)) for value in values]


def _number(value: Value, exact: bool) -> str:
    """A number that reads back equal; empty for NaN and for anything else."""
    if not isinstance(value, float | int) or math.isnan(value):
        return ""
    return str(int(value)) if exact else repr(float(value))


def csv_rows(rows: Iterable[Iterable[Value]]) -> str:
    r"""Rows as CSV, quoted where they have to be; no text is a formula, and what is not there, NaN
    too, is empty.

    >>> csv_rows([("run", "value"), ("=1+1", -0.5), ("bm25", None)])
    "run,value\n'=1+1,-0.5\nbm25,\n"
    """
    fields = [[_field(value) for value in row] for row in rows]
    text = _csv(fields, csv.QUOTE_MINIMAL)
    # A line that begins with :: would be a command in the log of a build server.
    return text if for_log(text) == text else _csv(fields, csv.QUOTE_ALL)


def _csv(fields: Iterable[Iterable[Value]], quoting: Literal[0, 1]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n", quoting=quoting).writerows(fields)
    return out.getvalue()


def _field(value: Value) -> Value:
    if isinstance(value, str):
        return _uncomputed(value)
    return None if isinstance(value, float) and math.isnan(value) else value


def _uncomputed(text: str) -> str:
    """The text, behind an apostrophe where a spreadsheet would compute it."""
    # Some readers drop blanks in front before they look for a formula.
    return f"'{text}" if text.startswith(_COMPUTES) or text.lstrip().startswith(_COMPUTES) else text


def _quoted(text: str) -> str:
    return '"' + _uncomputed(plain(text)).replace('"', '""') + '"'
