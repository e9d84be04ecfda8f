"""The page as text: what is in it, that it holds together, and that no text can break out."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from ragscore.blocks import (
    Block,
    Cell,
    Code,
    Column,
    Details,
    Facts,
    Headline,
    Paragraph,
    Section,
    Table,
)
from ragscore.dataset import Ids
from ragscore.report.build import Report, build
from ragscore.report.data import ReportData
from ragscore.report.explorer.packing import unpacked
from ragscore.report.html.fragment import fragment
from ragscore.report.html.page import page
from ragscore.report.html.plain_text import attribute, clean, sentence
from ragscore.report.model import (
    Beside,
    Choice,
    Chosen,
    Drawing,
    Figure,
    PanelSections,
    Swap,
    Trust,
    TrustItem,
    WithoutScript,
)
from ragscore.report.options import ReportOptions
from ragscore.report.strings import STRINGS
from tests.factories.built_report import Data

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "</style><svg onload=alert(1)>",
    "javascript:alert(1)",
    "\"'><b onmouseover=alert(1)>",
    "\u202egnp.exe\u2066",
    "nul\x00 bell\x07 escape\x1b next\x85",
    "lone \ud800 surrogate",
    "<!--notes of explorer 0-->",
    "{{ 7 * 7 }} {% raw %} &amp; ]]>",
    "=cmd|' /C calc'!A0",
    "אבג bm25",
    "한국어 검색기",
]
VOID = {"meta", "link", "img", "br", "input", "hr"}


class Parsed(HTMLParser):
    """Every element with its attributes; complains where tags do not close in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice: <{tag} {attrs}>"
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in self.raw:
            self.raw[tag].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1:] == [tag], f"</{tag}> inside {self.open}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]][-1] += data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [
            attrs
            for name, attrs in self.elements
            if name == tag and all(attrs.get(key) == value for key, value in wanted.items())
        ]


def blocks(name: str, other: str, told: str = "") -> tuple[Block, ...]:
    """Every kind of block but the explorer, with a name in every place that can hold one.

    What is told stands in the chart and in the table.
    """
    table = Table(
        f"table {name}",
        f"About {name}",
        (
            Column(f"column {name}", name, "text", hint=name),
            Column("nDCG@10", "nDCG@10", interval=True, better="high", unit="ms"),
            Column("query", "query", "text"),
        ),
        (
            (
                Cell(name, name, retriever=name, hint=name),
                Cell(0.51234567, "0.512", 0.4, 0.6, "[0.400, 0.600]", strong=True, mark="*"),
                Cell(name, name, query=name, quote=True),
            ),
            (
                Cell(other, other, retriever=other),
                Cell(None, "-", level="poor"),
                Cell(True, "yes", query="q 1", retriever=other),
            ),
        ),
        notes=(f"a note on {name}", told),
    )
    figure = Figure(
        f"figure {name}",
        f"Chart of {name}",
        f"It shows {name}.",
        Drawing(600, 200, '<g class="r0" data-r="0" tabindex="0"><circle class="mark" r="3"/></g>'),
        note=name + told,
    )
    return (
        Headline("TIE", "Tie", "fair", f"{name} may be as good.", ((name, f"{other} and {name}"),)),
        Trust((TrustItem(name, name, "good", (Paragraph(name),), id=f"trust {name}"),)),
        Paragraph(name),
        Paragraph(name, "note"),
        Paragraph(name, "warning"),
        Facts(((name, name),)),
        Code(name, language=name),
        Beside(((figure,), (table,)), shares=(2, 3)),
        Details(name, (Paragraph(name),), id=f"details {name}"),
        WithoutScript((Paragraph(name),)),
    )


