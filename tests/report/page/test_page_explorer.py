"""The query explorer: every query, with its rankings; the keys that lead through it."""

from __future__ import annotations

import pytest

from ragscore.dataset import Dataset
from ragscore.results import DatasetResult
from tests.factories.explorer_page import BOX, OPEN, counted, listed, opened, until
from tests.factories.results import Made
from tests.report.browser import Browser

pytestmark = pytest.mark.slow


def test_a_row_for_each_query_with_a_chip_for_each_retriever(
    explorer: Browser, panel: DatasetResult, data: Dataset
) -> None:
    assert counted(explorer) == len(data.queries)
    query, chips = explorer.js(
        "const row = document.querySelector('#explorer-0 .query-row');"
        "return [row.dataset.query, [...row.querySelectorAll('.chip')]"
        ".map(one => [Number(one.dataset.r), one.innerText])]"
    )
    assert panel.causes is not None
    at = panel.causes.query_ids.index(query)
    assert [number for number, _ in chips] == [0, 1, 2]
    for number, text in chips:
        first = panel.causes.first[panel.retrievers[number]][at]
        assert (str(first) if first else "-") in text.replace("\u2013", "-")


def test_a_row_opens(explorer: Browser, panel: DatasetResult, data: Dataset) -> None:
    explorer.choose(f"{BOX} select.sort", "order")
    query = listed(explorer)[0]
    explorer.click(f"{BOX} .query-row button[aria-expanded]")
    opened(explorer, query)
    columns = explorer.js(
        "return [...document.querySelectorAll('.query-detail .ranking')].map(one =>"
        " [Number(one.dataset.r), [...one.querySelectorAll('.passage')].map(p => p.innerText)])"
    )
    assert [number for number, _ in columns] == [0, 1, 2]
    ids = dict(enumerate(panel.retrievers))
    assert data.corpus is not None
    for number, passages in columns:
        ranking = panel.runs[ids[number]].to_dict()[query]
        best = sorted(ranking, key=lambda one: (ranking[one], one), reverse=True)
        assert len(passages) == min(20, len(best))
        assert best[0] in passages[0]
    assert explorer.js("return document.querySelectorAll('.query-detail mark').length") > 0
    assert explorer.js(
        "return document.querySelectorAll('.query-detail .passage.relevant,"
        " .query-detail .missing').length"
    )
    assert explorer.js("return document.querySelectorAll('.query-detail .also').length") > 0
    assert explorer.errors() == []
    explorer.keys("\ue00c")
    explorer.settle()
    assert explorer.js(OPEN) is None


def test_grades_differ_by_more_than_colour(chromium: Browser, page_of: Made) -> None:
    explorer = chromium
    explorer.open(page_of("small"), "q=q61")
    explorer.wait("return document.querySelectorAll('.query-detail .passage').length > 5")
    looks = explorer.js(
        "const found = {};"
        "for (const one of document.querySelectorAll('.query-detail .passage')) {"
        " const kind = ['relevant', 'judged', 'unjudged'].find(k => one.classList.contains(k));"
        " const style = getComputedStyle(one);"
        " found[kind] = [style.borderLeftStyle, style.borderLeftWidth, style.borderTopStyle,"
        "  one.querySelector('svg, .icon, .grade')?.outerHTML.replace(/[0-9]/g, '') ?? ''];"
        "} return found"
    )
    assert set(looks) == {"relevant", "judged", "unjudged"}
    assert len({str(look) for look in looks.values()}) == len(looks)


def test_no_line_breaks_within_a_word_of_the_dataset(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("two-datasets"), "d=1&q=q34")
    chromium.wait("return document.querySelectorAll('.query-detail .passage').length > 5")
    looks = chromium.js(
        "return [...document.querySelectorAll('#explorer-1 :is(.query-text, .passage-text,"
        " .passage-title, bdi), #d1 .quote')].map(one => getComputedStyle(one).wordBreak)"
    )
    assert len(looks) > 50
    assert set(looks) == {"keep-all"}


def test_keys(explorer: Browser, data: Dataset) -> None:
    explorer.keys("/")
    active = "return document.activeElement.className"
    assert "search" in explorer.js(active)
    explorer.keys("j")
    assert explorer.js("return document.querySelector('input.search').value") == "j"
    until(explorer, len([query for query in data.queries if "j" in query.text.casefold()]))
    explorer.keys("\ue003", "\ue00c")
    assert "search" not in explorer.js(active)
    until(explorer, len(data.queries))
    rows = listed(explorer)
    at = "return document.activeElement.closest('.query-row')?.dataset.query ?? null"
    explorer.keys("j")
    explorer.settle()
    assert explorer.js(at) == rows[0]
    explorer.keys("j")
    explorer.keys("j")
    explorer.settle()
    assert explorer.js(at) == rows[2]
    explorer.keys("k")
    explorer.settle()
    assert explorer.js(at) == rows[1]
    explorer.keys("\ue007")
    opened(explorer, rows[1])
    explorer.keys("j")
    explorer.keys("\ue00c")
    explorer.settle()
    explorer.keys("\ue00c")
    explorer.settle()
    assert explorer.js(OPEN) is None
    assert explorer.errors() == []


def test_of_many_rankings_three_are_named_at_first(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("five"), "q=q61")
    chromium.wait("return Boolean(document.querySelector('.query-detail .also-more'))")
    links = (
        "return [...window.many.querySelectorAll('.also-link:not(.also-more)')]"
        ".filter(one => one.checkVisibility()).length"
    )
    chromium.js("window.many = document.querySelector('.query-detail .also-more').parentElement")
    assert chromium.js("return window.many.innerText").endswith("and 1 more")
    assert chromium.js(links) == 3
    chromium.js("window.many.querySelector('.also-more').click()")
    assert chromium.js(links) == 4
    assert chromium.js("return window.many.contains(document.activeElement)")
    assert chromium.errors() == []
