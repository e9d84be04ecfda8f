"""The forest plot draws values where they are, and says what is decided."""

from __future__ import annotations

import re

import pytest

from ragscore.estimate import Estimate
from ragscore.report.charts.row_charts import ChartRow, forest

NAN = float("nan")


def test_forest_draws_values_where_they_are():
    rows = [
        ChartRow("good", 1, Estimate(0.1, 0.05, 0.15), filled=True),
        ChartRow("bad", 2, Estimate(-0.1, -0.15, 0.01)),
        ChartRow("unknown", 3, Estimate(0.05, NAN, NAN)),
    ]
    figure = forest(str, rows, id="f", heading="F", label="P@5", baseline="base", margin=0.02)
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
    # The undecided and the one without an interval are hollow.
    assert markup.count('class="mark open"') == 2
    for said in ("+0.100", "[+0.050, +0.150]", "not estimable", "worse", "better"):
        assert said in markup
    assert "good: +0.100, 95 % CI [+0.050, +0.150], decided" in figure.description


def test_what_is_decided_and_smaller_than_the_margin_has_a_mark_of_its_own():
    rows = [
        ChartRow("far", 1, Estimate(-0.1, -0.12, -0.08), filled=True),
        ChartRow("near", 2, Estimate(-0.002, -0.004, -0.001), filled=True, below_margin=True),
        ChartRow("open", 3, Estimate(-0.002, -0.004, 0.001)),
    ]
    given = {
        "id": "f",
        "heading": "F",
        "label": "P",
        "baseline": "b",
        "margin": 0.01,
    }
    figure = forest(str, rows, **given)
    _, *marks = re.findall(r'<path class="(mark[^"]*)"', figure.drawing.markup.replace("\n", ""))
    # In front of each name stands its key; then the mark at its value.
    assert marks == ["mark", "mark", "mark open", "mark", "mark", "mark open"]
    assert figure.note == (
        "Filled: decided; hollow: not decided. With a dot: decided, but smaller "
        "than the margin. Grey band: the margin, ±0.01."
    )
    for said in ("far: -0.100, 95 % CI [-0.120, -0.080], decided;", "smaller than the margin"):
        assert said in figure.description
    assert "dot" not in forest(str, rows[::2], **given).note


def test_no_margin_draws_no_band():
    rows = [ChartRow("a", 0, Estimate(0.1, 0.0, 0.2))]
    figure = forest(str, rows, id="f", heading="F", label="P", baseline="b", margin=None)
    assert 'class="margin"' not in figure.drawing.markup
    assert "margin" not in figure.note
