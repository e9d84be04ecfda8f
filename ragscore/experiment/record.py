"""The result folder: written whole or not at all, and able to describe itself."""

from __future__ import annotations

import csv
import datetime
import hashlib
import json
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ragscore.cache import flush_folder, publish
from ragscore.errors import ConfigError

MANIFEST = "manifest.json"
STALE_SECONDS = 24 * 3600
"""Age at which an unfinished folder of a killed run is swept away."""


def new_folder(base: Path, name: str, now: datetime.datetime | None = None) -> Path:
    """A free path ``base/NAME/YYYYMMDD-HHMMSS`` (UTC), so that history is kept and sorts."""
    stamp = (now or datetime.datetime.now(datetime.UTC)).strftime("%Y%m%d-%H%M%S")
    folder = base / name / stamp
    number = 2
    while folder.exists():
        folder = base / name / f"{stamp}-{number}"
        number += 1
    return folder


def check_output(folder: Path, *, overwrite: bool) -> None:
    """Refuse, before anything slow happens, a folder that cannot be written.

    Raises:
        ConfigError: it exists and may not be replaced, or no result can be put there.
    """
    if folder.exists():
        if not folder.is_dir():
            raise ConfigError(
                "a file stands where the output folder is to be",
                where=str(folder),
                instead="Choose another --output",
            )
        if not overwrite:
            raise ConfigError(
                "the output folder exists already",
                where=str(folder),
                instead="Choose another --output, or replace it with --overwrite",
            )
        if any(folder.iterdir()) and not (folder / MANIFEST).exists():
            raise ConfigError(
                "it is not a result of ragscore, so --overwrite will not replace it",
                where=str(folder),
                instead="Choose another --output",
            )
    above = next(parent for parent in folder.absolute().parents if parent.exists())
    if not above.is_dir() or not os.access(above, os.W_OK):
        why = "it may not be written to" if above.is_dir() else "it is a file"
        raise ConfigError(
            f"the output folder cannot be made here: {why}",
            where=str(above),
            instead="Choose another place with --output",
        )


def write_folder(
    folder: Path, fill: Callable[[Path], None], manifest: Mapping[str, Any], *, overwrite: bool
) -> Path:
    """Fill a folder beside its place, add the manifest with a digest of every file, flush it,
    and give it its name in one step.

    Args:
        folder: where the result will stand; where another run took that name in the meantime
            the next free number is added.
        fill: writes the files of the result.
        manifest: what the manifest says besides the files.
        overwrite: replace a result that stands there.

    Returns:
        The folder as it is named.
    """
    folder = folder.absolute()
    folder.parent.mkdir(parents=True, exist_ok=True)
    _sweep(folder.parent)
    scratch = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent))
    try:
        fill(scratch)
        files = {
            path.relative_to(scratch).as_posix(): {
                "bytes": path.stat().st_size,
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            }
            for path in sorted(scratch.rglob("*"))
            if path.is_file()
        }
        write_json(scratch / MANIFEST, {**manifest, "files": files})
        scratch.chmod(0o755)
        flush_folder(scratch)
        if overwrite and folder.exists():
            aside = Path(tempfile.mkdtemp(prefix=".partial-", dir=folder.parent)) / "replaced"
            folder.rename(aside)
            publish(scratch, folder)
            shutil.rmtree(aside.parent, ignore_errors=True)
            return folder
        number, wanted = 2, folder
        while True:
            try:
                publish(scratch, folder)
                return folder
            except FileExistsError:
                folder = wanted.with_name(f"{wanted.name}-{number}")
                number += 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def newest_result(folder: Path) -> Path:
    """The folder itself where it is a result, else the newest complete result right under it.

    Raises:
        ConfigError: there is none.
    """
    if (folder / MANIFEST).is_file():
        return folder
    complete = [path.parent for path in folder.glob(f"*/{MANIFEST}") if path.parent.name[0] != "."]
    if not complete:
        raise ConfigError(
            "no complete result here",
            where=str(folder),
            instead="Name a folder that `ragscore run` wrote, or results/NAME",
        )
    return max(complete, key=lambda path: (read_manifest(path)["created"], path.name))


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a result folder."""
    manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return manifest


def write_json(path: Path, value: Any) -> None:
    """Readable JSON in UTF-8 with a newline at the end; NaN is refused."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def write_csv(path: Path, header: list[str], rows: list[list[object]]) -> None:
    """A CSV file in UTF-8; an empty cell stands for what is undefined."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def machine() -> dict[str, Any]:
    """Where this ran, as far as it can explain a difference in speed or digits."""
    return {
        "platform": platform.platform(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def _sweep(folder: Path) -> None:
    for path in folder.glob(".partial-*"):
        try:
            if time.time() - path.stat().st_mtime > STALE_SECONDS:
                shutil.rmtree(path, ignore_errors=True)
        except OSError:
            continue  # another process sweeps or publishes it
