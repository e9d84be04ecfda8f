"""GateOutcome: what a gate says of a result, which prints itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ragscore.elements import Element
from ragscore.elements.show import Shown
from ragscore.gate.gate_elements import gate_elements
from ragscore.gate.model import GateFacts


@dataclass(frozen=True, repr=False)
class GateOutcome(GateFacts, Shown):
    """What a gate says of a result: PASS, FAIL or UNDECIDED, condition by condition."""

    def elements(self) -> list[Element]:
        """What is printed: the verdict with what fails, then every condition."""
        return [gate_elements(self)]

    def without_texts(self) -> GateOutcome:
        """The same without the errors of retrievers, which may quote a query or a passage."""
        return replace(
            self,
            conditions=tuple(
                replace(each, detail="(--no-texts)") if each.reason == "retriever failed" else each
                for each in self.conditions
            ),
        )

    def __repr__(self) -> str:
        return f"GateOutcome({self.verdict}: {len(self.conditions)} conditions)"


def gate_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of gate.json."""
    return GateOutcome.json_schema("ragscore gate")
