"""FAISS indexes in files, and how large they are."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.encoders import Truncation, read_truncation, write_truncation
from ragscore.retrievers.build_cost import BuildCost
from ragscore.retrievers.faiss.construction import UnfitError, parts, reason

FILE = "index.faiss"
PASSAGE_OF = "passage_of.npy"

ID_BYTES = 8
"""Of a passage's id in FAISS."""


@dataclass(frozen=True, eq=False)
class StoredIndex:
    """An index, and what is known of it.

    Attributes:
        index: of FAISS.
        size_bytes: in its file, or in memory where it has none.
        truncation: what the encoder did not read of the passages; None if it does not say.
        cost: of building it; None if an earlier version built it.
        passage_of: int32[rows], by row of the index: the row of its passage, where it holds
            windows; None if a row is a passage.
    """

    index: Any
    size_bytes: int
    truncation: Truncation | None
    cost: BuildCost | None = None
    passage_of: NDArray[np.int32] | None = None


def write(stored: StoredIndex, folder: Path) -> None:
    """Keep an index in a folder.

    Raises:
        OSError: the disk does not take it.
    """
    import faiss

    library: Any = faiss  # its type stubs lack the writer
    failed: list[OSError] = []
    # A file of Python's: FAISS itself opens no path outside the code page of Windows.
    with (folder / FILE).open("wb") as file:

        def write(data: bytes) -> int:
            try:
                return file.write(data)
            except OSError as error:
                failed.append(error)
                raise

        try:
            library.write_index(stored.index, library.PyCallbackIOWriter(write))
        except Exception as error:
            if failed:  # FAISS makes an error of its own of it, which says nothing of the disk
                raise failed[0] from error
            raise
    write_truncation(stored.truncation, folder)
    if stored.cost is not None:
        stored.cost.write(folder)
    if stored.passage_of is not None:
        np.save(folder / PASSAGE_OF, stored.passage_of)


def read(folder: Path, *, mapped: bool) -> StoredIndex:
    """Reopen a kept index.

    Args:
        mapped: leave the data in the file, where the index can: opening is then instant, and
            processes share the memory.

    Raises:
        UnfitError: the file is damaged.
    """
    index = _read_index(folder, mapped=mapped)
    windows = folder / PASSAGE_OF
    return StoredIndex(
        index,
        sum(file.stat().st_size for file in (folder / FILE, windows) if file.is_file()),
        read_truncation(folder),
        BuildCost.read(folder),
        np.load(windows, allow_pickle=False) if windows.is_file() else None,
    )


def _read_index(folder: Path, *, mapped: bool) -> Any:
    import faiss

    library: Any = faiss  # its type stubs lack the reader
    path = folder / FILE
    if mapped:
        with suppress(RuntimeError):
            return faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)
    try:
        with path.open("rb") as file:
            return library.read_index(library.PyCallbackIOReader(file.read))
    except RuntimeError as error:
        raise UnfitError(
            f"the kept index {path} cannot be read ({reason(error)})", f"Delete {folder}"
        ) from error


def bytes_of_vector(index: Any) -> int:
    """About how many bytes an index takes for each vector: its code, its id, its links. What does
    not grow with the vectors is left out."""
    size = 0
    for part in parts(index, quantizers=False):
        if hasattr(part, "codes") or hasattr(part, "invlists"):
            size += part.code_size
        if hasattr(part, "invlists") or hasattr(part, "id_map"):
            size += ID_BYTES
        if hasattr(part, "hnsw"):
            # The lowest level has twice the links; each level above is a fraction of the one below.
            size += 4 * part.hnsw.nb_neighbors(0) + 8 + 4
    return size


def size_bytes(index: Any) -> int:
    """Bytes of an index in memory: its vectors or codes, ids, links and larger tables.

    Counted without writing it: within a few percent of the file, but for NSG, whose links are
    padded in memory, and for residual quantizers, whose tables are left out.
    """
    total = 0
    for part in parts(index):
        if hasattr(part, "codes"):
            total += part.codes.size()
        if hasattr(part, "invlists"):
            total += part.ntotal * (part.code_size + ID_BYTES)
        if hasattr(part, "id_map"):
            total += part.id_map.size() * ID_BYTES
        if hasattr(part, "hnsw"):
            graph = part.hnsw
            total += 4 * graph.neighbors.size() + 8 * graph.offsets.size() + 4 * part.ntotal
        if hasattr(part, "nsg"):
            total += 4 * part.nsg.R * part.ntotal
        if hasattr(part, "pq") and hasattr(part.pq, "centroids"):
            total += 4 * part.pq.centroids.size()
        if hasattr(part, "A"):
            total += 4 * part.A.size()
    return int(total)
