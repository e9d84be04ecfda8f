"""manifest.json and the files that it lists, written and read back, checked.

A result may come from anybody: only regular files inside the folder are opened, each up to a
stated size, and nothing that they name is run. The digests find damage; they cannot prove who
wrote a folder.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragscore.errors import MAX_PROBLEMS, DataError, Problem
from ragscore.files import inside, odd_kind, read_regular
from ragscore.json_data import parse_json
from ragscore.results.layout import DATASETS, MANIFEST, RUNS, TABLE
from ragscore.results.manifest import FileEntry, Manifest
from ragscore.scoring import PROFILES
from ragscore.spec import canonical_json, digest_text
from ragscore.validation.findings import first_fault

DIGEST, METHOD = "digest", "digest_method"
"""The manifest's keys for the digest of all else in it, and for what that is."""
MAX_JSON_BYTES = 1 << 26
"""A manifest, summary or other text that is larger is not read: 67 MB."""
MAX_TABLE_BYTES = 1 << 32
"""A Parquet file that is larger is not read: 4.3 GB."""
DAMAGED = "The folder was changed after it was written: run the experiment again"
ANOTHER = "Name a folder that `ragscore run` wrote"


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """What a manifest says, with the digest of all of it but the digest; layout does not count."""
    content = {key: value for key, value in document.items() if key != DIGEST}
    content[METHOD] = "sha256 of canonical JSON"
    return {**content, DIGEST: digest_text(canonical_json(content))}


def _intact(document: Mapping[str, Any]) -> bool:
    """Whether a manifest has its digest, or neither of its keys, as earlier versions wrote it. Two
    keys, since a flipped bit in the name of one would otherwise hide it."""
    if DIGEST not in document and METHOD not in document:
        return True
    try:
        return sealed(document) == document
    except ValueError:  # NaN, which JSON does not have
        return False


def read_document(folder: Path, *, damaged: bool = False) -> dict[str, Any]:
    """The manifest of a result folder as plain data.

    Args:
        folder: the result.
        damaged: take it also where it is not what was written.

    Raises:
        DataError: there is none, it is not a regular file, not a JSON object, or not what was
            written.
    """
    path = folder / MANIFEST
    try:
        document = parse_json(read_regular(path, most=MAX_JSON_BYTES, links=False))
    except OSError as error:
        what = f"it cannot be read: {error.strerror or error}"
        raise DataError(what, where=str(path), instead=ANOTHER) from error
    except ValueError as error:
        raise _no_manifest(path, error) from error
    if not isinstance(document, dict):
        raise _no_manifest(path, "it is not a JSON object")
    if not damaged and not _intact(document):
        raise DataError("its content is not what was written", where=str(path), instead=DAMAGED)
    return document


def _no_manifest(path: Path, why: object) -> DataError:
    what = f"it is not a manifest that ragscore can read: {why}"
    return DataError(what, where=str(path), instead=ANOTHER)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a result folder.

    Raises:
        DataError: there is none, or it is not one that ``ragscore run`` wrote.
    """
    path, document = folder / MANIFEST, read_document(folder)
    try:
        manifest = Manifest.model_validate(document)
    except ValidationError as error:
        raise _no_manifest(path, first_fault(Manifest, document, error)) from error
    if manifest.added is not None:
        manifest.added.known()
    if manifest.profile not in PROFILES:
        what = f"it was scored by the profile '{manifest.profile}', which is unknown here"
        raise DataError(what, where=str(path), instead=DAMAGED)
    listed = {dataset.name for dataset in manifest.datasets}
    for entry in manifest.retrievers:
        if entry.dataset not in listed:
            what = f"it names {entry.name} on {entry.dataset}, and does not list that dataset"
            raise DataError(what, where=str(path), instead=DAMAGED)
    return manifest


def check_files(folder: Path, manifest: Manifest, *, content: bool = True) -> None:
    """Check the files that a manifest lists.

    Args:
        folder: the result.
        manifest: what it says of itself.
        content: look at the content too, not at the length alone. That of datasets, runs and
            scores, which may be large, is checked when they are read.

    Raises:
        DataError: a file is missing, is not a regular file of the folder, or is not what was
            recorded.
    """
    problems: list[Problem] = []
    for name, entry in manifest.files.items():
        try:
            if not content or name.startswith((RUNS, DATASETS)) or name.endswith(TABLE):
                _sized(folder, name, entry)
            else:
                recorded_bytes(folder, manifest, name)
        except DataError as error:
            problems += error.problems
        if len(problems) >= MAX_PROBLEMS:
            break
    if problems:
        raise DataError(problems)


def recorded_bytes(folder: Path, manifest: Manifest, name: str) -> bytes:
    """The content of a file of the result, which must be what was recorded.

    Raises:
        DataError: it is not among the result's files, is not a regular file of the folder, cannot
            be read, or was changed.
    """
    entry = manifest.files.get(name)
    if entry is None:
        what = "the manifest does not list this file"
        raise DataError(what, where=str(folder / name), instead=DAMAGED)
    path = _sized(folder, name, entry)
    most = MAX_TABLE_BYTES if path.suffix == TABLE else MAX_JSON_BYTES
    try:
        content = read_regular(path, most=most, links=False)
    except OSError as error:
        what = f"it cannot be read: {error.strerror or error}"
        raise DataError(what, where=str(path), instead=DAMAGED) from error
    if hashlib.sha256(content).hexdigest() != entry.sha256:
        raise DataError("its content is not what was recorded", where=str(path), instead=DAMAGED)
    return content


def _sized(folder: Path, name: str, entry: FileEntry) -> Path:
    """The path of a recorded file; a DataError where it is not a regular file of the folder or has
    another length."""
    try:
        path = inside(folder, name)
        found = path.lstat().st_size
        odd = odd_kind(path, links=False)
    except FileNotFoundError:
        what = "the file is missing"
        raise DataError(what, where=str(folder / name), instead=DAMAGED) from None
    except (OSError, ValueError) as error:
        odd = str(getattr(error, "strerror", None) or error)
        raise DataError(odd, where=str(folder / name), instead=DAMAGED) from error
    if odd:
        raise DataError(odd, where=str(path), instead=DAMAGED)
    if found != entry.bytes:
        what = f"it has {found:,} bytes, but {entry.bytes:,} were recorded"
        raise DataError(what, where=str(path), instead=DAMAGED)
    return path
