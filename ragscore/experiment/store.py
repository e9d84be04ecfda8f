"""The store of an experiment: where its vectors, indexes and runs are kept, for other machines
too."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from ragscore.files import expanded
from ragscore.shared_store import check_url, is_url


def _checked(place: str) -> str:
    if is_url(place):
        check_url(place)
    return place


Store = Annotated[
    str,
    AfterValidator(_checked),
    Field(min_length=1, examples=["/shared/ragscore", "s3://bucket/ragscore"]),
]
"""A folder, or a URL of fsspec."""


def resolved_store(place: str, base: Path) -> str:
    """A store, a folder as an absolute path, taken from another folder."""
    return place if is_url(place) else os.path.normpath(base / expanded(place))
