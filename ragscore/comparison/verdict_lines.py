"""The lines of a verdict: facts and sentences, nothing rounded but the sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.comparison.strings import STRINGS
from ragscore.described import in_short
from ragscore.records import Record, json_property
from ragscore.strings import Language, Sentence

VerdictState = Literal["CHECK DATA", "SAME", "TOO FEW", "SMALL", "CLEAR", "EQUAL", "TIE"]
LineKind = Literal["use", "sure", "open", "but", "chunks", "sample", "same"]


@dataclass(frozen=True)
class LineText(Record):
    """A line of a verdict in one language; numbers rounded."""

    word: str
    """The word before it; for the first line, the state, such as "Tie"."""
    text: str
    """Its sentences."""


@dataclass(frozen=True)
class VerdictLine(Record):
    """One line of a verdict."""

    kind: LineKind
    """What it answers: which retriever to use, what is sure, what is open, what speaks against the
    leader, how much text retrievers of different chunks return, that a sample of the corpus was
    searched, which retrievers are the same."""
    label: Annotated[str, Field(exclude=True)]
    """Key of the word before it in the table of strings."""
    parts: Annotated[tuple[Sentence, ...], Field(exclude=True)]
    """What its sentences are made of."""
    facts: Mapping[str, Any]
    """What the text says, as names and numbers in full precision."""

    @json_property
    def en(self) -> LineText:
        """In English."""
        return LineText(self.word("en"), self.text("en"))

    @json_property
    def ko(self) -> LineText:
        """In Korean."""
        return LineText(self.word("ko"), self.text("ko"))

    def text(self, language: Language) -> str:
        """Its sentences, numbers rounded, without the word before them."""
        return STRINGS.strings(language).sentences(self.parts)

    def word(self, language: Language) -> str:
        """The word before it; for the first line, the state, such as ``Tie``."""
        return STRINGS.strings(language)(self.label)

    def mark(self) -> str:
        """The mark after the word: a full stop after the state, else a colon."""
        return "." if self.kind == "use" else ":"


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
    """All that may be the best, the leader first."""
    language: Annotated[Language, Field(exclude=True)]
    """Language of ``text``."""

    def __repr__(self) -> str:
        return f"Verdict({self.state}: {in_short(self.text)})"

    def printed(self, language: Language) -> list[str]:
        """Each line with its word: ``Tie. hybrid leads with ...``, ``Sure: ...``."""
        return [f"{line.word(language)}{line.mark()} {line.text(language)}" for line in self.lines]

    @property
    def text(self) -> str:
        """All lines, in the language of the options."""
        return "\n".join(self.printed(self.language))

    def __str__(self) -> str:
        return self.text
