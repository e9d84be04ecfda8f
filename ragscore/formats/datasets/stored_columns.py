"""The columns of a block of passages in the files of a cache entry, read where they are used: raw
bytes with the places where each text begins, so that one text costs two short reads.

The files are checked against the entry's seal when the first text is read, and nothing they say is
believed about their size.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of
from ragscore.cache import Cache
from ragscore.dataset import Corpus
from ragscore.dataset.text_columns import TextColumn
from ragscore.errors import DataError
from ragscore.seal import DamagedError, check_seal

KIND, COLUMNS = "passages", "passage-texts"
"""The cache's kinds of entries, with one key: what opening a block needs, and its columns."""
TEXTS, TITLES, ROWS = "texts", "titles", "rows.jsonl"
COUNTED = 8
"""Bytes of a place in a column."""
MANY = 256
"""The places of all texts of a block are read once for this many texts asked for together;
for fewer, their own places are."""
BLOCKS_HELD = 4
"""Blocks whose tags and metadata are held in memory at a time."""


def write_columns(folder: Path, corpus: Corpus) -> None:
    """Write the columns of a block to the folder of an entry."""
    _write_column(folder, TEXTS, corpus.texts)
    if corpus.titles is not None:
        _write_column(folder, TITLES, corpus.titles)
    rows = sorted({*corpus.tags, *corpus.metadata})
    if rows:
        with (folder / ROWS).open("w", encoding="utf-8", newline="\n") as file:
            for row in rows:
                line = [row, corpus.tags.get(row, ()), corpus.metadata.get(row, {})]
                file.write(json.dumps(line, ensure_ascii=True) + "\n")


def _write_column(folder: Path, name: str, texts: Sequence[str]) -> None:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    (folder / f"{name}.utf8").write_bytes(b"".join(encoded))
    bounds = bounds_of(np.fromiter(map(len, encoded), np.int64, len(encoded)))
    (folder / f"{name}.bounds").write_bytes(bounds.astype("<i8").tobytes())
    np.save(folder / f"{name}.characters.npy", np.fromiter(map(len, texts), np.int32, len(texts)))


class BlockFiles:
    """The columns of a block, which are checked once, when the first of them is read."""

    def __init__(self, key: str, cache: Cache) -> None:
        self._key = key
        self._cache = cache
        self._checked: set[str] = set()

    @cached_property
    def folder(self) -> Path:
        """Where they are; they are fetched now from the store that machines share.

        Raises:
            DamagedError: they are gone.
        """
        folder = self._cache.get(COLUMNS, self._key)
        if folder is None:
            raise DamagedError("its texts are missing")
        return folder

    def path(self, *names: str) -> Path:
        """The first of some files; all of them are what they were when they were written."""
        with self.noticed():
            new = [name for name in names if name not in self._checked]
            if new:
                check_seal(self.folder, self._key, new)
                self._checked.update(new)
        return self.folder / names[0]

    def read(self, name: str, start: int, count: int) -> bytes:
        """Some bytes of a file that was checked.

        Raises:
            DamagedError: it has not this many.
        """
        with (self.folder / name).open("rb") as file:
            return _bytes_at(file, start, count)

    @contextmanager
    def noticed(self) -> Iterator[None]:
        """Damage is an error that says how to go on; the entry is then made again."""
        try:
            yield
        except (DamagedError, OSError, ValueError, TypeError, RecursionError) as error:
            self._cache.delete(KIND, self._key)
            self._cache.delete(COLUMNS, self._key)
            raise DataError(
                f"the cache holds a damaged block of passages ({error})",
                where=f"{self._cache.root}, {COLUMNS}/{self._key}",
                instead="It was removed: run the same command again, and it is read anew",
            ) from error


