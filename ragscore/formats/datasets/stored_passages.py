"""A block of passages in the files of two cache entries: read where it is used, a text at a time.

One has what opening the block needs: ids, and which passages have metadata. The other has the
columns (:mod:`~ragscore.formats.datasets.stored_columns`); where machines share the cache, it is
fetched when the first text of the block is read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragscore.cache import Cache
from ragscore.dataset import Corpus
from ragscore.dataset.byte_ids import ByteIds
from ragscore.dataset.byte_texts import ByteTexts
from ragscore.dataset.text_columns import empty_texts
from ragscore.errors import DataError
from ragscore.formats.datasets.stored_columns import (
    COLUMNS,
    KIND,
    TEXTS,
    TITLES,
    BlockFiles,
    StoredRows,
    StoredTexts,
    write_columns,
)
from ragscore.progress import Progress

META, IDS, ID_BYTES = "block.json", "ids.utf8", "ids.lengths.npy"
EMPTY, TAGGED, DESCRIBED = "empty.npy", "tagged.npy", "described.npy"


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
    cache.entry(COLUMNS, key, lambda folder: write_columns(folder, corpus))
    cache.entry(KIND, key, lambda folder: _write_opened(folder, corpus, numeric_ids))


def open_block(cache: Cache, key: str, progress: Progress) -> StoredBlock | None:
    """A block that the cache keeps, None if it is not there as a whole.

    Args:
        cache: of the entries; it forgets them where the columns turn out to be damaged.
        key: of the entries.
        progress: receives a damaged entry.
    """

    def read(folder: Path) -> StoredBlock:
        return _read_block(folder, BlockFiles(key, cache))

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


def _read_block(folder: Path, files: BlockFiles) -> StoredBlock:
    """The block that an entry holds.

    Raises:
        Exception: any; the entry is damaged.
    """
    meta = json.loads((folder / META).read_text(encoding="utf-8"))
    lengths = np.load(folder / ID_BYTES, allow_pickle=False).astype(np.int64)
    content = (folder / IDS).read_bytes()
    count = int(meta["count"])
    if lengths.shape != (count,) or (lengths < 0).any() or lengths.sum() != len(content):
        raise DataError("ids and passages do not belong together")
    content.decode("utf-8", "surrogatepass")
    ids = ByteTexts.packed(content, lengths)
    empty, tagged, described = (_rows(folder / name, count) for name in (EMPTY, TAGGED, DESCRIBED))
    corpus = Corpus(
        ByteIds(ids),
        StoredTexts(files, TEXTS, count, empty),
        StoredTexts(files, TITLES, count) if meta["titled"] else None,
        StoredRows(files, tagged, 0),
        StoredRows(files, described, 1),
        known_digest=str(meta["digest"]),
    )
    return StoredBlock(corpus, int(meta["numeric_ids"]))


def _rows(path: Path, count: int) -> NDArray[np.int32]:
    """Some rows of a block of this many, ascending.

    Raises:
        Exception: any; the entry is damaged.
    """
    rows = np.load(path, allow_pickle=False)
    if (
        rows.dtype != np.int32
        or rows.ndim != 1
        or (np.diff(rows, prepend=-1, append=count) < 1).any()
    ):
        raise DataError(f"{path.name} names rows that the block does not have")
    return np.asarray(rows)
