"""Documents from a folder of .txt, .md and .html files, or from ``documents.jsonl``."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal

from ragscore.dataset import Documents
from ragscore.dataset.mappings import kind_of
from ragscore.errors import DataError, message_of
from ragscore.formats.document_formats.html_text import visible_text
from ragscore.formats.document_formats.page_encoding import page_encoding
from ragscore.formats.reading.lines import (
    MAX_LINE_BYTES,
    PACKED,
    DamagedFileError,
    File,
    read_chunks,
    unpacked_suffix,
)
from ragscore.formats.reading.problems import Problems, shown
from ragscore.models import Document
from ragscore.progress import Progress

HtmlAs = Literal["text", "source"]
Reader = Callable[[Path], str | Document | None]
"""Reads one file: its text, or a Document whose id is replaced by the file's; None skips it."""
FOLDER = "documents"
HTML = (".html", ".htm")
SUFFIXES = (".txt", ".md", ".markdown", *HTML)


DOCUMENT_NAMES = (*(f"documents.jsonl{suffix}" for suffix in ("", *PACKED)), FOLDER)
"""The names under which documents are looked for beside the other files of a dataset."""


def fits(path: Path) -> bool:
    """Whether a file holds documents as JSON lines."""
    return unpacked_suffix(path) == ".jsonl"


class DocumentFiles:
    """The files of a folder of documents.

    Args:
        path: the folder.
        problems: collects what is wrong.
        encoding: of files without a byte-order mark; of a page of HTML that declares none.
        html: what the text of an HTML page is: what it shows, or the file as it stands.
        reader: reads each file of a folder, where they are in other formats.
    """

    def __init__(
        self,
        path: Path,
        problems: Problems,
        progress: Progress,
        *,
        encoding: str | None = None,
        html: HtmlAs = "text",
        reader: Reader | None = None,
    ) -> None:
        self.path, self.problems, self.progress = path, problems, progress
        self.encoding, self.html, self.reader = encoding, html, reader
        self.skipped = 0
        """Files of the folder that are no documents."""
        self.intact = True
        """False once a problem was found."""

    def read(self) -> Documents:
        """The documents, by id."""
        place_of: dict[str, Path] = {}
        rows: list[Document] = []
        for document_id, path in self._files():
            first = place_of.setdefault(document_id, path)
            if first != path:
                self._file(path).problem(
                    f"its id is that of {shown(first)}: their names differ only in Unicode's form",
                    instead="Rename one of them",
                )
                self.intact = False
                continue
            document = self._document(document_id, path)
            if document is not None:
                rows.append(document)
        if not rows and self.intact:
            kinds = "that the reader reads" if self.reader else f"({', '.join(SUFFIXES)})"
            self._file(self.path).problem(
                f"the folder of documents holds no file {kinds}",
                instead="Name another with documents:",
            )
            self.intact = False
        return Documents.from_rows(rows)

    def _files(self) -> Iterator[tuple[str, Path]]:
        """The id and the path of each file in the folder, those below hidden names left out."""
        found: list[tuple[str, Path]] = []
        for folder, folders, names in os.walk(self.path):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in names:
                path = Path(folder, name)
                if name.startswith("."):
                    continue
                if self.reader is None and path.suffix.lower() not in SUFFIXES:
                    self.skipped += 1
                    continue
                relative = path.relative_to(self.path).as_posix()
                # A Mac writes names in another form than what is typed.
                found.append((unicodedata.normalize("NFC", relative), path))
        return iter(sorted(found))

    def _file(self, path: Path) -> File:
        return File(path, self.problems, self.progress, encoding=self.encoding)

    def _document(self, document_id: str, path: Path) -> Document | None:
        if not document_id.isprintable() or not _is_text(document_id):
            self._file(path).problem("its name holds characters that cannot be part of an id")
            self.intact = False
            return None
        if self.reader is not None:
            return self._read_by(self.reader, document_id, path)
        file = self._file(path)
        if path.suffix.lower() in HTML:
            with suppress(DamagedFileError, OSError):  # is reported when it is read as text
                if path.stat().st_size <= MAX_LINE_BYTES:
                    file.encoding = page_encoding(b"".join(read_chunks(path)), self.encoding)
        text = file.text()
        self.intact &= file.intact
        if text is None:
            return None
        if path.suffix.lower() in HTML and self.html == "text":
            page = visible_text(text)
            return Document(id=document_id, text=page.text, title=page.title)
        return Document(id=document_id, text=text)

    def _read_by(self, reader: Reader, document_id: str, path: Path) -> Document | None:
        try:
            made = reader(path)
        except Exception as error:  # code of the user's may raise anything
            reason = f"{type(error).__name__}: {message_of(error)}"
            raise DataError(f"the reader failed: {reason}", where=shown(path)) from error
        if made is None:
            self.skipped += 1
            return None
        if isinstance(made, str) and _is_text(made):
            return Document(id=document_id, text=made)
        if isinstance(made, Document):
            return made.model_copy(update={"id": document_id})
        raise DataError(
            f"the reader returned {kind_of(made)}",
            where=shown(path),
            instead="Return the text of the file, a ragscore.Document, or None to skip it",
        )


def _is_text(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which no file could hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
