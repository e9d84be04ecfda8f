"""Phone, dark, Korean: what can be measured of how it looks."""

from __future__ import annotations

import re

import pytest

from tests.factories.pages import OPTIONS, SHOWN
from tests.factories.results import RESULTS, Made
from tests.report.browser import Browser, visible_text
from tests.report.contrast import contrasts

pytestmark = pytest.mark.slow

SMALL_KINDS = [kind for kind in RESULTS if not kind.isdigit()]
TEXTS = (
    "h1",
    "h2",
    "h3",
    "p",
    "td",
    "th",
    "caption",
    "summary",
    "figcaption",
    "dt",
    "dd",
    "li",
    "label",
    "button",
    "select",
    "code",
    "a",
    ".verdict",
    ".verdict-text",
    ".trust-item",
    ".count",
    ".chip",
    ".passage",
    "mark",
    "svg.chart text",
)
HANGUL = re.compile("[가-힣]")


@pytest.mark.parametrize("kind", SMALL_KINDS)
@pytest.mark.parametrize("script", [True, False])
def test_a_phone_scrolls_down_only(
    chromium: Browser, page_of: Made, kind: str, script: bool
) -> None:
    chromium.open(page_of(kind), size=(390, 844), script=script)
    if script:
        chromium.click("#explorer-0 .query-row button[aria-expanded]")
        chromium.wait("return Boolean(document.querySelector('.query-detail .passage'))")
    # Two narrower phones as well.
    for width in (390, 360, 320):
        chromium.resize(width, 844)
        chromium.settle()
        wide = chromium.js(
            "if (document.documentElement.scrollWidth <= innerWidth) return [];"
            "return [...document.querySelectorAll('body *')].filter(one => one.checkVisibility()"
            " && one.getBoundingClientRect().right > innerWidth + 1).slice(0, 8)"
            ".map(one => one.tagName + '.' + one.className + '#' + one.id)"
        )
        assert wide == [], width
        assert chromium.js("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", ["small", "korean"])
def test_every_text_stands_out_from_its_ground(
    chromium: Browser, page_of: Made, kind: str, dark: bool
) -> None:
    chromium.open(page_of(kind), dark=dark)
    chromium.click("#explorer-0 .query-row button[aria-expanded]")
    chromium.wait("return Boolean(document.querySelector('.query-detail .passage'))")
    # Closed ones are opened, so that all is measured.
    chromium.js("document.querySelectorAll('details').forEach(one => { one.open = true })")
    chromium.settle()
    found = contrasts(chromium, TEXTS)
    assert len(found) > 15
    assert {name: round(ratio, 2) for name, ratio in found.items() if ratio < 4.5} == {}


@pytest.mark.parametrize("dark", [False, True])
def test_marks_of_retrievers_stand_out_and_differ(
    chromium: Browser, page_of: Made, dark: bool
) -> None:
    chromium.open(page_of("five"), dark=dark)
    colours = chromium.js(
        "const found = {};"
        "for (const one of document.querySelectorAll("
        '\'[data-figure="curves-P"] [data-r], [data-figure="curves-R"] [data-r]\')) {'
        " for (const mark of [one, ...one.querySelectorAll('*')]) {"
        "  const style = getComputedStyle(mark);"
        "  if (mark instanceof SVGGeometryElement && style.stroke !== 'none')"
        "   (found[one.dataset.r] ??= {})[style.stroke] = 1; } }"
        "return found"
    )
    assert len(colours) == 5
    together = [tuple(sorted(one)) for one in colours.values()]
    assert len(set(together)) == 5


def test_a_korean_page_speaks_korean(chromium: Browser, page_of: Made) -> None:
    assert OPTIONS["korean"]["language"] == "ko"
    chromium.open(page_of("korean"))
    assert chromium.js("return document.documentElement.lang") == "ko"
    assert chromium.js("return getComputedStyle(document.body).wordBreak") == "keep-all"
    for name in SHOWN[1:]:
        heading = chromium.texts(f"#{name} h2")
        assert heading
        assert HANGUL.search(heading[0]), heading
    for part in (".verdict-text", ".trust", "caption", "label", "#explorer-0 .count", "summary"):
        for text in chromium.texts(part):
            assert HANGUL.search(text), (part, text)
    chromium.click("#explorer-0 .query-row button[aria-expanded]")
    chromium.wait("return Boolean(document.querySelector('.query-detail .passage'))")
    assert chromium.errors() == []


def test_english_sentences_are_not_left_in_a_korean_page(chromium: Browser, page_of: Made) -> None:
    """Lines of several English words; names of measures, files and commands may stay."""
    chromium.open(page_of("korean"))
    chromium.js("document.querySelectorAll('pre, code, #computed table').forEach(o => o.remove())")
    text = visible_text(chromium)
    english = [
        line
        for line in text.splitlines()
        if len(re.findall(r"(?<![/\w])[a-z]{3,}(?![/\w])", line)) >= 3 and not HANGUL.search(line)
    ]
    assert english == []


def test_an_english_page_says_so(chromium: Browser, page_of: Made) -> None:
    chromium.open(page_of("small"))
    assert chromium.js("return document.documentElement.lang") == "en"
    assert chromium.js("return document.title")


