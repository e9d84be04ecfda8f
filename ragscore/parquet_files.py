"""Parquet files that anybody may have written: what they may hold, and what a damaged one does.

A few hundred kilobytes can promise a hundred million rows, and three kilobytes a long text in each
of thousands, which take gigabytes once unpacked: rows and values are counted by the footer and the
heads of pages, and text by the lengths of its values. A damaged file makes polars panic: it prints
that to stderr from threads of its own, and raises what ``except Exception`` misses. Whatever opens
a file does so in :func:`reading_parquet`.
"""

from __future__ import annotations

import io
import os
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, BinaryIO

from ragscore.errors import DataError
from ragscore.files import open_regular

if TYPE_CHECKING:
    import polars

ALWAYS_READ = 10_000_000
"""Rows that a file of any size may hold: about a gigabyte in memory."""
MAX_ROWS_PER_BYTE = 8
"""Beyond that, a file may hold this many rows for each of its bytes; real runs hold under one."""
MAX_TEXT = 1 << 30
"""Bytes of text that a file of any size may hold."""
MAX_TEXT_PER_BYTE = 200
"""Beyond that, a file may hold this many bytes of text for each of its own; repeated texts, as the
names in a table of scores, take next to nothing in a file."""
DAMAGED = "the file is damaged"
PANIC_SECONDS = 0.2
"""How long other threads of polars may still print after one of them has panicked."""


class ParquetError(ValueError):
    """A Parquet file is damaged, or holds more rows or text than it can honestly hold."""


@contextmanager
def reading_parquet() -> Iterator[None]:
    """Make an error of a panic of polars, and keep what it prints of it off stderr.

    Raises:
        ParquetError: polars panicked, as it does where a file is damaged.
    """
    import polars

    with _STDERR.without_panics():
        try:
            yield
        except polars.exceptions.PanicException as error:
            time.sleep(PANIC_SECONDS)
            raise ParquetError(DAMAGED) from error


def refuse_too_many_rows(
    source: Path | bytes, most: int | None = None, *, texts: bool = True
) -> int:
    """Look at how many rows and values a Parquet file holds by its footer and the heads of its
    pages, into how many bytes these unpack, and at the lengths of its texts.

    Args:
        source: the file, or its content.
        most: rows that it may hold by what is recorded of it elsewhere.
        texts: look at the lengths of its texts too, which takes half as long as reading it.

    Returns:
        The number of rows.

    Raises:
        ParquetError: it holds more.
        OSError: it cannot be read, or is no regular file.
        PolarsError: it is no Parquet file.
    """
    import polars

    with open_regular(source) if isinstance(source, Path) else io.BytesIO(source) as file:
        size = file.seek(0, io.SEEK_END)
        if isinstance(source, Path):
            scanned = polars.scan_parquet(source, glob=False)
        else:
            scanned = polars.scan_parquet(io.BytesIO(source))
        rows = int(scanned.select(polars.len()).collect().item())
        if most is not None and rows > most:
            raise ParquetError(f"it holds {rows:,} rows, and at most {most:,} were recorded")
        _refuse(rows, "rows", size, ALWAYS_READ, MAX_ROWS_PER_BYTE)
        values, unpacked = _in_pages(file)
    # A row may hold any number of values, in a list.
    _refuse(values, "values in a column", size, ALWAYS_READ, MAX_ROWS_PER_BYTE)
    _refuse(unpacked, "unpacked bytes", size, MAX_TEXT, MAX_TEXT_PER_BYTE)
    if texts:
        _refuse(_text_bytes(scanned), "bytes of text", size, MAX_TEXT, MAX_TEXT_PER_BYTE)
    return rows


def _refuse(count: int, what: str, size: int, always: int, per_byte: int) -> None:
    if count > max(always, per_byte * size):
        raise ParquetError(
            f"it holds {count:,} {what} in {size:,} bytes; at most {always:,}, or {per_byte} for "
            "each byte, are read"
        )


