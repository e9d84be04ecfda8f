"""Which mean may be printed bold, and the order of the retrievers."""

from __future__ import annotations

import math
from collections.abc import Collection

from ragscore.comparison import DatasetComparison
from ragscore.measures import parse_measure
from ragscore.messages import Message, Text, joined
from ragscore.results import DatasetResult


def decided_best(comparison: DatasetComparison | None, measure: str) -> str | None:
    """The retriever that is decided to be better than every other on a measure, if one is."""
    return None if comparison is None else comparison[measure].best


def measure_notes(comparison: DatasetComparison, measures: Collection[str]) -> list[Message]:
    """What a reader must know of the numbers of some measures, once for all that it is true of."""
    labels: dict[Text, list[Text]] = {}
    for measure in comparison.measures:
        if measure.measure in measures:
            for note in measure.notes:
                label = measure.label
                labels.setdefault(note, []).append(label)
    return [joined([joined(named, ", "), note], ": ") for note, named in labels.items()]


def timed_earlier(panel: DatasetResult, retriever: str) -> bool:
    """Whether the times of single queries are those of an earlier run, from the cache."""
    entry = panel.entries.get(retriever)
    return entry is not None and entry.latency is not None and entry.latency.from_cache


def ranked(panel: DatasetResult, measure: str) -> list[str]:
    """The retrievers, the best mean first; those without a value last."""
    means = panel.means[measure]
    sign = -1.0 if lower_is_better(measure) else 1.0

    def place(retriever: str) -> tuple[bool, float]:
        value = means[retriever].value
        return math.isnan(value), 0.0 if math.isnan(value) else -sign * value

    return sorted(panel.retrievers, key=place)


def lower_is_better(measure: str) -> bool:
    """Whether small values of a measure are good."""
    return parse_measure(measure).lowest_is_best