@pytest.mark.parametrize("kind", SMALL_KINDS)
def test_a_phone_shows_charts_whole_with_text_that_can_be_read(
    chromium: Browser, page_of: Made, kind: str
) -> None:
    chromium.open(page_of(kind), size=(390, 844))
    charts = chromium.js(
        """
        return [...document.querySelectorAll('figure svg.chart')]
          .filter(one => one.checkVisibility())
          .map(chart => {
            const frame = chart.parentElement, drawn = chart.getBoundingClientRect().width;
            const sizes = [...chart.querySelectorAll('text')].map(one =>
              parseFloat(getComputedStyle(one).fontSize) * drawn / chart.viewBox.baseVal.width);
            return [chart.closest('figure').dataset.figure,
              frame.scrollWidth - frame.clientWidth, Math.min(...sizes)];
          });
        """
    )
    assert len(charts) >= 2
    assert [name for name, over, size in charts if over > 0 or size < 9] == []


@pytest.mark.parametrize("kind", SMALL_KINDS)
def test_a_phone_shows_the_table_in_two_lines_a_row(
    chromium: Browser, page_of: Made, kind: str
) -> None:
    """Nothing of it lies beside the page, and no letter is smaller than 12 px."""
    chromium.open(page_of(kind), size=(390, 844))
    rows = chromium.js(
        """
        const table = [...document.querySelectorAll('table.drawn')].find(o => o.checkVisibility());
        return [...table?.tBodies[0].rows ?? []].map(row => {
          const cells = [...row.cells].filter(one => one.checkVisibility());
          const texts = [...row.querySelectorAll('*')].filter(one => one.checkVisibility()
            && [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
          return [
            new Set(cells.map(one => Math.round(one.getBoundingClientRect().bottom))).size,
            Math.max(...cells.map(one => one.getBoundingClientRect().right)),
            Math.min(...texts.map(one => parseFloat(getComputedStyle(one).fontSize)))];
        });
        """
    )
    for lines, right, least in rows:
        assert lines <= 4  # the tops and bottoms of two lines
        assert right <= 390
        assert least >= 12


@pytest.mark.parametrize("kind", SMALL_KINDS)
def test_a_phone_shows_the_rows_of_a_wide_table_as_cards(
    chromium: Browser, page_of: Made, kind: str
) -> None:
    """No such table scrolls sideways, and every number has the head of its column."""
    chromium.open(page_of(kind), size=(390, 844))
    found = chromium.js(
        """
        document.querySelectorAll('main details').forEach(one => { one.open = true; });
        return [...document.querySelectorAll('table.cards')].filter(o => o.checkVisibility()).map(
          table => [table.dataset.table, table.parentNode.scrollWidth, table.parentNode.clientWidth,
            [...table.querySelectorAll('td')].filter(cell => !cell.dataset.label).length]);
        """
    )
    assert found
    for table, width, room, unnamed in found:
        assert width <= room, table
        assert not unnamed, table


def test_figures_stand_side_by_side(chromium: Browser, page_of: Made) -> None:
    """Two a row, on paper too, and together as wide as the column."""
    places = {}
    for width, medium in ((1400, "screen"), (800, "screen"), (695, "print"), (390, "screen")):
        chromium.open(page_of("small"), size=(width, 900))
        chromium.media("print" if medium == "print" else "")
        chromium.settle()
        first, second = (
            chromium.box(f'[data-figure="curves-{name}"] svg.chart') for name in ("P", "R")
        )
        column = chromium.box("#curves h2")
        chromium.media()
        beside = abs(first["top"] - second["top"]) < 1
        fills = second["right"] > column["right"] - 2
        places[width] = beside, fills
    assert places == {1400: (True, True), 800: (True, True), 695: (True, True), 390: (False, True)}


@pytest.mark.parametrize("width", [1400, 760, 390])
@pytest.mark.parametrize("kind", ["small", "five", "korean"])
def test_texts_of_charts_are_not_cut_and_do_not_overlap(
    chromium: Browser, page_of: Made, kind: str, width: int
) -> None:
    chromium.open(page_of(kind), size=(width, 900))
    wrong = chromium.js(
        """
        const wrong = [];
        for (const chart of document.querySelectorAll('svg.chart')) {
          if (!chart.checkVisibility()) continue;
          const frame = chart.getBoundingClientRect();
          const name = chart.closest('figure')?.dataset.figure;
          // As high as its letters: a font's own line may be half as high again (Noto Sans CJK).
          const letters = one => {
            const box = one.getBoundingClientRect();
            const onto = one.getScreenCTM();
            const size = parseFloat(getComputedStyle(one).fontSize) * onto.d;
            const line = one.getStartPositionOfChar(0).matrixTransform(onto).y;
            return {left: box.left, right: box.right, top: line - .95 * size,
              bottom: line + .25 * size};
          };
          const texts = [...chart.querySelectorAll('text')].filter(one => one.textContent.trim())
            .map(one => [one.textContent, letters(one)]);
          texts.forEach(([text, box], n) => {
            if (box.left < frame.left - 1 || box.right > frame.right + 1
                || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
              wrong.push([name, 'cut', text]);
            for (const [other, second] of texts.slice(n + 1)) {
              const wide = Math.min(box.right, second.right) - Math.max(box.left, second.left);
              const high = Math.min(box.bottom, second.bottom) - Math.max(box.top, second.top);
              if (wide > 1 && high > 3) wrong.push([name, 'overlap', text, other]);
            }
          });
        }
        return wrong;
        """
    )
    assert wrong == []
