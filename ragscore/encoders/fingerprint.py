"""Digests of files that vectors depend on: models and vectors made elsewhere."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ragscore.seal import digest_file
from ragscore.spec import canonical_json, digest_text

NOT_CONTENT = (".md", ".gitattributes", ".lock")
"""Endings of files in a model's folder that no vector depends on."""


def fingerprint_file(path: str | Path) -> str:
    """SHA-256 of a file's bytes: 64 hex digits, empty where there is no such file."""
    try:
        found = Path(path).stat()
        return _fingerprint_file(str(Path(path).resolve()), found.st_size, found.st_mtime_ns)
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
def _fingerprint_file(path: str, size: int, modified_ns: int) -> str:
    """Reading gigabytes once a process is enough; size and time stand for unchanged bytes."""
    return digest_file(Path(path))
