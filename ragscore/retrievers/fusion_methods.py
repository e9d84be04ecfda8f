"""The fusion methods: how several rankings become one.

A method is a function of the inputs' runs (over the same ids, cut to the same depth), their weights
and Fusion's ``k``; it returns each query's passages once, int32[Q, m] with -1 pads at the end, and
their scores, float64[Q, m], NaN at pads. To add one, write it and put it into :data:`METHODS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ragscore.plugins import Catalogue, in_korean
from ragscore.run import Run

Fused = tuple[NDArray[np.int32], NDArray[np.float64]]
"""Passages int32[Q, m] and scores float64[Q, m]."""

FusionMethod = Callable[[Sequence[Run], Sequence[float], int], Fused]


@in_korean("순위의 역수에 가중치를 곱한 합 (RRF; Cormack 외, SIGIR 2009)")
def reciprocal_rank(runs: Sequence[Run], weights: Sequence[float], k: int) -> Fused:
    """The sum of ``weight / (k + rank)`` (RRF; Cormack, Clarke and Büttcher, SIGIR 2009)."""
    gains = [
        np.broadcast_to(
            weight / (k + np.arange(1, run.depth + 1, dtype=np.float64)), run.rows.shape
        )
        for run, weight in zip(runs, weights, strict=True)
    ]
    return summed(np.concatenate([run.rows for run in runs], axis=1), np.concatenate(gains, axis=1))


def summed(rows: NDArray[np.int32], gains: NDArray[np.float64]) -> Fused:
    """Each query's passages once, with the sum of their gains.

    Gains of a passage are added from the smallest, so that equal gains give equal sums to the
    last bit, in whatever order the inputs are.

    Args:
        rows: int32[Q, n], passages, the same one perhaps several times; -1 is no passage.
        gains: float64[Q, n].

    Returns:
        Passages int32[Q, m], -1 pads at the end, and their sums float64[Q, m], NaN at pads.
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
    place = np.arange(len(query)) - np.repeat(np.cumsum(found) - found, found)
    shape = len(rows), int(found.max(initial=0))
    fused, scores = np.full(shape, -1, dtype=np.int32), np.full(shape, np.nan)
    fused[query, place], scores[query, place] = passage, sums
    return fused, scores


METHODS: Catalogue[FusionMethod] = Catalogue(
    "ragscore.fusion_methods",
    "fusion method",
    {"rrf": reciprocal_rank},
    wanted="a function of runs, weights and k",
    fits=lambda name, thing: callable(thing),
)
"""Every fusion method by its name."""
