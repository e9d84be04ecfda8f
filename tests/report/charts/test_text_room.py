"""Labels fit, stay apart and cannot leave their place; lines do not drift."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from ragscore.report.charts.svg import escape, polyline
from ragscore.report.charts.text_room import clipped, spread, text_width
from tests.factories.figures import HOSTILE


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
