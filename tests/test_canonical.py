"""Canonical scores against whole numbers of Python: no order of operations changes a bit."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragscore import canonical
from ragscore.canonical import BITS, Metric

Vectors = NDArray[np.float32]


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Vectors, Vectors]:
    """Queries and passages of all sizes of numbers, some of them 0, some equal."""
    seed, dimension = draw(st.integers(0, 2**32 - 1)), draw(st.integers(1, 400))
    numbers = np.random.default_rng(seed)
    spread = draw(st.sampled_from([0, 1, 8]))

    def drawn(count: int) -> Vectors:
        sizes = 10.0 ** numbers.uniform(-spread, spread, (count, 1))
        made = (numbers.standard_normal((count, dimension)) * sizes).astype(np.float32)
        made[numbers.random(made.shape) < draw(st.sampled_from([0, 0.5]))] = 0
        made[count // 2 :] = made[: count - count // 2]
        return made

    return drawn(4), drawn(9)


def exact(rows: Vectors) -> list[list[Fraction]]:
    """The whole numbers that rows are snapped to, times their power, as fractions."""
    values, power = canonical.snapped(rows)
    assert (np.abs(values) <= 2**BITS * 1.25).all()
    return [
        [Fraction(int(value)) * Fraction(2) ** (int(two) - BITS) for value in row]
        for row, two in zip(values, power, strict=True)
    ]


@given(pairs())
def test_products_are_those_of_whole_numbers(drawn: tuple[Vectors, Vectors]) -> None:
    asked, passages = drawn
    found = canonical.products(asked, passages)
    wanted = [
        [sum((a * b for a, b in zip(q, p, strict=True)), Fraction()) for p in exact(passages)]
        for q in exact(asked)
    ]
    assert found.tolist() == [[float(value) for value in row] for row in wanted]
    true = asked.astype(float) @ passages.astype(float).T
    sizes = np.outer(canonical.norms(asked), canonical.norms(passages))
    assert (np.abs(found - true) <= 2e-7 * sizes).all()


@given(pairs(), st.integers(0, 2**32 - 1), st.sampled_from(["ip", "cosine", "l2"]))
def test_no_order_changes_a_bit(drawn: tuple[Vectors, Vectors], seed: int, metric: Metric) -> None:
    asked, passages = drawn
    unit = metric == "cosine"
    if unit:
        for rows in drawn:
            canonical.normalise(rows)
    wanted = canonical.scores(asked, passages, metric, unit=unit)

    def alike(found: NDArray[Any], expected: NDArray[Any] = wanted) -> None:
        assert found.dtype == np.float32
        assert found.tobytes() == np.ascontiguousarray(expected).tobytes()

    order = np.random.default_rng(seed).permutation(asked.shape[1])
    for turn in (order, slice(None, None, -1)):
        alike(canonical.scores(asked[:, turn], passages[:, turn], metric, unit=unit))
    alike(canonical.scores(asked, passages, metric))  # whether they have length 1 is looked at
    alike(canonical.scores(asked[1:3], passages[3:5], metric, unit=unit), wanted[1:3, 3:5])
    own = np.broadcast_to(passages, (len(asked), *passages.shape))
    alike(canonical.scores(asked, own, metric, unit=unit))
    whole, power = canonical.snapped(asked)
    assert not power.any() or not unit
    both = whole[0] * canonical.snapped(passages)[0][0]
    for cut in (1, len(both) // 2):  # split sums add up
        assert both.sum() == both[:cut].sum() + both[cut:].sum()


@given(pairs())
def test_lengths_are_1_in_any_order(drawn: tuple[Vectors, Vectors]) -> None:
    _, vectors = drawn
    vectors = vectors.copy()
    turned = np.ascontiguousarray(vectors[::-1, ::-1])
    zeros = canonical.normalise(vectors)
    assert zeros == canonical.normalise(turned) == (~vectors.any(axis=1)).sum()
    assert (turned[::-1, ::-1] == vectors).all()
    lengths = canonical.norms(vectors)
    assert np.allclose(lengths[lengths > 0], 1, atol=1e-6)


@pytest.mark.parametrize("length", [canonical.LIMIT, 0.5 * canonical.LIMIT, 8 * canonical.LIMIT])
def test_a_norm_at_the_limit_is_summed_exactly(length: float) -> None:
    numbers = np.random.default_rng(1)
    rows = numbers.standard_normal((200, 64))
    rows *= length / np.linalg.norm(rows, axis=1, keepdims=True)
    rows = rows.astype(np.float32).astype(np.float64)
    _, power = canonical.snapped(rows)
    turned = rows[:, numbers.permutation(64)]
    assert (canonical.snapped(turned)[1] == power).all()


@pytest.mark.parametrize("metric", ["ip", "l2"])
@pytest.mark.parametrize("size", [1, 1e-22])
@pytest.mark.parametrize("dimension", [1, 2, 24, 384, 4_096])
def test_float32_is_no_further_off_than_the_tolerance(
    metric: Metric, size: float, dimension: int
) -> None:
    numbers = np.random.default_rng(dimension)
    asked, passages = (
        (
            numbers.standard_normal((count, dimension))
            * numbers.uniform(0.1 * size, 30 * size, (count, 1))
        ).astype(np.float32)
        for count in (40, 300)
    )
    largest = float(canonical.norms(passages).max())
    off = canonical.tolerance(dimension, canonical.norms(asked), largest, metric)[:, None]
    wanted = canonical.scores(asked, passages, metric).astype(float)
    similar = asked @ passages.T
    if metric == "l2":
        squares = [np.einsum("nd,nd->n", rows, rows) for rows in (asked, passages)]
        similar = 2 * similar - squares[0][:, None] - squares[1]
    assert (np.abs(similar - wanted) <= off).all()
    one_by_one = np.zeros(similar.shape, np.float32)  # the worst order
    for at in range(dimension):
        each = asked[:, at, None], passages[:, at]
        one_by_one += -((each[0] - each[1]) ** 2) if metric == "l2" else each[0] * each[1]
    assert (np.abs(one_by_one - wanted) <= off).all()


def test_a_zero_has_no_sign() -> None:
    rows = np.array([[0.0, -0.0], [1.0, 0.0]], np.float32)
    for metric in ("ip", "l2"):
        found = canonical.scores(rows, np.array([[-0.0, -1.0], [0.0, 1.0], [1, 0]], "f4"), metric)
        assert not np.signbit(found[found == 0]).any()
