"""Colours, shapes and dashes can be told apart, in light and dark."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from ragscore.report.charts.style import (
    COLOURS,
    colour_class,
    css_rules,
    dash,
    retriever_key,
    shape,
)


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
        text, behind = COLOURS[f"on-heat{n}"][scheme], COLOURS[f"heat{n}"][scheme]
        assert contrast(text, behind) >= 4.5, n
    assert len({COLOURS[f"r{n}"][scheme] for n in range(10)}) == 10


def test_colour_is_never_alone():
    looks = {(shape(n, 0, 0), dash(n)) for n in range(20)}
    assert len(looks) == 20
    assert colour_class(3) == colour_class(13)
    assert ElementTree.fromstring(retriever_key(12)).tag == "svg"


def test_colour_and_shape_together_tell_thirty_retrievers_apart():
    assert len({(colour_class(n), shape(n, 0, 0)) for n in range(30)}) == 30


def test_the_style_sheet_has_all_colours_for_both_schemes():
    rules = css_rules()
    for name, (light, dark) in COLOURS.items():
        assert f"--{name}:{light}" in rules
        assert f"--{name}:{dark}" in rules
    assert set(re.findall(r"var\(--([\w-]+)\)", rules)) <= set(COLOURS)
    assert "</" not in rules
