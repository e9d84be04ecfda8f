"""Tables with named columns in CSV, TSV and Parquet files, row by row.

Everything in CSV and TSV is read as text, so that the id 007 stays 007. Quotes are CSV's: ``"``
around a field, ``""`` for one inside. A CR LF inside quotes is part of the text.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from ragscore.dataset.columns import text_of
from ragscore.errors import did_you_mean
from ragscore.formats.reading.column_names import NAMES, column_of, normal_name
from ragscore.formats.reading.lines import File, unpacked_suffix
from ragscore.parquet_files import (
    ParquetError,
    reading_parquet,
    refuse_long_texts,
    refuse_too_many_rows,
)

if TYPE_CHECKING:
    import polars

Values = Sequence[Any]
LARGEST_FIELD = 2**31 - 1  # the csv module refuses fields past 128 kB unless it is set higher
BLOCK_ROWS = 65_536
DELIMITERS = (";", "\t", "|", ",")
NAMED = {"\t": "TAB"}
COLUMN_NAMES = frozenset(chain.from_iterable(NAMES.values()))


class TableFile:
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
        self.header_line = 0 if self.is_parquet else 1
        self.at: dict[str, int] = {}

    def rows(self) -> Iterator[tuple[int, Values]]:
        """Line (Parquet: row) number, and values at :attr:`at`'s places."""
        return self._parquet_rows() if self.is_parquet else self._text_rows()

    def value(self, values: Values, column: str) -> Any:
        """The value of one column, None if the table lacks it."""
        place = self.at.get(column)
        return None if place is None else values[place]

    def id(self, values: Values, column: str, line: int) -> str | None:
        """An id; None if it is reported instead."""
        given = self.value(values, column)
        text = text_of(given)
        if text is None:
            what = f"{column}: {given!r} where an id is expected"
            self.file.problem(what, line=line, instead="Write ids as text or as whole numbers")
        return text

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
                what = f"{columns.count(name)} columns have the name '{name}'"
                self.file.problem(what, line=self.header_line)
            else:
                instead = f"{did_you_mean(name, columns)}. Name the right column under `columns`"
                self.file.problem(f"there is no column '{name}'", instead=instead)
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
                    f"the quotes do not match: {error}",
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
            elif self.file.takes_row():
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
        for first, block in self.frames():
            for row, values in enumerate(block.iter_rows(), first):
                self.file.rows_seen = row
                yield row, values

    def frames(self) -> Iterator[tuple[int, polars.DataFrame]]:
        """The wanted columns of a Parquet file in blocks of rows, each with the number of its first
        row: those blocks that the file is read in."""
        import polars

        file = self.file
        size = BLOCK_ROWS if file.blocks is None else file.blocks.size
        try:
            with reading_parquet():
                # Of a file that is read in parts, the text of each is looked at by itself.
                count = refuse_too_many_rows(file.path, texts=file.blocks is None)
                if not self._find(list(polars.read_parquet_schema(file.path))):
                    return
                names = list(self.at)
                scanned = polars.scan_parquet(file.path, glob=False).select(names)
                whole = None if file.blocks else scanned.collect()
            self.at = {name: place for place, name in enumerate(names)}
            for start in range(0, count, size):
                if file.blocks is not None and not file.blocks.wanted(start // size):
                    file.rows_seen = min(start + size, count)
                    continue
                if whole is None:
                    with reading_parquet():
                        block = scanned.slice(start, size).collect()
                    refuse_long_texts(block)
                else:
                    block = whole.slice(start, size)
                yield start + 1, block
                file.rows_seen = start + block.height
        except (OSError, ParquetError, polars.exceptions.PolarsError) as error:
            first = str(error).partition("\n")[0]
            file.problem(f"it cannot be read as Parquet: {first}")


class AliasedTable(TableFile):
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
                        line=self.header_line,
                        instead=self._understood((column,), columns),
                    )
                continue
            count = normal.count(normal_name(found))
            if count > 1:
                complete = False
                what = f"{count} columns have the name '{normal_name(found)}'"
                self.file.problem(what, line=self.header_line)
            self.at[found] = columns.index(found)
            self.name_of[column] = found
        if complete and len(columns) > 2 and not self.name_of.keys() & set(self.more):
            # Two columns say all they can; a third would be passed over in silence.
            complete = False
            self.file.problem(
                f"there is no column '{self.more[0]}'",
                line=self.header_line,
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
        """An id that is not empty; None if it is reported instead."""
        text = super().id(values, self.name_of[column], line)
        if text is not None and (not text or text.isspace()):
            self.file.problem(f"the {column} id is empty", line=line)
            return None
        return text
