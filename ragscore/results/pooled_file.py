"""pooled.parquet: the passages that samples of corpora hold for their pools alone, by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ragscore.parquet_files import parquet_errors, recorded_table

COLUMNS = ("dataset", "passage")


def write_pooled(path: Path, pooled: Mapping[str, Sequence[str]]) -> None:
    """Write the ids of all datasets."""
    import polars

    names = [name for name, ids in pooled.items() for _ in ids]
    columns = {"dataset": names, "passage": [id for ids in pooled.values() for id in ids]}
    schema = dict.fromkeys(COLUMNS, polars.String)
    polars.DataFrame(columns, schema=schema).write_parquet(path, compression="zstd")


def read_pooled(content: bytes, dataset: str, where: str, most_rows: int) -> list[str]:
    """The ids of a dataset.

    Args:
        content: the file's bytes.
        dataset: its name.
        where: the file, for messages.
        most_rows: rows that it holds by the manifest; more are not read.

    Raises:
        DataError: it is not a table of ids.
    """
    import polars

    with parquet_errors("it is not a table of pooled passages", where):
        frame = recorded_table(content, most_rows, COLUMNS, ())
        found: list[str] = frame.filter(polars.col("dataset") == dataset)["passage"].to_list()
        return found
