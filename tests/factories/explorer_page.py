"""What tests of the query explorer ask of an opened page."""

from __future__ import annotations

from tests.report.browser import Browser

BOX = "#explorer-0"
OPEN = """
const detail = [...document.querySelectorAll('#explorer-0 .query-detail')]
  .find(one => one.checkVisibility());
if (!detail) return null;
const row = detail.closest('.query-row')
  ?? document.querySelector('#explorer-0 [aria-expanded="true"]').closest('.query-row');
return row.dataset.query;
"""


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
