"""Writing to disk: what is written exists whole under its name, or not at all.

Whatever is not finished stands in a scratch folder beside its place, ``.partial-MACHINE-ID``,
which holds a lock file and what is being written. The process that writes holds a lock on that
file, and the operating system releases it when the process ends, however it ends. So the next
run knows what a killed one left, and sweeps it, and never sweeps what another process is writing.
A lock says nothing for sure about another machine that shares the folder (not all network file
systems pass locks on), so what another machine began is only swept when it is a week old.

Whoever writes does so under :func:`writing`, which turns what a full disk raises, also through
polars and numpy, into one line.
"""

from __future__ import annotations

import errno
import os
import platform
import re
import shutil
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import IO

from ragscore.errors import DiskError, RagscoreError

PARTIAL = ".partial-"
"""How the name of a folder begins that holds what is not finished."""
STALE_SECONDS = 7 * 24 * 3600
"""Age at which another machine's unfinished folder is one of a killed run: no index takes a
week to build."""
LOCK = "lock"
"""The file in a scratch folder on which its process holds a lock."""
CONTENT = "new"
"""The folder in a scratch folder for what is being written."""
HELD_ELSEWHERE = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
"""How a lock fails that another process holds; any other failure means there are no locks here."""

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) if hasattr(errno, "EDQUOT") else (errno.ENOSPC,)
FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
RUST_ERROR = re.compile(r"\(os error (\d+)\)")
"""How polars names the error of the operating system in an exception of its own."""

_held: set[Path] = set()
"""Scratch folders of this process: where locks belong to processes (NFS), it would get its own
lock a second time."""


@contextmanager
def writing(what: str, place: Path, *, kept: str, elsewhere: str) -> Iterator[None]:
    """Say in one line what could not be written, and why.

    Args:
        what: "the result", the subject of the sentence.
        place: the folder or file that is written.
        kept: a sentence without its full stop: what is whole all the same.
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
            instead=f"{kept}. {_remedy(cause)}, or {elsewhere}",
        ) from error


def _system_error(error: Exception) -> OSError | None:
    """The error of the operating system behind an exception; None where there is none."""
    if isinstance(error, OSError):
        return error
    found = RUST_ERROR.search(str(error))
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


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """An empty folder for what is being written, on the file system of ``parent``.

    Rename it, or files in it, to their place when they are whole. What is left in it goes at the
    end of the block, and after a kill with the next :func:`sweep` of ``parent``.

    Raises:
        OSError: nothing can be written in ``parent``.
    """
    folder, lock = _claim(parent)
    try:
        content = folder / CONTENT
        content.mkdir()
        yield content
    finally:
        # The lock goes last: without it nobody could tell that what is left is nobody's.
        shutil.rmtree(folder / CONTENT, ignore_errors=True)
        lock.close()
        with suppress(OSError):  # another process sweeps it already
            (folder / LOCK).unlink()
            folder.rmdir()
        _held.discard(folder)


def sweep(parent: Path, *, depth: int = 0) -> None:
    """Delete what killed processes left in a folder.

    Args:
        parent: the folder; it need not exist.
        depth: how many levels of folders below it are swept too, links and hidden ones not.
    """
    with suppress(OSError):  # it is missing, or may not be read
        with os.scandir(parent) as entries:
            found = [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
        for path in found:
            if path.name.startswith(PARTIAL):
                with suppress(OSError):  # another process sweeps or publishes it
                    _sweep(path)
            elif depth and not path.name.startswith("."):
                sweep(path, depth=depth - 1)


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
    """Write one file whole or not at all; into a device or pipe it is written as it is.

    Raises:
        OSError: it cannot be written.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
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


def _claim(parent: Path) -> tuple[Path, IO[bytes]]:
    """A new scratch folder with its lock; a sweep by another process in between is survived."""
    while True:
        folder = parent / f"{PARTIAL}{_machine()}-{uuid.uuid4().hex[:16]}"
        folder.mkdir()
        _held.add(folder)
        try:
            lock = (folder / LOCK).open("xb")
        except FileNotFoundError:  # swept while it was empty
            _held.discard(folder)
            continue
        except BaseException:
            _held.discard(folder)
            shutil.rmtree(folder, ignore_errors=True)
            raise
        try:
            mine = _locked(lock)
        except OSError:  # no locks on this file system: age alone decides
            mine = True
        if mine and (folder / LOCK).exists():
            return folder, lock
        lock.close()
        _held.discard(folder)


def _sweep(folder: Path) -> None:
    if not folder.name.startswith(f"{PARTIAL}{_machine()}-"):
        return _sweep_old(folder)
    if folder in _held:
        return None
    try:
        lock = (folder / LOCK).open("rb+")
    except FileNotFoundError:  # killed before it began, or after it was swept
        return folder.rmdir()
    with lock:
        try:
            if not _locked(lock):
                return None
        except OSError:
            return _sweep_old(folder)
        for path in folder.iterdir():
            if path.name != LOCK:
                shutil.rmtree(path)
    (folder / LOCK).unlink()
    return folder.rmdir()


def _sweep_old(folder: Path) -> None:
    """Sweep what cannot be locked, once nothing in it has changed for a long time."""
    newest = max(path.lstat().st_mtime for path in (folder, *folder.rglob("*")))
    if time.time() - newest > STALE_SECONDS:
        shutil.rmtree(folder, ignore_errors=True)


def _locked(file: IO[bytes]) -> bool:
    """Lock a file until it is closed; False where another process holds the lock.

    Raises:
        OSError: its file system has no locks.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in HELD_ELSEWHERE:
            return False
        raise
    return True


@cache
def _machine() -> str:
    """Eight letters for the machine on which locks are shared: on Linux the running kernel,
    whose containers have names of their own, elsewhere the machine's name."""
    try:
        text = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
    except OSError:
        text = platform.node()
    return sha256(text.encode()).hexdigest()[:8]
