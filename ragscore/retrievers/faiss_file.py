"""FAISS indexes in files, and how large they are."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from ragscore.retrievers.faiss_index import UnfitError, parts, reason

FILE = "index.faiss"

ID_BYTES = 8
"""Of a passage's id in FAISS."""


def write(index: Any, folder: Path) -> None:
    """Keep an index in a folder."""
    import faiss

    library: Any = faiss  # its type stubs lack the writer
    # A file of Python's: FAISS itself opens no path outside the code page of Windows.
    with (folder / FILE).open("wb") as file:
        library.write_index(index, library.PyCallbackIOWriter(file.write))


def read(folder: Path, *, mapped: bool) -> Any:
    """Reopen a kept index.

    Args:
        mapped: leave the data in the file, where the index can: opening is then instant, and
            processes share the memory.

    Raises:
        UnfitError: the file is damaged.
    """
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
