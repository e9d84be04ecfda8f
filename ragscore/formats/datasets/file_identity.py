"""What a file of passages is known by, so that what was read of it before is found again.

On one machine, and on those that share a folder, that is its path, length and time of change, as
``make`` and ``git`` know a file. Where machines share no more than a store, each may have a copy of
its own, in another place and of another time: there a file is known by its content, which each
machine reads once for that.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from weakref import WeakKeyDictionary

from ragscore.cache import Cache, entry_key
from ragscore.files import open_regular
from ragscore.messages import _
from ragscore.progress import Progress
from ragscore.spec import canonical_json, digest_text

CONTENTS = "file-digests"
"""The cache's kind of entry: what a file holds, by its path, length and time of change."""
FORMAT = 1
FILE = "digest.txt"
PIECE = 1 << 20

_known: WeakKeyDictionary[Cache, dict[str, str]] = WeakKeyDictionary()
"""What this process knows of the contents of files."""


def file_identity(path: Path, options: object, cache: Cache, progress: Progress) -> str:
    """A digest of what is read of a file.

    Args:
        path: of the file.
        options: how it is read, as JSON.
        cache: where what is read is kept.
        progress: is notified where the file is read for this.

    Raises:
        OSError: the file cannot be looked at.
    """
    found = path.stat()
    seen = [str(path.resolve()), found.st_size, found.st_mtime_ns]
    if cache.store is None:
        return digest_text(canonical_json([*seen, options]))
    content = _content(path, entry_key(FORMAT, seen, ""), cache, progress)
    return digest_text(canonical_json([path.name, content, options]))


def _content(path: Path, key: str, cache: Cache, progress: Progress) -> str:
    known = _known.setdefault(cache, {})
    if key not in known:
        kept = cache.read(CONTENTS, key, lambda folder: (folder / FILE).read_text("ascii"))
        known[key] = kept or _digest(path, progress)
        if kept is None:
            digest = known[key]
            cache.keep(CONTENTS, key, lambda folder: _write(folder / FILE, digest))
    return known[key]


def _digest(path: Path, progress: Progress) -> str:
    sha = hashlib.sha256()
    with open_regular(path) as file:
        total = path.stat().st_size
        with progress.stage(_("Reading {name}", name=path.name), total, "B") as stage:
            while piece := file.read(PIECE):
                sha.update(piece)
                stage.advance(len(piece))
    return sha.hexdigest()


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="ascii")
