"""The query explorer: every query, found, opened, linked to."""

from __future__ import annotations

import math
from typing import Any
from urllib.parse import quote

import pytest

from ragscore.dataset import Dataset
from ragscore.report.data import report_data
from ragscore.results import DatasetResult, open_result
from tests.factories.built_report import Data
from tests.factories.results import Made
from tests.report.browser import Browser

pytestmark = pytest.mark.slow

BOX = "#explorer-0"
OPEN = """
const detail = [...document.querySelectorAll('#explorer-0 .query-detail')]
  .find(one => one.checkVisibility());
if (!detail) return null;
const row = detail.closest('.query-row')
  ?? document.querySelector('#explorer-0 [aria-expanded="true"]').closest('.query-row');
return row.dataset.query;
"""


@pytest.fixture(scope="module")
def panel(result_of: Made) -> DatasetResult:
    """What the page of ``small`` was made of."""
    return report_data(open_result(result_of("small"))).panels[0]


@pytest.fixture(scope="module")
def data(panel: DatasetResult) -> Dataset:
    assert panel.data is not None
    return panel.data


@pytest.fixture
def explorer(chromium: Browser, page_of: Made) -> Browser:
    chromium.open(page_of("small"))
    chromium.js("document.querySelector('#explorer-0').scrollIntoView({behavior: 'instant'})")
    return chromium


def counted(browser: Browser) -> int:
    """How many queries the explorer says it lists."""
    browser.settle()
    said: str = browser.js(
        "return document.querySelector('#explorer-0 .count').innerText.match(/[\\d,]+/)[0]"
    )
    return int(said.replace(",", ""))


def listed(browser: Browser) -> list[str]:
    """The ids of the rows, in order; all of them where they are few."""
    browser.settle()
    rows: list[str] = browser.js(
        "return [...document.querySelectorAll('#explorer-0 .query-row')]"
        ".filter(one => one.checkVisibility()).map(one => one.dataset.query)"
    )
    return rows


def until(browser: Browser, count: int) -> None:
    """Wait for a filter that works behind a short pause of typing."""
    browser.wait(
        "return Number(document.querySelector('#explorer-0 .count').innerText"
        ".match(/[\\d,]+/)[0].replace(',', '')) === arguments[0]",
        count,
    )


def opened(browser: Browser, query: str) -> None:
    browser.wait(f"const open = (() => {{ {OPEN} }})(); return open === arguments[0]", query)


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


def test_search_finds_words_of_queries(explorer: Browser, data: Dataset) -> None:
    for words in ("tenancy", "DEPOSIT", "q17", "no such words anywhere"):
        explorer.type(f"{BOX} input.search", words)
        expected = {
            query.id
            for query in data.queries
            if words.casefold() in query.text.casefold() or words.casefold() in query.id.casefold()
        }
        until(explorer, len(expected))
        assert set(listed(explorer)) <= expected
    explorer.type(f"{BOX} input.search", "")
    explorer.js(
        "document.querySelector('input.search').dispatchEvent(new Event('input', {bubbles: true}))"
    )
    until(explorer, len(data.queries))


def options(browser: Browser, selector: str) -> list[list[str]]:
    """Value and text of each option."""
    found: list[list[str]] = browser.js(
        "return [...document.querySelector(arguments[0]).options].map(o => [o.value, o.text])",
        f"{BOX} {selector}",
    )
    return found


def value_of(browser: Browser, selector: str, text: str) -> str:
    """The value of the option that names a text."""
    return next(value for value, said in options(browser, selector) if text in said)


def test_filter_by_tag(explorer: Browser, data: Dataset) -> None:
    """Tags and metadata of few values; the option's value is ``key:value``."""
    found = options(explorer, "select.tag")[1:]
    assert len(found) > 5
    for value, _ in found[:3]:
        expected = {
            query.id
            for query in data.queries
            if value in {f"{key}:{one}" for key, one in query.metadata.items()}
            or value in {*query.tags, *(f"tags:{tag}" for tag in query.tags)}
        }
        assert 0 < len(expected) < len(data.queries)
        explorer.choose(f"{BOX} select.tag", value)
        until(explorer, len(expected))
        assert set(listed(explorer)) <= expected


def test_filter_by_what_beats_what(explorer: Browser, panel: DatasetResult) -> None:
    first, second = panel.retrievers[0], panel.retrievers[2]
    explorer.choose(f"{BOX} select.beats-a", value_of(explorer, "select.beats-a", first))
    explorer.choose(f"{BOX} select.beats-b", value_of(explorer, "select.beats-b", second))
    values = [panel.scores[one].per_query(panel.primary) for one in (first, second)]
    expected = {query for query in values[0] if values[0][query] > values[1][query]}
    assert expected
    until(explorer, len(expected))
    assert set(listed(explorer)) <= expected


