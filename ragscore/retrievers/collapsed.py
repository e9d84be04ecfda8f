"""Passages that stand for others: a hit on a child counts for its parent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import repeated
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.dataset.allowed import Allowed
from ragscore.dataset.filter_counts import FilterCounts
from ragscore.dataset.metadata import known_key, sort_of
from ragscore.described import in_short
from ragscore.errors import Problem
from ragscore.progress import Stage
from ragscore.retrievers.base import NO_INPUTS, Index, RestrictedIndex
from ragscore.retrievers.filtered import FilteredIndex
from ragscore.retrievers.index_over import IndexOver
from ragscore.run import QueryFailure, Run
from ragscore.run.order import pack_left

MARGIN = 3
"""How many times as many passages as a collapsed ranking needs on average are fetched at first, so
that few queries are searched again."""


@dataclass(frozen=True, eq=False)
class StandsFor:
    """What each searched passage counts for.

    Attributes:
        rows: int32[n], by row of what is searched: the row of what it counts for, -1 where it is
            not searched.
        passages: ids of what they count for.
    """

    rows: NDArray[np.int32]
    passages: Ids

    @property
    def returnable(self) -> NDArray[np.intp]:
        """Rows of the passages that something counts for, ascending."""
        return np.unique(self.rows[self.rows >= 0]).astype(np.intp)

    @property
    def count(self) -> int:
        """How many passages something counts for."""
        return len(self.returnable)


def parents(corpus: Corpus, key: str) -> StandsFor | Problem:
    """What each passage of a corpus counts for, by a metadata key that names its parent.

    A passage with the key counts for its parent, one without it for itself. A passage that is the
    parent of others is not searched, unless it names itself.

    Returns:
        It, or the problem: no passage has the key, a parent is not in the corpus, or a passage is
        above itself by way of another.
    """
    named = {
        row: metadata[key]
        for row, metadata in corpus.metadata.items()
        if sort_of(metadata.get(key)) is not None
    }
    if not named:
        instead = known_key(key, corpus.metadata)
        return Problem(f"no passage has metadata '{key}'", "collapse", instead)
    rows = np.arange(len(corpus), dtype=np.int32)
    lost = []
    for row, parent in named.items():
        found = corpus.ids.row(parent) if isinstance(parent, str) else -1
        if found < 0:
            lost.append((row, parent))
        rows[row] = found
    if lost:
        row, parent = lost[0]
        more = len(lost) - 1
        others = f" ({more:,} other passages name such parents)" if more else ""
        others = " (1 other passage names such a parent)" if more == 1 else others
        instead = (
            "Add it: the text of a parent is not searched, and may be empty"
            if isinstance(parent, str)
            else "A parent is named by its id, as text"
        )
        return Problem(
            f"passage '{corpus.ids[row]}' has {key} {in_short(parent)}, which is not a passage of "
            f"the corpus{others}",
            "collapse",
            instead,
        )
    if (circle := _circle(rows)) is not None:
        first, parent = corpus.ids[circle], corpus.ids[int(rows[circle])]
        what = f"passage '{first}' has {key} '{parent}', which is below '{first}' itself"
        return Problem(what, "collapse", "A passage at the top has no parent, or its own id")
    given = np.fromiter(named, np.int64, len(named))
    own = np.arange(len(corpus))
    is_parent = np.zeros(len(corpus), dtype=bool)
    is_parent[rows[given]] = True
    itself = np.zeros(len(corpus), dtype=bool)
    itself[given] = rows[given] == own[given]
    rows[is_parent & ~itself] = -1
    return StandsFor(rows, corpus.ids)


def _circle(parent: NDArray[np.int32]) -> int | None:
    """The first row that is above itself by way of another; None if there is none."""
    above = parent
    for _ in range(len(parent).bit_length()):  # 1, 2, 4, ... levels up: in the end, on a circle
        above = above[above]
    found = np.unique(above)
    found = found[parent[found] != found]
    return int(found[0]) if len(found) else None


class CollapsedIndex(IndexOver):
    """Ranks what passages count for, by the best of those that count for it.

    The other index is asked for more passages until the ranking is certain to the depth, or until
    it has no more: the ranking is exact where the other's is, and a deeper one goes on where this
    ends. What has no scores is ranked by its first place.

    Args:
        index: over the passages that are searched.
        stands_for: what each of them counts for.
    """

    def __init__(self, index: Index, stands_for: StandsFor) -> None:
        super().__init__(index)
        self.passages_indexed = stands_for.count
        self._stands_for = stands_for
        self._searched = len(stands_for.rows)
        self._full: set[str] = set()
        self._first_width = MARGIN * self._searched / max(stands_for.count, 1)

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        def fetch(rows: NDArray[np.int64], width: int) -> Run:
            part = _selected(queries, rows)
            runs = {source: run.for_queries(part.ids) for source, run in inputs.items()}
            return self.index.search(part, width, runs)

        return self._collected(queries, depth, fetch)

    def _collected(
        self, queries: Queries, depth: int, fetch: Callable[[NDArray[np.int64], int], Run]
    ) -> Run:
        """Fetch more and more passages, until each query's ranking is certain to the depth."""
        self.index.answered = self.answered
        width = min(max(depth, int(depth * self._first_width)), self._searched)
        open_rows = np.arange(len(queries))
        certain: list[tuple[NDArray[np.int64], Ranking]] = []
        failures: list[QueryFailure] = []
        while True:
            found = fetch(open_rows, width)
            failures += found.failures
            ranking = _collapsed(found, self._stands_for.rows)
            done = (found.returned < width) | (ranking.certain >= depth)
            if width >= self._searched:
                done[:] = True
            certain.append((open_rows[done], ranking.of(done).cut(depth)))
            open_rows = open_rows[~done]
            if not len(open_rows):
                break
            width = min(2 * width, self._searched)
            self.index.answered = Stage()  # these queries were counted
        run = self._run(queries, depth, certain)
        return run.with_failures(failures, leaves_out=found.leaves_out)

    def _run(
        self, queries: Queries, depth: int, certain: list[tuple[NDArray[np.int64], Ranking]]
    ) -> Run:
        shape = len(queries), max(ranking.rows.shape[1] for _, ranking in certain)
        rows, scores = np.full(shape, -1, dtype=np.int32), np.full(shape, np.nan)
        scored = False
        for places, ranking in certain:
            width = ranking.rows.shape[1]
            rows[places, :width] = ranking.rows
            if ranking.scores is not None:
                scored = True
                scores[places, :width] = ranking.scores
        passages = self._stands_for.passages
        kept = scores if scored else None
        run = Run.make(queries.ids, passages, rows, kept, name=self.name).cut(depth)
        full = run.returned == min(depth, self._stands_for.count)
        self._full.difference_update(queries.ids)
        self._full.update(queries.ids.texts(np.flatnonzero(full)))
        return run

    def remembered(self, queries: Queries) -> Any:
        full = [query for query in queries.ids if query in self._full]
        return {"full": full, "index": super().remembered(queries)}

    def recall(self, remembered: Any) -> None:
        self._full.update(map(str, remembered["full"]))
        super().recall(remembered["index"])

    def filter_counts(self, queries: Queries) -> FilterCounts | None:
        counts = self.index.filter_counts(queries)
        if counts is None or not isinstance(self.index, FilteredIndex):
            return counts
        return replace(counts, short=len(self.index.short - self._full))


