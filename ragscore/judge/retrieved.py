"""What a run returned for the queries of some judgments, as far as measures ask.

A run in memory is looked up (:class:`RunInMemory`); one that is joined with the judgments while
its file is read comes as a :class:`~ragscore.judge.joined_run.JoinedRun`. Both give
:class:`Retrieved`, from which :class:`~ragscore.judge.Blocks` makes the grade matrices.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import repeated
from ragscore.dataset import Qrels
from ragscore.dataset.judged_units import JudgedUnits
from ragscore.errors import DataError
from ragscore.judge.lookup import Lookup
from ragscore.judge.of_units import UnitOf
from ragscore.judge.placed import Placed
from ragscore.judge.ties import tie_groups
from ragscore.judge.units_in_place import UnitsInPlace
from ragscore.run import Run

PLACES = 1 << 19
"""Places of passages whose units are looked at together, so that memory does not grow with the
run."""


@dataclass(frozen=True, eq=False)
class Retrieved:
    """What came back for a block of Q queries; places count from 0.

    Attributes:
        returned: int32[Q], how many passages each query got.
        hits: the returned passages that the judgments name; a query is its row in the block.
        ties: the groups of two and more equal scores.
        judgments: int64[h], the judgment of each hit, where needs are shared.
        rows: int32[Q, depth], rows of the passages that came back, -1 pads, by
            :meth:`~ragscore.dataset.Qrels.places`; None if no measure can ask which they are.
        repeats: bool[Q, depth], where cutoffs count passages: those whose unit stands further up.
    """

    returned: NDArray[np.int32]
    hits: Placed
    ties: Placed
    judgments: NDArray[np.int64] | None = None
    rows: NDArray[np.int32] | None = None
    repeats: NDArray[np.bool_] | None = None


class Answers(Protocol):
    """A run, seen from the judgments. The rows are those of the judgments' queries."""

    @property
    def depth(self) -> int:
        """Most passages that any query got."""

    @property
    def duplicates(self) -> int:
        """Passages that came back a second time for a query, and were dropped."""

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which of the queries the run names: bool[all queries of the judgments]."""

    def __len__(self) -> int:
        """How many queries the run names, judged or not."""

    def strangers(self, query_ids: Collection[str]) -> int:
        """How many of these queries the run names and the judgments lack."""

    def returned(self, query_rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """How many passages these queries got: int32[Q]."""

    def retrieved(self, query_rows: NDArray[np.int64], depth: int) -> Retrieved:
        """What these queries got in their first ``depth`` places."""


def numbered_alike(run: Run, qrels: Qrels) -> tuple[Run, Qrels]:
    """A run and judgments over one vocabulary of passages, so that they can be judged."""
    if qrels.vocabulary.starts_with(run.passages):
        return run, qrels
    if qrels.units is not None:
        return run, qrels.onto(run.passages)
    vocabulary = run.passages.extended(qrels.passages)
    return run.onto(vocabulary), qrels.onto(vocabulary)


class RunInMemory:
    """A run and judgments that number their passages alike.

    Raises:
        DataError: they are over different vocabularies.
    """

    def __init__(self, run: Run, qrels: Qrels) -> None:
        if not qrels.vocabulary.starts_with(run.passages):
            raise DataError(
                f"the run '{run.name}' and the judgments number their passages differently",
                instead="Bring both onto one vocabulary first: run.onto(ids), qrels.onto(ids)",
            )
        self.depth = run.depth
        self.duplicates = run.duplicates
        self._run, self._qrels = run, qrels
        self._lookup = Lookup(qrels)

    @cached_property
    def _run_rows(self) -> NDArray[np.int32]:
        """The row in the run of each query of the judgments, -1 if there is none."""
        return self._run.queries.rows_of(self._qrels.queries, np.arange(len(self._qrels.queries)))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which of the queries the run names."""
        return self._run_rows >= 0

    def __len__(self) -> int:
        return len(self._run)

    def strangers(self, query_ids: Collection[str]) -> int:
        """How many of these queries the run names and the judgments lack."""
        run, judged = self._run.queries, self._qrels.queries
        return sum(query_id in run and query_id not in judged for query_id in query_ids)

    def returned(self, query_rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """How many passages these queries got."""
        return _returned(_taken(self._run.rows, self._run_rows[query_rows], -1))

    def retrieved(self, query_rows: NDArray[np.int64], depth: int) -> Retrieved:
        """What these queries got in their first ``depth`` places."""
        units = self._qrels.units
        if units is not None and units.unit.cutoff == "units":
            step = max(1, PLACES // max(self.depth, 1))
            starts = range(0, max(len(query_rows), 1), step)
            parts = [self._first_units(query_rows[at : at + step], depth, units) for at in starts]
            return parts[0] if len(parts) == 1 else _joined(parts, step)
        run, run_rows = self._run, self._run_rows[query_rows]
        rows = _taken(run.rows[:, :depth], run_rows, -1)
        repeats = None
        if units is None:
            row, place, judgment = self._lookup.hits(query_rows, rows)
        else:
            targets = units.rows(rows)
            repeats = repeated(targets)
            row, place, judgment = self._lookup.unit_hits(query_rows, targets, repeats)
        scores = None
        if run.scores is not None and depth > 1:
            scores = _taken(run.scores[:, :depth], run_rows, np.nan)
        hits = Placed(row, place, self._qrels.grades[judgment])
        needed = None if self._qrels.shared_needs is None else judgment
        asks = self._qrels.spans is not None or self._qrels.forbidden is not None
        returned, asked = _returned(rows), rows if asks else None
        return Retrieved(returned, hits, _ties(scores), needed, asked, repeats)

    def _first_units(
        self, query_rows: NDArray[np.int64], depth: int, units: JudgedUnits
    ) -> Retrieved:
        """The first ``depth`` units that these queries got, each where its first passage does."""
        width = 2 * depth
        while True:
            found = self._in_place(query_rows, width, units)
            if width >= self.depth or found.certain >= depth:
                break
            width *= 2
        hits = self._lookup.unit_hits(query_rows, found.targets, found.again)
        row, place, judgment = found.placed(*hits, depth)
        return Retrieved(
            np.minimum(found.returned, np.int32(depth)),
            Placed(row, place, self._qrels.grades[judgment]),
            found.ties(depth),
            None if self._qrels.shared_needs is None else judgment,
            self._qrels.places(found.ranked()[:, :depth]) if self._qrels.forbidden else None,
        )

    def _in_place(
        self, query_rows: NDArray[np.int64], width: int, units: JudgedUnits
    ) -> UnitsInPlace:
        run, run_rows = self._run, self._run_rows[query_rows]
        rows = _taken(run.rows[:, :width], run_rows, -1)
        scores = None
        if run.scores is not None:
            scores = _taken(run.scores[:, :width], run_rows, np.nan)
        return UnitsInPlace(rows, units.rows(rows), scores, UnitOf(units, self._qrels.passages))


def _joined(parts: Sequence[Retrieved], step: int) -> Retrieved:
    """What came back for one block of queries, from parts of ``step`` queries each."""

    def together(column: str) -> Placed:
        placed = [getattr(part, column) for part in parts]
        return Placed(
            np.concatenate([each.query + number * step for number, each in enumerate(placed)]),
            np.concatenate([each.place for each in placed]),
            np.concatenate([each.value for each in placed]),
        )

    rows = [part.rows for part in parts if part.rows is not None]
    judgments = [part.judgments for part in parts if part.judgments is not None]
    return Retrieved(
        np.concatenate([part.returned for part in parts]),
        together("hits"),
        together("ties"),
        np.concatenate(judgments) if judgments else None,
        np.concatenate(rows) if rows else None,
    )


def _ties(scores: NDArray[np.float64] | None) -> Placed:
    """The tie groups: equal neighbours are one, NaN never is."""
    if scores is None:
        return Placed.concatenated([])
    equal = np.zeros(scores.shape, dtype=bool)
    np.equal(scores[:, 1:], scores[:, :-1], out=equal[:, 1:])
    starts, lengths = tie_groups(equal.ravel())
    row, place = np.divmod(starts, max(scores.shape[1], 1))
    return Placed(row, place, lengths)


def _returned(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Passages that each query got: int32[Q]."""
    if rows.size and rows.min() >= 0:
        return np.full(len(rows), rows.shape[1], dtype=np.int32)
    returned: NDArray[np.int32] = (rows >= 0).sum(axis=1, dtype=np.int32)
    return returned


def _taken(matrix: NDArray[Any], at: NDArray[np.int32], fill: float) -> NDArray[Any]:
    """The named rows; without copying where they stand together; ``fill`` for a row of -1."""
    if len(at) and at[0] >= 0 and (np.diff(at) == 1).all():
        return matrix[at[0] : at[-1] + 1]
    instead = np.asarray(fill, dtype=matrix.dtype)
    if not len(matrix):
        return np.full((len(at), matrix.shape[1]), instead)
    return np.where(at[:, None] >= 0, matrix[at], instead)
