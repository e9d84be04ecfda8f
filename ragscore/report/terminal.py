"""The report in a terminal: the same sections, without charts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ragscore.blocks import Block, Details, Section
from ragscore.blocks.model import known_blocks
from ragscore.blocks.plain import one_line
from ragscore.blocks.terminal_text import LEVELS, TextWriter
from ragscore.report.model import PanelSections, Trust


class SectionWriter(TextWriter):
    """Writes a report's own blocks too, and counts what opens."""

    def head(self, title: str, description: str) -> str:
        """The name of the report and its description."""
        lines = [self.lines(title, "title")]
        return "\n".join(lines + [self.lines(description, "dim")] * bool(description.strip()))

    def panel_facts(self, panel: PanelSections, *, bold: bool) -> str:
        """The dataset of a panel, its sizes and all else that stands in the page's head."""
        facts = (f"{one_line(label)} {one_line(value)}" for label, value in panel.facts)
        return self.lines(", ".join(facts) or panel.dataset, "bold" if bold else "")

    def section(self, block: Section) -> Iterator[str]:
        """The heading is shown even if everything under it is collapsed."""
        if block.title:
            yield self.lines(block.title, "heading")
        yield from self.pieces(block.blocks)

    def trust(self, block: Trust) -> Iterator[str]:
        """Label and value of each item, and what opens under them."""
        rows = [(item.label, item.value) for item in block.items]
        yield self.pairs(rows, [LEVELS[item.level] for item in block.items])
        for item in block.items if self.opened else ():
            yield from self.pieces(item.detail)

    def closed(self, section: Section) -> int:
        """How much of a section opens."""
        shown: list[Block] = list(known_blocks(section.blocks, self.writers))
        items = sum(len(block.items) for block in shown if isinstance(block, Trust))
        return items + sum(isinstance(block, Details) for block in shown)

    writers: ClassVar = {**TextWriter.writers, Section: section, Trust: trust}
