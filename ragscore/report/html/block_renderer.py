"""Each block of the model as markup: one macro of ``blocks.html.j2`` a block."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

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

T = TypeVar("T")
Numbers = tuple[int | None, int | None]
"""The numbers of a baseline and a measure; None: the same for all of them."""
ALL: Numbers = (None, None)

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
        if isinstance(block, Table) and not self._static:
            self.tables[self.copies_key(block)] = block
        if isinstance(block, Listing):
            return Markup()  # a file of its own
        return Markup(getattr(self._macros, MACROS[type(block)])(block, self))

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
            if kind is Trust and len({len(trust.items) for trust in parts.values()}) == 1:
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
        for key, shown in found.items():
            self._variant = key
            made.append(self._macros.variant(tag, *key, holds(key, default), render(shown)))
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
            labels = {key: item.label for key, item in each.items()}
            values = {key: (item.value, item.level) for key, item in each.items()}
            details = {key: item.detail for key, item in each.items()}
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
        """The key of a table's CSV and LaTeX: ``id``, or ``id|baseline|measure``."""
        if self._variant == ALL:
            return table.id
        baseline, measure = ("" if number is None else str(number) for number in self._variant)
        return f"{table.id}|{baseline}|{measure}"

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


def needed(held: Mapping[Numbers, T]) -> dict[Numbers, T]:
    """The fewest variants that show the same: one for all, by measure, by baseline, or every one.

    >>> needed({(0, 0): "a", (0, 1): "b", (1, 0): "a", (1, 1): "b"})
    {(None, 0): 'a', (None, 1): 'b'}
    """
    for keep in ((False, False), (False, True), (True, False)):
        found: dict[Numbers, T] = {}
        for (baseline, measure), shown in held.items():
            key = (baseline if keep[0] else None, measure if keep[1] else None)
            if found.setdefault(key, shown) != shown:
                break
        else:
            return found
    return dict(held)


def holds(variant: Numbers, choice: Numbers) -> bool:
    """Whether a variant is shown for a choice."""
    pairs = zip(variant, choice, strict=True)
    return all(number is None or number == chosen for number, chosen in pairs)
