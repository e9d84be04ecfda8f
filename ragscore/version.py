"""The version of ragscore, and those of the packages it uses."""

from __future__ import annotations

from functools import cache

__version__ = "0.1.0"


SEARCH_PACKAGES = (
    "ragscore-eval",
    "bm25s",
    "PyStemmer",
    "faiss-cpu",
    "sentence-transformers",
    "transformers",
    "torch",
    "kiwipiepy",
    "numpy",
)
"""Packages whose version can change a ranking."""


@cache  # a file is read and parsed each time
def installed_version(package: str) -> str | None:
    """The version of a distribution, which is not imported; None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version  # which takes 30 ms to import

    try:
        return version(package)
    except PackageNotFoundError:
        return None
