"""A content-addressed store on disk for what is slow to make: vectors, indexes, runs.

An entry is a folder ``KIND/KEY`` that exists whole or not at all: it is written beside,
flushed, and renamed. The key is a digest of everything that can change the content, so an
entry never has to be invalidated; deleting the store is always safe. An entry carries the
digests of its files, which are checked whenever it is opened: one that is damaged is removed
and made again. Nothing that is read from it is ever run as code.
"""

from __future__ import annotations

import errno
import os
import tempfile
import time
import weakref
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from ragscore.arrays import check_whole
from ragscore.disk import flush_folder, publish, writing
from ragscore.errors import DiskError
from ragscore.progress import SILENT, Progress
from ragscore.scratch import PARTIAL, scratch, sweep
from ragscore.seal import check_seal, seal
from ragscore.spec import canonical_json, digest_text
from ragscore.strings import StringTable
from ragscore.version import installed_version

T = TypeVar("T")

STRINGS = StringTable(
    {
        "damaged_made_again": {
            "en": "the cache held a damaged entry ({entry}: {why}), which was removed and is made "
            "again: {folder}",
            "ko": "캐시 항목이 손상되어({entry}: {why}) 지우고 다시 만듭니다: {folder}",
        },
        "damaged_stays": {
            "en": "the cache held a damaged entry ({entry}: {why}), which cannot be removed and is "
            "made again: {folder}",
            "ko": "캐시 항목이 손상되었으나({entry}: {why}) 지울 수 없어 새로 만들어 "
            "씁니다: {folder}",
        },
    }
)
"""What the cache notes."""
LAYOUT = 2
"""Raise this when the layout of entries changes, so that old ones are not found."""
LIFETIMES = {"answers": 3 * 24 * 3600}
"""Seconds after which an entry of a kind is swept: a system that was asked before may have changed
since, and nothing shows it. A run that stopped on a Friday goes on on a Monday."""


def entry_key(form: int, content: object, data: str) -> str:
    """The key of an entry: a digest of everything that can change what it holds.

    Args:
        form: a number to raise when the meaning of what is written changes.
        content: what it was made with, as JSON: keys, options, versions of packages.
        data: digest of what it was made from, such as the corpus.
    """
    ours = installed_version("ragscore-eval") or ""  # none where it runs from its sources
    return digest_text(canonical_json([LAYOUT, form, ours, content, data]))


@dataclass(frozen=True)
class Opened(Generic[T]):
    """What :func:`open_or_make` gives.

    Attributes:
        value: what is kept.
        reopened: it was in the cache; nothing was made.
    """

    value: T
    reopened: bool


def open_or_make(
    cache: Cache | None,
    kind: str,
    key: str,
    make: Callable[[], T],
    write: Callable[[T, Path], None],
    read: Callable[[Path], T],
    *,
    progress: Progress = SILENT,
) -> Opened[T]:
    """What ``read`` makes of an entry of the cache, or ``make`` where there is none.

    Args:
        cache: None keeps nothing.
        kind, key: which entry.
        make: makes it anew, where it is missing or damaged.
        write: keeps it in a folder; where the disk does not take it, what was made is used.
        read: reads the files in the folder.
        progress: is notified of a damaged entry.
    """
    found = None if cache is None else cache.read(kind, key, read, progress=progress)
    if found is not None:
        return Opened(found, reopened=True)
    made = make()
    folder = None if cache is None else cache.keep(kind, key, lambda folder: write(made, folder))
    return Opened(made if folder is None else read(folder), reopened=False)


