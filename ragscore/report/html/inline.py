"""What stands within blocks: sentences, the marks of retrievers, icons, and the cells of tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup, escape

from ragscore.blocks import Cell, Column
from ragscore.report.html import plain_text as texts
from ragscore.report.html.templates import environment, retriever_mark
from ragscore.report.html.variants import ALL, Numbers, holds, needed, variant
from ragscore.report.model import explorer_link
from ragscore.report.report import Report

Shown = tuple[str, str, str]
"""What an element of a table shows: the class of its level, attributes and inside as markup."""


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
        self._default = ALL
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

    def owner(self, rows: Iterable[Sequence[Cell]]) -> int | None:
        """Whose row it is, whatever is chosen, where it is one retriever's alone."""
        found = {cell.retriever for row in rows for cell in row if cell.retriever is not None}
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

    def head(self, columns: Mapping[Numbers, Column]) -> Markup:
        """The head of a column for each choice."""
        column = next(iter(columns.values()))
        inside = {key: self._head(shown) for key, shown in columns.items()}
        better = f' data-better="{column.better}"' if column.better else ""
        rest = f' scope="col" data-column="{texts.escaped(column.name)}"{better}'
        return self._differing("th", column.kind, rest, inside)

    def _head(self, column: Column) -> Shown:
        label = texts.isolated(column.label)
        unit = f' <span class="unit">{texts.escaped(column.unit)}</span>' if column.unit else ""
        return "", _title(column.hint), f"{label}{unit}"

    def cells(self, rows: Mapping[Numbers, Sequence[Cell]], columns: Sequence[Column]) -> Markup:
        """The cells of a row for each choice. No macro, since a page has thousands: this takes a
        tenth of the time.

        Every text in them is cleaned and escaped here.
        """
        owner = self.owner(rows.values())
        made = []
        for at, column in enumerate(columns):
            first = at == 0 and column.kind == "text"
            role = "text" if column.kind == "text" and not first else ""
            shown = needed({key: row[at] for key, row in rows.items()})
            inside = {key: self._cell(cell, column, owner) for key, cell in shown.items()}
            tag, rest = ("th", ' scope="row"') if first else ("td", "")
            made.append(self._differing(tag, role, rest, inside))
        return Markup("\n".join(made))

    def _cell(self, cell: Cell, column: Column, owner: int | None) -> Shown:
        number = self.number(cell.retriever)
        text = self._cell_text(cell)
        level = f"level-{cell.level}" if cell.level != "plain" else ""
        raw = _sorted_by(cell)
        if cell.strong:
            text = f"<strong>{text}</strong>"
        if number is not None and column.kind == "text" and cell.query is None:
            text = f'<span class="named">{self.swatch(number)}{text}</span>'
        attributes = (
            f' data-v="{texts.escaped(raw)}"' if raw is not None else "",
            # A row that is one retriever's alone says so for its cells.
            f' data-r="{number}"' if number is not None and owner is None else "",
            _title(cell.hint),
        )
        inside = (
            self.icon(cell.level) if level else "",
            text,
            f"<sup>{texts.escaped(cell.mark)}</sup>" if cell.mark else "",
            f" <small>{texts.escaped(cell.interval)}</small>" if cell.interval else "",
        )
        return level, "".join(attributes), "".join(inside)

    def _differing(self, tag: str, role: str, rest: str, inside: Mapping[Numbers, Shown]) -> Markup:
        """An element of a table with a variant for each choice that differs."""
        found = needed(inside)
        if len(found) == 1:
            ((level, own, content),) = found.values()
            classes = " ".join(filter(None, (role, level)))
        else:
            classes, own = role, ""
            content = "".join(
                variant("span", key, shown, default=holds(key, self._default), level=of, rest=more)
                for key, (of, more, shown) in found.items()
            )
        named = f' class="{classes}"' if classes else ""
        return Markup(f"<{tag}{named}{rest}{own}>{content}</{tag}>")

    def _cell_text(self, cell: Cell) -> str:
        """The text, as a link where the explorer shows the cell's query or those of its filter."""
        text: str = texts.quoted(cell.text) if cell.quote else texts.escaped(cell.text)
        if cell.quote:
            text = f'<bdi class="quote">{text}</bdi>'
        elif isinstance(cell.value, str) and not cell.text.isascii():
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


def _title(hint: str) -> str:
    return f' title="{escape(texts.attribute(hint))}"' if hint else ""
