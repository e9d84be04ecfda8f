"""Files of datasets as bytes: JSON lines, columns between TABs or commas, Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ragscore.dataset import Dataset
from ragscore.dataset.metadata import plain
from ragscore.disk import replace_files, writing
from ragscore.errors import DataError
from ragscore.formats.datasets.held_parts import BREAK

BLOCK_ROWS = 4096


def write_files(files: Iterable[tuple[str, bytes | Iterable[bytes]]], folder: Path) -> list[str]:
    """Put files into a folder once all of them are whole; their names.

    Raises:
        DiskError: they cannot be written.
    """
    kept = "What is already there is unchanged"
    with writing("the dataset", folder, kept=kept, elsewhere="name another folder"):
        return replace_files(folder, files)


def json_line(values: Mapping[str, Any]) -> bytes:
    """One row of JSON lines."""
    return (json.dumps(plain(values), ensure_ascii=False) + "\n").encode()


def judged_pairs(dataset: Dataset) -> Iterator[tuple[str, str, float]]:
    """Query, passage and grade of each judgment."""
    for query_id, graded in dataset.qrels.to_dict().items():
        for passage_id, grade in graded.items():
            yield query_id, passage_id, grade


def grade_text(grade: float) -> str:
    """A grade as files write it, read again as the same number.

    >>> grade_text(3.0), grade_text(0.1)
    ('3', '0.1')
    """
    return str(int(grade)) if grade.is_integer() and abs(grade) < 1e15 else repr(grade)


def separated(
    header: Sequence[str], rows: Iterable[Sequence[str]], delimiter: str
) -> Iterator[bytes]:
    """A table with CSV's quotes, in blocks."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(header)
    for number, row in enumerate(rows, 1):
        writer.writerow(row)
        if number % BLOCK_ROWS == 0:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()


def parquet(columns: Mapping[str, Any]) -> bytes:
    """Columns as Parquet."""
    import polars

    content = io.BytesIO()
    polars.DataFrame(columns).write_parquet(content)
    return content.getvalue()


def refuse_ids(dataset: Dataset, format: str, *, blanks: bool = False) -> None:
    """Refuse ids that columns without quotes cannot hold.

    Args:
        format: its name, for the message.
        blanks: any white space stands between columns, and ``#`` begins a comment.

    Raises:
        DataError: such an id.
    """
    signs = "white space" if blanks else "TAB and line ends"
    for ids in (dataset.qrels.queries, dataset.qrels.passages):
        for row_id in ids:
            if (
                BREAK.search(row_id)
                if not blanks
                else (row_id.split() != [row_id] or row_id.startswith("#"))
            ):
                raise DataError(
                    f"the id {row_id!r} cannot be written in {format}, where {signs} separate ids"
                    + (" and # begins a comment" if blanks else ""),
                    instead="Choose another format, such as jsonl",
                )
