"""The page as text: what is in it, and that it holds together."""

from __future__ import annotations

import re

from ragscore.elements import Section
from ragscore.report.explorer.packing import unpacked
from ragscore.report.html.page import page
from ragscore.report.model import Chosen, PanelSections
from ragscore.report.options import ReportOptions
from tests.factories.html_pages import Parsed, report
from tests.factories.sample_report import handmade


def test_what_the_scripts_say_and_copy_is_packed() -> None:
    text = page(report("</script>", language="ko"))
    payload = dict(re.findall(r'class="payload" id="payload-([\w-]+)">([\w+/=]*)</script>', text))
    assert unpacked(payload["translations"])["Copy CSV"] == "CSV 복사"  # type: ignore[index]
    copies = unpacked(payload["copies"])
    assert isinstance(copies, dict)
    keys = [attrs["id"] for attrs in Parsed(text).all("table")]
    assert keys == [*copies]
    assert len(keys) == len(set(keys)) == 2 * (4 + 1)  # four choices, and what has none
    assert "0.51234567" in copies[keys[-1]]["csv"]
    assert r"\toprule" in copies[keys[-1]]["latex"]
    # What a reader has to ask for on the page is always in what is copied.
    assert copies[keys[-2]]["csv"].count("\n") == 3
    assert ",0.01" in copies[keys[-2]]["csv"]


def test_variants_are_all_there_and_rules_choose_among_them() -> None:
    parsed = Parsed(page(report(datasets=("one", "two"))))
    variants = [
        (attrs["data-b"], attrs["data-m"], "default" in (attrs["class"] or ""))
        for attrs in parsed.all("div")
        if "variant" in (attrs.get("class") or "").split()
    ]
    each = [("0", "0", True), ("0", "1", False), ("1", "0", False), ("1", "1", False)]
    assert variants == 2 * each
    (style,) = parsed.raw["style"]
    for panel in (0, 1):
        for number in (0, 1):
            for pick, letter in (("baseline", "b"), ("measure", "m")):
                chosen = f'#d{panel}-{pick} option[value="{number}"]:checked'
                hidden = f'.variant[data-{letter}]:not([data-{letter}="{number}"])'
                assert any(chosen in line and hidden in line for line in style.splitlines())
        assert len(parsed.all("select", id=f"d{panel}-baseline")) == 1
    assert [len(parsed.all("input", id=f"pick-d{at}")) for at in (0, 1)] == [1, 1]


def test_a_table_opens_its_columns_and_rows_without_a_script() -> None:
    parsed = Parsed(page(report()))
    boxes = parsed.all("input", type="checkbox")
    assert len(boxes) == 2 * (4 + 1)  # a column and the rows left out of each drawn table
    assert len(parsed.all("tr", class_="rest")) == 4 + 1
    (style,) = parsed.raw["style"]
    hidden = '.menu input[data-x="0"]:not(:checked)) :is(th, td)[data-x="0"] { display: none; }'
    assert hidden in style
    assert ".more-rows input:not(:checked)) .rest { display: none; }" in style


def test_one_choice_needs_no_select() -> None:
    chosen = Chosen(("bm25",), (("RR", "RR"),))
    facts, sections = (("Primary measure", "RR"),), (Section("a", "A", ()),)
    panel = PanelSections("one", facts, sections, chosen)
    parsed = Parsed(page(handmade("alone", ("bm25",), [panel], ReportOptions())))
    assert parsed.all("select") == []
    assert "RR" in parsed.text


def test_cells_keep_full_numbers_and_lead_to_queries() -> None:
    parsed = Parsed(page(report("a/b&c=d 한", datasets=("one", "two"))))
    assert len(parsed.all("td", data_v="0.51234567")) == 2 * (4 + 1)
    assert len(parsed.all("td", data_v="1")) == 2 * (4 + 1)
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
    assert len(charts) == 4 + 1
    assert all(one["role"] == "img" and one["aria-labelledby"] for one in charts)
    for kind in ("chart bar-cell", "chart bar-head", "chart-key sign"):  # said in words too
        assert all(one["aria-hidden"] == "true" for one in parsed.all("svg", class_=kind))
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
