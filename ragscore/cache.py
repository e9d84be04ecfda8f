"""A content-addressed store on disk for what is slow to make: vectors, indexes, runs.

An entry is a folder ``KIND/KEY`` that exists whole or not at all: it is written beside,
flushed, and renamed. The key is a digest of everything that can change the content, so an
entry never has to be invalidated; deleting the store is always safe.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

from ragscore.progress import SILENT, Progress
from ragscore.spec import canonical_json, digest_text

PARTIAL = ".partial-"
"""How the name of a folder begins that is not finished yet."""
STALE_SECONDS = 7 * 24 * 3600
"""Age at which an unfinished folder is one of a killed run: no index takes a week to build."""

T = TypeVar("T")


def entry_key(form: int, content: object, data: str) -> str:
    """The key of an entry: a digest of everything that can change what it holds.

    Args:
        form: a number that is raised when what is written means something else than before.
        content: what it was made with, as JSON: keys, options, versions of packages.
        data: digest of what it was made from, such as the corpus.
    """
    try:
        ours = version("ragscore-eval")
    except PackageNotFoundError:  # run from its sources
        ours = ""
    return digest_text(canonical_json([form, ours, content, data]))


class Cache:
    """A store in one folder.

    Args:
        root: the folder, made when first written to; None keeps nothing between processes
            (entries then live in a temporary folder that goes with the object).
    """

    def __init__(self, root: str | Path | None = None) -> None:
        self._temporary = None if root else tempfile.TemporaryDirectory(prefix="ragscore-")
        self.root = Path(root if root else self._temporary.name)  # type: ignore[union-attr]
        self.writes = 0
        """How many entries this object has made: none means that all was there."""

    @classmethod
    def default(cls) -> Cache:
        """The user's store: the folder in RAGSCORE_CACHE, else the platform's cache folder."""
        chosen = os.environ.get("RAGSCORE_CACHE")
        if chosen:
            return cls(chosen)
        import platformdirs

        return cls(platformdirs.user_cache_path("ragscore", appauthor=False))

    @classmethod
    def usable(cls, progress: Progress = SILENT) -> Cache | None:
        """The user's store, None with a note where nothing can be written to it."""
        cache = cls.default()
        try:
            cache.root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=cache.root):
                return cache
        except OSError as error:
            progress.note(
                f"the cache {cache.root} cannot be written ({error.strerror}), so nothing is kept; "
                "RAGSCORE_CACHE names another folder"
            )
            return None

    @property
    def persistent(self) -> bool:
        """True where entries outlive the process."""
        return self._temporary is None

    def get(self, kind: str, key: str) -> Path | None:
        """The folder of a complete entry, None where there is none."""
        folder = self._folder(kind, key)
        return folder if folder.is_dir() else None

    def entry(self, kind: str, key: str, write: Callable[[Path], None]) -> Path:
        """The folder of an entry; ``write`` fills a new one where there is none.

        Two processes may write the same entry at once: the first to finish wins, and since
        both wrote the same content neither notices.
        """
        folder = self._folder(kind, key)
        if folder.is_dir():
            return folder
        folder.parent.mkdir(parents=True, exist_ok=True)
        sweep(self.root / kind)
        scratch = unfinished(self.root / kind)
        try:
            write(scratch)
            flush_folder(scratch)
            publish(scratch, folder)
            self.writes += 1
        except FileExistsError:
            pass
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return folder

    def read(self, kind: str, key: str, read: Callable[[Path], T]) -> T | None:
        """What ``read`` makes of an entry; None where there is none.

        One that cannot be read is deleted, and is then not there: a full disk or a copy that
        broke off costs the work once, never every run.
        """
        folder = self.get(kind, key)
        if folder is None:
            return None
        try:
            return read(folder)
        except (ImportError, MemoryError):  # not the entry's fault
            raise
        except Exception:
            self._delete(kind, folder)
            return None

    def open(
        self, kind: str, key: str, write: Callable[[Path], None], read: Callable[[Path], T]
    ) -> T:
        """What ``read`` makes of an entry; ``write`` fills it where it is missing or damaged."""
        found = self.read(kind, key, read)
        return read(self.entry(kind, key, write)) if found is None else found

    def _delete(self, kind: str, folder: Path) -> None:
        with suppress(OSError):
            gone = unfinished(self.root / kind)
            with suppress(OSError):  # in one step: another process sees all of it or nothing
                folder.rename(gone / folder.name)
            shutil.rmtree(gone, ignore_errors=True)

    def _folder(self, kind: str, key: str) -> Path:
        return self.root / kind / key[:2] / key


def unfinished(parent: Path, prefix: str = PARTIAL) -> Path:
    """A new folder under a name of its own, with the permissions that the umask gives."""
    folder = parent / f"{prefix}{uuid.uuid4().hex}"
    folder.mkdir()
    return folder


def sweep(parent: Path) -> None:
    """Delete the unfinished folders that killed processes left."""
    for path in parent.glob(f"{PARTIAL}*"):
        with suppress(OSError):  # another process sweeps or publishes it
            if time.time() - path.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


def publish(scratch: Path, folder: Path) -> None:
    """Give a finished folder its name in one step.

    Raises:
        FileExistsError: something stands there already.
    """
    try:
        if folder.exists():
            raise FileExistsError(folder)
        scratch.rename(folder)
    except OSError as error:
        if folder.exists():
            raise FileExistsError(folder) from error
        raise
    flush_folder(folder.parent, entries=False)


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
