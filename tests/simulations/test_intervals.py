"""Intervals hold the truth as often as they say: 4,000 samples of 50 queries each."""

from __future__ import annotations

import math

import pytest

from tests.simulations import rates, tables
from tests.simulations.populations import mean_of

pytestmark = pytest.mark.slow

ERROR = 2 * math.sqrt(0.93 * 0.07 / rates.SAMPLES)
"""Two standard errors of a simulated coverage near the lower bound."""


def test_wilson_for_shares_from_half_to_95_percent() -> None:
    for p, simulated, exact in tables.shares().rows:
        assert 0.925 <= float(simulated) <= 0.985, p
        assert float(simulated) == pytest.approx(exact, abs=ERROR), p


def test_t_for_differences_that_are_roughly_symmetric() -> None:
    found = {row[0]: (float(row[1]), float(row[3])) for row in tables.differences().rows}
    assert len(found) == len(tables.symmetric())
    for name, (nonzero, coverage) in found.items():
        assert nonzero > 0.295, name
        assert 0.93 <= coverage <= 0.975, name


def test_bca_for_means_shaped_like_ap_and_rr_up_to_95() -> None:
    judged = [(row[0], float(row[1]), float(row[2])) for row in tables.means().rows]
    assert sum(mean <= 0.95 for _, mean, _ in judged) > 10
    for measure, mean, coverage in judged:
        if mean <= 0.95:
            assert 0.925 - ERROR <= coverage <= 0.97, f"{measure} {mean}"


def test_the_highest_mean_of_ap_holds_without_simulation_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Near the bound 4,000 samples cannot say on which side it is; ten times as many can.
    monkeypatch.setattr(rates, "SAMPLES", 40_000)
    highest = mean_of("AP", 5.0)
    assert 0.94 < highest.mean <= 0.95
    assert rates.mean_coverage(highest, "bca", binary=False) >= 0.925
