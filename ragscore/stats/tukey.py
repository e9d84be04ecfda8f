"""All pairs of systems at once: the randomized Tukey HSD test.

Under the hypothesis that all systems are the same, the labels of the systems may be exchanged
within every query. Each permutation exchanges them at random in every query anew and notes the
range of the permuted means, largest minus smallest; a pair's p-value is the share of permutations
whose range is at least the pair's difference. So every pair is held against the best difference
that chance makes among all systems, which keeps the chance of any false finding in the whole
family at alpha, without a further correction.

Sources: Carterette (2012), Multiple Testing in Statistical Analysis of Systems-Based Information
Retrieval Experiments, ACM TOIS 30(1); Sakai (2014), Statistical Reform in Information
Retrieval?, SIGIR Forum 48(1). Like sign flips, this tests that scores are
exchangeable, which is more than equal means.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragscore.errors import ConfigError, DataError
from ragscore.stats.units import SAME, checked_seed, units_of

#: Labels permuted in one step, which bounds the memory.
LABELS_AT_ONCE = 100_000


def randomized_tukey(
    values: ArrayLike,
    *,
    permutations: int = 1_000,
    seed: int = 1234,
    clusters: ArrayLike | None = None,
) -> NDArray[np.float64]:
    """P-value of every pair of systems for every measure, adjusted for the number of pairs.

    Args:
        values: float64[M, S, Q], scores of S systems on Q queries by M measures; float64[S, Q]
            for one measure. Where a measure is NaN for any system, that query is left out of
            that measure, so that the means are over the same queries.
        permutations: B; the smallest p that can come out is 1 / (B + 1).
        seed: of the permutations. One permutation serves all measures.
        clusters: int64[Q], a label per query; the systems' labels are then exchanged in all
            queries of a cluster alike.

    Returns:
        float64[M, S, S], symmetric, 1 on the diagonal: (c + 1) / (B + 1), where c counts the
        permutations whose range of means is at least the difference of the pair's means.

    Raises:
        ConfigError: fewer than one permutation.
        DataError: fewer than two systems, no query, an infinite score, or labels that do not
            fit the queries.
    """
    scores = _checked(values, permutations, seed)
    count, systems, units = scores.shape
    defined = ~np.isnan(scores).any(axis=1, keepdims=True)
    queries = np.maximum(defined.sum(axis=2), 1)
    scores = np.where(defined, scores, 0.0)
    # What all systems share cancels in every difference; without it rounding stays small.
    scores -= scores.mean(axis=1, keepdims=True)
    if clusters is not None:
        # Exchanging labels in a whole cluster exchanges its totals.
        totals = units_of(scores.reshape(count * systems, units), clusters).totals
        scores = totals.reshape(count, systems, -1)
        units = scores.shape[2]

    means = scores.sum(axis=2) / queries
    differences = np.abs(means[:, :, None] - means[:, None, :])
    # Ties count against the difference, those that rounding parts as well.
    reached = differences - SAME * np.abs(scores).max(axis=(1, 2), keepdims=True)

    drawn = label_permutations(units, systems, permutations, seed)
    ranges = np.sort(np.concatenate(list(permuted_ranges(scores, drawn))) / queries[:, 0], axis=0)
    smaller = [np.searchsorted(ranges[:, measure], reached[measure]) for measure in range(count)]
    return (permutations - np.stack(smaller) + 1) / (permutations + 1)


def label_permutations(
    units: int, systems: int, permutations: int, seed: int
) -> Iterator[NDArray[np.int64]]:
    """Draw the permutations in chunks int64[b, units, systems], each row an order of the systems.

    The draws depend on the arguments alone, and the first B of them are the same for every
    larger number of permutations.
    """
    generator = np.random.default_rng(seed)
    chunk = max(1, LABELS_AT_ONCE // (units * systems))
    for start in range(0, permutations, chunk):
        rows = min(chunk, permutations - start) * units
        labels = np.broadcast_to(np.arange(systems), (rows, systems))
        yield generator.permuted(labels, axis=1).reshape(-1, units, systems)


def permuted_ranges(
    scores: NDArray[np.float64], permutations: Iterable[NDArray[np.int64]]
) -> Iterator[NDArray[np.float64]]:
    """Range over the systems of the permuted sums, float64[b, M] for each chunk of permutations.

    Args:
        scores: float64[M, S, U], by measure, system and unit (query or cluster).
        permutations: chunks int64[b, U, S]; the score of system ``p[u, s]`` on unit u is taken
            for system s.
    """
    count, systems, units = scores.shape
    # System beside system of one unit: what a permutation picks from lies together in memory.
    flat = np.ascontiguousarray(scores.transpose(0, 2, 1)).reshape(count, units * systems)
    first = (np.arange(units) * systems)[:, None]
    for chunk in permutations:
        # By units, so that whole rows are added.
        picked = np.ascontiguousarray((chunk + first).transpose(1, 0, 2))
        ranges = np.empty((len(chunk), count))
        for measure in range(count):
            sums = flat[measure].take(picked).sum(axis=0)
            ranges[:, measure] = sums.max(axis=1) - sums.min(axis=1)
        yield ranges


def _checked(values: ArrayLike, permutations: int, seed: int) -> NDArray[np.float64]:
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim == 2:
        scores = scores[None]
    if scores.ndim != 3:
        raise DataError(
            f"scores of shape {scores.shape}",
            instead="Give measures x systems x queries, or systems x queries.",
        )
    if permutations < 1:
        raise ConfigError(f"permutations is {permutations}", instead="It must be 1 or more.")
    checked_seed(seed)
    if scores.shape[1] < 2:
        raise DataError("randomized Tukey compares pairs: it needs at least two systems")
    if scores.shape[2] == 0:
        raise DataError("there is no query to compare on")
    if np.isinf(scores).any():
        raise DataError("a score is infinite")
    return scores
