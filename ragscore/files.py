"""Opening files that anybody may have put there: regular files only, and never with a wait.

A named pipe stops whoever opens it until somebody writes; a device never ends; a link leads out
of a folder that was handed over. Each is an OSError here, as any file is that cannot be read.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path, PurePosixPath
from typing import BinaryIO

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFLNK: "a link",
}


def odd_kind(path: Path, *, links: bool = True) -> str:
    """What a path is where it is there and is no regular file: ``it is a named pipe, not a
    file``; else empty.

    Args:
        path: it is not opened.
        links: whether a link stands for the file that it leads to.
    """
    try:
        mode = path.stat().st_mode if links else path.lstat().st_mode
    except (OSError, ValueError):
        return ""
    return _odd(mode)


def _odd(mode: int) -> str:
    if stat.S_ISREG(mode):
        return ""
    return f"it is {_KINDS.get(stat.S_IFMT(mode), 'something else')}, not a file"


def open_regular(path: Path, *, links: bool = True) -> BinaryIO:
    """Open a regular file for reading.

    Args:
        path: the file.
        links: whether a link stands for the file that it leads to; else it is refused.

    Raises:
        OSError: it cannot be opened or is no regular file; ``strerror`` says what it is.
    """
    # Looked at before it is opened, since that alone does something to a device, and again
    # afterwards, since it may have been replaced in between.
    _refuse(path, (path.stat() if links else path.lstat()).st_mode)
    handle = os.open(path, _FLAGS if links else _FLAGS | _NO_LINK)
    try:
        _refuse(path, os.fstat(handle).st_mode)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def _refuse(path: Path, mode: int) -> None:
    if odd := _odd(mode):
        raise OSError(errno.EINVAL, odd, str(path))


def open_to_write(path: Path, *, append: bool = False) -> BinaryIO:
    """Open a file, a device or a pipe for writing.

    Raises:
        OSError: it cannot be opened, or is a named pipe that nobody reads, which would be waited
            for.
    """
    waits = getattr(os, "O_NONBLOCK", 0)
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0) | waits
    try:
        handle = os.open(path, flags | (os.O_APPEND if append else os.O_TRUNC), 0o666)
    except OSError as error:
        raise OSError(error.errno, odd_kind(path) or error.strerror, str(path)) from error
    if waits:
        os.set_blocking(handle, True)
    return os.fdopen(handle, "ab" if append else "wb")


def read_regular(path: Path, *, most: int, links: bool = True) -> bytes:
    """The content of a regular file.

    Args:
        path: the file.
        most: bytes that it may have.
        links: as for :func:`open_regular`.

    Raises:
        OSError: it cannot be read, is no regular file, or is larger.
    """
    with open_regular(path, links=links) as file:
        content = b""
        if os.fstat(file.fileno()).st_size <= most:
            content = file.read(most + 1)
            if len(content) <= most:
                return content
    raise OSError(errno.EFBIG, f"it is larger than the {most:,} bytes that are read", str(path))


def expanded(path: str | Path) -> Path:
    """``~`` and ``~name`` as folders; where there is no such user, the path as it stands, so
    that it is missed like any other path.

    >>> expanded("~nobody-of-that-name/x").as_posix()
    '~nobody-of-that-name/x'
    """
    path = Path(path)
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def name_or_path(named: str, base: Path) -> str:
    """A name that may be a path: the path absolute, taken from a folder, where there is something;
    else the name."""
    place = base / expanded(named)
    return os.path.normpath(place) if place.exists() else named


def inside(folder: Path, name: str) -> Path:
    """The path of a file that a folder's own list names; no part of it may lead elsewhere.

    Args:
        folder: the folder; it may itself be a link.
        name: from there, with ``/``.

    Raises:
        OSError: the name is not one of a file inside, or a folder on the way is a link.

    >>> inside(Path("results"), "summary.json").as_posix()
    'results/summary.json'
    >>> inside(Path("results"), "../secret")
    Traceback (most recent call last):
    OSError: [Errno 22] it lies outside the folder: '../secret'
    """
    parts = PurePosixPath(name).parts
    path = folder.joinpath(*parts)
    added = len(path.parts) - len(folder.parts)  # of Windows, a part may hold several or a drive
    if not parts or ".." in parts or added != len(parts) or path.anchor != folder.anchor:
        raise OSError(errno.EINVAL, "it lies outside the folder", name)
    way = folder
    for part in parts[:-1]:
        way = way / part
        if stat.S_ISLNK(way.lstat().st_mode):
            raise OSError(errno.EINVAL, "it lies behind a link", name)
    return path
