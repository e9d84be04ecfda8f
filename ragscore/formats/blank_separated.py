"""Bytes of blank-separated lines (TREC runs and qrels) to columns, in bulk and checked.

What is checked costs a few passes over the bytes: every line has as many columns as it should,
with single spaces between them. Tabs, runs of blanks, empty lines and comments are tidied where
they occur. Whatever else is unusual is left to the readers that go line by line: they say what
is wrong, or know that it is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

import numpy as np

from ragscore.formats.lines import BOM, COMMENT

if TYPE_CHECKING:
    import polars

Column = Literal["text", "number", "ignored"]
SPACE, NEWLINE, LAST_BLANK = 32, 10, 32
COMMENT_LINE = re.compile(rb"^" + COMMENT.encode() + rb".*\n", re.MULTILINE)
TILE = 1 << 18
"""Bytes looked at together, so that they stay in a processor's cache."""


class OddTextError(Exception):
    """The bulk reader is not sure of this text. Never leaves this package."""


def read_columns(data: bytes, columns: Mapping[str, Column]) -> polars.DataFrame:
    r"""The columns that are not ignored, one row for a line.

    Args:
        data: whole lines; the last may lack its ``\n``.
        columns: name and kind of every column, in order.

    >>> read_columns(b"q1  0\td1 3\n", {"query": "text", "zero": "ignored", "passage": "text",
    ...     "grade": "number"}).row(0)
    ('q1', 'd1', 3.0)

    Raises:
        OddTextError: some line may not be what it should be.
    """
    if not data.endswith(b"\n"):
        data += b"\n"
    for tidied in (_as_it_is, _with_spaces_for_tabs, _with_single_blanks, _without_comments):
        data = tidied(data)
        lines = _tidy_lines(data, len(columns))
        if lines is not None:
            with suppress(OddTextError):
                return _parsed(data, columns, lines)
    raise OddTextError


def _tidy_lines(data: bytes, width: int) -> int | None:
    """Number of lines; None unless single blanks stand between columns, and fit in number."""
    codes = np.frombuffer(data, dtype=np.uint8)
    lines = spaces = blanks = 0
    last_was_blank = True
    for start in range(0, len(codes), TILE):
        tile = codes[start : start + TILE]
        blank = tile <= LAST_BLANK
        if (last_was_blank and blank[0]) or (blank[1:] & blank[:-1]).any():
            return None
        last_was_blank = bool(blank[-1])
        lines += int(np.count_nonzero(tile == NEWLINE))
        spaces += int(np.count_nonzero(tile == SPACE))
        blanks += int(np.count_nonzero(blank))
    return lines if spaces == lines * (width - 1) and blanks == spaces + lines else None


def _as_it_is(data: bytes) -> bytes:
    return data


def _with_spaces_for_tabs(data: bytes) -> bytes:
    return data.replace(b"\t", b" ")


def _with_single_blanks(data: bytes) -> bytes:
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").lstrip(b" \n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return data


def _without_comments(data: bytes) -> bytes:
    # What is wrong with the encoding or the line ends of a comment is an error too.
    if b"\r" in data:
        raise OddTextError
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise OddTextError from error
    return COMMENT_LINE.sub(b"", data)


def _parsed(data: bytes, columns: Mapping[str, Column], lines: int) -> polars.DataFrame:
    import polars

    if data.startswith(BOM):  # behind a blank or a comment it is part of an id; polars drops it
        raise OddTextError
    kinds = {"text": polars.String, "ignored": polars.String, "number": polars.Float64}
    wanted = [name for name, kind in columns.items() if kind != "ignored"]
    schema = {name: kinds[kind] for name, kind in columns.items()}
    if not data:
        return polars.DataFrame(schema={name: schema[name] for name in wanted})
    try:
        frame = polars.read_csv(
            data,
            separator=" ",
            has_header=False,
            schema=schema,
            columns=[at for at, name in enumerate(columns) if name in wanted],
            quote_char=None,
        )
    except polars.exceptions.PolarsError as error:
        raise OddTextError from error
    # The last column is always asked for: no line has fewer columns where it has no null, and
    # none has more where the number of blanks fits.
    if any(frame.null_count().row(0)) or frame.height != lines:
        raise OddTextError
    for name, kind in columns.items():
        if kind == "number" and not frame[name].is_finite().all():
            raise OddTextError
    # A line that looks like a comment behind white space of another kind, as Python sees it.
    first = frame[wanted[0]]
    heads = first.rle().struct.field("value").str.strip_chars_start()
    if heads.str.starts_with(COMMENT).any():
        raise OddTextError
    return frame
