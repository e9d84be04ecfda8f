"""open_result: the result that a folder is, or the newest one under it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ragscore.dataset import Dataset
from ragscore.errors import DataError
from ragscore.paths import expanded
from ragscore.results.data import check_searched
from ragscore.results.folder import RecordedResult
from ragscore.results.layout import MANIFEST
from ragscore.results.manifest import check_files, read_manifest


def open_result(
    folder: str | Path, *, datasets: Mapping[str, Dataset] | None = None
) -> RecordedResult:
    """Open what ``ragscore run`` wrote; scores, runs and datasets are read when they are used.

    Args:
        folder: the result, or a folder of results such as ``results/NAME``: its newest.
        datasets: by name, those that are in memory already and need not be read again.

    Raises:
        DataError: it is no result folder, files of it are missing or have another length, or a
            dataset is not the one that was searched.
    """
    folder = expanded(folder)
    if not os.path.lexists(folder / MANIFEST):
        folder = _newest(folder)
    manifest = read_manifest(folder)
    check_files(folder, manifest)
    result = RecordedResult(folder, manifest)
    for name, dataset in (datasets or {}).items():
        check_searched(dataset, result.dataset_entry(name), folder)
        result._datasets[name] = dataset
    return result


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
