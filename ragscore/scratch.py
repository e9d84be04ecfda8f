"""Scratch folders: where what is not finished stands, so that a killed run leaves nothing else.

A scratch folder stands beside the place of what is being written, ``.partial-MACHINE-ID``, and
holds that and a lock file. The process that writes holds a lock on the file, which the operating
system releases when the process ends, however it ends. So the next run knows what a killed one
left, and sweeps it, and never sweeps what another process is writing. A lock says nothing for sure
about another machine that shares the folder (not all network file systems pass locks on), so what
another machine began is only swept when it is a week old.
"""

from __future__ import annotations

import errno
import os
import platform
import shutil
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import IO

PARTIAL = ".partial-"
"""The beginning of the name of a folder that holds what is not finished."""
STALE_SECONDS = 7 * 24 * 3600
"""Age at which another machine's unfinished folder counts as a killed run's: no index takes a
week to build."""
LOCK = "lock"
"""The file in a scratch folder on which its process holds a lock."""
CONTENT = "new"
"""The folder in a scratch folder for what is being written."""
HELD_ELSEWHERE = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
"""How a lock fails that another process holds; any other failure means there are no locks here."""

_held: set[Path] = set()
"""Scratch folders of this process: where locks belong to processes (NFS), it would get its own
lock a second time."""


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
    """Lock a file until it is closed; False if another process holds the lock.

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
