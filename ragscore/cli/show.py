"""``ragscore show``: a result in the terminal, by the same sections as its report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragscore.cli.options import Debug

if TYPE_CHECKING:
    from ragscore.report import Report

PLAIN_WIDTH = 10_000
"""Of a file or a pipe: every table in one piece, every sentence on one line."""


def main(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder that `ragscore run` wrote.")
    ],
    sections: Annotated[
        list[str] | None,
        typer.Option(
            "--section",
            metavar="NAME",
            help="Only this section; may be repeated. `ragscore list sections` shows them.",
        ),
    ] = None,
    language: Annotated[
        Literal["en", "ko"] | None,
        typer.Option("--language", help="Of the sections. [default: what the experiment says]"),
    ] = None,
    debug: Debug = False,
) -> None:
    """Show a result in the terminal: its verdict, tables, and how it was computed."""
    from ragscore.cli.report_inputs import built

    given = {"language": language, "sections": tuple(sections) if sections else None}
    report = built(
        folder,
        before=None,
        given={name: value for name, value in given.items() if value is not None},
    )
    _show(report)


def _show(report: Report) -> None:
    from rich.console import Console

    from ragscore.report.terminal import show

    if sys.stdout.isatty():
        show(report, Console(highlight=False, markup=False, emoji=False))
        return
    console = Console(width=PLAIN_WIDTH, highlight=False, markup=False, emoji=False, no_color=True)
    with console.capture() as captured:
        show(report, console)
    # Rules and padding fill the width, which a file has no use for.
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))
