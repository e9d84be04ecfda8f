"""Writing to disk: what is written exists whole under its name, or not at all.

It is written in a scratch folder and renamed. Whoever writes does so under :func:`writing`, which
turns what a full disk raises, also through polars and numpy, into one line.
"""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ragscore.errors import DiskError, RagscoreError
from ragscore.files import open_to_write
from ragscore.scratch import PARTIAL, scratch, sweep

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) if hasattr(errno, "EDQUOT") else (errno.ENOSPC,)
FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
RUST_ERROR = re.compile(r"\(os error (\d+)\)")
"""How polars names the error of the operating system in an exception of its own."""


@contextmanager
def writing(what: str, place: Path, *, kept: str, elsewhere: str) -> Iterator[None]:
    """Say in one line what could not be written, and why.

    Args:
        what: "the result", the subject of the sentence.
        place: the folder or file that is written.
        kept: what is intact all the same, as a sentence without its full stop; may be empty.
        elsewhere: how to name another place, as it goes on after "or".

    Raises:
        DiskError: in place of each OSError, and of what libraries raise for one.
    """
    try:
        yield
    except RagscoreError:
        raise
    except Exception as error:
        cause = _system_error(error)
        if cause is None:
            raise
        reason = cause.strerror or "it was not written whole"
        inside = _name_inside(cause, place)
        raise DiskError(
            f"{what} cannot be written: {inside}{reason}",
            where=str(place),
            instead=f"{f'{kept}. ' if kept else ''}{_remedy(cause)}, or {elsewhere}",
        ) from error


def _system_error(error: Exception) -> OSError | None:
    """The error of the operating system behind an exception; None if there is none."""
    found = RUST_ERROR.search(str(error))
    if isinstance(error, OSError) and (error.errno is not None or found is None):
        return error
    if found is None:
        return None
    code = int(found[1])
    if sys.platform == "win32":
        return OSError(0, os.strerror(code), None, code)
    return OSError(code, os.strerror(code))


def _name_inside(error: OSError, place: Path) -> str:
    """The file that could not be written, as a name in the place, with a colon; or nothing."""
    if not isinstance(error.filename, str):
        return ""
    with suppress(ValueError):
        parts = Path(error.filename).relative_to(place).parts
        if not any(part.startswith(PARTIAL) for part in parts) and parts:
            return f"{'/'.join(parts)}: "
    return ""


def _remedy(error: OSError) -> str:
    if error.errno in FORBIDDEN:
        return "Allow writing there"
    if error.errno in FULL or error.errno is None:  # numpy gives no number
        return "Make room there"
    return "Fix that"


def publish(written: Path, folder: Path) -> None:
    """Give a finished folder its name in one step.

    Raises:
        FileExistsError: something stands there already.
    """
    try:
        if folder.exists():
            raise FileExistsError(folder)
        written.rename(folder)
    except OSError as error:
        if folder.exists():
            raise FileExistsError(folder) from error
        raise
    flush_folder(folder.parent, entries=False)


def replace_files(folder: Path, files: Iterable[tuple[str, bytes | Iterable[bytes]]]) -> list[str]:
    """Write files beside their places and, once all of them are whole, put each there in one step.

    Args:
        folder: where they stand; made where it is missing.
        files: name and content of each, in one piece or several; names are relative to the
            folder, with ``/``.

    Returns:
        The names.

    Raises:
        OSError: something cannot be written; no file was replaced unless one of the places is
            taken by a folder, which the error names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sweep(folder)
    names = []
    with scratch(folder) as beside:
        for name, content in files:
            path = beside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                file.writelines([content] if isinstance(content, bytes) else content)
                file.flush()
                os.fsync(file.fileno())
            names.append(name)
        for name in names:
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            try:
                (beside / name).replace(place)
            except OSError as error:  # it names the scratch file, of which nobody knows
                raise OSError(error.errno, error.strerror, str(place)) from error
    return names


def write_file(path: Path, content: bytes) -> None:
    """Write one file whole or not at all; into a device, or a pipe that is read, it is written as
    it is.

    Raises:
        OSError: it cannot be written.
    """
    if path.exists() and not path.is_file():
        with open_to_write(path) as file:
            file.write(content)
    else:
        place = path.resolve()  # a link stays one
        replace_files(place.parent, [(place.name, content)])


def flush_folder(folder: Path, *, entries: bool = True) -> None:
    """Flush a folder's files and the folder itself to the disk."""
    if entries:
        for path in folder.rglob("*"):
            if path.is_file():
                with path.open("rb+") as file:
                    os.fsync(file.fileno())
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
