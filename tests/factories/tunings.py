"""A small run by hand, tuned."""

from __future__ import annotations

from typing import Any

from ragscore import Dataset
from ragscore.models import Passage, Query
from ragscore.run import Run
from ragscore.tuning import TuneOptions, Tuning, tune

WORDS = {"a": 3, "b": 4, "c": 2, "d": 6}
"""Words of each passage."""
JUDGED = {"q1": {"a": 1}, "q2": {"b": 2, "d": 1}, "q3": {"c": 1}, "q4": {"a": 0, "b": 1}}
RETURNED: dict[str, dict[str, float]] = {
    "q1": {"a": 9.0, "b": 5.0, "c": 4.0, "d": 1.0},
    "q2": {"a": 8.0, "b": 7.5, "d": 7.0, "c": 2.0},
    "q3": {"d": 3.0, "b": 2.0, "c": 1.0},
    "q4": {"a": 6.0, "b": 5.9},
    "none": {"a": 0.5, "b": 0.4},
    "also": {"a": 7.5},
}


def harbour() -> Dataset:
    """Four questions with answers, and two that have none."""
    return Dataset.from_rows(
        [Passage(id=name, text=" ".join(["word"] * count)) for name, count in WORDS.items()],
        [
            Query(id=name, text="?", tags=[f"kind:{at % 2}"], answerable=name in JUDGED)
            for at, name in enumerate(RETURNED)
        ],
        JUDGED,
        name="small",
    )


def found(**options: Any) -> Tuning:
    return tune(Run.from_dict(RETURNED, name="bm25"), harbour(), TuneOptions(**options))


def means(tuning: Tuning, name: str) -> list[float]:
    (band,) = (band for measure, band in tuning.curves.items() if str(measure) == name)
    return band.mean.tolist()


def notes_of(tuning: Tuning) -> str:
    return "\n".join(map(str, tuning.notes))
