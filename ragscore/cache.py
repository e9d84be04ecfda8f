"""A content-addressed store on disk for what is slow to make: vectors, indexes, runs.

An entry is a folder ``KIND/KEY`` that exists whole or not at all: it is written beside,
flushed, and renamed. The key is a digest of everything that can change the content, so an
entry never has to be invalidated; deleting the store is always safe.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from ragscore.progress import SILENT, Progress


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
        scratch = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent))
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

    def _folder(self, kind: str, key: str) -> Path:
        return self.root / kind / key[:2] / key


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
