"""Parquet files in which five bytes are zero: what polars panics at."""

from __future__ import annotations

import io
from collections.abc import Sequence

import polars

from ragscore.errors import DataError
from ragscore.parquet_files import parquet_errors

ROWS = 40
DAMAGED = "the file is damaged"


def content(**columns: Sequence[object]) -> bytes:
    buffer = io.BytesIO()
    polars.DataFrame(columns).write_parquet(buffer, compression="uncompressed")
    return buffer.getvalue()


def passages() -> bytes:
    titles = ["t" if row % 3 else None for row in range(ROWS)]
    return content(id=[f"p{row}" for row in range(ROWS)], text=["rent"] * ROWS, title=titles)


def damaged(whole: bytes) -> bytes:
    """The first of its copies with five zeroed bytes that makes polars panic."""
    for at in range(4, len(whole) - 8):
        copy = whole[:at] + bytes(5) + whole[at + 5 :]
        try:
            with parquet_errors("", "x"):
                polars.read_parquet(io.BytesIO(copy))
        except DataError as error:
            if DAMAGED in str(error):
                return copy
    raise AssertionError("no five bytes make polars panic")
