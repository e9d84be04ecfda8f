"""The fusion methods: how several rankings become one.

A method is a function of the inputs' runs (over the same ids, cut to the same depth) and of
:class:`FusionOptions`; it returns each query's passages once, int32[Q, m] with -1 pads at the end,
and their scores, float64[Q, m], NaN at pads. To add one, write it and put it into :data:`METHODS`.

Those that read scores bring each query's scores of an input onto one scale, weigh them and add them
up. What an input did not return gets 0 from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.plugins import Catalogue
from ragscore.run import Run

Scores = NDArray[np.float64]
"""Of a run: float64[Q, depth], NaN if there is no passage."""

Fused = tuple[NDArray[np.int32], NDArray[np.float64]]
"""Passages int32[Q, m] and scores float64[Q, m]."""

MIN_RANGE = 1e-9
"""Ranges and deviations below this one count as this one, so that equal scores become 0, as in
ranx."""


@dataclass(frozen=True)
class FusionOptions:
    """What a fusion sets.

    Attributes:
        weights: of each input.
        k: the constant of reciprocal rank fusion.
        minimums: the lowest score that each input can give; None if unknown.
    """

    weights: tuple[float, ...]
    k: int = 60
    minimums: tuple[float, ...] | None = None


FusionMethod = Callable[[Sequence[Run], FusionOptions], Fused]
M = TypeVar("M", bound=Callable[..., Any])


def reads(*options: str, scores: bool = True, lowest: float | None = None) -> Callable[[M], M]:
    """Decorate a method with what it reads besides rows and weights, and what it gives.

    Args:
        options: of :class:`FusionOptions`; a fusion that sets another one is refused.
        scores: False if the order of the runs is enough.
        lowest: no sum of it is below; None if there is no such number.
    """

    def decorated(method: M) -> M:
        vars(method).update(options=frozenset(options), reads_scores=scores, lowest=lowest)
        return method

    return decorated


@reads("k", scores=False, lowest=0.0)
def reciprocal_rank(runs: Sequence[Run], options: FusionOptions) -> Fused:
    """The sum of ``weight / (k + rank)`` (RRF; Cormack, Clarke and Büttcher, SIGIR 2009)."""
    gains = [
        np.broadcast_to(
            weight / (options.k + np.arange(1, run.depth + 1, dtype=np.float64)), run.rows.shape
        )
        for run, weight in zip(runs, options.weights, strict=True)
    ]
    return summed(_rows(runs), np.concatenate(gains, axis=1))


@reads(lowest=0.0)
def min_max(runs: Sequence[Run], options: FusionOptions) -> Fused:
    """The weighted sum of scores scaled from each query's lowest and highest to 0 and 1."""
    return summed(_rows(runs), _weighed(runs, options, scaled_min_max))


@reads()
def z_score(runs: Sequence[Run], options: FusionOptions) -> Fused:
    """The weighted sum of scores less each query's mean, in standard deviations."""
    return summed(_rows(runs), _weighed(runs, options, _z_score))


@reads("minimums", lowest=0.0)
def theoretical_min_max(runs: Sequence[Run], options: FusionOptions) -> Fused:
    """The weighted sum of scores scaled from the lowest possible and the highest found to 0 and 1.

    Source: Bruch, Gai and Ingber, An Analysis of Fusion Functions for Hybrid Retrieval, TOIS 2023.
    """
    minimums = options.minimums or ()
    gains = [
        weight * _scaled(_scores(run), np.full((len(run), 1), minimum))
        for run, weight, minimum in zip(runs, options.weights, minimums, strict=True)
    ]
    return summed(_rows(runs), np.concatenate(gains, axis=1))


@reads()
def distribution_based(runs: Sequence[Run], options: FusionOptions) -> Fused:
    """The weighted sum of scores scaled from each query's mean ± 3 deviations to 0 and 1 (DBSF).

    Source: Mazzeschi, 2023; the standard deviation is that of a sample, as in Qdrant.
    """
    return summed(_rows(runs), _weighed(runs, options, _three_deviations))


@reads(lowest=0.0)
def comb_mnz(runs: Sequence[Run], options: FusionOptions) -> Fused:
    """The sum of ``min-max``, times the number of inputs that returned the passage (CombMNZ).

    Source: Fox and Shaw, Combination of Multiple Searches, TREC 1993.
    """
    rows, gains = _rows(runs), _weighed(runs, options, scaled_min_max)
    passages, sums = summed(rows, gains)
    _, counts = summed(rows, np.ones(rows.shape))
    return passages, sums * counts


