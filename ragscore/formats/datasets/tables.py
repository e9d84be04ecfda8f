"""csv, tsv, parquet: tables of passages, queries and judgments with named columns.

::

    id,text,title                    passages.csv
    id,text                          queries.csv
    query_id,passage_id,grade        ground_truth.csv

The names can be changed (``columns:``), and so can the character between columns
(``delimiter:``). Everything in CSV and TSV is read as text, so that the id 007 stays 007; whole
numbers in Parquet are read as text too. Quotes are CSV's: ``"`` around a field, ``""`` for one
inside. A CR LF inside quotes is part of the text.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ragscore.dataset.columns import (
    Columns,
    PassageColumns,
    QueryColumns,
    answerable_of,
    tags_of,
    text_of,
)
from ragscore.errors import did_you_mean
from ragscore.formats.datasets.find import Format
from ragscore.formats.datasets.judgments import Judgments
from ragscore.formats.datasets.rows import made_row
from ragscore.formats.datasets.spec import DatasetSpec
from ragscore.formats.reading.lines import File, unpacked_suffix
from ragscore.formats.reading.parquet_limits import TooManyRowsError, refuse_too_many_rows
from ragscore.formats.runs.detect import NAMES, normal_name
from ragscore.models import Passage, Query

Values = Sequence[Any]
LARGEST_FIELD = 2**31 - 1  # the csv module refuses fields past 128 kB unless told otherwise
BLOCK_ROWS = 65_536
DELIMITERS = (";", "\t", "|", ",")
NAMED = {"\t": "TAB"}
COLUMN_NAMES = frozenset(chain.from_iterable(NAMES.values()))
DEFAULT = Columns()


class Table:
    """The wanted columns of one table, row by row.

    Args:
        file: the table.
        wanted: columns that must be there.
        optional: name and usual name of columns that may be missing as long as nobody asked
            for another name.
        delimiter: what stands between columns; None is TAB in ``.tsv``, else a comma.
    """

    def __init__(
        self,
        file: File,
        wanted: Sequence[str],
        optional: Sequence[tuple[str, str]] = (),
        delimiter: str | None = None,
    ) -> None:
        self.file = file
        self.delimiter = delimiter or ("\t" if unpacked_suffix(file.path) == ".tsv" else ",")
        self.wanted = wanted
        self.optional = optional
        self.columns: list[str] = []
        self.is_parquet = file.path.suffix == ".parquet"
        self.unit = "row " if self.is_parquet else ""
        self.at: dict[str, int] = {}

    def rows(self) -> Iterator[tuple[int, Values]]:
        """Line (Parquet: row) number, and values at :attr:`at`'s places."""
        return self._parquet_rows() if self.is_parquet else self._text_rows()

    def value(self, values: Values, column: str) -> Any:
        """The value of one column, None where the table lacks it."""
        place = self.at.get(column)
        return None if place is None else values[place]

    def problem(self, what: str, line: int, instead: str = "") -> None:
        """Report a problem of one row."""
        self.file.problem(what, line=line, instead=instead, unit=self.unit)

    def _find(self, columns: list[str]) -> bool:
        """Place the wanted columns; report those that are not there."""
        self.columns = columns
        needed = [*self.wanted, *(name for name, usual in self.optional if name != usual)]
        found = True
        for name in dict.fromkeys(needed):
            if columns.count(name) == 1:
                continue
            found = False
            if name in columns:
                self.file.problem(f"{columns.count(name)} columns have the name '{name}'", line=1)
            else:
                self.file.problem(
                    f"there is no column '{name}'",
                    instead=f"{did_you_mean(name, columns)}. Name it under columns:",
                )
        names = [*needed, *(name for name, _ in self.optional)]
        self.at = {name: columns.index(name) for name in names if name in columns}
        return found

    def _text_rows(self) -> Iterator[tuple[int, Values]]:
        csv.field_size_limit(LARGEST_FIELD)
        lines = (line + "\n" for line in self.file.lines(crlf=True))
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        begin, width, blank = 1, -1, 0
        while True:
            try:
                values = next(reader, None)
            except csv.Error as error:
                self.file.problem(
                    f"the quotes do not fit: {error}",
                    line=begin,
                    instead='Put " around a field that holds a quote, and write "" for each inside',
                )
                return
            if values is None:
                break
            line, begin = begin, reader.line_num + 1
            if not any(values):  # Excel writes ",," for rows that once held something
                blank = blank or line
                continue
            if blank:
                self.file.problem("the line is empty", line=blank, instead="Remove it")
                blank = 0
            if width < 0:
                width = len(values)
                if not self._separated(values, line) or not self._find(values):
                    return
            elif len(values) != width:
                self.file.problem(f"{len(values)} columns where {width} are expected", line=line)
            else:
                yield line, values
        if width < 0 and self.file.intact:
            self.file.problem(
                "the table has no header", instead=f"Its first line names: {', '.join(self.wanted)}"
            )

    def _separated(self, header: list[str], line: int) -> bool:
        """Report a header that another character separates."""
        if len(header) > 1:
            return True
        names = set(map(normal_name, [*self.wanted, *COLUMN_NAMES]))
        for other in DELIMITERS:
            found = header[0].split(other)
            if len(found) > 1 and names & set(map(normal_name, found)):
                instead = "Save it with commas between them"
                if self.file.encoding is not None:
                    instead = f"Set delimiter: {json.dumps(other)}"
                self.file.problem(
                    f"the columns are separated by {NAMED.get(other, other)!r}, where "
                    f"{NAMED.get(self.delimiter, self.delimiter)!r} is expected",
                    line=line,
                    instead=instead,
                )
                return False
        return True

    def _parquet_rows(self) -> Iterator[tuple[int, Values]]:
        import polars

        try:
            refuse_too_many_rows(self.file.path)
            schema = polars.read_parquet_schema(self.file.path)
            if not self._find(list(schema)):
                return
            names = list(self.at)
            frame = polars.read_parquet(self.file.path, columns=names, glob=False)
        except (OSError, TooManyRowsError, polars.exceptions.PolarsError) as error:
            first = str(error).partition("\n")[0]
            self.file.problem(f"it cannot be read as Parquet: {first}")
            return
        self.at = {name: frame.columns.index(name) for name in names}
        for start in range(0, frame.height, BLOCK_ROWS):
            yield from enumerate(frame.slice(start, BLOCK_ROWS).iter_rows(), start + 1)


