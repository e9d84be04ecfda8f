"""The report as Markdown: one file, its charts beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from ragscore.elements import Section
from ragscore.elements.markdown import MarkdownWriter, heading, inline, line, linked
from ragscore.messages import Text
from ragscore.report.contents import Contents
from ragscore.report.model import Figure, Trust
from ragscore.report.options import Pictures
from ragscore.report.report import Report


def as_markdown(report: Report) -> str:
    """The whole report, with the default of each choice; its charts are in a folder ``charts``
    beside it."""
    several = len(report.panels) > 1
    writer = _Writer(report.contents, report.options.pictures, level=3 if several else 2)
    parts = [f"# {heading(report.title)}"]
    if report.result.description.strip():
        parts.append(line(report.result.description))
    parts += [f"> [!WARNING]\n> {line(note)}" for note in report.notes]
    parts += writer.section(report.overview) if report.overview is not None else ()
    listed = [
        f"- [{linked(_named(section, panel.dataset, several))}](#{_anchor(number, section)})"
        for number, panel in enumerate(report.panels)
        for section in panel.sections
        if section.title
    ]
    for number, panel in enumerate(report.panels):
        if several:
            parts.append(f"## {heading(panel.dataset)}")
        if panel.facts:
            parts.append(" · ".join(f"{inline(k)}: **{inline(v)}**" for k, v in panel.facts))
        for at, section in enumerate(panel.sections):
            parts.append(f'<a id="{_anchor(number, section)}"></a>')
            parts += writer.section(section)
            if number == at == 0 and listed:
                parts.append("\n".join(listed))
    return "\n\n".join(parts) + "\n"


def _named(section: Section, dataset: str, several: bool) -> Text:
    return f"{dataset}: {section.title}" if several else section.title


def _anchor(number: int, section: Section) -> str:
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", section.id)
    return f"d{number}-{name}" if number else name


class _Writer(MarkdownWriter):
    """Writes a report's own elements too; knows how the charts are named."""

    def __init__(self, found: Contents, pictures: Pictures, level: int) -> None:
        super().__init__(level)
        self.contents = found
        self.pictures = pictures

    def figure(self, element: Figure) -> Iterator[str]:
        """A link to the picture."""
        place = f"charts/{self.contents.name(element)}.{self.pictures}"
        yield f"![{linked(element.title)}](<{place}>)"
        if element.note:
            yield line(element.note)

    def trust(self, element: Trust) -> Iterator[str]:
        """A line for each item that is not good, and how many checks passed."""
        said = [f"- {inline(item.label)}: **{inline(item.value)}**" for item in element.doubts]
        yield "\n".join(said + [f"- {inline(element.passed_text)}"] * bool(element.passed))

    writers: ClassVar = {**MarkdownWriter.writers, Figure: figure, Trust: trust}