def report(
    name: str = "bm25",
    other: str = "dense",
    *,
    datasets: tuple[str, ...] = ("tenancy",),
    language: Any = "en",
    max_mb: float = 5.0,
) -> Report:
    """A report made by hand, in which everything is swapped by baseline and measure."""
    held = blocks(name, other)
    choices = [Choice(one, measure) for one in (name, other) for measure in ("nDCG@10", "RR")]
    swapped = {one: blocks(name, other, f"{one.baseline} {one.measure}") for one in choices}
    sections = (
        Section("verdict", "", (Swap(swapped, choices[0]),)),
        Section("curves", f"Curves of {name}", held),
    )
    facts = (("Name", name), ("Queries", "87"), ("Primary measure", "nDCG@10"))
    return Report(
        data=ReportData(
            name=name,
            description=name,
            folder="results/x",
            manifest={},
            experiment="",
            retrievers=(name, other),
            panels=(),
            options=ReportOptions(language=language, max_mb=max_mb),
            strings=STRINGS.strings(language),
        ),
        title=name,
        panels=tuple(PanelSections(one, (("Dataset", one), *facts), sections) for one in datasets),
        chosen=tuple(
            Chosen((name, other), (("nDCG@10", "nDCG@10"), ("RR", f"RR of {name}")))
            for _ in datasets
        ),
    )


def policy(parsed: Parsed) -> dict[str, str]:
    (meta,) = parsed.all("meta", http_equiv="Content-Security-Policy")
    parts = (one.strip().split(" ", 1) for one in (meta["content"] or "").split(";"))
    return dict(parts)


def test_the_policy_allows_this_style_and_this_script_and_nothing_else() -> None:
    parsed = Parsed(page(report()))

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    (style,) = parsed.raw["style"]
    *payloads, script = parsed.raw["script"]
    assert policy(parsed) == {
        "default-src": "'none'",
        "script-src": digest(script),
        "style-src": digest(style),
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert len(parsed.all("script", type="application/octet-stream")) == len(payloads)


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("language", ["en", "ko"])
def test_no_text_breaks_out_of_its_place(hostile: str, language: str) -> None:
    plain = Parsed(page(report(datasets=("one", "bm25"), language=language)))
    parsed = Parsed(page(report(hostile, datasets=("one", hostile), language=language)))

    def shape(one: Parsed) -> list[tuple[str, list[str]]]:
        # Isolating a name that turns the direction adds <bdi>, and nothing else may differ.
        return [(tag, sorted(attrs)) for tag, attrs in one.elements if tag != "bdi"]

    assert shape(parsed) == shape(plain)
    assert clean(hostile) in parsed.text
    (script,) = {parsed.raw["script"][-1], plain.raw["script"][-1]}
    (_,) = {parsed.raw["style"][0], plain.raw["style"][0]}
    assert "eval(" not in script
    assert "innerHTML" not in script
    for code in ("\x00", "\x07", "\x1b", "\x85", "\ud800"):
        assert not any(code in one for one in parsed.texts)


@pytest.mark.parametrize("name", ["bm25", *HOSTILE])
def test_nothing_is_loaded_or_handled_by_attributes(name: str) -> None:
    for tag, attrs in Parsed(page(report(name))).elements:
        assert tag not in {"iframe", "object", "embed", "base", "form", "img"}
        for key, value in attrs.items():
            assert not key.startswith(("style", "on")), (tag, attrs)
            if key in {"href", "src", "xlink:href"}:
                assert (value or "").startswith(("#", "data:,")), (tag, attrs)
    (style,) = Parsed(page(report(name))).raw["style"]
    assert not re.search(r"url\(|@import|https?:", style)


@pytest.mark.parametrize("name", ["bm25", *HOSTILE])
def test_ids_are_unique_and_every_reference_resolves(name: str) -> None:
    parsed = Parsed(page(report(name, datasets=("one", "two"))))
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[\w.-]+", one or "", re.ASCII) for one in ids)
    for tag, attrs in parsed.elements:
        for key in ("for", "aria-labelledby", "aria-describedby", "aria-controls"):
            for one in (attrs.get(key) or "").split():
                assert one in ids, (tag, key, one)
        href = attrs.get("href") or ""
        if tag == "a" and "=" not in href:
            assert href.removeprefix("#") in ids, href


def test_what_the_scripts_say_and_copy_is_packed() -> None:
    text = page(report("</script>", language="ko"))
    payload = dict(re.findall(r'class="payload" id="payload-([\w-]+)">([\w+/=]*)</script>', text))
    assert unpacked(payload["words"])["js_copy_csv"] == "CSV 복사"  # type: ignore[index]
    copies = unpacked(payload["copies"])
    assert isinstance(copies, dict)
    keys = [attrs["data-copies"] for _, attrs in Parsed(text).elements if "data-copies" in attrs]
    assert set(keys) == set(copies)
    assert keys == [*(f"table </script>|{b}|{m}" for b in (0, 1) for m in (0, 1)), keys[-1]]
    assert "0.51234567" in copies[keys[-1]]["csv"]
    assert r"\toprule" in copies[keys[-1]]["latex"]


def test_variants_are_all_there_and_rules_choose_among_them() -> None:
    parsed = Parsed(page(report(datasets=("one", "two"))))
    variants = [
        (attrs["data-b"], attrs["data-m"], "default" in (attrs["class"] or ""))
        for attrs in parsed.all("div")
        if "variant" in (attrs.get("class") or "").split()
    ]
    assert variants == 2 * [
        ("0", "0", True),
        ("0", "1", False),
        ("1", "0", False),
        ("1", "1", False),
    ]
    (style,) = parsed.raw["style"]
    for panel in (0, 1):
        for number in (0, 1):
            for pick, letter in (("baseline", "b"), ("measure", "m")):
                chosen = f'#d{panel}-{pick} option[value="{number}"]:checked'
                hidden = f'.variant[data-{letter}]:not([data-{letter}="{number}"])'
                assert any(chosen in line and hidden in line for line in style.splitlines())
        assert len(parsed.all("select", id=f"d{panel}-baseline")) == 1
    assert len(parsed.all("select", id="pick-dataset")) == 1


def swapped(told: dict[tuple[str, str], str]) -> Parsed:
    """A page with one sentence for each choice."""
    made = report()
    choices = {Choice(*key): (Paragraph(one), Paragraph("all")) for key, one in told.items()}
    section = Section("verdict", "", (Swap(choices, next(iter(choices))),))
    panel = PanelSections("one", (), (section,))
    return Parsed(page(Report(made.data, made.title, (panel,), made.chosen)))


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        (["a", "a", "a", "a"], []),
        (["a", "b", "a", "b"], [(None, "0"), (None, "1")]),
        (["a", "a", "b", "b"], [("0", None), ("1", None)]),
        (["a", "b", "b", "a"], [("0", "0"), ("0", "1"), ("1", "0"), ("1", "1")]),
    ],
)
def test_what_is_the_same_for_all_choices_stands_there_once(
    told: list[str], shown: list[tuple[str | None, str | None]]
) -> None:
    keys = [("bm25", "nDCG@10"), ("bm25", "RR"), ("dense", "nDCG@10"), ("dense", "RR")]
    parsed = swapped(dict(zip(keys, told, strict=True)))
    variants = [
        attrs for attrs in parsed.all("div") if "variant" in (attrs.get("class") or "").split()
    ]
    assert [(one.get("data-b"), one.get("data-m")) for one in variants] == shown
    assert sum("default" in (one["class"] or "") for one in variants) == (1 if shown else 0)
    assert parsed.text.count("all") == 1


