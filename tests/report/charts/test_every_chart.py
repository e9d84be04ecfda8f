"""Every chart is safe markup that stays in its box, says whose each mark is, and stands alone."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from ragscore.report.charts.style import standalone
from ragscore.report.charts.text_room import text_width
from ragscore.report.model import Figure
from tests.factories.figures import HOSTILE, OF_PARAMETERS, every_figure

SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {"svg", "g", "a", "path", "rect", "circle", "text", "title", "desc", "style"}


def parsed(figure: Figure) -> ElementTree.Element:
    """The document; an exception where it is not well-formed."""
    return ElementTree.fromstring(standalone(figure))


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("names", [("bm25",), ("bm25", "dense"), HOSTILE], ids=["1", "2", "12"])
@pytest.mark.parametrize("empty", [False, True], ids=["numbers", "no numbers"])
def test_every_chart_is_safe_markup_that_stays_in_its_box(names, language, empty):
    for figure in every_figure(names, language, empty=empty):
        document = parsed(figure)
        assert figure.title
        assert figure.description
        for one in document.iter():
            assert one.tag.removeprefix(SVG) in ALLOWED
            assert not one.get("href")
        drawn = ElementTree.fromstring(f"<svg>{figure.drawing.markup}</svg>")
        for one in drawn.iter():
            assert one.tag in ALLOWED - {"style", "desc"}
            assert not {"id", "style"} & set(one.attrib)
            assert not [name for name in one.attrib if name.startswith("on")]
            assert one.get("href", "#").startswith(("#", "a/report.html"))
            assert "nan" not in "".join(one.get(name, "") for name in ("d", "x", "y", "width"))
        for one in drawn.iter("text"):
            text = one.text or ""
            x, width = (
                float(one.get("x")),
                text_width(text, 12 if "label" in one.get("class") else 11),
            )
            left = {"end": x - width, "middle": x - width / 2}.get(one.get("text-anchor"), x)
            assert left >= -0.5, text
            assert left + width <= figure.drawing.width + 0.5, text
            assert 0 <= float(one.get("y")) <= figure.drawing.height, text


EVERY = every_figure(("a", "b", "c"), "en")


@pytest.mark.parametrize("figure", EVERY, ids=lambda f: f.id)
def test_every_mark_says_whose_it_is_and_the_keyboard_stops_once_at_each(figure):
    groups = re.findall(r'<g class="r(\d)" data-r="(\d)"( tabindex="0")?', figure.drawing.markup)
    if figure.id not in {"d", *OF_PARAMETERS}:
        assert {number for _, number, _ in groups} == {"0", "1", "2"}
        stops = [number for _, number, stop in groups if stop]
        assert sorted(stops) == ["0", "1", "2"]
    assert all(own == number for own, number, _ in groups)


def test_every_value_of_a_parameter_is_marked_with_its_numbers():
    effects, heat, _ = (figure.drawing.markup for figure in EVERY if figure.id in OF_PARAMETERS)
    assert effects.count('data-value="0.9"') == effects.count('data-mean="0.6"') == 3
    assert effects.count('class="mark open"') == effects.count('class="mark"') == 3
    assert len(re.findall(r'data-value="[\d.]+"', heat)) == 9
    assert heat.count('data-best="true"') == heat.count('class="framed on-heat1"') == 1


def test_a_heat_map_with_narrow_cells_says_its_range():
    wide, narrow = (figure for figure in EVERY if figure.id in ("h3", "h40"))
    assert "0.010" in wide.drawing.markup.replace("<title>", "")
    assert "From 0.000 to 0.297." in narrow.note
    assert "From" not in wide.note


def test_a_file_of_its_own_needs_nothing_else():
    for figure in every_figure(("a", "b"), "ko"):
        document = standalone(figure)
        root = ElementTree.fromstring(document)
        assert root.find(f"{SVG}title").text == figure.title
        assert root.find(f"{SVG}desc").text == figure.description
        assert "var(--" not in document
        assert "href" not in document
        assert "tabindex" not in document
        assert 'fill="#fff"' in document
