"""What only a report has: charts, choices, the trust row, the query explorer.

Each names the elements that a writer shows which does not know it; see :mod:`ragscore.elements`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import quote

from ragscore.elements import Element, Level, Paragraph, Section
from ragscore.elements.numbers import NOTHING
from ragscore.elements.table_files import CAVEAT
from ragscore.messages import InLanguage, Message, Text, text_of, translated


@dataclass(frozen=True)
class Drawing:
    """A picture: the inside of an SVG element, as trusted markup made by ``charts``.

    Colours are classes (``r0`` to ``r9`` for retrievers, ``ink``, ``axis``, ...), which the page's
    style sheet gives their colours in light and dark; ``charts.style.standalone`` adds fixed ones.

    Attributes:
        width, height: of the view box, in user units (about pixels).
        markup: SVG elements, every text in them escaped.
    """

    width: float
    height: float
    markup: str


@dataclass(frozen=True)
class Figure(Element):
    """A chart.

    Attributes:
        id: unique in the report but for swapped variants; names the SVG file.
        title, description: what it shows, and its content in a sentence for readers who cannot
            see it.
        drawing: the picture.
        note: a line under it.
    """

    id: str
    title: str
    description: str
    drawing: Drawing
    note: str = ""

    def with_caveat(self, caveat: Text) -> Self:
        """The same with a caveat in the line under it."""
        return replace(self, note=" ".join(filter(None, (self.note, str(caveat)))))


@dataclass(frozen=True)
class Chart(Element, InLanguage):
    """A chart that is drawn by its writer: its texts need room, which depends on the language.

    Attributes:
        draw: makes the figure; takes what writes a text in the reader's language, then the rest.
        arguments, options: the rest; messages in them are translated.
    """

    draw: Callable[..., Figure]
    arguments: tuple[Any, ...]
    options: Mapping[str, Any]

    def in_language(self, language: str, words: Mapping[str, Message]) -> Figure:
        """The figure."""
        arguments = translated(self.arguments, language, words)
        options = translated(self.options, language, words)
        return self.draw(lambda text: text_of(text, language, words), *arguments, **options)


def chart(draw: Callable[..., Figure], *arguments: Any, **options: Any) -> Chart:
    """The chart that a function of ``charts`` draws."""
    return Chart(draw, arguments, options)


@dataclass(frozen=True)
class ExcerptPart:
    """A stretch of a document in which nothing begins or ends.

    Attributes:
        text: as it stands in the document.
        evidence: whether it answers the query.
        ranks: of the chunks that hold it and came back, ascending.
        chunks: how many chunks hold it.
        begins: of each chunk that begins here, or goes on from before the excerpt, its rank; 0
            where it did not come back.
        ends: how many chunks end behind it, or go on past the excerpt.
        cut_before, cut_behind: whether the document goes on there.
    """

    text: str
    evidence: bool = False
    ranks: tuple[int, ...] = ()
    chunks: int = 0
    begins: tuple[int, ...] = ()
    ends: int = 0
    cut_before: bool = False
    cut_behind: bool = False


@dataclass(frozen=True)
class Excerpt(Element):
    """Text of a document as a chunker cut it, with the evidence and what came back.

    Attributes:
        heading: which document, and whose chunks.
        retriever: whose they are.
        parts: the text.
    """

    heading: Text
    retriever: str
    parts: tuple[ExcerptPart, ...]

    def plain(self) -> Iterable[Element]:
        """A paragraph: each chunk in brackets behind its rank, evidence between double angles."""
        pieces = []
        for part in self.parts:
            pieces += [f"[{rank or NOTHING} " for rank in part.begins]
            pieces += ["… "] if part.cut_before else []
            text = part.text.strip()
            before, behind = part.text[:1].isspace(), part.text[-1:].isspace()
            shown = f"«{text}»" if part.evidence and text else text
            # The white space between two parts stays, as one space.
            pieces.append(f"{' ' if before else ''}{shown}{' ' if behind and text else ''}")
            pieces += [" …"] if part.cut_behind else []
            pieces.append("]" * part.ends)
        yield Paragraph(f"{self.heading}: {''.join(pieces)}")


@dataclass(frozen=True)
class Beside(Element):
    """Columns of elements that stand side by side where there is room.

    Attributes:
        parts: the columns.
        shares: their share of the width, such as (2, 3); empty for equal ones.
    """

    parts: tuple[tuple[Element, ...], ...]
    shares: tuple[int, ...] = ()

    def plain(self) -> Iterable[Element]:
        """The columns, one below the other."""
        return self.inside()

    def inside(self) -> Iterable[Element]:
        """The elements of all columns."""
        return (element for part in self.parts for element in part)


@dataclass(frozen=True)
class Choice:
    """What a variant is for; None: it is the same for all."""

    baseline: str | None = None
    measure: str | None = None


@dataclass(frozen=True)
class Swap(Element):
    """The same place for each choice of baseline and primary measure, all precomputed.

    Attributes:
        variants: by choice; every choice names the same of baseline and measure.
        default: what is shown first, and all that formats without choices show.
    """

    variants: Mapping[Choice, tuple[Element, ...]]
    default: Choice

    @property
    def shown(self) -> tuple[Element, ...]:
        """The default variant."""
        return self.variants[self.default]

    def plain(self) -> Iterable[Element]:
        """The default variant."""
        return self.shown

    def inside(self) -> Iterable[Element]:
        """The elements of every variant."""
        return (element for elements in self.variants.values() for element in elements)


@dataclass(frozen=True)
class TrustItem:
    """One thing that must be known to trust the numbers; opens to detail."""

    label: Text
    value: Text
    level: Level
    detail: tuple[Element, ...]
    id: str = ""


@dataclass(frozen=True)
class Trust(Element):
    """What the numbers rest on: what is not as it should be, and how many checks passed."""

    items: tuple[TrustItem, ...]
    passed_text: Text
    """How many of them are good, in words."""

    @property
    def doubts(self) -> tuple[TrustItem, ...]:
        """The items that are not good."""
        return tuple(item for item in self.items if item.level != "good")

    @property
    def passed(self) -> tuple[TrustItem, ...]:
        """The items that are good."""
        return tuple(item for item in self.items if item.level == "good")

    def inside(self) -> Iterable[Element]:
        """What opens."""
        return (element for item in self.items for element in item.detail)


@dataclass(frozen=True)
class Explorer(Element):
    """The query explorer of a panel: only the HTML page shows it."""

    panel: int


UNQUOTED = ":!'()*-._~"
"""What a link in a page leaves as it is, as JavaScript's encodeURIComponent but for the colon."""


