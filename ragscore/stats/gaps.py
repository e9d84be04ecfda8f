"""Gap tests: is the difference between two retrievers another one inside a slice than outside?

For a slice the test asks whether the per-query difference of two retrievers has the same mean
inside as outside. Its statistic is Welch's t, its p-value the share of random re-assignments of
the queries to the slice with one as large: (c + 1) / (B + 1), two-sided. That is exact where
slice membership says nothing about the difference, and because the statistic is studentized it
holds asymptotically where only the means are equal and the spreads differ (A. Janssen,
Studentized permutation tests for non-i.i.d. hypotheses and the generalized Behrens-Fisher
problem, Statistics & Probability Letters 36, 1997).

With clusters, membership of single queries cannot be re-assigned. Then it is the t of the gap
with the error and the degrees of freedom that means over clusters have (CR2, see
:mod:`ragscore.stats.units`), of a regression on membership: a cluster may reach inside and outside
of the slice (R. Bell and D. McCaffrey, Bias reduction in standard errors for linear regression with
multi-stage samples, Survey Methodology 28, 2002).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import divide
from ragscore.stats.units import by_defined

MIN_UNITS = 10
"""A slice with fewer queries (or clusters) inside or outside is not tested: it could show
nothing, and would make the correction of the others dearer."""

MAX_NUMBERS = 4_000_000
"""Numbers in one block of re-assigned slices."""
MAX_BLOCK = 256
"""Re-assignments in one block: few stay in the processor's cache, which halves the time."""

ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class GapTests:
    """Mean differences inside and outside of slices, and whether they differ.

    Attributes:
        inside, outside: float64[P, S], mean differences; NaN if there is no query.
        n_inside, n_outside: int64[P, S], queries.
        p: float64[P, S]; NaN if a slice was too small to be tested.
        permutations: how many re-assignments p comes from; None if it is that of a t.
    """

    inside: NDArray[np.float64]
    outside: NDArray[np.float64]
    n_inside: NDArray[np.int64]
    n_outside: NDArray[np.int64]
    p: NDArray[np.float64]
    permutations: int | None


def gap_tests(
    differences: NDArray[np.float64],
    slices: NDArray[np.bool_],
    *,
    clusters: NDArray[np.int64] | None = None,
    permutations: int = 10_000,
    seed: int = 1234,
) -> GapTests:
    """Test every slice for every pair of retrievers.

    Args:
        differences: float64[P, Q], per-query differences of P pairs; NaN if undefined, and
            then the query is left out for that pair.
        slices: bool[S, Q], the queries of each slice.
        clusters: int64[Q], which queries belong together.
        permutations: how many re-assignments; the same for all pairs and slices.
        seed: of the re-assignments.
    """
    shape = (len(differences), len(slices))
    inside, outside, p = (np.full(shape, np.nan) for _ in range(3))
    n_inside, n_outside = (np.zeros(shape, dtype=np.int64) for _ in range(2))
    for known, pairs in by_defined(differences):
        values, members = differences[pairs][:, known], slices[:, known]
        group = None if clusters is None else clusters[known]
        ins = members.sum(axis=1)
        outs = members.shape[1] - ins
        place = np.ix_(pairs, np.arange(len(slices)))
        n_inside[place], n_outside[place] = ins, outs
        weights = members.astype(np.float64).T
        sums = values @ weights
        rest = values.sum(axis=1)[:, None] - sums
        inside[place] = divide(sums, ins, np.nan)
        outside[place] = divide(rest, outs, np.nan)
        units = np.array([_units(member, group) for member in members]).reshape(-1, 2)
        tested = np.flatnonzero(units.min(axis=1, initial=len(known)) >= MIN_UNITS)
        if not len(tested):
            continue
        if group is None:
            found = _permuted(values, members[tested], permutations, seed)
        else:
            found = np.column_stack([_clustered(values, members[at], group) for at in tested])
        p[np.ix_(pairs, tested)] = found
    drawn = permutations if clusters is None else None
    return GapTests(inside, outside, n_inside, n_outside, p, drawn)


def _units(member: NDArray[np.bool_], clusters: NDArray[np.int64] | None) -> tuple[int, int]:
    """How many queries, or clusters, reach inside and outside."""
    if clusters is None:
        return int(member.sum()), int((~member).sum())
    return len(np.unique(clusters[member])), len(np.unique(clusters[~member]))


