"""Numbers read in bulk are those of ``float()``, to the last bit."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.dataset.byte_texts import ByteTexts
from ragscore.formats.reading import decimals
from ragscore.formats.reading.decimals import NoNumberError, floats
from tests.factories.thorough import examples

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
many = settings(deadline=None, max_examples=examples(300))

digits = st.text("0123456789", max_size=22)
few_digits = st.text("0123456789", max_size=9)
plain = st.builds(
    "{}{}{}{}".format, st.sampled_from(["", "", "-", "+"]), few_digits, st.just("."), digits
)
numbers = st.one_of(
    plain,
    digits,
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1000, 1000).map(lambda score: f"{score:.6f}"),
    st.floats(-1000, 1000, width=32).map(repr),
    st.floats(0, 1).map(lambda score: f"{score:.18e}"),
    st.integers(-(2**70), 2**70).map(str),
).filter(NUMBER.fullmatch)


def read(texts: list[str]) -> np.ndarray:
    column = ByteTexts.of(texts)
    return floats(column.buffer, column.starts, column.lengths)


def assert_as_float(texts: list[str]) -> None:
    expected = np.array([float(text) for text in texts])
    assert read(texts).view(np.uint64).tolist() == expected.view(np.uint64).tolist()


@many
@given(st.lists(numbers.filter(lambda text: math.isfinite(float(text))), max_size=8))
def test_as_float_to_the_last_bit(texts: list[str]) -> None:
    assert_as_float(texts)


@many
@given(st.lists(numbers.filter(lambda text: math.isfinite(float(text))), max_size=4))
def test_the_same_where_long_floats_are_no_longer(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(decimals, "_HAS_80_BITS", False)
        assert_as_float(texts)


@pytest.mark.parametrize("places", [0, 1, 6, 7, 8, 9, 14, 15, 16, 17, 18, 19, 20])
def test_many_of_one_form(places: int) -> None:
    generator = np.random.default_rng(places)
    scores = generator.uniform(-1, 1, 5000) * 10.0 ** generator.integers(-3, 8, 5000)
    assert_as_float([f"{score:.{places}f}" for score in scores.tolist()])


def test_halves_between_two_floats() -> None:
    """Numbers whose digits end just at, above and below the middle of two neighbours."""
    texts = []
    for whole in range(2**53 + 1, 2**53 + 200, 2):
        for places in range(17):
            for near in (whole - 1, whole, whole + 1):
                text = str(near).rjust(places + 1, "0")
                texts.append(f"{text[: len(text) - places]}.{text[len(text) - places :]}")
    middles = [
        f"{whole}.{part}"
        for whole in range(4503599627370496, 4503599627370600)
        for part in ("5", "50", "500", "499", "501", "25", "75")
    ]
    assert_as_float([*texts, *middles])


@many
@given(
    st.one_of(
        st.text("0123456789+-.eE_ naif\u0663x", min_size=1, max_size=24),
        numbers.map(lambda text: f"{text}x"),
    ).filter(lambda text: "\0" not in text),
    st.lists(st.just("1.5"), max_size=3),
)
def test_anything_else_is_refused(text: str, before: list[str]) -> None:
    if NUMBER.fullmatch(text) and math.isfinite(float(text)):
        assert_as_float([*before, text])
        return
    with pytest.raises(NoNumberError):
        read([*before, text])


@pytest.mark.parametrize(
    "text",
    [
        *("nan", "inf", "-inf", "Infinity", "1e999", "-", "+", ".", "-.", "e5", "1e", "1_0", "0x1"),
        *("1.2.3", "1234567.1.", "12345678.1.2", "--1", "1-", "1.5f", "1,5", "٣", "1.٣", "é", "/"),
        *(":", "1:", "1/2", "0.1234567:", "0.12345678/1", "9" * 65),
    ],
)
def test_refused(text: str) -> None:
    with pytest.raises(NoNumberError):
        read(["1.5", text, "2"])


def test_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decimals, "BLOCK", 3)
    assert_as_float(["1", "2.5", "-0", "1e5", "3.25", "+7", "12345678901234567890"])
    assert not len(read([]))
