"""write_report(report, folder): its files, each replaced in one step."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ragscore.disk import replace_files, writing
from ragscore.errors import ConfigError
from ragscore.report.built import BuiltReport
from ragscore.report.contents import contents
from ragscore.report.options import OUTPUTS
from ragscore.report.outputs import Writing
from ragscore.results.layout import ADDED, PAGE, REPORT_FOLDERS

PAGES = (".html", ".htm")
"""How the name of a page may end."""


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes:
        folder: where.
        files: from there, with ``/``.
        bytes: of all of them together.
        notes: what who asked for it must know, such as a page larger than ``max_mb``.
    """

    folder: Path
    files: tuple[str, ...]
    bytes: int
    notes: tuple[str, ...] = ()

    @property
    def page(self) -> Path | None:
        """The HTML file; None where none was asked for."""
        return next((self.folder / one for one in self.files if one.lower().endswith(PAGES)), None)


def write_report(
    report: BuiltReport,
    folder: Path,
    formats: Iterable[str] | None = None,
    *,
    page: str = PAGE,
) -> Written:
    """Write a report; once all of its files are whole, those of an earlier one are replaced, each
    in one step, and tables and charts that are not there any more are removed.

    Args:
        report: what is written.
        folder: where; made where it is missing.
        formats: which; by default those of the report's options.
        page: the name of the HTML file. What the other formats write stands in a folder beside
            it, of its name without the suffix.

    Raises:
        ConfigError: a format that there is not, or a file where the folder should be, or a link
            where its own folders are.
        MissingPackageError: charts are wanted as PNG, and vl-convert-python is not installed.
        DiskError: something cannot be written.
    """
    wanted = tuple(formats) if formats is not None else report.data.options.formats
    for name in formats or ():
        OUTPUTS.load(name, where="formats")
    _refuse_file(folder)
    _refuse_links(folder / Path(page).stem, wanted)
    total = 0
    files_of = Writing(report, contents(report), page, Path(page).stem)

    def counted() -> Iterator[tuple[str, bytes]]:
        nonlocal total
        for name, content in _files(files_of, wanted):
            total += len(content)
            yield name, content

    kept = "What is already there is unchanged"
    elsewhere = "name another place with `ragscore report --output`"
    with writing("the report", folder, kept=kept, elsewhere=elsewhere):
        names = replace_files(folder, counted())
    _sweep(folder / Path(page).stem, wanted, {folder / name for name in names})
    return Written(folder, tuple(names), total, tuple(files_of.notes))


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
    """A file in the way of the folder is told before anything is written."""
    there = next((one for one in (folder, *folder.parents) if one.exists()), None)
    if there is not None and not there.is_dir():
        raise ConfigError(
            "it is a file, and the report needs a folder here",
            where=str(there),
            instead="Name a folder, or a page that ends in .html",
        )


def _files(writing: Writing, formats: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    """Name and content of each file of these formats."""
    for name in dict.fromkeys(formats):
        if name in OUTPUTS.own:
            yield from OUTPUTS[name](writing)
        elif name in OUTPUTS:
            for file, content in OUTPUTS[name](writing):
                yield f"{writing.beside}/{ADDED}/{name}/{_plain(file, name)}", content
        else:
            writing.notes.append(
                f"{name} is not written: an installed package adds it, and what a result names is "
                f"not imported; write it with --format {name}"
            )


def _plain(file: str, name: str) -> str:
    """The name of a file that an added output makes: one in its own folder."""
    if PurePosixPath(file).name != file or "\\" in file or file in ("", ".", ".."):
        raise ConfigError(
            f"the report output '{name}' names the file {file!r}",
            instead="A file of an added output stands in its own folder, without one of its own",
        )
    return file
