"""Markdown, as a parser of CommonMark with GitHub's tables reads it."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ragscore.elements import Cell, Code, Column, Details, Facts, Headline, Paragraph, Table
from ragscore.elements.plain import one_line
from ragscore.report.markdown_file import as_markdown
from ragscore.report.model import Beside, Choice, Explorer, Swap, Trust, TrustItem, WithoutScript
from tests.factories.built_report import Data
from tests.factories.results import HOSTILE
from tests.factories.sample_report import figure, report

OURS = re.compile(r'</?details>|</?summary>|</?span>|<a id="[\w-]+">|</a>')
"""Tags that we write ourselves."""
LINE_STARTS = ("# a", "- a", "+ a", "1. a", "2) a", "===", "---", "> a", "    a", "a #", "[x]: y")


def parsed(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)


def texts(tokens: list[Token], within: str) -> list[str]:
    """What a reader sees inside every element of a kind."""
    found = []
    for before, token in pairwise(tokens):
        if before.type == f"{within}_open" and token.type == "inline":
            shown = [
                one.content if one.type in ("text", "code_inline", "text_special") else ""
                for one in token.children or ()
            ]
            found.append("".join(shown))
    return found


def tags(tokens: list[Token]) -> list[str]:
    """All raw HTML."""
    found = [token.content for token in tokens if token.type == "html_block"]
    for token in tokens:
        found += [one.content for one in token.children or () if one.type == "html_inline"]
    return found


@pytest.mark.parametrize(
    "text", [*HOSTILE, *LINE_STARTS, "$a$ and $b$", "~~x~~ ~y~", "![i](u)", "a [b", "b] c", "a\\[b"]
)
def test_no_text_is_markup(text: str) -> None:
    table = Table("t", text, (Column("a", text, "text"), Column("b", "B")), _row(text), (text,))
    elements = (
        Paragraph(text),
        Headline("TIE", text, "fair", text, ((text, text),)),
        Facts(((text, text),)),
        table,
        Details(text, (Paragraph(text),)),
    )
    tokens = parsed(as_markdown(report(*elements, title=text, heading=text)))
    seen = one_line(text)
    assert texts(tokens, "td") == [seen, seen, seen, "1"]
    assert texts(tokens, "th") == ["", "", seen, "B"]
    assert [one for one in texts(tokens, "heading") if one != seen] == []
    assert texts(tokens, "paragraph").count(seen) >= 5
    links = [
        one.attrGet("href")
        for token in tokens
        for one in token.children or ()
        if one.type in ("link_open", "image")
    ]
    assert links == ["#first"]
    (link,) = (token for token in tokens if token.type == "inline" and "#first" in token.content)
    assert "".join(one.content for one in link.children if one.type == "text") == seen
    for tag in tags(tokens):
        summaries = re.sub(r"(?<=<summary>).*(?=</summary>)", "", tag.strip())
        assert OURS.sub("", summaries).strip() == "", tag
    assert {token.type for token in tokens} & {"bullet_list_open", "code_block"} == {
        "bullet_list_open"
    }


def _row(text: str) -> tuple[tuple[Cell, ...], ...]:
    return ((Cell(text, text), Cell(1, "1")),)


def test_a_decided_cell_is_bold_with_its_mark_and_interval() -> None:
    columns = (Column("a", "A", interval=True, unit="ms"),)
    rows = ((Cell(0.5, "0.500", 0.4, 0.6, "[0.400, 0.600]", strong=True, mark="*"),),)
    text = as_markdown(report(Table("t", "T", columns, rows)))
    assert "| A (ms) |\n| ---: |\n| **0.500**\\* [0.400, 0.600] |" in text


def test_choices_show_their_default_and_the_explorer_its_stand_in() -> None:
    swap = Swap(
        {Choice("one"): (Paragraph("shown"),), Choice("two"): (Paragraph("hidden"),)},
        Choice("one"),
    )
    elements = (
        Beside(((swap,), (figure(),))),
        Explorer(0),
        WithoutScript((Paragraph("stand-in"), Code("a `b` ```c", "yaml"))),
        Trust(
            (
                TrustItem("judged", "25 %", "fair", (Paragraph("inside"),)),
                TrustItem("ties", "0 %", "good", (Paragraph("inside"),)),
            ),
            "1 check passed",
        ),
        Paragraph("careful", "warning"),
    )
    text = as_markdown(report(*elements))
    assert "hidden" not in text
    order = [
        "shown",
        "![A picture](<charts/picture.svg>)",
        "stand-in",
        "````yaml\na `b` ```c\n````",
    ]
    order += ["- judged: **25 %**\n- 1 check passed", "> [!WARNING]\n> careful"]
    assert "inside" not in text
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_several_datasets_have_their_own_headings_anchors_and_charts() -> None:
    text = as_markdown(report(figure(), datasets=("english", "한국어")))
    assert re.findall(r"^(#+ .*)$", text, re.MULTILINE) == [
        "# trial",
        "## english",
        "### A section",
        "## 한국어",
        "### A section",
    ]
    assert re.findall(r"charts/[^>]*", text) == [
        "charts/english-picture.svg",
        "charts/한국어-picture.svg",
    ]
    assert set(re.findall(r"\(#([\w-]+)\)", text)) == set(re.findall(r'<a id="([\w-]+)">', text))


@pytest.mark.parametrize("kind", ["small", "hostile", "two-datasets", "one-retriever", "korean"])
def test_a_real_report_is_sound(kind: str, data_of: Data, tmp_path: Path) -> None:
    written = data_of(kind).write(tmp_path, ["markdown"])
    text = (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    tokens = parsed(text)
    for token in tokens:
        for one in token.children or ():
            if one.type == "image":
                assert f"report/{unquote(str(one.attrGet('src')))}" in written.files
    for tag in tags(tokens):
        assert not re.search(r"<(script|img|svg|style|iframe)\b", tag)
    assert text.count("<details>") == text.count("</details>")
    anchors = set(re.findall(r'<a id="([\w-]+)">', text))
    assert set(re.findall(r"\]\(#([\w-]+)\)", text)) <= anchors
    rows = [token for token in tokens if token.type == "table_open"]
    assert len(rows) >= 3


def test_what_nobody_named_fits_in_120_lines(data_of: Data) -> None:
    for kind in ("small", "two-datasets", "five"):
        made = data_of(kind)
        short = as_markdown(made)
        assert len(short.splitlines()) <= 120
        assert "--section: " in short
        every = tuple(section.id for section in made.panels[0].sections)
        options = made.options.model_copy(update={"sections": every})
        whole = as_markdown(replace(made, options=options))
        assert "--section: " not in whole
        assert all(f'<a id="{name}">' in whole for name in every)
