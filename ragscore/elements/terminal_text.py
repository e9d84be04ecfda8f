"""Elements as a terminal shows them: folded to its width, in colour where it has any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
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
from ragscore.messages import Text, translated

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


def as_text(
    elements: Iterable[Element],
    *,
    width: int | None = None,
    styled: bool = False,
    opened: bool = True,
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
        opened: whether what opens on a page is shown.
        language: of the reader.
    """
    writer = TextWriter(width, styled=styled, opened=opened)
    return writer.text(translated(tuple(elements), language))


class TextWriter:
    """Writes elements as text.

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

    def text(self, elements: Iterable[Element]) -> str:
        """The elements, an empty line between two of them."""
        return "\n\n".join(self.pieces(elements))

    def pieces(self, elements: Iterable[Element]) -> Iterator[str]:
        """What each element is printed as; nothing for one that has nothing to say."""
        for element in known_elements(elements, self.writers):
            for piece in self.writers[type(element)](self, element):
                if piece:
                    yield piece

    def style(self, text: str, style: Style) -> str:
        """A text in a style, where styles are written."""
        return f"\x1b[{CODES[style]}m{text}\x1b[0m" if self.styled and style and text else text

    def lines(self, text: Text, style: Style = "") -> str:
        """A text on as many lines as it needs."""
        return "\n".join(self.style(line, style) for line in self.fold(one_line(text)))

    def fold(self, text: str) -> list[str]:
        """The text in lines that fit the terminal."""
        return folded(text, self.width) if self.width is not None else [text]

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
        yield self.pairs(element.rows)

    def pairs(
        self, rows: Iterable[tuple[Text, Text]], styles: Sequence[Style] | None = None
    ) -> str:
        """Labels and values in two columns.

        Args:
            rows: both of each pair.
            styles: of the values; by default none.
        """
        cleaned = [(one_line(label), one_line(value)) for label, value in rows]
        first = max((text_width(label) for label, _ in cleaned), default=0)
        if self.width is not None:
            first = min(first, max(self.width // 2, NARROWEST))
        room = None if self.width is None else max(self.width - first - GAP, 1)
        lines = []
        for at, (label, value) in enumerate(cleaned):
            labels = folded(label, first)
            values = folded(value, room) if room is not None else [value]
            for row in range(max(len(labels), len(values))):
                left = labels[row] if row < len(labels) else ""
                right = values[row] if row < len(values) else ""
                space = " " * (first - text_width(left) + GAP if right else 0)
                styled = self.style(right, styles[at]) if styles else right
                lines.append(self.style(left, "dim") + space + styled)
        return "\n".join(lines)

    def code(self, element: Code) -> Iterator[str]:
        """The text as it is, moved in."""
        text = plain(element.text.replace("\r\n", "\n").replace("\r", "\n")).rstrip()
        room = None if self.width is None else max(self.width - 2, 1)
        lines = [
            line
            for whole in text.split("\n")
            for line in (folded(whole, room) if room is not None else [whole])
        ]
        yield "\n".join(self.style(f"  {line}".rstrip(), "dim") for line in lines)

    def table(self, element: Table) -> Iterator[str]:
        """Title, rows and notes; columns that do not fit the terminal come underneath."""
        element = element.brief()
        lines = [self.lines(element.title, "bold")] if element.title else []
        lines += self._rows(element)
        lines += [self.lines(note, "dim") for note in element.lines_under]
        yield "\n".join(lines)

    def _rows(self, element: Table) -> Iterator[str]:
        if not element.columns:
            return
        heads = [one_line(column.head) for column in element.columns]
        texts = [[_shown(cell) for cell in row] for row in element.rows]
        widths = [
            max(text_width(head), *(text_width(row[at]) for row in texts), 0)
            for at, head in enumerate(heads)
        ]
        left = [column.kind == "text" for column in element.columns]
        groups = [dict(enumerate(widths))]
        if self.width is not None:
            groups = _groups([min(LONGEST, width) for width in widths], left, self.width)
        for group in groups:
            yield from self._line([(heads[at], "dim") for at in group], group, left)
            for row, cells in zip(texts, element.rows, strict=True):
                shown: list[tuple[str, Style | Cell]] = [(row[at], cells[at]) for at in group]
                yield from self._line(shown, group, left)

    def _line(
        self,
        cells: Sequence[tuple[str, Style | Cell]],
        widths: dict[int, int],
        left: Sequence[bool],
    ) -> Iterator[str]:
        """A row of a table: as many lines as its longest cell."""
        parts = [
            folded(text, width) for (text, _), width in zip(cells, widths.values(), strict=True)
        ]
        for number in range(max(map(len, parts))):
            line, trailing = "", 0
            for (whole, style), lines, (at, width) in zip(
                cells, parts, widths.items(), strict=True
            ):
                text = lines[number] if number < len(lines) else ""
                space = width - text_width(text)
                before = 0 if left[at] else space
                if text:
                    line += " " * (trailing + before) + self._cell(text, whole, style)
                    trailing = GAP + space - before
                else:
                    trailing += width + GAP
            yield line

    def _cell(self, text: str, whole: str, style: Style | Cell) -> str:
        """A text in its style; the interval of a cell on one line is dim."""
        if not self.styled:
            return text
        if not isinstance(style, Cell):
            return self.style(text, style)
        strong: Style = "bold" if style.strong else ""
        own = LEVELS[style.level] if style.level != "plain" else strong
        if text != whole:
            return self.style(text, own)
        interval = f" {one_line(style.interval)}" if style.interval else ""
        return (
            self.style(one_line(style.text), own)
            + one_line(style.mark)
            + self.style(interval, "dim")
        )

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

    writers: ClassVar[dict[type[Element], Callable[[Any, Any], Iterator[str]]]] = {
        Section: section,
        Paragraph: paragraph,
        Lines: several_lines,
        Facts: facts,
        Code: code,
        Table: table,
        Details: details,
        Headline: headline,
    }
    """What writes each kind of element; for others see :meth:`Element.plain`."""


def _shown(cell: Cell) -> str:
    interval = f" {one_line(cell.interval)}" if cell.interval else ""
    return f"{one_line(cell.text)}{one_line(cell.mark)}{interval}"


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
