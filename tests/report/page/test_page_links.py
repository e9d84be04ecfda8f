"""Links open a query in the explorer, and an opened query stands in the address."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ragscore.results import DatasetResult
from tests.factories.explorer_page import BOX, listed, opened
from tests.factories.pages import write_page
from tests.factories.results import Made, bm25
from tests.factories.tiny_results import tiny
from tests.report.browser import Browser

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("retriever", [None, "short-first"])
def test_a_link_opens_its_query(
    chromium: Browser, page_of: Made, panel: DatasetResult, retriever: str | None
) -> None:
    fragment = "q=q61" + (f"&s={quote(retriever)}" if retriever else "")
    chromium.open(page_of("small"), fragment)
    opened(chromium, "q61")
    chromium.settle()
    box: dict[str, Any] = chromium.js(
        "const one = [...document.querySelectorAll('.query-row')]"
        ".find(row => row.dataset.query === 'q61').getBoundingClientRect();"
        "return {top: one.top, height: innerHeight}"
    )
    assert 0 <= box["top"] < box["height"]
    if retriever:
        looks = chromium.js(
            "return [...document.querySelectorAll('.query-detail .ranking')].map(one => {"
            " const s = getComputedStyle(one);"
            " return [one.className, s.outline, s.backgroundColor, s.border, s.boxShadow].join() })"
        )
        number = panel.retrievers.index(retriever)
        assert sum(look != looks[number] for look in looks) == len(looks) - 1
    assert chromium.errors() == []


@pytest.mark.parametrize("size", [(1400, 900), (1600, 900), (390, 844)])
def test_nothing_of_the_query_before_is_left_above_a_link(
    chromium: Browser, page_of: Made, size: tuple[int, int]
) -> None:
    chromium.open(page_of("small"), "q=q61", size=size)
    opened(chromium, "q61")
    chromium.wait("return document.querySelectorAll('.query-detail .passage').length > 5")
    chromium.settle()
    top, covered = chromium.js(
        "const line = document.querySelector('.contents').getBoundingClientRect();"
        "return [document.querySelector('.query-row.open').getBoundingClientRect().top,"
        " innerWidth < 1500 ? line.bottom : 0]"
    )
    assert covered - 1 < top < covered + 4


def test_a_slice_leads_to_its_queries(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("two-datasets"), "d=1&q=")
    for panel, prefix in ((0, ""), (1, "d1-")):
        chromium.click(f"#pick-d{panel}")
        name = f"{prefix}slices-kind"
        value, count = chromium.js(
            "const row = [...document.querySelectorAll(`[data-table='${arguments[0]}']`)]"
            ".find(one => one.checkVisibility()).tBodies[0].rows[0];"
            "row.querySelector('a').click();"
            "const [value, count] = row.cells;"
            "return [value.dataset.v ?? value.innerText, Number(count.innerText)]",
            name,
        )
        box = f"#explorer-{panel}"
        chromium.wait(
            "return document.querySelector(`${arguments[0]} select.tag`).value === arguments[1]",
            box,
            f"kind:{value}",
        )
        said = int(chromium.texts(f"{box} .count")[0].split()[0])
        assert said == count
    assert chromium.errors() == []


def test_a_retriever_may_be_called_as_a_filter_is(chromium: Browser, tmp_path: Path) -> None:
    names = ["all", "some", "none", "one"]
    folder = tiny(tmp_path, retrievers={name: bm25(k1=n) for n, name in enumerate(names)})
    page = write_page(folder, tmp_path)
    asked = f"return document.querySelector('{BOX} select.fails').value"
    links = {f"fail={word}": word for word in names[:3]}
    links |= {f"fail=one&s={name}": str(number) for number, name in enumerate(names)}
    for fragment, value in {**links, "fail=one": "3"}.items():
        chromium.open(page, fragment)
        chromium.wait(f"{asked} === arguments[0]", value)
    assert chromium.errors() == []


def test_a_link_within_the_page_opens_its_query(explorer: Browser) -> None:
    for query in ("q05", "q80"):
        explorer.js("location.hash = '#q=' + arguments[0]", query)
        opened(explorer, query)


def test_an_opened_query_stands_in_the_address(explorer: Browser) -> None:
    query = listed(explorer)[1]
    explorer.js(
        "[...document.querySelectorAll('#explorer-0 .query-row')][1]"
        ".querySelector('button').click()"
    )
    opened(explorer, query)
    assert explorer.js("return location.hash").startswith(f"#q={quote(query)}")


def test_a_link_to_no_query_breaks_nothing(chromium: Browser, page_of: Made) -> None:
    for fragment in (
        "q=nobody",
        "q=%E0%A4%A",
        "cause=none&s=x",
        "d=9&q=q01",
        "beats=a",
        "&&=",
        "verdict",
    ):
        chromium.open(page_of("small"), fragment)
        assert chromium.errors() == [], fragment
        assert chromium.texts(f"{BOX} .count")[0]
        assert listed(chromium)
