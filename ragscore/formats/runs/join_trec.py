"""TREC runs, joined with the qrels while they are read: the fast way to scores.

The file is cut between queries; pieces are read, checked and joined on all cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ragscore.formats.datasets.qrels_columns import QrelsColumns
from ragscore.formats.reading import file_pieces
from ragscore.formats.reading.byte_texts import ByteTexts
from ragscore.formats.reading.rows_by_query import RowsByQuery
from ragscore.formats.reading.whitespace_columns import Column, read_columns
from ragscore.formats.runs.join_rows import Part, join_rows

COLUMNS: dict[str, Column] = {
    "query": "text",
    "q0": "ignored",
    "passage": "text",
    "rank": "ignored",
    "score": "number",
    "tag": "ignored",
}


def trec_parts(path: Path, qrels: QrelsColumns, *, whole: bool = False) -> Iterator[Part]:
    """The joined pieces of a run file; ``.gz`` and ``.zst`` are unpacked.

    Args:
        path: the file.
        qrels: the judgments.
        whole: as one piece, for a file where lines of a query are far from each other.

    Raises:
        OddTextError: some line may not be what it should be.
        DamagedFileError: the file cannot be read or unpacked to its end.
    """
    qrels = qrels.of_kind(ByteTexts)
    if whole:
        yield _joined(partial(file_pieces.whole, path), qrels)
        return
    parts = (partial(_joined, piece, qrels) for piece in file_pieces.pieces(path))
    yield from file_pieces.on_all_cores(parts)


def _joined(piece: Callable[[], bytearray], qrels: QrelsColumns) -> Part:
    read = read_columns(piece(), COLUMNS)
    rows = RowsByQuery.of(read.texts["query"], read.texts["passage"], read.numbers["score"])
    return join_rows(rows, qrels)
