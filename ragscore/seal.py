"""Digests of a folder's files, kept beside them: a bit that flips later is noticed.

They guard against disks, copies and crashes, not against an enemy: whoever can write the folder
can write its digests too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from ragscore.files import read_regular
from ragscore.spec import canonical_json, digest_text

SEAL = "digests.json"
"""The file that holds them."""
MAX_SEAL = 1 << 20
"""Bytes of it that are read; it takes about a hundred for each file of a folder."""


class DamagedError(Exception):
    """A folder does not hold what it was sealed with."""


def seal(folder: Path, name: str) -> None:
    """Write the length and SHA-256 of every file of a folder into the folder.

    Args:
        folder: its files are whole, and none is below another folder.
        name: what the folder stands for, so that one in another's place is noticed too.
    """
    files = {
        path.name: [path.stat().st_size, digest_file(path)] for path in sorted(folder.iterdir())
    }
    content = {"files": files, "digest": _of(name, files)}
    (folder / SEAL).write_text(json.dumps(content), encoding="utf-8")


def check_seal(folder: Path, name: str, files: Iterable[str] | None = None) -> None:
    """Compare a folder's files with what was sealed.

    Args:
        folder: a sealed folder.
        name: as it was sealed.
        files: which to look at, where they are there; by default all.

    Raises:
        DamagedError: a file is missing, or does not hold what it held.
    """
    try:
        content = json.loads(read_regular(folder / SEAL, most=MAX_SEAL))
        sealed = content["files"]
        whole = content["digest"] == _of(name, sealed)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise DamagedError(f"{SEAL} is missing or cannot be read") from error
    if not whole:
        raise DamagedError(f"{SEAL} has changed")
    for file, (size, digest) in sealed.items():
        if files is not None and file not in files:
            continue
        path = folder / file
        if not path.is_file():
            raise DamagedError(f"{file} is missing")
        if path.stat().st_size != size or digest_file(path) != digest:
            raise DamagedError(f"{file} has changed")


def digest_file(path: Path) -> str:
    """SHA-256 of a file's bytes: 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _of(name: str, files: object) -> str:
    return digest_text(canonical_json([name, files]))
