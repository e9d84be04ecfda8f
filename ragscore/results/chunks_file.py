"""chunks.parquet: the passages that chunkers made of documents, by where these stand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragscore.dataset import Chunkings, Chunks
from ragscore.dataset.documents import Documents
from ragscore.parquet_files import parquet_errors, recorded_table

MAX_CHUNKS = 50_000_000
"""Rows that are read at most, whatever a manifest says."""
COLUMNS = ("dataset", "chunker", "document", "start", "end")


def write_chunks(path: Path, chunkings: Mapping[str, Chunkings]) -> None:
    """Write the chunks of all chunkers, by dataset; no text is copied."""
    import polars

    frames = []
    for dataset, found in chunkings.items():
        documents = polars.Series(list(found.documents.ids), dtype=polars.String)
        for name, rows in found.rows.items():
            own = found.chunks.select(rows)
            columns = {
                "document": documents.gather(own.document),
                "start": own.start,
                "end": own.end,
            }
            named = {"dataset": dataset, "chunker": name}
            constants = [
                polars.lit(text).cast(polars.String).alias(key) for key, text in named.items()
            ]
            frames.append(polars.DataFrame(columns).select(*constants, polars.all()))
    polars.concat(frames).write_parquet(path, compression="zstd")


def read_chunks(
    content: bytes, dataset: str, documents: Documents, where: str, most_rows: int
) -> dict[str, Chunks]:
    """The chunks of a dataset by chunker; the chunkers themselves are not asked again.

    Args:
        content: the file's bytes.
        dataset: its name.
        documents: of the dataset, which the chunks are places in.
        where: the file, for messages.
        most_rows: rows that it holds by the manifest; more are not read.

    Raises:
        DataError: it is not a table of places in these documents.
    """
    import polars

    with parquet_errors("it is not a table of chunks of these documents", where):
        frame = recorded_table(content, most_rows, COLUMNS[:3], COLUMNS[3:])
        own = frame.filter(polars.col("dataset") == dataset)
        found: dict[str, Chunks] = {}
        for (name,), of_chunker in own.group_by("chunker", maintain_order=True):
            rows = documents.ids.rows(of_chunker["document"].to_list())
            start, end = (of_chunker[key].to_numpy() for key in ("start", "end"))
            if (rows < 0).any():
                raise ValueError("a chunk is of a document that is not there")
            found[str(name)] = Chunks.of(rows, start, end)
            if not found[str(name)].within(documents.lengths):
                raise ValueError("a chunk lies outside its document")
        return found
