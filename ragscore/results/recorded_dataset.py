"""The dataset of a result, which must still be what was searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pydantic import ValidationError

from ragscore.dataset import Dataset, Qrels
from ragscore.errors import ConfigError, DataError, RagscoreError
from ragscore.files import expanded, inside
from ragscore.formats import FORMATS, DatasetSpec, load_dataset, load_qrels
from ragscore.results.manifest import DatasetEntry
from ragscore.results.manifest_file import DAMAGED


def recorded_dataset(entry: DatasetEntry, folder: Path, pooled: Sequence[str] = ()) -> Dataset:
    """The dataset that a manifest names, read as it was read then.

    Args:
        entry: what the manifest says of it.
        folder: the result, for messages.
        pooled: ids of the passages that a sample of its corpus holds for the pool alone.

    Raises:
        DataError: it no longer exists, cannot be read, or has changed since.
    """
    place = _place(entry, folder)
    if place.is_file():
        raise DataError(
            "the judgments are a file, so texts, tags and metadata are not known",
            where=entry.path,
            instead="Give the dataset's folder as --qrels",
        )
    if not place.exists():
        raise DataError(
            f"the dataset '{entry.name}' of this result no longer exists",
            where=entry.path,
            instead=f"Put it back, or run the experiment again ({folder})",
        )
    described = {**(entry.spec or {"name": entry.name}), "path": str(place)}
    if described.get("format", "auto") not in ("auto", *FORMATS):
        raise DataError(
            f"the dataset '{entry.name}' of this result has a format of an installed package, and "
            "reading a result imports none",
            where=entry.path,
            instead="Load the package first: ragscore.formats.FORMATS.load(name)",
        )
    try:
        spec = DatasetSpec.model_validate(described)
        dataset = load_dataset(spec, in_blocks=entry.blocks is not None, pooled=pooled)
    except (DataError, ConfigError, ValidationError) as error:
        # The manifest may be anybody's and name any file: nothing of its content is quoted, since
        # a report with it may be handed back.
        at = error.problems[0].where if isinstance(error, RagscoreError) else "manifest.json: spec"
        raise DataError(
            f"the dataset '{entry.name}' of this result cannot be read as it was searched: "
            f"something is wrong at {at or entry.path}",
            where=entry.path,
            instead="Put the old files back, or run the experiment again",
        ) from None
    if entry.in_folder:  # what was written there is the sample
        dataset = replace(dataset, sample=entry.sample)
    check_searched(dataset, entry, folder)
    return dataset


def judged_by_file(entry: DatasetEntry, folder: Path) -> Qrels | None:
    """The judgments of run files that were judged by a file; None if a dataset judged them.

    Raises:
        DataError: the file has changed since.
    """
    place = _place(entry, folder)
    if not place.is_file():
        return None
    qrels = load_qrels(place)
    if qrels.digest != entry.digest:
        raise DataError(
            f"the judgments have changed since {folder} was written",
            where=entry.path,
            instead="Put the old file back",
        )
    return qrels


def _place(entry: DatasetEntry, folder: Path) -> Path:
    """Where a dataset is."""
    if not entry.in_folder:
        return expanded(entry.path)
    try:
        return inside(folder, entry.path)
    except (OSError, ValueError) as error:
        raise DataError(str(error), where=entry.path, instead=DAMAGED) from None


def check_searched(dataset: Dataset, entry: DatasetEntry, folder: Path) -> None:
    """Check that a dataset is what a manifest names.

    Args:
        dataset: as it is now.
        entry: what the manifest says of it.
        folder: the result, for messages.

    Raises:
        DataError: it is not.
    """
    now = DatasetEntry.of(dataset, path="")
    if not entry.is_same(now):
        had, has = _size(entry), _size(now)
        different = "content" if entry.digest != now.digest else "tags or metadata"
        raise DataError(
            f"the dataset has changed since {folder} was written: it had {had}, and now it has "
            f"{f'as many, with different {different}' if has == had else has}",
            where=entry.path,
            instead="Put the old files back, or run the experiment again",
        )


def _size(entry: DatasetEntry) -> str:
    corpus = f"{entry.passages:,} passages, " if entry.passages is not None else ""
    if entry.sample is not None:
        corpus = f"{entry.sample.size()!s}, "
    return f"{corpus}{entry.queries:,} queries and {entry.judgments:,} judgments"
