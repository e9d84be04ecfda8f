"""What sections are made of: plain blocks, which every renderer knows how to show.

A section builds blocks once; HTML, Markdown, LaTeX, CSV and the terminal show the same ones. A
block holds numbers in full precision beside the text that people read: rounding happens in the
cell's text, and CSV writes the number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["text", "number"]
Level = Literal["good", "fair", "poor", "plain"]


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
    """

    name: str
    label: str
    kind: Kind = "number"
    hint: str = ""
    interval: bool = False
    parts: tuple[str, ...] = ()
    unit: str = ""
    better: Literal["high", "low", ""] = ""

    @property
    def head(self) -> str:
        """The label with its unit, where both stand in one text."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        value: the number in full precision, or the text; None where there is none.
        text: what people read: the number rounded.
        low, high: the interval in full precision, None where there is none.
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
    """

    value: float | int | str | bool | None
    text: str
    low: float | None = None
    high: float | None = None
    interval: str = ""
    strong: bool = False
    mark: str = ""
    retriever: str | None = None
    query: str | None = None
    filter: str | None = None
    cause: str | None = None
    hint: str = ""
    level: Level = "plain"
    quote: bool = False
    parts: tuple[int, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table; sortable on the page, with buttons that copy it as CSV and LaTeX.

    Attributes:
        id: unique in the report but for swapped variants; names the CSV and LaTeX file.
        title: the caption.
        columns, rows: the cells, one for each column.
        notes: lines under it.
    """

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paragraph:
    """Words; a note stands smaller, a warning stands out."""

    text: str
    kind: Literal["plain", "note", "warning"] = "plain"


@dataclass(frozen=True)
class Facts:
    """Pairs of a label and a value."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Code:
    """Text in a fixed-width font, as it is."""

    text: str
    language: str = ""


@dataclass(frozen=True)
class Drawing:
    """A picture: the inside of an SVG element, as trusted markup made by ``charts``.

    Colours are classes (``r0`` to ``r9`` for retrievers, ``ink``, ``axis``, ...), which the page's
    style sheet gives their colours in light and dark; ``charts.standalone`` adds fixed ones.

    Attributes:
        width, height: of the view box, in user units (about pixels).
        markup: SVG elements, every text in them escaped.
    """

    width: float
    height: float
    markup: str


@dataclass(frozen=True)
class Figure:
    """A chart.

    Attributes:
        id: unique in the report but for swapped variants; names the SVG file.
        title, description: what it shows, and what it says in words for who cannot see it.
        drawing: the picture.
        note: a line under it.
    """

    id: str
    title: str
    description: str
    drawing: Drawing
    note: str = ""


@dataclass(frozen=True)
class Details:
    """Blocks that open under a summary."""

    summary: str
    blocks: tuple[Block, ...]
    id: str = ""


@dataclass(frozen=True)
class Beside:
    """Columns of blocks that stand side by side where there is room.

    Attributes:
        parts: the columns.
        shares: their share of the width, such as (2, 3); empty for equal ones.
    """

    parts: tuple[tuple[Block, ...], ...]
    shares: tuple[int, ...] = ()


@dataclass(frozen=True)
class Choice:
    """What a variant is for; None: it is the same for all."""

    baseline: str | None = None
    measure: str | None = None


@dataclass(frozen=True)
class Swap:
    """The same place for each choice of baseline and primary measure, all precomputed.

    Attributes:
        variants: by choice; every choice names the same of baseline and measure.
        default: what is shown first, and all that formats without choices show.
    """

    variants: Mapping[Choice, tuple[Block, ...]]
    default: Choice

    @property
    def shown(self) -> tuple[Block, ...]:
        """The default variant."""
        return self.variants[self.default]


@dataclass(frozen=True)
class Headline:
    """The verdict, large.

    Attributes:
        state: the verdict's state, such as ``TIE``; ``K`` for a recommended k.
        word: the state in the report's language.
        level: its colour: good where something is decided, poor for CHECK DATA.
        text: the sentences.
        lines: under them, each with the word that it begins with: (word, sentences).
        note: a line under these: that a reader chose what they say, not the experiment.
    """

    state: str
    word: str
    level: Level
    text: str
    lines: tuple[tuple[str, str], ...] = ()
    note: str = ""


@dataclass(frozen=True)
class TrustItem:
    """One thing that must be known to trust the numbers; opens to detail."""

    label: str
    value: str
    level: Level
    detail: tuple[Block, ...]
    id: str = ""


@dataclass(frozen=True)
class Trust:
    """The trust row."""

    items: tuple[TrustItem, ...]


@dataclass(frozen=True)
class Explorer:
    """The query explorer of a panel: only the HTML page shows it."""

    panel: int


@dataclass(frozen=True)
class WithoutScript:
    """Shown in print, without JavaScript, and by every format but the page on a screen."""

    blocks: tuple[Block, ...]


Block = (
    Paragraph
    | Facts
    | Code
    | Table
    | Figure
    | Details
    | Beside
    | Swap
    | Headline
    | Trust
    | Explorer
    | WithoutScript
)


@dataclass(frozen=True)
class Section:
    """A part of the report with a heading.

    Attributes:
        id: its anchor, and its name in ``ragscore list sections``.
        title: its heading, in the report's language; empty for the top, which needs none.
        blocks: what it holds.
    """

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class PanelSections:
    """The sections of one dataset.

    Attributes:
        dataset: its name.
        facts: what stands in the page's head: dataset, queries, passages, primary measure.
        sections: in order.
    """

    dataset: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]


@dataclass(frozen=True)
class Chosen:
    """What can be chosen for primary and baseline in a panel, the default first in each."""

    baselines: Sequence[str] = field(default_factory=tuple)
    measures: Sequence[tuple[str, str]] = field(default_factory=tuple)
    """(as it parses, label)."""
