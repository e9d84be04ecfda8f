"""The verdict of a comparison: which retriever to use, what is sure, what is open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ragscore.comparison.record import ContextSize, Difference
from ragscore.described import in_short
from ragscore.messages import Message, Text, _, joined
from ragscore.records import Record, json_property

VerdictState = Literal[
    "CHECK DATA", "SAME", "MIXED", "LEAKS", "TOO FEW", "SMALL", "CLEAR", "EQUAL", "TIE"
]
LineKind = Literal["use", "leaks", "sure", "open", "but", "chunks", "sample", "same"]
CaveatReason = Literal["failed", "left out", "outage", "language", "cut"]
STATE_WORDS: Mapping[str, Message] = {
    "CHECK DATA": _("Not yet"),
    "SAME": _("Same"),
    "MIXED": _("Not clear"),
    "LEAKS": _("Decided"),
    "TOO FEW": _("Too few differ"),
    "SMALL": _("Small"),
    "CLEAR": _("Clear"),
    "EQUAL": _("Equal"),
    "TIE": _("Tie"),
}
"""What a verdict begins with."""


@dataclass(frozen=True)
class VerdictLine(Record):
    """One line of a verdict."""

    kind: LineKind
    """What it answers: which retriever to use, which returns less of what must not come back, what
    is sure, what is open, what speaks against the leader, how much text retrievers of different
    chunks return, that a sample of the corpus was searched, which retrievers are the same."""
    word: Text
    """The word before it; for the first line, the state, such as "Tie"."""
    parts: tuple[Message, ...]
    """Its sentences as messages, which another language has too; numbers rounded."""
    facts: Mapping[str, Any]
    """What the text says, as names and numbers in full precision."""

    @json_property
    def text(self) -> Text:
        """Its sentences, without the word before them."""
        return joined(self.parts)

    def mark(self) -> str:
        """The mark after the word: a full stop after the state, else a colon."""
        return "." if self.kind == "use" else ":"


@dataclass(frozen=True)
class LeakDifference(Record):
    """Two retrievers on a measure of what must not come back."""

    measure: str
    """The measure as it parses: of those listed the first that decides the pair, else the first on
    which both differ."""
    difference: Difference
    """Its ``retriever`` leaks less; corrected as the verdict's own pair, within this measure."""


@dataclass(frozen=True)
class Caveat(Record):
    """Something about a retriever that may turn the verdict around."""

    reason: CaveatReason
    """Its search failed as a whole; queries that failed are left out, so that its mean is over
    others; queries that failed count as empty; its encoder was trained on English, and the texts
    are in another language; its encoder cut texts."""
    retriever: str
    """Whom it is about."""
    count: int | None = None
    """How many queries failed, or texts were cut."""
    n: int | None = None
    """Of how many."""
    answered: Difference | None = None
    """Where failed queries count as empty: the leader against it on the others."""
    turns: bool = False
    """Whether the verdict on the others is another one."""


@dataclass(frozen=True)
class Verdict(Record):
    """The answer of a comparison: which retriever to use, what is sure, what is open."""

    state: VerdictState
    """The kind of answer: the first that applies."""
    lines: tuple[VerdictLine, ...]
    """In order, the first of kind ``use``; with CHECK DATA it is the only one."""
    leader: str | None
    """The retriever with the best mean on the primary measure; null for CHECK DATA."""
    tied: tuple[str, ...]
    """All that may be the best, the leader first; for LEAKS without those that leak more than
    another, whose mean may be the best."""
    leaks: tuple[LeakDifference, ...]
    """What must not come back: the decided differences, then the open ones of the recommended
    retriever; empty if no such measure was scored, or nothing differs."""
    context: ContextSize | None
    """The context that the verdict is about, where retrievers search different chunks; null if
    all search the same passages, or no context could be compared."""
    caveats: tuple[Caveat, ...]
    """What may turn it around; empty for CHECK DATA."""

    def __repr__(self) -> str:
        return f"Verdict({self.state}: {in_short(str(self.text))})"

    @property
    def text(self) -> Message:
        """Each line with its word: ``Tie. hybrid leads with ...``, ``Sure: ...``."""
        lines = [joined([joined([line.word, line.mark()], ""), line.text]) for line in self.lines]
        return joined(lines, "\n")

    def __str__(self) -> str:
        return str(self.text)