class StoredTexts(TextColumn):
    """A column of texts in the files of a block.

    Args:
        files: of the block.
        name: of the column.
        count: how many texts it has.
        empty: rows of those that hold nothing but white space, where that is known.
    """

    def __init__(
        self,
        files: BlockFiles,
        name: str,
        count: int,
        empty: NDArray[np.int32] | None = None,
    ) -> None:
        self._files = files
        self._empty = empty
        self._name = name
        self._count = count

    def __len__(self) -> int:
        return self._count

    def read(self, start: int, stop: int) -> list[str]:
        """The texts of the rows from ``start`` to ``stop``."""
        with self._files.noticed():
            bounds = self._bounds(start, stop)
            data = self._bytes(bounds)
            first = int(bounds[0]) if len(bounds) else 0
            places = (bounds - first).tolist()
            return [_decoded(data[begin:end]) for begin, end in pairwise(places)]

    def take(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """The texts of some rows, in this order."""
        if MANY * len(rows) < self._count:
            return [self.read(row, row + 1)[0] for row in rows.tolist()]
        with self._files.noticed():
            bounds = self._bounds(0, self._count).tolist()
            with (self._files.folder / f"{self._name}.utf8").open("rb") as file:
                return [
                    _decoded(_bytes_at(file, bounds[row], bounds[row + 1] - bounds[row]))
                    for row in rows.tolist()
                ]

    def utf8(self, start: int, stop: int) -> bytes:
        """The texts of some rows one after the other, in UTF-8."""
        with self._files.noticed():
            return self._bytes(self._bounds(start, stop))

    def character_counts(self) -> NDArray[np.int64]:
        """The length of each text in characters: int64[n]."""
        path = self._files.path(f"{self._name}.characters.npy")
        with self._files.noticed():
            counts = np.asarray(np.load(path, allow_pickle=False), dtype=np.int64)
            if counts.shape != (self._count,):
                raise DamagedError(f"{path.name} counts other texts")
        return counts

    def empty(self) -> NDArray[np.bool_]:
        """Which texts hold nothing but white space: bool[n]."""
        if self._empty is None:
            return super().empty()
        found = np.zeros(self._count, dtype=bool)
        found[self._empty] = True
        return found

    def any(self) -> bool:
        """Whether one of the texts is not empty; a column of empty titles is not kept."""
        return self._name == TITLES or bool(self.character_counts().any())

    def _bounds(self, start: int, stop: int) -> NDArray[np.int64]:
        if stop <= start:
            return np.zeros(0, dtype=np.int64)
        self._files.path(f"{self._name}.bounds", f"{self._name}.utf8")
        data = self._files.read(
            f"{self._name}.bounds", COUNTED * start, COUNTED * (stop - start + 1)
        )
        bounds = np.frombuffer(data, dtype="<i8")
        if bounds[0] < 0 or (np.diff(bounds) < 0).any():
            raise DamagedError(f"{self._name}.bounds are no places of texts")
        return bounds

    def _bytes(self, bounds: NDArray[np.int64]) -> bytes:
        if not len(bounds):
            return b""
        return self._files.read(f"{self._name}.utf8", int(bounds[0]), int(bounds[-1] - bounds[0]))


def _bytes_at(file: BinaryIO, start: int, count: int) -> bytes:
    if start + count > os.fstat(file.fileno()).st_size:
        raise DamagedError("it ends before the last of its texts")
    file.seek(start)
    return file.read(count)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


class StoredRows(Mapping[int, Any]):
    """The tags or the metadata of the passages of a block that have any, by row.

    Args:
        files: of the block.
        rows: int32[n], which have any, ascending.
        place: 0 for tags, 1 for metadata.
    """

    def __init__(self, files: BlockFiles, rows: NDArray[np.int32], place: int) -> None:
        self._files = files
        self._rows = rows
        self._place = place

    def __getitem__(self, row: int) -> Any:
        at = int(np.searchsorted(self._rows, row))
        if at == len(self._rows) or self._rows[at] != row:
            raise KeyError(row)
        path = self._files.path(ROWS)
        with self._files.noticed():
            found = _rows_in(path).get(row)
            if found is None:
                raise DamagedError(f"{ROWS} lacks row {row}")
        return found[self._place]

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows.tolist())

    def __len__(self) -> int:
        return len(self._rows)


@lru_cache(maxsize=BLOCKS_HELD)
def _rows_in(path: Path) -> dict[int, tuple[tuple[str, ...], dict[str, Any]]]:
    """Tags and metadata by row. The path names what the file holds.

    Raises:
        OSError, ValueError: it does not hold that.
    """
    found = {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            row, tags, metadata = json.loads(line)
            if not (isinstance(tags, list) and isinstance(metadata, dict)):
                raise ValueError(f"row {row} of {ROWS} has neither tags nor metadata")
            found[int(row)] = tuple(map(str, tags)), metadata
    return found
