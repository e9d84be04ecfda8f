"""The page opens from a file without a network, whole, and shows first what is asked first."""

from __future__ import annotations

import html
import re
from typing import get_args

import pytest

from ragscore.comparison.verdict import VerdictState
from tests.factories.pages import NEEDS_TWO, SHOWN
from tests.factories.results import RESULTS, Made
from tests.report.browser import Browser

THOROUGH = ("four", "five", "korean", "odd-measures", "one-retriever")
SMALL_KINDS = [
    pytest.param(kind, marks=pytest.mark.slow) if kind in THOROUGH else kind
    for kind in RESULTS
    if not kind.isdigit()
]
LARGER = [
    pytest.param(kind, marks=pytest.mark.slow) for kind in ("four", "five", "korean", "200", "500")
]
STATES = get_args(VerdictState)
NUMBERS_IN_VIEW = r"""
const found = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let count = 0;
while (found.nextNode()) {
  const node = found.currentNode, holder = node.parentElement;
  if (!holder.checkVisibility({checkVisibilityCSS: true})) continue;
  if (holder.closest('script, style, title, desc, option, .unseen')) continue;
  for (const number of node.textContent.matchAll(/(?<![\p{L}\p{N}@._])\d[\d.,]*(?!\p{L})/gu)) {
    const range = document.createRange();
    range.setStart(node, number.index);
    range.setEnd(node, number.index + number[0].length);
    const box = range.getBoundingClientRect();
    if (box.width && box.top >= 0 && box.bottom <= innerHeight) count += 1;
  }
}
return count;
"""


@pytest.mark.parametrize("kind", SMALL_KINDS)
def test_it_opens_from_a_file_and_asks_no_one(chromium: Browser, page_of: Made, kind: str) -> None:
    chromium.open(page_of(kind))
    chromium.js("window.scrollTo(0, document.body.scrollHeight)")
    chromium.settle()
    assert chromium.errors() == []
    assert chromium.asked_for() == []


@pytest.mark.parametrize("kind", SMALL_KINDS)
def test_every_section_is_there(chromium: Browser, page_of: Made, kind: str) -> None:
    chromium.open(page_of(kind))
    found = chromium.js("return [...document.querySelectorAll('#d0 section')].map(one => one.id)")
    absent = NEEDS_TWO if kind == "one-retriever" else set()
    assert [name for name in found if name in SHOWN] == [
        name for name in SHOWN if name in found or name not in absent
    ]
    for name in found:
        assert chromium.box(f"#{name}")["bottom"] > 0


def test_no_id_stands_twice(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("two-datasets"))
    ids = chromium.js("return [...document.querySelectorAll('[id]')].map(one => one.id)")
    assert sorted(ids) == sorted(set(ids))


@pytest.mark.parametrize("kind", ["small", *LARGER])
def test_the_first_look_holds_the_card_and_the_table(
    chromium: Browser, page_of: Made, kind: str
) -> None:
    chromium.open(page_of(kind))
    width, height = chromium.js("return [innerWidth, innerHeight]")
    assert (width, height) == (1400, 900)
    for part in (
        "#head h1",
        ".verdict-text",
        ".trust",
        'table[data-table="leaderboard"]',
    ):
        box = chromium.box(part)
        assert 0 <= box["top"] <= box["bottom"] <= height, part
        assert 0 <= box["left"] <= box["right"] <= width, part
    card = chromium.box(".verdict")
    assert round(card["right"] - card["left"]) == 640
    assert chromium.js(NUMBERS_IN_VIEW) <= 60


def test_the_table_is_whole_in_the_first_look(chromium: Browser, page_of: Made) -> None:
    """Not cut by its own scrolling."""
    for kind in ("small", "five", "korean"):
        chromium.open(page_of(kind))
        assert chromium.js(
            "const wrap = [...document.querySelectorAll('.table-wrap')].find(one =>"
            " one.querySelector('[data-table=\"leaderboard\"]') && one.checkVisibility());"
            "return wrap.scrollWidth <= wrap.clientWidth + 1"
        ), kind


def test_the_head_says_what_was_measured(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("small"))
    head = " ".join(chromium.texts("#head, #d0 .panel-head"))
    for said in ("tenancy", "harbour-tenancy", "87", "185", "nDCG@10"):
        assert said in head
    assert chromium.box("#d0 .panel-head")["bottom"] < chromium.box(".verdict-text")["top"]


def test_the_verdict_has_its_state_as_word_icon_and_colour(
    chromium: Browser, page_of: Made
) -> None:
    chromium.open(page_of("small"))
    verdict = chromium.js(
        "const one = [...document.querySelectorAll('.verdict')].find(v => v.checkVisibility());"
        "return {state: one.dataset.state, text: one.innerText,"
        " icons: one.querySelectorAll('svg').length,"
        " size: parseFloat(getComputedStyle(one.querySelector('.verdict-text')).fontSize)}"
    )
    assert verdict["state"] in STATES
    assert verdict["icons"] >= 1
    assert verdict["size"] == 28


def test_only_what_is_doubtful_is_seen_at_once_and_all_opens(
    chromium: Browser, page_of: Made
) -> None:
    chromium.open(page_of("small"))
    empty = chromium.js(
        "const items = [...document.querySelectorAll('.trust details')]"
        ".filter(one => one.checkVisibility());"
        "if (items.length < 2) return ['only ' + items.length];"
        "return items.filter(one => { const summary = one.querySelector('summary');"
        " summary.click(); one.open = true;"
        " return one.innerText.trim() === summary.innerText.trim() })"
        ".map(one => one.innerText)"
    )
    assert empty == []
    levels = chromium.js(
        "return [...document.querySelectorAll('.trust > details > summary > .trust-value')]"
        ".map(one => one.className)"
    )
    assert ["level-good" in one for one in levels] == [False] * (len(levels) - 1) + [True]


def test_the_policy_lets_nothing_in(page_of: Made) -> None:
    text = page_of("small").read_text(encoding="utf-8")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    parts = [part.strip() for part in html.unescape(policy[1]).split(";")]
    told = dict(part.split(" ", 1) for part in parts)
    assert told["default-src"] == "'none'"
    for directive, sources in told.items():
        assert "unsafe" not in sources, directive
        assert "http" not in sources, directive
        assert "*" not in sources, directive
    assert not re.search(
        r"<[a-z][^>]*\s(?:style|on[a-z]+)=", re.sub(r"<script.*?</script>", "", text, flags=re.S)
    )
    assert not re.search(r"<(?:iframe|object|embed|img|base|form)\b", text)
    # An icon of nothing, so that no browser asks for one.
    assert re.findall(r"<link\b[^>]*>", text) in ([], ['<link rel="icon" href="data:,">'])


def test_charts_are_named_for_who_cannot_see_them(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("small"))
    charts = chromium.js(
        "return [...document.querySelectorAll('svg.chart:not([aria-hidden])')].map(one => ({"
        " role: one.getAttribute('role'),"
        " words: (one.getAttribute('aria-labelledby') || '').split(' ')"
        "  .map(id => document.getElementById(id)?.textContent || '')}))"
    )
    assert len(charts) >= 5
    for chart in charts:
        assert chart["role"] == "img"
        assert len(chart["words"]) == 2
        assert all(words.strip() for words in chart["words"])
