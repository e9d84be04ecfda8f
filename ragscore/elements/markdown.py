"""Elements as Markdown that GitHub renders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar

from ragscore.elements.model import (
    Cell,
    Code,
    Details,
    Element,
    Facts,
    Headline,
    Lines,
    Paragraph,
    Section,
    Table,
    known_elements,
)
from ragscore.elements.plain import one_line, plain
from ragscore.messages import Text, translated

_MARKUP = re.compile(r"[\\`*_~|]|\](?=[(:\[])")
_IN_LINKS = re.compile(r"[\\`*_~|\[\]]")
_WEB = re.compile(r"(?i)(https?|ftp)(?=://)|www(?=\.)")
_MENTION = re.compile(r"(?<!\w)@(?=\w)|@(?=[\w-]+\.\w)|#(?=\d)")
"""What GitHub takes for a person, a mail address, or the number of an issue."""
_FIRST = re.compile(r"^([+\-=#])|^(\d+)(?=[.)](\s|$))")


def inline(text: Text) -> str:
    r"""A text on one line, nothing in it markup.

    >>> print(inline("<b> a_1 | [2*3](x)"))
    &lt;b&gt; a\_1 \| [2\*3\](x)
    """
    return _safe(_MARKUP.sub(r"\\\g<0>", one_line(text)))


def linked(text: Text) -> str:
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


def line(text: Text) -> str:
    r"""The same as a line of its own, which begins neither a list nor a heading.

    >>> print(line("1. one"), line("# two"))
    1<span></span>. one \# two
    """
    return _FIRST.sub(
        lambda found: f"{found[0]}<span></span>" if found[2] else f"\\{found[0]}", inline(text)
    )


def heading(text: Text) -> str:
    """The text of a heading, whose last # would be taken for its end."""
    return re.sub(r"#+$", lambda found: "\\#" * len(found[0]), inline(text))


def as_markdown(elements: Iterable[Element], *, level: int = 2, language: str = "en") -> str:
    """Elements as Markdown, an empty line between two of them.

    Args:
        elements: what is shown.
        level: of the headings of sections; sections inside them are one deeper.
        language: of the reader.
    """
    return "\n\n".join(MarkdownWriter(level).elements(translated(tuple(elements), language)))


class MarkdownWriter:
    """Writes elements as Markdown.

    Args:
        level: of the headings of sections.
    """

    def __init__(self, level: int = 2) -> None:
        self.level = level

    def elements(self, elements: Iterable[Element]) -> Iterator[str]:
        """The paragraphs, tables and headings of some elements."""
        for element in known_elements(elements, self.writers):
            yield from self.writers[type(element)](self, element)

    def section(self, element: Section) -> Iterator[str]:
        """The heading and the elements under it."""
        if element.title:
            yield f"{'#' * self.level} {heading(element.title)}"
        self.level += 1
        yield from self.elements(element.elements)
        self.level -= 1

    def paragraph(self, element: Paragraph) -> Iterator[str]:
        """A paragraph; a warning is quoted."""
        text = line(element.text)
        yield f"> [!WARNING]\n> {text}" if element.kind == "warning" else text

    def lines(self, element: Lines) -> Iterator[str]:
        """The title in bold, and a paragraph for each sentence."""
        if element.title:
            yield f"**{inline(element.title)}**"
        yield from map(line, element.lines)

    def facts(self, element: Facts) -> Iterator[str]:
        """A table without a header."""
        rows = [f"| {inline(label)} | {inline(value)} |" for label, value in element.rows]
        yield "\n".join(["| | |", "|---|---|", *rows])

    def code(self, element: Code) -> Iterator[str]:
        """A fenced element."""
        text = plain(element.text).replace("\r\n", "\n").replace("\r", "\n")
        runs = [len(run) for run in re.findall("`+", text)]
        fence = "`" * max(3, *(length + 1 for length in runs), 3)
        yield f"{fence}{re.sub(r'[^A-Za-z0-9+-]', '', element.language)}\n{text.rstrip()}\n{fence}"

    def table(self, element: Table) -> Iterator[str]:
        """The title in bold, the table, a paragraph for each note."""
        element = element.brief()
        if element.title:
            yield f"**{inline(element.title)}**"
        heads = [inline(column.head) for column in element.columns]
        rules = ["---:" if column.kind == "number" else "---" for column in element.columns]
        rows = [[_cell(cell) for cell in row] for row in element.rows]
        if heads:
            yield "\n".join(f"| {' | '.join(cells)} |" for cells in (heads, rules, *rows))
        yield from map(line, element.lines_under)

    def details(self, element: Details) -> Iterator[str]:
        """What opens when its summary is clicked."""
        yield from self.opening(element.summary, element.elements)

    def opening(self, summary: Text, elements: Iterable[Element]) -> Iterator[str]:
        """Elements that open under a summary."""
        yield f"<details>\n<summary>{_safe(one_line(summary))}</summary>"
        yield from self.elements(elements)
        yield "</details>"

    def headline(self, element: Headline) -> Iterator[str]:
        """A quotation, a paragraph for each line."""
        lines = [f"**{inline(element.word)}.** {inline(element.text)}"]
        lines += [f"**{inline(word)}** {inline(text)}" for word, text in element.lines]
        yield "\n>\n".join(f"> {text}" for text in lines)

    writers: ClassVar[dict[type[Element], Callable[[Any, Any], Iterator[str]]]] = {
        Section: section,
        Paragraph: paragraph,
        Lines: lines,
        Facts: facts,
        Code: code,
        Table: table,
        Details: details,
        Headline: headline,
    }
    """What writes each kind of element; for others see :meth:`Element.plain`."""


def _cell(cell: Cell) -> str:
    text = inline(cell.text)
    if cell.strong:
        text = f"**{text}**"
    if cell.mark:
        text += inline(cell.mark)
    if cell.interval:
        text += f" {inline(cell.interval)}"
    return text
