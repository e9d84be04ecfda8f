"""Inside an element: sentences, the marks of retrievers, icons, and the texts of cells."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from ragscore.elements import Cell
from ragscore.messages import Text
from ragscore.report.html import plain_text as texts
from ragscore.report.html.templates import environment, retriever_mark
from ragscore.report.model import explorer_link
from ragscore.report.report import Report


class InlineRenderer:
    """Renders the content of the elements of one panel.

    Args:
        report: for names, numbers and texts.
        panel: the number of the panel.
        on_page: False for a fragment, which has no explorer and no signs to refer to.
    """

    def __init__(self, report: Report, panel: int = 0, *, on_page: bool = True) -> None:
        self.say = report.say
        self.panel = panel
        self.on_page = on_page
        self._retrievers = report.result.retrievers
        datasets = (part.dataset for part in report.result)
        self._names = (*self._retrievers, *datasets, report.title)
        # Macros of a module are made once and know the templates' environment.
        templates = environment(report.options.language)
        self._macros: Any = templates.get_template("elements.html.j2").module

    def sentence(self, text: Text) -> Markup:
        """A sentence of ours."""
        return texts.sentence(text, self._names)

    def number(self, retriever: str | None) -> int | None:
        """The retriever's number; None without a retriever, or if the report lacks it."""
        listed = self._retrievers
        return listed.index(retriever) if retriever in listed else None

    def swatch(self, number: int) -> Markup:
        """A retriever's mark, its shape in its colour: the page has each once."""
        if not self.on_page:
            return retriever_mark(number)
        return Markup(f'<svg class="chart-key"><use href="#key-{number}"/></svg>')

    def icon(self, name: str) -> Markup:
        """A small sign: the page has each once."""
        if not self.on_page:
            return Markup(self._macros.drawn_icon(name))
        return Markup('<svg class="icon"><use href="#icon-{}"/></svg>').format(name)

    def cell_text(self, cell: Cell) -> str:
        """The text, as a link where the explorer shows the cell's query or those of its filter."""
        text: str = texts.quoted(cell.text) if cell.quote else texts.escaped(cell.text)
        if cell.quote:
            text = f'<bdi class="quote">{text}</bdi>'
        elif isinstance(cell.value, str) and not str(cell.text).isascii():
            text = f"<bdi>{text}</bdi>"
        href = self.on_page and explorer_link(
            self.panel,
            query=cell.query,
            filter=cell.filter,
            cause=cell.cause,
            retriever=cell.retriever,
        )
        return f'<a href="{texts.escaped(href)}">{text}</a>' if href else text.strip()
