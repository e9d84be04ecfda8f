"""Small random runs and judgments with everything in them that evaluators disagree about."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

Feature = Literal[
    "ties",  # several passages of a query have one score
    "near ties",  # scores that differ as 64-bit floats and not as 32-bit ones
    "negative",  # grades below 0
    "real",  # grades that are no whole numbers
    "missing",  # judged queries that the run lacks
    "extra",  # queries of the run that nobody judged
    "irrelevant",  # queries without any relevant passage
    "short",  # queries with fewer results than the others
    "unjudged",  # returned passages that nobody judged
    "unreturned",  # judged passages that did not come back
    "self",  # a passage that bears the id of its query
]
FEATURES: tuple[Feature, ...] = get_args(Feature)
PASSAGES, RETURNED, JUDGED, QUERIES = 24, 10, 9, 14


@dataclass(frozen=True)
class Inputs:
    """A run ``{query: {passage: score}}`` and judgments ``{query: {passage: grade}}``."""

    run: dict[str, dict[str, float]]
    qrels: dict[str, dict[str, float]]


def make(seed: int, without: Collection[Feature] = ()) -> Inputs:
    """Seeded inputs with every feature but those in ``without``."""
    draw = np.random.default_rng(seed)
    have = set(FEATURES) - set(without)
    whole = "unreturned" not in have
    run: dict[str, dict[str, float]] = {}
    qrels: dict[str, dict[str, float]] = {}
    for number in range(QUERIES):
        query = f"q{number}"
        ids = [f"p{at}" for at in draw.permutation(RETURNED if whole else PASSAGES)]
        if "self" in have and number % 3 == 0:
            ids[1] = query
        judged = RETURNED if whole else JUDGED
        if "unjudged" in have:
            # Half of what is judged comes back, and half of what comes back is judged.
            pool = ids[: RETURNED // 2] + ids[RETURNED : RETURNED + JUDGED - RETURNED // 2]
        else:
            pool = ids[:judged] if whole else ids[: RETURNED + 4]
        grades = draw.choice([0, 0, 1, 1, 2, 3], size=len(pool)).astype(float)
        grades[:2] = 2.0, 0.0
        if "negative" in have and number % 4 == 1:
            grades[-3:] = -1.0
        if "real" in have:
            grades = grades * 0.75
        if number == 5:
            grades = grades * 0.0 if "irrelevant" in have else grades
        qrels[query] = dict(zip(pool, grades.tolist(), strict=True))
        count = 3 if "short" in have and number % 5 == 2 else RETURNED
        listed = [ids[at] for at in draw.permutation(RETURNED)[:count]]
        scores = draw.permutation(100)[:count] / 8 + 0.5
        if "ties" in have and number % 2:
            scores = np.ceil(scores / 4)
        if "near ties" in have and number % 2 == 0:
            scores = np.ceil(scores / 4) + np.arange(count) * 1e-9
        run[query] = dict(zip(listed, scores.tolist(), strict=True))
    if "missing" in have:
        del run["q2"], run["q9"]
    if "extra" in have:
        run["nobody judged"] = {"p0": 1.0}
    return Inputs(run, qrels)
