"""Texts that would be code if anything took them for it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from ragscore import evaluate
from ragscore.dataset import Dataset
from ragscore.results import open_result
from ragscore.retrievers import BM25
from tests.factories.manifests import resealed
from tests.factories.pages import write_page
from tests.factories.results import HOSTILE, Made
from tests.report.browser import Browser

ATTACKED = """
return {flag: window.attacked ?? null, alerts: window.alerts ?? [],
  scripts: [...document.querySelectorAll('script')].map(one => one.type + '|' + one.className)
    .filter(one => !/^application.octet-stream.payload/.test(one)).length,
  foreign: document.querySelectorAll('img, iframe, object, embed, base, form,'
    + 'link:not([rel="icon"][href="data:,"])').length,
  handlers: [...document.querySelectorAll('*')].filter(one => [...one.attributes]
    .some(a => a.name.startsWith('on') || a.name === 'style')).length,
  links: [...document.querySelectorAll('a')].map(one => one.getAttribute('href') ?? '')
    .filter(one => !one.startsWith('#')),
  bodies: document.querySelectorAll('body, head, html').length};
"""
OPEN_ROW = '.query-row:has([aria-expanded="true"])'
OPENED = f"""
const row = document.querySelector('{OPEN_ROW}');
return row && row.dataset.query === arguments[0] && row.querySelector('.passage');
"""
NOTHING = {"flag": None, "alerts": [], "scripts": 1, "foreign": 0, "handlers": 0, "bodies": 3}


def shown(text: str) -> str:
    """A hostile text as the page may show it: control characters replaced, blanks as one."""
    replaced = "".join(
        "\ufffd" if (ord(c) < 32 and c not in "\t\n\r") or 127 <= ord(c) < 160 else c for c in text
    )
    return " ".join(replaced.split())


@pytest.mark.slow
@pytest.mark.parametrize("script", [True, False])
def test_nothing_executes(chromium: Browser, page_of: Made, script: bool) -> None:
    chromium.open(page_of("hostile"), script=script)
    if script:
        rows = chromium.js(
            "return document.querySelectorAll('#explorer-0 .query-row button').length"
        )
        assert rows >= len(HOSTILE)
    chromium.js("document.querySelectorAll('details').forEach(one => { one.open = true })")
    chromium.js("window.scrollTo(0, document.body.scrollHeight)")
    chromium.settle()
    found = chromium.js(ATTACKED)
    links = found.pop("links")
    assert [link for link in links if ":" in link] == []
    assert found == NOTHING
    assert chromium.errors() == []


@pytest.mark.slow
def test_a_hostile_query_opens_and_is_shown_as_text(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("hostile"))
    for text in HOSTILE:
        chromium.js("location.hash = '#q=' + encodeURIComponent(arguments[0]) + '&s=bm25'", text)
        chromium.wait(OPENED, text)
        found = chromium.js(ATTACKED)
        found.pop("links")
        assert found == NOTHING, text
        words = chromium.js(
            "return document.querySelector('.query-row:has([aria-expanded=true])').textContent"
        )
        assert shown(text) in shown(words)
        assert chromium.errors() == []


@pytest.mark.slow
def test_a_tag_filters_whatever_it_is(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("hostile"))
    values = chromium.js(
        "return [...document.querySelector('#explorer-0 select.tag').options].map(o => o.value)"
    )
    assert len(values) > len(HOSTILE)
    every = chromium.count("#explorer-0 .query-row")
    for number, value in enumerate(values[1:], start=1):
        chromium.js(
            "const field = document.querySelector('#explorer-0 select.tag');"
            "field.selectedIndex = arguments[0];"
            "field.dispatchEvent(new Event('change', {bubbles: true}))",
            number,
        )
        chromium.settle()
        assert 2 <= chromium.count("#explorer-0 .query-row") < every, value
    assert chromium.js(ATTACKED)["flag"] is None
    assert chromium.errors() == []


@pytest.mark.slow
def test_a_passage_of_a_megabyte_opens(chromium: Browser, page_of: Made) -> None:
    page = page_of("hostile")
    assert page.stat().st_size < 5 * 10**6
    chromium.open(page, "q=finds%20the%20big%20one")
    chromium.wait("return Boolean(document.querySelector('.query-detail .passage'))")
    chromium.js(
        "document.querySelectorAll('.query-detail details, .query-detail button')"
        ".forEach(one => one.tagName === 'DETAILS' ? one.open = true : 0)"
    )
    chromium.settle()
    assert chromium.js("return document.documentElement.scrollWidth <= innerWidth")
    assert chromium.errors() == []


@pytest.mark.slow
def test_names_of_the_result_are_text_too(
    chromium: Browser, result_of: Made, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A manifest that was written by another hand."""
    import shutil

    folder = tmp_path / "result"
    shutil.copytree(result_of("small"), folder)
    evil = "</script><img src=x onerror=window.attacked=9>"
    resealed(folder, experiment=evil)
    chromium.open(write_page(folder, tmp_path))
    found = chromium.js(ATTACKED)
    found.pop("links")
    assert found == NOTHING
    assert evil in chromium.js("return document.body.innerText + document.title")
    assert chromium.errors() == []


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_name_is_no_template(chromium: Browser, tmp_path: Path, language: str) -> None:
    """What stands in braces in a name is not filled by the facts beside it."""
    names = ["my{rank}er $& {name}", "{n}", "${x}"]
    queries = {f"q {name}": f"{name} question" for name in names}
    dataset = Dataset.from_rows(
        {"a {k}": "question", "b": "other"}, queries, {query: {"a {k}": 1} for query in queries}
    )
    result = evaluate(dataset, {name: BM25() for name in names}, ["nDCG@10"])
    result.save(tmp_path / "result")
    page = write_page(tmp_path / "result", tmp_path, language=language)
    for query in queries:
        chromium.open(page, f"q={quote(query, safe='')}")
        chromium.wait(OPENED, query)
        chips = f"{OPEN_ROW} .chip"
        titles = chromium.js(f"return [...document.querySelectorAll('{chips}')].map(o => o.title)")
        assert [name for name, title in zip(names, titles, strict=True) if name not in title] == []
        options = chromium.js("return document.querySelector('select.fails').textContent")
        assert all(name in options for name in names)
        (row,) = chromium.texts(OPEN_ROW)
        assert all(text in row for text in (query, queries[query], "a {k}", *names))
    chromium.open(page, f"q={quote('no {id} {n}')}")
    assert chromium.wait(
        "return document.querySelector('#explorer-0 .notice').textContent.includes('no {id} {n}')"
    )
    assert chromium.errors() == []


def test_the_hostile_dataset_is_as_hostile_as_it_says(result_of: Made) -> None:
    """Else the tests above would hold of anything."""
    panel = open_result(result_of("hostile")).dataset_results[0]
    assert panel.data is not None
    assert {query.id for query in panel.data.queries} > set(HOSTILE)
    assert panel.data.corpus is not None
    assert max(len(passage.text) for passage in panel.data.corpus) > 10**6
