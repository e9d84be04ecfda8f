"""Searching only the passages that a filter allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ragscore.dataset import Queries
from ragscore.dataset.filter_counts import FilterCounts
from ragscore.dataset.metadata_filter import MetadataFilter
from ragscore.errors import RetrieverError
from ragscore.retrievers.base import NO_INPUTS, Index, RestrictedIndex
from ragscore.retrievers.index_over import IndexOver
from ragscore.run import Run


class FilteredIndex(IndexOver):
    """Answers with the passages that a filter allows each query.

    Where the other index can restrict its search, only allowed passages are searched. Else it is
    asked for more passages than are wanted, and those that are not allowed are left out.

    Args:
        index: the other one.
        allowing: the filter, over the passages of that index.
        overfetch: how many passages it is asked for where it cannot restrict its search; as many
            as are wanted where these are more.
    """

    def __init__(self, index: Index, allowing: MetadataFilter, overfetch: int) -> None:
        super().__init__(index)
        self._filter = allowing
        self._overfetch = min(overfetch, allowing.size)
        self._fetched = 0
        self.short: set[str] = set()
        """Queries that got less than was asked for, since no more was fetched."""

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        for problem in self._filter.unfit_values(queries):
            raise RetrieverError(problem.what, retriever=self.name, instead=problem.instead)
        allowed = self._filter.allowed(queries)
        self.index.answered = self.answered
        if isinstance(self.index, RestrictedIndex):
            return self.index.search_allowed(queries, depth, allowed)
        self._fetched = min(max(depth, self._overfetch), self._filter.size)
        run = self.index.search(queries, self._fetched, inputs)
        rows, reachable = run.rows.copy(), np.zeros(len(queries), dtype=np.int64)
        for members, passages in allowed:
            part = rows[members]
            rows[members] = np.where((part >= 0) & passages[part], part, np.int32(-1))
            reachable[members] = passages.sum()
        kept = Run.make(queries.ids, run.passages, rows, run.scores, name=self.name).cut(depth)
        went_on = (run.returned == self._fetched) & (self._fetched < self._filter.size)
        short = went_on & (kept.returned < np.minimum(reachable, depth))
        self.short.difference_update(queries.ids)
        self.short.update(queries.ids.texts(np.flatnonzero(short)))
        kept = kept.with_failures(run.failures, leaves_out=run.leaves_out)
        return replace(kept, duplicates=run.duplicates)

    def remembered(self, queries: Queries) -> Any:
        short = [query for query in queries.ids if query in self.short]
        return {"fetched": self._fetched, "short": short, "index": super().remembered(queries)}

    def recall(self, remembered: Any) -> None:
        self._fetched = int(remembered["fetched"])
        self.short.update(map(str, remembered["short"]))
        super().recall(remembered["index"])

    def filter_counts(self, queries: Queries) -> FilterCounts:
        counts = self._filter.counts(queries)
        return replace(counts, fetched=self._fetched, short=len(self.short))
