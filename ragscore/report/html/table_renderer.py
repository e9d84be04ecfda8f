"""Tables as markup: one for every choice of baseline and measure, with variants in the cells where
the choices differ."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from markupsafe import Markup, escape

from ragscore.elements import Cell, Column, Table
from ragscore.messages import Text
from ragscore.report.html import plain_text as texts
from ragscore.report.html.inline import InlineRenderer
from ragscore.report.html.variants import (
    ALL,
    Numbers,
    T,
    alike,
    by_measure,
    holds,
    needed,
    variant,
)
from ragscore.report.report import Report

STACKED = 3
"""From this many columns with intervals on, intervals stand under their numbers."""

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_.-]+")
Shown = tuple[str, str, str]
"""What an element of a table shows: the class of its level, attributes and inside as markup."""


class TableRenderer(InlineRenderer):
    """Renders tables, and what has a variant for each choice; keeps every id of the page unique.

    Args:
        report: for names, numbers and texts.
        panel: the number of the panel.
        ids: the ids that the page has so far.
        prefix: what every id begins with; by default the panel, behind the first one.
        on_page: False for a fragment.
    """

    def __init__(
        self,
        report: Report,
        panel: int = 0,
        *,
        ids: set[str] | None = None,
        prefix: str = "",
        on_page: bool = True,
    ) -> None:
        super().__init__(report, panel, on_page=on_page)
        self._prefix = prefix or (f"d{panel}" if panel else "")
        self.ids = ids if ids is not None else set()
        self.tables: dict[str, Table] = {}
        """Every table of the panel, by the key of its copies."""
        self._default = self._variant = ALL
        self._static = False

    def id(self, *parts: object) -> str:
        """A new id for an element, unique on the page."""
        pieces = [self._prefix, *map(str, parts)] if self._prefix else [*map(str, parts)]
        choice = zip("bm", self._variant, strict=True)
        pieces += [f"{letter}{number}" for letter, number in choice if number is not None]
        name = first = _NOT_IN_IDS.sub("-", "-".join(pieces)) or "part"
        count = 1
        while name in self.ids:
            count += 1
            name = f"{first}-{count}"
        self.ids.add(name)
        return name

    def _variants(
        self, held: Mapping[Numbers, T], render: Callable[[T], Markup], tag: str = "div"
    ) -> Markup:
        """What is rendered for each choice; once where it is the same for all."""
        found, before = needed(held), self._variant
        if set(found) == {ALL}:
            return render(found[ALL])
        made = []
        for key, shown in found.items():
            self._variant = key
            made.append(variant(tag, key, render(shown), default=holds(key, self._default)))
        self._variant = before
        return Markup("\n").join(made)

    def table(self, element: Table) -> Markup:
        """A table, the same for every choice."""
        return self._table({self._variant: element})

    def _tables(self, held: Mapping[Numbers, Table]) -> Markup:
        """One table for all choices where most of it is the same, else one for those of a measure,
        else one for each choice."""
        if alike(held.values()):
            return self._table(held)
        made, before = [], self._variant
        for measure, of_measure in by_measure(held).items():
            groups = [of_measure]
            if not alike(of_measure.values()):
                groups = [{key: table} for key, table in of_measure.items()]
            for group in groups:
                self._variant = next(iter(group)) if len(group) == 1 else (None, measure)
                default = holds(self._variant, self._default)
                made.append(variant("div", self._variant, self._table(group), default=default))
        self._variant = before
        return Markup("\n").join(made)

    def _table(self, held: Mapping[Numbers, Table]) -> Markup:
        """One table, with variants inside where the choices differ."""
        own = self._variant
        tables = {_within(key, own): table for key, table in held.items()}
        if not self._static:
            self.tables |= {copies_key(table, key): table for key, table in held.items()}
        first = next(iter(tables.values()))
        varying = [any(key[at] is not None for key in tables) for at in (0, 1)]
        place = tuple("*" if varies else at for varies, at in zip(varying, own, strict=True))
        titles = {key: table.title for key, table in tables.items()}
        columns = zip(*(table.columns for table in tables.values()), strict=True)
        rows = zip(*(table.rows for table in tables.values()), strict=True)
        rows_held = [dict(zip(tables, row, strict=True)) for row in rows]
        shown = {
            "id": self.id("table", first.id),
            "copies": copies_key(first, place),
            "caption": self._variants(titles, self.sentence, "span") if first.title else "",
            "heads": [self.head(dict(zip(tables, column, strict=True))) for column in columns],
            "rows": [
                (self.owner(row.values()), self.cells(row, first.columns)) for row in rows_held
            ],
            "notes": self._variants({k: t.lines_under for k, t in tables.items()}, self._notes),
        }
        return Markup(self._macros.table_of(first, shown, self))

    def _notes(self, notes: Sequence[Text]) -> Markup:
        return Markup(self._macros.notes(notes, self)) if notes else Markup()

    def stacked(self, table: Table) -> bool:
        """Whether intervals go under their numbers, since several columns have one."""
        return sum(column.interval for column in table.columns) >= STACKED

    def owner(self, rows: Iterable[Sequence[Cell]]) -> int | None:
        """Whose row it is, whatever is chosen, where it is one retriever's alone."""
        found = {cell.retriever for row in rows for cell in row if cell.retriever is not None}
        return self.number(found.pop()) if len(found) == 1 else None

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
        text = self.cell_text(cell)
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


def copies_key(table: Table, key: Iterable[object]) -> str:
    """The key of a table's CSV and LaTeX: ``id``, or ``id|baseline|measure``; a star stands for
    what is chosen."""
    choice = ["" if at is None else str(at) for at in key]
    return "|".join([table.id, *choice]) if any(choice) else table.id


def _within(key: Numbers, own: Numbers) -> Numbers:
    """What is left to choose where ``own`` is chosen."""
    return (None if own[0] is not None else key[0], None if own[1] is not None else key[1])


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
