"""The report as Markdown: one file, its charts beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import ClassVar

from ragscore.elements import Section
from ragscore.elements.show import MarkdownWriter, heading, inline, line, linked
from ragscore.messages import Text, _
from ragscore.report.contents import Contents
from ragscore.report.model import Figure, Trust
from ragscore.report.options import Pictures
from ragscore.report.report import Report

MAX_LINES = 120
"""Lines of a file whose sections nobody named: the first sections that fit."""


def as_markdown(report: Report) -> str:
    """The report, with the default of each choice; its charts are in a folder ``charts`` beside it.

    Where no sections were asked for, it has the first ones, as many as fit; the others are named.
    """
    several = len(report.panels) > 1
    writer = _Writer(report.contents, report.options.pictures, level=3 if several else 2)
    head = [f"# {heading(report.title)}"]
    if report.result.description.strip():
        head.append(line(report.result.description))
    head += [f"> [!WARNING]\n> {line(note)}" for note in report.notes]
    head += writer.section(report.overview) if report.overview is not None else ()
    every = [
        [_section(writer, number, section) for section in panel.sections]
        for number, panel in enumerate(report.panels)
    ]
    shown = every if report.options.sections is not None else _first(every, _lines(head))
    parts = [*head, *_links(report, shown, several=several)]
    for panel, texts in zip(report.panels, shown, strict=True):
        if several:
            parts.append(f"## {heading(panel.dataset)}")
        if panel.facts:
            parts.append(" · ".join(f"{inline(k)}: **{inline(v)}**" for k, v in panel.facts))
        parts += texts
    names = [
        section.id
        for panel, texts in zip(report.panels, shown, strict=True)
        for section in panel.sections[len(texts) :]
    ]
    if left := list(dict.fromkeys(names)):
        more = _("More on the page, and here with --section: {names}.", names=", ".join(left))
        parts.append(line(report.say(more)))
    return "\n\n".join(parts) + "\n"


def _section(writer: _Writer, number: int, section: Section) -> str:
    return "\n\n".join([f'<a id="{_anchor(number, section)}"></a>', *writer.section(section)])


def _lines(parts: Iterable[str]) -> int:
    return sum(part.count("\n") + 2 for part in parts)


def _first(panels: Sequence[Sequence[str]], lines: int) -> list[Sequence[str]]:
    """The first sections of each dataset, as many of all as fit below these lines; at least one."""
    lines += 6 * len(panels)  # the heads of the datasets, and what names the rest
    count = 0
    for count, texts in enumerate(zip_longest(*panels, fillvalue="")):
        lines += _lines(texts)
        if count and lines > MAX_LINES:
            break
    else:
        count += 1
    return [texts[:count] for texts in panels]


def _links(report: Report, shown: Sequence[Sequence[str]], *, several: bool) -> Iterator[str]:
    """To the sections with a title."""
    links = [
        f"- [{linked(_named(section, panel.dataset, several))}](#{_anchor(number, section)})"
        for number, panel in enumerate(report.panels)
        for section in panel.sections[: len(shown[number])]
        if section.title
    ]
    if links:
        yield "\n".join(links)


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