def test_one_choice_needs_no_select() -> None:
    made = report()
    alone = Report(
        made.data,
        made.title,
        (PanelSections("one", (("Primary measure", "RR"),), (Section("a", "A", ()),)),),
        (Chosen(("bm25",), (("RR", "RR"),)),),
    )
    parsed = Parsed(page(alone))
    assert parsed.all("select") == []
    assert "RR" in parsed.text


def test_cells_keep_full_numbers_and_lead_to_queries() -> None:
    parsed = Parsed(page(report("a/b&c=d 한", datasets=("one", "two"))))
    assert len(parsed.all("td", data_v="0.51234567")) == 2 * 5
    assert len(parsed.all("td", data_v="1")) == 2 * 5
    hrefs = [attrs["href"] for attrs in parsed.all("a") if "q=" in (attrs.get("href") or "")]
    assert set(hrefs) == {
        "#q=a%2Fb%26c%3Dd%20%ED%95%9C",
        "#d=1&q=a%2Fb%26c%3Dd%20%ED%95%9C",
        "#q=q%201&s=dense",
        "#d=1&q=q%201&s=dense",
    }


def test_charts_have_a_title_and_a_description() -> None:
    parsed = Parsed(page(report()))
    charts = parsed.all("svg", class_="chart")
    assert len(charts) == 5
    assert all(one["role"] == "img" and one["aria-labelledby"] for one in charts)
    assert len(parsed.all("desc")) == len(charts)


