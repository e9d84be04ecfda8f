"""Rank-biased overlap and Jaccard of two rankings, for many queries at once.

Reference: W. Webber, A. Moffat, J. Zobel: A similarity measure for indefinite rankings, ACM TOIS
28(4), 2010. :func:`rank_biased_overlap` is their RBO_ext, equation (32), for lists that may end
at different ranks.

Ties are treated as in their section on ties: passages with one score all stand at the first rank
of their group, and the agreement at rank d is 2 |S and T| / (|S| + |T|) over what stands at rank
d or above. So the order in which a run lists tied passages (by id, in both runs alike) does not
make two rankings look more alike than they are. Behind the end of the shorter list its passages
are taken to agree with the longer one as often as at its end; behind the end of both the
agreement stays. Both are the paper's, and without ties this is equation (32) to the letter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import divide
from ragscore.errors import ConfigError
from ragscore.run import Run

BLOCK = 200_000
"""Places of one run that are compared at a time: what a cache of the processor holds; ten times as
many take half as long again."""
NEGLIGIBLE = 1e-12
"""Ranks whose weights in the rank-biased overlap add up to less are not looked at."""


@dataclass(frozen=True, eq=False)
class Places:
    """Where the passages of a block of Q queries stand in one run.

    Attributes:
        passages: size of the vocabulary.
        keys: int64[n], query * ``passages`` + passage, ascending.
        place: int64[n], its place (from 0).
        start: int64[n], the first place of its tie group.
        returned: int64[Q], how many passages each query got.
        sizes: int64[Q, depth], how many stand at each rank or above, a tie group at its first.
    """

    passages: int
    keys: NDArray[np.int64]
    place: NDArray[np.int64]
    start: NDArray[np.int64]
    returned: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, run: Run, block: slice, depth: int) -> Places:
        """The places of some queries of a run that is no deeper than ``depth``."""
        rows = run.rows[block]
        query, place = np.nonzero(rows >= 0)
        start = run.tie_start[block][query, place].astype(np.int64)
        keys = query * max(len(run.passages), 1) + rows[query, place].astype(np.int64)
        order = np.argsort(keys)
        sizes = np.bincount(query * depth + start, minlength=len(rows) * depth)
        return cls(
            max(len(run.passages), 1),
            keys[order],
            place[order],
            start[order],
            run.returned[block].astype(np.int64),
            np.cumsum(sizes.reshape(len(rows), depth), axis=1),
        )

    def shared(self, other: Places) -> Shared:
        """What this run and another of the same queries, vocabulary and depth both returned."""
        if not len(self.keys) or not len(other.keys):
            here = there = np.empty(0, dtype=np.int64)
        else:
            at = np.minimum(np.searchsorted(self.keys, other.keys), len(self.keys) - 1)
            there = np.flatnonzero(self.keys[at] == other.keys)
            here = at[there]
        return Shared(self, other, here, there)


@dataclass(frozen=True, eq=False)
class Shared:
    """The passages that two runs both returned: int64[n] indices into the places of each."""

    first: Places
    second: Places
    here: NDArray[np.int64]
    there: NDArray[np.int64]

    @property
    def query(self) -> NDArray[np.int64]:
        """The query of each: int64[n]."""
        return self.first.keys[self.here] // self.first.passages

    def count(self, k: int) -> NDArray[np.int64]:
        """How many passages are in the top k of both: int64[Q]."""
        within = (self.first.place[self.here] < k) & (self.second.place[self.there] < k)
        return np.bincount(self.query[within], minlength=len(self.first.returned))


def check_overlap(k: int, p: float) -> None:
    """Check the cutoff of an overlap and the persistence of RBO.

    Raises:
        ConfigError: one of them is out of its range.
    """
    if k < 1:
        raise ConfigError(f"{k} is below 1", where="k", instead="Compare the top 1 or more")
    if not 0 < p < 1:
        raise ConfigError(
            f"{p:g} does not lie between 0 and 1",
            where="p",
            instead="The persistence of RBO is 0.9 as a rule",
        )


def looked_at(k: int, p: float) -> int:
    """How deep two rankings are compared for their top k and their rank-biased overlap.

    >>> looked_at(10, 0.9), looked_at(500, 0.9)
    (263, 500)
    """
    return max(k, math.ceil(math.log(NEGLIGIBLE) / math.log(p)))


def overlap_at(shared: Shared, k: int) -> NDArray[np.float64]:
    """|both| / the longer of the two top k: float64[Q]; 0 if only one returned something, NaN
    where neither did. Of two full top k it is the share of passages that are in both."""
    first, second = shared.first, shared.second
    longer = np.minimum(np.maximum(first.returned, second.returned), k)
    return divide(shared.count(k), longer, np.nan)


def jaccard(shared: Shared, k: int) -> NDArray[np.float64]:
    """|both| / |either| of the passages in the top k, as the runs order them: float64[Q]; NaN
    where neither returned anything."""
    first, second = shared.first, shared.second
    both = shared.count(k)
    either = np.minimum(first.returned, k) + np.minimum(second.returned, k) - both
    return divide(both, either, np.nan)


def rank_biased_overlap(shared: Shared, p: float = 0.9) -> NDArray[np.float64]:
    """Extrapolated rank-biased overlap of two rankings, 0 to 1: float64[Q]; NaN if neither
    returned anything.

    Args:
        shared: the two rankings.
        p: persistence: the chance that a reader goes on from one rank to the next. With 0.9 the
            first ten ranks carry 86 % of the weight.
    """
    first, second = shared.first, shared.second
    n_queries, depth = first.sizes.shape
    if not depth:
        return np.full(n_queries, np.nan)
    start = np.maximum(first.start[shared.here], second.start[shared.there])
    counts = np.bincount(shared.query * depth + start, minlength=n_queries * depth)
    overlap = np.cumsum(counts.reshape(n_queries, depth), axis=1).astype(np.float64)

    ranks = np.arange(1, depth + 1)
    # Behind its end a list is taken to go on: at rank d it holds d passages.
    sizes = np.maximum(first.sizes, ranks) + np.maximum(second.sizes, ranks)
    shorter = np.minimum(first.returned, second.returned)[:, None]
    longer = np.maximum(first.returned, second.returned)[:, None]
    end = np.maximum(shorter, 1) - 1
    at_end = np.take_along_axis(2 * overlap / sizes, end, axis=1) * (shorter > 0)
    agreement = 2 * (overlap + np.maximum(ranks - shorter, 0) * at_end) / sizes
    last = np.take_along_axis(agreement, np.maximum(longer, 1) - 1, axis=1)
    agreement = np.where(ranks <= longer, agreement, last)
    value = (1 - p) * (agreement @ p ** (ranks - 1.0)) + p**depth * last[:, 0]
    return np.where(longer[:, 0] > 0, value, np.nan)


def share_found(run: Run, exact: Run, cutoffs: Iterable[int]) -> dict[int, float]:
    """By cutoff k: how many of the best k of one run are among the best k of another.

    Args:
        run: whose index is approximate.
        exact: the same search without the approximation, over the same queries and vocabulary.
        cutoffs: each 1 or more.

    Returns:
        The mean share over the queries that ``exact`` found anything for; NaN if there are
        none. Which of the passages that tie at rank k count is decided as in every run.

    >>> approximate = Run.from_dict({"q": ["a", "c", "d"]})
    >>> exact = Run.from_dict({"q": ["a", "b", "c"]}).onto(approximate.passages.extended(["b"]))
    >>> share_found(approximate.onto(exact.passages), exact, [1, 2])
    {1: 1.0, 2: 0.5}
    """
    depth = max(run.depth, exact.depth)
    wanted = list(cutoffs)
    sums, queries = dict.fromkeys(wanted, 0.0), 0
    step = max(1, BLOCK // max(depth, 1))
    for start in range(0, len(exact.rows), step):
        block = slice(start, start + step)
        best = Places.of(exact, block, depth)
        shared = best.shared(Places.of(run, block, depth))
        any_found = best.returned > 0
        queries += int(any_found.sum())
        for k in wanted:
            shares = shared.count(k)[any_found] / np.minimum(best.returned, k)[any_found]
            sums[k] += float(shares.sum())
    return {k: total / queries if queries else float("nan") for k, total in sums.items()}
