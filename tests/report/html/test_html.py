"""The page as text: what is in it, and that it holds together."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from ragscore.elements import Cell, Column, Paragraph, Section, Table
from ragscore.elements.csv import csv_text
from ragscore.report.explorer.packing import unpacked
from ragscore.report.html.page import page
from ragscore.report.model import (
    Choice,
    Chosen,
    PanelSections,
    Swap,
)
from ragscore.report.options import ReportOptions
from tests.factories.html_pages import Parsed, report
from tests.factories.sample_report import handmade


def test_what_the_scripts_say_and_copy_is_packed() -> None:
    text = page(report("</script>", language="ko"))
    payload = dict(re.findall(r'class="payload" id="payload-([\w-]+)">([\w+/=]*)</script>', text))
    assert unpacked(payload["translations"])["Copy CSV"] == "CSV 복사"  # type: ignore[index]
    copies = unpacked(payload["copies"])
    assert isinstance(copies, dict)
    keys = [attrs["data-copies"] for _, attrs in Parsed(text).elements if "data-copies" in attrs]
    each = [f"table </script>|{b}|{m}" for b in (0, 1) for m in (0, 1)]
    assert set(copies) == {*each, keys[-1]}
    assert keys == ["table </script>|*|*", keys[-1]]
    assert "0.51234567" in copies[keys[-1]]["csv"]
    assert r"\toprule" in copies[keys[-1]]["latex"]


def test_variants_are_all_there_and_rules_choose_among_them() -> None:
    parsed = Parsed(page(report(datasets=("one", "two"))))
    variants = [
        (attrs["data-b"], attrs["data-m"], "default" in (attrs["class"] or ""))
        for attrs in parsed.all("div")
        if "variant" in (attrs.get("class") or "").split()
    ]
    each = [("0", "0", True), ("0", "1", False), ("1", "0", False), ("1", "1", False)]
    assert variants == 2 * (each + each)  # the chart, and what stands under the table
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
    panel = PanelSections("one", (), (section,), made.panels[0].chosen)
    return Parsed(page(handmade(made.title, made.result.retrievers, [panel], made.options)))


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


def test_tables_that_differ_in_a_few_cells_are_one() -> None:
    """What is the same stands there once, and what is copied is each choice's own."""

    def table(baseline: int) -> Table:
        columns = (Column("name", "Name", "text"), Column("mean", "Mean"), Column("minus", "Minus"))
        rows = ((name, 0.25 + at, (at - baseline) / 7) for at, name in enumerate(("a", "b")))
        cells = ((Cell(n, n), Cell(m, f"{m:.1f}"), Cell(d, f"{d:.1f}")) for n, m, d in rows)
        return Table("t", "", columns, tuple(cells))

    def swapped(other: Table) -> tuple[Parsed, dict[str, dict[str, str]]]:
        held = {Choice("a"): (table(0),), Choice("b"): (other,)}
        section = Section("verdict", "", (Swap(held, Choice("a")),))
        panel = PanelSections("one", (), (section,), Chosen(("a", "b")))
        text = page(handmade("x", ("a", "b"), [panel], ReportOptions()))
        copies = re.search(r'id="payload-copies">([\w+/=]*)<', text)
        assert copies is not None
        return Parsed(text), unpacked(copies[1])  # type: ignore[return-value]

    parsed, copies = swapped(table(1))
    assert [one["data-copies"] for one in parsed.all("table")] == ["t|*|"]
    assert len(parsed.all("td", data_v="0.25")) == 1
    shown = [
        (attrs["data-b"], attrs["data-v"], "default" in (attrs["class"] or ""))
        for attrs in parsed.all("span", data_b="0") + parsed.all("span", data_b="1")
    ]
    values = [("0", 0.0, True), ("0", 1 / 7, True), ("1", -1 / 7, False), ("1", 0.0, False)]
    assert shown == [(number, repr(value), default) for number, value, default in values]
    assert {key: copy["csv"] for key, copy in copies.items()} == {
        f"t|{baseline}|": csv_text(table(baseline)) for baseline in (0, 1)
    }
    longer = replace(table(1), rows=table(1).rows * 2)
    parsed, copies = swapped(longer)
    assert [one["data-copies"] for one in parsed.all("table")] == ["t|0|", "t|1|"] == [*copies]


def test_one_choice_needs_no_select() -> None:
    chosen = Chosen(("bm25",), (("RR", "RR"),))
    facts, sections = (("Primary measure", "RR"),), (Section("a", "A", ()),)
    panel = PanelSections("one", facts, sections, chosen)
    parsed = Parsed(page(handmade("alone", ("bm25",), [panel], ReportOptions())))
    assert parsed.all("select") == []
    assert "RR" in parsed.text


def test_cells_keep_full_numbers_and_lead_to_queries() -> None:
    parsed = Parsed(page(report("a/b&c=d 한", datasets=("one", "two"))))
    assert len(parsed.all("td", data_v="0.51234567")) == 2 * 2
    assert len(parsed.all("td", data_v="1")) == 2 * 2
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


def test_page_is_in_its_language() -> None:
    parsed = Parsed(page(report(language="ko")))
    assert parsed.all("html", lang="ko")
    assert "기준 검색기" in parsed.text
    assert "Baseline" not in parsed.text


def test_the_head_comes_first_and_the_contents_behind_the_verdict() -> None:
    text = page(report())
    order = [text.index(one) for one in ('id="head"', 'id="verdict"', "<nav", 'id="curves"')]
    assert order == sorted(order)
