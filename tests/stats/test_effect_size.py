"""The size of paired differences, in standard deviations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragscore.errors import DataError
from ragscore.stats.difference_intervals import effect_size


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


@pytest.mark.parametrize("differences", [[], [0.1, math.nan]])
def test_what_cannot_be_compared(differences: list[float]) -> None:
    with pytest.raises(DataError, match="quer"):
        effect_size(differences)
