"""SweepFindings: what a sweep found on one dataset, which prints itself; SweepDocument: on all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.elements import Element
from ragscore.elements.show import Shown
from ragscore.records import Record
from ragscore.sweeps.sweep_records import SweptFacts
from ragscore.sweeps.sweep_tables import sweep_elements


@dataclass(frozen=True, repr=False)
class SweepFindings(SweptFacts, Shown):
    """What a sweep found on one dataset."""

    def elements(self) -> list[Element]:
        """What ``ragscore run`` prints of it."""
        return [sweep_elements(self)]


@dataclass(frozen=True)
class SweepDocument(Record):
    """What a sweep found on each dataset; datasets are never pooled."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    datasets: tuple[SweepFindings, ...]
    """One for each dataset."""


def sweep_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of sweep.json."""
    return SweepDocument.json_schema("ragscore sweep")
