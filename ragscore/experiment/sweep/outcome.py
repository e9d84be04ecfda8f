"""What one configuration of a sweep scores, and how the cache keeps it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

from ragscore.dataset import Dataset
from ragscore.measures import Measure
from ragscore.records import MaybeNaN, Record
from ragscore.run import Run
from ragscore.scoring import ProfileName, score

OUTCOMES = "sweeps"
"""The cache's kind of entry for what a configuration scores."""


@dataclass(frozen=True)
class Outcome(Record):
    """What one configuration scores."""

    measure: str
    """What is chosen by, as the tables of an experiment name it."""
    values: Mapping[str, MaybeNaN]
    """By query that has one, the value of the measure that is chosen by."""
    means: Mapping[str, MaybeNaN]
    """By measure, as the tables name it."""
    index_bytes: MaybeNaN
    """Of its index and those of what it is built on; NaN if one is unknown."""
    latency_ms: Annotated[MaybeNaN, Field(exclude=True)] = np.nan
    """Of half of the queries, asked one at a time; NaN if nothing was timed."""


@dataclass(frozen=True)
class Scoring:
    """How configurations are scored.

    Attributes:
        chosen_by: the measure to choose by.
        measures: of the experiment.
        profile: the conventions of the scores.
    """

    chosen_by: Measure
    measures: tuple[Measure, ...]
    profile: ProfileName

    @property
    def all(self) -> tuple[Measure, ...]:
        """Each measure once, the one to choose by first."""
        return tuple(dict.fromkeys((self.chosen_by, *self.measures)))


def scored_run(
    run: Run, dataset: Dataset, scoring: Scoring, depth: int, index_bytes: float = np.nan
) -> Outcome:
    """What a run scores, as the experiment scores it."""
    (entry,) = score(run, dataset, scoring.all, profile=scoring.profile, recorded=depth).entries
    chosen = entry.measures.index(entry.resolved.get(scoring.chosen_by, scoring.chosen_by))
    values = dict(zip(entry.query_ids, entry.values[chosen].tolist(), strict=True))
    named = [entry.resolved.get(measure, measure) for measure in scoring.measures]
    means = {str(measure): entry.mean(measure) for measure in named}
    return Outcome(str(entry.measures[chosen]), values, means, index_bytes)


def write_outcome(folder: Path, outcome: Outcome) -> None:
    """Keep it in a folder."""
    (folder / "outcome.json").write_text(json.dumps(outcome.to_dict()), encoding="utf-8")


def read_outcome(folder: Path) -> Outcome:
    """What was kept; it was not timed.

    Raises:
        Exception: any; the entry is damaged.
    """
    return Outcome.from_dict(json.loads((folder / "outcome.json").read_text(encoding="utf-8")))
