"""Anchored: what ``ragscore anchor`` found; ``str`` is what it prints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.blocks import Block, as_text
from ragscore.described import in_short
from ragscore.records import Record
from ragscore.strings import Language

How = Literal["offsets", "exact", "normal", "fuzzy", "ambiguous", "missing", "wrong"]
UNCERTAIN: tuple[How, ...] = ("ambiguous", "missing", "wrong")
"""What has no certain place."""


@dataclass(frozen=True)
class QuotedPlace(Record):
    """A place where a quote stands, or nearly stands."""

    start: int
    """Offset of the first character."""
    end: int
    """Offset behind the last character."""
    text: str
    """What stands there."""
    similarity: float
    """1 - differing characters / characters of the quote, both in normal form."""


@dataclass(frozen=True)
class AnchoredEvidence(Record):
    """One piece of evidence, and where it stands."""

    query: str
    """Id of the query."""
    line: int
    """Line of its row in the file of the ground truth."""
    document: str
    """Id of the document."""
    how: How
    """``offsets``: it has offsets that agree with what stands there. ``exact``: the quote stands
    there once. ``normal``: it does but for white space, quotation marks, dashes, ligatures and
    Unicode's form. ``fuzzy``: nearly, and nowhere else. ``ambiguous``: in several places.
    ``missing``: nowhere. ``wrong``: its document, offsets or quote cannot be right."""
    quote: str | None
    """The quote of the row; null where it has offsets alone."""
    place: QuotedPlace | None
    """Where it stands; null where that is not certain."""
    places: tuple[QuotedPlace, ...] = ()
    """Where it may stand, of an ambiguous one."""
    problem: str | None = None
    """What is wrong, of a wrong one."""


@dataclass(frozen=True)
class Anchored(Record):
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
    written: str | None = None
    """The file that was written: the ground truth with the offsets of all that has a certain
    place; null where none was."""

    @property
    def complete(self) -> bool:
        """Whether all evidence has a certain place."""
        return not any(self.counts[how] for how in UNCERTAIN)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {how}" for how, count in self.counts.items() if count)
        return f"Anchored({in_short(self.ground_truth)}: {counts})"

    def __str__(self) -> str:
        return as_text(self.blocks())

    def blocks(self, language: Language = "en") -> list[Block]:
        """What ``ragscore anchor`` prints."""
        from ragscore.anchoring.anchored_blocks import anchored_blocks

        return list(anchored_blocks(self, language))


def anchored_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore anchor --format json`` prints."""
    return Anchored.json_schema("ragscore anchor")
