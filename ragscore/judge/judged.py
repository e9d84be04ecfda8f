"""Judged: grades in rank order, the waist between runs and measures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.span_truth import SpanTruth
from ragscore.judge.pool import JUDGED, PAD, Pool


@dataclass(frozen=True, eq=False, kw_only=True)
class Judged(Pool):
    """Grades in rank order for one block of Q queries: ``grades`` and ``state`` are [Q, depth].

    Attributes:
        tie_start: int32[Q, depth], first place (from 0) of the tie group of each place.
        forbidden: bool[Q, depth], which places have a passage that must not come back; None if
            nothing is forbidden.
        rows: int32[Q, depth], the rows of the passages, -1 pads; None if no measure can ask.
        spans: where passages and evidence stand in documents; None if nothing says that.
    """

    tie_start: NDArray[np.int32]
    forbidden: NDArray[np.bool_] | None = None
    rows: NDArray[np.int32] | None = None
    spans: SpanTruth | None = None

    def dense(self) -> Judged:
        """The block itself."""
        return self

    @property
    def depth(self) -> int:
        """Number of ranks."""
        return int(self.grades.shape[1])

    @cached_property
    def ranks(self) -> NDArray[np.float64]:
        """The rank (from 1) of each place, the same for all queries: float64[depth]."""
        return np.arange(1, self.depth + 1, dtype=np.float64)

    def condensed(self) -> Judged:
        """The same block without the passages that nobody judged: those below move up. What is
        forbidden stays: somebody said what it is.

        Source: Sakai, Alternatives to Bpref, SIGIR 2007 (condensed lists).
        """
        kept = self.state == JUDGED
        if self.forbidden is not None:
            kept |= self.forbidden
        order = np.argsort(~kept, axis=1, kind="stable")
        count = kept.sum(axis=1, dtype=np.int32)
        places = np.arange(self.depth, dtype=np.int32)
        there = places < count[:, None]

        def moved(column: NDArray[Any], fill: float) -> NDArray[Any]:
            return np.where(there, np.take_along_axis(column, order, axis=1), fill)

        new_place = np.empty(order.shape, dtype=np.int64)
        every = np.broadcast_to(places.astype(np.int64), order.shape)
        np.put_along_axis(new_place, order, every, axis=1)
        flat = (np.arange(len(self))[:, None] * self.depth + new_place).ravel()
        # A tie group now begins at its first passage that is left.
        begins = np.take_along_axis(self.tie_start, order, axis=1)
        fresh = np.ones(begins.shape, dtype=bool)
        fresh[:, 1:] = begins[:, 1:] != begins[:, :-1]
        tie_start = np.maximum.accumulate(np.where(fresh, places, 0), axis=1)
        return replace(
            self,
            grades=moved(self.grades, 0.0),
            state=moved(self.state, PAD).astype(np.int8),
            returned=count,
            tie_start=np.where(there, tie_start, places).astype(np.int32),
            needs=None if self.needs is None else self.needs.moved(flat, self.grades.shape),
            forbidden=None if self.forbidden is None else moved(self.forbidden, 0).astype(bool),
            rows=None if self.rows is None else moved(self.rows, -1).astype(np.int32),
        )
