"""Elements as a reader sees them: in a terminal, in Markdown, and a record in each of these.

Only the report makes HTML, and it stands above the records: its function is handed down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, ClassVar, Literal

from ragscore.elements.model import (
    Cell,
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
    known_elements,
)
from ragscore.elements.plain import folded, one_line, plain, text_width
from ragscore.lazy import handed_down
from ragscore.messages import Text, translated
from ragscore.names import Language

Format = Literal["text", "markdown", "html"]
Style = Literal["", "bold", "dim", "heading", "title", "warning", "good", "fair", "poor"]
CODES: dict[Style, str] = {
    "bold": "1",
    "dim": "2",
    "heading": "1;4",
    "title": "1;7",
    "warning": "1;33",
    "good": "1;32",
    "fair": "1;33",
    "poor": "1;31",
}
"""The terminal code before a text, by style: bold, dim, underlined, reversed, a colour."""
LEVELS: dict[Level, Style] = {"good": "good", "fair": "fair", "poor": "poor", "plain": "bold"}
"""Styles by level, for the verdict and for highlighted texts."""
LONGEST = 60
"""Texts in tables fold at this many cells of a terminal."""
NARROWEST = 24
"""And where there is no room for that, at no fewer than these."""
GAP = 2
_MARKUP = re.compile(r"[\\`*_~|]|\](?=[(:\[])")
_IN_LINKS = re.compile(r"[\\`*_~|\[\]]")
_WEB = re.compile(r"(?i)(https?|ftp)(?=://)|www(?=\.)")
_MENTION = re.compile(r"(?<!\w)@(?=\w)|@(?=[\w-]+\.\w)|#(?=\d)")
"""What GitHub takes for a person, a mail address, or the number of an issue."""
_FIRST = re.compile(r"^([+\-=#])|^(\d+)(?=[.)](\s|$))")


class Shown:
    """Base of what is made of elements: ``print`` writes them, and a notebook shows them."""

    __slots__ = ()

    def elements(self) -> Iterable[Element]:
        """What a command prints of it."""
        raise NotImplementedError

    def brief(self) -> Iterable[Element]:
        """What Python and a notebook show of it."""
        return self.elements()

    @property
    def language(self) -> Language:
        """In which it is shown where nobody says another."""
        return "en"

    def __str__(self) -> str:
        return show(self)

    def _repr_html_(self) -> str:
        return show(self, "html")


def show(
    record: Shown,
    format: Format = "text",
    *,
    language: Language | None = None,
    width: int | None = None,
    styled: bool = False,
) -> str:
    """A record as a reader sees it.

    Args:
        record: a result, a comparison, a tuning, a plan; anything that is made of elements.
        format: ``text`` for a terminal, ``markdown``, or ``html`` for a notebook.
        language: of the reader; by default the record's own.
        width: of a text in cells; by default lines have any length.
        styled: whether a text has the escape sequences of colours and bold.
    """
    language = record.language if language is None else language
    if format == "html":
        html: str = handed_down("html_of")(record, language)
        return html
    if format == "markdown":
        return as_markdown(record.brief(), language=language)
    return as_text(record.brief(), width=width, styled=styled, language=language)


def as_text(
    elements: Iterable[Element],
    *,
    width: int | None = None,
    styled: bool = False,
    language: str = "en",
) -> str:
    """Elements as lines of text, an empty line between two of them.

    >>> from ragscore.elements import Cell, Column, Paragraph, Table
    >>> columns = (Column("name", "retriever", "text"), Column("mean", "nDCG@10"))
    >>> row = (Cell("bm25", "bm25"), Cell(0.5531, "0.553"))
    >>> print(as_text([Paragraph("One table:"), Table("means", "", columns, (row,))]))
    One table:
    <BLANKLINE>
    retriever  nDCG@10
    bm25         0.553

    Args:
        elements: what is shown.
        width: cells of the terminal; None for a file or a pipe, where every table is one piece
            and every sentence one line.
        styled: whether to write the escape sequences of colours and bold.
        language: of the reader.
    """
    pieces = TextWriter(width, styled=styled).pieces(translated(tuple(elements), language))
    return "\n\n".join(pieces)


def as_markdown(elements: Iterable[Element], *, language: str = "en") -> str:
    """Elements as Markdown that GitHub renders, an empty line between two of them."""
    return "\n\n".join(MarkdownWriter().pieces(translated(tuple(elements), language)))


class ElementWriter:
    """Writes elements piece by piece."""

    writers: ClassVar[Mapping[type[Element], Callable[[Any, Any], Iterator[str]]]] = {}
    """What writes each kind of element; for others see :meth:`Element.plain`."""

    def pieces(self, elements: Iterable[Element]) -> Iterator[str]:
        """What each element is written as; nothing for one that has nothing to say."""
        for element in known_elements(elements, self.writers):
            yield from filter(None, self.writers[type(element)](self, element))


class TextWriter(ElementWriter):
    """Writes elements as text: folded to the terminal's width, in colour where it has any.

    Args:
        width: cells of the terminal; None if lines may have any length.
        styled: whether to write escape sequences.
        opened: whether what opens on a page is shown.
    """

    def __init__(
        self, width: int | None = None, *, styled: bool = False, opened: bool = True
    ) -> None:
        self.width = width
        self.styled = styled
        self.opened = opened

    def style(self, text: str, style: Style) -> str:
        """A text in a style, where styles are written."""
        return f"\x1b[{CODES[style]}m{text}\x1b[0m" if self.styled and style and text else text

    def lines(self, text: Text, style: Style = "") -> str:
        """A text on as many lines as it needs."""
        return "\n".join(self.style(line, style) for line in self.fold(one_line(text)))

    def fold(self, text: str, taken: int = 0) -> list[str]:
        """The text in lines that fit the terminal, where so many cells of each are taken."""
        return [text] if self.width is None else folded(text, max(self.width - taken, 1))

    def section(self, element: Section) -> Iterator[str]:
        """The heading and the elements under it."""
        pieces = list(self.pieces(element.elements))
        if pieces and element.title:
            yield self.lines(element.title, "heading")
        yield from pieces

    def paragraph(self, element: Paragraph) -> Iterator[str]:
        """Its lines."""
        styles: dict[str, Style] = {"plain": "", "note": "dim", "warning": "warning"}
        yield self.lines(element.text, styles[element.kind])

    def several_lines(self, element: Lines) -> Iterator[str]:
        """The title and the sentences, no empty line between them."""
        head = [self.lines(element.title, "bold")] if element.title else []
        yield "\n".join([*head, *map(self.lines, element.lines)])

    def facts(self, element: Facts) -> Iterator[str]:
        """Two columns."""
        yield self.pairs((label, value, "") for label, value in element.rows)

    def pairs(self, rows: Iterable[tuple[Text, Text, Style]]) -> str:
        """Labels and values in two columns, each value in its style."""
        cleaned = [(one_line(label), one_line(value), style) for label, value, style in rows]
        first = max((text_width(label) for label, *_ in cleaned), default=0)
        if self.width is not None:
            first = min(first, max(self.width // 2, NARROWEST))
        lines = []
        for label, value, style in cleaned:
            sides = folded(label, first), self.fold(value, first + GAP)
            for left, right in zip_longest(*sides, fillvalue=""):
                space = " " * (first - text_width(left) + GAP)
                line = self.style(left, "dim") + space + self.style(right, style)
                lines.append(line.rstrip())
        return "\n".join(lines)

    def code(self, element: Code) -> Iterator[str]:
        """The text as it is, moved in."""
        lines = [line for whole in _code(element).split("\n") for line in self.fold(whole, 2)]
        yield "\n".join(self.style(f"  {line}".rstrip(), "dim") for line in lines)

    def table(self, element: Table) -> Iterator[str]:
        """Title, rows and notes; columns that do not fit the terminal come underneath."""
        element = element.brief()
        lines = [self.lines(element.title, "bold")] if element.title else []
        lines += self._rows(element) if element.columns else ()
        lines += [self.lines(note, "dim") for note in element.lines_under]
        yield "\n".join(lines)

    def _rows(self, element: Table) -> Iterator[str]:
        heads = [one_line(column.head) for column in element.columns]
        texts = [heads, *(["".join(_shown(cell)) for cell in row] for row in element.rows)]
        widths = [max(map(text_width, column)) for column in zip(*texts, strict=True)]
        left = [column.kind == "text" for column in element.columns]
        groups = [dict(enumerate(widths))]
        if self.width is not None:
            groups = _groups([min(LONGEST, width) for width in widths], left, self.width)
        for group in groups:
            for row, cells in zip(texts, [None, *element.rows], strict=True):
                parts = [folded(row[at], width) for at, width in group.items()]
                for line in zip_longest(*parts, fillvalue=""):
                    yield (" " * GAP).join(self._aligned(line, group, cells, left)).rstrip()

    def _aligned(
        self,
        line: Sequence[str],
        widths: Mapping[int, int],
        cells: Sequence[Cell] | None,
        left: Sequence[bool],
    ) -> Iterator[str]:
        """A line of a row, each text as wide as its column; no cells: it is the head."""
        for text, (at, width) in zip(line, widths.items(), strict=True):
            space = " " * (width - text_width(text))
            shown = self.style(text, "dim") if cells is None else self._painted(text, cells[at])
            yield shown + space if left[at] else space + shown

    def _painted(self, text: str, cell: Cell) -> str:
        """A line of a cell in its style; the interval of a cell on one line is dim."""
        if not self.styled:
            return text
        strong: Style = "bold" if cell.strong else ""
        style = LEVELS[cell.level] if cell.level != "plain" else strong
        value, mark, interval = _shown(cell)
        if text != value + mark + interval:
            return self.style(text, style)
        return self.style(value, style) + mark + self.style(interval, "dim")

    def details(self, element: Details) -> Iterator[str]:
        """The summary and the elements, where what opens is shown."""
        if self.opened:
            yield self.lines(element.summary, "bold")
            yield from self.pieces(element.elements)

    def headline(self, element: Headline) -> Iterator[str]:
        """The word and the sentences of each line."""
        lines = [(f"{one_line(element.word)}.", element.text, LEVELS[element.level])]
        lines += [(one_line(word), text, "bold") for word, text in element.lines]
        yield "\n".join(
            "\n".join(self._after_word(word, one_line(text), style)) for word, text, style in lines
        )

    def _after_word(self, word: str, text: str, style: Style) -> Iterator[str]:
        first, *others = self.fold(f"{word} {text}")
        yield self.style(word, style) + first[len(word) :] if first.startswith(word) else first
        yield from others

    writers: ClassVar = {
        Section: section,
        Paragraph: paragraph,
        Lines: several_lines,
        Facts: facts,
        Code: code,
        Table: table,
        Details: details,
        Headline: headline,
    }


def _shown(cell: Cell) -> tuple[str, str, str]:
    """The text, the mark and the interval."""
    interval = f" {one_line(cell.interval)}" if cell.interval else ""
    return one_line(cell.text), one_line(cell.mark), interval


def _groups(widths: Sequence[int], folding: Sequence[bool], room: int) -> list[dict[int, int]]:
    """The columns that stand side by side, with their widths; the first stands in each group.

    Args:
        widths: that the columns would like.
        folding: which of them hold texts, which may be narrower.
        room: of the terminal.
    """
    groups: list[dict[int, int]] = [{}]
    for at, width in enumerate(widths):
        left = room - sum(groups[-1].values()) - GAP * len(groups[-1])
        if folding[at] and NARROWEST <= left < width:
            width = left
        elif width > left and len(groups[-1]) > (len(groups) > 1):
            first = min(groups[0].get(0, 0), max(room // 2, 1))
            groups.append({0: first} if at else {})
            left = room - first - GAP
            width = min(width, max(left, 1))
        groups[-1][at] = max(min(width, room), 1)
    return groups


def _code(element: Code) -> str:
    return plain(element.text).replace("\r\n", "\n").replace("\r", "\n").rstrip()


def inline(text: Text) -> str:
    r"""A text on one line of Markdown, nothing in it markup.

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


