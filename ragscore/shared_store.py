"""The side of the cache that machines share: entries as whole objects below a URL of fsspec, such
as ``s3://bucket/folder``.

An entry travels whole, as one object (``ragscore.packed_entry``), and is checked against its seal
where it arrives. Objects are named by what they hold, so two machines that write one write the same
bytes. Who may do what there, and with which keys, is the business of fsspec and its packages, which
take it from the environment; nothing of it is read or shown here.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import time
import uuid
from collections.abc import Callable, Collection, Iterable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ragscore.errors import ConfigError, DiskError, MissingPackageError
from ragscore.packed_entry import LONGEST_BEGINNING, pack, places, unpack
from ragscore.scratch import PARTIAL, scratch
from ragscore.seal import SEAL, DamagedError, check_seal

T = TypeVar("T")

URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")
KINDS_THAT_STAY = ("answers", "costs", "files")
"""Kinds of entries that are no function of their key, or quicker made than fetched."""
OBJECT_STORES = ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oss", "oci", "cos", "obs")
"""Protocols by which an object that is written is there whole or not at all; by any other, it is
written beside and renamed."""
ABSENT_SECONDS = 5.0
"""For so long an entry that was not there may be taken to be missing still."""
PAUSE_SECONDS = 30.0
"""After a failure to write, until the next try: each may take as long to fail."""
BEGINNING = 1 << 16
"""Bytes of an entry that are asked for first, to see where its files are."""
PIECE = 1 << 24
"""Bytes of a file that are asked for at a time."""
MAX_CAUSE = 300
"""Characters of what a library says of a failure."""
SECRET = re.compile(r"key|secret|token|passw|credential|connection", re.IGNORECASE)


def is_url(place: str) -> bool:
    """Whether a place is a URL; else it is a folder.

    >>> is_url("s3://bucket/ragscore"), is_url("/shared/ragscore")
    (True, False)
    """
    return "://" in place


def check_url(url: str) -> None:
    """Refuse a URL that fsspec does not take, or that holds what must not be seen.

    Raises:
        ValueError: says what to write instead.
    """
    if URL.fullmatch(url) is None or "::" in url:
        raise ValueError(f"'{_shown(url)}' is not a URL such as s3://bucket/folder")
    place = url.partition("://")[2].partition("/")[0]
    if ":" in place.rpartition("@")[0] or "?" in url or "#" in url:
        raise ValueError(
            f"'{_shown(url)}' holds more than a place. Passwords and keys come from the "
            "environment, where the package for this protocol looks for them"
        )


class SharedStore:
    """Entries below a URL.

    Args:
        url: of the folder that holds them.

    Raises:
        ConfigError: it is not a URL that fsspec knows, or holds a password.
        MissingPackageError: fsspec is not installed.
    """

    def __init__(self, url: str) -> None:
        try:
            check_url(url)
        except ValueError as error:
            raise ConfigError(str(error), where="store") from None
        try:
            from fsspec.core import url_to_fs
        except ImportError:
            raise MissingPackageError("fsspec", f"the store {url}", "store") from None
        self.url = url.rstrip("/")
        try:
            self._system, self._root = url_to_fs(self.url, skip_instance_cache=True)
        except ImportError as error:
            what = f"its protocol needs a package that is not installed: {_cause(error)}"
            raise ConfigError(what, where=self.url, instead="Install it with pip") from None
        except Exception as error:
            what = f"it cannot be opened: {_cause(error)}"
            instead = "Write a URL such as s3://bucket/folder"
            raise ConfigError(what, where=self.url, instead=instead) from None
        # Other machines write there too: a list of a minute ago is wrong.
        self._system.dircache.use_listings_cache = False
        self._in_place = self.url.partition("://")[0].lower() in OBJECT_STORES
        self._there: dict[tuple[str, str], int] = {}
        """The bytes of entries that were seen there."""
        self._absent: dict[tuple[str, str], float] = {}
        self._left: dict[tuple[str, str], Path] = {}
        self._paused_until = 0.0
        self.failure: DiskError | None = None
        """Why entries could not be written there; None if all were."""
        self.fetched = self.written = 0
        """How many entries this object has fetched and written."""

    def check(self) -> None:
        """Write a file of a few bytes, read it and delete it again.

        Raises:
            DiskError: one of these cannot be done.
        """
        path = f"{self._root}/{PARTIAL}{uuid.uuid4().hex}"

        def try_all() -> None:
            if not self._in_place:
                self._system.makedirs(self._root, exist_ok=True)
            self._system.pipe_file(path, b"ragscore")
            found = self._system.cat_file(path)
            self._system.rm_file(path)
            if found != b"ragscore":
                raise OSError("it does not return what was written")

        self._asking(try_all, "be used")

    def has(self, kind: str, key: str, *, lately: bool = False) -> bool:
        """Whether an entry is there; with ``lately``, or at least was a moment ago.

        Raises:
            DiskError: the store cannot be asked.
        """
        if kind in KINDS_THAT_STAY:
            return False
        entry = kind, key
        if entry in self._there:
            return True
        if lately and time.monotonic() < self._absent.get(entry, -math.inf) + ABSENT_SECONDS:
            return False
        return self._size(kind, key) is not None

    def learn(self, kinds: Iterable[str]) -> None:
        """List all entries of some kinds: those that are there need not be asked for one by one.

        Raises:
            DiskError: the store cannot be asked.
        """
        for kind in kinds:
            sizes = self._asking(partial(self._listed, kind), "be listed")
            self._there.update({(kind, key): size for key, size in sizes.items()})

    def _listed(self, kind: str) -> dict[str, int]:
        """The bytes of all entries of a kind."""
        try:
            found = self._system.find(f"{self._root}/{kind}", detail=True)
        except FileNotFoundError:
            return {}
        named = ((str(path).rpartition("/")[2], about) for path, about in found.items())
        return {key: int(about["size"] or 0) for key, about in named if not key.startswith(".")}

    def keys(self, kind: str, prefix: str) -> list[str]:
        """The keys of all entries that begin with ``prefix``, of two letters or more.

        Raises:
            DiskError: the store cannot be asked.
        """
        if kind in KINDS_THAT_STAY:
            return []

        def listed() -> list[str]:
            try:
                paths = self._system.ls(f"{self._root}/{kind}/{prefix[:2]}", detail=False)
            except FileNotFoundError:
                return []
            return [str(path).rpartition("/")[2] for path in paths]

        return [key for key in self._asking(listed, "be listed") if key.startswith(prefix)]

    def fetch(self, kind: str, key: str, into: Path) -> bool:
        """Fill an empty folder with the files of an entry; False if there is none.

        Raises:
            DamagedError: it does not hold what it was sealed with.
            DiskError: the store cannot be read, or has more than the disk has room for.
            OSError: the folder cannot be written.
        """
        if not self.has(kind, key):
            return False
        size = self._there[kind, key]
        free = shutil.disk_usage(into).free
        if 2 * size > free:
            raise DiskError(
                f"{kind}/{key} takes {size:,} bytes, and twice that to unpack it, and "
                f"{free:,} are free",
                where=str(into.parent),
                instead="Make room there, or name another folder in RAGSCORE_CACHE",
            )
        with scratch(into.parent) as beside:
            packed = beside / "packed"

            def get() -> bool:
                try:
                    self._system.get_file(self._path(kind, key), str(packed))
                except FileNotFoundError:  # another machine has removed it
                    self._there.pop((kind, key), None)
                    return False
                return True

            if not self._asking(get, "be read"):
                return False
            unpack(packed, into)
        check_seal(into, key)
        self.fetched += 1
        return True

    def look(self, kind: str, key: str, files: Collection[str] | None, into: Path) -> bool:
        """Fill an empty folder with some files of an entry and its seal, asking for no others;
        False if there is none.

        Args:
            kind, key: which entry.
            files: names of those that are wanted, if it has them; None for all.
            into: the folder.

        Raises:
            DamagedError: it is not what was written there.
            DiskError: the store cannot be read.
            OSError: the folder cannot be written.
        """
        if not self.has(kind, key):
            return False
        size, path = self._there[kind, key], self._path(kind, key)

        def part(start: int, end: int) -> bytes:
            def get() -> bytes | None:
                try:
                    found: bytes = self._system.cat_file(path, start=start, end=end)
                except FileNotFoundError:
                    return None
                return found

            found = b"" if start == end else self._asking(get, "be read")
            if found is None or len(found) != end - start:
                self._there.pop((kind, key), None)  # another machine has changed it
                raise DamagedError("it ends too early")
            return found

        beginning = part(0, min(size, BEGINNING))
        if beginning.count(b"\n") < 2:
            beginning = part(0, min(size, LONGEST_BEGINNING))
        for name, (start, end) in places(beginning, size).items():
            if files is None or name in files or name == SEAL:
                with (into / name).open("xb") as file:
                    for at in range(start, end, PIECE):
                        stop = min(at + PIECE, end)
                        here = stop <= len(beginning)
                        file.write(beginning[at:stop] if here else part(at, stop))
        return True

    def put(self, kind: str, key: str, folder: Path) -> None:
        """Write an entry there, unless it is there already.

        It never fails: what cannot be written waits for :meth:`put_left`, and :attr:`failure` says
        why.

        Args:
            kind, key: which entry.
            folder: a sealed one, with a folder above it in which scratch folders may stand.
        """
        if kind in KINDS_THAT_STAY or (kind, key) in self._there:
            return
        if time.monotonic() < self._paused_until:
            self._left[kind, key] = folder
            return
        try:
            if self._size(kind, key) is None:
                self._write(kind, key, folder)
            self._left.pop((kind, key), None)
        except DiskError as error:
            self.failure = error
            self._left[kind, key] = folder
            self._paused_until = time.monotonic() + PAUSE_SECONDS

    def put_left(self) -> None:
        """Write what could not be written before.

        Raises:
            DiskError: some of it still cannot; it says how much.
        """
        self._paused_until, self.failure = 0.0, None
        for (kind, key), folder in list(self._left.items()):
            if folder.is_dir():
                self.put(kind, key, folder)
            else:
                del self._left[kind, key]
        if self.failure is not None and self._left:
            count = f"{len(self._left):,} entries" if len(self._left) > 1 else "an entry"
            raise DiskError(
                f"{count} could not be written there. {self.failure.problems[0].what}",
                where=self.url,
                instead="What was computed is in the local cache: run the same command on this "
                "machine again, and it is written there without being computed again",
            )

    def delete(self, kind: str, key: str) -> None:
        """Delete an entry, if it is there and can be deleted."""
        self._there.pop((kind, key), None)
        self._absent.pop((kind, key), None)
        if kind in KINDS_THAT_STAY:
            return
        try:
            self._system.rm_file(self._path(kind, key))
        except Exception:
            return

    def _write(self, kind: str, key: str, folder: Path) -> None:
        path = self._path(kind, key)
        parent, _, name = path.rpartition("/")

        def write(packed: Path) -> None:
            if self._in_place:
                self._system.put_file(str(packed), path)
                return
            self._system.makedirs(parent, exist_ok=True)
            written = f"{parent}/{PARTIAL}{uuid.uuid4().hex}-{name}"
            self._system.put_file(str(packed), written)
            self._system.mv(written, path)

        try:
            with scratch(folder.parent.parent) as beside:
                packed = beside / "packed"
                pack(folder, packed)
                self._asking(lambda: write(packed), "be written")
                self._there[kind, key] = packed.stat().st_size
        except (OSError, ValueError, DamagedError) as error:
            raise DiskError(f"it cannot be packed: {error}", where=str(folder)) from error
        self.written += 1

    def _size(self, kind: str, key: str) -> int | None:
        """The bytes of an entry's object; None if there is none."""

        def size() -> int | None:
            try:
                found: dict[str, Any] = self._system.info(self._path(kind, key))
            except FileNotFoundError:
                return None
            return int(found["size"] or 0) if found["type"] == "file" else None

        found = self._asking(size, "be read")
        if found is None:
            self._there.pop((kind, key), None)
            self._absent[kind, key] = time.monotonic()
        else:
            self._there[kind, key] = found
        return found

    def _path(self, kind: str, key: str) -> str:
        return f"{self._root}/{kind}/{key[:2]}/{key}"

    def _asking(self, ask: Callable[[], T], can: str) -> T:
        """What the store answers.

        Raises:
            DiskError: in place of what its package raises.
        """
        try:
            return ask()
        except Exception as error:
            raise DiskError(
                f"the store cannot {can}: {_cause(error)}",
                where=self.url,
                instead="What was computed stays in the local cache. Check the address, the "
                "network and the credentials in the environment",
            ) from None


def _shown(url: str) -> str:
    """A URL without what stands before an @ or behind a ?."""
    protocol, separator, rest = url.partition("://")
    place, slash, path = re.split(r"[?#]", rest)[0].partition("/")
    return f"{protocol}{separator}{place.rpartition('@')[2]}{slash}{path}"


def _cause(error: Exception) -> str:
    """What a library says of a failure, in a line, without what the environment keeps secret."""
    text = next(iter(str(error).splitlines()), "")
    for name, value in os.environ.items():
        if len(value) > 5 and SECRET.search(name):
            text = text.replace(value, f"${{{name}}}")
    return f"{type(error).__name__}: {text}"[:MAX_CAUSE] if text else type(error).__name__