class Cache:
    """A store in one folder.

    Args:
        root: the folder, made when first written to; None keeps nothing between processes
            (entries then live in a temporary folder that is deleted with the object).
    """

    def __init__(self, root: str | Path | None = None) -> None:
        self.persistent = bool(root)
        """True where entries outlive the process."""
        self.root = Path(root) if root else self._temporary()
        self.writes = 0
        """How many entries this object has made: 0 where all were there already."""
        self.failure: DiskError | None = None
        """Why nothing can be kept any more: the disk is full, or the folder is not writable."""

    def __repr__(self) -> str:
        return f"Cache({str(self.root)!r})"

    @classmethod
    def default(cls) -> Cache:
        """The user's store: the folder in RAGSCORE_CACHE, else the platform's cache folder."""
        chosen = os.environ.get("RAGSCORE_CACHE")
        if chosen:
            return cls(chosen)
        import platformdirs

        return cls(platformdirs.user_cache_path("ragscore", appauthor=False))

    @classmethod
    def usable(cls, progress: Progress = SILENT) -> Cache:
        """The user's store, with a note where nothing can be written to it."""
        cache = cls.default()
        try:
            with cache._writing():
                cache.root.mkdir(parents=True, exist_ok=True)
                with scratch(cache.root):
                    pass
        except DiskError as error:
            cache.failure = error
            progress.note(str(error))
        return cache

    def sweep(self) -> None:
        """Delete what killed processes left behind, of every kind, and what is too old."""
        sweep(self.root, depth=1)
        for kind, seconds in LIFETIMES.items():
            for path in (self.root / kind).glob("[!.]*/*"):
                with suppress(OSError):  # another process has removed it
                    if time.time() - path.lstat().st_mtime > seconds:
                        self.delete(kind, path.name)

    @contextmanager
    def session(self, kind: str) -> Iterator[str]:
        """A name that :meth:`sessions` has until the block ends, or the process, however it ends:
        whoever puts it into keys lets other processes tell what is still being written.

        Raises:
            DiskError: nothing can be written.
        """
        with ExitStack() as held:
            with self._writing():
                (self.root / kind).mkdir(parents=True, exist_ok=True)
                folder = held.enter_context(scratch(self.root / kind)).parent
            yield folder.name.removeprefix(PARTIAL)

    def sessions(self, kind: str) -> frozenset[str]:
        """The names of the sessions that have not ended, as far as :meth:`sweep` could tell."""
        folders = (self.root / kind).glob(f"{PARTIAL}*")
        return frozenset(folder.name.removeprefix(PARTIAL) for folder in folders)

    def get(self, kind: str, key: str) -> Path | None:
        """The folder of a complete entry, None where there is none."""
        folder = self._folder(kind, key)
        return folder if folder.is_dir() else None

    def keys(self, kind: str, prefix: str) -> list[str]:
        """The keys of all entries that begin with ``prefix``, of two letters or more, sorted."""
        shelf = self._folder(kind, prefix).parent
        try:
            return sorted(path.name for path in shelf.iterdir() if path.name.startswith(prefix))
        except OSError:  # there are none
            return []

    def delete(self, kind: str, key: str) -> None:
        """Delete an entry, if it exists and can be deleted."""
        # In one step: another process sees all of it or nothing.
        folder = self._folder(kind, key)
        with suppress(OSError), scratch(self.root / kind) as deleted:
            folder.rename(deleted / folder.name)

    def entry(self, kind: str, key: str, write: Callable[[Path], None]) -> Path:
        """The folder of an entry; ``write`` fills a new one where there is none.

        Two processes may write the same entry at once: the first to finish wins, and since
        both wrote the same content neither notices.

        Raises:
            DiskError: it cannot be written.
        """
        folder = self._folder(kind, key)
        if folder.is_dir():
            return folder
        with self._writing():
            folder.parent.mkdir(parents=True, exist_ok=True)
            with scratch(self.root / kind) as beside:
                write(beside)
                for path in beside.rglob("*.npy"):
                    check_whole(path)
                seal(beside, key)
                flush_folder(beside)
                with suppress(FileExistsError):  # another process was faster
                    publish(beside, folder)
                    self.writes += 1
                if not folder.is_dir():  # a file or a link stands there
                    raise NotADirectoryError(errno.ENOTDIR, "it is not a folder", str(folder))
        return folder

    def read(
        self,
        kind: str,
        key: str,
        read: Callable[[Path], T],
        *,
        files: Collection[str] | None = None,
        progress: Progress = SILENT,
    ) -> T | None:
        """What ``read`` makes of an entry; None where there is none.

        One that is damaged, or is no folder, is deleted with a note, and is then not there: a
        flipped bit, a full disk or a copy that broke off costs the work once, and never a wrong
        number.

        Args:
            kind, key: which entry.
            read: reads the files in its folder.
            files: names of the files that ``read`` opens, where it does not open all.
            progress: is notified of a damaged entry.
        """
        folder = self._folder(kind, key)
        if not os.path.lexists(folder):
            return None
        try:
            check_seal(folder, key, files)
            return read(folder)
        except (ImportError, MemoryError):  # not the entry's fault
            raise
        except Exception as error:
            if os.path.lexists(folder):  # else another process has removed it
                self.delete(kind, key)
                why = " ".join(str(error).split()) or type(error).__name__
                note = "damaged_stays" if os.path.lexists(folder) else "damaged_made_again"
                progress.note(STRINGS.note(note, entry=kind, why=why, folder=str(folder)))
            return None

    def peek(
        self,
        kind: str,
        key: str,
        read: Callable[[Path], T],
        *,
        files: Collection[str] | None = None,
    ) -> T | None:
        """What :meth:`read` gives; but looking changes nothing: a damaged entry is None too, and
        stays."""
        folder = self._folder(kind, key)
        try:
            check_seal(folder, key, files)
            return read(folder)
        except (ImportError, MemoryError):
            raise
        except Exception:
            return None

    def keep(self, kind: str, key: str, write: Callable[[Path], None]) -> Path | None:
        """The folder of an entry as :meth:`entry` makes it; None where it cannot be written, or a
        damaged one stands there that cannot be removed.

        Keeping never costs the work itself: from the first failure on nothing is written, and
        :attr:`failure` says why.
        """
        if self.failure is None and self.get(kind, key) is None:
            try:
                return self.entry(kind, key, write)
            except DiskError as error:
                self.failure = error
        return None

    def _writing(self) -> AbstractContextManager[None]:
        return writing(
            "the cache",
            self.root,
            kept="Its contents stay, and the run goes on without caching anything more",
            elsewhere="name another folder in RAGSCORE_CACHE",
        )

    def _temporary(self) -> Path:
        """A folder that goes with this object, or after a kill with the next one's."""
        parent, stack = Path(tempfile.gettempdir()), ExitStack()
        sweep(parent)
        weakref.finalize(self, stack.close)
        return stack.enter_context(scratch(parent))

    def _folder(self, kind: str, key: str) -> Path:
        return self.root / kind / key[:2] / key
