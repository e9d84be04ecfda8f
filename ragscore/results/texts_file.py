"""texts.parquet: the texts of passages that systems returned, of datasets without a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ragscore.parquet_files import parquet_errors, recorded_table

COLUMNS = ("dataset", "passage", "text")


def write_texts(path: Path, texts: Mapping[str, Mapping[str, str]]) -> None:
    """Write the texts of all datasets, by dataset and passage id."""
    import polars

    rows = [(name, *pair) for name, of_dataset in texts.items() for pair in of_dataset.items()]
    schema = dict.fromkeys(COLUMNS, polars.String)
    polars.DataFrame(rows, schema=schema, orient="row").write_parquet(path, compression="zstd")


def read_texts(content: bytes, where: str, most_rows: int) -> dict[str, dict[str, str]]:
    """The texts by dataset and passage id.

    Args:
        content: the file's bytes.
        where: the file, for messages.
        most_rows: rows that it holds by the manifest; more are not read.

    Raises:
        DataError: it is not a table of texts.
    """
    with parquet_errors("it is not a table of texts", where):
        frame = recorded_table(content, most_rows, COLUMNS, ())
        found: dict[str, dict[str, str]] = {}
        for name, passage, text in frame.iter_rows():
            found.setdefault(name, {})[passage] = text
        return found
