"""One-sided tests that a gate could go by: the p-values of "the mean is the limit or less"."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import stdtr

from ragscore.stats.drops import REACH
from ragscore.stats.one_sided import ALPHA, one_sided_tests
from tests.simulations.populations import Floats


def student(samples: Floats, limit: float) -> Floats:
    """Student's t, or t with two more where few differ."""
    tests = one_sided_tests(samples, [limit] * len(samples))
    return np.array([one.p_above for one in tests])


def johnson(samples: Floats, limit: float) -> Floats:
    """Johnson's t (1978), corrected for skewness."""
    count = samples.shape[1]
    apart = samples.mean(axis=1) - limit
    spread = samples.std(axis=1, ddof=1)
    spread = np.where(spread > 0, spread, np.inf)
    third = ((samples - samples.mean(axis=1, keepdims=True)) ** 3).mean(axis=1)
    moved = apart + third / (6 * spread**2 * count) + third / (3 * spread**4) * apart**2
    return np.asarray(stdtr(count - 1, -moved * np.sqrt(count) / spread))


def bootstrap_t(samples: Floats, limit: float) -> Floats:
    """The studentized bootstrap (Efron 1979), 200 resamples of each sample."""
    count = samples.shape[1]
    at = np.random.default_rng(47).integers(0, count, (200, count))
    found = np.ones(len(samples))
    for row, sample in enumerate(samples):
        mean, spread = sample.mean(), sample.std()
        if spread > 0:
            drawn = sample[at]
            spreads = drawn.std(axis=1)
            apart = np.where(spreads > 0, drawn.mean(axis=1) - mean, np.inf)
            reached = apart / np.where(spreads > 0, spreads, 1) >= (mean - limit) / spread
            found[row] = (1 + reached.sum()) / (1 + len(at))
    return found


def betting(samples: Floats, limit: float) -> Floats:
    """Capital of a bet against the limit (Waudby-Smith and Ramdas 2024, predictable plug-in)."""
    values, bound = (samples + REACH) / (2 * REACH), (limit + REACH) / (2 * REACH)
    count = values.shape[1]
    before = np.arange(1, count + 1)
    means = (0.5 + values.cumsum(axis=1)) / (before + 1)
    spreads = (0.25 + np.square(values - means).cumsum(axis=1)) / (before + 1)
    known = np.concatenate([np.full((len(values), 1), 0.25), spreads[:, :-1]], axis=1)
    stakes = np.minimum(np.sqrt(2 * np.log(1 / ALPHA) / (count * known)), 0.75 / bound)
    capital = np.log1p(stakes * (values - bound)).cumsum(axis=1).max(axis=1)
    return np.asarray(np.exp(-np.maximum(capital, 0.0)))


def gaffke(samples: Floats, limit: float) -> Floats:
    """That of the gate."""
    tests = one_sided_tests(samples, [limit] * len(samples), reach=REACH)
    return np.array([one.p_above for one in tests])


RIVALS: dict[str, Callable[[Floats, float], Floats]] = {
    "Student's t": student,
    "Johnson's t": johnson,
    "bootstrap-t": bootstrap_t,
    "betting": betting,
    "Gaffke's, the gate's": gaffke,
}