def read_passages(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Passage]]:
    """Line number and passage of each good row."""
    names, usual = spec.columns.passages, DEFAULT.passages
    optional = ((names.title, usual.title), (names.tags, usual.tags))
    table = Table(file, (names.id, names.text, *names.metadata), optional, spec.delimiter)
    for line, values in table.rows():
        fields = _fields(table, names, values, line)
        if fields is None:
            continue
        fields["title"] = text_of(table.value(values, names.title)) or ""
        passage = made_row(Passage, fields, file, line, table.unit)
        if passage is not None:
            yield line, passage


def read_queries(file: File, spec: DatasetSpec) -> Iterator[tuple[int, Query]]:
    """Line number and query of each good row."""
    names, usual = spec.columns.queries, DEFAULT.queries
    optional = ((names.answerable, usual.answerable), (names.tags, usual.tags))
    table = Table(file, (names.id, names.text, *names.metadata), optional, spec.delimiter)
    for line, values in table.rows():
        fields = _fields(table, names, values, line)
        if fields is None:
            continue
        given = table.value(values, names.answerable)
        answerable = answerable_of(given)
        if answerable is None:
            table.problem(f"{names.answerable}: '{given}' where true or false is expected", line)
            continue
        fields["answerable"] = answerable
        query = made_row(Query, fields, file, line, table.unit)
        if query is not None:
            yield line, query


def read_judgments(file: File, spec: DatasetSpec) -> Judgments:
    """The judgments, one pair to a row; without a grade column each pair has grade 1."""
    names, usual = spec.columns.ground_truth, DEFAULT.ground_truth
    optional = ((names.grade, usual.grade),)
    table = Table(file, (names.query_id, names.passage_id), optional, spec.delimiter)
    judgments = Judgments(unit=table.unit)
    for line, values in table.rows():
        if names.grade not in table.at and len(table.columns) > 2:
            file.problem(
                f"there is no column '{names.grade}'",
                instead=f"{did_you_mean(names.grade, table.columns)}. Name it under "
                "columns.ground_truth.grade",
            )
            return judgments
        ids = [_id(table, values, name, line) for name in (names.query_id, names.passage_id)]
        if ids[0] is None or ids[1] is None:
            continue
        grade = table.value(values, names.grade)
        text = "1" if names.grade not in table.at else "" if grade is None else str(grade)
        judgments.add_text(ids[0], ids[1], text.strip(), line, file)
    return judgments


def _fields(
    table: Table, names: PassageColumns | QueryColumns, values: Values, line: int
) -> dict[str, Any] | None:
    """Id, text, tags and metadata of a row; None where one is reported instead."""
    row_id = _id(table, values, names.id, line)
    text = text_of(table.value(values, names.text))
    if text is None:
        table.problem(f"{names.text}: no text but {table.value(values, names.text)!r}", line)
    if row_id is None or text is None:
        return None
    tags = tags_of(table.value(values, names.tags))
    metadata = {name: table.value(values, name) for name in names.metadata}
    return {"id": row_id, "text": text, "tags": tags, "metadata": metadata}


def _id(table: Table, values: Values, name: str, line: int) -> str | None:
    value = table.value(values, name)
    text = text_of(value)
    if text is None:
        table.problem(
            f"{name}: {value!r} where an id is expected",
            line,
            "Write ids as text or as whole numbers",
        )
    return text


def _tables(suffix: str, description: str) -> Format:
    return Format(
        description=description,
        names={
            "passages": (f"passages.{suffix}", f"corpus.{suffix}"),
            "queries": (f"queries.{suffix}",),
            "ground_truth": (f"ground_truth.{suffix}",),
        },
        read_passages=read_passages,
        read_queries=read_queries,
        read_judgments=read_judgments,
    )


CSV = _tables("csv", "passages.csv, queries.csv, ground_truth.csv with named columns")
TSV = _tables("tsv", "passages.tsv, queries.tsv, ground_truth.tsv with named columns")
PARQUET = _tables(
    "parquet", "passages.parquet, queries.parquet, ground_truth.parquet with named columns"
)
