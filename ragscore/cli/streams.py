"""What commands print: ids, names and paths may be anybody's, and none of them reaches a terminal
as an escape sequence, which could retitle it, hide lines or write its clipboard, nor the log of a
build server as a command of it. No other module of commands prints."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from rich.console import Console

    from ragscore.elements import Element
    from ragscore.names import Language
    from ragscore.records import Record


def print_text(text: object, *, machine: bool = False, flush: bool = False) -> None:
    """Print on stdout what a command found.

    Args:
        text: its lines.
        machine: another program reads it: it stays as it is, unless stdout is a terminal.
        flush: whether it is needed at once.
    """
    print(text if machine and not sys.stdout.isatty() else shown(text), flush=flush)


class Printable(Protocol):
    """What a command found."""

    def to_dict(self) -> dict[str, Any]:
        """It as JSON."""

    def elements(self, /) -> Iterable[Element]:
        """It as elements."""


def print_found(
    found: Printable, format: Literal["table", "json", "markdown"], language: Language
) -> None:
    """Print on stdout what a command found, in the format that was asked for."""
    if format == "json":
        print_json(found)
    else:
        print_elements(found.elements(), language, markdown=format == "markdown")


def print_json(document: Record | Printable) -> None:
    """Print on stdout what a command found, as JSON for another program."""
    import json

    print_json_text(json.dumps(document.to_dict(), indent=2, ensure_ascii=False, allow_nan=False))


def print_json_text(text: str) -> None:
    """Print JSON on stdout; ``##[error]`` in a text would be a command in the log of a build
    server, so one of the two is written as JSON may write any character."""
    print_text(text.replace("##", "#\\u0023"), machine=True)


def print_elements(
    elements: Iterable[Element], language: Language, *, markdown: bool = False
) -> None:
    """Print elements on stdout: as wide as the terminal and in its colours; elsewhere each table in
    one piece, each sentence on one line.

    Args:
        elements: what a command found.
        language: of the reader.
        markdown: whether to print Markdown.
    """
    from ragscore.elements import as_markdown, as_text
    from ragscore.elements.plain import for_log

    console = terminal()
    if markdown:
        print(for_log(as_markdown(elements, language=language)))
    elif console is None:
        print(for_log(as_text(elements, language=language)))
    else:
        print_styled(
            as_text(elements, width=console.width, styled=True, language=language), console
        )


def terminal() -> Console | None:
    """The terminal that stdout is; None for a file or a pipe."""
    if not sys.stdout.isatty():
        return None
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def print_styled(text: str, console: Console) -> None:
    """Print a text that a writer styled; rich knows which terminals have no colours."""
    from rich.text import Text

    from ragscore.elements.plain import for_log

    console.print(Text.from_ansi(for_log(text)), soft_wrap=True)


def print_note(text: object, language: Language = "en") -> None:
    """Print a note on stderr, in this language where it has several."""
    print(note_line(text, language), file=sys.stderr, flush=True)


def note_line(text: object, language: Language) -> str:
    """A note as a terminal may have it, in this language where it has several."""
    from ragscore.messages import _, text_of

    return shown(text_of(_("note: {note}", note=text), language))


def print_error(error: object) -> None:
    """Print an error on stderr, each of its problems on a line."""
    print(shown(error), file=sys.stderr, flush=True)


def shown(text: object) -> str:
    """The text as a terminal, or the log of a build server, may have it."""
    from ragscore.elements.plain import for_log, plain

    lines = plain(str(text)).replace("\r\n", "\n")
    # A return alone lets what follows overwrite its line.
    return for_log(lines.replace("\r", "\ufffd"))
