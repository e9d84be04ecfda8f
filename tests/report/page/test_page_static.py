"""Without JavaScript, and on paper: all but the explorer."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ragscore.results import open_result
from tests.factories.pages import NEEDS_TWO, SHOWN
from tests.factories.results import Made
from tests.report.browser import Browser, visible_text

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("kind", ["small", "korean", "one-retriever", "hostile"])
def test_without_javascript_everything_promised_is_there(
    chromium: Browser, page_of: Made, kind: str
) -> None:
    chromium.open(page_of(kind), script=False)
    assert chromium.js("return document.documentElement.dataset.ready ?? null") is None
    absent = NEEDS_TWO if kind == "one-retriever" else set()
    for name in SHOWN:
        if name not in absent:
            assert chromium.count(f"#{name}") == 1, name
    assert chromium.count("svg.chart") >= (2 if kind == "one-retriever" else 5)
    assert chromium.count("table") >= 3
    assert chromium.count(".without-script") >= 1
    # Nothing stands there that would need it.
    assert chromium.count(".explorer") == 0
    assert chromium.count("#theme") == 0
    assert chromium.count(".copy-csv, .copy-latex, th button") == 0
    assert chromium.errors() == []


def worst(result: Path) -> list[str]:
    """The texts of the queries on which the best retriever has the lowest primary value."""
    panel = open_result(result).dataset_results[0]
    values = [panel.scores[one].per_query(panel.primary) for one in panel.retrievers]
    mean = {query: sum(one[query] for one in values) / len(values) for query in values[0]}
    assert panel.data is not None
    texts = {query.id: query.text for query in panel.data.queries}
    return [texts[query] for query in sorted(mean, key=lambda query: mean[query])]


def test_without_javascript_the_worst_queries_are_told(
    chromium: Browser, page_of: Made, result_of: Made
) -> None:
    chromium.open(page_of("small"), script=False)
    text = "\n".join(chromium.texts(".without-script"))
    all_queries = worst(result_of("small"))
    assert sum(query in text for query in all_queries) >= 20
    # Those that nobody answers are among them, those that all answer are not.
    assert sum(query in text for query in all_queries[:20]) >= 15
    assert sum(query in text for query in all_queries[-20:]) == 0
    chromium.open(page_of("small"))
    assert chromium.count(".without-script") == 0


def test_without_javascript_choices_work(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("small"), script=False)
    texts = {chromium.texts('[data-table="leaderboard"]')[0]}
    for baseline in ("1", "2"):
        chromium.choose("#d0-baseline", baseline)
        texts.add(chromium.texts('[data-table="leaderboard"]')[0])
        assert chromium.count('[data-table="leaderboard"]') == 1
    assert len(texts) == 3


def test_details_open_without_javascript(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("small"), script=False)
    chromium.click(".trust summary")
    assert chromium.js("return document.querySelector('.trust details').open")


@pytest.mark.parametrize("script", [True, False])
def test_paper_has_every_section_and_the_worst_queries(
    chromium: Browser, page_of: Made, script: bool
) -> None:
    chromium.open(page_of("two-datasets"), script=script)
    chromium.media("print")
    chromium.settle()
    for panel in ("", "d1-"):
        for name in SHOWN:
            assert chromium.count(f"#{panel}{name}") == 1, (panel, name)
    assert chromium.count(".without-script") >= 2
    assert chromium.count(".explorer") == 0
    # Nothing to press: the names of columns are all that is left of their buttons.
    assert chromium.count("#theme, #pick-dataset, button:not(th button)") == 0
    # What was chosen is printed, the rest is not.
    assert chromium.count('[data-table="leaderboard"], [data-table="d1-leaderboard"]') == 2
    wide = chromium.js(
        "return [...document.querySelectorAll('.table-wrap')].filter(one => one.checkVisibility()"
        " && getComputedStyle(one).overflowX === 'auto' && one.scrollWidth > one.clientWidth)"
        ".length"
    )
    assert wide == 0
    chromium.media()


@pytest.mark.parametrize("kind", ["small", "hostile"])
def test_it_prints(chromium: Browser, page_of: Made, tmp_path: Path, kind: str) -> None:
    chromium.open(page_of(kind), dark=True)
    document = chromium.pdf()
    assert document.startswith(b"%PDF")
    pages = document.count(b"/Type /Page\n")
    assert 3 <= pages <= (16 if kind == "small" else 40)
    reader = shutil.which("pdftotext")
    if reader is None:
        return
    (tmp_path / "page.pdf").write_bytes(document)
    subprocess.run([reader, "-layout", "page.pdf", "page.txt"], cwd=tmp_path, check=True)
    printed = (tmp_path / "page.txt").read_text(encoding="utf-8")
    chromium.media("print")
    headings = chromium.texts("section h2")
    chromium.media()
    assert len(headings) >= len(SHOWN) - 1
    squeezed = " ".join(printed.split())
    for heading in headings:
        assert " ".join(heading.split()) in squeezed
    if kind == "small":
        chromium.open(page_of(kind), script=False)
        rows = chromium.js("return document.querySelectorAll('.without-script tbody tr').length")
        assert rows >= 20
        assert "nDCG@10" in visible_text(chromium)
