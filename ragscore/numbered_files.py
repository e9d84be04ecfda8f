"""Names of files that lie together in a folder: which to pass over, and in what order they are."""

from __future__ import annotations

import re
from pathlib import Path

PASSED_OVER = ("_", ".")
"""How names begin that tools write beside shards and parts: ``_SUCCESS``, ``.part-0.crc``."""
NUMBER = re.compile(r"(\d+)")


def in_order(folder: Path) -> list[Path]:
    """What lies in a folder, in the order of names, without what is passed over.

    Raises:
        OSError: the folder cannot be read.
    """
    found = (path for path in folder.iterdir() if not path.name.startswith(PASSED_OVER))
    return sorted(found, key=lambda path: by_numbers(path.name))


def by_numbers(name: str) -> tuple[tuple[int, int, str], ...]:
    """What to sort names by, so that numbers in them count as numbers.

    >>> sorted(["part-10", "part-9"], key=by_numbers)
    ['part-9', 'part-10']
    """
    parts = NUMBER.split(name)
    return tuple((0, int(part), part) if at % 2 else (1, 0, part) for at, part in enumerate(parts))