class MarkdownWriter(ElementWriter):
    """Writes elements as Markdown.

    Args:
        level: of the headings of sections; sections inside them are one deeper.
    """

    def __init__(self, level: int = 2) -> None:
        self.level = level

    def section(self, element: Section) -> Iterator[str]:
        """The heading and the elements under it."""
        if element.title:
            yield f"{'#' * self.level} {heading(element.title)}"
        self.level += 1
        yield from self.pieces(element.elements)
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
        """A fenced block."""
        text = _code(element)
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
        yield f"{fence}{re.sub(r'[^A-Za-z0-9+-]', '', element.language)}\n{text}\n{fence}"

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
        yield f"<details>\n<summary>{_safe(one_line(element.summary))}</summary>"
        yield from self.pieces(element.elements)
        yield "</details>"

    def headline(self, element: Headline) -> Iterator[str]:
        """A quotation, a paragraph for each line."""
        lines = [f"**{inline(element.word)}.** {inline(element.text)}"]
        lines += [f"**{inline(word)}** {inline(text)}" for word, text in element.lines]
        yield "\n>\n".join(f"> {text}" for text in lines)

    writers: ClassVar = {
        Section: section,
        Paragraph: paragraph,
        Lines: lines,
        Facts: facts,
        Code: code,
        Table: table,
        Details: details,
        Headline: headline,
    }


def _cell(cell: Cell) -> str:
    text = f"**{inline(cell.text)}**" if cell.strong else inline(cell.text)
    mark = inline(cell.mark) if cell.mark else ""
    return f"{text}{mark} {inline(cell.interval)}" if cell.interval else f"{text}{mark}"
