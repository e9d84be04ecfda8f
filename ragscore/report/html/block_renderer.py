"""Each block of the model as markup: one macro of ``blocks.html.j2`` a block."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from markupsafe import Markup

from ragscore.blocks import (
    Block,
    Cell,
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
from ragscore.report.data import ReportData
from ragscore.report.html import plain_text as texts
from ragscore.report.html.templates import ICONS, environment, notes_place, retriever_mark
from ragscore.report.html.variants import ALL, Numbers, holds, needed
from ragscore.report.model import (
    Beside,
    Choice,
    Chosen,
    Explorer,
    Figure,
    Swap,
    Trust,
    WithoutScript,
    explorer_link,
)

T = TypeVar("T")
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
"""So many columns with intervals, and these stand under their numbers."""

LONG = 165
"""A wider verdict, in heights of its letters, stands in smaller ones."""

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_.-]+")


class BlockRenderer:
    """Renders blocks of one panel; keeps every id of the page unique.

    Args:
        data: names, numbers and words of the report.
        panel: the number of the panel.
        chosen: what can be chosen in it; its numbers are those of ``data-b`` and ``data-m``.
        ids: the ids that the page has so far.
        prefix: what every id begins with; by default the panel, behind the first one.
        on_page: False for a fragment, where nothing can be swapped and no explorer stands.
    """

    def __init__(
        self,
        data: ReportData,
        panel: int = 0,
        chosen: Chosen | None = None,
        *,
        ids: set[str] | None = None,
        prefix: str = "",
        on_page: bool = True,
    ) -> None:
        self.data = data
        self.strings = data.strings
        self.panel = panel
        self._prefix = prefix or (f"d{panel}" if panel else "")
        self.on_page = on_page
        self.ids = ids if ids is not None else set()
        self.shares: set[tuple[int, ...]] = set()
        self.tables: dict[str, Table] = {}
        """Every table of the panel, by the key of its copies."""
        self._baselines = {one: at for at, one in enumerate(chosen.baselines if chosen else ())}
        self._measures = {one: at for at, (one, _) in enumerate(chosen.measures if chosen else ())}
        self._names = (*data.retrievers, *(one.dataset for one in data.panels), data.name)
        self._variant = ALL
        self._static = False
        # Macros of a module are made once and know the templates' environment.
        self._macros: Any = environment().get_template("blocks.html.j2").module

    def section(self, section: Section) -> tuple[str, Markup]:
        """A section's id on the page, and the section with its heading."""
        id = self.id(section.id)
        return id, Markup(self._macros.section(section, self, id))

    def blocks(self, blocks: Iterable[Block]) -> Markup:
        """Blocks, one behind the other."""
        return Markup("\n").join(self.block(one) for one in blocks)

    def block(self, block: Block) -> Markup:
        """One block."""
        if isinstance(block, Table) and not self._static:
            self.tables[self.copies_key(block)] = block
        return self._call(MACROS[type(block)], block)

    def _call(self, macro: str, block: object) -> Markup:
        return Markup(getattr(self._macros, macro)(block, self))

    # What macros ask for.

    def swap(self, block: Swap) -> Markup:
        """All variants of a swap on the page, block by block; its default in a fragment."""
        if not self.on_page:
            return self.blocks(block.shown)
        held = {self._numbers(choice): blocks for choice, blocks in block.variants.items()}
        default = self._numbers(block.default)
        kinds = {tuple(map(type, blocks)) for blocks in held.values()}
        if len(kinds) > 1:
            return self._variants(held, default, self.blocks)
        made = []
        for at, kind in enumerate(kinds.pop()):
            parts: dict[Numbers, Any] = {key: blocks[at] for key, blocks in held.items()}
            if kind is Trust and len({len(one.items) for one in parts.values()}) == 1:
                made.append(self._trust(parts, default))
            else:
                made.append(self._variants(parts, default, self.block))
        return Markup("\n").join(made)

    def _variants(
        self,
        held: Mapping[Numbers, T],
        default: Numbers,
        render: Callable[[T], Markup],
        tag: str = "div",
    ) -> Markup:
        """What is rendered for each choice; once where it is the same for all."""
        found, before = needed(held), self._variant
        if set(found) == {ALL}:
            return render(found[ALL])
        made = []
        for key, one in found.items():
            self._variant = key
            made.append(self._macros.variant(tag, *key, holds(key, default), render(one)))
        self._variant = before
        return Markup("\n").join(made)

    def trust(self, block: Trust) -> Markup:
        """The trust row, the same for every choice."""
        return self._trust({ALL: block}, ALL)

    def _trust(self, held: Mapping[Numbers, Trust], default: Numbers) -> Markup:
        """One trust row for all choices, swapped inside: what is open stays open."""
        items = []
        for at, shown in enumerate(held[default].items):
            each = {key: trust.items[at] for key, trust in held.items()}
            labels = {key: one.label for key, one in each.items()}
            values = {key: (one.value, one.level) for key, one in each.items()}
            details = {key: one.detail for key, one in each.items()}
            items.append(
                {
                    "id": self.id(shown.id) if shown.id else None,
                    "label": self._variants(labels, default, self.sentence, "span"),
                    "value": self._variants(values, default, self._trust_value, "span"),
                    "detail": self._variants(details, default, self.blocks),
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

    def copies_key(self, table: Table) -> str:
        """Under which a table's CSV and LaTeX stand: ``id``, or ``id|baseline|measure``."""
        if self._variant == ALL:
            return table.id
        baseline, measure = ("" if one is None else str(one) for one in self._variant)
        return f"{table.id}|{baseline}|{measure}"

    def id(self, *parts: object) -> str:
        """A new id for an element, unique on the page."""
        pieces = [str(one) for one in parts]
        if self._prefix:
            pieces.insert(0, self._prefix)
        letters = zip("bm", self._variant, strict=True)
        pieces += [f"{letter}{one}" for letter, one in letters if one is not None]
        name = first = _NOT_IN_IDS.sub("-", "-".join(pieces)) or "part"
        count = 1
        while name in self.ids:
            count += 1
            name = f"{first}-{count}"
        self.ids.add(name)
        return name

    def sentence(self, text: str) -> Markup:
        """A sentence of ours."""
        return texts.sentence(text, self._names)

    def is_long(self, text: str) -> bool:
        """Whether a verdict needs more than three lines in large letters."""
        return text_width(text, 1) > LONG

    isolated = staticmethod(texts.isolated)
    attribute = staticmethod(texts.attribute)

    def number(self, retriever: str | None) -> int | None:
        """The retriever's number; None where there is none, or none of this report."""
        return self.data.number(retriever) if retriever in self.data.retrievers else None

    def row_number(self, row: tuple[Cell, ...]) -> int | None:
        """Whose row it is, where it is one retriever's alone."""
        found = {cell.retriever for cell in row if cell.retriever is not None}
        return self.number(found.pop()) if len(found) == 1 else None

    def raw(self, cell: Cell) -> str | None:
        """What a column is sorted by: the number in full precision, or the text.

        None where there is none, and where it is no other than the text that is shown.
        """
        value = cell.value
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return None
        if value == cell.text:
            return None
        return str(int(value)) if isinstance(value, bool) else str(value)

    def href(self, cell: Cell) -> str | None:
        """Where the explorer shows the cell's query, or the queries of its filter."""
        if not self.on_page:
            return None
        return explorer_link(
            self.panel,
            query=cell.query,
            filter=cell.filter,
            cause=cell.cause,
            retriever=cell.retriever,
        )

    def state_icon(self, block: Headline) -> str:
        """The icon of a headline."""
        return ICONS.get(block.state, block.level)

    def stacked(self, table: Table) -> bool:
        """Whether intervals stand under their numbers, since several columns have one."""
        return sum(column.interval for column in table.columns) >= STACKED

    def share_class(self, beside: Beside) -> str:
        """The class whose rule says how wide the columns are."""
        shares = beside.shares or (1,) * len(beside.parts)
        self.shares.add(shares)
        return share_class(shares)

    def svg(self, figure: Figure) -> Markup:
        """The inside of a figure's SVG, which ``charts`` made and escaped."""
        return Markup(figure.drawing.markup)

    def without_script(self, block: WithoutScript) -> Markup:
        """Blocks that a page with a script shows in print alone: nothing in them is copied."""
        before, self._static = self._static, True
        inside = self.blocks(block.blocks)
        self._static = before
        return inside

    def swatch(self, number: int | None) -> Markup:
        """A retriever's mark, its shape in its colour: the page has each once."""
        if number is None:
            return Markup("")
        if not self.on_page:
            return retriever_mark(number)
        return Markup('<svg class="chart-key"><use href="#key-{}"/></svg>').format(number)

    def icon(self, name: str) -> Markup:
        """A small sign: the page has each once."""
        if not self.on_page:
            return Markup(self._macros.drawn_icon(name))
        return Markup('<svg class="icon"><use href="#icon-{}"/></svg>').format(name)

    def notes_place(self) -> Markup:
        """Where the page puts what the explorer had to leave out."""
        return notes_place(self.panel)


def share_class(shares: tuple[int, ...]) -> str:
    """The class of columns with these shares: ``beside-2-3``."""
    return "beside-" + "-".join(str(int(one)) for one in shares)
