"""A content-addressed store on disk for what is slow to make: vectors, indexes, runs.

An entry is a folder ``KIND/KEY`` that exists whole or not at all: it is written beside,
flushed, and renamed. The key is a digest of everything that can change the content, so an
entry never has to be invalidated; deleting the store is always safe. An entry carries the
digests of its files, which are checked whenever it is opened: one that is damaged is removed
and made again. Nothing that is read from it is ever run as code.

Machines may share entries (``ragscore.shared_store``): what one of them has made is then fetched
by the others.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from copy import copy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from ragscore.arrays import check_whole
from ragscore.disk import flush_folder, publish, writing
from ragscore.errors import DiskError
from ragscore.messages import _
from ragscore.progress import SILENT, Progress
from ragscore.scratch import PARTIAL, scratch, sweep
from ragscore.seal import DamagedError, check_seal, seal
from ragscore.shared_store import SharedStore, is_url
from ragscore.spec import canonical_json, digest_text
from ragscore.version import installed_version

T = TypeVar("T")

KEPT = "Existing entries are kept; the run continues without the cache"
"""What is said where an entry cannot be written."""
FETCHED_AT_ONCE = 16
LAYOUT = 2
"""Raise this when the layout of entries changes, so that old ones are not found."""
LIFETIMES = {"answers": 3 * 24 * 3600, "found": 14 * 24 * 3600}
"""Seconds after which an entry of a kind is swept. A system that was asked before may have changed
since, and nothing shows it; a run that stopped on a Friday goes on on a Monday. What was found in
blocks of a corpus is of no use to any other run."""


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
    """What ``read`` makes of an entry of the cache, or ``make`` if there is none.

    Args:
        cache: None keeps nothing.
        kind, key: which entry.
        make: makes it anew, where it is missing or damaged.
        write: keeps it in a folder; where the disk does not take it, what was made is used.
        read: reads the files in the folder.
        progress: reports a damaged entry.
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
        store: where machines share entries, such as ``s3://bucket/folder``: what is written to the
            folder is written there too, and what the folder lacks is fetched from there.

    Raises:
        ConfigError: nothing can be kept at the URL of the store; it is not asked yet.
        MissingPackageError: a store needs an optional package.
    """

    def __init__(self, root: str | Path | None = None, store: str | None = None) -> None:
        self.persistent = bool(root)
        """True if entries outlive the process."""
        self.root = Path(root) if root else self._temporary()
        self.writes = 0
        """How many entries this object has made: 0 if all were there already."""
        self._named = False
        self.failure: DiskError | None = None
        """Why nothing can be kept any more: the disk is full, or the folder is not writable."""
        self.store = None if store is None else SharedStore(store)
        """Where machines share entries; None if they don't."""

    def __repr__(self) -> str:
        store = "" if self.store is None else f", store={self.store.url!r}"
        return f"Cache({str(self.root)!r}{store})"

    @classmethod
    def default(cls) -> Cache:
        """The user's store: the folder in RAGSCORE_CACHE, else the platform's cache folder."""
        chosen = os.environ.get("RAGSCORE_CACHE")
        if chosen:
            return cls(chosen)
        import platformdirs

        return cls(platformdirs.user_cache_path("ragscore", appauthor=False))

    @property
    def place(self) -> str:
        """What :meth:`at` opens the same store by, also on another machine that reaches it."""
        return str(self.root.absolute()) if self.store is None else self.store.url

    @property
    def free_bytes(self) -> int:
        """How many bytes are free where entries are kept; the folder need not be there yet."""
        root = self.root.absolute()
        there = next(folder for folder in (root, *root.parents) if folder.is_dir())
        return shutil.disk_usage(there).free

    @classmethod
    def at(cls, place: str | None) -> Cache:
        """The store at a place: in a folder, or below a URL with the user's store in front of it;
        the user's alone where no place is named.

        Raises:
            ConfigError, MissingPackageError: as the class.
        """
        if place is None or is_url(place):
            return cls(cls.default().root, place)
        cache = cls(place)
        cache._named = True
        return cache

    @classmethod
    def usable(cls, progress: Progress = SILENT, place: str | None = None) -> Cache:
        """The store at a place, as :meth:`at`, with a note where nothing can be written to its
        folder.

        Raises:
            ConfigError, MissingPackageError: as the class.
            DiskError: the store that is named cannot be used.
        """
        cache = cls.at(place)
        if cache.store is not None:
            cache.store.check()
        try:
            with cache._writing(kept="" if cache._named else KEPT):
                cache.root.mkdir(parents=True, exist_ok=True)
                with scratch(cache.root):
                    pass
        except DiskError as error:
            if cache._named:
                raise
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
        """The names of the sessions that :meth:`sweep` found not to have ended."""
        folders = (self.root / kind).glob(f"{PARTIAL}*")
        return frozenset(folder.name.removeprefix(PARTIAL) for folder in folders)

    def has(self, kind: str, key: str) -> bool:
        """Whether there is an entry, here or in the store that machines share; nothing is fetched.

        Raises:
            DiskError: the store cannot be asked.
        """
        shared = self.store is not None and self.store.has(kind, key)
        return shared or self._folder(kind, key).is_dir()

    def here(self) -> Cache:
        """The same without the store that machines share, for what is kept only until something
        else is."""
        alone = copy(self)
        alone.store = None
        return alone

    def fetch_all(self, kind: str, keys: Iterable[str], progress: Progress = SILENT) -> None:
        """Fetch many small entries at once from the store that machines share, where there is one;
        what is missing is found when it is read.

        Args:
            kind, keys: which entries.
            progress: reports damaged entries, which are removed there.

        Raises:
            DiskError: the store cannot be asked.
        """
        if self.store is None:
            return
        missing = [key for key in keys if not self._folder(kind, key).is_dir()]
        with ThreadPoolExecutor(FETCHED_AT_ONCE) as pool:
            for _ in pool.map(partial(self._fetched, kind, progress=progress), missing):
                pass

    def get(self, kind: str, key: str) -> Path | None:
        """The folder of a complete entry, None if there is none.

        Raises:
            DiskError: the store that machines share cannot be asked.
        """
        folder = self._folder(kind, key)
        return folder if folder.is_dir() or self._fetched(kind, key) else None

    def keys(self, kind: str, prefix: str) -> list[str]:
        """The keys of all entries that begin with ``prefix``, of two letters or more, sorted.

        Raises:
            DiskError: the store that machines share cannot be asked.
        """
        shelf = self._folder(kind, prefix).parent
        found = set() if self.store is None else {*self.store.keys(kind, prefix)}
        with suppress(OSError):  # there are none
            found |= {path.name for path in shelf.iterdir() if path.name.startswith(prefix)}
        return sorted(found)

    def delete(self, kind: str, key: str) -> None:
        """Delete an entry, if it exists and can be deleted, also from the store that machines
        share."""
        if self.store is not None:
            self.store.delete(kind, key)
        self._delete_here(kind, key)

    def _delete_here(self, kind: str, key: str) -> None:
        # In one step: another process sees all of it or nothing.
        folder = self._folder(kind, key)
        with suppress(OSError), scratch(self.root / kind) as deleted:
            folder.rename(deleted / folder.name)

    def _fetched(
        self, kind: str, key: str, progress: Progress = SILENT, *, lately: bool = False
    ) -> bool:
        """Whether an entry is in the folder now, fetched from the store that machines share; a
        damaged one is deleted there, with a note.

        Raises:
            DiskError: the store cannot be asked, or the folder not be written.
        """
        if self.store is None or not self.store.has(kind, key, lately=lately):
            return False
        folder = self._folder(kind, key)
        with self._writing():
            folder.parent.mkdir(parents=True, exist_ok=True)
            with scratch(self.root / kind) as beside:
                try:
                    if not self.store.fetch(kind, key, beside):
                        return False
                except DamagedError as error:
                    self.store.delete(kind, key)
                    place = f"{self.store.url}/{kind}/{key[:2]}/{key}"
                    told = {"entry": kind, "why": str(error), "folder": place}
                    progress.note(
                        _(
                            "removed a damaged entry ({entry}: {why}) from the cache; "
                            "rebuilding it: {folder}",
                            **told,
                        )
                    )
                    return False
                flush_folder(beside)
                with suppress(FileExistsError):  # another process was faster
                    publish(beside, folder)
        return folder.is_dir()

    def share(self, kind: str, key: str) -> None:
        """Write an entry to the store that machines share, where it is not there."""
        folder = self._folder(kind, key)
        if self.store is not None and folder.is_dir():
            self.store.put(kind, key, folder)

    def entry(self, kind: str, key: str, write: Callable[[Path], None]) -> Path:
        """The folder of an entry; ``write`` fills a new one if there is none.

        Two processes may write the same entry at once: the first to finish wins, and since
        both wrote the same content neither notices.

        Raises:
            DiskError: it cannot be written.
        """
        folder = self._folder(kind, key)
        # Whoever writes it has just looked for it.
        if folder.is_dir() or self._fetched(kind, key, lately=True):
            self.share(kind, key)
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
        self.share(kind, key)
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
        """What ``read`` makes of an entry; None if there is none.

        One that is damaged, or is no folder, is deleted with a note, and is then not there: a
        flipped bit, a full disk or a copy that broke off costs the work once, and never a wrong
        number.

        Args:
            kind, key: which entry.
            read: reads the files in its folder.
            files: names of the files that ``read`` opens, where it does not open all.
            progress: reports a damaged entry.

        Raises:
            DiskError: the store that machines share cannot be asked.
        """
        folder = self._folder(kind, key)
        for again in (False, True):
            if not os.path.lexists(folder) and not self._fetched(kind, key, progress):
                return None
            try:
                check_seal(folder, key, files)
                found = read(folder)
            except Exception as error:
                if not _is_its_fault(error, folder):
                    raise
                if not os.path.lexists(folder):  # another process has removed it
                    return None
                shared = self.store is not None and not again and self.store.has(kind, key)
                if not self._delete_damaged(kind, key, shared, error, progress):
                    return None
            else:
                self.share(kind, key)
                return found
        return None

    def _delete_damaged(
        self, kind: str, key: str, shared: bool, error: Exception, progress: Progress
    ) -> bool:
        """Delete an entry that is damaged here, and where machines share it unless it may be whole
        there; whether it is to be fetched again from there."""
        folder = self._folder(kind, key)
        if shared:
            self._delete_here(kind, key)
        else:
            self.delete(kind, key)
        why = " ".join(str(error).split()) or type(error).__name__
        facts = {"entry": kind, "why": why, "folder": str(folder)}
        if os.path.lexists(folder):
            note = _(
                "cannot remove a damaged entry ({entry}: {why}) from the cache; rebuilding "
                "it: {folder}",
                **facts,
            )
            shared = False
        elif shared:
            note = _(
                "removed a damaged entry ({entry}: {why}) from the cache; fetching it again "
                "from the shared store: {folder}",
                **facts,
            )
        else:
            note = _(
                "removed a damaged entry ({entry}: {why}) from the cache; rebuilding it: {folder}",
                **facts,
            )
        progress.note(note)
        return shared

    def peek(
        self,
        kind: str,
        key: str,
        read: Callable[[Path], T],
        *,
        files: Collection[str] | None = None,
    ) -> T | None:
        """What :meth:`read` gives; but looking changes nothing: a damaged entry is None too, and
        stays; of one that only the store has which machines share, these files alone are asked for,
        and they don't stay here.

        Raises:
            DiskError: the store cannot be asked.
        """
        folder = self._folder(kind, key)
        with ExitStack() as stack:
            try:
                if self.store is not None and not os.path.lexists(folder):
                    folder = stack.enter_context(scratch(Path(tempfile.gettempdir())))
                    if not self.store.look(kind, key, files, folder):
                        return None
                check_seal(folder, key, files)
                return read(folder)
            except DiskError:
                raise
            except Exception as error:
                if not _is_its_fault(error, folder):
                    raise
                return None

    def keep(self, kind: str, key: str, write: Callable[[Path], None]) -> Path | None:
        """The folder of an entry as :meth:`entry` makes it; None if it cannot be written, or a
        damaged one stands there that cannot be removed.

        Keeping never costs the work itself: from the first failure on nothing is written, and
        :attr:`failure` says why.
        """
        if self.failure is None and not self._folder(kind, key).is_dir():
            try:
                return self.entry(kind, key, write)
            except DiskError as error:
                self.failure = error
        return None

    def _writing(self, kept: str = KEPT) -> AbstractContextManager[None]:
        what = "the store" if self._named else "the cache"
        elsewhere = "as store:" if self._named else "in RAGSCORE_CACHE"
        return writing(what, self.root, kept=kept, elsewhere=f"name another folder {elsewhere}")

    def _temporary(self) -> Path:
        """A folder that goes with this object, or after a kill with the next one's."""
        parent, stack = Path(tempfile.gettempdir()), ExitStack()
        sweep(parent)
        weakref.finalize(self, stack.close)
        return stack.enter_context(scratch(parent))

    def _folder(self, kind: str, key: str) -> Path:
        return self.root / kind / key[:2] / key


def _is_its_fault(error: Exception, folder: Path) -> bool:
    """Whether an entry cannot be read because of what it holds: an array that says it is larger
    than its file asks for more memory than there is."""
    if isinstance(error, MemoryError):
        try:
            for path in folder.glob("*.npy"):
                check_whole(path)
        except Exception:
            return True
    return not isinstance(error, (ImportError, MemoryError))
