r"""Text files, line by line: plain, gzip or zstd, lines ended by ``\n`` or ``\r\n``.

UTF-8, with a byte-order mark or without; UTF-16 with one; other encodings where they are named.
Python's own line reading also ends lines at U+0085 and U+2028, which real corpora hold.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from ragscore.errors import Problem
from ragscore.files import open_regular
from ragscore.formats.reading.encodings import looks_like, transcoded, without_mark
from ragscore.formats.reading.problems import Problems, TooManyError, shown
from ragscore.messages import _
from ragscore.progress import SILENT, Progress

PACKED = (".gz", ".zst")
CHUNK_BYTES = 1 << 22
FIRST_BYTES = 1 << 16
"""Enough for the first line of most files."""
MIN_SHOWN_BYTES = 1 << 26
MAX_UNPACKED = 1 << 28
"""Bytes that a packed file of any size may unpack to."""
MAX_UNPACKED_PER_BYTE = 200
"""Beyond that, a packed file may unpack to this many bytes for each of its own: far more than text
needs, and far less than a file that is made to fill the memory."""
PIECE_BYTES = 1 << 12
"""Bytes of a packed file that are unpacked at once: whatever they hold fits in memory."""
MAX_LINE_BYTES = 1 << 28
"""A longer line is not read as a row: it may be the whole file."""
COMMENT = "#"
"""The first character of a line to skip, in TREC files."""
MAX_MESSAGE = 1_000
"""Characters of a message: a line that it quotes may be as long as the file."""
IN_UTF8 = "Save the file as UTF-8"


class DamagedFileError(Exception):
    """A file cannot be read or unpacked to its end. Never leaves this package."""


class _Unpacker(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def unpacked_suffix(path: Path) -> str:
    """The suffix below a packing suffix: ``.jsonl`` for ``corpus.jsonl.gz``."""
    return Path(path.stem).suffix if path.suffix in PACKED else path.suffix


def plain_name(path: Path, suffixes: Collection[str]) -> str:
    """A file's name without a packing suffix and one of these: ``bm25`` for ``bm25.run.gz``."""
    plain = path.with_suffix("") if path.suffix in PACKED else path
    return plain.stem if plain.suffix in suffixes else plain.name


def first_line(path: Path, passing_over: str = "") -> str:
    """The first line that isn't blank, by which a file is recognised; empty if the file is
    broken, which is reported when it is read."""
    with suppress(TooManyError):
        file = File(path, Problems(), chunk_bytes=FIRST_BYTES)
        for _, line in file.rows(passing_over=passing_over):
            return line
    return ""


def read_chunks(
    path: Path, progress: Progress = SILENT, chunk_bytes: int = CHUNK_BYTES
) -> Iterator[bytes]:
    """The unpacked bytes of a file, in blocks made of this many bytes of the file.

    Raises:
        DamagedFileError: the file cannot be opened, is not what its suffix says, or ends early.
    """
    try:
        with open_regular(path) as file:
            total = os.fstat(file.fileno()).st_size
            visible = progress if total >= MIN_SHOWN_BYTES else SILENT
            with visible.stage(_("Reading {name}", name=path.name), total, "B") as stage:
                yield from _unpacked(file, path.suffix, chunk_bytes, stage.advance)
    except OSError as error:
        raise DamagedFileError(f"it cannot be read: {error.strerror or error}") from error


def _unpacked(
    file: BinaryIO, suffix: str, chunk_bytes: int, advance: Callable[[int], None]
) -> Iterator[bytes]:
    if suffix not in PACKED:
        while chunk := file.read(chunk_bytes):
            advance(len(chunk))
            yield chunk
        return
    read, unpacked, held, holding = 0, 0, list[bytes](), 0
    for piece, content in _pieces(file, suffix):
        read += piece
        unpacked += len(content)
        if unpacked > max(MAX_UNPACKED, MAX_UNPACKED_PER_BYTE * read):
            raise DamagedFileError(
                f"{read:,} bytes of it unpack to {unpacked:,}, more than {MAX_UNPACKED_PER_BYTE} "
                "for each. If it is meant to, unpack it first"
            )
        held.append(content)
        holding += len(content)
        if holding >= chunk_bytes:
            yield b"".join(held)
            held, holding = [], 0
        advance(piece)
    yield b"".join(held)


