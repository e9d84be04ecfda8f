"""The bias-corrected and accelerated bootstrap (Efron 1987; Efron and Tibshirani 1993, 14.3)."""

from __future__ import annotations

from math import nan

import numpy as np

from ragscore.stats.units import Floats, Units


def accelerations(units: Units) -> Floats:
    """float64[C]: a sixth of the skewness of the leave-one-out means, in closed form."""
    influence = units.residuals() / (units.sizes.sum() - units.sizes)
    influence = influence - influence.mean(axis=1, keepdims=True)
    cubes, squares = (influence**3).sum(axis=1), np.square(influence).sum(axis=1)
    return np.asarray(cubes / (6 * squares**1.5))


def bca_shares(tails: Floats, below: Floats, acceleration: Floats) -> Floats:
    """float64[C, 2]: which shares of the ordered means bound the interval; NaN where the observed
    mean lies outside of all of them, or the acceleration overturns their order.
    """
    from scipy.special import ndtr, ndtri

    bias = ndtri(below)[:, None]
    with np.errstate(invalid="ignore", divide="ignore"):
        shifted = bias + ndtri(tails)
        shrunk = 1 - acceleration[:, None] * shifted
        shares = np.asarray(ndtr(bias + shifted / shrunk))
    shares[~np.isfinite(bias[:, 0]) | (shrunk <= 0).any(axis=1)] = nan
    return shares
