"""The result folder: written whole or not at all, and able to describe itself."""

from __future__ import annotations

import datetime
import json
import os
import platform
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import count, repeat
from pathlib import Path
from typing import Any

from ragscore.disk import flush_folder, publish, writing
from ragscore.elements.table_files import Value, csv_rows
from ragscore.errors import ConfigError, DataError
from ragscore.results.folder_parts import FolderParts
from ragscore.results.layout import MANIFEST, is_report_file
from ragscore.results.manifest import FileEntry, Manifest
from ragscore.results.manifest_file import read_document, sealed
from ragscore.scratch import scratch, sweep
from ragscore.seal import digest_file

OURS = ("schema", "experiment", "files")
"""Keys of every manifest of ours, by which a result is recognised."""
UNCHANGED = "Earlier results are unchanged"
"""What an error says is complete nevertheless."""
ASIDE = ".replaced-"
"""How the name of a folder begins that holds a result, by its name, while it is replaced."""


def new_folder(base: Path, name: str) -> Path:
    """A free path ``base/NAME/YYYYMMDD-HHMMSS`` (UTC), so that history is kept and sorts."""
    stamp = datetime.datetime.now(datetime.UTC).strftime("%Y%m%d-%H%M%S")
    return next(place for place in _numbered(base / name / stamp) if not place.exists())


def _numbered(folder: Path) -> Iterator[Path]:
    """The folder, then with the numbers 2, 3 and so on behind its name."""
    yield folder
    for number in count(2):
        yield folder.with_name(f"{folder.name}-{number}")


def check_output(folder: Path, *, overwrite: bool) -> None:
    """Refuse, before anything slow happens, a folder that cannot be written.

    Raises:
        ConfigError: it exists and may not be replaced, or no result can be put there.
        DiskError: nothing can be written there.
    """
    # One level down: a run that was killed while it wrote its report left a result with leftovers.
    sweep(folder.absolute().parent, depth=1)
    recover(folder.absolute().parent)
    if folder.exists():
        what, instead = _in_the_way(folder, overwrite=overwrite), "Choose another --output"
        if not overwrite and folder.is_dir():
            instead += ", or replace it with --overwrite"
        if what:
            raise ConfigError(what, where=str(folder), instead=instead)
    around = next((parent for parent in folder.absolute().parents if _own_manifest(parent)), None)
    if around is not None:
        raise ConfigError(
            "the result would be written inside another one, and nobody who reads that folder "
            "would see it",
            where=str(around),
            instead=f"Move that result to a folder of its own below {around}, or choose another "
            "--output",
        )
    above = next(parent for parent in folder.absolute().parents if parent.exists())
    if not above.is_dir():
        raise ConfigError(
            "the output folder cannot be made here: it is a file",
            where=str(above),
            instead="Choose another place with --output",
        )
    kept = "Nothing was searched yet, and earlier results are unchanged"
    with _writing(above, kept=kept), scratch(above):
        pass


def _in_the_way(folder: Path, *, overwrite: bool) -> str:
    """Why a result cannot replace what is at a place; empty if it can."""
    if not folder.is_dir():
        return "there is a file where the output folder would go"
    if not overwrite:
        return "the output folder exists already"
    foreign = _foreign(folder)
    if foreign is None:
        return ""
    if _own_manifest(folder / foreign):
        what = f"it is not a result, but holds results ('{foreign}' is one)"
    else:
        what = f"it is not a result of ragscore, which did not write '{foreign}' in it"
    return f"{what}, so --overwrite will not replace it"


def _writing(folder: Path, *, kept: str) -> AbstractContextManager[None]:
    elsewhere = "choose another place with --output"
    return writing("the result", folder, kept=kept, elsewhere=elsewhere)


def write_folder(
    folder: Path,
    fill: Callable[[Path], Manifest],
    *,
    overwrite: bool,
    kept: str = UNCHANGED,
) -> FolderParts:
    """Fill a folder beside its place, add the manifest with a digest of every file, flush it,
    and give it its name in one step.

    Args:
        folder: where the result will stand; if another run takes that name in the meantime, the
            next free number is added.
        fill: writes the files of the result, and says what its manifest does besides naming them.
        overwrite: replace a result that stands there.
        kept: what an error says is whole all the same.

    Returns:
        The folder as it was written, with its manifest.

    Raises:
        DiskError: it cannot be written.
    """
    folder = folder.absolute()
    with _writing(folder, kept=kept):
        folder.parent.mkdir(parents=True, exist_ok=True)
        recover(folder.parent)
        return _write_folder(folder, fill, overwrite)


def _write_folder(folder: Path, fill: Callable[[Path], Manifest], overwrite: bool) -> FolderParts:
    with scratch(folder.parent) as beside:
        manifest = fill(beside)
        files = {
            path.relative_to(beside).as_posix(): FileEntry(
                bytes=path.stat().st_size, sha256=digest_file(path)
            )
            for path in sorted(beside.rglob("*"))
            if path.is_file()
        }
        manifest = manifest.model_copy(update={"files": files})
        document = manifest.model_dump(mode="json", by_alias=True, exclude_unset=True)
        write_json(beside / MANIFEST, sealed(document))
        flush_folder(beside)
        places = repeat(folder) if overwrite else _numbered(folder)
        while True:
            place = next(places)
            # Another process may be faster.
            with suppress(FileExistsError), _set_aside(place) if overwrite else nullcontext():
                publish(beside, place)
                return FolderParts(place, manifest)


def recover(parent: Path) -> None:
    """Put back the results that were set aside by processes killed while replacing them."""
    for aside in parent.glob(f"{ASIDE}*"):
        _settle(aside)


@contextmanager
def _set_aside(folder: Path) -> Iterator[None]:
    """Free a result's place; what stood there is put back unless something new took it."""
    aside = folder.parent / f"{ASIDE}{uuid.uuid4().hex}"
    aside.mkdir()
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


def write_json(path: Path, value: Any) -> None:
    """Readable JSON in UTF-8 with a newline at the end; NaN is refused."""
    path.write_bytes(json_bytes(value))


def json_bytes(value: Any) -> bytes:
    """What :func:`write_json` writes."""
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def write_csv(path: Path, rows: Iterable[Iterable[Value]]) -> None:
    """A CSV file in UTF-8; see :func:`~ragscore.elements.table_files.csv_rows`."""
    path.write_text(csv_rows(rows), encoding="utf-8", newline="")


def machine() -> dict[str, Any]:
    """Where this ran, as far as it can explain a difference in speed or digits."""
    return {
        "platform": platform.platform(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def _own_manifest(folder: Path) -> dict[str, Any]:
    """A folder's manifest, damaged or not, where it is one of ours; else nothing."""
    with suppress(DataError):
        document = read_document(folder, damaged=True)
        if all(key in document for key in OURS):
            return document
    return {}


def _foreign(folder: Path) -> str | None:
    """The first thing in a folder that no result or report of ours put there, None if all is
    ours."""
    ours: set[str] = set()
    if manifest := _own_manifest(folder):
        with suppress(TypeError):
            ours = {MANIFEST, *manifest["files"]}
    ours |= {parent.as_posix() for name in ours for parent in Path(name).parents}
    names = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")))
    known = bool(ours)
    return next(
        (name for name in names if not (name in ours or (known and is_report_file(name)))), None
    )
