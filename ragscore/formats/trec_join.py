"""TREC runs, joined with the qrels while they are read: the fast way to scores.

The file is cut between queries; sections are read, checked and joined on all cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ragscore.formats import sections
from ragscore.formats.blank_separated import Column, read_columns
from ragscore.formats.byte_texts import ByteTexts
from ragscore.formats.grouped import Grouped
from ragscore.formats.hits import Part, join_rows
from ragscore.formats.qrels_columns import QrelsColumns

COLUMNS: dict[str, Column] = {
    "query": "text",
    "q0": "ignored",
    "passage": "text",
    "rank": "ignored",
    "score": "number",
    "tag": "ignored",
}


def trec_parts(path: Path, qrels: QrelsColumns, *, whole: bool = False) -> Iterator[Part]:
    """The joined sections of a run file; ``.gz`` and ``.zst`` are unpacked.

    Args:
        path: the file.
        qrels: the judgments.
        whole: as one section, for a file where lines of a query are far from each other.

    Raises:
        OddTextError: some line may not be what it should be.
        DamagedFileError: the file cannot be read or unpacked to its end.
    """
    qrels = qrels.of_kind(ByteTexts)
    if whole:
        yield _joined(partial(sections.whole, path), qrels)
        return
    parts = (partial(_joined, section, qrels) for section in sections.sections(path))
    yield from sections.on_all_cores(parts)


def _joined(section: Callable[[], bytearray], qrels: QrelsColumns) -> Part:
    read = read_columns(section(), COLUMNS)
    rows = Grouped.of(read.texts["query"], read.texts["passage"], read.numbers["score"])
    return join_rows(rows, qrels)
