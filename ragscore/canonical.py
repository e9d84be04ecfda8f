"""Scores of vectors that no order of operations, kernel, batch, thread or processor can change.

A vector is divided by a power of two, so that its norm is at most :data:`LIMIT`, and rounded to
multiples of 2**-26. A product of two such numbers is a multiple of 2**-52, and each partial sum of
an inner product stays below 2 (Cauchy and Schwarz, on any subset of the dimensions): float64 holds
all of them exactly, so any product of matrices gives the same bits. Rounding a vector costs less
than the sums of float32 do: about 3e-8 of the product of the norms at 384 dimensions.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Metric = Literal["cosine", "ip", "l2"]

FORMAT = 1
"""Raise this when scores change, so that runs that were kept before are not found."""
BITS = 26
LIMIT = 1.23
"""Of a norm: at most 1.25, above 1 with room to spare, so that vectors of length 1 stay as they
are, and no multiple of a usual norm by a power of two, since such norms are summed exactly."""
SMALLEST = 2.0**-149
"""Number of float32 above 0, which products of tiny numbers are rounded by."""
DOUBT = 1e-9
"""How near to a power of two the sum of squares in float64 does not tell which side it is on."""
CHUNK = 1 << 17
"""Numbers that are worked on at a time: they stay in the cache of a core."""

Floats = NDArray[np.floating[Any]]


def scores(
    asked: NDArray[np.float32], passages: NDArray[np.float32], metric: Metric, *, unit: bool = False
) -> NDArray[np.float32]:
    """How well passages answer queries, higher is better: float32[Q, n].

    Args:
        asked: of the queries, float32[Q, d].
        passages: float32[n, d], compared with each query, or float32[Q, n, d], with their own.
        metric: ``l2`` is the negative squared distance, the others are the inner product.
        unit: all vectors have length 1, or 0, which saves looking.
    """
    with np.errstate(over="ignore"):  # an infinite score is an error of the run that it reaches
        if metric != "l2":
            return products(asked, passages, unit=unit).astype(np.float32)
        if passages.ndim == 2:
            each = [scores(asked[at : at + 1], passages[None], metric) for at in range(len(asked))]
            return np.concatenate([np.empty((0, len(passages)), np.float32), *each])
        apart = passages.astype(np.float64) - asked[:, None, :]
        return (0.0 - square_norms(apart)).astype(np.float32)


def products(asked: Floats, passages: Floats, *, unit: bool = False) -> NDArray[np.float64]:
    """Inner products, each the same bits wherever it is computed: float64[Q, n].

    >>> products(np.float32([[3, 4]]), np.float32([[1, 0], [3, 4]])).tolist()
    [[3.0, 25.0]]
    """
    (one, power), (other, powers) = snapped(asked, unit=unit), snapped(passages, unit=unit)
    found: NDArray[np.float64]
    found = one @ other.T if passages.ndim == 2 else np.vecdot(other, one[:, None, :])
    found = np.ldexp(found, power[:, None] + powers - 2 * BITS)
    found += 0.0  # a zero has no sign
    return found


def square_norms(rows: Floats) -> NDArray[np.float64]:
    """Inner products of rows with themselves: float64[...] of floats [..., d]."""
    values, power = snapped(rows)
    return np.ldexp(np.vecdot(values, values), 2 * (power - BITS))


def norms(rows: Floats) -> NDArray[np.float64]:
    """About the norm of each row, in float64 in any order: float64[n] of floats [n, d]."""
    found: NDArray[np.float64] = np.sqrt(np.einsum("nd,nd->n", rows, rows, dtype=np.float64))
    return found


def normalise(rows: NDArray[np.float32]) -> int:
    """Scale vectors to length 1, in place; those of length 0 stay as they are.

    Args:
        rows: float32[n, d].

    Returns:
        How many have length 0.
    """
    zeros, step = 0, max(1, CHUNK // max(rows.shape[1], 1))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        norms = np.sqrt(square_norms(block))
        zeros += int((norms == 0).sum())
        norms[norms == 0] = 1.0
        np.divide(block, norms[:, None], out=block, casting="same_kind")
    return zeros


def snapped(rows: Floats, *, unit: bool = False) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Whole numbers, and the power of two of each row: times 2**(power - 26) they are the rows.

    Args:
        rows: floats [..., d], finite.
        unit: all have length 1 or 0; their power is 0.
    """
    if unit:  # float32 holds these whole numbers too
        whole = rows * np.float32(2**BITS)
        return np.rint(whole, out=whole).astype(np.float64), np.zeros(rows.shape[:-1], np.int32)
    values = rows.astype(np.float64)
    squares = np.vecdot(values, values)
    fraction, power = np.frexp(np.sqrt(squares) / LIMIT)
    near = (np.abs(fraction - 0.5) < DOUBT) | (fraction > 1 - DOUBT)
    for at in map(tuple, np.argwhere(near)):
        power[at] = math.frexp(math.sqrt(math.fsum(values[at] * values[at])) / LIMIT)[1]
    values *= np.ldexp(1.0, BITS - power)[..., None]
    return np.rint(values, out=values), power


def tolerance(dimension: int, norms: Floats | float, largest: float, metric: Metric) -> Any:
    """How far a score that float32 summed may be from the canonical one.

    A sum of d products in float32, in any order, is off by at most d * 2**-24 of the product of the
    norms, and the canonical one by less than as much again. A distance from squared norms and a
    product is off by twice that of the sum of the squared norms, and by the roundings of its own
    two sums; what is left of the third d is more than the canonical one is off by.

    Args:
        dimension: of the vectors.
        norms: of the queries.
        largest: norm of any passage.
        metric: of the comparison.
    """
    if metric == "l2":
        off = (3 * dimension + 8) * 2.0**-24 * (norms * norms + largest * largest)
    else:
        off = 2 * (dimension + 1) * 2.0**-24 * norms * largest
    return off + (dimension + 8) * SMALLEST
