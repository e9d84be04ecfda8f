"""RankChanges: what ``ragscore changes`` found; ``str`` is what it prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.described import in_short
from ragscore.elements import Element
from ragscore.elements.show import Shown
from ragscore.rank_changes.change_elements import MAX_QUERIES, TopK, change_elements
from ragscore.rank_changes.changed_queries import queries_csv
from ragscore.rank_changes.model import DatasetRankChanges
from ragscore.records import Record


@dataclass(frozen=True)
class RankChanges(Record, Shown):
    """What changed between two results, without a judgment of which is right."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    k: int
    """The cutoff of the top k."""
    p: float
    """Persistence of the rank-biased overlap."""
    before: str
    """The earlier result, as it was named."""
    after: str
    """The later one."""
    datasets: tuple[DatasetRankChanges, ...]
    """One for each dataset of both."""

    def __repr__(self) -> str:
        return f"RankChanges({in_short(self.before)} and {in_short(self.after)}, top {self.k})"

    def elements(self, limit: int | None = MAX_QUERIES) -> list[Element]:
        """What ``ragscore changes`` prints.

        Args:
            limit: how many changed queries of each retriever are listed; None for all.
        """
        top = TopK(self.k, self.p)
        return list(change_elements(self.datasets, top, limit))

    def to_csv(self) -> str:
        """The changed queries of all retrievers, a line each."""
        return queries_csv(self.datasets)


def rank_changes_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore changes --format json`` prints."""
    return RankChanges.json_schema("ragscore changes")
