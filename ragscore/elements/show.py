"""show: what a record looks like in a terminal, in a notebook and in Markdown.

Only the report makes HTML, and it stands above the records: its function is handed down.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ragscore.elements.model import Element
from ragscore.lazy import handed_down
from ragscore.names import Language

Format = Literal["text", "markdown", "html"]


class Shown:
    """Base of what is made of elements: ``print`` writes them, and a notebook shows them."""

    __slots__ = ()

    def elements(self) -> Iterable[Element]:
        """What a command prints of it."""
        raise NotImplementedError

    def brief(self) -> Iterable[Element]:
        """What Python and a notebook show of it."""
        return self.elements()

    @property
    def language(self) -> Language:
        """In which it is shown where nobody says another."""
        return "en"

    def __str__(self) -> str:
        return show(self)

    def _repr_html_(self) -> str:
        return show(self, "html")


def show(
    record: Shown,
    format: Format = "text",
    *,
    language: Language | None = None,
    width: int | None = None,
    styled: bool = False,
) -> str:
    """A record as a reader sees it.

    Args:
        record: a result, a comparison, a tuning, a plan; anything that is made of elements.
        format: ``text`` for a terminal, ``markdown``, or ``html`` for a notebook.
        language: of the reader; by default the record's own.
        width: of a text in cells; by default lines have any length.
        styled: whether a text has the escape sequences of colours and bold.
    """
    language = record.language if language is None else language
    if format == "html":
        html: str = handed_down("html_of")(record, language)
        return html
    if format == "markdown":
        from ragscore.elements.markdown import as_markdown

        return as_markdown(record.brief(), language=language)
    from ragscore.elements.terminal_text import as_text

    return as_text(record.brief(), width=width, styled=styled, language=language)
