"""Corrections of p-values for the number of comparisons in a family.

Holm's holds for any dependence between the tests and is never weaker than Bonferroni's, so it is
the default. Benjamini-Hochberg controls another thing, the expected share of false findings among
the findings, for independent or positively dependent tests.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.errors import ConfigError, DataError, did_you_mean

Correction = Literal["holm", "bonferroni", "bh", "none"]


def adjust(p_values: ArrayLike, method: Correction = "holm") -> NDArray[np.float64]:
    """Adjusted p-values, in the order given: compare each with the level of the whole family.

    Args:
        p_values: float64[m], the raw p-values of one family; may be empty.
        method: ``holm`` (Holm 1979, step-down), ``bonferroni``, ``bh`` (Benjamini & Hochberg
            1995, step-up) or ``none``.

    Returns:
        float64[m], at most 1 and never below the raw p-value; equal p-values stay equal, and the
        order of the p-values is kept. The same figures as statsmodels' ``multipletests``.

    Raises:
        ConfigError: unknown ``method``.
        DataError: a p-value outside [0, 1] or not a number, or an array that is not flat.

    >>> adjust([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    if method not in get_args(Correction):
        raise ConfigError(
            f"unknown correction '{method}'", instead=did_you_mean(method, get_args(Correction))
        )
    raw = np.asarray(p_values, dtype=np.float64)
    if raw.ndim != 1:
        raise DataError(f"p-values of shape {raw.shape}", instead="Give one row per family.")
    if not ((raw >= 0) & (raw <= 1)).all():
        raise DataError("a p-value is outside 0 to 1, or not a number")

    count = len(raw)
    if method == "none":
        return raw.copy()
    if method == "bonferroni":
        return np.minimum(raw * count, 1.0)
    order = np.argsort(raw, kind="stable")
    ranks = np.arange(count)
    if method == "holm":
        ordered = np.maximum.accumulate(raw[order] * (count - ranks))
    else:
        ordered = np.minimum.accumulate((raw[order] * count / (ranks + 1))[::-1])[::-1]
    adjusted = np.empty(count)
    adjusted[order] = np.minimum(ordered, 1.0)
    return adjusted
