"""Effect size and wins, ties, losses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragscore.errors import DataError
from ragscore.stats.effect import WinsTiesLosses, effect_size, wins_ties_losses


def test_d_z_is_the_t_statistic_without_the_number_of_queries() -> None:
    from scipy.stats import ttest_1samp

    differences = np.random.default_rng(0).normal(0.1, 0.3, 40)
    statistic = ttest_1samp(differences, 0).statistic
    assert effect_size(differences) == pytest.approx(statistic / math.sqrt(40))
    assert effect_size(-differences) == -effect_size(differences)


@pytest.mark.parametrize(
    ("differences", "d"),
    [([0.0] * 5, 0.0), ([0.1] * 5, math.inf), ([-0.1] * 5, -math.inf), ([0.2], math.inf),
     ([0.3 - 0.2, 0.1], math.inf), ([-0.1, 0.1], 0.0)],
)  # fmt: skip
def test_d_z_without_spread(differences: list[float], d: float) -> None:
    assert effect_size(differences) == d


def test_a_tie_is_a_difference_by_rounding_alone() -> None:
    rounding = 0.1 + 0.2 - 0.3
    assert rounding != 0
    assert wins_ties_losses([0.4, rounding, -rounding, 0.0, -0.1]) == WinsTiesLosses(1, 3, 1)
    assert wins_ties_losses([0.4, 0.02, -0.03], within=0.05) == WinsTiesLosses(1, 2, 0)


@pytest.mark.parametrize("ask", [effect_size, wins_ties_losses])
@pytest.mark.parametrize("differences", [[], [0.1, math.nan]])
def test_what_cannot_be_compared(ask: object, differences: list[float]) -> None:
    with pytest.raises(DataError, match="quer"):
        ask(differences)  # type: ignore[operator]
