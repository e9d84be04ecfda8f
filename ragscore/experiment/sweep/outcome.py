"""What one configuration of a sweep scores, and how the cache keeps it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ragscore.dataset import Dataset
from ragscore.errors import DataError
from ragscore.measures import Measure
from ragscore.run import Run
from ragscore.scoring import ProfileName, score


@dataclass(frozen=True, eq=False)
class Outcome:
    """What one configuration scores.

    Attributes:
        measure: that is chosen by, as the tables of an experiment name it.
        values: by query that has one, the value of the measure that is chosen by.
        means: by measure, as the tables name it.
        index_bytes: of its index and those of what it is built on; NaN where one is unknown.
        latency_ms: of half of the queries, asked one at a time; NaN where nothing was timed.
    """

    measure: str
    values: Mapping[str, float]
    means: Mapping[str, float]
    index_bytes: float
    latency_ms: float = np.nan


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
    np.save(folder / "values.npy", np.array(list(outcome.values.values()), dtype=np.float64))
    meta = {
        "measure": outcome.measure,
        "queries": list(outcome.values),
        "means": {name: _finite(mean) for name, mean in outcome.means.items()},
        "index_bytes": _finite(outcome.index_bytes),
    }
    (folder / "meta.json").write_text(json.dumps(meta), encoding="utf-8")


def read_outcome(folder: Path) -> Outcome:
    """What was kept; it was not timed.

    Raises:
        Exception: any; the entry is damaged.
    """
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    values = np.load(folder / "values.npy", allow_pickle=False).tolist()
    if len(values) != len(meta["queries"]):
        raise DataError("queries and values do not belong together")
    means = {name: _number(mean) for name, mean in meta["means"].items()}
    by_query = dict(zip(meta["queries"], values, strict=True))
    return Outcome(meta["measure"], by_query, means, _number(meta["index_bytes"]))


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _number(value: float | None) -> float:
    return np.nan if value is None else float(value)
