"""The chart of quality against cost."""

from __future__ import annotations

import re
from random import Random

import pytest

from ragscore.estimate import Estimate
from ragscore.report.charts.cost_chart import CostPoint, best_at_cost, cost_chart
from ragscore.report.charts.style import LABEL
from ragscore.report.charts.text_room import text_width
from ragscore.report.model import Figure

NAN = float("nan")
POINTS = [
    CostPoint("cheap", 0, 1.0, Estimate(0.4, 0.3, 0.5)),
    CostPoint("dear", 1, 100.0, Estimate(0.6)),
    CostPoint("beaten", 2, 50.0, Estimate(0.4)),
    CostPoint("free", 3, 0.0, Estimate(0.9)),
    CostPoint("unknown", 4, NAN, Estimate(0.9)),
    CostPoint("unscored", 5, 2.0, Estimate(NAN)),
]


def chart(points: list[CostPoint], **options: bool) -> Figure:
    return cost_chart(str, points, id="c", title="t", label="nDCG", axis="ms", **options)


def test_the_best_at_each_cost_are_marked_in_more_than_colour() -> None:
    assert best_at_cost(POINTS) == [True, True, False, False, False, False]
    drawn = chart(POINTS).drawing.markup
    found = re.findall(r'<g class="r(\d)".*?data-cost="(.*?)" data-value="(.*?)" '
                       r'data-best="(.*?)">(.*?)</g>', drawn)  # fmt: skip
    assert sorted(mark[:4] for mark in found) == [
        ("0", "1.0", "0.4", "true"),
        ("1", "100.0", "0.6", "true"),
        ("2", "50.0", "0.4", "false"),
    ]
    for _, _, _, best, inside in found:
        assert ('class="ring"' in inside) == (best == "true")
        assert ('class="mark open"' in inside) == (best == "false")
        assert ("the best at this cost" in inside) == (best == "true")
    assert drawn.count('class="front"') == 1


def test_where_small_values_are_good_the_smallest_are_best() -> None:
    assert best_at_cost(POINTS, lower_is_better=True)[:3] == [True, False, False]


@pytest.mark.parametrize(
    ("costs", "log"), [((1.0, 3.9), False), ((1.0, 4.0), True), ((1e-9, 1e15), True)]
)
def test_the_axis_is_logarithmic_where_costs_span(costs: tuple[float, float], log: bool) -> None:
    figure = chart([CostPoint(str(cost), 0, cost, Estimate(0.5)) for cost in costs])
    assert ("Logarithmic" in figure.note) == log
    assert len(re.findall('class="tick" [^>]*text-anchor="middle"', figure.drawing.markup)) <= 8


def test_names_stand_beside_their_marks_and_never_on_each_other() -> None:
    points = [
        CostPoint(f"retriever-{at}", at, 10.0 + at % 3, Estimate(0.5 + at / 500))
        for at in range(12)
    ]
    drawn = chart(points).drawing.markup
    boxes = []
    for x, y, anchor in re.findall(
        r'<text class="label[^"]*" x="(.*?)" y="(.*?)"( text-anchor="end")?>', drawn
    ):
        left = float(x) - (70 if anchor else 0)
        boxes.append((left, float(y)))
    assert len(boxes) >= 6
    for at, (x, y) in enumerate(boxes):
        assert all(abs(x - left) > 60 or abs(y - base) > 10 for left, base in boxes[at + 1 :])


def test_bold_names_have_their_room() -> None:
    """DejaVu's bold letters are wider by an eighth."""
    names, draw = ["bm25", "words", "short-first", "hybrid", "near"], Random(1)
    for _ in range(700):
        places = [(10 ** draw.uniform(-1.5, 1.2), draw.uniform(0.3, 0.8)) for _ in names]
        points = [
            CostPoint(names[at], at, cost, Estimate(mean, 0.43, 0.57))
            for at, (cost, mean) in enumerate(places)
        ]
        boxes = []
        for role, x, y, anchor, name in re.findall(
            r'<text class="(label[^"]*)" x="(.*?)" y="(.*?)"( text-anchor="end")?>(.*?)</text>',
            chart(points).drawing.markup,
        ):
            width = text_width(name, LABEL) * (1.125 if "strong" in role else 0.97)
            left = float(x) - (width if anchor else 0)
            boxes.append((left, left + width, float(y)))
        assert boxes
        for at, (left, right, base) in enumerate(boxes):
            for other, end, line in boxes[at + 1 :]:
                assert min(right, end) - max(left, other) <= 1 or abs(base - line) > 13


def test_of_many_points_only_the_best_are_named() -> None:
    points = [CostPoint(f"r{at}", at, 1.0 + at, Estimate(0.9 - at / 100)) for at in range(40)]
    drawn = chart(points).drawing.markup
    assert drawn.count('class="label') == 1
    assert drawn.count("data-best") == 40