def explorer_link(
    panel: int,
    *,
    query: str | None = None,
    filter: str | None = None,
    cause: str | None = None,
    retriever: str | None = None,
) -> str | None:
    """Where a page's query explorer shows a query, or the queries of a filter or a cause.

    >>> explorer_link(0, cause="below", retriever="bm25 a")
    '#cause=below&s=bm25%20a'

    Args:
        panel: of the explorer.
        query: id of a query.
        filter: a tag, or ``key:value``.
        cause: why queries fail for the retriever.
        retriever: whose results are shown.

    Returns:
        None if the explorer has no such link.
    """
    if query is not None:
        parts = [("q", query), *([("s", retriever)] if retriever is not None else [])]
    elif filter is not None:
        parts = [("tag", filter)]
    elif cause is not None and retriever is not None:
        parts = [("cause", cause), ("s", retriever)]
    else:
        return None
    if panel:
        parts.insert(0, ("d", str(panel)))
    return "#" + "&".join(
        f"{key}={quote(to, safe=UNQUOTED, errors='replace')}" for key, to in parts
    )


@dataclass(frozen=True)
class WithoutScript(Element):
    """Shown in print, without JavaScript, and by every format but the page on a screen."""

    elements: tuple[Element, ...]

    def plain(self) -> Iterable[Element]:
        """What stands in for the explorer."""
        return self.elements

    def inside(self) -> Iterable[Element]:
        """What stands in for the explorer."""
        return self.elements


@dataclass(frozen=True)
class Listing(Element):
    """Rows that are written as a CSV file, and shown nowhere since there are too many to read.

    Attributes:
        id: names the file.
        columns: by name, values in order; called when the file is written.
    """

    id: str
    columns: Callable[[], Mapping[str, Sequence[float | int | str | bool | None]]]

    def with_caveat(self, caveat: Text) -> Self:
        """The same with a caveat as a column."""

        def columns() -> Mapping[str, Sequence[float | int | str | bool | None]]:
            found = self.columns()
            rows = len(next(iter(found.values()), ()))
            return {**found, CAVEAT: [str(caveat)] * rows}

        return replace(self, columns=columns)


@dataclass(frozen=True)
class Chosen:
    """What can be chosen for primary and baseline in a panel, the default first in each."""

    baselines: Sequence[str] = ()
    measures: Sequence[tuple[str, str]] = ()
    """(as it parses, label)."""


@dataclass(frozen=True)
class PanelSections:
    """The sections of one dataset.

    Attributes:
        dataset: its name.
        facts: what stands in the page's head: dataset, queries, passages, primary measure.
        sections: in order.
        chosen: what can be chosen for baseline and primary measure; empty if no section depends
            on it.
    """

    dataset: str
    facts: tuple[tuple[Text, Text], ...]
    sections: tuple[Section, ...]
    chosen: Chosen = Chosen()
