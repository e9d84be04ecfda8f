"""Each element of the model as markup: one macro of ``elements.html.j2`` an element."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from ragscore.elements import (
    Cell,
    Code,
    Column,
    Details,
    Element,
    Facts,
    Headline,
    Lines,
    Paragraph,
    Section,
    Table,
)
from ragscore.messages import PASSAGES, Message, Text, text_of
from ragscore.names import Language
from ragscore.report.charts.cell_bars import axis_head, bar, sign_key
from ragscore.report.html import plain_text as texts
from ragscore.report.html.page_rules import share_class
from ragscore.report.html.templates import ICONS, environment, notes_place, retriever_mark
from ragscore.report.model import (
    Beside,
    Choice,
    Chosen,
    Excerpt,
    Explorer,
    Figure,
    Listing,
    Swap,
    Trust,
    WithoutScript,
    explorer_link,
)
from ragscore.report.report import Report

MACROS: dict[type, str] = {
    Paragraph: "paragraph",
    Lines: "lines",
    Facts: "facts",
    Code: "code",
    Table: "table",
    Figure: "figure",
    Details: "details",
    Excerpt: "excerpt",
    Beside: "beside",
    Swap: "swap",
    Headline: "headline",
    Trust: "trust",
    Explorer: "explorer",
    WithoutScript: "without_script",
}
"""The macro of each element."""

STACKED = 3
"""From this many columns with intervals on, intervals stand under their numbers."""
MAX_COLUMNS, MAX_TEXTS = 5, 3
"""Columns, and columns of words, that fit a phone: the rows of a wider table are cards there."""

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True)
class Reader:
    """Whom elements are rendered for, and what they may name.

    Attributes:
        language: theirs.
        retrievers: in the order that gives each its number.
        names: others that stand in sentences as they are.
        words: what fills ``{item}`` and the like.
    """

    language: Language
    retrievers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    words: Mapping[str, Message] = field(default_factory=lambda: PASSAGES)

    @classmethod
    def of(cls, report: Report) -> Reader:
        """Who reads a report."""
        result, language = report.result, report.options.language
        names = (*(part.dataset for part in result), report.title)
        return cls(language, tuple(result.retrievers), names, report.words)

    def say(self, text: Text) -> str:
        """A text in the language."""
        return text_of(text, self.language, self.words)


class Renderer:
    """Renders elements of one panel; keeps every id of the page unique.

    Args:
        reader: for names, numbers and texts.
        panel: the number of the panel.
        chosen: what can be chosen in it; its numbers are those of ``data-b`` and ``data-m``.
        ids: the ids that the page has so far.
        prefix: what every id begins with; by default the panel, behind the first one.
        on_page: False for a fragment, which has no explorer, no signs to refer to, and where
            nothing can be swapped.
    """

    def __init__(
        self,
        reader: Reader,
        panel: int = 0,
        chosen: Chosen | None = None,
        *,
        ids: set[str] | None = None,
        prefix: str = "",
        on_page: bool = True,
    ) -> None:
        self.say = reader.say
        self.panel = panel
        self.on_page = on_page
        self.ids = ids if ids is not None else set()
        self.tables: dict[str, Table] = {}
        """The tables that can be copied, by their ids."""
        self.shares: set[tuple[int, ...]] = set()
        self.extras = 0
        """The most columns of a table that are shown only where a reader asks for them."""
        self.explorer = False
        """Whether the query explorer is among the elements."""
        chosen = chosen or Chosen()
        self._baselines = list(chosen.baselines)
        self._measures = [measure for measure, _ in chosen.measures]
        self._prefix = prefix or (f"d{panel}" if panel else "")
        self._static = False
        self._retrievers = reader.retrievers
        self._names = (*reader.retrievers, *reader.names)
        # Macros of a module are made once and know the templates' environment.
        templates = environment(reader.language)
        self._macros: Any = templates.get_template("elements.html.j2").module

    def section(self, section: Section) -> tuple[str, Markup]:
        """A section's id on the page, and the section with its heading."""
        id = self.id(section.id)
        return id, Markup(self._macros.section(section, self, id))

    def elements(self, elements: Iterable[Element]) -> Markup:
        """Elements, one behind the other."""
        return Markup("\n").join(map(self.element, elements))

    def element(self, element: Element) -> Markup:
        """One element."""
        if isinstance(element, Listing):
            return Markup()  # a file of its own
        if isinstance(element, Section):
            return self.section(element)[1]
        return Markup(getattr(self._macros, MACROS[type(element)])(element, self))

    # What macros ask for.

    def id(self, *parts: object) -> str:
        """A new id for an element, unique on the page."""
        pieces = [self._prefix, *map(str, parts)] if self._prefix else [*map(str, parts)]
        name = first = _NOT_IN_IDS.sub("-", "-".join(pieces)) or "part"
        count = 1
        while name in self.ids:
            count += 1
            name = f"{first}-{count}"
        self.ids.add(name)
        return name

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

    def state_icon(self, element: Headline) -> str:
        """The icon of a headline."""
        return ICONS.get(element.state, element.level)

    def share_class(self, beside: Beside) -> str:
        """The class whose rule says how wide the columns are."""
        shares = beside.shares or (1,) * len(beside.parts)
        self.shares.add(shares)
        return share_class(shares)

    def numbers(self, choice: Choice) -> Markup:
        """The attributes that say for which choice a variant is shown."""
        made = ""
        if choice.baseline is not None:
            made += f' data-b="{self._baselines.index(choice.baseline)}"'
        if choice.measure is not None:
            made += f' data-m="{self._measures.index(choice.measure)}"'
        return Markup(made)

    def without_script(self, element: WithoutScript) -> Markup:
        """Elements that a page with a script shows in print alone: nothing in them is copied."""
        before, self._static = self._static, True
        inside = self.elements(element.elements)
        self._static = before
        return inside

    def notes_place(self) -> Markup:
        """Where the page puts the notes on what the explorer leaves out."""
        self.explorer = True
        return notes_place(self.panel)

    # Tables.

    def table_id(self, table: Table) -> str:
        """The id of a table, which can be copied."""
        id = self.id("table", table.id)
        self.extras = max(self.extras, sum(column.extra for column in table.columns))
        if not self._static:
            self.tables[id] = table
        return id

    def classes(self, table: Table) -> str:
        """How a table is set: with drawings in it, or with intervals under their numbers; on a
        phone as cards."""
        if drawn := sum(column.axis is not None for column in table.columns):
            return "drawn" if drawn == 1 else "drawn matrix"
        stacked = sum(column.interval for column in table.columns) >= STACKED
        shown = [column.kind for column in table.columns if not column.extra]
        wide = len(shown) > MAX_COLUMNS or shown.count("text") > MAX_TEXTS
        return " ".join(["stacked"] * stacked + ["cards"] * (wide and not self._static))

    def sign(self, sign: str) -> Markup:
        """What a mark looks like."""
        return Markup(sign_key(sign))

    def owner(self, row: Sequence[Cell]) -> int | None:
        """Whose row it is, where it is one retriever's alone."""
        found = {cell.retriever for cell in row if cell.retriever is not None}
        return self.number(found.pop()) if len(found) == 1 else None

    def heads(self, table: Table) -> Markup:
        """The heads of the columns."""
        made = []
        for column, extra in zip(table.columns, _extras(table), strict=True):
            unit = f' <span class="unit">{texts.escaped(column.unit)}</span>' if column.unit else ""
            axis = axis_head(column.axis) if column.axis else ""
            place = " bar-place" if column.axis else ""
            better = f' data-better="{column.better}"' if column.better else ""
            name, label = texts.escaped(column.name), texts.isolated(column.label)
            if column.opens is not None and self.on_page:
                label = Markup('<label for="pick-d{}">{}</label>').format(column.opens, label)
            made.append(
                f'<th class="{column.kind}{place}" scope="col" data-column="{name}"'
                f"{better}{extra}{_title(column.hint)}>"
                f"{label}{unit}{axis}</th>"
            )
        return Markup("\n".join(made))

    def cells(self, table: Table, row: Sequence[Cell]) -> Markup:
        """The cells of a row. No macro, since a page has thousands: this takes a tenth of the time.

        Every text in them is cleaned and escaped here.
        """
        owner, made, classes = self.owner(row), [], self.classes(table)
        labelled = "drawn" in classes or "cards" in classes
        columns = zip(table.columns, row, _extras(table), strict=True)
        for at, (column, cell, extra) in enumerate(columns):
            first = at == 0 and column.kind == "text"
            tag, rest = ("th", ' scope="row"') if first else ("td", "")
            roles = ["text"] * (column.kind == "text" and not first)
            roles += ["bar-place"] * (column.axis is not None)
            roles += [f"level-{cell.level}"] * (cell.level != "plain")
            named = f' class="{" ".join(roles)}"' if roles else ""
            label = f' data-label="{texts.escaped(column.head)}"' if labelled and at else ""
            own = self._attributes(cell, owner)
            inside = self._cell(cell, column, owner)
            made.append(f"<{tag}{named}{rest}{extra}{label}{own}>{inside}</{tag}>")
        return Markup("\n".join(made))

    def _attributes(self, cell: Cell, owner: int | None) -> str:
        raw, number = _sorted_by(cell), self.number(cell.retriever)
        value = f' data-v="{texts.escaped(raw)}"' if raw is not None else ""
        # A row that is one retriever's alone says so for its cells.
        whose = f' data-r="{number}"' if number is not None and owner is None else ""
        return f"{value}{whose}{_title(cell.hint)}"

    def _cell(self, cell: Cell, column: Column, owner: int | None) -> str:
        number, text = self.number(cell.retriever), self._text(cell)
        interval = f" <small>{texts.escaped(cell.interval)}</small>" if cell.interval else ""
        sign = f"<sup>{texts.escaped(cell.mark)}</sup>" if cell.mark else ""
        if cell.strong:
            text = f"<strong>{text}</strong>"
        if cell.detail:
            text = (
                f'<span>{text} <small class="detail">{texts.isolated(cell.detail)}</small></span>'
            )
        if number is not None and column.kind == "text" and cell.query is None:
            text = f'<span class="named">{self.swatch(number)}{text}</span>'
        if column.axis is not None:
            whose = owner if number is None else number
            if cell.value is None or (cell.bar is not None and cell.bar.value == cell.value):
                drawing = bar(cell.bar, cell.mark, column.axis, whose, cell.text)
                return f'{drawing}<span class="unseen">{text}{sign}{interval}</span>'
            drawing = bar(cell.bar, cell.mark, column.axis, whose)
            return f'{text}<span class="unseen">{sign}</span>{drawing}'
        icon = self.icon(cell.level) if cell.level != "plain" else ""
        return f"{icon}{text}{sign}{interval}"

    def _text(self, cell: Cell) -> str:
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


def _extras(table: Table) -> list[str]:
    """By column, the attribute of those that are shown only where a reader asks for them."""
    numbers = iter(range(len(table.columns)))
    return [f' data-x="{next(numbers)}"' if column.extra else "" for column in table.columns]


def _sorted_by(cell: Cell) -> str | None:
    """What a column is sorted by: the number in full precision, or the text.

    None without a value, or if it equals the text that is shown.
    """
    value = cell.value
    if value is None or (isinstance(value, float) and math.isnan(value)) or value == cell.text:
        return None
    return str(int(value)) if isinstance(value, bool) else str(value)


def _title(hint: Text) -> str:
    return f' title="{escape(texts.attribute(hint))}"' if hint else ""
