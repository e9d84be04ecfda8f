"""Elements as text and Markdown: every kind, what a writer does not know, and what fits a width."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from ragscore.elements import (
    Cell,
    Code,
    Column,
    Details,
    Element,
    Facts,
    Headline,
    Lines,
    Paragraph,
    Section,
    Table,
    as_markdown,
    as_text,
)
from ragscore.elements.cells import difference_cell, mean_cell, name_cell, record_cell
from ragscore.elements.model import all_elements
from ragscore.elements.plain import folded, text_width
from ragscore.elements.show import TextWriter
from ragscore.messages import translated
from ragscore.stats.intervals import Interval

INTERVAL = Interval(0.4, 0.6, 0.95, "t")
UNKNOWN = Interval(float("nan"), float("nan"), 0.95, "t")


def table(*means: float) -> Table:
    columns = (Column("name", "Retriever", "text"), Column("mean", "nDCG@10", interval=True))
    rows = tuple((name_cell(f"r{at}"), mean_cell(mean, INTERVAL)) for at, mean in enumerate(means))
    return Table("means", "Means", columns, rows, ("A note.",))


class Picture(Element):
    """What only one writer could show."""

    def plain(self) -> Iterable[Element]:
        return (Paragraph("in words"),)


EVERY: dict[str, tuple[Element, str, str]] = {
    "paragraph": (Paragraph("One."), "One.", "One."),
    "warning": (Paragraph("Look.", "warning"), "Look.", "> [!WARNING]\n> Look."),
    "lines": (Lines(("a", "b"), "T"), "T\na\nb", "**T**\n\na\n\nb"),
    "facts": (Facts((("k", "v"),)), "k  v", "| | |\n|---|---|\n| k | v |"),
    "code": (Code("x = 1", "python"), "  x = 1", "```python\nx = 1\n```"),
    "headline": (
        Headline("TIE", "Tie", "fair", "Both.", (("Sure:", "nothing."),)),
        "Tie. Both.\nSure: nothing.",
        "> **Tie.** Both.\n>\n> **Sure:** nothing.",
    ),
    "details": (
        Details("More", (Paragraph("in."),)),
        "More\n\nin.",
        "<details>\n<summary>More</summary>\n\nin.\n\n</details>",
    ),
    "section": (Section("s", "Head", (Paragraph("in."),)), "Head\n\nin.", "## Head\n\nin."),
    "table": (
        table(0.5, 0.25),
        "Means\nRetriever               nDCG@10\nr0         0.500 [0.400, 0.600]\n"
        "r1         0.250 [0.400, 0.600]\nA note.",
        "**Means**\n\n| Retriever | nDCG@10 |\n| --- | ---: |\n| r0 | 0.500 [0.400, 0.600] |\n"
        "| r1 | 0.250 [0.400, 0.600] |\n\nA note.",
    ),
    "unknown": (Picture(), "in words", "in words"),
}


@pytest.mark.parametrize("kind", EVERY)
def test_every_kind_of_element_is_written(kind: str) -> None:
    element, text, markdown = EVERY[kind]
    assert as_text([element]) == text
    assert as_markdown([element]) == markdown


def test_what_opens_is_left_out_where_nothing_is_opened() -> None:
    elements = [Details("More", (Paragraph("in."),)), Paragraph("end")]
    assert list(TextWriter(opened=False).pieces(elements)) == ["end"]


def test_styles_add_nothing_but_escape_sequences() -> None:
    elements = [element for element, _, _ in EVERY.values()]
    styled = as_text(elements, styled=True)
    assert "\x1b[1;33mTie.\x1b[0m" in styled
    parts = styled.split("\x1b[")
    assert parts[0] + "".join(part.partition("m")[2] for part in parts[1:]) == as_text(elements)


@pytest.mark.parametrize("width", [8, 20, 40])
def test_no_line_is_wider_than_the_terminal_and_no_word_is_lost(width: int) -> None:
    text = "한국어 문장도 접고, averyveryverylongword is cut"
    lines = folded(text, width)
    assert max(map(text_width, lines)) <= width
    assert "".join("".join(lines).split()) == "".join(text.split())
    shown = as_text([table(0.5, 0.25), Paragraph(text)], width=width)
    assert max(map(text_width, shown.splitlines())) <= max(width, 24)


def test_columns_without_room_come_underneath_with_the_names() -> None:
    columns = (Column("n", "Name", "text"), *(Column(f"c{at}", f"Column {at}") for at in range(6)))
    row = (Cell("bm25", "bm25"), *(Cell(at, f"{at}.000") for at in range(6)))
    lines = as_text([Table("t", "", columns, (row,))], width=40).splitlines()
    assert sum(line.startswith("bm25") for line in lines) == 2
    assert max(map(len, lines)) <= 40


def test_all_blocks_are_those_inside_too() -> None:
    inner = Paragraph("in.")
    assert list(all_elements([Section("s", "", (Details("More", (inner,)),))]))[-1] is inner


def test_cells_hold_the_number_and_what_people_read() -> None:
    cell = mean_cell(0.55312, INTERVAL)
    assert (cell.value, cell.text, cell.low, cell.interval) == (
        0.55312,
        "0.553",
        0.4,
        "[0.400, 0.600]",
    )
    assert translated(mean_cell(0.5, UNKNOWN), "ko").interval == "추정 불가"
    assert difference_cell(0.01, INTERVAL, mark="*").text == "+0.010"
    assert mean_cell(float("nan"), None).text == "-"
    assert record_cell(3, 2, 1).parts == (3, 2, 1)
