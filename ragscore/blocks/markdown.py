"""Blocks as Markdown that GitHub renders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from ragscore.blocks.model import (
    Block,
    Cell,
    Code,
    Details,
    Facts,
    Headline,
    Lines,
    Paragraph,
    Section,
    Table,
    known_blocks,
)
from ragscore.blocks.plain import one_line, plain

_MARKUP = re.compile(r"[\\`*_~|]|\](?=[(:\[])")
_IN_LINKS = re.compile(r"[\\`*_~|\[\]]")
_WEB = re.compile(r"(?i)(https?|ftp)(?=://)|www(?=\.)")
_MENTION = re.compile(r"(?<!\w)@(?=\w)|@(?=[\w-]+\.\w)|#(?=\d)")
"""What GitHub takes for a person, a mail address, or the number of an issue."""
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
    text = _MENTION.sub(r"\g<0><span></span>", text)  # nobody is called, no issue is linked
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


def heading(text: str) -> str:
    """The text of a heading, whose last # would be taken for its end."""
    return re.sub(r"#+$", lambda found: "\\#" * len(found[0]), inline(text))


def as_markdown(blocks: Iterable[Block], *, level: int = 2) -> str:
    """Blocks as Markdown, an empty line between two of them.

    Args:
        blocks: what is shown.
        level: of the headings of sections; sections inside them are one deeper.
    """
    return "\n\n".join(MarkdownWriter(level).blocks(blocks))


class MarkdownWriter:
    """Writes blocks as Markdown.

    Args:
        level: of the headings of sections.
    """

    def __init__(self, level: int = 2) -> None:
        self.level = level

    def blocks(self, blocks: Iterable[Block]) -> Iterator[str]:
        """The paragraphs, tables and headings of some blocks."""
        for block in known_blocks(blocks, self.writers):
            yield from self.writers[type(block)](self, block)

    def section(self, block: Section) -> Iterator[str]:
        """The heading and the blocks under it."""
        if block.title:
            yield f"{'#' * self.level} {heading(block.title)}"
        self.level += 1
        yield from self.blocks(block.blocks)
        self.level -= 1

    def paragraph(self, block: Paragraph) -> Iterator[str]:
        """A paragraph; a warning is quoted."""
        text = line(block.text)
        yield f"> [!WARNING]\n> {text}" if block.kind == "warning" else text

    def lines(self, block: Lines) -> Iterator[str]:
        """The title in bold, and a paragraph for each sentence."""
        if block.title:
            yield f"**{inline(block.title)}**"
        yield from map(line, block.lines)

    def facts(self, block: Facts) -> Iterator[str]:
        """A table without a header."""
        rows = [f"| {inline(label)} | {inline(value)} |" for label, value in block.rows]
        yield "\n".join(["| | |", "|---|---|", *rows])

    def code(self, block: Code) -> Iterator[str]:
        """A fenced block."""
        text = plain(block.text).replace("\r\n", "\n").replace("\r", "\n")
        runs = [len(run) for run in re.findall("`+", text)]
        fence = "`" * max(3, *(length + 1 for length in runs), 3)
        yield f"{fence}{re.sub(r'[^A-Za-z0-9+-]', '', block.language)}\n{text.rstrip()}\n{fence}"

    def table(self, block: Table) -> Iterator[str]:
        """The title in bold, the table, a paragraph for each note."""
        if block.title:
            yield f"**{inline(block.title)}**"
        heads = [inline(column.head) for column in block.columns]
        rules = ["---:" if column.kind == "number" else "---" for column in block.columns]
        rows = [[_cell(cell) for cell in row] for row in block.rows]
        if heads:
            yield "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rules, *rows))
        yield from map(line, block.lines_under)

    def details(self, block: Details) -> Iterator[str]:
        """What opens when its summary is clicked."""
        yield from self.opening(block.summary, block.blocks)

    def opening(self, summary: str, blocks: Iterable[Block]) -> Iterator[str]:
        """Blocks that open under a summary."""
        yield f"<details>\n<summary>{_safe(one_line(summary))}</summary>"
        yield from self.blocks(blocks)
        yield "</details>"

    def headline(self, block: Headline) -> Iterator[str]:
        """A quotation, a paragraph for each line."""
        lines = [f"**{inline(block.word)}.** {inline(block.text)}"]
        lines += [f"**{inline(word)}** {inline(text)}" for word, text in block.lines]
        yield "\n>\n".join(f"> {text}" for text in lines)

    writers: ClassVar[dict[type[Block], Callable[[Any, Any], Iterator[str]]]] = {
        Section: section,
        Paragraph: paragraph,
        Lines: lines,
        Facts: facts,
        Code: code,
        Table: table,
        Details: details,
        Headline: headline,
    }
    """What writes each kind of block; for others see :meth:`Block.plain`."""


def _cell(cell: Cell) -> str:
    text = inline(cell.text)
    if cell.strong:
        text = f"**{text}**"
    if cell.mark:
        text += inline(cell.mark)
    if cell.interval:
        text += f" {inline(cell.interval)}"
    return text
