"""``ragscore show``: a result in the terminal, by the same sections as its report."""

from __future__ import annotations

from ragscore.cli.options import Debug, RecordedLanguage, ResultFolder, Sections
from ragscore.cli.streams import print_styled, print_text, terminal

PLAIN_WIDTH = 10_000
"""Width of a file or a pipe: every table is in one piece, every sentence on one line."""


def main(
    folder: ResultFolder,
    sections: Sections = None,
    language: RecordedLanguage = None,
    debug: Debug = False,
) -> None:
    """Show a result in the terminal: its verdict, tables, and how it was computed."""
    from ragscore.cli.quick_numpy import defer_unused

    defer_unused()

    from ragscore.cli.report_inputs import built

    given = {"language": language, "sections": tuple(sections) if sections else None}
    report, console = built(folder, given=given), terminal()
    if console is None:
        print_text(report.text(width=PLAIN_WIDTH))
    else:
        print_styled(report.text(width=console.width, styled=True), console)
