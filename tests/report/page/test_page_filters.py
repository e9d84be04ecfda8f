"""The query explorer's search, filters and orders list the queries that they name."""

from __future__ import annotations

import math

import pytest

from ragscore.dataset import Dataset
from ragscore.results import DatasetResult
from tests.factories.built_report import Data
from tests.factories.explorer_page import (
    BOX,
    OPEN,
    counted,
    listed,
    opened,
    options,
    until,
    value_of,
)
from tests.factories.results import Made
from tests.report.browser import Browser

pytestmark = pytest.mark.slow


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
    panel = data_of("odd-measures").result.dataset_results[0]
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
