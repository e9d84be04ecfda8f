"""Runs where judgments name units, such as documents: which passage stands for each, and runs of
units themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import distinct, repeated
from ragscore.dataset import Qrels
from ragscore.dataset.ids import Ids
from ragscore.dataset.judged_units import JudgedUnits
from ragscore.run import Run, on_one_vocabulary
from ragscore.run.order import pack_left, put_in_order

BLOCK = 1 << 16
"""Places that are looked at in one go: few enough for a processor's cache."""


def of_units(run: Run, qrels: Qrels) -> Run:
    """The first passage of each unit alone, where cutoffs count units: equal scores are ordered by
    the ids of the units, as they are in a run of units. Otherwise the run itself. It has as many
    places as before, empty ones at the end.

    Args:
        run: over the passages of the judgments' units, or the beginning of these.
        qrels: the judgments.
    """
    units = qrels.units
    if units is None or units.unit.cutoff == "passages" or not run.rows.size:
        return run
    again = np.zeros(run.rows.shape, dtype=bool)
    step = max(1, BLOCK // run.depth)
    for start in range(0, len(run), step):
        again[start : start + step] = repeated(units.rows(run.rows[start : start + step]))
    rows, scores = run.rows, run.scores
    if again.any():
        rows, scores = pack_left(np.where(again, np.int32(-1), rows), scores)
    if scores is not None:
        rows, scores = put_in_order(UnitOf(units, qrels.passages), rows, scores)
    return run if rows is run.rows else replace(run, rows=rows, scores=scores)


def in_units(runs: Mapping[str, Run], qrels: Qrels) -> tuple[dict[str, Run], Qrels]:
    """Runs of units, and the judgments of these as if they were passages; where judgments name
    passages, runs and judgments over one vocabulary. What belongs to no unit, and where cutoffs
    count passages one whose unit stands further up, stays a passage, which nobody judged. What is
    forbidden is left out.

    Args:
        runs: over any passages.
        qrels: the judgments.
    """
    placed, vocabulary = on_one_vocabulary(runs, qrels.vocabulary)
    qrels = qrels.onto(vocabulary)
    if (units := qrels.units) is None:
        return placed, qrels
    changed: dict[str, Run] = {}
    for name, run in placed.items():
        run = of_units(run, qrels)
        rows = units.rows(run.rows)
        apart = (run.rows >= 0) & ((rows < 0) | repeated(rows))
        rows = np.where(apart, run.rows + np.int32(len(qrels.passages)), rows)
        changed[name] = replace(run, rows=rows)
    apart_rows = [run.rows[run.rows >= len(qrels.passages)] for run in changed.values()]
    kept = distinct(np.concatenate([np.empty(0, dtype=np.int32), *apart_rows]))
    new_row = np.full(len(qrels.passages) + len(vocabulary) + 1, -1, dtype=np.int32)
    new_row[: len(qrels.passages)] = np.arange(len(qrels.passages))
    new_row[kept] = len(qrels.passages) + np.arange(len(kept))
    taken = set(qrels.passages)
    named = []
    for passage in vocabulary.texts(kept - len(qrels.passages)):
        while passage in taken:
            passage = f"{passage} "
        taken.add(passage)
        named.append(passage)
    named_ids = qrels.passages.extended(named)
    runs_of_units = {
        name: replace(run, passages=named_ids, rows=new_row[run.rows])
        for name, run in changed.items()
    }
    return runs_of_units, replace(qrels, passages=named_ids, units=None, forbidden=None)


def named_units(run: Run, qrels: Qrels) -> Sequence[str]:
    """What a run returned, where judgments name units: their ids, and those of the passages that
    belong to none."""
    assert qrels.units is not None
    of = UnitOf(qrels.units, qrels.passages)
    return list(dict.fromkeys(of.texts(np.arange(len(run.passages)))))


@dataclass(frozen=True)
class UnitOf:
    """The id of the unit of each passage; of one without a unit, its own."""

    units: JudgedUnits
    ids: Ids

    def texts(self, rows: NDArray[np.integer[Any]]) -> list[str]:
        """The ids of some passages' units."""
        units = self.units.of[rows]
        named = self.ids.texts(units) if len(self.ids) else [""] * len(units)
        alone = np.flatnonzero(units < 0)
        for at, passage in zip(alone, self.units.passages.texts(rows[alone]), strict=True):
            named[at] = passage
        return named
