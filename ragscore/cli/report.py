"""``ragscore report``: the report of a result, or of one result compared with an earlier one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragscore.cli.options import Debug, Quiet, RecordedLanguage, ResultFolder, Sections
from ragscore.cli.streams import print_note, print_text
from ragscore.messages import _
from ragscore.names import Language

if TYPE_CHECKING:
    from ragscore.report import Report, Written


def main(
    folder: ResultFolder,
    after: Annotated[
        Path | None,
        typer.Argument(
            metavar="AFTER", help="A later result: report on it, and on what changed since DIR."
        ),
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="Format to write: html, markdown, latex, csv or one that an installed package "
            "adds; may be repeated. [default: what the experiment says]",
        ),
    ] = None,
    language: RecordedLanguage = None,
    max_mb: Annotated[
        float | None,
        typer.Option(
            "--max-mb",
            metavar="MB",
            help="Largest size of the page; above it, texts of passages are left out. [default: 5]",
        ),
    ] = None,
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth",
            metavar="N",
            help="Passages per retriever in the query explorer. [default: 20]",
        ),
    ] = None,
    sections: Sections = None,
    pictures: Annotated[
        Literal["svg", "png"] | None,
        typer.Option("--pictures", help="Format of the charts beside Markdown. [default: svg]"),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PLACE",
            help="Folder to write, or file name of the page. [default: the result's own folder]",
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write the report of a result: a page, Markdown, LaTeX and CSV tables."""
    from ragscore.cli.quick_numpy import defer_unused

    defer_unused()

    from ragscore.cli.progress_display import open_progress
    from ragscore.cli.report_inputs import built
    from ragscore.report.options import OUTPUTS
    from ragscore.report.write import PAGES

    given = {
        "formats": tuple(formats) if formats else None,
        "language": language,
        "max_mb": max_mb,
        "depth": depth,
        "sections": tuple(sections) if sections else None,
        "pictures": pictures,
    }
    for name in formats or ():
        OUTPUTS.load(name, where="--format")
    page_only = output is not None and output.suffix.lower() in PAGES
    if page_only and not formats:
        given["formats"] = ("html",)
    with (
        open_progress(quiet, language or "en") as progress,
        progress.stage(_("report"), 1),
    ):
        report = built(
            after or folder,
            before=folder if after is not None else None,
            given=given,
        )
        place, page = _place(Path(report.result.parts.where), output, compared=after is not None)
        written = report.write(place, page=page)
    if not quiet:
        _note(report, written)
    shown_in = report.options.language
    _say(written, shown_in)
    if show:
        _open(written, shown_in)


def _place(result: Path, output: Path | None, *, compared: bool) -> tuple[Path, str]:
    """The folder to write to, and the name of the page in it."""
    from ragscore.files import expanded
    from ragscore.report.write import PAGES
    from ragscore.results.layout import COMPARED, PAGE

    page = COMPARED if compared else PAGE
    if output is None:
        return result, page
    output = expanded(output)
    if output.suffix.lower() in PAGES and not output.is_dir():
        return output.parent, output.name
    return output, page


def _note(report: Report, written: Written) -> None:
    """Print the report's notes on stderr, since they are far down the page."""
    gathered = (note for dataset in report.result for note in dataset.notes)
    for note in dict.fromkeys([*report.failed, *report.notes, *gathered, *written.notes]):
        print_note(note, report.options.language)


def _say(written: Written, language: Language) -> None:
    """What was written where, on stdout: the page, then the folder of the others."""
    if written.page is not None:
        print_text(written.page)
    beside = sorted({name.partition("/")[0] for name in written.files if "/" in name})
    for name in beside:
        inside = sum(file.startswith(f"{name}/") for file in written.files)
        files = _("{folder} ({count} files)", folder=str(written.folder / name), count=inside)
        print_text(files.text(language))


def _open(written: Written, language: Language) -> None:
    import webbrowser

    if written.page is None:
        print_note(_("there is no page to open: --format leaves out html"), language)
    elif not webbrowser.open(written.page.resolve().as_uri()):
        print_note(_("no browser could be started; open the page yourself"), language)
