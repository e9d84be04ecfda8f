"""What very many queries are good for, and that fewer would do."""

from __future__ import annotations

import math

import numpy as np

from ragscore.elements.numbers import count_text, plain_number, rough_text
from ragscore.messages import Message, _
from ragscore.scoring.retriever_scores import RetrieverScores
from ragscore.stats.intervals import mean_intervals

MANY_QUERIES = 200_000
"""Of this many a sample tells as much, but for differences that hardly matter."""
SAMPLE = 20_000
SAMPLE_HALF = 0.007
"""Half the 95 % interval of a mean over the sample, where no value is below 0 or above 1, is at
most this."""


def many_queries_note(entry: RetrieverScores) -> Message | None:
    """How well the first mean is known from very many queries, and how well from a sample; None
    if there are fewer."""
    if entry.counts.queries < MANY_QUERIES:
        return None
    for measure, values in zip(entry.measures, entry.values, strict=True):
        known = values[~np.isnan(values)]
        of_mean = measure.aggregate in ("mean", "mean of defined") and measure not in entry.weights
        if not of_mean or len(known) < MANY_QUERIES:
            continue
        (interval,) = mean_intervals(known[None], method="t")
        if not interval.estimable:
            continue
        half = (interval.high - interval.low) / 2
        of_sample = half * math.sqrt(len(known) / SAMPLE)
        return _(
            "with {count} queries, {measure} is known to ±{half} (95 %); a random {sample} of "
            "them would give ±{of_sample}",
            count=count_text(len(known)),
            measure=measure.label,
            half=rough_text(half),
            sample=count_text(SAMPLE),
            of_sample=rough_text(of_sample),
        )
    return None


def planned_queries_note(queries: int) -> Message | None:
    """The same before anything is searched; None if there are fewer.

    Args:
        queries: how many there are.
    """
    if queries < MANY_QUERIES:
        return None
    return _(
        "there are {count} queries; a random {sample} of them would give the mean of a measure "
        "between 0 and 1 to ±{of_sample} or better (95 %)",
        count=count_text(queries),
        sample=count_text(SAMPLE),
        of_sample=plain_number(SAMPLE_HALF),
    )
