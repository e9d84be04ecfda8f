"""What a terminal's output, a report and a notebook are made of: elements.

An element is built once; text, Markdown, LaTeX and CSV show the same one. It holds numbers in full
precision next to the text that people read: :mod:`ragscore.elements.numbers` rounds, and nothing
else does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from math import isfinite
from typing import Any, Literal, Self, TypeVar, cast

from ragscore.estimate import Estimate
from ragscore.messages import Text, joined

Kind = Literal["text", "number"]
Level = Literal["good", "fair", "poor", "plain"]


class Element:
    """Base of all that is shown."""

    def plain(self) -> Iterable[Element]:
        """What a writer shows instead if it does not know this kind of element.

        A terminal shows no pictures, and the first of several choices.
        """
        return ()

    def inside(self) -> Iterable[Element]:
        """The elements that it holds, those of every choice."""
        return ()

    def with_caveat(self, caveat: Text) -> Self:
        """The same with a caveat beside every number in it: in tables and charts, and in what it
        holds; one without numbers as it is.

        Args:
            caveat: a sentence that no number may be read without, such as that the corpus is a
                sample.
        """
        return beside_numbers(self, caveat)


T = TypeVar("T")


def beside_numbers(thing: T, caveat: Text) -> T:
    """The same with a caveat in every element that it holds, however deep.

    Args:
        thing: an element, elements in a tuple or a mapping, or a dataclass that holds such.
        caveat: see :meth:`Element.with_caveat`.
    """
    made: Any = thing
    if isinstance(thing, tuple):
        made = tuple(_held_by(part, caveat) for part in thing)
    elif isinstance(thing, Mapping):
        made = {key: _held_by(part, caveat) for key, part in thing.items()}
    elif is_dataclass(thing) and not isinstance(thing, type):
        own = {field.name: getattr(thing, field.name) for field in fields(thing) if field.init}
        held = {
            name: beside_numbers(value, caveat)
            for name, value in own.items()
            if isinstance(value, tuple | Mapping)
        }
        made = replace(thing, **held) if held else thing
    return cast("T", made)


def _held_by(part: Any, caveat: Text) -> Any:
    return part.with_caveat(caveat) if isinstance(part, Element) else beside_numbers(part, caveat)


def all_elements(elements: Iterable[Element]) -> Iterator[Element]:
    """Elements with all that they hold, each before what is inside it."""
    for element in elements:
        yield element
        yield from all_elements(element.inside())


def known_elements(
    elements: Iterable[Element], kinds: Collection[type[Element]]
) -> Iterator[Element]:
    """The elements that a writer knows, and for each other one what it says is shown instead.

    Args:
        elements: in order.
        kinds: the kinds that the writer knows.
    """
    for element in elements:
        if type(element) in kinds:
            yield element
        else:
            yield from known_elements(element.plain(), kinds)


@dataclass(frozen=True)
class Axis:
    """Where differences are drawn in the cells of a table, all of them on one scale.

    Attributes:
        low, high: its ends.
        margin: differences within it do not matter: a grey band; 0 for none.
    """

    low: float
    high: float
    margin: float = 0.0

    @classmethod
    def over(cls, differences: Iterable[Estimate], margin: float | None) -> Axis:
        """The axis on which all of these fit; 0 and the margin are on it."""
        known = [end for each in differences for end in (each.value, each.low, each.high)]
        ends = [end for end in known if isfinite(end)] + [0.0, margin or 0.0, -(margin or 0.0)]
        low, high = min(ends), max(ends)
        return cls(*((low, high) if high > low else (-0.1, 0.1)), margin or 0.0)


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        name: machine name, the header in CSV: ``nDCG@10``; unique in its table.
        label: what people read above it.
        kind: text is aligned left, numbers right.
        hint: what it means, shown on hover.
        interval: cells have low and high: CSV gets ``NAME low`` and ``NAME high`` behind it.
        parts: names of the columns that CSV gets instead, one for each of the numbers in a cell:
            a spreadsheet takes 1/1/9 for a date.
        unit: such as ``ms``, shown behind the label.
        better: which values are better, for the first direction of sorting.
        extra: shown only where a reader asks for it; CSV and LaTeX have it always.
        axis: the cells draw differences on it; None: they are numbers or texts.
        opens: the number of the dataset that a page shows where its head is pressed.
    """

    name: str
    label: Text
    kind: Kind = "number"
    hint: Text = ""
    interval: bool = False
    parts: tuple[str, ...] = ()
    unit: str = ""
    better: Literal["high", "low", ""] = ""
    extra: bool = False
    axis: Axis | None = None
    opens: int | None = None

    @property
    def head(self) -> Text:
        """The label with its unit, as one text."""
        return joined([self.label, f" ({self.unit})"], "") if self.unit else self.label


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        value: the number in full precision, or the text; None if there is none.
        text: what people read: the number rounded.
        low, high: the interval in full precision, None if there is none.
        interval: what people read of it, such as ``[.438, .603]``; may be "not estimable".
        strong: printed bold; only for what is decided.
        mark: a sign of significance behind the text, such as ``*``.
        retriever: whose mark it is: focusing one retriever shows it in every chart and table.
        query: id of the query that the cell leads to in the explorer.
        filter: what the explorer shows the queries of when the cell is followed: a tag, or
            ``key:value``.
        cause: the explorer shows the queries that fail for ``retriever`` by this cause.
        hint: more words, shown on hover.
        level: coloured and iconed as good, fair or poor.
        quote: text of the dataset (a query, a passage), which may be in any script.
        parts: the numbers that the text puts together, one for each of the column's parts.
        detail: a few words behind the text, set smaller: what tells a retriever from the others.
        bar: the difference that is drawn in the cell where its column has an axis; ``mark`` says
            what is decided of it. None if there is none.
    """

    value: float | int | Text | bool | None
    text: Text
    low: float | None = None
    high: float | None = None
    interval: Text = ""
    strong: bool = False
    mark: str = ""
    retriever: str | None = None
    query: str | None = None
    filter: str | None = None
    cause: str | None = None
    hint: Text = ""
    level: Level = "plain"
    quote: bool = False
    parts: tuple[int, ...] = ()
    detail: Text = ""
    bar: Estimate | None = None


@dataclass(frozen=True)
class Table(Element):
    """A table; sortable on the page, with buttons that copy it as CSV and LaTeX.

    Attributes:
        id: unique in the report but for swapped variants; names the CSV and LaTeX file.
        title: the caption.
        columns, rows: the cells, one for each column.
        notes: lines under it.
        caveat: what no number in it may be read without: the first line under it, and a column of
            its own in CSV; mostly empty.
        key: what its marks mean, each with its sign: (``*``, decided); an empty sign for no mark.
        rest: the numbers of the rows that are shown only where a reader asks for all; CSV and
            LaTeX have them always.
        more: how many these are, in words.
    """

    id: str
    title: Text
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[Text, ...] = ()
    caveat: Text = ""
    key: tuple[tuple[str, Text], ...] = ()
    rest: tuple[int, ...] = ()
    more: Text = ""

    @property
    def lines_under(self) -> tuple[Text, ...]:
        """The caveat, if there is one, and the notes."""
        return (self.caveat, *self.notes) if self.caveat else self.notes

    def brief(self) -> Table:
        """What is shown before a reader asks for more, where nothing can be drawn: without the
        columns and rows that are left for that, the marks explained below."""
        shown = [at for at, column in enumerate(self.columns) if not column.extra]
        rows = [row for number, row in enumerate(self.rows) if number not in self.rest]
        marks = {row[at].mark for row in rows for at in shown}
        signs = [joined([sign, text]) for sign, text in self.key if sign in marks - {""}]
        under = [self.more] * bool(self.rest) + [joined(signs, "; ")] * bool(signs)
        return replace(
            self,
            columns=tuple(self.columns[at] for at in shown),
            rows=tuple(tuple(row[at] for at in shown) for row in rows),
            notes=(*under, *self.notes),
            key=(),
            rest=(),
        )

    def with_caveat(self, caveat: Text) -> Self:
        """The same with a caveat."""
        return replace(self, caveat=caveat)


@dataclass(frozen=True)
class Paragraph(Element):
    """A paragraph; a note is set smaller, a warning stands out."""

    text: Text
    kind: Literal["plain", "note", "warning"] = "plain"


@dataclass(frozen=True)
class Lines(Element):
    """Sentences on a line each, such as the notes of a command.

    Attributes:
        lines: the sentences.
        title: a line above them; empty for none.
    """

    lines: tuple[Text, ...]
    title: Text = ""


@dataclass(frozen=True)
class Facts(Element):
    """Pairs of a label and a value."""

    rows: tuple[tuple[Text, Text], ...]


@dataclass(frozen=True)
class Code(Element):
    """Text in a fixed-width font, as it is."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class Details(Element):
    """Elements that open under a summary."""

    summary: Text
    elements: tuple[Element, ...]
    id: str = ""

    def inside(self) -> Iterable[Element]:
        """What opens."""
        return self.elements


@dataclass(frozen=True)
class Headline(Element):
    """The verdict, large.

    Attributes:
        state: the verdict's state, such as ``TIE``; ``K`` for a recommended k.
        word: the state in the reader's language.
        level: its colour: good where something is decided, poor for CHECK DATA.
        text: the sentences.
        lines: under them, each with the word that it begins with: (word, sentences).
        note: a line under these: that a reader chose what they say, not the experiment.
    """

    state: str
    word: Text
    level: Level
    text: Text
    lines: tuple[tuple[Text, Text], ...] = ()
    note: Text = ""


@dataclass(frozen=True)
class Section(Element):
    """Elements under a heading.

    Attributes:
        id: its anchor, and its name in ``ragscore list sections``.
        title: its heading; empty for the top, which needs none.
        elements: what it holds.
    """

    id: str
    title: Text
    elements: tuple[Element, ...]

    def inside(self) -> Iterable[Element]:
        """The elements under the heading."""
        return self.elements
