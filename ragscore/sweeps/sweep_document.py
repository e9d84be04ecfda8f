"""SweepDocument: the sweeps of all datasets, and what sweep.json holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from ragscore.records import Record
from ragscore.sweeps.sweep_findings import SweepFindings


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
