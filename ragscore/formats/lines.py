r"""Text files, line by line: plain, gzip or zstd, UTF-8, lines ended by ``\n`` and nothing else.

Python's own line reading also ends lines at U+0085 and U+2028, which real corpora hold.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from ragscore.errors import Problem
from ragscore.formats.problems import Problems, TooManyError, shown
from ragscore.progress import SILENT, Progress

PACKED = (".gz", ".zst")
CHUNK_BYTES = 1 << 22
FIRST_BYTES = 1 << 16
"""Enough for the first line of most files."""
WORTH_SHOWING_BYTES = 1 << 26
COMMENT = "#"
"""What begins a line that is passed over, in TREC files."""
LONGEST_MESSAGE = 1_000
"""A line may be all of a file; what is said of it is cut after as many characters."""
BOM = b"\xef\xbb\xbf"
NO_BOM = "Save the file as UTF-8 without BOM (byte order mark)"
NO_CRLF = "Save the file with Unix line ends (LF); most editors offer it, and so does dos2unix"
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


def first_line(path: Path, passing_over: str = "") -> str:
    """The first line that holds something, to recognise a file by; nothing where it is broken,
    which is reported when it is read."""
    with suppress(TooManyError):
        file = File(path, Problems(), chunk_bytes=FIRST_BYTES)
        for _, line in file.rows(passing_over=passing_over):
            return line
    return ""


def read_chunks(
    path: Path, progress: Progress = SILENT, chunk_bytes: int = CHUNK_BYTES
) -> Iterator[bytes]:
    """The unpacked bytes of a file, in blocks made of so many bytes of the file.

    Raises:
        DamagedFileError: the file cannot be opened, is not what its suffix says, or ends early.
    """
    try:
        with path.open("rb") as file:
            total = path.stat().st_size
            told = progress if total >= WORTH_SHOWING_BYTES else SILENT
            with told.stage(f"Reading {path.name}", total, "B") as stage:
                yield from _unpacked(file, path.suffix, chunk_bytes, stage.advance)
    except OSError as error:
        raise DamagedFileError(f"it cannot be read: {error.strerror or error}") from error


def _unpacked(
    file: io.BufferedReader, suffix: str, chunk_bytes: int, advance: Callable[[int], None]
) -> Iterator[bytes]:
    unpacker: _Unpacker | None = None
    damaged: tuple[type[Exception], ...] = (zlib.error,)
    if suffix == ".zst":
        import zstandard

        damaged = (zstandard.ZstdError,)
    while chunk := file.read(chunk_bytes):
        advance(len(chunk))
        if suffix not in PACKED:
            yield chunk
            continue
        # One file may hold several packed parts one after another, padded by zero bytes.
        while chunk:
            if unpacker is None:
                chunk = chunk.lstrip(b"\0")
                if not chunk:
                    break
                unpacker = _new_unpacker(suffix)
            try:
                yield unpacker.decompress(chunk)
            except damaged as error:
                raise DamagedFileError(f"it cannot be unpacked as {suffix}: {error}") from error
            chunk = b""
            if unpacker.eof:
                chunk = unpacker.unused_data
                unpacker = None
    if unpacker is not None:
        raise DamagedFileError(f"it ends in the middle of its {suffix} data")


def _new_unpacker(suffix: str) -> _Unpacker:
    if suffix == ".gz":
        return zlib.decompressobj(wbits=31)
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


class File:
    """One text file of a dataset, and where its problems go.

    Args:
        path: the file; ``.gz`` and ``.zst`` are unpacked while reading.
        problems: collects what is wrong.
        progress: told of the bytes read, for large files.
        chunk_bytes: bytes of the file that are read at once.
    """

    def __init__(
        self,
        path: Path,
        problems: Problems,
        progress: Progress = SILENT,
        chunk_bytes: int = CHUNK_BYTES,
    ) -> None:
        self.path = path
        self.chunk_bytes = chunk_bytes
        self.problems = problems
        self.progress = progress
        self.intact = True
        """False once a problem was found: rows may be missing, so what points at them is not
        reported again."""

    def problem(self, what: str, *, line: int = 0, instead: str = "", unit: str = "") -> None:
        """Report a problem at a line, or at the whole file."""
        self.intact = False
        where = f"{shown(self.path)}:{unit}{line}" if line else shown(self.path)
        if len(what) > LONGEST_MESSAGE:
            what = f"{what[:LONGEST_MESSAGE]}..."
        self.problems.add(Problem(what, where=where, instead=instead))

    def lines(self, *, crlf: bool = False) -> Iterator[str]:
        r"""All lines without their ``\n``; what is wrong with the encoding is reported once.

        Args:
            crlf: True where the format allows lines that end in CR LF; they are left on.
        """
        rest = b""
        number = 0
        try:
            for chunk in read_chunks(self.path, self.progress, self.chunk_bytes):
                block, newline, tail = chunk.rpartition(b"\n")
                if not newline:
                    rest += chunk
                    continue
                block = rest + block
                rest = tail
                for line in self._decoded(block, number, crlf):
                    number += 1
                    yield line
                if self._undecodable:
                    return
            if rest:
                yield from self._decoded(rest, number, crlf)
        except DamagedFileError as error:
            self.problem(str(error))

    _undecodable = False
    _crlf_reported = False

    def _decoded(self, block: bytes, before: int, crlf: bool) -> list[str]:
        if before == 0 and block.startswith((b"\xff\xfe", b"\xfe\xff")):
            self.problem("the file is in UTF-16", line=1, instead=IN_UTF8)
            self._undecodable = True
            return []
        if before == 0 and block.startswith(BOM):
            self.problem("the file begins with a BOM", line=1, instead=NO_BOM)
            block = block[len(BOM) :]
        try:
            text = block.decode("utf-8")
        except UnicodeDecodeError as error:
            # One message for a file: a Latin-1 corpus would fill the list with the same words.
            line = before + 1 + block.count(b"\n", 0, error.start)
            byte = block[error.start]
            self.problem(
                f"the byte 0x{byte:02X} is not UTF-8 (Latin-1 or another encoding?)",
                line=line,
                instead=IN_UTF8,
            )
            self._undecodable = True
            good = block[: error.start].rpartition(b"\n")[0]
            return self._decoded(good, before, crlf) if good else []
        lines = text.split("\n")
        if not crlf and "\r" in text and any(line.endswith("\r") for line in lines):
            if not self._crlf_reported:
                first = next(at for at, line in enumerate(lines) if line.endswith("\r"))
                self.problem(
                    "the line ends in CR LF (Windows)", line=before + 1 + first, instead=NO_CRLF
                )
                self._crlf_reported = True
            lines = [line.removesuffix("\r") for line in lines]
        return lines

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
            yield number, line
