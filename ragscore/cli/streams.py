"""What commands print: ids, names and paths may be anybody's, and none of them reaches a terminal
as an escape sequence, which could retitle it, hide lines or write its clipboard."""

from __future__ import annotations

import sys


def print_text(text: object, *, machine: bool = False) -> None:
    """Print on stdout what a command found.

    Args:
        text: its lines.
        machine: another program reads it: it stays as it is, unless stdout is a terminal.
    """
    print(text if machine and not sys.stdout.isatty() else shown(text))


def print_note(text: object) -> None:
    """Print a note on stderr."""
    print(f"note: {shown(text)}", file=sys.stderr, flush=True)


def print_error(error: object) -> None:
    """Print an error on stderr, each of its problems on a line."""
    print(shown(error), file=sys.stderr, flush=True)


def shown(text: object) -> str:
    """The text as a terminal may have it."""
    from ragscore.report.plain import plain

    lines = plain(str(text)).replace("\r\n", "\n")
    return lines.replace("\r", "\ufffd")  # alone it lets what follows overwrite its line
