"""Large text files cut where another query begins, so that sections can be read side by side."""

from __future__ import annotations

import io
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeVar

from ragscore.formats.lines import PACKED, read_chunks

T = TypeVar("T")

SECTION_BYTES = 1 << 23


def sections(path: Path) -> Iterator[Callable[[], bytes]]:
    """Readers of the sections of a file, in order; ``.gz`` and ``.zst`` are unpacked.

    Where lines of a query stand together they are in one section, unless the first column is
    not what stands before the first blank.

    Raises:
        DamagedFileError: a packed file cannot be unpacked to its end.
    """
    return _unpacked_sections(path) if path.suffix in PACKED else _sections(path)


def on_all_cores(work: Iterable[Callable[[], T]]) -> Iterator[T]:
    """The results of some work, in its order; only a few are under way at once."""
    workers = os.cpu_count() or 1
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


def _sections(path: Path) -> Iterator[Callable[[], bytes]]:
    """Readers of the sections of a plain file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        start = 0
        while start < size:
            end = _next_query(file, start + SECTION_BYTES) if start + SECTION_BYTES < size else size
            yield partial(_bytes_of, path, start, end - start)
            start = end


def _bytes_of(path: Path, start: int, length: int) -> bytes:
    with path.open("rb", buffering=0) as file:
        file.seek(start)
        return file.read(length)


def _unpacked_sections(path: Path) -> Iterator[Callable[[], bytes]]:
    held = b""
    for chunk in read_chunks(path):
        held += chunk
        while len(held) > 2 * SECTION_BYTES:
            end = _next_query(io.BytesIO(held), SECTION_BYTES)
            if end == len(held):
                break
            section, held = held[:end], held[end:]
            yield partial(bytes, section)
    if held:
        yield partial(bytes, held)


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
