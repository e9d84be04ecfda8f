"""open_result: the result that a folder is, or the newest one under it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ragscore.dataset import Dataset
from ragscore.errors import DataError
from ragscore.files import expanded
from ragscore.results.folder_parts import FolderParts
from ragscore.results.layout import MANIFEST
from ragscore.results.manifest_file import check_files, read_manifest
from ragscore.results.recorded_dataset import check_searched
from ragscore.results.result import Result


def open_result(folder: str | Path, *, datasets: Mapping[str, Dataset] | None = None) -> Result:
    """Open a result that ``ragscore run`` or :meth:`Result.save` wrote; scores, runs and datasets
    are read when they are first used.

    Args:
        folder: the result, or a folder of results such as ``results/NAME``, of which the newest
            is opened.
        datasets: datasets that are already in memory, by name.

    Raises:
        DataError: it is not a result folder, or files of it are missing or have another length.

    >>> import tempfile
    >>> from ragscore import evaluate
    >>> faq = {"passages": {"p1": "Rent is due."}, "queries": {"q1": "When?"},
    ...        "ground_truth": {"q1": ["p1"]}}
    >>> result = evaluate(faq, {"mine": lambda query, k: ["p1"]}, ["RR"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = result.save(Path(folder, "first"))
    ...     open_result(Path(folder, "first")).to_dict()
    {'dataset': {'mine': {'RR': 1.0}}}
    """
    folder = expanded(folder)
    if not os.path.lexists(folder / MANIFEST):
        folder = _newest(folder)
    manifest = read_manifest(folder)
    check_files(folder, manifest)
    parts = FolderParts(folder, manifest)
    for name, dataset in (datasets or {}).items():
        entry = parts.dataset_entry(name)
        check_searched(dataset, entry, folder)
        parts.known[entry.digests] = dataset
    return Result(parts)


def _newest(folder: Path) -> Path:
    complete = [
        path.parent for path in folder.glob(f"*/{MANIFEST}") if not path.parent.name.startswith(".")
    ]
    if not complete:
        if not folder.exists():
            what = "no such folder"
        elif folder.is_dir():
            what = f"no result is here: there is no {MANIFEST}"
        else:
            what = "it is a file, and a result is a folder"
        raise DataError(
            what,
            where=str(folder),
            instead="Name a folder that `ragscore run` wrote, such as results/NAME",
        )
    return max(complete, key=lambda path: (read_manifest(path).created, path.name))
