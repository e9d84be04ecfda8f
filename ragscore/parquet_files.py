"""Parquet files that anybody may have written: what they may hold, and what a damaged one does.

A few hundred kilobytes can promise a hundred million rows, and three kilobytes a long text in each
of thousands, which take gigabytes once unpacked: rows are counted by the footer, and text by the
lengths of its values. A damaged file makes polars panic: it prints that to stderr from threads of
its own, and raises what ``except Exception`` misses. Whatever opens a file does so in
:func:`reading_parquet`.
"""

from __future__ import annotations

import io
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from ragscore.errors import DataError
from ragscore.files import open_regular

if TYPE_CHECKING:
    import polars

ALWAYS_READ = 10_000_000
"""Rows that a file of any size may hold: about a gigabyte in memory."""
MAX_ROWS_PER_BYTE = 8
"""Beyond that, a file may hold so many rows for each of its bytes; real runs hold less than one."""
MAX_TEXT = 1 << 30
"""Bytes of text that a file of any size may hold."""
MAX_TEXT_PER_BYTE = 200
"""Beyond that, a file may hold so many bytes of text for each of its own; texts that repeat, as the
names in a table of scores, take next to nothing in a file."""


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
            raise ParquetError("the file is damaged") from error


def refuse_too_many_rows(
    source: Path | bytes, most: int | None = None, *, texts: bool = True
) -> int:
    """Look at the number of rows in a Parquet file's footer, and at the lengths of its texts.

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

    if isinstance(source, Path):
        with open_regular(source) as file:
            size = file.seek(0, io.SEEK_END)
        scanned = polars.scan_parquet(source, glob=False)
    else:
        size = len(source)
        scanned = polars.scan_parquet(io.BytesIO(source))
    rows = int(scanned.select(polars.len()).collect().item())
    if most is not None and rows > most:
        raise ParquetError(f"it holds {rows:,} rows, and at most {most:,} were recorded")
    if rows > max(ALWAYS_READ, MAX_ROWS_PER_BYTE * size):
        raise ParquetError(
            f"it holds {rows:,} rows in {size:,} bytes; at most {ALWAYS_READ:,}, or "
            f"{MAX_ROWS_PER_BYTE} for each byte, are read"
        )
    text = _text_bytes(scanned) if texts else 0
    if text > max(MAX_TEXT, MAX_TEXT_PER_BYTE * size):
        raise ParquetError(
            f"it holds {text:,} bytes of text in {size:,} bytes; at most {MAX_TEXT:,}, or "
            f"{MAX_TEXT_PER_BYTE} for each byte, are read"
        )
    return rows


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
        (polars.col(name).str if kind == polars.String else polars.col(name).cat).len_bytes().sum()
        for name, kind in scanned.collect_schema().items()
        if kind in (polars.String, polars.Categorical, polars.Enum)
    ]
    found = 0
    if counted:
        totals = scanned.select(counted).collect(engine="streaming")
        found = int(totals.sum_horizontal().item())
    for name, kind in scanned.collect_schema().items():
        column, inner = polars.col(name), _inner(kind)
        while isinstance(inner, polars.List):
            column, inner = column.explode(), _inner(inner)
        if inner == polars.String:
            listed = column.explode().str.len_bytes().cast(polars.Int64).sum()
            found += int(scanned.select(listed).collect(engine="streaming").item())
    return found


def _inner(kind: object) -> object:
    """What a column of lists holds; None for any other column."""
    import polars

    return kind.inner if isinstance(kind, polars.List) else None
