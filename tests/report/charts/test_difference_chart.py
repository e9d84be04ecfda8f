"""The differences of every query: bounded in size, and the extremes kept."""

from __future__ import annotations

import re

import numpy as np
import pytest

from ragscore.report.charts.difference_chart import differences

NAN = float("nan")


def chart(values, **options):
    given = {"first": "a", "second": "b", "numbers": (0, 1), "label": "P", "id": "d", **options}
    return differences(str, values, **given)


@pytest.mark.parametrize("queries", [1, 2, 74, 600, 5000, 100_000])
def test_differences_are_bounded_and_keep_the_extremes(queries):
    values = np.random.default_rng(queries).normal(0.05, 0.3, queries).round(3)
    values[::3] = 0.0
    values[0] = 2.0
    figure = chart(values, numbers=(4, 7), label="nDCG")
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
    figure = chart(values)
    path = re.search(r'class="better" d="([^"]*)"', figure.drawing.markup)[1]
    assert re.sub(r"[\d.,]", "", path) == "MVHVHVz"


def test_differences_without_both_values_are_left_out():
    figure = chart([NAN, 0.5])
    assert 'data-n="1"' in figure.drawing.markup


def test_differences_beside_each_other_can_share_their_axis():
    def zero(reach: tuple[float, float] | None) -> str:
        figure = differences(
            str,
            [0.1, -0.1],
            first="a",
            second="b",
            numbers=(0, 1),
            label="P",
            id="d",
            reach=reach,
        )
        return re.search(r'class="zero" d="M[\d.]+,([\d.]+)', figure.drawing.markup)[1]

    assert zero((-0.5, 1.0)) != zero(None)
    assert zero((NAN, NAN)) == zero((0.0, 0.0)) == zero(None)