def refuse_long_texts(block: polars.DataFrame) -> None:
    """Look at the lengths of the texts in some rows of a file, before any is made.

    Raises:
        ParquetError: they are too long to be read together.
    """
    text = _text_bytes(block.lazy())
    if text > MAX_TEXT:
        raise ParquetError(
            f"{block.height:,} rows of it hold {text:,} bytes of text; at most {MAX_TEXT:,} are "
            "read together"
        )


def recorded_table(
    content: bytes, most_rows: int, texts: Sequence[str], numbers: Sequence[str]
) -> polars.DataFrame:
    """A table of a result, of which only these columns are read.

    Args:
        content: the file's bytes.
        most_rows: rows that it may hold; more are not read.
        texts: columns of text.
        numbers: columns of whole numbers, behind them.

    Raises:
        ValueError: it holds more rows, or a value is missing.
        PolarsError: it is no Parquet file, or lacks a column.
    """
    import polars

    refuse_too_many_rows(content, most_rows)
    frame = polars.read_parquet(io.BytesIO(content)).select(
        polars.col(*texts).cast(polars.String),
        *(polars.col(name).cast(polars.Int64) for name in numbers),
    )
    if frame.null_count().sum_horizontal().item():
        raise ValueError("a value is missing")
    return frame


@contextmanager
def parquet_errors(what: str, where: str) -> Iterator[None]:
    """Raise a DataError in place of what polars and the limits raise for a file that is read here.

    Args:
        what: what cannot be done with it, such as ``it cannot be read as Parquet``.
        where: the file.
    """
    import polars

    try:
        with reading_parquet():
            yield
    except (OSError, ValueError, polars.exceptions.PolarsError) as error:
        first = str(error).partition("\n")[0]
        raise DataError(f"{what}: {first}", where=where) from error


class _Stderr:
    """The stderr of this process, from which panics can be left out.

    Rust prints them, not Python, so the file itself is replaced: by a pipe, whose lines a thread
    passes on as they come, whoever wrote them; also those of a program that was started meanwhile,
    for as long as it runs. A backtrace, which Rust prints where RUST_BACKTRACE asks for it, comes
    word by word, so that lines of others may stand in it.
    """

    PANIC = re.compile(rb"thread '.*' (\(\d+\) )?panicked at ")
    DETAIL = re.compile(rb"stack backtrace:|note: .*RUST_BACKTRACE|\s+(\d+:|at |left: |right: )")

    def __init__(self) -> None:
        self._lock, self._users = Lock(), 0
        self._place: int | None = None

    @contextmanager
    def without_panics(self) -> Iterator[None]:
        with self._lock:
            if not self._users:
                self._replace()
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users and self._place is not None:
                    os.dup2(self._place, 2)  # the pipe ends, unless another program writes to it
                    os.close(self._place)
                    self._place = None
                    self._pump.join(1)

    def _replace(self) -> None:
        try:
            place = os.dup(2)
        except OSError:  # there is no stderr
            return
        read, write = os.pipe()
        self._pump = Thread(target=self._pass_on, args=(read, os.dup(place)), daemon=True)
        self._pump.start()
        os.dup2(write, 2)
        os.close(write)
        self._place = place

    def _pass_on(self, source: int, target: int) -> None:
        held, seen, told = b"", False, True
        with open(source, "rb") as lines, open(target, "wb", buffering=0) as stderr:
            for line in lines:
                if self.PANIC.match(line):
                    held, seen, told = b"", True, False  # an empty line stands before it
                elif not told:
                    told = True  # the message
                elif not (seen and self.DETAIL.match(line)):
                    held, line = (line, held) if line == b"\n" else (b"", held + line)
                    with suppress(OSError):
                        stderr.write(line)
            with suppress(OSError):
                stderr.write(held)


_STDERR = _Stderr()


