"""What a reader does with the page: mark one retriever, sort and copy a table, switch the theme."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragscore import evaluate, make_report
from tests.factories.pages import PLAIN_LEADERBOARD
from tests.factories.results import Made
from tests.report.browser import Browser

pytestmark = pytest.mark.slow
# The opacity that the eye sees: of the mark and all that it stands in.
MARKS = """
const seen = one => {
  let share = 1;
  for (let at = one; at; at = at.parentElement) share *= getComputedStyle(at).opacity;
  return share;
};
return [...document.querySelectorAll('svg.chart')].filter(one => one.checkVisibility())
  .map(chart => ({figure: chart.closest('figure')?.dataset.figure,
    marks: [...chart.querySelectorAll('[data-r]')]
      .map(one => [Number(one.dataset.r), seen(one)])}))
  .filter(chart => new Set(chart.marks.map(mark => mark[0])).size > 1);
"""


def focused(charts: list[dict[str, Any]], number: int) -> bool:
    """Whether one retriever stands out in every chart."""
    return all(
        (share > 0.9) if mark == number else (share < 0.5)
        for chart in charts
        for mark, share in chart["marks"]
    )


def test_focus_by_keyboard_marks_one_retriever_in_every_chart(
    chromium: Browser, page_of: Made
) -> None:
    chromium.open(page_of("small"))
    charts = chromium.js(MARKS)
    assert len(charts) >= 4
    assert all(share > 0.9 for chart in charts for _, share in chart["marks"])
    for number in (0, 1, 2):
        for chart in chromium.js(
            "return [...document.querySelectorAll('svg.chart [data-r=\"'+arguments[0]+'\"]"
            '[tabindex="0"]\')].filter(one => one.checkVisibility())',
            number,
        ):
            chromium.js("arguments[0].focus()", chart)
            chromium.settle()
            assert focused(chromium.js(MARKS), number)
    chromium.js("document.activeElement.blur()")
    chromium.settle()
    assert all(share > 0.9 for chart in chromium.js(MARKS) for _, share in chart["marks"])


def test_the_tab_key_comes_to_every_retriever_of_the_first_chart(
    chromium: Browser, page_of: Made
) -> None:
    chromium.open(page_of("small"))
    reached = []
    for _ in range(60):
        chromium.keys("\ue004")
        number, chart = chromium.js(
            "const one = document.activeElement;"
            "return [one.closest('[data-r]')?.dataset.r ?? null, Boolean(one.closest('svg.chart'))]"
        )
        if chart and number is not None:
            reached.append(int(number))
            assert focused(chromium.js(MARKS), int(number))
        if len(set(reached)) == 3:
            break
    assert set(reached) == {0, 1, 2}


def test_the_mouse_on_a_name_marks_the_retriever(chromium: Browser, page_of: Made) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    chromium.open(page_of("small"))
    for number in (2, 0):
        name = chromium.js(
            'return [...document.querySelectorAll(\'[data-table="leaderboard"] [data-r="\''
            "+ arguments[0] + '\"]')].find(one => one.checkVisibility())",
            number,
        )
        ActionChains(chromium.driver).move_to_element(name).perform()
        chromium.settle()
        assert focused(chromium.js(MARKS), number)
    ActionChains(chromium.driver).move_by_offset(0, 0).perform()


@pytest.mark.parametrize("script", [True, False])
def test_what_a_chart_links_to_can_be_reached_without_it(
    chromium: Browser, page_of: Made, script: bool
) -> None:
    """A chart is one image to a screen reader, so its links are those of the table as well."""
    chromium.open(page_of("small"), script=script)
    links = chromium.js(
        "return [...document.querySelectorAll('svg.chart a')].map(one => "
        "[one.getAttribute('href'), one.getAttribute('tabindex')])"
    )
    tables = chromium.js(
        "return [...document.querySelectorAll('table a')].map(one => one.getAttribute('href'))"
    )
    assert links
    assert all(href in tables and stop == "-1" for href, stop in links)


def sort_state(chromium: Browser) -> tuple[str, list[float]]:
    """How the second column of the leaderboard is sorted, by its label and by its cells."""
    label = chromium.js(
        "const table = [...document.querySelectorAll('[data-table=\"leaderboard\"]')]"
        ".find(one => one.checkVisibility());"
        "return table.tHead.rows[0].cells[1].getAttribute('aria-sort')"
    )
    return label, [cells[1][0] for cells in chromium.js(PLAIN_LEADERBOARD)]


def test_tables_sort(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("five"))
    button = '[data-table="leaderboard"] thead th:nth-child(2) button'
    chromium.click(button)
    first = sort_state(chromium)
    chromium.click(button)
    second = sort_state(chromium)
    assert {first[0], second[0]} == {"ascending", "descending"}
    for state, values in (first, second):
        assert values == sorted(values, reverse=state == "descending")
    for baseline in ("0", "3"):  # each choice has a table of its own
        chromium.choose("#d0-baseline", baseline)
        chromium.click('[data-table="leaderboard"] [data-column="difference"] button')
        differences = [cells[2][0] for cells in chromium.js(PLAIN_LEADERBOARD)]
        assert differences.pop() is None
        assert differences == sorted(differences, reverse=True)
    assert chromium.errors() == []


@pytest.mark.parametrize("script", [True, False])
def test_the_menu_of_columns_shows_the_other_measures(
    chromium: Browser, page_of: Made, script: bool
) -> None:
    chromium.open(page_of("small"), script=script)
    table = '[data-table="leaderboard"]'
    shown = ["retriever", "nDCG@10", "difference"]

    def columns() -> list[str]:
        return chromium.js(
            "return [...[...document.querySelectorAll(arguments[0])]"
            ".find(one => one.checkVisibility()).tHead.rows[0].cells]"
            ".filter(one => one.checkVisibility()).map(one => one.dataset.column)",
            table,
        )

    assert columns()[:3] == shown
    assert not {"p corrected", "R@10"} & set(columns())
    chromium.click(f".table-block:has({table}) .columns summary")
    labels = chromium.texts(f".table-block:has({table}) .menu label")
    assert "p, corrected" in " ".join(labels)
    for at in range(len(labels)):
        chromium.click(f'.table-block:has({table}) .menu input[data-x="{at}"]')
    assert {"p corrected", "R@10"} <= set(columns())
    at = [label.strip() for label in labels].index("p, corrected")
    chromium.click(f'.table-block:has({table}) .menu input[data-x="{at}"]')
    assert "p corrected" not in columns()
    assert chromium.errors() == []


@pytest.mark.parametrize("script", [True, False])
def test_above_eight_rows_the_best_the_baseline_and_a_box_for_the_rest(
    chromium: Browser, tmp_path: Path, script: bool
) -> None:
    chromium.open(page_of_many(tmp_path), script=script)
    rows = '[data-table="leaderboard"] tbody tr'
    assert chromium.count(rows) == 6
    names = [text.split()[0] for text in chromium.texts(f"{rows} th")]
    assert names == ["r0", "r1", "r2", "r3", "r4", "r10"]  # the baseline is the last
    (more,) = chromium.texts(".more-rows")
    assert "5 more retrievers" in more
    chromium.click(".more-rows input")
    assert chromium.count(rows) == 11
    chromium.click(".more-rows input")
    assert chromium.count(rows) == 6
    assert chromium.errors() == []


def page_of_many(folder: Path) -> Path:
    """The page of eleven retrievers; the worst is the first."""
    passages = {f"p{number}": f"text {number}" for number in range(40)}
    faq = {
        "passages": passages,
        "queries": {f"q{number}": f"query {number}" for number in range(40)},
        "ground_truth": {f"q{number}": [f"p{number}"] for number in range(40)},
    }

    def answers(wrong: int) -> Callable[[str, int], list[str]]:
        def found(query: str, k: int) -> list[str]:
            number = int(query.split()[1])
            return [f"p{(number + 1) % 40 if number < wrong else number}"]

        return found

    retrievers = {f"r{number}": answers(3 * number) for number in (10, *range(10))}
    result = evaluate(faq, retrievers, ["RR"])
    make_report(result).write(folder, ["html"])
    return folder / "report.html"


@pytest.mark.parametrize(("button", "part"), [(".copy-csv", ","), (".copy-latex", "\\toprule")])
def test_a_table_is_copied(chromium: Browser, page_of: Made, button: str, part: str) -> None:
    chromium.open(page_of("small"))
    chromium.cdp(
        "Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"]
    )
    texts: set[str] = set()
    for baseline in ("0", "2"):
        chromium.choose("#d0-baseline", baseline)
        chromium.click(f'.table-block:has([data-table="leaderboard"]) {button}')
        for _ in range(50):
            text = chromium.driver.execute_async_script(
                "navigator.clipboard.readText().then(arguments[0], e => arguments[0]('' + e))"
            )
            if part in text and text not in texts:
                break
        assert part in text
        assert "short-first" in text
        texts.add(text)
    assert len(texts) == 2
    assert chromium.errors() == []


def test_the_theme_switches(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("small"))
    ground = (
        "return getComputedStyle(document.body).backgroundColor +"
        " getComputedStyle(document.documentElement).backgroundColor"
    )
    light = chromium.js(ground)
    chromium.click("#theme")
    assert chromium.js(ground) != light
    chromium.open(page_of("small"), dark=True)
    assert chromium.js(ground) != light


def test_the_file_stands_alone(page_of: Made, tmp_path: Path, chromium: Browser) -> None:
    """Sent by mail, it is opened from another folder with an odd name."""
    moved = tmp_path / "보고서 #1 100%?.html"
    moved.write_bytes(page_of("small").read_bytes())
    chromium.open(moved)
    assert chromium.errors() == []
