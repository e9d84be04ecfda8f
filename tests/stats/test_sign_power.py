"""Power from wins and losses: scipy's binomial test over all outcomes, and drawn samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest, multinomial

from ragscore.stats.power import detectable_difference
from ragscore.stats.sign_power import WinLossSteps, steps_detectable, steps_needed, steps_power
from tests.stats.one_column import paired_power


@pytest.mark.parametrize(
    ("share", "difference", "n", "alpha"),
    [(0.1, 0.125, 50, 0.05), (0.3, 0.2, 30, 0.0125), (1.0, 0.3, 20, 0.05), (0.05, 0.6, 12, 0.05)],
)
def test_power_is_the_sum_over_all_outcomes(
    share: float, difference: float, n: int, alpha: float
) -> None:
    # The tilt, solved here by bisection of the mean.
    low, high = 0.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        total = 1 - share + share * math.cosh(middle)
        low, high = (
            (middle, high) if share * math.sinh(middle) < difference * total else (low, middle)
        )
    chances = np.array([share / 2 * math.exp(low), share / 2 * math.exp(-low), 1 - share])
    chances /= chances.sum()
    power = sum(
        multinomial.pmf([wins, losses, n - wins - losses], n, chances)
        for wins in range(n + 1)
        for losses in range(min(wins, n - wins + 1))
        if binomtest(wins, wins + losses).pvalue < alpha
    )
    assert steps_power(WinLossSteps(2.0, share), 2 * difference, n, alpha) == pytest.approx(power)


def test_many_differing_queries_are_taken_as_normal_without_a_jump() -> None:
    steps = WinLossSteps(1.0, 0.4)
    below, above = (steps_power(steps, 0.02, n) for n in (9_900, 10_100))
    assert below < above < below + 0.02


@pytest.mark.parametrize("alpha", [0.05, 0.0125])
@pytest.mark.parametrize("share", [0.06, 0.3])
def test_what_is_detectable_and_needed_has_the_power(share: float, alpha: float) -> None:
    steps = WinLossSteps(0.5, share)
    found = steps_detectable(steps, 100, alpha=alpha)
    assert found is not None
    assert steps_power(steps, found, 100, alpha) == pytest.approx(0.8, abs=0.005)
    needed = steps_needed(steps, 0.03, alpha=alpha)
    assert needed is not None
    assert steps_power(steps, 0.03, needed, alpha) == pytest.approx(0.8, abs=0.02)


def test_what_steps_cannot_say() -> None:
    assert math.isnan(steps_power(WinLossSteps(0.2, 0.5), 0.2, 50))
    assert steps_needed(WinLossSteps(0.2, 0.5), 0.3) is None
    assert steps_detectable(WinLossSteps(1.0, 0.5), 5) is None
    assert steps_detectable(WinLossSteps(1.0, 0.5), 7, alpha=0.0125) is None


def test_more_queries_must_differ_for_a_larger_difference_to_be_true() -> None:
    """Success@k: Student's power takes the spread of the sample for given, and claims too much."""
    values = np.zeros(50)
    values[:4], values[4:6] = 1.0, -1.0
    planned = paired_power(values)
    found, student = planned.detectable(0.05), detectable_difference(planned.sd, 50)
    assert found is not None
    assert found > 1.2 * student
    assert planned.power(student, 0.05) < 0.7
    # Twice as many differ, by many sizes: Student's.
    smooth = paired_power(np.random.default_rng(0).normal(0, 0.2, 50))
    assert smooth.steps is None
    assert smooth.detectable(0.05) == detectable_difference(smooth.sd, 50)
