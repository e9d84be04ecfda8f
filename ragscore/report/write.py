"""write_report(report, folder): its files, each replaced in one step."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ragscore.blocks.csv import csv_text
from ragscore.blocks.latex import latex_table
from ragscore.disk import replace_files, writing
from ragscore.errors import ConfigError, MissingPackageError, did_you_mean
from ragscore.report.built import BuiltReport
from ragscore.report.charts import standalone
from ragscore.report.contents import Contents, contents
from ragscore.report.html.page import made_page
from ragscore.report.latex import latex_document
from ragscore.report.markdown import as_markdown
from ragscore.report.options import ALL_FORMATS, ReportFormat
from ragscore.results.layout import PAGE, REPORT_FOLDERS

PNG_SCALE = 2.0
"""Points of a PNG for each unit of a chart: sharp on screens of twice the resolution."""
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
    formats: Iterable[ReportFormat] | None = None,
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
    for one in wanted:
        if one not in ALL_FORMATS:
            instead = did_you_mean(one, ALL_FORMATS)
            raise ConfigError(f"no format is named {one!r}", where="formats", instead=instead)
    _refuse_file(folder)
    _refuse_links(folder / Path(page).stem)
    total, notes = 0, list[str]()

    def counted() -> Iterator[tuple[str, bytes]]:
        nonlocal total
        for name, content in _files(report, wanted, page, notes):
            total += len(content)
            yield name, content

    kept = "What stands there is unchanged"
    elsewhere = "name another place with `ragscore report --output`"
    with writing("the report", folder, kept=kept, elsewhere=elsewhere):
        names = replace_files(folder, counted())
    _sweep(folder / Path(page).stem, wanted, {folder / name for name in names})
    return Written(folder, tuple(names), total, tuple(notes))


def _sweep(beside: Path, formats: Iterable[str], kept: Collection[Path]) -> None:
    """Remove tables and charts of an earlier report in the formats that were written now: they
    would pass as this one's."""
    for one in formats:
        inside, suffixes = REPORT_FOLDERS.get(one, ("", ()))
        for path in (beside / inside).glob("*") if inside else ():
            if path.suffix in suffixes and path not in kept:
                with suppress(OSError):
                    path.unlink()


def _refuse_links(beside: Path) -> None:
    """A result may be anybody's: a link in place of the report's own folders would have files
    written, and old ones removed, wherever it leads."""
    for place in (beside, *(beside / inside for inside, _ in REPORT_FOLDERS.values())):
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


def _files(
    report: BuiltReport, formats: Iterable[ReportFormat], page: str, notes: list[str]
) -> Iterator[tuple[str, bytes]]:
    """Name and content of each; what must be known of them is added to the notes."""
    found, beside = contents(report), Path(page).stem
    for format in dict.fromkeys(formats):
        if format == "html":
            made = made_page(report)
            notes += made.notes
            yield page, _bytes(made.text)
        elif format == "markdown":
            pictures = report.data.options.pictures
            for name, content in _charts(found, pictures):
                yield f"{beside}/charts/{name}", content
            yield f"{beside}/report.md", _bytes(as_markdown(report, pictures=pictures))
        elif format == "latex":
            for _, _, table in found.tables:
                name = found.name(table)
                yield f"{beside}/tables/{name}.tex", _bytes(latex_table(table, name))
            yield f"{beside}/report.tex", _bytes(latex_document(report, found))
        else:
            for _, _, table in found.tables:
                yield f"{beside}/tables/{found.name(table)}.csv", _bytes(csv_text(table))


def _charts(found: Contents, pictures: str) -> Iterator[tuple[str, bytes]]:
    for _, _, figure in found.figures:
        svg, name = standalone(figure), found.name(figure)
        yield f"{name}.{pictures}", as_png(svg) if pictures == "png" else _bytes(svg)


def as_png(svg: str) -> bytes:
    """An SVG document as PNG.

    Raises:
        MissingPackageError: vl-convert-python is not installed.
    """
    try:
        from vl_convert import svg_to_png
    except ImportError:
        raise MissingPackageError("vl-convert-python", "charts as PNG", "png") from None
    return bytes(svg_to_png(svg, scale=PNG_SCALE))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
