"""Migrated: what became of judgments; ``str`` is what ``ragscore migrate`` prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.anchoring.migrated_elements import migrated_elements
from ragscore.anchoring.migration_model import Fate, MigratedText
from ragscore.described import in_short
from ragscore.elements import Element
from ragscore.elements.show import Shown
from ragscore.models import GroundTruth
from ragscore.records import Record


@dataclass(frozen=True)
class Migrated(Record, Shown):
    """What became of the judgments of old passages in new passages or documents."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    old: str
    """The dataset with the judgments."""
    new: str
    """The new passages or documents."""
    into: Literal["passages", "documents"]
    """What the new judgments name: passages, or characters of documents."""
    coverage: float
    """The share of an old passage's characters that has to be found."""
    counts: dict[Fate, int]
    """How many judged passages, and pieces of evidence, have each fate."""
    texts: tuple[MigratedText, ...]
    """All of them."""
    queries: int
    """How many queries have judgments now."""
    lost_needs: tuple[str, ...]
    """Queries with a need that nothing covers any more, once for each such need."""
    dropped: int
    """Judgments that a passage is not relevant which say nothing of any new one."""
    forbidden_dropped: int = 0
    """Forbidden passages of a query that forbid no new one: lost, or the new one is relevant."""
    written: str | None = None
    """The file of ground truth that was written; null if none was."""
    rows: Annotated[tuple[GroundTruth, ...], Field(exclude=True)] = ()

    @property
    def complete(self) -> bool:
        """Whether nothing that is relevant or forbidden was lost."""
        return not self.lost_needs and not self.forbidden_dropped and not self.counts["lost"]

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {fate}" for fate, count in self.counts.items() if count)
        return f"Migrated({in_short(self.old)} to {in_short(self.new)}: {counts})"

    def elements(self) -> list[Element]:
        """What ``ragscore migrate`` prints."""
        return list(
            migrated_elements(
                self.texts,
                self.counts,
                old=self.old,
                new=self.new,
                coverage=self.coverage,
                lost_needs=self.lost_needs,
                dropped=self.dropped,
                forbidden_dropped=self.forbidden_dropped,
                written=self.written,
            )
        )


def migrated_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore migrate --format json`` prints."""
    return Migrated.json_schema("ragscore migrate")
