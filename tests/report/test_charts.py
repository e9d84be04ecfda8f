"""The charts: honest geometry, safe markup, legible labels, colours that can be told apart."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from ragscore.report.charts import (
    CurveLine,
    CurvePanel,
    ForestRow,
    HistoryLine,
    TradeLine,
    causes_bars,
    curves,
    differences,
    forest,
    history,
    precision_recall,
    recall_by_context,
    standalone,
)
from ragscore.report.charts.element import escape, polyline
from ragscore.report.charts.labels import clipped, spread, text_width
from ragscore.report.charts.scale import Scale, log_ticks, tick_texts, ticks
from ragscore.report.charts.style import (
    COLOURS,
    colour_class,
    css_rules,
    dash,
    retriever_key,
    shape,
)
from ragscore.report.model import Figure
from ragscore.report.words import Words

NAN = float("nan")
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = (
    "<script>alert(1)</script>",
    "\"quoted\" & 'single'",
    "</title><svg onload=alert(1)>",
    "x" * 64,
    "한국어 검색기 이름이 아주 길 때에도 잘립니다",
    "\u202ereversed\x00nul\ud800",
    "javascript:alert(1)",
    "bm25 ünïcode",
    "{braces} %s",
    "-",
    "i" * 64,
    "W" * 64,
)


ALLOWED = {"svg", "g", "a", "path", "rect", "circle", "text", "title", "desc", "style"}


def every_figure(names: tuple[str, ...], words: Words, *, empty: bool = False) -> list[Figure]:
    """Each chart with these retrievers; ``empty``: with no number at all."""
    k = np.arange(1, 101)
    number = {name: n for n, name in enumerate(names)}
    nothing = np.full(100, NAN)

    def line(name: str) -> CurveLine:
        mean = nothing if empty else 0.2 + 0.05 * number[name] % 1 + k / 400
        return CurveLine(name, number[name], k, mean, mean - 0.05, mean + 0.05, 5)

    rows = [
        ForestRow(name, n, *((NAN, NAN, NAN) if empty else (n / 50, n / 50 - 0.03, n / 50 + 0.03)))
        for name, n in number.items()
    ]
    rows[0] = ForestRow(names[0], 0, 0.0, None, None, is_baseline=True)
    trades = [
        TradeLine(name, n, k, nothing if empty else k / 100, nothing if empty else 1 / k, 5)
        for name, n in number.items()
    ]
    over_time = [
        HistoryLine(
            name,
            n,
            ["2026-02-01T10:00:00+00:00", "2026-01-01"],
            [None, NAN] if empty else [0.4, 0.5],
            [None, None],
            [None, None],
            ["a/report.html", "javascript:alert(1)"],
        )
        for name, n in number.items()
    ]
    causes = {"below_k": 3, "duplicate": 1, "not_returned": 2, "nowhere": 1}
    of_queries = [] if empty else [0.5, 0.25, 0.0, -0.5]
    first, second = names[-1], names[0]
    return [
        forest(rows, id="f", label=names[-1], baseline=names[0], margin=0.01, words=words),
        *curves([CurvePanel("P", names[-1], [*map(line, names)])], id="c", words=words),
        precision_recall(trades, id="t", words=words),
        recall_by_context([*map(line, names)], id="x", unit="words", words=words),
        differences(
            of_queries,
            first=first,
            second=second,
            numbers=(number[first], 0),
            label=names[-1],
            id="d",
            words=words,
        ),
        causes_bars(
            dict.fromkeys(names, {} if empty else causes),
            numbers=number,
            total=0 if empty else 20,
            id="k",
            words=words,
            k=10,
            panel=1,
        ),
        history(over_time, id="h", label=names[-1], words=words),
    ]


def parsed(figure: Figure) -> ElementTree.Element:
    """The document; an exception where it is not well-formed."""
    return ElementTree.fromstring(standalone(figure))


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("names", [("bm25",), ("bm25", "dense"), HOSTILE], ids=["1", "2", "12"])
@pytest.mark.parametrize("empty", [False, True], ids=["numbers", "no numbers"])
def test_every_chart_is_safe_markup_that_stays_in_its_box(names, language, empty):
    for figure in every_figure(names, Words(language), empty=empty):
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
            words = one.text or ""
            x, width = (
                float(one.get("x")),
                text_width(words, 12 if "label" in one.get("class") else 11),
            )
            left = {"end": x - width, "middle": x - width / 2}.get(one.get("text-anchor"), x)
            assert left >= -0.5, words
            assert left + width <= figure.drawing.width + 0.5, words
            assert 0 <= float(one.get("y")) <= figure.drawing.height, words


@pytest.mark.parametrize("figure", every_figure(("a", "b", "c"), Words("en")), ids=lambda f: f.id)
def test_every_mark_says_whose_it_is_and_the_keyboard_stops_once_at_each(figure):
    groups = re.findall(r'<g class="r(\d)" data-r="(\d)"( tabindex="0")?', figure.drawing.markup)
    if figure.id != "d":
        assert {number for _, number, _ in groups} == {"0", "1", "2"}
        stops = [number for _, number, stop in groups if stop]
        assert sorted(stops) == ["0", "1", "2"]
    assert all(own == number for own, number, _ in groups)


def circles(markup: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', markup)]


def test_forest_draws_values_where_they_are():
    rows = [
        ForestRow("base", 0, 0.0, None, None, is_baseline=True),
        ForestRow("good", 1, 0.1, 0.05, 0.15, decided=True),
        ForestRow("bad", 2, -0.1, -0.15, 0.01),
        ForestRow("unknown", 3, 0.05, None, NAN),
    ]
    figure = forest(rows, id="f", label="P@5", baseline="base", margin=0.02, words=Words("en"))
    markup = figure.drawing.markup
    zero = float(re.search(r'class="zero" d="M([\d.]+)', markup)[1])
    band = re.search(r'class="margin" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', markup)
    middle, half = float(band[1]) + float(band[2]) / 2, float(band[2]) / 2
    assert middle == pytest.approx(zero, abs=0.15)
    bars = [float(x) for x in re.findall(r'class="bar" d="M([\d.]+)', markup)]
    per_unit = half / 0.02
    assert len(bars) == 2  # an interval that can't be estimated is not drawn
    assert bars[0] == pytest.approx(zero + 0.05 * per_unit, abs=1)
    assert bars[1] == pytest.approx(zero - 0.15 * per_unit, abs=1)
    # The baseline, the undecided and the one without an interval are hollow.
    assert markup.count('class="mark open"') == 3
    for said in ("+0.100", "[+0.050, +0.150]", "not estimable", "worse", "better", "baseline"):
        assert said in markup
    assert "good: +0.100, 95 % CI [+0.050, +0.150], decided" in figure.description


def test_what_is_decided_and_smaller_than_the_margin_has_a_mark_of_its_own():
    rows = [
        ForestRow("far", 1, -0.1, -0.12, -0.08, decided=True),
        ForestRow("near", 2, -0.002, -0.004, -0.001, decided=True, below_margin=True),
        ForestRow("open", 3, -0.002, -0.004, 0.001),
    ]
    given = {"id": "f", "label": "P", "baseline": "b", "margin": 0.01, "words": Words("en")}
    figure = forest(rows, **given, family="all 6 pairs")
    _, *marks = re.findall(r'<path class="(mark[^"]*)"', figure.drawing.markup.replace("\n", ""))
    # In front of each name stands its key; then the mark at its value.
    assert marks == ["mark", "mark", "mark open", "mark", "mark", "mark open"]
    assert figure.note == (
        "Filled: decided among all 6 pairs; hollow: not decided. With a dot: decided, and smaller "
        "than the margin. Grey band: the margin, ±0.01."
    )
    for said in ("far: -0.100, 95 % CI [-0.120, -0.080], decided;", "smaller than the margin"):
        assert said in figure.description
    assert "dot" not in forest(rows[::2], **given).note


def test_no_margin_draws_no_band():
    rows = [ForestRow("a", 0, 0.1, 0.0, 0.2)]
    figure = forest(rows, id="f", label="P", baseline="b", margin=None, words=Words("en"))
    assert 'class="margin"' not in figure.drawing.markup
    assert "margin" not in figure.note


def one_curve(lines: list[CurveLine]) -> Figure:
    (figure,) = curves([CurvePanel("P", "P", lines)], id="c", words=Words("en"))
    return figure


@pytest.mark.parametrize(("depth", "texts"), [(10, ("1", "2", "10")), (100, ("1", "10", "100"))])
def test_k_is_whole_and_logarithmic_only_where_it_is_deep(depth, texts):
    k = np.arange(1, depth + 1)
    line = CurveLine("a", 0, k, 1 / k, recommended=3)
    markup = one_curve([line]).drawing.markup
    shown = re.findall(r'class="tick" x="([\d.]+)"[^>]*middle">([^<]*)<', markup)
    place = {text: float(x) for x, text in shown}
    assert set(texts) <= set(place)
    assert not any("." in text for text in place)
    if depth == 100:
        assert place["10"] - place["1"] == pytest.approx(place["100"] - place["10"], abs=0.2)
    else:
        assert place["10"] - place["2"] == pytest.approx(8 * (place["2"] - place["1"]), abs=1)
    (ring,) = circles(markup)
    assert place[texts[0]] < ring[0] < place[texts[2]]


def test_a_gap_in_a_curve_stays_a_gap():
    line = CurveLine("a", 0, [1, 2, 3, 4, 5], [0.5, 0.4, NAN, 0.2, 0.1])
    markup = one_curve([line]).drawing.markup
    path = re.search(r'class="line" d="([^"]*)"', markup)[1]
    assert path.count("M") == 2


def test_measures_are_figures_that_share_the_axis_of_k():
    """Also where a measure has fewer k than another one."""
    lines = {"P": CurveLine("a", 0, [1, 2, 5], [0.5] * 3), "R": CurveLine("a", 0, [1, 10], [0, 1])}
    panels = [CurvePanel(name, f"{name}(x)", [line]) for name, line in lines.items()]
    first, second = curves(panels, id="curves", words=Words("en"))
    assert (first.id, second.id) == ("curves-P", "curves-R")
    assert (first.title, second.title) == ("P(x) against k", "R(x) against k")
    ticks_of_k = [
        re.findall(r'class="tick" x="([\d.]+)"[^>]*middle">([^<]*)<', one.drawing.markup)
        for one in (first, second)
    ]
    assert ticks_of_k[0] == ticks_of_k[1]


def cutoffs(lines: list[TradeLine]) -> list[tuple[str, str]]:
    """(retriever, k) of every k that is written."""
    markup = precision_recall(lines, id="t", words=Words("en")).drawing.markup
    return re.findall(r'<g data-r="(\d)"><text class="tick halo"[^>]*>(\d+)<', markup)


def test_where_lines_are_close_the_k_of_the_best_is_written():
    k = np.arange(1, 51)
    best, near, far = (
        TradeLine(f"r{n}", n, k, k / 60 * share, share / k**0.5, None)
        for n, share in ((1, 1.0), (0, 0.98), (2, 0.5))
    )
    assert {number for number, _ in cutoffs([near])} == {"0"}
    shown = cutoffs([near, best])
    assert {number for number, _ in shown} == {"1"}
    assert {"1", "10", "50"} <= {k for _, k in shown}
    # Far from it, the same k is written again.
    assert ("2", "1") in cutoffs([near, best, far])


def test_deep_curves_of_many_retrievers_stay_small():
    k = np.arange(1, 1001)
    lines = [
        CurveLine(f"retriever {n}", n, k, 1 / k**0.1, 0.9 / k**0.1, 1.1 / k**0.1, 10)
        for n in range(12)
    ]
    figure = one_curve(lines)
    assert len(figure.drawing.markup) < 65_000
    assert 'class="many"' in figure.drawing.markup


@pytest.mark.parametrize("queries", [1, 2, 74, 600, 5000, 100_000])
def test_differences_are_bounded_and_keep_the_extremes(queries):
    values = np.random.default_rng(queries).normal(0.05, 0.3, queries).round(3)
    values[::3] = 0.0
    values[0] = 2.0
    figure = differences(
        values, first="a", second="b", numbers=(4, 7), label="nDCG", id="d", words=Words("en")
    )
    markup = figure.drawing.markup
    assert 'data-first="4" data-second="7"' in markup
    assert f'data-n="{queries}"' in markup
    steps = "".join(re.findall(r'class="(?:better|worse)" d="([^"]*)"', markup))
    assert 2 <= len(re.findall("[HVM]", steps)) <= 600
    heights = [float(y) for y in re.findall(r"V([\d.]+)", steps)]
    assert heights[0] == min(heights)  # the largest comes first
    better, same, worse = (values > 0).sum(), (values == 0).sum(), (values < 0).sum()
    for count, word in ((better, "better"), (same, "same"), (worse, "worse")):
        assert (f">{count:,} {word}<" in markup) == bool(count)
        assert f"{count} {word}" in figure.description
    low, high = values.min(), values.max()
    zero = float(re.search(r'class="zero" d="M[\d.]+,([\d.]+)', markup)[1])
    if low < 0:
        drawn = (max(heights) - zero) / (zero - min(heights))
        assert drawn == pytest.approx(-low / high, abs=0.02)


def test_equal_neighbours_are_one_step():
    values = [0.5] * 100 + [0.25] * 100
    figure = differences(
        values, first="a", second="b", numbers=(0, 1), label="P", id="d", words=Words("en")
    )
    path = re.search(r'class="better" d="([^"]*)"', figure.drawing.markup)[1]
    assert re.sub(r"[\d.,]", "", path) == "MVHVHVz"


def test_differences_without_both_values_are_left_out():
    figure = differences(
        [NAN, 0.5], first="a", second="b", numbers=(0, 1), label="P", id="d", words=Words("en")
    )
    assert 'data-n="1"' in figure.drawing.markup


def test_causes_lead_to_their_queries():
    counts = {"ret & <1>": {"below_k": 4, "nowhere": 1}, "가": {"duplicate": 2}}
    numbers = {"ret & <1>": 0, "가": 1}
    first, other = (
        causes_bars(
            counts, numbers=numbers, total=10, id="c", words=Words("en"), k=5, panel=panel
        ).drawing.markup
        for panel in (0, 1)
    )
    assert re.findall(r'<a href="([^"]*)"', first) == [
        "#cause=below_k&amp;s=ret%20%26%20%3C1%3E",
        "#cause=nowhere&amp;s=ret%20%26%20%3C1%3E",
        "#cause=duplicate&amp;s=%EA%B0%80",
    ]
    assert "#d=1&amp;cause=nowhere" in other
    by_role = re.findall(r'<rect class="cause(\d)"[^>]* width="([\d.]+)" height="22"', first)
    sizes = [(role, float(width) + 1) for role, width in by_role]
    unit = sizes[0][1] / 5
    assert [(role, round(size / unit)) for role, size in sizes] == [
        ("0", 5),
        ("1", 4),
        ("4", 1),
        ("0", 8),
        ("2", 2),
    ]


def test_history_leads_to_reports_in_the_order_of_time():
    line = HistoryLine(
        "a",
        1,
        ["2026-03-01", "2026-01-01", "2026-02-01"],
        [0.3, 0.1, None],
        [None] * 3,
        [None] * 3,
        ["third.html", "javascript:alert(1)", "second.html"],
    )
    figure = history([line], id="h", label="P", words=Words("en"))
    assert re.findall('href="([^"]*)"', figure.drawing.markup) == ["third.html"]
    assert "0.100 at first, 0.300 at last, 2 results" in figure.description


def test_a_file_of_its_own_needs_nothing_else():
    for figure in every_figure(("a", "b"), Words("ko")):
        document = standalone(figure)
        root = ElementTree.fromstring(document)
        assert root.find(f"{SVG}title").text == figure.title
        assert root.find(f"{SVG}desc").text == figure.description
        assert "var(--" not in document
        assert "href" not in document
        assert "tabindex" not in document
        assert 'fill="#fff"' in document


def luminance(colour: str) -> float:
    """By WCAG 2.2."""
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_stand_out_from_the_paper(scheme):
    paper = COLOURS["chart-paper"][scheme]
    for name in (*(f"r{n}" for n in range(10)), "better", "worse"):
        assert contrast(COLOURS[name][scheme], paper) >= 3, name
    for name in ("chart-ink", "chart-muted"):
        assert contrast(COLOURS[name][scheme], paper) >= 4.5, name
    for n in range(5):
        text, behind = COLOURS[f"on-cause{n}"][scheme], COLOURS[f"cause{n}"][scheme]
        assert contrast(text, behind) >= 4.5, n
    assert len({COLOURS[f"r{n}"][scheme] for n in range(10)}) == 10


def test_colour_is_never_alone():
    looks = {(shape(n, 0, 0), dash(n)) for n in range(20)}
    assert len(looks) == 20
    assert colour_class(3) == colour_class(13)
    assert ElementTree.fromstring(retriever_key(12)).tag == "svg"


def test_the_style_sheet_has_all_colours_for_both_schemes():
    rules = css_rules()
    for name, (light, dark) in COLOURS.items():
        assert f"--{name}:{light}" in rules
        assert f"--{name}:{dark}" in rules
    assert set(re.findall(r"var\(--([\w-]+)\)", rules)) <= set(COLOURS)
    assert "</" not in rules


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (-0.031, 0.0007), (0, 0), (5, 5), (-3, 1e6), (0, 1e-9), (NAN, 1)]
)
def test_ticks_cover_their_range_and_are_few(low, high):
    marks = ticks(low, high)
    assert 2 <= len(marks) <= 8
    assert marks == sorted(set(marks))
    if not math.isnan(low):
        assert marks[0] <= low + 1e-12
        assert marks[-1] >= high - 1e-12
    assert len(set(tick_texts(marks))) == len(marks) or high < 1e-6


@pytest.mark.parametrize("high", [2, 7, 10, 21, 100, 1000, 123_456])
def test_ticks_of_logarithms_are_few_and_inside(high):
    marks = log_ticks(1, high)
    assert 2 <= len(marks) <= 9
    assert marks[0] == 1
    assert marks[-1] <= high


def test_scales_of_one_value_stand_in_the_middle():
    assert Scale(3, 3, 0, 100)(3) == 50
    assert math.isnan(Scale(0, 1, 0, 100)(NAN))
    assert math.isnan(Scale(1, 10, 0, 100, log=True)(0))


@pytest.mark.parametrize("count", [1, 2, 5, 12, 40])
def test_labels_are_nudged_apart_within_bounds(count):
    wanted = [50.0] * count
    places = spread(wanted, 10, 0, 100)
    gap = min(10, 100 / max(count - 1, 1))
    assert min(np.diff(places), default=gap) == pytest.approx(gap)
    assert min(places) >= -1e-9
    assert max(places) <= 100 + 1e-9


def test_labels_that_have_room_stay():
    assert spread([80.0, 5.0, 40.0], 10, 0, 100) == [80.0, 5.0, 40.0]


@pytest.mark.parametrize("words", HOSTILE)
def test_cut_text_fits(words):
    assert text_width(clipped(words, 80)) <= 80.01 or len(clipped(words, 80)) <= 1


def test_long_names_that_differ_at_their_ends_stay_apart():
    names = [f"a-very-long-name-of-a-retriever-with-settings-{n}" for n in range(9)]
    assert len({clipped(name, 100, 13) for name in names}) == len(names)


def test_colour_and_shape_together_tell_thirty_retrievers_apart():
    assert len({(colour_class(n), shape(n, 0, 0)) for n in range(30)}) == 30


def test_escaped_text_cannot_leave_its_place():
    for words in HOSTILE:
        escaped = escape(words)
        assert not re.search("[<>\"'\x00-\x1f\u202e]", escaped)
        assert ElementTree.fromstring(f'<a b="{escaped}">{escaped}</a>') is not None


def test_steps_of_lines_do_not_drift():
    points = [(n * 0.149, n * 0.251) for n in range(1000)]
    numbers = [float(v) for v in re.findall(r"-?[\d.]+", polyline(points))]
    assert sum(numbers[::2]) == pytest.approx(points[-1][0], abs=0.06)
    assert sum(numbers[1::2]) == pytest.approx(points[-1][1], abs=0.06)


def test_differences_beside_each_other_can_share_their_axis():
    def zero(reach: tuple[float, float] | None) -> str:
        figure = differences(
            [0.1, -0.1],
            first="a",
            second="b",
            numbers=(0, 1),
            label="P",
            id="d",
            words=Words("en"),
            reach=reach,
        )
        return re.search(r'class="zero" d="M[\d.]+,([\d.]+)', figure.drawing.markup)[1]

    assert zero((-0.5, 1.0)) != zero(None)
    assert zero((NAN, NAN)) == zero((0.0, 0.0)) == zero(None)


def test_contexts_too_small_for_anything_are_left_out():
    line = CurveLine("a", 0, [1, 10, 50, 100, 1000], [0.0, 0.0, 0.0, 0.5, 0.75])
    markup = recall_by_context([line], id="x", unit="words", words=Words("en")).drawing.markup
    shown = re.findall(r'class="tick"[^>]*middle">([^<]*)<', markup)
    assert shown[0] == "50"
    assert shown[-1] == "1,000"
