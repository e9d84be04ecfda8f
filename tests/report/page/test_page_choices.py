"""What a reader chooses: another measure, baseline or dataset, and the address that keeps it."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from ragscore.comparison import CompareOptions, compare
from ragscore.report.html.page import page
from ragscore.results import Result, open_result
from tests.factories.built_report import Data, of_datasets
from tests.factories.pages import PLAIN_LEADERBOARD
from tests.factories.results import Made
from tests.report.browser import Browser

pytestmark = pytest.mark.slow


def compared(result: Result, baseline: str, primary: str) -> dict[str, float]:
    """By retriever: its difference to the baseline, as ``ragscore compare`` says it."""
    measures = [str(one) for one in result.scores.measures]
    order = [primary, *(one for one in measures if one != primary)]
    made = compare(result.scored(order), CompareOptions(), baseline=baseline).datasets[0]
    return {one.retriever: one.value for one in made[primary].differences}


def test_choosing_shows_what_compare_says(
    chromium: Browser, page_of: Made, result_of: Made
) -> None:
    result = open_result(result_of("small"))
    chromium.open(page_of("small"))
    retrievers = list(result.retrievers)
    measures = [str(one) for one in result.scores.measures]
    assert len(chromium.js("return document.querySelector('#d0-measure').options")) == len(measures)
    choices = [(b, m) for b in range(len(retrievers)) for m in range(len(measures))]
    for baseline, measure in random.Random(1).sample(choices, 6):
        chromium.choose("#d0-baseline", str(baseline))
        chromium.choose("#d0-measure", str(measure))
        named = chromium.js(
            "return ['#d0-baseline', '#d0-measure'].map(id =>"
            " document.querySelector(id).selectedOptions[0].text)"
        )
        assert named[0] in retrievers
        primary = measures[measure]
        expected = compared(result, named[0], primary)
        rows = chromium.js(PLAIN_LEADERBOARD)
        assert len(rows) == len(retrievers)
        for cells in rows:
            name = next(r for r in retrievers if cells[0][1].strip().startswith(r))
            if name == named[0]:
                continue
            values = [value for value, _ in cells if value is not None and math.isfinite(value)]
            near = [v for v in values if math.isclose(v, expected[name], abs_tol=1e-9)]
            assert near, (named, name, expected[name], cells)
        assert chromium.count('[data-table="leaderboard"]') == 1


def test_one_variant_of_each_place_is_visible(chromium: Browser, page_of: Made) -> None:
    for script in (True, False):
        chromium.open(page_of("small"), script=script)
        assert chromium.count('[data-table="leaderboard"]') == 1
        assert chromium.count(".verdict") == 1
        chromium.choose("#d0-baseline", "1")
        chromium.choose("#d0-measure", "3")
        assert chromium.count('[data-table="leaderboard"]') == 1
        assert chromium.count(".verdict") == 1
        wrong = chromium.js(
            "return [...document.querySelectorAll('.variant')].filter(one => one.checkVisibility()"
            " && ((one.dataset.b ?? '1') !== '1' || (one.dataset.m ?? '3') !== '3')).length"
        )
        assert wrong == 0


@pytest.mark.parametrize("script", [True, False])
def test_a_choice_says_what_the_experiment_chose(
    chromium: Browser, page_of: Made, script: bool
) -> None:
    chromium.open(page_of("five"), script=script)
    assert chromium.texts(".verdict-note") == []
    for baseline, measure in (("0", "3"), ("2", "5"), ("1", "7")):
        chromium.choose("#d0-baseline", baseline)
        chromium.choose("#d0-measure", measure)
        (note,) = chromium.texts(".verdict-note")
        assert "On the experiment's primary measure, nDCG@10: " in note
        assert chromium.box('[data-table="leaderboard"]')["bottom"] <= 900
    # Another baseline alone changes what tables show, and not the verdict.
    chromium.choose("#d0-measure", "0")
    assert chromium.texts(".verdict-note") == []


PICKED = """
const datasets = [...document.querySelectorAll('#pick-dataset input')];
return [datasets.length ? datasets.findIndex(one => one.checked) : null,
  ...['.panel .pick[id$=baseline]', '.panel .pick[id$=measure]'].map(one =>
    [...document.querySelectorAll(one)].find(one => one.checkVisibility())?.selectedIndex ?? null)];
