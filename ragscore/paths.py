"""expanded(path): a path with its ~ resolved."""

from __future__ import annotations

from pathlib import Path


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
