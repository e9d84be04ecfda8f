"""A number is printed in one way, wherever it stands."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.elements.cells import difference_cell, interval_words, mean_cell, number_cell
from ragscore.elements.numbers import (
    allowed_text,
    interval_text,
    number_text,
    p_text,
    rough_text,
    signed_text,
)
from ragscore.estimate import Estimate

NUMBERS = st.floats(-2, 2)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_an_interval_has_the_texts_of_its_ends(value: float, low: float, high: float) -> None:
    found = Estimate(value, low, high)
    assert interval_text(low, high) == f"[{number_text(low)}, {number_text(high)}]"
    assert mean_cell(value, found).interval == interval_words(found) == interval_text(low, high)
    assert mean_cell(value, None).text == number_cell(value).text == number_text(value)
    difference = difference_cell(value, found)
    assert difference.text == signed_text(value)
    assert difference.interval == f"[{signed_text(low)}, {signed_text(high)}]"


@given(NUMBERS)
def test_a_sign_is_that_of_the_number(value: float) -> None:
    assert signed_text(value).lstrip("+") == number_text(value)
    assert number_text(value).startswith("-") == (value < -1e-12)


@pytest.mark.parametrize("nothing", [0.0, -0.0, -1e-17, 1e-17])
def test_what_floating_point_leaves_of_zero_has_no_sign(nothing: float) -> None:
    assert number_text(nothing) == signed_text(nothing) == "0.000"
    assert interval_text(nothing, 0.25) == "[0.000, 0.250]"


@given(NUMBERS)
def test_what_has_to_be_allowed_is_rounded_up_by_less_than_its_last_digit(value: float) -> None:
    allowed = float(allowed_text(value))
    assert value - 1e-8 <= allowed <= value + 0.001
    assert allowed_text(round(value, 3)) == number_text(round(value, 3))


def test_no_number_is_a_dash_or_the_words_for_it() -> None:
    assert number_text(None) == signed_text(math.inf) == number_cell(math.nan).text == "-"
    assert number_cell(None, unknown="too many").text == "too many"
    assert str(interval_words(Estimate(0.5))) == "not estimable"


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0302, "0.030"), (0.0, "<0.001"), (0.000999, "<0.001"), (0.001, "0.001"),
     (0.0496, "0.0496"), (0.04996, "0.04996"), (0.05, "0.050"), (0.25, "0.250"),
     (0.9999, "1.000")],
)  # fmt: skip
def test_p_values_are_printed_as_they_decide(p: float, text: str) -> None:
    assert p_text(p) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0071, "+0.007"), (-0.05, "-0.050"), (0.0, "0.000"), (1e-17, "0.000"), (-0.0004, "-0.000")],
)
def test_differences_are_printed_with_sign(value: float, text: str) -> None:
    assert signed_text(value) == text


@given(st.floats(1e-4, 1e6), st.integers(2, 3))
def test_what_is_known_roughly_has_its_digits_and_no_exponent(value: float, digits: int) -> None:
    text = rough_text(value, digits)
    assert "e" not in text
    assert float(text.replace(",", "")) == pytest.approx(value, rel=0.5 * 10 ** (1 - digits) + 1e-9)
