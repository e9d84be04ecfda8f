"""Random draws over units, many columns at once: bootstrap means, with the shares of them that
bound a BCa interval (Efron 1987; Efron and Tibshirani 1993, 14.3), and sign flips.

One matrix of draws serves all columns, in chunks of bounded memory. Values are first put on a
grid so coarse (2^-53 of the largest possible sum) that every sum is exact in float64. The order
of adding, the threads of the BLAS and the columns computed beside it then change no digit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.stats.units import Floats, Units

#: Two sums are tied when they differ by no more than this share of the sum of absolute values.
TIED = 1e-11

_CHUNK = 1 << 22  # float64 cells of draws held at once: 32 MiB
_CACHED = 1 << 15  # cells counted at once, so that the counts stay in the processor's cache


@dataclass(frozen=True, slots=True)
class Resampled:
    """Bootstrap means of C columns.

    Attributes:
        means: float64[C, B].
        below: float64[C], the share of them below the observed mean, ties counted half.
    """

    means: Floats
    below: Floats


def resampled_means(units: Units, resamples: int, seed: int) -> Resampled:
    """Means over units drawn with replacement, as many as there are (Efron 1979); with clusters
    the ratio of the drawn totals to the drawn sizes.

    The draws depend on the seed and the number of units alone.
    """
    magnitudes = np.abs(units.totals)
    totals = _on_grid(units.totals, units.count * magnitudes.max(axis=1))
    tied = TIED * magnitudes.sum(axis=1)
    observed = totals.sum(axis=1)
    columns = np.ascontiguousarray(totals.T)
    means = np.empty((len(totals), resamples))
    below = np.zeros(len(totals))
    done = 0
    for counts in _bootstrap_counts(units.count, resamples, seed):
        sums = counts @ columns
        sizes = counts @ units.sizes
        # Equal sizes make the share 1, and the difference of two exact sums is exact.
        surplus = sums - (sizes / units.sizes.sum())[:, None] * observed
        below += (surplus < -tied).sum(axis=0) + 0.5 * (np.abs(surplus) <= tied).sum(axis=0)
        means[:, done : done + len(sums)] = (sums / sizes[:, None]).T
        done += len(sums)
    return Resampled(means, below / resamples)


def accelerations(units: Units) -> Floats:
    """float64[C]: a sixth of the skewness of the leave-one-out means, in closed form."""
    influence = units.residuals() / (units.sizes.sum() - units.sizes)
    influence = influence - influence.mean(axis=1, keepdims=True)
    cubes, squares = (influence**3).sum(axis=1), np.square(influence).sum(axis=1)
    return np.asarray(cubes / (6 * squares**1.5))


def bca_shares(tails: Floats, below: Floats, acceleration: Floats) -> Floats:
    """float64[C, 2]: which shares of the ordered means bound the interval; NaN if the observed
    mean lies outside of all of them, or the acceleration overturns their order.
    """
    from scipy.special import ndtr, ndtri

    bias = ndtri(below)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        shifted = bias + ndtri(tails)
        shrunk = 1 - acceleration[:, None] * shifted
        shares = np.asarray(ndtr(bias + shifted / shrunk))
    shares[~np.isfinite(bias[:, 0]) | (shrunk <= 0).any(axis=1)] = np.nan
    return shares


def at_floor(p: float, resamples: int | None) -> bool:
    """Whether no resample was as far as what was observed, so that p, (0 + 1) / (B + 1), would be
    smaller with more of them; ``resamples``: B, None if none were drawn."""
    return resamples is not None and p * (resamples + 1) < 1.5


def flips_as_far(totals: Floats, resamples: int, seed: int) -> NDArray[np.int64]:
    """int64[C]: how many of ``resamples`` random sign patterns give a sum at least as far from 0 as
    the observed one, ties included.

    Args:
        totals: float64[C, G].
        resamples: how many patterns.
        seed: of the draws.
    """
    magnitude = np.abs(totals).sum(axis=1)
    least = np.abs(_on_grid(totals, magnitude).sum(axis=1)) - TIED * magnitude
    as_far = np.zeros(len(totals), dtype=np.int64)
    for sums in flipped_sums(totals, resamples, seed):
        as_far += (np.abs(sums) >= least).sum(axis=0)
    return as_far


def flipped_sums(totals: Floats, resamples: int, seed: int) -> Iterator[Floats]:
    """Chunks float64[b, C] of the sums of C columns over units, each unit's sign drawn at random.

    The signs depend on the seed and the number of units alone; all columns share them.

    Args:
        totals: float64[C, G].
        resamples: how many patterns.
        seed: of the draws.
    """
    exact = _on_grid(totals, np.abs(totals).sum(axis=1))
    observed = exact.sum(axis=1)
    used = np.flatnonzero((totals != 0).any(axis=0))
    columns = np.ascontiguousarray(exact[:, used].T)
    for kept in _random_bits(totals.shape[1], resamples, seed):
        # Twice the sum of those that keep their sign, less all, is the sum with the signs.
        yield 2.0 * (kept[:, used].astype(np.float64) @ columns) - observed


def share_as_far(values: Floats) -> float:
    """The share of all 2^n sign patterns that give a sum at least as far from 0 as the observed
    one, ties included: Fisher's randomization test (1935), by meeting in the middle.

    Args:
        values: float64[n], not 0; n to about 40, 20 in under a millisecond.
    """
    magnitude = float(np.abs(values).sum())
    exact = _on_grid(values[None], np.array([magnitude]))[0]
    least = abs(float(exact.sum())) - TIED * magnitude
    if least <= 0:
        return 1.0
    half = len(exact) // 2
    left, right = _all_signed_sums(exact[:half]), np.sort(_all_signed_sums(exact[half:]))
    above = len(right) - np.searchsorted(right, least - left, side="left")
    below = np.searchsorted(right, -least - left, side="right")
    return float((above.sum() + below.sum()) / 2.0 ** len(exact))


def _on_grid(values: Floats, bounds: Floats) -> Floats:
    """Values [C, G] rounded so that any sum within ±bounds [C] is exact."""
    _, exponents = np.frexp(bounds)
    shift = 53 - exponents[:, None]
    return np.asarray(np.ldexp(np.rint(np.ldexp(values, shift)), -shift))


def _all_signed_sums(values: Floats) -> Floats:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _chunks(width: int, resamples: int) -> Iterator[int]:
    rows = max(1, _CHUNK // width)
    for done in range(0, resamples, rows):
        yield min(rows, resamples - done)


def _bootstrap_counts(units: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Chunks [rows, units] of how often each unit is drawn; the array is used again."""
    random = np.random.default_rng(seed)
    block = max(1, _CACHED // units)
    counts = np.empty((0, units))
    for rows in _chunks(units, resamples):
        counts = counts[:rows] if rows <= len(counts) else np.empty((rows, units))
        for start in range(0, rows, block):
            here = min(block, rows - start)
            drawn = random.integers(0, units, size=(here, units))
            drawn += np.arange(0, here * units, units)[:, None]
            cells = np.bincount(drawn.ravel(), minlength=here * units)
            counts[start : start + here] = cells.reshape(here, units)
        yield counts


def _random_bits(width: int, resamples: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    """Chunks [rows, width] of zeros and ones."""
    random = np.random.default_rng(seed)
    words = -(-width // 64)
    for rows in _chunks(width, resamples):
        drawn = random.integers(0, 1 << 64, size=(rows, words), dtype=np.uint64)
        octets = drawn.astype("<u8", copy=False).view(np.uint8)
        yield np.unpackbits(octets, axis=1, count=width)