class RestrictedCollapsedIndex(CollapsedIndex, RestrictedIndex):
    """The same over an index that can search the allowed passages alone."""

    index: RestrictedIndex

    def search_allowed(self, queries: Queries, depth: int, allowed: Allowed | None) -> Run:
        if allowed is None:
            return self.search(queries, depth)
        counts_for = self._stands_for.rows

        def searched(group: int) -> NDArray[np.bool_]:
            return allowed.passages(group)[counts_for] & (counts_for >= 0)

        def fetch(rows: NDArray[np.int64], width: int) -> Run:
            part = Allowed(allowed.group[rows], allowed.count, searched)
            return self.index.search_allowed(_selected(queries, rows), width, part)

        return self._collected(queries, depth, fetch)


@dataclass(frozen=True, eq=False)
class Ranking:
    """What the passages of a run count for, each once.

    Attributes:
        rows: int32[Q, m], by the best passage of each, -1 pads at the end.
        scores: float64[Q, m], NaN at pads; None if the run has none.
        certain: int64[Q], how many of them no passage behind the run's last can overtake.
    """

    rows: NDArray[np.int32]
    scores: NDArray[np.float64] | None
    certain: NDArray[np.int64]

    def of(self, queries: NDArray[np.bool_]) -> Ranking:
        """The ranking of some queries."""
        scores = None if self.scores is None else self.scores[queries]
        return Ranking(self.rows[queries], scores, self.certain[queries])

    def cut(self, depth: int) -> Ranking:
        """The best ``depth``, and what ties with the last of them."""
        if self.rows.shape[1] <= depth:
            return self
        width = depth
        if self.scores is not None:
            tied = self.scores[:, depth:] == self.scores[:, depth - 1 : depth]
            width += int(tied.sum(axis=1).max(initial=0))
        scores = None if self.scores is None else self.scores[:, :width]
        return Ranking(self.rows[:, :width], scores, self.certain)


def _collapsed(run: Run, counts_for: NDArray[np.int32]) -> Ranking:
    rows = np.where(run.rows >= 0, counts_for[run.rows], np.int32(-1))
    rows[repeated(rows)] = -1
    count = np.count_nonzero(rows >= 0, axis=1)
    rows, scores = pack_left(rows, run.scores)
    width = int(count.max(initial=0))
    if run.scores is None or scores is None:
        return Ranking(rows[:, :width], None, count)
    scores = scores[:, :width]
    # The next passage may tie with the last, and count for what has a larger id.
    last = np.nanmin(run.scores, axis=1, initial=np.inf) if run.depth else np.zeros(len(rows))
    return Ranking(rows[:, :width], scores, (scores > last[:, None]).sum(axis=1))


def _selected(queries: Queries, rows: NDArray[np.int64]) -> Queries:
    return queries if len(rows) == len(queries) else queries.select(rows)


def collapsed(index: Index, stands_for: StandsFor) -> CollapsedIndex:
    """An index whose passages count for others."""
    if isinstance(index, RestrictedIndex):
        return RestrictedCollapsedIndex(index, stands_for)
    return CollapsedIndex(index, stands_for)
