"""A block of passages in the files of two cache entries: read where it is used, a text at a time.

One has what opening the block needs: ids, and which passages have metadata. The other has the
columns, raw bytes with the places where each text begins, so that one text costs two short reads;
where machines share the cache, it is fetched when the first text of the block is read, and it is
checked against its seal then.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import bounds_of
from ragscore.cache import Cache
from ragscore.dataset import Corpus
from ragscore.dataset.byte_ids import ByteIds
from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.text_columns import TextColumn, empty_texts
from ragscore.errors import DataError
from ragscore.progress import Progress
from ragscore.seal import DamagedError, check_seal

KIND, COLUMNS = "passages", "passage-texts"
"""The cache's kinds of entries, with one key: what opening a block needs, and its columns."""
META, IDS, ID_BYTES = "block.json", "ids.utf8", "ids.lengths.npy"
TEXTS, TITLES, ROWS, EMPTY = "texts", "titles", "rows.jsonl", "empty.npy"
TAGGED, DESCRIBED = "tagged.npy", "described.npy"
COUNTED = 8
"""Bytes of a place in a column."""
MANY = 256
"""The places of all texts of a block are read for every so many texts that are asked for together;
for fewer, their own places are."""
BLOCKS_HELD = 4
"""Blocks whose tags and metadata are held in memory at a time."""


@dataclass(frozen=True, eq=False)
class StoredBlock:
    """A block that the cache keeps.

    Attributes:
        corpus: its passages, whose texts stay in the files.
        numeric_ids: how many of its ids are whole numbers, and were taken as text.
    """

    corpus: Corpus
    numeric_ids: int


def keep_block(cache: Cache, key: str, corpus: Corpus, numeric_ids: int) -> None:
    """Keep a block in the cache.

    Args:
        cache: of the entries.
        key: of the entries.
        corpus: its passages.
        numeric_ids: how many of their ids are whole numbers, and were taken as text.

    Raises:
        DiskError: it cannot be written.
    """
    # The columns first: who finds the other entry may read them.
    cache.entry(COLUMNS, key, lambda folder: _write_columns(folder, corpus))
    cache.entry(KIND, key, lambda folder: _write_opened(folder, corpus, numeric_ids))


def open_block(cache: Cache, key: str, progress: Progress) -> StoredBlock | None:
    """A block that the cache keeps, None where it is not there as a whole.

    Args:
        cache: of the entries; it forgets them where the columns turn out to be damaged.
        key: of the entries.
        progress: is notified of a damaged entry.
    """

    def read(folder: Path) -> StoredBlock:
        return _read_block(folder, _BlockFiles(key, cache))

    found = cache.read(KIND, key, read, progress=progress)
    if found is None or not cache.has(COLUMNS, key):
        return None
    cache.share(COLUMNS, key)
    return found


def _write_opened(folder: Path, corpus: Corpus, numeric_ids: int) -> None:
    ids = [id.encode("utf-8", "surrogatepass") for id in corpus.ids]
    (folder / IDS).write_bytes(b"".join(ids))
    np.save(folder / ID_BYTES, np.fromiter(map(len, ids), np.int32, len(ids)))
    np.save(folder / EMPTY, np.flatnonzero(empty_texts(corpus.texts)).astype(np.int32))
    meta = {
        "count": len(corpus),
        "digest": corpus.digest,
        "titled": corpus.titles is not None,
        "numeric_ids": numeric_ids,
    }
    for name, of_rows in ((TAGGED, corpus.tags), (DESCRIBED, corpus.metadata)):
        np.save(folder / name, np.fromiter(sorted(of_rows), np.int32, len(of_rows)))
    (folder / META).write_text(json.dumps(meta), encoding="utf-8")


def _write_columns(folder: Path, corpus: Corpus) -> None:
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