def _permuted(
    values: NDArray[np.float64], members: NDArray[np.bool_], permutations: int, seed: int
) -> NDArray[np.float64]:
    """p-values of P pairs and S slices by re-assigning queries to slices: float64[P, S]."""
    n_queries = values.shape[1]
    centred = values - values.mean(axis=1, keepdims=True)
    moments = np.concatenate([centred, centred**2])
    totals = moments.sum(axis=1)
    n_inside = members.sum(axis=1).astype(np.float64)
    inside = members.astype(np.float64) @ moments.T
    observed = _welch(inside[..., None], totals, n_inside, n_queries)
    reached = np.zeros(observed.shape[:2], dtype=np.int64)
    rng = np.random.default_rng(seed)
    # Queries that are in the same slices are alike: what is drawn is the order of these kinds.
    kinds, kind_of = np.unique(members, axis=1, return_inverse=True)
    kind_of = kind_of.ravel().astype(np.min_scalar_type(kinds.shape[1]))
    in_slice = kinds.astype(np.float64)
    step = min(MAX_BLOCK, max(1, MAX_NUMBERS // (len(members) * n_queries)))
    for start in range(0, permutations, step):
        count = min(step, permutations - start)
        drawn = rng.permuted(np.tile(kind_of, (count, 1)), axis=1)
        sums = np.stack([moments @ kind[drawn].T for kind in in_slice])
        t = _welch(sums, totals, n_inside, n_queries)
        reached += (t >= observed * (1 - ROUNDING)).sum(axis=-1)
    return (reached.T + 1) / (permutations + 1)


def _welch(
    sums: NDArray[np.float64],
    totals: NDArray[np.float64],
    n_inside: NDArray[np.float64],
    n_queries: int,
) -> NDArray[np.float64]:
    """Welch's t squared: float64[S, P, B].

    Args:
        sums: float64[S, 2 P, B], over each slice: of the values, then of their squares. The
            longest axis is the last one, along which numpy is quick.
        totals: float64[2 P], the same over all queries.
        n_inside: float64[S].
    """
    half, n_in = len(totals) // 2, n_inside[:, None, None]
    means, spreads = [], []
    rest = totals[:, None] - sums
    for part, n in ((sums, n_in), (rest, n_queries - n_in)):
        mean = part[:, :half] / n
        means.append(mean)
        spreads.append(np.maximum(part[:, half:] / n - mean**2, 0.0) / (n - 1))
    # A spread that rounding alone makes is none.
    scale = totals[half:, None] / n_queries
    spread = spreads[0] + spreads[1]
    spread[spread <= ROUNDING * scale] = 0.0
    gap = (means[0] - means[1]) ** 2
    gap[gap <= ROUNDING**2 * scale] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(gap > 0, gap / spread, 0.0)


def _clustered(
    values: NDArray[np.float64], member: NDArray[np.bool_], clusters: NDArray[np.int64]
) -> NDArray[np.float64]:
    """p-values of P pairs for one slice by t with the CR2 error: float64[P]."""
    from scipy.special import stdtr

    _, cluster = np.unique(clusters, return_inverse=True)
    count = int(cluster.max()) + 1
    gap, errors, sizes = np.zeros(len(values)), np.zeros((len(values), count)), []
    for side, sign in ((member, 1.0), (~member, -1.0)):
        n = int(side.sum())
        means = values[:, side].mean(axis=1, keepdims=True)
        size = np.bincount(cluster[side], minlength=count).astype(np.float64)
        residuals = np.array(
            [np.bincount(cluster[side], row, count) for row in values[:, side] - means]
        )
        # Each cluster's residual over the root of 1 minus its share of the side.
        errors += sign * residuals / (n * np.sqrt(1 - size / n))
        gap += sign * means[:, 0]
        sizes.append(size)
    error = np.sqrt(np.square(errors).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(np.abs(gap) > ROUNDING * np.abs(values).max(), np.abs(gap) / error, 0.0)
    p: NDArray[np.float64] = 2 * stdtr(_degrees(*sizes), -t)
    return p


def _degrees(inside: NDArray[np.float64], outside: NDArray[np.float64]) -> float:
    """Degrees of freedom of that t, for queries that are independent (Bell and McCaffrey 2002).

    Args:
        inside, outside: float64[G], how many queries of each cluster are there.
    """
    shares, own = [], np.zeros(len(inside))
    for size in (inside, outside):
        n = size.sum()
        own += size / n**2
        shares.append(size / np.sqrt(n**3 * (1 - size / n)))
    first, second = shares
    pairs = np.square(first @ first) + 2 * np.square(first @ second) + np.square(second @ second)
    pairs -= np.square(first**2 + second**2).sum()
    return float(own.sum() ** 2 / (np.square(own).sum() + pairs))
