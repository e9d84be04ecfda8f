"""TREC run files, joined with the qrels while they are read, a piece at a time."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ragscore.dataset.byte_words import unpadded
from ragscore.errors import DataError
from ragscore.formats.reading.file_pieces import on_all_cores, pieces
from ragscore.formats.reading.lines import PACKED, DamagedFileError, File, read_chunks
from ragscore.formats.reading.problems import collected, shown
from ragscore.formats.reading.whitespace_columns import OddTextError, TextColumns, read_columns
from ragscore.formats.runs import trec
from ragscore.formats.runs.base import PartRows, RunFormat
from ragscore.judge import JoinedPart, JoinTo, SplitQueryError
from ragscore.judge.joined_part import JoinedPiece, NothingAtEdgeError, at_ends

MAX_WHOLE_BYTES = 1 << 32
"""A larger file is not held as a whole; about four times as much memory would be needed."""
PACKED_SHARE = 6
"""Bytes that one byte of a packed run is taken for there."""


def join_trec_run(path: Path, to: JoinTo) -> JoinedPart:
    """The same file joined with judgments while it is read, so that the run is never in memory.

    The file is cut between queries; pieces are read, checked and joined on all cores. A file whose
    queries are scattered over it, or that is not in UTF-8, is held as a whole.

    Raises:
        DataError: as :func:`read_trec_run`; or the file is too large to be held as a whole.
    """
    try:
        read = (
            partial(_joined_piece, piece, path, to, first=first, last=last)
            for piece, first, last in at_ends(pieces(path))
        )
        return JoinedPart.of(on_all_cores(read), to)
    except SplitQueryError as error:
        if _too_large(path):
            raise _scattered(path, error.query) from error
    except (OddTextError, NothingAtEdgeError, DamagedFileError, OSError):
        if _too_large(path):
            _refuse_wrong_lines(path)
    rows = trec.by_query(trec.columns_of(path))
    return JoinedPart.of([JoinedPiece.of(rows, to, first=True, last=True)], to)


def _joined_piece(
    piece: Callable[[], bytearray], path: Path, to: JoinTo, *, first: bool, last: bool
) -> JoinedPiece:
    data = piece()
    try:
        columns = read_columns(data, trec.READ_AS)
    except OddTextError:
        columns = _odd_piece(unpadded(data), path, first=first)
    return JoinedPiece.of(trec.by_query(columns), to, first=first, last=last)


def _odd_piece(data: bytes, path: Path, *, first: bool) -> TextColumns:
    """The columns of some lines of a file, line by line.

    Raises:
        OddTextError: the file isn't in UTF-8, or some lines are wrong; their numbers in the file
            are not known here.
    """
    if first:
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise OddTextError
        data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return trec.line_by_line(path, data)
    except DataError as error:
        raise OddTextError from error


def _scattered(path: Path, query: str) -> DataError:
    return DataError(
        f"the lines of query '{query}' are not together, and the file is too large to be held as "
        f"a whole (more than {MAX_WHOLE_BYTES >> 30} GB unpacked)",
        where=shown(path),
        instead="Sort it by query first: sort -s -k1,1",
    )


def _refuse_wrong_lines(path: Path) -> None:
    """Raise DataError for a file that is too large to be held as a whole: what is wrong with its
    lines, or else that it is not in UTF-8."""
    with collected() as problems:
        for _ in trec.good_rows(File(path, problems)):
            pass
    raise DataError(
        "it is not in UTF-8, and too large to be held as a whole (more than "
        f"{MAX_WHOLE_BYTES >> 30} GB unpacked)",
        where=shown(path),
        instead="Save it as UTF-8",
    )


def _too_large(path: Path) -> bool:
    packed = PACKED_SHARE if path.suffix in PACKED else 1
    return path.stat().st_size * packed > MAX_WHOLE_BYTES


def rows_of_trec(path: Path) -> PartRows:
    """The rows of a file.

    Raises:
        DataError: as :func:`read_trec_run`.
    """
    return PartRows(trec.by_query(trec.columns_of(path)))


def places_of(path: Path, query: str) -> tuple[str, str]:
    """The first and the last line that begins with a query."""
    begins = re.compile(rb"^[ \t]*" + re.escape(query.encode()) + rb"[ \t]", re.MULTILINE)
    first = last = lines = 0
    rest = b""
    for chunk in read_chunks(path):
        block, newline, rest = (rest + chunk).rpartition(b"\n")
        found = list(begins.finditer(block))
        if found:
            first = first or lines + 1 + block.count(b"\n", 0, found[0].start())
            last = lines + 1 + block.count(b"\n", 0, found[-1].start())
        lines += block.count(b"\n") + len(newline)
    if begins.match(rest):
        first, last = first or lines + 1, lines + 1
    return str(first), str(last)


FORMAT = RunFormat(
    description="query Q0 passage rank score name, with spaces or tabs between them",
    suffixes=trec.SUFFIXES,
    example="q1 Q0 a 1 2.5 bm25\nq1 Q0 b 2 1 bm25\nq2 Q0 b 1 0.5 bm25\n",
    read=trec.read_trec_run,
    join=join_trec_run,
    rows=rows_of_trec,
    places=places_of,
)