def _text_bytes(scanned: polars.LazyFrame) -> int:
    """Bytes of all texts, counted without making any: a value that repeats is one in memory."""
    import polars

    counted = [
        length.cast(polars.Int64).sum().alias(str(place))
        for place, length in enumerate(
            length
            for name, kind in scanned.collect_schema().items()
            for length in _lengths(polars.col(name), kind)
        )
    ]
    if not counted:
        return 0
    totals = scanned.select(counted).collect(engine="streaming")
    return int(totals.sum_horizontal().item())


def _lengths(column: polars.Expr, kind: object) -> Iterator[polars.Expr]:
    """The bytes of each text in a column of a type, however deep it stands there."""
    import polars

    if kind == polars.String:
        yield column.str.len_bytes()
    elif kind == polars.Binary:
        yield column.bin.size()
    elif isinstance(kind, polars.Categorical | polars.Enum):
        yield column.cat.len_bytes()
    elif isinstance(kind, polars.List | polars.Array):
        yield from _lengths(column.explode(), kind.inner)
    elif isinstance(kind, polars.Struct):
        for field in kind.fields:
            yield from _lengths(column.struct.field(field.name), field.dtype)


# The footer and the heads of pages, in Thrift's compact protocol: fields by their numbers, as
# parquet.thrift has them (https://github.com/apache/parquet-format). polars tells neither.
_HEAD_BYTES = 1 << 9
"""Enough for most heads of pages."""
_MAX_HEAD_BYTES = 1 << 24


def _in_pages(file: BinaryIO) -> tuple[int, int]:
    """The most values that a column has, of lists all of theirs, and how many bytes all columns
    unpack to.

    Raises:
        ParquetError: the file is damaged.
    """
    size = file.seek(-8, io.SEEK_END)
    length = int.from_bytes(file.read(4), "little")
    try:
        file.seek(max(size - length, 0))
        footer = _Thrift(file.read(length)).fields()
        values, unpacked, packed = Counter[tuple[bytes, ...]](), 0, 0
        for group in footer[4]:
            for chunk in group[1]:
                column = chunk[3]
                packed += column[7]
                if not 0 <= column[7] <= packed <= size:
                    raise ParquetError(DAMAGED)
                start = min(place for place in (column[9], column.get(11, 0)) if place > 0)
                for page in _pages(file, start, start + column[7]):
                    values[tuple(column[3])] += (page.get(5) or page.get(8) or {1: 0})[1]
                    unpacked += page[2]
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise ParquetError(DAMAGED) from error
    return max(values.values(), default=0), unpacked


def _pages(file: BinaryIO, start: int, end: int) -> Iterator[dict[int, Any]]:
    """The heads of the pages that stand in a part of a file."""
    while start < end:
        length = _HEAD_BYTES
        while True:
            file.seek(start)
            head = _Thrift(file.read(length))
            try:
                page = head.fields()
                break
            except IndexError:  # it is longer
                if length > min(end - start, _MAX_HEAD_BYTES):
                    raise
                length *= 8
        if page[2] < 0 or page[3] < 0:
            raise ParquetError(DAMAGED)
        yield page
        start += head.at + page[3]


class _Thrift:
    """Thrift's compact protocol. Errors of any kind are those of a damaged file."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def fields(self, depth: int = 0) -> dict[int, Any]:
        """A structure, by the numbers of its fields."""
        if depth > 16:
            raise ValueError("it is nested too deeply")
        found, number = dict[int, Any](), 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            kind = head & 15
            found[number] = kind == 1 if kind in (1, 2) else self._value(kind, depth + 1)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._integer()
        if kind in (7, 8):
            length = 8 if kind == 7 else self._varint()
            self.at += length
            return self._data[self.at - length : self.at]
        if kind in (9, 10):
            head = self._byte()
            length = head >> 4 if head >> 4 < 15 else self._varint()
            return [self._value(head & 15, depth) for _ in range(length)]
        if kind == 12:
            return self.fields(depth)
        raise ValueError("a value of another kind")

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _varint(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                raise ValueError("a number that is too long")

    def _integer(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)
