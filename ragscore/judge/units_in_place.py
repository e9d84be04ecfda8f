"""Where units stand in rankings of passages whose cutoffs count units, without making rankings of
units: the found ones move up by the passages above them whose unit came before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges, repeated
from ragscore.judge.placed import Placed
from ragscore.judge.ties import tie_groups
from ragscore.run.order import Named, pack_left, put_in_order, text_ranks


@dataclass(frozen=True, eq=False)
class UnitsInPlace:
    """The rankings of Q queries, of which the first passage of each unit counts.

    Attributes:
        passages: int32[Q, depth], rows of the passages, -1 pads at the end.
        targets: int32[Q, depth], their units, -1 if there is none.
        scores: float64[Q, depth]; None if there are none.
        names: the id of each passage's unit, by the row of the passage.
    """

    passages: NDArray[np.int32]
    targets: NDArray[np.int32]
    scores: NDArray[np.float64] | None
    names: Named

    @property
    def depth(self) -> int:
        """Places of each query."""
        return int(self.passages.shape[1])

    @cached_property
    def again(self) -> NDArray[np.bool_]:
        """Places whose unit stands further up: bool[Q, depth]."""
        return repeated(self.targets)

    @cached_property
    def _bytes(self) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """:attr:`again` by bits, and how many are set before each byte."""
        bits = np.packbits(self.again.reshape(-1), bitorder="little")
        before = np.zeros(len(bits) + 1, dtype=np.int32)
        np.cumsum(np.bitwise_count(bits), out=before[1:])
        return np.append(bits, np.uint8(0)), before

    def _above(self, at: NDArray[np.int64]) -> NDArray[np.int32]:
        """How many of :attr:`again` stand before flat places, of all queries together."""
        bits, before = self._bytes
        byte = at >> 3
        lower = bits[byte] & ((1 << (at & 7)) - 1).astype(np.uint8)
        above: NDArray[np.int32] = before[byte] + np.bitwise_count(lower)
        return above

    @cached_property
    def returned(self) -> NDArray[np.int32]:
        """How many units, and passages without one, each query got: int32[Q]."""
        dropped = np.diff(self._above(np.arange(len(self.passages) + 1) * self.depth))
        got = np.full(len(self.passages), self.depth, dtype=np.int32)
        if self.passages.size and int(self.passages.min()) < 0:
            got = np.count_nonzero(self.passages >= 0, axis=1).astype(np.int32)
        returned: NDArray[np.int32] = got - dropped
        return returned

    @property
    def certain(self) -> int:
        """How many units of every query no passage behind these places can change; what a query
        got that has places left is certain."""
        if not self.depth:
            return 0
        full = self.passages[:, -1] >= 0
        known = self.returned[full]
        if self.scores is not None:  # the last one may tie with what comes next
            last = self.scores[full, -1:]
            known = known - np.count_nonzero(self.scores[full] == last, axis=1)
        return int(known.min(initial=np.iinfo(np.int32).max))

    def ranked(self) -> NDArray[np.int32]:
        """The first passage of each unit alone: int32[Q, depth], -1 pads at the end."""
        rows, scores = pack_left(np.where(self.again, np.int32(-1), self.passages), self.scores)
        return rows if scores is None else put_in_order(self.names, rows, scores)[0]

    def _place(self, at: NDArray[np.int64]) -> NDArray[np.int64]:
        """The places, from 0, among units of flat places among passages: int64[n]."""
        first = at // max(self.depth, 1) * self.depth
        return at - first - (self._above(at) - self._above(first))

    @cached_property
    def _groups(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Of each group of equal scores with two units or more: where it begins, flat, how many
        passages it has, and how many units."""
        if self.scores is None or self.depth < 2:
            none = np.empty(0, dtype=np.int64)
            return none, none, none
        equal = np.zeros(self.scores.shape, dtype=bool)
        np.equal(self.scores[:, 1:], self.scores[:, :-1], out=equal[:, 1:])
        starts, lengths = tie_groups(equal.reshape(-1))
        kept = lengths - (self._above(starts + lengths) - self._above(starts))
        several = kept > 1
        return starts[several], lengths[several], kept[several]

    def ties(self, depth: int) -> Placed:
        """The groups of equal scores among the first units."""
        starts, _, kept = self._groups
        place = self._place(starts)
        kept = np.minimum(kept, depth - place)
        within = kept > 1
        row = starts[within] // max(self.depth, 1)
        return Placed(row, place[within], kept[within])

    def placed(
        self,
        row: NDArray[np.int64],
        place: NDArray[np.int64],
        judgment: NDArray[np.int64],
        depth: int,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Hits at their places among the first units: equal scores are ordered by the ids of
        units, as text, descending.

        Args:
            row, place, judgment: of each hit, by row and place; each the first of its unit.
            depth: how many units are looked at.
        """
        at = row * self.depth + place
        place = self._place(at)
        if self._reorder(at, place):
            order = np.lexsort((place, row))
            row, place, judgment = row[order], place[order], judgment[order]
        if self.depth > depth:
            within = np.flatnonzero(place < depth)
            row, place, judgment = row[within], place[within], judgment[within]
        return row, place, judgment

    def _reorder(self, at: NDArray[np.int64], place: NDArray[np.int64]) -> bool:
        """Change the places among units where scores are equal; whether there are any."""
        starts, lengths, _ = self._groups
        if not len(starts) or not len(at):
            return False
        group = np.searchsorted(starts, at, side="right") - 1
        tied = (group >= 0) & (at < starts[group] + lengths[group])
        asked, number = np.unique(group[tied], return_inverse=True)
        if not len(asked):
            return False
        members = ranges(starts[asked], lengths[asked])
        of = np.repeat(np.arange(len(asked)), lengths[asked])
        kept = ~self.again.reshape(-1)[members]
        members, of = members[kept], of[kept]
        rank = text_ranks(self.names, self.passages.reshape(-1)[members])
        order = np.lexsort((-rank, of))
        before = np.searchsorted(of, np.arange(len(asked)))
        within = np.empty(len(members), dtype=np.int64)
        within[order] = np.arange(len(members)) - before[of]
        first = self._place(starts[asked])
        place[tied] = first[number] + within[np.searchsorted(members, at[tied])]
        return True
