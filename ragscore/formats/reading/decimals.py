"""Numbers written in decimal, many at once, each to the last bit what ``float()`` makes of it.

A plain decimal is a whole number over a power of ten. Where the whole number is at most 2**53,
both are exact as 64-bit floats and one division rounds once, which is what ``float()`` does.
Where it is below 2**64 the same division is made with 80-bit floats, and rounded a second time:
that differs only where the first result is just between two 64-bit floats, and those few are
left to ``float()`` with whatever is written in another way.
"""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.byte_words import WORD, Bytes, MachineWords, Places, last_bytes, words_at

Floats = NDArray[np.float64]

BLOCK = 1 << 16
"""Numbers parsed together: few enough for a processor's cache."""
MAX_DIGITS = 19
"""Most digits of a whole number that is sure to be below 2**64."""
MAX_LENGTH = 64
"""Most bytes of a number; a longer one is left to the reader that goes line by line."""

_HAS_80_BITS = np.finfo(np.longdouble).nmant == 63 and np.dtype(np.longdouble).itemsize == 16
_BEYOND_64_BITS, _BETWEEN = np.uint64(0x7FF), np.uint64(0x400)
_EXACT = np.uint64(1 << 53)
_POWERS = np.array([10**power for power in range(MAX_DIGITS + 1)], dtype=np.uint64)
_FLOAT_POWERS = _POWERS.astype(np.float64)
_LONG_POWERS = _POWERS.astype(np.longdouble)

_EVERY_BYTE = np.uint64(0x0101010101010101)
_HIGHEST_BITS = np.uint64(0x8080808080808080)
_DOTS = np.uint64(0x2E2E2E2E2E2E2E2E)
_ZEROS = np.uint64(0x3030303030303030)
_ABOVE_NINE = np.uint64(0x7676767676767676)
_IN_NUMBERS = np.zeros(256, dtype=bool)
_IN_NUMBERS[list(b"\x000123456789+-.eE")] = True


_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def finite_number(text: str) -> float | None:
    """The finite number that a text is; None for anything else, such as Python's 1_0 and nan.

    >>> finite_number("2.5e-1"), finite_number("1_0"), finite_number("inf")
    (0.25, None, None)
    """
    number = float(text) if _NUMBER.fullmatch(text) else math.nan
    return number if math.isfinite(number) else None


class NoNumberError(ValueError):
    """A text is not a finite number, or is longer than :data:`MAX_LENGTH`. Never leaves this
    package."""


def floats(buffer: Bytes, starts: Places, lengths: Places) -> Floats:
    """The numbers that some texts are: float64[n].

    Digits, and a sign, a point and an exponent where need be; ASCII only.

    >>> from ragscore.dataset.byte_texts import ByteTexts
    >>> texts = ByteTexts.of(["19.388317", "-7", "2.5e-1"])
    >>> floats(texts.buffer, texts.starts, texts.lengths).tolist()
    [19.388317, -7.0, 0.25]

    Args:
        buffer: uint8, padded as in :mod:`~ragscore.dataset.byte_words`; no text holds a
            NUL.
        starts, lengths: int64[n], where the texts stand.

    Raises:
        NoNumberError: one is not a finite number.
    """
    numbers = np.empty(len(starts))
    for start in range(0, len(starts), BLOCK):
        block = slice(start, start + BLOCK)
        numbers[block], rest = _plain(buffer, starts[block], lengths[block])
        if len(rest):
            numbers[start + rest] = _any_form(buffer, starts[start + rest], lengths[start + rest])
    return numbers


