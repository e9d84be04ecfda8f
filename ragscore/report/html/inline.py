"""What stands within blocks: sentences, the marks of retrievers, icons, and the cells of tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from ragscore.blocks import Cell, Column
from ragscore.report.html import plain_text as texts
from ragscore.report.html.templates import environment, retriever_mark
from ragscore.report.model import explorer_link
from ragscore.report.report import Report


class InlineRenderer:
    """Renders the content of the blocks of one panel.

    Args:
        report: for names, numbers and texts.
        panel: the number of the panel.
        on_page: False for a fragment, which has no explorer and no signs to refer to.
    """

    def __init__(self, report: Report, panel: int = 0, *, on_page: bool = True) -> None:
        self.strings = report.strings
        self.panel = panel
        self.on_page = on_page
        self._retrievers = report.result.retrievers
        datasets = (part.dataset for part in report.result)
        self._names = (*self._retrievers, *datasets, report.title)
        # Macros of a module are made once and know the templates' environment.
        self._macros: Any = environment().get_template("blocks.html.j2").module

    def sentence(self, text: str) -> Markup:
        """A sentence of ours."""
        return texts.sentence(text, self._names)

    def number(self, retriever: str | None) -> int | None:
        """The retriever's number; None where there is none, or none of this report."""
        listed = self._retrievers
        return listed.index(retriever) if retriever in listed else None

    def row_number(self, row: Sequence[Cell]) -> int | None:
        """Whose row it is, where it is one retriever's alone."""
        found = {cell.retriever for cell in row if cell.retriever is not None}
        return self.number(found.pop()) if len(found) == 1 else None

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

    def cells(self, row: Sequence[Cell], columns: Sequence[Column]) -> Markup:
        """The cells of a row. No macro, since a page has thousands: this takes a tenth of the time.

        Every text in them is cleaned and escaped here.
        """
        pairs = enumerate(zip(row, columns, strict=True))
        return Markup("\n".join(self._cell(cell, column, not at) for at, (cell, column) in pairs))

    def _cell(self, cell: Cell, column: Column, first: bool) -> str:
        number = self.number(cell.retriever)
        text = self._cell_text(cell)
        tag = "th" if first and column.kind == "text" else "td"
        role = "number" if column.kind == "number" else ""
        level = f" level-{cell.level}" if cell.level != "plain" else ""
        raw = _sorted_by(cell)
        if cell.strong:
            text = f"<strong>{text}</strong>"
        if number is not None and column.kind == "text" and cell.query is None:
            text = f'<span class="named">{self.swatch(number)}{text}</span>'
        return "".join(
            (
                f"<{tag}",
                ' scope="row"' if tag == "th" else "",
                f' class="{role}{level}"' if role or level else "",
                f' data-v="{texts.escaped(raw)}"' if raw is not None else "",
                f' data-r="{number}"' if number is not None else "",
                f' title="{escape(texts.attribute(cell.hint))}"' if cell.hint else "",
                ">",
                self.icon(cell.level) if level else "",
                text,
                f"<sup>{texts.escaped(cell.mark)}</sup>" if cell.mark else "",
                f' <span class="interval">{texts.escaped(cell.interval)}</span>'
                if cell.interval
                else "",
                f"</{tag}>",
            )
        )

    def _cell_text(self, cell: Cell) -> str:
        """The text, as a link where the explorer shows the cell's query or those of its filter."""
        text: str = texts.quoted(cell.text) if cell.quote else texts.escaped(cell.text)
        if cell.quote:
            text = f'<bdi class="quote">{text}</bdi>'
        elif isinstance(cell.value, str):
            text = f"<bdi>{text}</bdi>"
        href = self.on_page and explorer_link(
            self.panel,
            query=cell.query,
            filter=cell.filter,
            cause=cell.cause,
            retriever=cell.retriever,
        )
        return f'<a href="{texts.escaped(href)}">{text}</a>' if href else text.strip()


def _sorted_by(cell: Cell) -> str | None:
    """What a column is sorted by: the number in full precision, or the text.

    None where there is none, and where it is no other than the text that is shown.
    """
    value = cell.value
    if value is None or (isinstance(value, float) and math.isnan(value)) or value == cell.text:
        return None
    return str(int(value)) if isinstance(value, bool) else str(value)
