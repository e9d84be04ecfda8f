"""One block of judged queries at a time: values, sums over all cutoffs, and counts."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Qrels
from ragscore.judge import JUDGED, PAD, Judged
from ragscore.measures import Measure
from ragscore.run import Run
from ragscore.scoring.scores import Counts, CurveMeans


@dataclass(frozen=True, eq=False)
class CurveSums:
    """Sums over a block's queries at every cutoff; undefined values add nothing."""

    sums: NDArray[np.float64]
    squares: NDArray[np.float64]
    defined: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Block:
    """What one block of queries adds: values by measure, and counts by rank."""

    query_rows: NDArray[np.int64]
    values: NDArray[np.float64]
    curves: dict[str, CurveSums]
    empty: int
    without_relevant: int
    largest_grade: float
    tied: NDArray[np.int64]
    returned: NDArray[np.int64]
    judged: NDArray[np.int64]


def measure_block(judged: Judged, measures: tuple[Measure, ...], recorded: int) -> Block:
    """Every measure off its curve; ``recorded`` is the run's own depth."""
    values = np.empty((len(measures), len(judged)))
    curves: dict[str, CurveSums] = {}
    families: dict[Measure, list[int]] = {}
    for at, measure in enumerate(measures):
        families.setdefault(measure.family(), []).append(at)
    for family, places in families.items():
        curve = family.curve(judged)
        for at in places:
            cutoff = measures[at].cutoff
            if isinstance(cutoff, int):
                values[at] = curve[:, cutoff - 1]
            else:
                values[at] = family.uncut(judged, curve)
        known = ~np.isnan(curve)
        filled = np.where(known, curve, 0.0)
        curves[str(family)] = CurveSums(
            filled.sum(axis=0), np.square(filled).sum(axis=0), known.sum(axis=0)
        )
    # A tie lies across cutoff k where the passage at rank k + 1 began its group at rank k or
    # before. What came after the recorded depth can't be seen: there it is enough that the
    # last passage ties with the one before.
    across = np.zeros(judged.depth + 1, dtype=np.int64)
    tied = (judged.tie_start < np.arange(judged.depth)) & (judged.state != PAD)
    across[:-1] = tied.sum(axis=0)
    if recorded:
        across[recorded] = tied[:, recorded - 1].sum()
    return Block(
        query_rows=judged.query_rows,
        values=values,
        curves=curves,
        empty=int((judged.returned == 0).sum()),
        without_relevant=int((judged.n_relevant() == 0).sum()),
        largest_grade=float(judged.ideal_grades.max(initial=0.0)),
        tied=across,
        returned=(judged.state != PAD).sum(axis=0),
        judged=(judged.state == JUDGED).sum(axis=0),
    )


def curve_means(blocks: list[CurveSums]) -> CurveMeans:
    """One measure's means over all blocks."""
    sums = np.sum([block.sums for block in blocks], axis=0)
    defined = np.sum([block.defined for block in blocks], axis=0)
    mean = np.full(sums.shape, np.nan)
    np.divide(sums, defined, out=mean, where=defined > 0)
    return CurveMeans(mean, np.sum([block.squares for block in blocks], axis=0), defined)


def count(
    run: Run,
    qrels: Qrels,
    blocks: list[Block],
    unanswerable: Collection[str],
    cutoffs: set[int],
) -> Counts:
    """What stands behind the means, from the blocks and from what the run was asked besides."""
    tied = np.sum([block.tied for block in blocks], axis=0)
    returned = np.cumsum(np.sum([block.returned for block in blocks], axis=0))
    judged = np.cumsum(np.sum([block.judged for block in blocks], axis=0))
    averaged = [qrels.queries[int(row)] for block in blocks for row in block.query_rows]
    missing = sum(query_id not in run.queries for query_id in averaged)
    left_out = [query_id for query_id in unanswerable if query_id in qrels.queries]
    answered = run.returned_for(left_out)
    known = set(averaged).union(unanswerable)
    return Counts(
        queries=len(averaged),
        missing=missing,
        empty=sum(block.empty for block in blocks) - missing,
        without_relevant=sum(block.without_relevant for block in blocks),
        unanswerable=len(left_out),
        answered_unanswerable=int((answered > 0).sum()),
        without_judgments=sum(query_id not in known for query_id in run.queries),
        returned=int(returned[-1]) if len(returned) else 0,
        duplicates=run.duplicates,
        largest_grade=max(block.largest_grade for block in blocks),
        tied={cutoff: int(tied[min(cutoff, len(tied) - 1)]) for cutoff in sorted(cutoffs)},
        unjudged={
            cutoff: 1.0 - float(judged[cutoff - 1] / returned[cutoff - 1])
            for cutoff in sorted(cutoffs)
            if 0 < cutoff <= len(returned) and returned[cutoff - 1]
        },
    )