def test_a_page_that_is_too_large_says_by_how_much() -> None:
    small = page(report(max_mb=5.0))
    assert "max_mb" not in Parsed(small).text
    over = len(small.encode()) / 1e6 - 0.001
    text = page(report(max_mb=0.001))
    assert f"{over:.2g} MB larger than max_mb=0.001: " in Parsed(text).text


@pytest.mark.parametrize("kind", ["korean", pytest.param("two-datasets", marks=pytest.mark.slow)])
def test_a_page_fits_with_the_notes_of_what_was_cut(kind: str, data_of: Data) -> None:
    data = data_of(kind, "ko")

    def made(bytes: int) -> str:
        options = data.options.model_copy(update={"max_mb": bytes / 1e6})
        return page(build(replace(data, options=options)))

    least = len(made(1000).encode())
    for spare in (-500, 0, 250, 750, 2000):
        bytes = least + spare
        text = made(bytes)
        larger = len(text.encode()) > bytes
        assert ("MB 더 큽니다" in text) == larger, bytes


def test_what_a_small_dataset_leaves_is_there_for_a_large_one(data_of: Data) -> None:
    """Whichever stands first on the page."""
    data = data_of("two-datasets")
    large, other = data.panels
    few = Ids(other.runs[other.baseline].queries[:3])
    small = other.holding(runs={one: run.for_queries(few) for one, run in other.runs.items()})
    for panels in ((large, small), (small, large)):
        ordered = replace(
            data, panels=tuple(one.holding(index=at) for at, one in enumerate(panels))
        )
        whole = page(build(ordered))
        assert "To stay below" not in whole
        for spare, cut in ((2_000, False), (-20_000, True)):
            limit = (len(whole.encode()) + spare) / 1e6
            options = data.options.model_copy(update={"max_mb": limit})
            text = page(build(replace(ordered, options=options)))
            assert ("To stay below" in text) == cut, spare


def test_page_is_in_its_language() -> None:
    parsed = Parsed(page(report(language="ko")))
    assert parsed.all("html", lang="ko")
    assert "기준 검색기" in parsed.text
    assert "Baseline" not in parsed.text


def test_the_head_comes_first_and_the_contents_behind_the_verdict() -> None:
    text = page(report())
    order = [text.index(one) for one in ('id="head"', 'id="verdict"', "<nav", 'id="curves"')]
    assert order == sorted(order)


@pytest.mark.parametrize("name", ["bm25", *HOSTILE])
def test_a_fragment_stands_for_itself(name: str) -> None:
    held = report(name)
    choice = Choice(name, "RR")
    swap = Swap({choice: (Paragraph("shown"),), Choice(name, "P"): (Paragraph("not"),)}, choice)
    text = fragment((*blocks(name, "dense"), swap), held.data)
    parsed = Parsed(text)
    assert parsed.all("script") == []
    assert parsed.all("a") == []
    assert "shown" in parsed.text
    assert parsed.all("div", class_="variant") == []
    assert not any("style" in attrs for _, attrs in parsed.elements)
    ids = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    (style,) = parsed.raw["style"]
    assert "rem;" not in style
    assert ":root" not in style
    assert style.count("{") == style.count("}")


@pytest.mark.parametrize(
    ("text", "names", "made"),
    [
        ("bm25 & co", ["bm25"], "bm25 &amp; co"),
        ("א beats b", ["א", "b"], "<bdi><bdi>א</bdi> beats b</bdi>"),
        ("\u202eab", [], "<bdi>\u202eab</bdi>"),
        ("a\x00", [], "a\ufffd"),
    ],
)
def test_sentences_isolate_names_that_turn(text: str, names: list[str], made: str) -> None:
    assert sentence(text, names) == made


def test_attributes_keep_their_direction_inside() -> None:
    assert attribute("\u202ea") == "\u2068\u202ea\u2069"
    assert attribute("a") == "a"
