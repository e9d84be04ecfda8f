"""The report as Markdown that GitHub renders: one file, its charts beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from html import escape as html_escape
from typing import TYPE_CHECKING, Any

from ragscore.report.contents import Contents, contents, static
from ragscore.report.model import (
    Block,
    Cell,
    Code,
    Details,
    Facts,
    Figure,
    Headline,
    Paragraph,
    Section,
    Table,
    Trust,
)
from ragscore.report.options import Pictures
from ragscore.report.plain import one_line, plain

if TYPE_CHECKING:
    from ragscore.report.build import Report

_MARKUP = re.compile(r"[\\`*_~|]|\](?=[(:\[])")
_IN_LINKS = re.compile(r"[\\`*_~|\[\]]")
_WEB = re.compile(r"(?i)(https?|ftp)(?=://)|www(?=\.)")
_FIRST = re.compile(r"^([+\-=#])|^(\d+)(?=[.)](\s|$))")


def inline(text: str) -> str:
    r"""A text on one line, nothing in it markup.

    >>> print(inline("<b> a_1 | [2*3](x)"))
    &lt;b&gt; a\_1 \| [2\*3\](x)
    """
    return _safe(_MARKUP.sub(r"\\\g<0>", one_line(text)))


def linked(text: str) -> str:
    r"""The same between the brackets of a link or image.

    >>> print(linked("a [b"))
    a \[b
    """
    return _safe(_IN_LINKS.sub(r"\\\g<0>", one_line(text)))


def _safe(text: str) -> str:
    """Text whose Markdown is escaped, without HTML, links and formulas."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = _WEB.sub(r"\g<0><span></span>", text)  # no links of others
    return text.replace("$", "<span>$</span>")  # GitHub sets what stands between two as formula


def line(text: str) -> str:
    r"""The same as a line of its own, which begins neither a list nor a heading.

    >>> print(line("1. one"), line("# two"))
    1<span></span>. one \# two
    """
    return _FIRST.sub(
        lambda found: f"{found[0]}<span></span>" if found[2] else f"\\{found[0]}", inline(text)
    )


def as_markdown(report: Report, *, pictures: Pictures = "svg") -> str:
    """The whole report, with its charts in a folder ``charts`` beside it.

    Args:
        report: what is shown; of each choice what stands first.
        pictures: the suffix of the charts.
    """
    writer = _Writer(contents(report), pictures)
    parts = [f"# {_heading(report.title)}"]
    if report.data.description.strip():
        parts.append(line(report.data.description))
    parts += [f"> [!WARNING]\n> {line(note)}" for note in report.notes]
    several = len(report.panels) > 1
    listed = [
        f"- [{linked(_named(section, panel.dataset, several))}](#{_anchor(number, section)})"
        for number, panel in enumerate(report.panels)
        for section in panel.sections
        if section.title
    ]
    for number, panel in enumerate(report.panels):
        if several:
            parts.append(f"## {_heading(panel.dataset)}")
        if panel.facts:
            parts.append(" · ".join(f"{inline(k)}: **{inline(v)}**" for k, v in panel.facts))
        for at, section in enumerate(panel.sections):
            parts += writer.section(section, _anchor(number, section), 3 if several else 2)
            if number == at == 0 and listed:
                parts.append("\n".join(listed))
    return "\n\n".join(parts) + "\n"


def _heading(text: str) -> str:
    """The text of a heading, whose last # would be taken for its end."""
    return re.sub(r"#+$", lambda found: "\\#" * len(found[0]), inline(text))


def _named(section: Section, dataset: str, several: bool) -> str:
    return f"{dataset}: {section.title}" if several else section.title


def _anchor(number: int, section: Section) -> str:
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", section.id)
    return f"d{number}-{name}" if number else name


class _Writer:
    """Writes blocks; knows how the charts are named."""

    def __init__(self, found: Contents, pictures: Pictures) -> None:
        self.contents = found
        self.pictures = pictures

    def section(self, section: Section, anchor: str, level: int) -> Iterator[str]:
        yield f'<a id="{anchor}"></a>'
        if section.title:
            yield f"{'#' * level} {_heading(section.title)}"
        yield from self.blocks(section.blocks)

    def blocks(self, blocks: Iterable[Block]) -> Iterator[str]:
        for block in static(blocks):
            yield from WRITERS[type(block)](self, block)

    def paragraph(self, block: Paragraph) -> Iterator[str]:
        text = line(block.text)
        yield f"> [!WARNING]\n> {text}" if block.kind == "warning" else text

    def facts(self, block: Facts) -> Iterator[str]:
        rows = [f"| {inline(label)} | {inline(value)} |" for label, value in block.rows]
        yield "\n".join(["| | |", "|---|---|", *rows])

    def code(self, block: Code) -> Iterator[str]:
        text = plain(block.text).replace("\r\n", "\n").replace("\r", "\n")
        runs = [len(run) for run in re.findall("`+", text)]
        fence = "`" * max(3, *(length + 1 for length in runs), 3)
        yield f"{fence}{re.sub(r'[^A-Za-z0-9+-]', '', block.language)}\n{text.rstrip()}\n{fence}"

    def table(self, block: Table) -> Iterator[str]:
        if block.title:
            yield f"**{inline(block.title)}**"
        heads = [inline(column.head) for column in block.columns]
        rules = ["---:" if column.kind == "number" else "---" for column in block.columns]
        rows = [[_cell(cell) for cell in row] for row in block.rows]
        yield "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rules, *rows))
        yield from (line(note) for note in block.notes)

    def figure(self, block: Figure) -> Iterator[str]:
        place = f"charts/{self.contents.name(block)}.{self.pictures}"
        yield f"![{linked(block.title)}](<{place}>)"
        if block.note:
            yield line(block.note)

    def details(self, block: Details) -> Iterator[str]:
        yield from self._opening(block.summary, block.blocks)

    def headline(self, block: Headline) -> Iterator[str]:
        lines = [f"**{inline(block.word)}.** {inline(block.text)}"]
        lines += [f"**{inline(word)}** {inline(text)}" for word, text in block.lines]
        yield "\n>\n".join(f"> {one}" for one in lines)

    def trust(self, block: Trust) -> Iterator[str]:
        for item in block.items:
            yield from self._opening(f"{item.label}: {item.value}", item.detail)

    def _opening(self, summary: str, blocks: Iterable[Block]) -> Iterator[str]:
        yield f"<details>\n<summary>{html_escape(one_line(summary))}</summary>"
        yield from self.blocks(blocks)
        yield "</details>"


def _cell(cell: Cell) -> str:
    text = inline(cell.text)
    if cell.strong:
        text = f"**{text}**"
    if cell.mark:
        text += inline(cell.mark)
    if cell.interval:
        text += f" {inline(cell.interval)}"
    return text


WRITERS: dict[type, Callable[[_Writer, Any], Iterator[str]]] = {
    Paragraph: _Writer.paragraph,
    Facts: _Writer.facts,
    Code: _Writer.code,
    Table: _Writer.table,
    Figure: _Writer.figure,
    Details: _Writer.details,
    Headline: _Writer.headline,
    Trust: _Writer.trust,
}
"""What writes each block that :func:`~ragscore.report.contents.static` leaves."""
