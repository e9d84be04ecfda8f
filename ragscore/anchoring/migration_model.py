"""What ``ragscore migrate`` says of one judged text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragscore.records import Record

Fate = Literal["mapped", "merged", "repeated", "split", "lost"]


@dataclass(frozen=True)
class NewPlace(Record):
    """A new passage, or characters of a document."""

    id: str
    """Id of the passage or of the document."""
    start: int | None
    """Offset of the first character in the document; null of a passage."""
    end: int | None
    """Offset behind the last one."""
    held: float
    """The share of the old text's characters that stand there."""
    of_new: float
    """The share of the new passage's characters that are the old text's; 1 in a document."""


@dataclass(frozen=True)
class MigratedText(Record):
    """A judged passage or a piece of evidence, and what became of it."""

    id: str
    """Id of the old passage; of evidence, ``DOCUMENT:START-END``."""
    fate: Fate
    """``mapped``: one new passage is the same, or the document holds it once. ``merged``: one new
    passage holds it and more. ``repeated``: several hold all of it. ``split``: several hold
    it together, none alone. ``lost``: too little of it is found, or it has fewer than 12
    characters and stands in several texts, perhaps by chance."""
    relevant: bool
    """Whether any query has it with a grade above 0."""
    queries: int
    """How many queries judge it."""
    held: float
    """The share of its characters that was found anywhere."""
    places: tuple[NewPlace, ...]
    """Where its judgments went; of a lost one, where some of it stands."""
    text: str
    """Its text, of one that was split or lost; else empty."""
