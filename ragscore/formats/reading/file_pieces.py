"""Large text files cut where another query begins, so that pieces can be read side by side."""

from __future__ import annotations

import io
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

from ragscore.dataset.byte_words import PADDING, padded
from ragscore.formats.reading.lines import PACKED, DamagedFileError, read_chunks

T = TypeVar("T")

FREED_BYTES = 1 << 24

PIECE_BYTES = 1 << 22
"""Most bytes of a piece."""
MIN_PIECE_BYTES = 1 << 20
PIECES_PER_CORE = 4
"""Pieces of a small file for each core, so that all cores finish together."""


def pieces(path: Path) -> Iterator[Callable[[], bytearray]]:
    """Readers of the pieces of a file, in order; ``.gz`` and ``.zst`` are unpacked.

    What they read is padded as in :mod:`~ragscore.dataset.byte_words`.

    Where lines of a query stand together they are in one piece, unless the first column is
    not what stands before the first blank.

    Raises:
        DamagedFileError: the file cannot be read or unpacked to its end.
    """
    return _unpacked_pieces(path) if path.suffix in PACKED else _pieces(path)


def on_all_cores(work: Iterable[Callable[[], T]], threads: int | None = None) -> Iterator[T]:
    """The results of some work, in its order; only a few are under way at once.

    Args:
        threads: that work; by default one for each core.
    """
    # The C library of Linux gives what is freed back to the system, and asks for it again, until
    # it has seen a larger block freed: for large files that took a third of the time.
    bytearray(FREED_BYTES)
    workers = threads or os.cpu_count() or 1
    waiting: deque[Future[T]] = deque()
    with ThreadPoolExecutor(workers) as pool:
        try:
            for task in work:
                waiting.append(pool.submit(task))
                if len(waiting) > workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _pieces(path: Path) -> Iterator[Callable[[], bytearray]]:
    """Readers of the pieces of a plain file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = 0
        length = _piece_length(size)
        while start < size:
            end = _next_query(file, start + length) if start + length < size else size
            yield partial(_bytes_of, path, start, end - start)
            start = end


def _piece_length(size: int) -> int:
    even = size // (PIECES_PER_CORE * (os.cpu_count() or 1))
    return min(max(even, MIN_PIECE_BYTES), PIECE_BYTES)


def _bytes_of(path: Path, start: int, length: int) -> bytearray:
    buffer = bytearray(length + 2 * PADDING)
    with path.open("rb") as file:
        file.seek(start)
        if file.readinto(memoryview(buffer)[PADDING:-PADDING]) != length:
            raise DamagedFileError("it became shorter while it was read")
    return buffer


def _unpacked_pieces(path: Path) -> Iterator[Callable[[], bytearray]]:
    held = b""
    for chunk in read_chunks(path):
        held += chunk
        while len(held) > 2 * PIECE_BYTES:
            end = _next_query(io.BytesIO(held), PIECE_BYTES)
            if end == len(held):
                break
            piece, held = held[:end], held[end:]
            yield partial(padded, piece)
    if held:
        yield partial(padded, held)


def _next_query(file: BinaryIO, near: int) -> int:
    """Where, after ``near``, the first line of another query begins; or where the file ends."""
    file.seek(near)
    at = near + len(file.readline())
    line = file.readline()
    query = line.split(None, 1)[:1]
    while line and line.split(None, 1)[:1] == query:
        at += len(line)
        line = file.readline()
    return at
