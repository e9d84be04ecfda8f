"""Each block of the model as markup: one macro of ``blocks.html.j2`` a block."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ragscore.blocks import (
    Block,
    Code,
    Details,
    Facts,
    Headline,
    Level,
    Paragraph,
    Section,
    Table,
)
from ragscore.report.charts.text_room import text_width
from ragscore.report.html.inline import InlineRenderer
from ragscore.report.html.page_rules import share_class
from ragscore.report.html.templates import ICONS, notes_place
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
from ragscore.report.model import (
    Beside,
    Choice,
    Chosen,
    Explorer,
    Figure,
    Listing,
    Swap,
    Trust,
    WithoutScript,
)
from ragscore.report.report import Report

MACROS: dict[type, str] = {
    Paragraph: "paragraph",
    Facts: "facts",
    Code: "code",
    Table: "table",
    Figure: "figure",
    Details: "details",
    Beside: "beside",
    Swap: "swap",
    Headline: "headline",
    Trust: "trust",
    Explorer: "explorer",
    WithoutScript: "without_script",
}
"""The macro of each block."""

STACKED = 3
"""From this many columns with intervals on, intervals stand under their numbers."""

LONG = 165
"""A verdict wider than this, in heights of its letters, is set in smaller letters."""

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_.-]+")


class BlockRenderer(InlineRenderer):
    """Renders blocks of one panel; keeps every id of the page unique.

    Args:
        report: for names, numbers and texts.
        panel: the number of the panel.
        chosen: what can be chosen in it; its numbers are those of ``data-b`` and ``data-m``.
        ids: the ids that the page has so far.
        prefix: what every id begins with; by default the panel, behind the first one.
        on_page: False for a fragment, where nothing can be swapped and no explorer stands.
    """

    def __init__(
        self,
        report: Report,
        panel: int = 0,
        chosen: Chosen | None = None,
        *,
        ids: set[str] | None = None,
        prefix: str = "",
        on_page: bool = True,
    ) -> None:
        super().__init__(report, panel, on_page=on_page)
        self._prefix = prefix or (f"d{panel}" if panel else "")
        self.ids = ids if ids is not None else set()
        self.shares: set[tuple[int, ...]] = set()
        self.tables: dict[str, Table] = {}
        """Every table of the panel, by the key of its copies."""
        self.explorer = False
        """Whether the query explorer is among the blocks."""
        chosen = chosen or Chosen()
        self._baselines = {name: at for at, name in enumerate(chosen.baselines)}
        self._measures = {measure: at for at, (measure, _) in enumerate(chosen.measures)}
        self._variant = ALL
        self._static = False

    def section(self, section: Section) -> tuple[str, Markup]:
        """A section's id on the page, and the section with its heading."""
        id = self.id(section.id)
        return id, Markup(self._macros.section(section, self, id))

    def blocks(self, blocks: Iterable[Block]) -> Markup:
        """Blocks, one behind the other."""
        return Markup("\n").join(map(self.block, blocks))

    def block(self, block: Block) -> Markup:
        """One block."""
        if isinstance(block, Listing):
            return Markup()  # a file of its own
        return Markup(getattr(self._macros, MACROS[type(block)])(block, self))

    # What macros ask for.

    def swap(self, block: Swap) -> Markup:
        """All variants of a swap on the page, block by block; its default in a fragment."""
        if not self.on_page:
            return self.blocks(block.shown)
        before, self._default = self._default, self._numbers(block.default)
        made = self._merged(
            {self._numbers(choice): blocks for choice, blocks in block.variants.items()}
        )
        self._default = before
        return made

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

    def _merged(self, held: Mapping[Numbers, Sequence[Block]]) -> Markup:
        """The blocks of each choice, place by place, those that are built alike as one block with
        variants inside."""
        lengths = {len(blocks) for blocks in held.values()}
        if len(lengths) > 1:
            return self._variants(held, self.blocks)
        places = ({key: blocks[at] for key, blocks in held.items()} for at in range(lengths.pop()))
        return Markup("\n").join(map(self._place, places))

    def _place(self, held: Mapping[Numbers, Any]) -> Markup:
        found = needed(held)
        kinds = {type(block) for block in found.values()}
        if kinds == {Table}:
            return self._tables(found)
        if kinds <= {Trust, Beside} and alike(found.values()):
            return self._trust(found) if kinds == {Trust} else self._beside(found)
        return self._variants(found, self.block)

    def table(self, block: Table) -> Markup:
        """A table, the same for every choice."""
        return self._table({self._variant: block})

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
            "notes": self._variants({k: t.notes for k, t in tables.items()}, self._notes),
        }
        return Markup(self._macros.table_of(first, shown, self))

    def _notes(self, notes: Sequence[str]) -> Markup:
        return Markup(self._macros.notes(notes, self)) if notes else Markup()

    def beside(self, block: Beside) -> Markup:
        """Columns of blocks, the same for every choice."""
        return self._beside({ALL: block})

    def _beside(self, held: Mapping[Numbers, Beside]) -> Markup:
        first = next(iter(held.values()))
        parts = [
            self._merged({key: block.parts[at] for key, block in held.items()})
            for at in range(len(first.parts))
        ]
        return Markup(self._macros.columns(self.share_class(first), parts))

    def trust(self, block: Trust) -> Markup:
        """The trust row, the same for every choice."""
        return self._trust({ALL: block})

    def _trust(self, held: Mapping[Numbers, Trust]) -> Markup:
        """One trust row for all choices, swapped inside: what is open stays open."""
        items = []
        for at, shown in enumerate(next(iter(held.values())).items):
            each = {key: trust.items[at] for key, trust in held.items()}
            labels = {key: item.label for key, item in each.items()}
            values = {key: (item.value, item.level) for key, item in each.items()}
            details = {key: item.detail for key, item in each.items()}
            items.append(
                {
                    "id": self.id(shown.id) if shown.id else None,
                    "label": self._variants(labels, self.sentence, "span"),
                    "value": self._variants(values, self._trust_value, "span"),
                    "detail": self._merged(details),
                }
            )
        return Markup(self._macros.trust_row(items, self.id("trust")))

    def _trust_value(self, shown: tuple[str, Level]) -> Markup:
        return Markup(self._macros.trust_value(*shown, self))

    def _numbers(self, choice: Choice) -> Numbers:
        """The numbers of a choice's baseline and measure."""
        return (
            None if choice.baseline is None else self._baselines[choice.baseline],
            None if choice.measure is None else self._measures[choice.measure],
        )

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

    def is_long(self, text: str) -> bool:
        """Whether a verdict needs more than three lines in large letters."""
        return text_width(text, 1) > LONG

    def state_icon(self, block: Headline) -> str:
        """The icon of a headline."""
        return ICONS.get(block.state, block.level)

    def stacked(self, table: Table) -> bool:
        """Whether intervals go under their numbers, since several columns have one."""
        return sum(column.interval for column in table.columns) >= STACKED

    def share_class(self, beside: Beside) -> str:
        """The class whose rule says how wide the columns are."""
        shares = beside.shares or (1,) * len(beside.parts)
        self.shares.add(shares)
        return share_class(shares)

    def without_script(self, block: WithoutScript) -> Markup:
        """Blocks that a page with a script shows in print alone: nothing in them is copied."""
        before, self._static = self._static, True
        inside = self.blocks(block.blocks)
        self._static = before
        return inside

    def notes_place(self) -> Markup:
        """Where the page puts what the explorer had to leave out."""
        self.explorer = True
        return notes_place(self.panel)


def copies_key(table: Table, key: Iterable[object]) -> str:
    """The key of a table's CSV and LaTeX: ``id``, or ``id|baseline|measure``; a star stands for
    what is chosen."""
    choice = ["" if at is None else str(at) for at in key]
    return "|".join([table.id, *choice]) if any(choice) else table.id


def _within(key: Numbers, own: Numbers) -> Numbers:
    """What is left to choose where ``own`` is chosen."""
    return (None if own[0] is not None else key[0], None if own[1] is not None else key[1])
