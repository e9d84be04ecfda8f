"""Ticks are few, round and cover their range; scales keep what is missing missing."""

from __future__ import annotations

import math

import pytest

from ragscore.report.charts.scale import Scale, log_ticks, tick_texts, ticks

NAN = float("nan")


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
