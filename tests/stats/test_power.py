"""Power of the paired t test: statsmodels' figures (recorded), and where it has none."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr
from scipy.stats import chi, t

from ragscore.errors import ConfigError, DataError
from ragscore.stats.power import detectable_difference, power_of, queries_needed
from tests.stats.one_column import paired_power

RECORDED: dict[str, Any] = json.loads(
    (Path(__file__).parent / "recorded" / "power.json").read_text(encoding="utf-8")
)
WITHIN = 1e-6


def test_power_is_that_of_statsmodels() -> None:
    assert len(RECORDED["power"]) > 400
    for effect, n, alpha, power in RECORDED["power"]:
        assert power_of(effect, 1.0, n, alpha) == pytest.approx(power, abs=1e-10)


def test_the_detectable_difference_is_that_of_statsmodels() -> None:
    assert len(RECORDED["effect"]) > 100
    for n, alpha, power, effect in RECORDED["effect"]:
        found = detectable_difference(1.0, n, power=power, alpha=alpha)
        assert found == pytest.approx(effect, rel=WITHIN)
        assert detectable_difference(0.25, n, power=power, alpha=alpha) == found * 0.25


def test_the_queries_needed_are_those_of_statsmodels_rounded_up() -> None:
    assert len(RECORDED["n"]) > 80
    for effect, alpha, power, n in RECORDED["n"]:
        needed = queries_needed(0.1 * effect, 0.1, power=power, alpha=alpha)
        assert needed - 1 < n * (1 + WITHIN)
        assert needed >= n * (1 - WITHIN)


@pytest.mark.parametrize(
    ("effect", "n", "alpha"),
    [
        (0.1, 5_000, 0.0005),  # statsmodels: nan
        (0.2, 1_000, 0.05 / 11),  # statsmodels: nan
        (0.03, 20_000, 0.0005),
        (40.0, 2, 0.0005),
        (2.0, 4, 1e-6),
        (0.5, 80, 1e-8),
        (0.02, 10, 0.5),
    ],
)
def test_power_by_another_integral(effect: float, n: int, alpha: float) -> None:
    critical, shift, root = t.isf(alpha / 2, n - 1), effect * math.sqrt(n), math.sqrt(n - 1)

    def tail(towards: float) -> float:
        # Over the standard deviation's own distribution, cut where either factor turns.
        turns = {max(0.0, (towards + by) / critical * root) for by in (-6, -2, 0, 2, 6)}
        middle, sd = chi.mean(n - 1), chi.std(n - 1)
        turns |= {max(0.0, middle + by * sd) for by in (-9, -4, -2, 0, 2, 4, 9)}
        cuts = sorted(turns)
        return sum(
            quad(lambda s: ndtr(towards - critical * s / root) * chi.pdf(s, n - 1), low, high)[0]
            for low, high in pairwise(cuts)
        )

    assert power_of(effect, 1.0, n, alpha) == pytest.approx(tail(shift) + tail(-shift), abs=1e-9)


def test_power_grows_with_the_effect_and_with_the_queries() -> None:
    for n in (2, 3, 20, 500, 10**6, 10**10):
        powers = [power_of(z / math.sqrt(n), 1.0, n) for z in (0, 0.01, 0.5, 1, 2, 4, 8, 30, 500)]
        assert powers == sorted(powers)
        assert powers[0] == 0.05
        assert powers[-1] <= 1 + 1e-12
    powers = [power_of(0.1, 0.3, n) for n in range(2, 400)]
    assert powers == sorted(powers)


def test_the_sign_of_the_difference_plays_no_part() -> None:
    assert power_of(-0.05, 0.2, 50) == power_of(0.05, 0.2, 50)
    assert queries_needed(-0.05, 0.2) == queries_needed(0.05, 0.2)


@pytest.mark.parametrize("difference", [0.3, 0.1, 0.02, 0.001, 1e-5])
@pytest.mark.parametrize("alpha", [0.05, 0.05 / 9])
def test_the_number_of_queries_is_the_smallest_that_reaches_the_power(
    difference: float, alpha: float
) -> None:
    n = queries_needed(difference, 0.25, power=0.8, alpha=alpha)
    assert power_of(difference, 0.25, n, alpha) >= 0.8 > power_of(difference, 0.25, n - 1, alpha)
    assert detectable_difference(0.25, n, alpha=alpha) <= difference
    assert detectable_difference(0.25, n - 1, alpha=alpha) > difference


def test_a_difference_that_two_queries_show() -> None:
    assert queries_needed(1000.0, 0.1) == 2
    assert queries_needed(0.01, 0.0) == 2
    assert detectable_difference(0.0, 50) == 0
    assert power_of(0.01, 0.0, 50) == 1


def test_the_spread_is_the_sample_deviation_and_with_clusters_that_of_their_mean() -> None:
    differences = np.random.default_rng(0).normal(0, 0.2, 30)
    spread = paired_power(differences).sd
    assert spread == pytest.approx(differences.std(ddof=1))
    assert paired_power(differences, clusters=np.arange(30)).sd == pytest.approx(spread)
    # Every query asked twice shows no more than once, and says so by the same spread for n = 30.
    twice = np.repeat(differences, 2)
    assert paired_power(twice, clusters=np.arange(60) // 2).sd == pytest.approx(spread)


@pytest.mark.parametrize(
    ("ask", "error", "says"),
    [
        (lambda: power_of(0.1, 0.2, 1), DataError, "at least 2 queries"),
        (lambda: detectable_difference(0.2, 0), DataError, "n = 0"),
        (lambda: power_of(0.1, -0.2, 9), DataError, "0 or more"),
        (lambda: power_of(0.1, math.nan, 9), DataError, "0 or more"),
        (lambda: power_of(math.inf, 0.2, 9), ConfigError, "finite"),
        (lambda: power_of(0.1, 0.2, 9, alpha=0), ConfigError, "alpha is 0"),
        (lambda: queries_needed(0.1, 0.2, power=1.0), ConfigError, r"power is 1\.0"),
        (lambda: queries_needed(0.1, 0.2, power=0.05), ConfigError, "not above alpha"),
        (lambda: queries_needed(0.0, 0.2), ConfigError, "no number of queries"),
    ],
)
def test_wrong_asks(ask: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        ask()
