"""Each element of the model as markup: one macro of ``elements.html.j2`` an element."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from ragscore.elements import (
    Code,
    Details,
    Element,
    Facts,
    Headline,
    Level,
    Lines,
    Paragraph,
    Section,
    Table,
)
from ragscore.messages import Text
from ragscore.report.charts.text_room import text_width
from ragscore.report.html.page_rules import share_class
from ragscore.report.html.table_renderer import TableRenderer
from ragscore.report.html.templates import ICONS, notes_place
from ragscore.report.html.variants import ALL, Numbers, alike, needed
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

LONG = 165
"""A verdict wider than this, in heights of its letters, is set in smaller letters."""


class ElementRenderer(TableRenderer):
    """Renders elements of one panel; keeps every id of the page unique.

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
        super().__init__(report, panel, ids=ids, prefix=prefix, on_page=on_page)
        self.shares: set[tuple[int, ...]] = set()
        self.explorer = False
        """Whether the query explorer is among the elements."""
        chosen = chosen or Chosen()
        self._baselines = {name: at for at, name in enumerate(chosen.baselines)}
        self._measures = {measure: at for at, (measure, _) in enumerate(chosen.measures)}

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

    def swap(self, element: Swap) -> Markup:
        """All variants of a swap on the page, element by element; its default in a fragment."""
        if not self.on_page:
            return self.elements(element.shown)
        before, self._default = self._default, self._numbers(element.default)
        made = self._merged(
            {self._numbers(choice): elements for choice, elements in element.variants.items()}
        )
        self._default = before
        return made

    def _merged(self, held: Mapping[Numbers, Sequence[Element]]) -> Markup:
        """The elements of each choice, place by place, those that are built alike as one with
        variants inside."""
        lengths = {len(elements) for elements in held.values()}
        if len(lengths) > 1:
            return self._variants(held, self.elements)
        places = (
            {key: elements[at] for key, elements in held.items()} for at in range(lengths.pop())
        )
        return Markup("\n").join(map(self._place, places))

    def _place(self, held: Mapping[Numbers, Any]) -> Markup:
        found = needed(held)
        kinds = {type(element) for element in found.values()}
        if kinds == {Table}:
            return self._tables(found)
        if kinds <= {Trust, Beside} and alike(found.values()):
            return self._trust(found) if kinds == {Trust} else self._beside(found)
        return self._variants(found, self.element)

    def beside(self, element: Beside) -> Markup:
        """Columns of elements, the same for every choice."""
        return self._beside({ALL: element})

    def _beside(self, held: Mapping[Numbers, Beside]) -> Markup:
        first = next(iter(held.values()))
        parts = [
            self._merged({key: element.parts[at] for key, element in held.items()})
            for at in range(len(first.parts))
        ]
        return Markup(self._macros.columns(self.share_class(first), parts))

    def trust(self, element: Trust) -> Markup:
        """The trust row, the same for every choice."""
        return self._trust({ALL: element})

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

    def _trust_value(self, shown: tuple[Text, Level]) -> Markup:
        return Markup(self._macros.trust_value(*shown, self))

    def _numbers(self, choice: Choice) -> Numbers:
        """The numbers of a choice's baseline and measure."""
        return (
            None if choice.baseline is None else self._baselines[choice.baseline],
            None if choice.measure is None else self._measures[choice.measure],
        )

    def is_long(self, text: str) -> bool:
        """Whether a verdict needs more than three lines in large letters."""
        return text_width(text, 1) > LONG

    def state_icon(self, element: Headline) -> str:
        """The icon of a headline."""
        return ICONS.get(element.state, element.level)

    def share_class(self, beside: Beside) -> str:
        """The class whose rule says how wide the columns are."""
        shares = beside.shares or (1,) * len(beside.parts)
        self.shares.add(shares)
        return share_class(shares)

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
