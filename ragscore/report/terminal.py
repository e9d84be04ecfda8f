"""The report in a terminal: the same sections, without charts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ragscore.blocks import Block, Details, Section
from ragscore.blocks.model import known_blocks
from ragscore.blocks.plain import one_line
from ragscore.blocks.text import LEVELS, TextWriter
from ragscore.report.built import BuiltReport
from ragscore.report.model import Trust


def report_text(report: BuiltReport, *, width: int, styled: bool = False) -> str:
    """The report as text.

    Args:
        report: what is shown; of each choice what stands first. What opens on a page is shown
            where its section was asked for by name.
        width: of the terminal, in cells; tables that are wider go on underneath.
        styled: whether to write the escape sequences of colours and bold.
    """
    opened = report.data.options.sections is not None
    writer = _Writer(width, styled=styled, opened=opened)
    parts = [writer.lines(report.title, "title")]
    if report.data.description.strip():
        parts[0] += "\n" + writer.lines(report.data.description, "dim")
    parts += [writer.lines(note, "warning") for note in report.notes]
    for panel in report.panels:
        facts = (f"{one_line(label)} {one_line(value)}" for label, value in panel.facts)
        head = ", ".join(facts) or panel.dataset
        parts.append(writer.lines(head, "bold" if len(report.panels) > 1 else ""))
        for section in panel.sections:
            parts += writer.pieces([section])
            closed = writer.closed(section)
            if closed and not opened:
                more = report.data.strings("terminal_closed", count=closed, name=section.id)
                parts.append(writer.lines(more, "dim"))
    return "\n\n".join(parts)


class _Writer(TextWriter):
    """Writes the trust row too, and counts what opens."""

    def section(self, block: Section) -> Iterator[str]:
        """The heading stands also where all that is under it opens."""
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