def _plain(buffer: Bytes, starts: Places, lengths: Places) -> tuple[Floats, Places]:
    """The numbers that are written as digits and a point, and the rows of the others."""
    head = words_at(buffer, starts)
    negative = (head & np.uint64(0xFF)) == ord("-")
    some_are_negative = negative.any()
    if some_are_negative:
        starts, lengths = starts + negative, lengths - negative
        head = words_at(buffer, starts)
    before_dot = _bytes_before_dot(head)
    whole_digits = np.minimum(before_dot, lengths)
    decimals = np.maximum(lengths - whole_digits - 1, 0)
    # The digits before the point moved to the end of their word.
    head ^= _ZEROS
    head <<= ((WORD - whole_digits) * 8).astype(np.uint64)
    whole, wrong = _value(head)
    mantissa = whole * _POWERS.take(decimals, mode="clip")
    ends = starts + lengths
    for number in range(min(-(-int(decimals.max(initial=0)) // WORD), 3)):
        rows = np.flatnonzero(decimals > number * WORD) if number else slice(None)
        digits = words_at(buffer, ends[rows] - (number + 1) * WORD) ^ _ZEROS
        part, wrong_part = _value(last_bytes(digits, decimals[rows] - number * WORD))
        mantissa[rows] += part * _POWERS[number * WORD]
        wrong[rows] |= wrong_part
    plain = wrong == 0
    plain &= (before_dot < WORD) | (lengths <= WORD)
    plain &= whole_digits + decimals > 0
    plain &= whole_digits * (whole > 0) + decimals <= MAX_DIGITS
    numbers = mantissa.astype(np.float64)
    numbers /= _FLOAT_POWERS.take(decimals, mode="clip")
    large = np.flatnonzero((mantissa > _EXACT) & plain)
    if len(large):
        numbers[large], exact = _divided(mantissa[large], decimals[large])
        plain[large] = exact
    if some_are_negative:
        np.negative(numbers, where=negative, out=numbers)
    return numbers, np.flatnonzero(~plain)


def _bytes_before_dot(words: MachineWords) -> Places:
    """How many bytes of each word stand before its first dot; 8 where it has none."""
    found = words ^ _DOTS
    zero = (found - _EVERY_BYTE) & ~found & _HIGHEST_BITS
    first = zero & (~zero + np.uint64(1))
    before = (first >> np.uint64(7)) - np.uint64(1)
    counts: Places = np.bitwise_count(before).astype(np.int64) >> 3
    return counts


def _value(digits: MachineWords) -> tuple[MachineWords, MachineWords]:
    """The number that each word's eight digits are, and what is not 0 if some are not digits."""
    wrong = ((digits + _ABOVE_NINE) | digits) & _HIGHEST_BITS
    # Neighbours are added up: eight digits, four numbers below 100, two below 10,000, one.
    pairs = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    fours = (pairs * np.uint64(100) + (pairs >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    value = (fours * np.uint64(10_000) + (fours >> np.uint64(32))) & np.uint64(0xFFFFFFFF)
    return value, wrong


def _divided(mantissa: MachineWords, decimals: Places) -> tuple[Floats, NDArray[np.bool_]]:
    """Whole numbers over powers of ten, and which of these are rounded as ``float()`` does."""
    if not _HAS_80_BITS:
        return mantissa.astype(np.float64), np.zeros(len(mantissa), dtype=bool)
    wide = mantissa.astype(np.longdouble) / _LONG_POWERS[decimals]
    between = (wide.view(np.uint64)[::2] & _BEYOND_64_BITS) == _BETWEEN
    return wide.astype(np.float64), ~between


def _any_form(buffer: Bytes, starts: Places, lengths: Places) -> Floats:
    """The same by ``float()``."""
    width = int(lengths.max())
    if width > MAX_LENGTH:
        raise NoNumberError
    places = np.arange(width)
    rows = buffer.take(starts[:, None] + places, mode="clip")
    rows[places >= lengths[:, None]] = 0
    # Python reads nan, inf and 1_0 too.
    if not _IN_NUMBERS[rows].all():
        raise NoNumberError
    try:
        numbers = rows.view(f"S{width}").reshape(-1).astype(np.float64)
    except ValueError as error:
        raise NoNumberError from error
    if not np.isfinite(numbers).all():
        raise NoNumberError
    return numbers