def _pieces(file: BinaryIO, suffix: str) -> Iterator[tuple[int, bytes]]:
    """How many bytes of a packed file were read, and what they unpack to."""
    unpacker: _Unpacker | None = None
    damaged: tuple[type[Exception], ...] = (zlib.error,)
    if suffix == ".zst":
        import zstandard

        damaged = (zstandard.ZstdError,)
    while piece := file.read(PIECE_BYTES):
        rest, content = piece, b""
        # One file may hold several packed parts one after another, padded by zero bytes.
        while rest:
            if unpacker is None:
                rest = rest.lstrip(b"\0")
                if not rest:
                    break
                unpacker = _new_unpacker(suffix)
            try:
                content += unpacker.decompress(rest)
            except damaged as error:
                raise DamagedFileError(f"it cannot be unpacked as {suffix}: {error}") from error
            rest = b""
            if unpacker.eof:
                rest = unpacker.unused_data
                unpacker = None
        yield len(piece), content
    if unpacker is not None:
        raise DamagedFileError(f"it ends in the middle of its {suffix} data")


def _new_unpacker(suffix: str) -> _Unpacker:
    if suffix == ".gz":
        return zlib.decompressobj(wbits=31)
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


@dataclass(frozen=True)
class RowBlocks:
    """Which rows of a file are read: those of some blocks, each of equally many rows.

    Attributes:
        size: rows of a block; the last one of a file may have fewer.
        wanted: whether a block is read, by its number, 0 up.
        stop: rows after which none is wanted; None if the rows of the file are to be counted.
    """

    size: int
    wanted: Callable[[int], bool]
    stop: int | None = None


