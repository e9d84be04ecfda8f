"""Digests of files: of a folder's (a seal kept beside them, by which a bit that flips later is
noticed), of a model's, of a recorded run.

A seal guards against disks, copies and crashes, not against an enemy: whoever can write the folder
can write its digests too.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from ragscore.files import open_regular, read_regular
from ragscore.json_data import load_json
from ragscore.spec import canonical_json, digest_text

SEAL = "digests.json"
"""The file that holds them."""
MAX_SEAL = 1 << 20
"""Bytes of it that are read; it takes about a hundred for each file of a folder."""
FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}", re.ASCII)
"""Names that every file system has, none of which leads anywhere else."""
NOT_CONTENT = (".md", ".gitattributes", ".lock")
"""Endings of files in a model's folder that no vector depends on."""


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


def check_seal(folder: Path, name: str, files: Collection[str] | None = None) -> None:
    """Compare a folder's files with what was sealed.

    Args:
        folder: a sealed folder.
        name: as it was sealed.
        files: which to look at, where they are there; by default all.

    Raises:
        DamagedError: a file is missing, does not hold what it held, or was put there later.
        OSError: a file cannot be read.
    """
    sealed = _sealed(folder, name)
    there = {path.name for path in folder.iterdir() if not path.name.startswith(".")} - {SEAL}
    for file in sorted(there if files is None else there.intersection(files)):
        if file not in sealed:
            raise DamagedError(f"{file} is no part of it")
    for file, (size, digest) in sealed.items():
        if files is not None and file not in files:
            continue
        path = folder / file
        if not path.is_file():
            raise DamagedError(f"{file} is missing")
        if path.stat().st_size != size or digest_file(path) != digest:
            raise DamagedError(f"{file} has changed")


def _sealed(folder: Path, name: str) -> dict[str, tuple[int, str]]:
    """Size and digest of each file that was sealed, as the seal says.

    Raises:
        DamagedError: there is no seal, or it cannot be true.
    """
    try:
        content = load_json(read_regular(folder / SEAL, most=MAX_SEAL))
        whole = content["digest"] == _of(name, content["files"])
        sealed = {file: (size, digest) for file, (size, digest) in content["files"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedError(f"{SEAL} is missing or cannot be read") from error
    if not whole:
        raise DamagedError(f"{SEAL} has changed")
    if not all(map(FILE_NAME.fullmatch, sealed)):
        raise DamagedError(f"{SEAL} names a file that is none of its folder")
    return sealed


def digest_file(path: Path) -> str:
    """SHA-256 of a file's bytes: 64 hex digits.

    Raises:
        OSError: it cannot be read, or is no regular file.
    """
    with open_regular(path) as file:
        # It is a BufferedReader, which has what the stubs of BinaryIO lack.
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def fingerprint_file(path: str | Path) -> str:
    """SHA-256 of a file's bytes: 64 hex digits, empty if there is no such file."""
    try:
        found = Path(path).stat()
        return _digest_unchanged(str(Path(path).resolve()), found.st_size, found.st_mtime_ns)
    except OSError:
        return ""


def fingerprint_folder(path: str | Path) -> str:
    """SHA-256 of the names and bytes of all files in a model's folder: 64 hex digits."""
    folder = Path(path)
    files = sorted(
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.is_file()
        and not file.name.endswith(NOT_CONTENT)
        and "__pycache__" not in file.parts
    )
    return digest_text(canonical_json([[name, fingerprint_file(folder / name)] for name in files]))


@lru_cache(maxsize=4096)
def _digest_unchanged(path: str, size: int, modified_ns: int) -> str:
    """Reading gigabytes once per process is enough; equal size and time mean equal bytes."""
    return digest_file(Path(path))


def _of(name: str, files: object) -> str:
    return digest_text(canonical_json([name, files]))
