"""The result folder: written whole or not at all, and able to describe itself."""

from __future__ import annotations

import csv
import datetime
import hashlib
import json
import os
import platform
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ragscore.cache import flush_folder, publish, sweep, unfinished
from ragscore.errors import ConfigError

MANIFEST = "manifest.json"
OURS = ("schema", "experiment", "files")
"""What every manifest of ours holds: how a result is told from a stranger's folder."""
ASIDE = ".replaced-"
"""How the name of a folder begins that holds a result, by its name, while it is replaced."""


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
    recover(folder.absolute().parent)
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
        foreign = _foreign(folder)
        if foreign is not None:
            raise ConfigError(
                f"it is not a result of ragscore: '{foreign}' in it is foreign, so --overwrite "
                "will not replace it",
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
    sweep(folder.parent)
    recover(folder.parent)
    scratch = unfinished(folder.parent)
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
        flush_folder(scratch)
        number, wanted = 2, folder
        while True:
            try:
                if overwrite:
                    with _set_aside(folder):
                        publish(scratch, folder)
                else:
                    publish(scratch, folder)
                return folder
            except FileExistsError:  # another process was faster
                if not overwrite:
                    folder = wanted.with_name(f"{wanted.name}-{number}")
                    number += 1
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def recover(parent: Path) -> None:
    """Put back the results that were set aside by processes killed while replacing them."""
    for aside in parent.glob(f"{ASIDE}*"):
        _settle(aside)


@contextmanager
def _set_aside(folder: Path) -> Iterator[None]:
    """Free a result's place; what stood there is put back unless something new took it."""
    aside = unfinished(folder.parent, ASIDE)
    try:
        with suppress(FileNotFoundError):  # nothing stands there
            folder.rename(aside / folder.name)
        yield
    finally:
        _settle(aside)


def _settle(aside: Path) -> None:
    with suppress(OSError):  # another process settles it
        for old in list(aside.iterdir()):
            place = aside.parent / old.name
            with suppress(OSError):
                if not place.exists():
                    old.rename(place)
            if place.exists():
                shutil.rmtree(old, ignore_errors=True)
        aside.rmdir()


def newest_result(folder: Path) -> Path:
    """The folder itself where it is a result, else the newest complete result right under it.

    Raises:
        ConfigError: there is none.
    """
    recover(folder.absolute().parent)
    recover(folder)
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


def _foreign(folder: Path) -> str | None:
    """The first thing in a folder that no result or report of ours put there, None where all is
    ours."""
    from ragscore.report.write import is_report_file

    ours: set[str] = set()
    with suppress(OSError, TypeError, ValueError):
        manifest = read_manifest(folder)
        if isinstance(manifest, dict) and all(key in manifest for key in OURS):
            ours = {MANIFEST, *manifest["files"]}
    ours |= {parent.as_posix() for name in ours for parent in Path(name).parents}
    names = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")))
    known = bool(ours)
    return next(
        (name for name in names if not (name in ours or (known and is_report_file(name)))), None
    )