class File:
    """One text file of a dataset, and where its problems go.

    Args:
        path: the file; ``.gz`` and ``.zst`` are unpacked while reading.
        problems: collects what is wrong.
        progress: receives the bytes read, for large files.
        chunk_bytes: bytes of the file that are read at once.
        encoding: of a file without a byte-order mark; None is UTF-8 too, where the reader of an
            error has no option to name another.
        max_line_bytes: a longer line is a problem; None for a file that may be one line.
        blocks: which rows are read; None for all.
        piece: some whole lines of the file in UTF-8, to read instead of it; a byte-order mark is
            part of their text. Numbers of lines count from its beginning.
    """

    def __init__(
        self,
        path: Path,
        problems: Problems,
        progress: Progress = SILENT,
        chunk_bytes: int = CHUNK_BYTES,
        encoding: str | None = None,
        max_line_bytes: int | None = MAX_LINE_BYTES,
        blocks: RowBlocks | None = None,
        piece: bytes | None = None,
    ) -> None:
        self.path = path
        self._piece = piece
        self.blocks = blocks
        self.rows_seen = 0
        """Rows that were read so far, or passed over: the last one that was read is this one."""
        self.unit = "row " if path.suffix == ".parquet" else ""
        """What a place in the file is called in front of its number; nothing for a line."""
        self.max_line_bytes = max_line_bytes
        self.encoding = encoding
        self.chunk_bytes = chunk_bytes
        self.problems = problems
        self.progress = progress
        self.numeric_ids = 0
        """Ids that are whole numbers, and were taken as text."""
        self.intact = True
        """False once a problem was found: rows may be missing, so what points at them is not
        reported again."""

    def problem(self, what: str, *, line: int = 0, instead: str = "") -> None:
        """Report a problem at a line (Parquet: a row), or at the whole file."""
        self.intact = False
        where = f"{shown(self.path)}:{self.unit}{line}" if line else shown(self.path)
        if len(what) > MAX_MESSAGE:
            what = f"{what[:MAX_MESSAGE]}..."
        self.problems.add(Problem(what, where=where, instead=instead), shown(self.path))

    def takes_row(self) -> bool:
        """Count a row; whether it is read."""
        self.rows_seen += 1
        return self.blocks is None or self.blocks.wanted((self.rows_seen - 1) // self.blocks.size)

    def place(self, line: int) -> str:
        """A line in words: ``line 3``, ``row 3``."""
        return f"{self.unit or 'line '}{line}"

    def lines(self, *, crlf: bool = False) -> Iterator[str]:
        r"""All lines without their ``\n`` or ``\r\n``; a wrong encoding is reported once.

        Args:
            crlf: leave the ``\r`` on, for a reader that knows what it means (CSV).
        """
        begun, length = list[bytes](), 0  # pieces of a line whose end was not read yet
        number = 0
        try:
            for chunk in self._in_utf8():
                block, newline, tail = chunk.rpartition(b"\n")
                if not newline:
                    begun.append(chunk)
                    length += len(chunk)
                    if self.max_line_bytes is not None and length > self.max_line_bytes:
                        what = f"the line is longer than {self.max_line_bytes:,} bytes"
                        self.problem(what, line=number + 1)
                        return
                    continue
                block = b"".join([*begun, block])
                begun, length = [tail], len(tail)
                for line in self._decoded(block, number, crlf):
                    number += 1
                    yield line
                if self._undecodable:
                    return
            if length:
                yield from self._decoded(b"".join(begun), number, crlf, last=True)
        except DamagedFileError as error:
            self.problem(str(error))
        except UnicodeDecodeError as error:
            # What stands before the bad byte was yielded, up to the line that holds it.
            self._report_encoding(error.object[error.start], number + 1, error.reason)

    _undecodable = False
    _read_as = "utf-8"

    def _in_utf8(self) -> Iterator[bytes]:
        if self._piece is not None:
            yield self._piece
            return
        chunks = read_chunks(self.path, self.progress, self.chunk_bytes)
        self._read_as, chunks = without_mark(chunks, self.encoding or "utf-8")
        yield from chunks if self._read_as == "utf-8" else transcoded(chunks, self._read_as)

    def _decoded(self, block: bytes, before: int, crlf: bool, *, last: bool = False) -> list[str]:
        try:
            text = block.decode("utf-8")
        except UnicodeDecodeError as error:
            # One message for a file: a Latin-1 corpus would fill the list with the same words.
            line = before + 1 + block.count(b"\n", 0, error.start)
            found = looks_like(block[block.rfind(b"\n", 0, error.start) + 1 :], but="utf-8")
            if last and not found and error.reason == "unexpected end of data":
                what = "the file ends in the middle of a character"
                self.problem(what, line=line, instead="It was cut off: copy or write it again")
            else:
                self._report_encoding(block[error.start], line, found)
            self._undecodable = True
            good = block[: error.start].rpartition(b"\n")[0]
            return self._decoded(good, before, crlf) if good else []
        lines = text.split("\n")
        if not crlf and "\r" in text:
            lines = [line.removesuffix("\r") for line in lines]
        return lines

    def text(self) -> str | None:
        """All of it as it stands, line ends too; None if that is reported instead."""
        try:
            data = bytearray()
            for chunk in self._in_utf8():
                data += chunk
                if len(data) > MAX_LINE_BYTES:
                    self.problem(f"the file is longer than {MAX_LINE_BYTES:,} bytes")
                    return None
            text = "\n".join(self._decoded(bytes(data), 0, crlf=True))
        except DamagedFileError as error:
            self.problem(str(error))
            return None
        except UnicodeDecodeError as error:
            line = error.object.count(b"\n", 0, error.start) + 1
            self._report_encoding(error.object[error.start], line, error.reason)
            return None
        return None if self._undecodable else text

    def _report_encoding(self, byte: int, line: int, found: str) -> None:
        """Report a byte that the file's encoding does not have; ``found``: what it looks like."""
        likely = f"; it looks like {found}" if found else " (Latin-1 or another encoding?)"
        instead = IN_UTF8
        if found and self.encoding is not None:
            instead = f"Set encoding: {found}, or save the file as UTF-8"
        named = self._read_as.upper().replace("CP", "cp")
        self.problem(f"the byte 0x{byte:02X} is not {named}{likely}", line=line, instead=instead)

    def rows(self, *, passing_over: str = "") -> Iterator[tuple[int, str]]:
        """Number (from 1) and text of every line that holds something.

        Empty lines at the end are fine; one between others is reported.

        Args:
            passing_over: TREC's way: lines that begin with this are comments, and empty lines
                are fine everywhere.
        """
        blank = 0
        for number, line in enumerate(self.lines(), 1):
            if not line or line.isspace():
                blank = blank or number
                continue
            if passing_over:
                if line.lstrip().startswith(passing_over):
                    continue
            elif blank:
                self.problem("the line is empty", line=blank, instead="Remove it")
                blank = 0
            if self.blocks is not None and self.rows_seen == self.blocks.stop:
                return
            if self.takes_row():
                yield number, line