def _read_block(folder: Path, files: _BlockFiles) -> StoredBlock:
    """The block that an entry holds.

    Raises:
        Exception: any; the entry is damaged.
    """
    meta = json.loads((folder / META).read_text(encoding="utf-8"))
    lengths = np.load(folder / ID_BYTES, allow_pickle=False).astype(np.int64)
    ids = ByteTexts.packed((folder / IDS).read_bytes(), lengths)
    count = int(meta["count"])
    if len(ids) != count:
        raise DataError("ids and passages do not belong together")
    corpus = Corpus(
        ByteIds(ids),
        StoredTexts(files, TEXTS, count, np.load(folder / EMPTY, allow_pickle=False)),
        StoredTexts(files, TITLES, count) if meta["titled"] else None,
        StoredRows(files, np.load(folder / TAGGED, allow_pickle=False), 0),
        StoredRows(files, np.load(folder / DESCRIBED, allow_pickle=False), 1),
        known_digest=str(meta["digest"]),
    )
    return StoredBlock(corpus, int(meta["numeric_ids"]))


class _BlockFiles:
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
        with self._noticed():
            new = [name for name in names if name not in self._checked]
            if new:
                check_seal(self.folder, self._key, new)
                self._checked.update(new)
        return self.folder / names[0]

    def read(self, name: str, start: int, count: int) -> bytes:
        """Some bytes of a file that was checked."""
        with (self.folder / name).open("rb") as file:
            file.seek(start)
            return file.read(count)

    @contextmanager
    def _noticed(self) -> Iterator[None]:
        """Damage is an error that says how to go on; the entry is then made again."""
        try:
            yield
        except (DamagedError, OSError, ValueError) as error:
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
        files: _BlockFiles,
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
        bounds = self._bounds(start, stop)
        data = self._bytes(bounds)
        first = int(bounds[0]) if len(bounds) else 0
        places = (bounds - first).tolist()
        return [data[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(places)]

    def take(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """The texts of some rows, in this order."""
        if MANY * len(rows) < self._count:
            return [self.read(row, row + 1)[0] for row in rows.tolist()]
        bounds = self._bounds(0, self._count)
        with (self._files.folder / f"{self._name}.utf8").open("rb") as file:
            found = []
            for row in rows.tolist():
                file.seek(bounds[row])
                data = file.read(bounds[row + 1] - bounds[row])
                found.append(data.decode("utf-8", "surrogatepass"))
        return found

    def utf8(self, start: int, stop: int) -> bytes:
        """The texts of some rows one after the other, in UTF-8."""
        return self._bytes(self._bounds(start, stop))

    def character_counts(self) -> NDArray[np.int64]:
        """The length of each text in characters: int64[n]."""
        counts = np.load(self._files.path(f"{self._name}.characters.npy"), allow_pickle=False)
        return np.asarray(counts, dtype=np.int64)

    def empty(self) -> NDArray[np.bool_]:
        """Which texts hold nothing but white space: bool[n]."""
        if self._empty is None:
            return empty_texts(self.read(0, self._count))
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
        return np.frombuffer(data, dtype="<i8")

    def _bytes(self, bounds: NDArray[np.int64]) -> bytes:
        if not len(bounds):
            return b""
        return self._files.read(f"{self._name}.utf8", int(bounds[0]), int(bounds[-1] - bounds[0]))


class StoredRows(Mapping[int, Any]):
    """The tags or the metadata of the passages of a block that have any, by row.

    Args:
        files: of the block.
        rows: int32[n], which have any, ascending.
        place: 0 for tags, 1 for metadata.
    """

    def __init__(self, files: _BlockFiles, rows: NDArray[np.int32], place: int) -> None:
        self._files = files
        self._rows = rows
        self._place = place

    def __getitem__(self, row: int) -> Any:
        at = int(np.searchsorted(self._rows, row))
        if at == len(self._rows) or self._rows[at] != row:
            raise KeyError(row)
        return _rows_in(self._files.path(ROWS))[row][self._place]

    def __iter__(self) -> Iterator[int]:
        return iter(self._rows.tolist())

    def __len__(self) -> int:
        return len(self._rows)


@lru_cache(maxsize=BLOCKS_HELD)
def _rows_in(path: Path) -> dict[int, tuple[tuple[str, ...], dict[str, Any]]]:
    """Tags and metadata by row. The path names what the file holds."""
    found = {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            row, tags, metadata = json.loads(line)
            found[row] = tuple(tags), metadata
    return found
