"""A folder of files as one file, which travels as one object.

First a line that says what it is, then the names and sizes of the files as one line of JSON, then
their bytes, one file after the other. Whoever unpacks one trusts nothing in it: names are plain
names of files, sizes add up to what is there, and nothing is written outside the new folder. What
the files hold is checked by their seal (``ragscore.seal``), which is one of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import BinaryIO

from ragscore.files import open_regular
from ragscore.json_data import load_json
from ragscore.seal import FILE_NAME, DamagedError

MAGIC = b"ragscore entry 1\n"
MAX_HEADER = 1 << 20
"""Bytes of the line of names; each file takes about forty."""
LONGEST_BEGINNING = len(MAGIC) + MAX_HEADER
"""Bytes before the first file, at most."""
MAX_FILES = 4_096
PIECE = 1 << 20
"""Bytes that are copied at a time."""


def pack(folder: Path, into: Path) -> None:
    """Write the files of a folder, none of them in a folder below, as one file.

    Raises:
        OSError: something cannot be read or written.
        ValueError: a file has a name that :func:`unpack` would refuse.
    """
    paths = sorted(folder.iterdir())
    for path in paths:
        if FILE_NAME.fullmatch(path.name) is None:
            raise ValueError(f"'{path.name}' cannot be packed")
    sizes = [(path.name, path.stat().st_size) for path in paths]
    with into.open("xb") as packed:
        packed.write(MAGIC + json.dumps(sizes).encode("ascii") + b"\n")
        for path, (_, size) in zip(paths, sizes, strict=True):
            with open_regular(path, links=False) as file:
                _copy(file, packed, size)


def unpack(packed: Path, into: Path) -> None:
    """Write the files of a packed folder into an empty one.

    Raises:
        DamagedError: it is not a packed folder, or not a whole one.
        OSError: something cannot be written.
    """
    length = packed.stat().st_size
    with packed.open("rb") as file:
        for name, (start, end) in places(file.read(LONGEST_BEGINNING), length).items():
            file.seek(start)
            with (into / name).open("xb") as unpacked:
                _copy(file, unpacked, end - start)


def places(beginning: bytes, length: int) -> dict[str, tuple[int, int]]:
    """Where each file of a packed folder begins and ends in it, in bytes.

    Args:
        beginning: of the packed folder, up to where its first file begins or beyond.
        length: bytes of the whole.

    Raises:
        DamagedError: it is not a packed folder, or not a whole one.
    """
    if not beginning.startswith(MAGIC):
        raise DamagedError("it does not begin as an entry does")
    end = beginning.find(b"\n", len(MAGIC), LONGEST_BEGINNING) + 1
    if not end:
        raise DamagedError("the names of its files are missing or too long")
    found = {}
    for name, size in _sizes(beginning[len(MAGIC) : end]).items():
        found[name] = end, end + size
        end += size
    if end != length:
        raise DamagedError("it is longer or shorter than its files")
    return found


def _sizes(header: bytes) -> dict[str, int]:
    """The sizes of the files by name, in their order."""
    try:
        listed = load_json(header)
    except ValueError as error:
        raise DamagedError("the names of its files cannot be read") from error
    if not isinstance(listed, list) or len(listed) > MAX_FILES:
        raise DamagedError("the names of its files are no list, or too many")
    sizes: dict[str, int] = {}
    folded: set[str] = set()
    for pair in listed:
        if not (isinstance(pair, list) and len(pair) == 2):
            raise DamagedError("a file of it has no name and size")
        name, size = pair
        if not (isinstance(name, str) and FILE_NAME.fullmatch(name)):
            raise DamagedError("a file of it has no plain name")
        if type(size) is not int or size < 0:
            raise DamagedError(f"{name} has no size")
        if name.lower() in folded:  # the same file on some systems
            raise DamagedError(f"{name} is in it twice")
        folded.add(name.lower())
        sizes[name] = size
    return sizes


def _copy(source: BinaryIO, target: BinaryIO, size: int) -> None:
    """Copy just as many bytes.

    Raises:
        DamagedError: there are fewer.
    """
    left = size
    while left:
        piece = source.read(min(left, PIECE))
        if not piece:
            raise DamagedError("it ends too early")
        target.write(piece)
        left -= len(piece)
