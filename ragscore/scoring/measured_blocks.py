"""One block of judged queries at a time, measured: values, sums over all cutoffs, and counts."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from ragscore.judge import JUDGED, Found, Judged, Ranked, ties_across
from ragscore.measures import Measure
from ragscore.measures.cumulative import Cumulative
from ragscore.scoring.means import CurveSums


@dataclass(frozen=True, eq=False)
class MeasuredBlock:
    """What one block of queries adds: values (and weights, where not all are 1) by measure, and
    counts by rank. ``bounds`` are lows and highs, where they are wanted: float64[2, M, Q]."""

    values: NDArray[np.float64]
    weights: dict[Measure, NDArray[np.float64]]
    curves: dict[str, CurveSums]
    empty: int
    without_relevant: int
    largest_grade: float
    tied: NDArray[np.int64]
    returned: NDArray[np.int64]
    judged: NDArray[np.int64]
    bounds: NDArray[np.float64] | None = None
    shared_needs: bool = False


def measured(
    blocks: Iterable[Callable[[], Ranked]], measure: Callable[[Ranked], MeasuredBlock]
) -> Iterator[MeasuredBlock]:
    """Judge and measure blocks on all cores, in their order. numpy lets go of the interpreter
    while it computes; only a few blocks are under way at once, so that memory stays bounded."""
    workers = os.cpu_count() or 1
    waiting: deque[Future[MeasuredBlock]] = deque()
    work = iter(blocks)
    first = list(islice(work, 2))
    if len(first) == 1:  # not worth a thread
        yield measure(first[0]())
        return
    with ThreadPoolExecutor(workers) as pool:
        for block in chain(first, work):
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
            waiting.append(pool.submit(lambda judge: measure(judge()), block))
        while waiting:
            yield waiting.popleft().result()


def measure_block(block: Ranked, measures: tuple[Measure, ...], recorded: int) -> MeasuredBlock:
    """Every measure off its curve, or off its steps; ``recorded`` is the run's own depth."""
    values = np.empty((len(measures), len(block)))
    weights: dict[Measure, NDArray[np.float64]] = {}
    curves: dict[str, CurveSums] = {}
    families: dict[Measure, list[int]] = {}
    for at, measure in enumerate(measures):
        families.setdefault(measure.family(), []).append(at)
    for family, places in families.items():
        family.check_needs(block)
        if isinstance(block, Found) and _steps(family, block):
            steps = family.steps(block)
            for at in places:
                cutoff = measures[at].within(block.depth).cutoff
                if isinstance(cutoff, int):
                    values[at] = steps.at(cutoff)
                else:
                    values[at] = steps.uncut(max(recorded, 1))
            curves[str(family)] = _all(len(block), *steps.sums())
            continue
        if not family.has_curve:
            whole = family.settled_values(block)
            for at in places:
                values[at] = whole
            continue
        judged = block.dense()
        curve = family.settled_curve(judged)
        weight = family.weights(judged)
        for at in places:
            cutoff = measures[at].within(judged.depth).cutoff
            if isinstance(cutoff, int):
                values[at] = curve[:, cutoff - 1]
                if weight is not None:
                    weights[measures[at]] = weight[:, cutoff - 1]
            else:
                # What other measures widen the block by is no part of an uncut value.
                uncut = family.uncut(judged, curve[:, : max(recorded, 1)])
                values[at] = family.settled(uncut[:, None], judged)[:, 0]
        curves[str(family)] = _sums(curve, weight, may_be_undefined=family.may_be_undefined)
    return MeasuredBlock(
        values=values,
        weights=weights,
        curves=curves,
        empty=int((block.returned == 0).sum()),
        without_relevant=int((block.n_relevant() == 0).sum()),
        largest_grade=float(block.ideal_grades.max(initial=0.0)),
        tied=block.tied if isinstance(block, Found) else ties_across(block, recorded),
        returned=came_back(block.returned, block.depth),
        judged=_judged_by_rank(block),
        shared_needs=block.needs is not None,
    )


def from_found(measure: Measure) -> bool:
    """Whether the returned passages that the judgments name are enough, where no needs are shared:
    ties between the others do not matter then."""
    return isinstance(measure, Cumulative) and measure.stepwise


def _steps(family: Measure, found: Found) -> TypeGuard[Cumulative]:
    """Whether the passages that the judgments name are enough."""
    return (
        isinstance(family, Cumulative)
        and from_found(family)
        and not (found.joint and family.every_rank_if_joint)
    )


def _judged_by_rank(block: Ranked) -> NDArray[np.int64]:
    """Queries whose passage at each rank is judged: int64[depth]."""
    known = block.state == JUDGED
    if isinstance(block, Judged):
        at_rank: NDArray[np.int64] = known.sum(axis=0)
        return at_rank
    return np.bincount(block.place[known.ravel()], minlength=block.depth)


def came_back(returned: NDArray[np.int32], depth: int) -> NDArray[np.int64]:
    """Queries that got a passage at each rank: int64[depth]."""
    below = np.bincount(np.minimum(returned, depth), minlength=depth + 1)
    return len(returned) - np.cumsum(below)[:depth]


def _all(queries: int, sums: NDArray[np.float64], squares: NDArray[np.float64]) -> CurveSums:
    """Sums of a measure that every query has a value of."""
    defined = np.full(len(sums), queries, dtype=np.int64)
    return CurveSums(sums, squares, defined, defined.astype(np.float64))


def _sums(
    curve: NDArray[np.float64], weight: NDArray[np.float64] | None, *, may_be_undefined: bool
) -> CurveSums:
    if may_be_undefined:
        known = ~np.isnan(curve)
        curve = np.where(known, curve, 0.0)
        defined = known.sum(axis=0)
        weight = None if weight is None else np.where(known, weight, 0.0)
    else:
        defined = np.full(curve.shape[1], len(curve), dtype=np.int64)
    squares = np.einsum("ij,ij->j", curve, curve)
    if weight is None:
        return CurveSums(curve.sum(axis=0), squares, defined, defined.astype(np.float64))
    return CurveSums((curve * weight).sum(axis=0), squares, defined, weight.sum(axis=0))