def test_small_values_beat_large_ones_where_those_are_good(
    chromium: Browser, page_of: Made, data_of: Data
) -> None:
    panel = data_of("odd-measures").panels[0]
    assert panel.primary == "MR"
    chromium.open(page_of("odd-measures"))
    chromium.js("document.querySelector('#explorer-0').scrollIntoView({behavior: 'instant'})")
    assert panel.data is not None
    until(chromium, len(panel.data.queries))
    values = [panel.scores[one].per_query("MR") for one in panel.retrievers]
    # Nothing was found: worse than any rank, and by more retrievers than by fewer.
    badness = {}
    for query in values[0]:
        known = [of[query] for of in values if not math.isnan(of[query])]
        badness[query] = (len(values) - len(known), sum(known) / max(len(known), 1))
    worst = sorted(badness, key=lambda query: badness[query], reverse=True)
    shown = listed(chromium)
    assert [badness[one] for one in shown[:20]] == [badness[one] for one in worst[:20]]
    assert badness[shown[0]][0] == 3
    first, second = panel.retrievers[0], panel.retrievers[2]
    chromium.choose(f"{BOX} select.beats-a", value_of(chromium, "select.beats-a", first))
    chromium.choose(f"{BOX} select.beats-b", value_of(chromium, "select.beats-b", second))
    expected = {query for query in values[0] if values[0][query] < values[2][query]}
    assert expected
    until(chromium, len(expected))
    assert set(listed(chromium)) <= expected


def test_filter_where_all_fail(explorer: Browser, panel: DatasetResult) -> None:
    assert panel.causes is not None
    of = [panel.causes.of[one] for one in panel.retrievers]
    expected = sum(all(one[n] >= 0 for one in of) for n in range(len(panel.causes.query_ids)))
    value = next(value for value, _ in options(explorer, "select.fails") if value == "all")
    explorer.choose(f"{BOX} select.fails", value)
    until(explorer, expected)


def test_a_bar_of_the_failures_filters(explorer: Browser, panel: DatasetResult) -> None:
    assert panel.causes is not None
    for retriever in panel.retrievers:
        for cause, count in panel.causes.counts(retriever).items():
            if not count:
                continue
            number = panel.retrievers.index(retriever)
            target = explorer.js(
                "return [...document.querySelectorAll('#failures svg a')].map(one =>"
                " one.getAttribute('href') ?? one.href.baseVal).find(one =>"
                " one.includes('cause=' + arguments[0]) &&"
                " one.includes('s=' + encodeURIComponent(arguments[1])))",
                cause,
                retriever,
            )
            assert target, (cause, retriever, number)
            explorer.js("location.hash = arguments[0]", target)
            until(explorer, count)
    assert explorer.errors() == []


def test_sorting_changes_the_order(explorer: Browser, data: Dataset) -> None:
    orders = set()
    for value, _ in options(explorer, "select.sort"):
        explorer.choose(f"{BOX} select.sort", value)
        orders.add(tuple(listed(explorer)[:10]))
        assert counted(explorer) == len(data.queries)
    assert len(orders) >= 3


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


def test_a_filter_leaves_a_query_open_that_it_lists(explorer: Browser, data: Dataset) -> None:
    query = next(one for one in data.queries if one.id == "q61")
    explorer.js("location.hash = '#q=q61'")
    opened(explorer, "q61")
    explorer.wait("return document.querySelectorAll('.query-detail .passage').length > 5")
    explorer.choose(f"{BOX} select.measure", "1")
    explorer.choose(f"{BOX} select.sort", "id")
    value = f"kind:{query.metadata['kind']}"
    explorer.choose(f"{BOX} select.tag", value)
    assert "q61" in listed(explorer)
    assert explorer.js(OPEN) == "q61"
    assert explorer.count(".query-detail .passage") > 5
    assert explorer.js("return location.hash") == "#q=q61"
    shown = explorer.js(
        "return document.querySelector('.query-row.open .chip').title.includes("
        "document.querySelector('select.measure').selectedOptions[0].text)"
    )
    assert shown, "its chips tell the measure that was chosen"
    other = next(
        one
        for one, _ in options(explorer, "select.tag")[1:]
        if one.startswith("kind:") and one != value
    )
    explorer.choose(f"{BOX} select.tag", other)
    assert explorer.js(OPEN) is None
    assert explorer.js("return location.hash") == ""
    assert explorer.errors() == []


def test_a_slice_leads_to_its_queries(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("two-datasets"), "d=1&q=")
    for panel, prefix in ((0, ""), (1, "d1-")):
        chromium.choose("#pick-dataset", str(panel))
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


def test_no_line_breaks_within_a_word_of_the_dataset(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("two-datasets"), "d=1&q=q34")
    chromium.wait("return document.querySelectorAll('.query-detail .passage').length > 5")
    looks = chromium.js(
        "return [...document.querySelectorAll('#explorer-1 :is(.query-text, .passage-text,"
        " .passage-title, bdi), #d1 .quote')].map(one => getComputedStyle(one).wordBreak)"
    )
    assert len(looks) > 50
    assert set(looks) == {"keep-all"}


@pytest.mark.parametrize("key", ["\ue00c", "\ue007"], ids=["Esc", "Enter"])
def test_keys_search_at_once(explorer: Browser, data: Dataset, key: str) -> None:
    """The list is that of the search before the key is done, so that it takes the next key."""
    explorer.keys("/")
    explorer.js(
        "window.counts = []; document.addEventListener('keyup', () =>"
        " window.counts.push(document.querySelector('#explorer-0 .count').innerText))"
    )
    explorer.keys("rent", key)
    expected = sum("rent" in query.text.casefold() for query in data.queries)
    assert explorer.js("return window.counts.at(-1)").startswith(f"{expected} ")
    assert explorer.js("return document.querySelector('input.search').value") == "rent"
    if key == "\ue007":
        return
    explorer.keys("j")
    explorer.keys("j")
    explorer.js("return new Promise(done => setTimeout(done, 250))")
    at = "return document.activeElement.closest('.query-row')?.dataset.query ?? null"
    assert explorer.js(at) == listed(explorer)[1]


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
