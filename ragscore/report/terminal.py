"""The report in a terminal: the same sections, without charts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ragscore.elements import Details, Element, Section
from ragscore.elements.model import known_elements
from ragscore.elements.plain import one_line
from ragscore.elements.show import LEVELS, TextWriter
from ragscore.report.model import PanelSections, Trust


class SectionWriter(TextWriter):
    """Writes a report's own elements too, and counts those that open."""

    def head(self, title: str, description: str) -> str:
        """The name of the report and its description."""
        lines = [self.lines(title, "title")]
        return "\n".join(lines + [self.lines(description, "dim")] * bool(description.strip()))

    def panel_facts(self, panel: PanelSections, *, bold: bool) -> str:
        """The facts in the head of a panel, such as the dataset and its sizes."""
        facts = (f"{one_line(label)} {one_line(value)}" for label, value in panel.facts)
        return self.lines(", ".join(facts) or panel.dataset, "bold" if bold else "")

    def section(self, element: Section) -> Iterator[str]:
        """The heading is shown even if everything under it is collapsed."""
        if element.title:
            yield self.lines(element.title, "heading")
        yield from self.pieces(element.elements)

    def trust(self, element: Trust) -> Iterator[str]:
        """What is not as it should be and how many checks passed; details where they are
        opened."""
        yield self.pairs((item.label, item.value, LEVELS[item.level]) for item in element.doubts)
        if element.passed:
            yield self.lines(element.passed_text, "dim")
        for item in element.items if self.opened else ():
            yield from self.pieces(item.detail)

    def closed(self, section: Section) -> int:
        """How many elements of a section open."""
        shown: list[Element] = list(known_elements(section.elements, self.writers))
        items = sum(len(element.items) for element in shown if isinstance(element, Trust))
        return items + sum(isinstance(element, Details) for element in shown)

    writers: ClassVar = {**TextWriter.writers, Section: section, Trust: trust}
