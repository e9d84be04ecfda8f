"""An index that answers by means of another one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ragscore.dataset import Queries
from ragscore.dataset.filter_counts import FilterCounts
from ragscore.encoders import Truncation
from ragscore.messages import Message
from ragscore.retrievers.base import NO_INPUTS, Index
from ragscore.retrievers.call_times import CallTimes
from ragscore.run import Run
from ragscore.usage import Usage


class IndexOver(Index):
    """Base of what changes the answers of another index, and leaves the rest to it.

    Args:
        index: the other one.
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self.name = index.name
        self.block = index.block
        self.size_bytes = index.size_bytes
        self.passages_indexed = index.passages_indexed
        self.build_cost = index.build_cost
        self.reopened = index.reopened

    def prepare(self, queries: Queries, inputs: Mapping[str, Run] = NO_INPUTS) -> None:
        self.index.prepare(queries, inputs)

    def close(self) -> None:
        self.index.close()

    def truncations(self, queries: Queries) -> tuple[Truncation, ...]:
        return self.index.truncations(queries)

    def usage(self) -> Usage | None:
        return self.index.usage()

    def remembered(self, queries: Queries) -> Any:
        return self.index.remembered(queries)

    def recall(self, remembered: Any) -> None:
        self.index.recall(remembered)

    def forget(self) -> None:
        self.index.forget()

    def returned_texts(self) -> Mapping[str, str]:
        return self.index.returned_texts()

    def notes(self) -> Iterable[Message]:
        return self.index.notes()

    def call_times(self) -> CallTimes | None:
        return self.index.call_times()

    def filter_counts(self, queries: Queries) -> FilterCounts | None:
        return self.index.filter_counts(queries)
