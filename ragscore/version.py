"""The version of ragscore, and those of the packages it uses."""

from __future__ import annotations

import functools
from importlib.metadata import PackageNotFoundError, version

__version__ = "0.1.0"


_version = functools.cache(version)  # it reads and parses a file each time


def installed_version(package: str) -> str | None:
    """The version of a distribution, which is not imported; None where it is not installed."""
    try:
        return _version(package)
    except PackageNotFoundError:
        return None
