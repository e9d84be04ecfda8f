"""Words beside 0 stay inside of their cell, however wide the margin's band is."""

from __future__ import annotations

import re

import pytest

from ragscore.elements import Axis
from ragscore.report.charts.cell_bars import bar
from ragscore.report.charts.text_room import widest

NARROWEST = 240.0


@pytest.mark.parametrize("words", ["baseline", "same as faiss-flat"])
@pytest.mark.parametrize(
    "axis",
    [Axis(-0.02, 0.02, 0.02), Axis(-0.01, 0.3, 0.01), Axis(-0.3, 0.01, 0.01), Axis(-0.1, 0.1)],
)
def test_words_stay_inside_of_their_cell(axis: Axis, words: str) -> None:
    drawn = bar(None, "", axis, None, words)
    (text,) = re.findall(r"<text[^>]*>", drawn)
    place = dict(re.findall(r'([\w-]+)="([^"]*)"', text))
    at = float(place["x"].rstrip("%")) / 100 * NARROWEST + float(place["dx"])
    wide = widest([words], 12)
    start, end = (at, at + wide) if place["text-anchor"] == "start" else (at - wide, at)
    assert start >= 0
    assert end <= NARROWEST
