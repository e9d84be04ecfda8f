"""Anchored: what ``ragscore anchor`` found; ``str`` is what it prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.anchoring.anchored_elements import anchored_elements
from ragscore.anchoring.model import AnchoredEvidence, How, uncertain
from ragscore.described import in_short
from ragscore.elements import Element
from ragscore.elements.show import Shown
from ragscore.records import Record


@dataclass(frozen=True)
class Anchored(Record, Shown):
    """Where the evidence of a dataset stands in its documents."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    ground_truth: str
    """The file of the ground truth."""
    similarity: float
    """The least similarity of a fuzzy match."""
    counts: dict[How, int]
    """How many pieces of evidence were found how."""
    evidence: tuple[AnchoredEvidence, ...]
    """All of it, in the order of the file."""
    allow_differing: bool = False
    """Whether matches that differ in a number or a negation were taken."""
    written: str | None = None
    """The file that was written: the ground truth with the offsets of all that has a certain
    place; null if none was."""

    @property
    def complete(self) -> bool:
        """Whether all evidence has a certain place, or one that differs and was allowed."""
        return not any(self.counts[how] for how in uncertain(self.allow_differing))

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {how}" for how, count in self.counts.items() if count)
        return f"Anchored({in_short(self.ground_truth)}: {counts})"

    def elements(self) -> list[Element]:
        """What ``ragscore anchor`` prints."""
        return list(
            anchored_elements(
                self.evidence,
                self.counts,
                ground_truth=self.ground_truth,
                similarity=self.similarity,
                allow_differing=self.allow_differing,
                written=self.written,
            )
        )


def anchored_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore anchor --format json`` prints."""
    return Anchored.json_schema("ragscore anchor")
