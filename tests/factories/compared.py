"""What tests of compare() start from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragscore.comparison import CompareOptions
from ragscore.scoring import Scores

QUICK = CompareOptions(resamples=500)


def array(scores: Scores, retriever: str, measure: str = "nDCG@10") -> np.ndarray:
    return np.array(list(scores[retriever].per_query(measure).values()))


def holm(p: Sequence[float]) -> list[float]:
    adjusted, largest = dict.fromkeys(range(len(p)), 0.0), 0.0
    for rank, at in enumerate(sorted(range(len(p)), key=lambda at: p[at])):
        largest = max(largest, (len(p) - rank) * p[at])
        adjusted[at] = min(largest, 1.0)
    return list(adjusted.values())
