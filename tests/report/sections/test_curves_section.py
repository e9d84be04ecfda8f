"""The figures of the section on k: honest axes, gaps that stay gaps, few texts."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.typing import ArrayLike

from ragscore.messages import translated
from ragscore.report.charts.line_chart import Line
from ragscore.report.model import Chart, Figure
from ragscore.report.sections.curves import (
    against_k,
    k_axis,
    precision_recall,
    recall_by_context,
)

NAN = float("nan")


def line_of(name: str, number: int, *values: ArrayLike, ring: int | None = None) -> Line:
    """A line of x, y and, where there is one, its band."""
    return Line(name, number, *(np.asarray(part, dtype=float) for part in values), ring=ring)


def circles(markup: str) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', markup)]


def drawn(chart: Chart) -> Figure:
    return translated(chart, "en")


def one_curve(lines: list[Line]) -> Figure:
    return drawn(against_k(lines, k_axis(lines), id="c-P", label="P"))


@pytest.mark.parametrize(("depth", "texts"), [(10, ("1", "2", "10")), (100, ("1", "10", "100"))])
def test_k_is_whole_and_logarithmic_only_where_it_is_deep(depth, texts):
    k = np.arange(1, depth + 1)
    line = line_of("a", 0, k, 1 / k, ring=2)
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
    line = line_of("a", 0, [1, 2, 3, 4, 5], [0.5, 0.4, NAN, 0.2, 0.1])
    markup = one_curve([line]).drawing.markup
    path = re.search(r'class="line" d="([^"]*)"', markup)[1]
    assert path.count("M") == 2


def test_measures_are_figures_that_share_the_axis_of_k():
    """Also where a measure has fewer k than another one."""
    lines = {"P": line_of("a", 0, [1, 2, 5], [0.5] * 3), "R": line_of("a", 0, [1, 10], [0, 1])}
    axis = k_axis(lines.values())
    first, second = (
        drawn(against_k([line], axis, id=name, label=f"{name}(x)")) for name, line in lines.items()
    )
    assert (first.title, second.title) == ("P(x) against k", "R(x) against k")
    ticks_of_k = [
        re.findall(r'class="tick" x="([\d.]+)"[^>]*middle">([^<]*)<', one.drawing.markup)
        for one in (first, second)
    ]
    assert ticks_of_k[0] == ticks_of_k[1]


def cutoffs(lines: list[Line]) -> list[tuple[str, str]]:
    """(retriever, k) of every k that is written."""
    markup = drawn(precision_recall(lines, id="t")).drawing.markup
    return re.findall(r'<g data-r="(\d)"><text class="tick halo"[^>]*>(\d+)<', markup)


def test_where_lines_are_close_the_k_of_the_best_is_written():
    k = np.arange(1, 51)
    best, near, far = (
        Line(f"r{n}", n, k / 60 * share, share / k**0.5)
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
        line_of(f"retriever {n}", n, k, 1 / k**0.1, 0.9 / k**0.1, 1.1 / k**0.1, ring=9)
        for n in range(12)
    ]
    figure = one_curve(lines)
    assert len(figure.drawing.markup) < 65_000
    assert 'class="many"' in figure.drawing.markup


def test_contexts_too_small_for_anything_are_left_out():
    line = line_of("a", 0, [1, 10, 50, 100, 1000], [0.0, 0.0, 0.0, 0.5, 0.75])
    markup = drawn(recall_by_context([line], id="x", unit="words")).drawing.markup
    shown = re.findall(r'class="tick"[^>]*middle">([^<]*)<', markup)
    assert shown[0] == "50"
    assert shown[-1] == "1,000"
