"""Lines with white space between their columns (TREC runs and qrels), in bulk and checked.

What is checked costs a few passes over the bytes: every line has as many columns as it should,
with single spaces between them. Tabs, runs of blanks, empty lines and comments are tidied where
they occur. Whatever else is unusual is left to the readers that go line by line: they say what
is wrong, or know that it is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Literal

import numpy as np

from ragscore.dataset.byte_texts import ASCII, ByteTexts
from ragscore.dataset.byte_words import PADDING, Bytes, Places, padded, unpadded
from ragscore.formats.reading.decimals import Floats, NoNumberError, floats
from ragscore.formats.reading.encodings import BOM
from ragscore.formats.reading.file_pieces import on_all_cores, pieces
from ragscore.formats.reading.lines import COMMENT

Column = Literal["text", "number", "ignored"]
SPACE, NEWLINE, LAST_BLANK = 32, 10, 32
COMMENT_LINE = re.compile(rb"^" + COMMENT.encode() + rb".*\n", re.MULTILINE)
TILE = 1 << 20
"""Bytes searched together: few enough for a processor's cache."""


class OddTextError(Exception):
    """The bulk reader is not sure of this text. Never leaves this package."""


@dataclass(frozen=True, eq=False)
class TextColumns:
    """The columns of n lines, by name.

    Attributes:
        texts: n texts each.
        numbers: float64[n] each, all finite.
    """

    texts: dict[str, ByteTexts]
    numbers: dict[str, Floats]


def trec_columns(line: str) -> list[str]:
    """The columns of a line of TREC's, which spaces and tabs separate."""
    parts = line.replace("\t", " ").split(" ")
    return [part for part in parts if part] if "" in parts else parts


def wrong_count(parts: Sequence[str], expected: int) -> str:
    """That a line has another number of columns than it should."""
    return f"{len(parts)} column{'s' * (len(parts) > 1)} where {expected} are expected"


def read_file(path: Path, columns: Mapping[str, Column]) -> TextColumns:
    """The columns of a file, ``.gz`` and ``.zst`` unpacked; its pieces are read on all cores.

    Raises:
        OddTextError: some line may not be what it should be.
        DamagedFileError, OSError: it cannot be read or unpacked to its end.
    """
    read = (partial(_read_piece, piece, columns) for piece in pieces(path))
    parts = list(on_all_cores(read))
    return _concatenated(parts) if parts else read_columns(b"", columns)


def _read_piece(piece: Callable[[], bytearray], columns: Mapping[str, Column]) -> TextColumns:
    return read_columns(piece(), columns)


def read_columns(data: bytes | bytearray, columns: Mapping[str, Column]) -> TextColumns:
    r"""The columns that are not ignored, one row for a line.

    Args:
        data: whole lines; the last may lack its ``\n``. A bytearray is padded already, as in
            :mod:`~ragscore.dataset.byte_words`, and becomes part of the columns.
        columns: name and kind of every column, in order; the first is a text.

    >>> read = read_columns(b"q1  0\td1 3\n", {"query": "text", "zero": "ignored",
    ...     "passage": "text", "grade": "number"})
    >>> read.texts["query"].to_list(), read.texts["passage"].to_list(), read.numbers["grade"]
    (['q1'], ['d1'], array([3.]))

    Raises:
        OddTextError: some line may not be what it should be.
    """
    given = data if isinstance(data, bytearray) else padded(data)
    with suppress(OddTextError):
        return _parsed(given, columns)
    tidied = unpadded(given) + b"\n"
    for tidy in (
        _with_unix_line_ends,
        _with_spaces_for_tabs,
        _with_single_blanks,
        _without_comments,
    ):
        tidied = tidy(tidied)
        with suppress(OddTextError):
            return _parsed(padded(tidied), columns)
    raise OddTextError


