"""Scores that no run was needed for, and slices of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ragscore.comparison.options import CompareOptions
from ragscore.comparison.query_slices import Slices, sliced
from ragscore.comparison.score_matrix import on_common_queries
from ragscore.dataset import Queries
from ragscore.measures import parse_measures
from ragscore.scoring import RetrieverScores, Scores
from ragscore.scoring.counts import Counts

Values = Mapping[str, Mapping[str, Sequence[float]]]
NAMES = ("nDCG@10", "R@10", "AP@5", "MR@10", "gmAP", "Success@1")


def counts(queries: int, **changes: Any) -> Counts:
    """Of queries that returned ten passages each; nothing else was counted, but for ``changes``."""
    nothing = dict.fromkeys(
        ("missing", "empty", "without_relevant", "unanswerable", "answered_unanswerable",
         "without_judgments", "duplicates"),
        0,
    )  # fmt: skip
    plain = {"queries": queries, "returned": 10 * queries, "largest_grade": 1.0}
    return Counts(**{**nothing, **plain, "tied": {}, "tied_share": {}, "unjudged": {}, **changes})


def entry(
    name: str,
    values: Mapping[str, Sequence[float]],
    *,
    dataset: str = "d",
    ids: Sequence[str] = (),
    **changes: Any,
) -> RetrieverScores:
    """One retriever's scores: measure to a value for each query."""
    measures = parse_measures(list(values))
    table = np.array(list(values.values()), dtype=np.float64)
    queries = list(ids) or [f"q{row}" for row in range(table.shape[1])]
    asked = {measure: measure for measure in measures}
    counted = counts(len(queries), **changes)
    return RetrieverScores(dataset, name, queries, measures, asked, table, {}, counted)


def scored(values: Values, **changes: Any) -> Scores:
    """Scores of several: measure to retriever to a value for each query."""
    retrievers = next(iter(values.values()))
    return Scores(
        tuple(
            entry(name, {measure: of_each[name] for measure, of_each in values.items()}, **changes)
            for name in retrievers
        )
    )


def scores_of(seed: int = 3, queries: int = 60, systems: int = 4) -> Scores:
    """Random scores of retrievers r0, r1, ... by two measures; later ones are better."""
    generator = np.random.default_rng(seed)
    base = generator.random((2, queries)) * 0.6
    entries = []
    for number in range(systems):
        values = base + 0.04 * number + 0.2 * generator.random((2, queries))
        entries.append(entry(f"r{number}", {"nDCG@10": values[0], "R@10": values[1]}))
    return Scores(tuple(entries))


def some_entries(seed: int = 0, queries: int = 40, systems: int = 4) -> tuple[RetrieverScores, ...]:
    """Scores with ties, a binary measure, one that is best when low, and undefined values."""
    generator = np.random.default_rng(seed)
    entries = []
    base = generator.random((len(NAMES), queries))
    for number in range(systems):
        noise = generator.normal(0.02 * number, 0.1, base.shape)
        values = np.clip(
            np.round(base + np.where(generator.random(base.shape) < 0.5, noise, 0), 2), 0, 1
        )
        values[3] = 1 + np.round(9 * values[3])
        values[3][generator.random(queries) < 0.1] = np.nan
        values[5] = values[5] > 0.5
        entries.append(entry(f"r{number}", dict(zip(NAMES, values, strict=True))))
    return tuple(entries)


def slices_of(
    scores: Scores,
    queries: Queries,
    by: Sequence[str],
    options: CompareOptions,
    clusters: Mapping[str, str] | None = None,
) -> tuple[Slices, ...]:
    """The slices of scores on one dataset, by the baseline of the options."""
    common = on_common_queries(scores.datasets[0], scores.entries, clusters=clusters)
    chosen = options.model_copy(update={"slices": tuple(by)})
    (found,) = sliced(common, queries, chosen).values()
    return found


def rounded_slices(found: Slices) -> str:
    """The text of slices, gaps rounded to twelve digits and without a sign of zero."""
    measures = [measure for one in found.slices for measure in one.measures]
    gaps = [gap for measure in measures for gap in measure.gaps]
    numbers = [[gap.inside, gap.outside, gap.value, gap.p, gap.p_adjusted] for gap in gaps]
    kept = np.array(numbers, dtype=np.float64).round(12) + 0.0
    names = [(gap.retriever, gap.baseline, gap.m, gap.n_inside, gap.n_outside) for gap in gaps]
    bare = [
        replace(one, measures=tuple(replace(measure, gaps=()) for measure in one.measures))
        for one in found.slices
    ]
    return repr((replace(found, slices=tuple(bare)), kept.tolist(), names))
