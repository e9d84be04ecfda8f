"""Writing the files of a report, each replaced in one step."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ragscore.disk import replace_files, writing
from ragscore.errors import ConfigError
from ragscore.report.options import OUTPUTS
from ragscore.results.layout import ADDED, REPORT_FOLDERS

PAGES = (".html", ".htm")
"""How the name of a page may end."""


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes:
        folder: where.
        files: from there, with ``/``.
        notes: for the user, such as a page larger than ``max_mb``.
    """

    folder: Path
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def page(self) -> Path | None:
        """The HTML file; None if it was not among the formats."""
        return next(
            (self.folder / file for file in self.files if file.lower().endswith(PAGES)), None
        )


def write_files(
    folder: Path, beside: str, formats: Collection[str], files: Iterable[tuple[str, bytes]]
) -> tuple[str, ...]:
    """Write the files of a report; once all are whole, those of an earlier one are replaced, and
    tables and charts that the new report lacks are removed.

    Args:
        folder: where; made where it is missing.
        beside: the folder in it of all but the page.
        formats: what was written.
        files: names, with ``/``, and contents.

    Returns:
        The names.

    Raises:
        ConfigError: a file stands where the folder should be, or a link where its own folders are.
        DiskError: something cannot be written.
    """
    _refuse_file(folder)
    _refuse_links(folder / beside, formats)
    kept = "What is already there is unchanged"
    elsewhere = "name another place with `ragscore report --output`"
    with writing("the report", folder, kept=kept, elsewhere=elsewhere):
        names = replace_files(folder, files)
    _sweep(folder / beside, formats, {folder / name for name in names})
    return tuple(names)


def _sweep(beside: Path, formats: Iterable[str], kept: Collection[Path]) -> None:
    """Remove tables and charts of an earlier report in the formats that were written now: they
    would pass as this one's."""
    for name in formats:
        own = name in OUTPUTS.own
        inside, suffixes = REPORT_FOLDERS.get(name, ("", ())) if own else (f"{ADDED}/{name}", None)
        for path in (beside / inside).glob("*") if inside else ():
            if (suffixes is None or path.suffix in suffixes) and path not in kept:
                with suppress(OSError):
                    path.unlink()


def _refuse_links(beside: Path, formats: Iterable[str]) -> None:
    """A result may be anybody's: a link in place of the report's own folders would have files
    written, and old ones removed, wherever it leads."""
    own = [inside for inside, _ in REPORT_FOLDERS.values()]
    added = [f"{ADDED}/{name}" for name in formats if name not in OUTPUTS.own]
    for place in (beside, *(beside / inside for inside in (*own, ADDED, *added))):
        if place.is_symlink():
            raise ConfigError(
                "it is a link, and the report writes into no folder behind one",
                where=str(place),
                instead="Remove it, or write the report elsewhere with --output",
            )


def _refuse_file(folder: Path) -> None:
    """Fails early where a file has the folder's name."""
    there = next((place for place in (folder, *folder.parents) if place.exists()), None)
    if there is not None and not there.is_dir():
        raise ConfigError(
            "it is a file, and the report needs a folder here",
            where=str(there),
            instead="Name a folder, or a page that ends in .html",
        )


def added_file(beside: str, output: str, file: str) -> str:
    """The place of a file that an added output writes: in a folder of that output."""
    if PurePosixPath(file).name != file or "\\" in file or file in ("", ".", ".."):
        raise ConfigError(
            f"the report output '{output}' names the file {file!r}",
            instead="Name a file without folders: it goes into a folder of the output",
        )
    return f"{beside}/{ADDED}/{output}/{file}"