def _with_unix_line_ends(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n")


def _with_spaces_for_tabs(data: bytes) -> bytes:
    return data.replace(b"\t", b" ")


def _with_single_blanks(data: bytes) -> bytes:
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    data = data.replace(b" \n", b"\n").replace(b"\n ", b"\n").lstrip(b" \n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    return data


def _without_comments(data: bytes) -> bytes:
    # What is wrong with the encoding or the line ends of a comment is an error too.
    if b"\r" in data:
        raise OddTextError
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise OddTextError from error
    return COMMENT_LINE.sub(b"", data)


def _parsed(data: bytearray, columns: Mapping[str, Column]) -> TextColumns:
    """The columns of padded lines with single spaces between them."""
    if data.startswith(BOM, PADDING):  # taken off at the start of a file, part of an id elsewhere
        raise OddTextError
    end = len(data) - PADDING
    if end > PADDING and data[end - 1] != NEWLINE:
        data[end] = NEWLINE  # the padding behind it is still long enough
        end += 1
    buffer = np.frombuffer(data, dtype=np.uint8)
    tiles = [_tile(buffer, *edges, columns) for edges in _tiles(data, end)]
    tiles = tiles or [_no_lines(buffer, columns)]
    return _together(tiles, buffer, [0] * len(tiles))


def _no_lines(buffer: Bytes, columns: Mapping[str, Column]) -> TextColumns:
    none = np.empty(0, dtype=np.int64)
    return TextColumns(
        {name: ByteTexts(buffer, none, none) for name, kind in columns.items() if kind == "text"},
        {name: np.empty(0) for name, kind in columns.items() if kind == "number"},
    )


def _concatenated(parts: Sequence[TextColumns]) -> TextColumns:
    """The lines of one and more parts of a file, one part after another."""
    if len(parts) == 1:
        return parts[0]
    buffers = [next(iter(part.texts.values())).buffer for part in parts]
    offsets = list(accumulate(map(len, buffers), initial=0))
    return _together(parts, np.concatenate(buffers), offsets)


def _together(parts: Sequence[TextColumns], buffer: Bytes, offsets: Sequence[int]) -> TextColumns:
    """The lines of parts whose buffers begin at some offsets of another."""
    texts = {}
    for name in parts[0].texts:
        columns = [part.texts[name] for part in parts]
        starts = [column.starts + at for column, at in zip(columns, offsets, strict=False)]
        lengths = [column.lengths for column in columns]
        texts[name] = ByteTexts(buffer, np.concatenate(starts), np.concatenate(lengths))
    numbers = {
        name: np.concatenate([part.numbers[name] for part in parts]) for name in parts[0].numbers
    }
    return TextColumns(texts, numbers)


def _tiles(data: bytearray, end: int) -> Iterator[tuple[int, int]]:
    """Where pieces of whole lines begin and end."""
    start = PADDING
    while start < end:
        cut = data.rfind(b"\n", start, start + TILE) + 1 or data.find(b"\n", start) + 1
        yield start, min(cut, end)
        start = cut


def _tile(buffer: Bytes, start: int, end: int, columns: Mapping[str, Column]) -> TextColumns:
    codes = buffer[start:end]
    ends = _ends_of_columns(codes, len(columns)) + start
    if codes.max() >= ASCII:
        try:
            str(codes.data, "utf-8")
        except UnicodeDecodeError as error:
            raise OddTextError from error
    # A column begins behind the blank before it; the first one behind the line before.
    behind = np.empty((len(ends), 1), dtype=np.int64)
    behind[0], behind[1:, 0] = start, ends[:-1, -1] + 1
    texts, numbers = {}, {}
    for at, (name, kind) in enumerate(columns.items()):
        if kind == "ignored":
            continue
        starts = ends[:, at - 1] + 1 if at else behind[:, 0]
        lengths = ends[:, at] - starts
        if kind == "text":
            texts[name] = ByteTexts(buffer, starts, lengths)
            if not at and _may_hold_comments(texts[name]):
                raise OddTextError
        else:
            try:
                numbers[name] = floats(buffer, starts, lengths)
            except NoNumberError as error:
                raise OddTextError from error
    return TextColumns(texts, numbers)


def _ends_of_columns(codes: Bytes, width: int) -> Places:
    """The blank behind each column of each line: int64[lines, width]."""
    blank = codes <= LAST_BLANK
    places = np.flatnonzero(blank)
    lines, rest = divmod(len(places), width)
    if rest or blank[0] or (blank[1:] & blank[:-1]).any():
        raise OddTextError
    ends = places.reshape(lines, width)
    if (codes[ends[:, -1]] != NEWLINE).any():
        raise OddTextError
    if np.count_nonzero(codes == SPACE) != lines * (width - 1):
        raise OddTextError
    return ends


def _may_hold_comments(first: ByteTexts) -> bool:
    """Whether a line looks like a comment, maybe behind white space of another kind."""
    heads = first.buffer[first.starts]
    if (heads == ord(COMMENT)).any():
        return True
    beyond_ascii = first.beyond_ascii()
    different = beyond_ascii.take(beyond_ascii.runs()).to_list()
    return any(text.lstrip().startswith(COMMENT) for text in different)