"""
HASH = "return decodeURIComponent(location.hash)"


def test_the_address_keeps_what_was_chosen(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("small"))
    chromium.choose("#d0-measure", "3")
    assert chromium.js(HASH) == "#m=P@10"
    chromium.choose("#d0-baseline", "1")
    assert chromium.js(HASH) == "#b=short-first&m=P@10"
    link = chromium.js("return location.hash.slice(1)")
    chromium.choose("#d0-measure", "0")
    chromium.choose("#d0-baseline", "0")
    assert chromium.js("return location.href").endswith(".html")
    chromium.open(page_of("small"), link)
    assert chromium.js(PICKED) == [None, 1, 3]
    assert chromium.js("return document.querySelector('#explorer-0 select.measure').value") == "3"
    # A link within the page keeps it, too, and so does a part of the page.
    chromium.js("location.hash = '#q=q61&s=bm25'")
    chromium.wait("return Boolean(document.querySelector('.query-detail .passage'))")
    assert chromium.js(HASH) == "#b=short-first&m=P@10&q=q61&s=bm25"
    chromium.js("document.querySelector('.contents a[href=\"#curves\"]').click()")
    chromium.wait("return location.hash.endsWith('at=curves')")
    chromium.driver.refresh()
    chromium.wait("return document.documentElement.dataset.ready === 'true'")
    assert chromium.js(PICKED) == [None, 1, 3]
    assert chromium.js("return document.querySelector('#curves').getBoundingClientRect().top") < 90
    assert chromium.errors() == []


@pytest.mark.parametrize(
    ("fragment", "picked"),
    [
        ("d=1&b=flat&m=R@10", [1, 1, 4]),
        ("d=1&b=flat&m=R%4010&q=q03", [1, 1, 4]),
        ("b=nobody&m=R@11", [0, 0, 0]),
        ("d=7&m=R@10", [0, 0, 4]),
        ("d=x&b=flat", [0, 1, 0]),
    ],
)
def test_a_link_chooses_what_there_is(
    chromium: Browser, page_of: Made, fragment: str, picked: list[int]
) -> None:
    chromium.open(page_of("two-datasets"), fragment)
    assert chromium.js(PICKED) == picked
    if "q=" in fragment:
        chromium.wait("return Boolean(document.querySelector('#explorer-1 .query-detail'))")
    assert chromium.errors() == []


def test_a_query_is_looked_for_in_the_other_dataset(
    chromium: Browser, data_of: Data, tmp_path: Path
) -> None:
    data = data_of("two-datasets")
    swapped = [
        panel.holding(index=at) for at, panel in enumerate(reversed(data.result.dataset_results))
    ]
    written = tmp_path / "report.html"
    written.write_text(page(of_datasets(data, *swapped)), encoding="utf-8", newline="\n")
    # The larger dataset, which is the second here, has its own q80.
    for query, panel, said in (
        ("q03", 0, "#q=q03"),
        ("q80", 1, "#d=1&q=q80"),
        ("q99", 0, "#q=q99"),
    ):
        chromium.open(written, f"q={query}")
        if query == "q99":
            chromium.wait("return document.querySelector('#explorer-0 .notice').textContent")
        else:
            chromium.wait(
                "return Boolean(document.querySelector(`#explorer-${arguments[0]} .query-detail`))",
                panel,
            )
        assert chromium.js(PICKED)[0] == panel
        assert chromium.js(HASH) == said
    assert chromium.errors() == []


def test_datasets_switch(chromium: Browser, page_of: Made) -> None:
    for script in (True, False):
        chromium.open(page_of("two-datasets"), script=script)
        assert chromium.count("article.panel") == 1
        assert chromium.count("#d0") == 1
        chromium.click("#pick-d1")
        assert chromium.count("article.panel") == 1
        assert chromium.count("#d1") == 1
        assert chromium.count("#d1-verdict") == 1
        assert chromium.texts("#d1 .verdict-text")[0]
        # The matrix of all of them stands above, and the head of a column opens its dataset.
        chromium.click('[data-table="datasets"] label[for="pick-d0"]')
        assert chromium.count("#d0") == 1
        assert chromium.count("#d1") == 0
        assert chromium.count('[data-table="datasets"]') == 1
    chromium.open(page_of("small"))
    assert not chromium.js("return Boolean(document.querySelector('#pick-dataset'))")


def test_the_matrix_is_in_the_first_view_and_whole_on_a_phone(
    chromium: Browser, page_of: Made
) -> None:
    for size in ((1400, 900), (390, 844)):
        chromium.open(page_of("two-datasets"), size=size)
        box = chromium.box('[data-table="datasets"]')
        assert 0 <= box["left"] < box["right"] <= size[0]
        assert box["bottom"] < size[1]
        shown = chromium.texts('[data-table="datasets"] tbody td')
        assert len(shown) == 3 * 3  # average, and two datasets


def test_the_second_dataset_has_its_explorer(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("two-datasets"), "d=1&q=q03")
    chromium.wait("return document.querySelector('#explorer-1').dataset.ready === 'true'")
    chromium.wait("return Boolean(document.querySelector('#explorer-1 .query-detail'))")
    assert chromium.count("#d1") == 1
    row = chromium.js(
        "return document.querySelector('#explorer-1 .query-detail')"
        ".closest('.query-row')?.dataset.query ??"
        " document.querySelector('#explorer-1 [aria-expanded=\"true\"]')"
        ".closest('.query-row').dataset.query"
    )
    assert row == "q03"
    assert "서식 MS-117" in "".join(chromium.texts("#explorer-1"))
    assert chromium.errors() == []


def test_a_page_without_choices_has_none(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("one-retriever"))
    assert chromium.count("#d0-baseline") == 0
    assert chromium.texts("main, body")[0]
