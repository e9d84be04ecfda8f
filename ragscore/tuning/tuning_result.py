"""Tuning: what was read off one run, and what is recommended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.described import in_short
from ragscore.elements import Element
from ragscore.elements.show import Shown
from ragscore.messages import Message
from ragscore.names import Language
from ragscore.records import Record, json_property
from ragscore.tuning.parts import (
    Reaching,
    Recommended,
    Setting,
)
from ragscore.tuning.sentence import rule as rule_of
from ragscore.tuning.sentence import sentence as sentence_of
from ragscore.tuning.tuned_run import TunedRun
from ragscore.tuning.tuning_tables import tuning_elements


@dataclass(frozen=True)
class Tuning(TunedRun, Shown):
    """One retriever on one dataset, at S settings."""

    def __repr__(self) -> str:
        where = f"{in_short(self.retriever)} on {in_short(self.dataset)}"
        return f"Tuning({where}: {self.queries} queries, {self.thresholds.by}, {self.state})"

    @property
    def language(self) -> Language:
        """That of its options."""
        return self.options.language

    def elements(self) -> list[Element]:
        """What ``ragscore tune`` prints."""
        return list(tuning_elements([self]))

    @property
    def sentence(self) -> Message:
        """What to do, in one sentence."""
        return sentence_of(self)

    @property
    def rule(self) -> Message | None:
        """The rule in words, such as ``smallest k with recall at least 0.8``; None without one."""
        return rule_of(self)

    @json_property
    def recommended(self) -> Recommended:
        """What the rule recommends."""
        return Recommended(
            state=self.state,
            rule=None if self.rule is None else str(self.rule),
            sentence=str(self.sentence),
            by=self.thresholds.by,
            at_edge=self.at_edge,
            **vars(self.at(self.setting)),
        )

    @json_property
    def nearest(self) -> Setting | None:
        """The setting that comes nearest, where the rule's target is not reached."""
        return self.at(self.nearest_setting) if self.state == "not reached" else None

    @json_property
    def reaching(self) -> tuple[Reaching, ...]:
        """For each of a few recalls that is reached, the strictest setting that has it; the
        strictest with the highest recall of all as the last."""
        return tuple(
            Reaching(recall=target, **vars(self.at(place)))
            for target, place in self.reaching_settings()
        )


@dataclass(frozen=True)
class TuningDocument(Record):
    """What ``ragscore tune --format json`` prints."""

    schema_version: Annotated[Literal[2], Field(serialization_alias="schema")] = field(
        default=2, init=False
    )
    """Version of this format."""
    tunings: tuple[Tuning, ...]
    """One for each retriever on each dataset."""


def tuning_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore tune --format json`` prints."""
    return TuningDocument.json_schema("ragscore tuning")
