"""The Pareto front against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ragscore.stats.pareto import pareto_front

NUMBERS = st.sampled_from([-np.inf, -1.0, 0.0, 0.25, 0.5, 1.0, np.inf, np.nan])
POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=12)


def by_definition(gains: NDArray[np.float64], costs: NDArray[np.float64]) -> list[bool]:
    def beats(other: int, point: int) -> bool:
        no_worse = gains[other] >= gains[point] and costs[other] <= costs[point]
        return no_worse and (gains[other] > gains[point] or costs[other] < costs[point])

    known = [not (np.isnan(g) or np.isnan(c)) for g, c in zip(gains, costs, strict=True)]
    return [
        known[point]
        and not any(known[other] and beats(other, point) for other in range(len(gains)))
        for point in range(len(gains))
    ]


@given(points=POINTS)
def test_no_point_on_the_front_is_beaten_and_every_other_is(
    points: list[tuple[float, float]],
) -> None:
    gains, costs = np.array(points, dtype=float).reshape(-1, 2).T
    assert pareto_front(gains, costs).tolist() == by_definition(gains, costs)


def test_gains_that_differ_by_rounding_are_equal() -> None:
    gains = np.array([0.1 + 0.2, 0.3])
    assert pareto_front(gains, np.array([2.0, 2.0])).all()
    assert pareto_front(gains, np.array([2.0, 1.0])).tolist() == [False, True]


@pytest.mark.parametrize("count", [1, 1_000])
def test_equal_points_are_all_on_the_front(count: int) -> None:
    assert pareto_front(np.full(count, 0.5), np.full(count, 2.0)).all()
