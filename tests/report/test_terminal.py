"""The report in a terminal: every number is there at every width, nothing else gets through."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from ragscore.elements import (
    Cell,
    Code,
    Column,
    Details,
    Element,
    Facts,
    Headline,
    Paragraph,
    Table,
)
from ragscore.elements.plain import one_line
from ragscore.report import ReportOptions
from ragscore.report.model import Trust, TrustItem
from ragscore.report.report import Report
from tests.factories.built_report import Data
from tests.factories.results import HOSTILE
from tests.factories.sample_report import figure, report


def shown(one: Report, width: int = 100, *, colour: bool = False) -> str:
    """What a terminal of a width gets."""
    return one.text(width=width, styled=colour)


def wide(columns: int) -> Table:
    """A table of so many numbers in two rows."""
    heads = (Column("name", "Name", "text"), *(Column(f"c{n}", f"C{n}") for n in range(columns)))
    rows = tuple(
        (Cell(name, name), *(Cell(n, f"{at}.{n:04}") for n in range(columns)))
        for at, name in enumerate(("first", "second"))
    )
    return Table("t", "A table", heads, rows)


@pytest.mark.parametrize(("width", "groups"), [(30, 4), (60, 2), (102, 1), (300, 1)])
def test_no_number_is_lost_and_no_line_is_too_long(width: int, groups: int) -> None:
    text = shown(report(wide(12)), width)
    assert max(map(cell_len, text.splitlines())) <= width
    for at in range(2):
        assert all(f"{at}.{n:04}" in text for n in range(12))
    for name in ("Name", "first", "second"):
        assert sum(line.startswith(name) for line in text.splitlines()) == groups


def test_a_long_text_folds_beside_its_row() -> None:
    columns = (Column("rank", "Rank"), Column("text", "Text", "text"))
    rows = ((Cell(1, "1"), Cell("word " * 40, "word " * 40)), (Cell(2, "2"), Cell("end", "end")))
    text = shown(report(Table("t", "", columns, rows)), 60)
    assert text.count("word") == 40
    assert max(map(cell_len, text.splitlines())) <= 60
    assert text.count("Rank") == 1


@pytest.mark.parametrize("text", [*HOSTILE, "[bold red]x[/]", ":smile:"])
def test_no_text_commands_the_terminal(text: str) -> None:
    elements: tuple[Element, ...] = (
        Paragraph(text),
        Headline("CLEAR", text, "good", text),
        Facts(((text, text),)),
        Table("t", text, (Column("a", text, "text"),), ((Cell(text, text),),), (text,)),
        Trust((TrustItem(text, text, "fair", ()),), text),
    )
    out = shown(report(*elements, title=text, heading=text), 5000)
    controls = {letter for letter in out if ord(letter) < 32 or 127 <= ord(letter) < 160}
    assert controls <= {"\n"}
    assert not set(out) & set("\u202e\u2066\u2028")
    assert out.count(one_line(text)) >= 9


def test_the_verdict_has_the_colour_of_its_level() -> None:
    codes = {"good": "\x1b[1;32m", "fair": "\x1b[1;33m", "poor": "\x1b[1;31m"}
    for level, code in codes.items():
        said = report(Headline("X", "Word", level, "A sentence."))
        assert f"{code}Word.\x1b[0m" in shown(said, colour=True)
        assert "\x1b" not in shown(said)


def test_what_opens_is_shown_where_its_section_is_named() -> None:
    elements = (
        Details("More", (Code("inside"),)),
        Trust((TrustItem("judged", "25 %", "fair", (Paragraph("why"),)),), "no check passed"),
        figure(),
    )
    closed = shown(report(*elements))
    assert "2 more with --section first" in closed
    assert "judged  25 %" in closed
    assert not any(word in closed for word in ("inside", "why", "More", "A picture"))
    opened = shown(report(*elements, options=ReportOptions(sections=("first",))))
    assert "more under" not in opened
    assert all(word in opened for word in ("inside", "why", "More"))


@pytest.mark.parametrize("kind", ["small", "hostile", "two-datasets", "one-retriever", "korean"])
@pytest.mark.parametrize("width", [60, 140])
def test_a_real_report_fits(kind: str, width: int, data_of: Data) -> None:
    text = shown(data_of(kind), width)
    assert max(map(cell_len, text.splitlines())) <= width
    assert "nDCG@10" in text
