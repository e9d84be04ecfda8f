"""manifest.json, read back and checked: which files a result has, and what was searched."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragscore.errors import DataError, Problem
from ragscore.scoring import ProfileName

MANIFEST = "manifest.json"
MOST_PROBLEMS = 20
DAMAGED = "The folder was changed after it was written: run the experiment again"


class Part(BaseModel):
    """Base: what later versions add to a manifest is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class FileEntry(Part):
    """A file of the result, as it was written."""

    bytes: int
    sha256: str


class DatasetEntry(Part):
    """A dataset that was searched. ``spec``: how it was read; older results lack it."""

    name: str
    path: str
    digest: str
    passages: int | None
    queries: int
    judgments: int
    spec: dict[str, Any] | None = None


class LatencyEntry(Part):
    """Search times of single queries."""

    p50_ms: float


class RetrieverEntry(Part):
    """A retriever on a dataset: a run, or why there is none."""

    dataset: str
    name: str
    status: Literal["complete", "failed"]
    error: str = ""
    depth: int = 0
    latency: LatencyEntry | None = None


class Manifest(Part):
    """What a result folder says of itself."""

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    experiment: str
    created: str
    profile: ProfileName = "trec"
    compare: dict[str, Any] | None = None
    report: dict[str, Any] | None = None
    datasets: list[DatasetEntry]
    retrievers: list[RetrieverEntry]
    files: Mapping[str, FileEntry]


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a result folder.

    Raises:
        DataError: there is none, or it is not one that ``ragscore run`` wrote.
    """
    path = folder / MANIFEST
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        raise DataError(
            f"it cannot be read: {error.strerror or error}",
            where=str(path),
            instead="Name a folder that `ragscore run` wrote",
        ) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(
            f"it is no manifest that ragscore reads: {place + ': ' if place else ''}{first['msg']}",
            where=str(path),
            instead="Name a folder that `ragscore run` wrote",
        ) from error


def check_files(folder: Path, manifest: Manifest) -> None:
    """Raise DataError where a recorded file is not there or has another length."""
    problems = []
    for name, entry in manifest.files.items():
        path = folder / name
        if not path.is_file():
            problems.append(Problem("the file is missing", str(path), DAMAGED))
        elif path.stat().st_size != entry.bytes:
            found = path.stat().st_size
            what = f"it has {found:,} bytes, and {entry.bytes:,} were recorded"
            problems.append(Problem(what, str(path), DAMAGED))
    if problems:
        raise DataError(problems[:MOST_PROBLEMS])


def recorded_bytes(folder: Path, manifest: Manifest, name: str) -> bytes:
    """The content of a file of the result, which must be what was recorded.

    Raises:
        DataError: it is not among the result's files, cannot be read, or was changed.
    """
    path = folder / name
    entry = manifest.files.get(name)
    if entry is None:
        raise DataError("the manifest does not list this file", where=str(path), instead=DAMAGED)
    try:
        content = path.read_bytes()
    except OSError as error:
        what = f"it cannot be read: {error.strerror or error}"
        raise DataError(what, where=str(path), instead=DAMAGED) from error
    if hashlib.sha256(content).hexdigest() != entry.sha256:
        raise DataError("its content is not what was recorded", where=str(path), instead=DAMAGED)
    return content