def summed(rows: NDArray[np.int32], gains: NDArray[np.float64]) -> Fused:
    """Each query's passages once, with the sum of their gains.

    Gains of a passage are added from the smallest, so that equal gains give equal sums to the
    last bit, in whatever order the inputs are.

    Args:
        rows: int32[Q, n], passages, the same one perhaps several times; -1 is no passage.
        gains: float64[Q, n].

    Returns:
        Passages int32[Q, m], ascending, -1 pads at the end, and their sums float64[Q, m], NaN at
        pads.
    """
    query, place = np.nonzero(rows >= 0)
    passage, gain = rows[query, place], gains[query, place]
    order = np.lexsort((gain, passage, query))
    query, passage, gain = query[order], passage[order], gain[order]
    first = np.ones(len(query), dtype=bool)
    first[1:] = (query[1:] != query[:-1]) | (passage[1:] != passage[:-1])
    # bincount adds one after the other, in the order given.
    sums = np.bincount(np.cumsum(first) - 1, weights=gain)
    query, passage = query[first], passage[first]
    found = np.bincount(query, minlength=len(rows))
    place = ranges(np.zeros_like(found), found)
    shape = len(rows), int(found.max(initial=0))
    fused, scores = np.full(shape, -1, dtype=np.int32), np.full(shape, np.nan)
    fused[query, place], scores[query, place] = passage, sums
    return fused, scores


def _rows(runs: Sequence[Run]) -> NDArray[np.int32]:
    return np.concatenate([run.rows for run in runs], axis=1)


def _scores(run: Run) -> Scores:
    """A run's scores; a run without passages may have none."""
    return np.full(run.rows.shape, np.nan) if run.scores is None else run.scores


def _weighed(
    runs: Sequence[Run], options: FusionOptions, scale: Callable[[Scores], Scores]
) -> Scores:
    pairs = zip(runs, options.weights, strict=True)
    return np.concatenate([weight * scale(_scores(run)) for run, weight in pairs], axis=1)


def scaled_min_max(scores: Scores) -> Scores:
    """From each query's lowest to 0, from its highest to 1; 0 if all are equal."""
    return _scaled(scores, _low(scores))


def _scaled(scores: Scores, low: Scores) -> Scores:
    """From ``low`` to 0, from each query's highest to 1."""
    scaled: Scores = (scores - low) / np.maximum(_high(scores) - low, MIN_RANGE)
    return scaled


def _low(scores: Scores) -> Scores:
    """The lowest score of each query, float64[Q, 1]; infinite if there is none."""
    low: Scores = np.fmin.reduce(scores, axis=1, keepdims=True, initial=np.inf)
    return low


def _high(scores: Scores) -> Scores:
    high: Scores = np.fmax.reduce(scores, axis=1, keepdims=True, initial=-np.inf)
    return high


def _moments(scores: Scores, less: int) -> tuple[Scores, Scores]:
    """Mean and standard deviation of each query's scores; of n, n - ``less`` are free."""
    there = ~np.isnan(scores)
    count = there.sum(axis=1, keepdims=True)
    mean = np.where(there, scores, 0.0).sum(axis=1, keepdims=True) / np.maximum(count, 1)
    # A mean of equal scores may be rounded; their deviation is 0 all the same.
    mean = np.where(_low(scores) == _high(scores), _high(scores), mean)
    squares = np.where(there, scores - mean, 0.0) ** 2
    return mean, np.sqrt(squares.sum(axis=1, keepdims=True) / np.maximum(count - less, 1))


def _z_score(scores: Scores) -> Scores:
    mean, deviation = _moments(scores, 0)
    scaled: Scores = (scores - mean) / np.maximum(deviation, MIN_RANGE)
    return scaled


def _three_deviations(scores: Scores) -> Scores:
    """A single score and equal ones stand at the mean, which becomes 0.5."""
    mean, deviation = _moments(scores, 1)
    scaled: Scores = (scores - mean) / np.where(deviation > 0, 6 * deviation, 1.0) + 0.5
    return scaled


METHODS: Catalogue[FusionMethod] = Catalogue(
    "ragscore.fusion_methods",
    "fusion method",
    {
        "rrf": reciprocal_rank,
        "min-max": min_max,
        "z-score": z_score,
        "theoretical-min-max": theoretical_min_max,
        "distribution-based": distribution_based,
        "comb-mnz": comb_mnz,
    },
    wanted="a function of runs and options",
    fits=lambda name, thing: callable(thing),
)
"""Every fusion method by its name."""
