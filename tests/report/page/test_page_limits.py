"""How large the page is, and that a large one can be used; benchmarks/report_pages.py times it."""

from __future__ import annotations

import pytest

from tests.factories.results import Made
from tests.report.browser import Browser


@pytest.mark.parametrize(
    ("kind", "megabytes"),
    [
        pytest.param("200", 3, marks=pytest.mark.slow),
        pytest.param("500", 5, marks=pytest.mark.slow),
        pytest.param("5000", 25, marks=pytest.mark.slow),
    ],
)
def test_a_large_page_is_small_and_can_be_used(
    chromium: Browser, page_of: Made, kind: str, megabytes: int
) -> None:
    page = page_of(kind)
    assert page.stat().st_size < megabytes * 10**6
    chromium.open(page)
    chromium.wait("return window.readyAt['explorer-0']")
    chromium.click("#explorer-0 .query-row button[aria-expanded]")
    chromium.wait(
        "const one = document.querySelector('.query-detail .passage');"
        "return one && one.checkVisibility()"
    )
    chromium.js("document.querySelector('#explorer-0').scrollIntoView({behavior: 'instant'})")
    first = "return document.querySelector('#explorer-0 .query-row').dataset.query"
    before = chromium.js(first)
    chromium.driver.execute_script(
        "const field = document.querySelector('#explorer-0 select.sort');"
        "field.selectedIndex = field.selectedIndex === 1 ? 0 : 1;"
        "field.dispatchEvent(new Event('change', {bubbles: true}));"
    )
    chromium.wait(f"return (() => {{ {first} }})() !== {before!r}")
    chromium.type("#explorer-0 input.search", "q199")
    chromium.wait(
        "const rows = document.querySelectorAll('#explorer-0 .query-row');"
        "return rows.length && rows.length < 20 && rows[0].dataset.query.includes('q199')"
    )
    assert chromium.errors() == []
