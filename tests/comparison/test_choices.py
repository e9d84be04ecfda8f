"""What compare() says for each choice of baseline and primary measure, to the last digit."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from ragscore.comparison import CompareOptions, compare
from ragscore.comparison.check import QueryCost, SearchFacts
from ragscore.comparison.comparing import dataset_comparer
from ragscore.comparison.differences import Family, Identical
from ragscore.comparison.query_slices import sliced
from ragscore.comparison.score_matrix import ScoreMatrix, on_common_queries, single_retriever
from ragscore.dataset import Queries
from ragscore.errors import DataError
from ragscore.models import Query
from ragscore.scoring import RetrieverScores, Scores
from tests.factories.scores import NAMES, rounded_slices, slices_of, some_entries
from tests.factories.thorough import THOROUGH

CLUSTERS = {f"q{row}": f"c{row // 3}" for row in range(40)}


def names_of(common: ScoreMatrix) -> list[str]:
    return [measure.measure for measure in common.measures]


def measured_first(one: RetrieverScores, primary: str) -> RetrieverScores:
    """The same scores with this measure listed first."""
    order = sorted(range(len(one.measures)), key=lambda at: str(one.measures[at]) != primary)
    measures = tuple(one.measures[at] for at in order)
    return replace(
        one, measures=measures, resolved={m: m for m in measures}, values=one.values[order]
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"interval": "bca", "test": "wilcoxon", "all_pairs": True},
        {"interval": "percentile", "correction": "bh"},
        {"interval": "t", "test": "t", "correction": "none"},
        {"cluster": "part"},
        {"cluster": "part", "interval": "bca", "margin": 0.2, "language": "ko"},
    ],
    ids=str,
)
def test_each_choice_is_what_compare_says_to_the_last_digit(given: dict[str, Any]) -> None:
    options = CompareOptions(resamples=200, **given)
    clusters = CLUSTERS if options.cluster else None
    latency = {"r0": 1.0, "r1": 2.0}
    for seed in range(3 if THOROUGH else 1):
        entries = some_entries(seed)
        costs = {name: QueryCost(p50=ms) for name, ms in latency.items()}
        searches = SearchFacts(costs=costs)
        comparer = dataset_comparer(entries, options, clusters=clusters, searches=searches)
        common = comparer.differences.common
        for baseline, primary in product(common.retrievers, names_of(common)):
            found = comparer.chosen(baseline, primary)
            scores = Scores(tuple(measured_first(one, primary) for one in entries))
            said = compare(scores, options, clusters=clusters, latency=latency).datasets[0]
            assert repr(found.verdict) == repr(said.verdict)
            if baseline == said.baseline:
                # The text of a float is all of its digits, and the sign of a zero.
                assert found.to_dict() == said.to_dict()


@pytest.mark.parametrize("named", [None, "r2"])
@pytest.mark.parametrize("interval", ["default", "bca"])
def test_no_choice_turns_a_mark_on_or_off(named: str | None, interval: Any) -> None:
    options = CompareOptions(resamples=200, baseline=named, interval=interval)
    twice = replace(some_entries()[3], retriever="r4")
    same = [Identical(("r3", "r4"))]
    comparer = dataset_comparer((*some_entries(), twice), options, identical=same)
    common = comparer.differences.common
    choices = product(common.retrievers, names_of(common))
    every = {choice: comparer.chosen(*choice) for choice in choices}
    assert {one.family for one in every.values()} == {Family(named, 3 if named else 6)}
    marks: dict[tuple[str, str, str], set[str]] = {}
    decided = 0
    for (baseline, _), found in every.items():
        for measure in found.measures:
            for one in measure.differences:
                pair = [one.retriever, baseline]
                key = (measure.measure, *sorted(pair))
                told = (one.decided, one.below_margin, one.disagrees, one.p_adjusted, one.m)
                marks.setdefault(key, set()).add(repr((*told, abs(one.value))))
                # Identical retrievers are one, and stand outside every family together.
                inside = (named is None or named in pair) and set(pair) != {"r3", "r4"}
                assert math.isnan(one.p_adjusted) is not inside
                decided += one.decided
    assert len(marks) == len(NAMES) * 10
    assert {len(told) for told in marks.values()} == {1}
    assert decided


def test_every_pair_is_corrected_over_all_pairs_of_its_measure() -> None:
    options = CompareOptions(resamples=200, correction="bonferroni")
    comparer = dataset_comparer(some_entries(), options)
    for measure in names_of(comparer.differences.common):
        pairs = comparer.chosen().all_pairs(measure)
        assert [(one.retriever, one.baseline) for one in pairs] == [
            ("r0", "r1"), ("r0", "r2"), ("r0", "r3"), ("r1", "r2"), ("r1", "r3"), ("r2", "r3"),
        ]  # fmt: skip
        for one in pairs:
            assert (one.m, one.p_adjusted) == (6, min(1.0, 6 * one.test.p))
            family = comparer.chosen(one.baseline, measure)[measure].differences
            same = next(other for other in family if other.retriever == one.retriever)
            assert (same.value, same.interval, same.test) == (one.value, one.interval, one.test)


def test_any_difference_is_computed_when_it_is_asked_for() -> None:
    (found,) = compare(Scores(some_entries()), resamples=200, baseline="r2").datasets
    assert found.difference("AP@5", "r1", "r2") == found["AP@5"].differences[1]
    turned = found.difference("AP@5", "r2", "r1")
    assert (turned.value, turned.wins) == (-found["AP@5"].differences[1].value, turned.wins)
    assert math.isnan(found.difference("AP@5", "r0", "r1").p_adjusted)
    values = found.per_query("AP@5", "r1", "r2")
    assert found.difference("AP@5", "r1", "r2").value == pytest.approx(np.nanmean(values))
    for wrong in (("AP@6", "r0", "r1"), ("AP@5", "r9", "r1")):
        with pytest.raises(DataError, match="was not compared"):
            found.difference(*wrong)
    read = replace(found, differences=None)  # as one that was read from a file
    with pytest.raises(DataError, match="only the differences that it lists"):
        read.difference("AP@5", "r0", "r1")


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
def test_means_alone_are_those_of_a_comparison(clusters: dict[str, str] | None) -> None:
    options = CompareOptions(resamples=200)
    entries = some_entries()
    said = compare(Scores(entries), options, clusters=clusters).datasets[0]
    for one in entries:
        means = single_retriever(one, clusters).means(options)
        for own, measure in zip(means, said.measures, strict=True):
            assert repr(own[one.retriever]) == repr(measure.means[one.retriever])


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
def test_slices_by_every_baseline_are_those_of_slices(clusters: dict[str, str] | None) -> None:
    entries = some_entries()
    queries = Queries.from_rows(
        Query(id=f"q{row}", text="?", tags=[f"kind:{'abc'[row % 3]}", f"half:{row // 20}"])
        for row in range(40)
    )
    options = CompareOptions(resamples=200, slices=("kind", "half"))
    names = ["r0", "r1", "r2", "r3"]
    common = on_common_queries("d", entries, clusters=clusters)
    every = sliced(common, queries, options, baselines=names)
    tested = 0
    for baseline in names:
        chosen = options.model_copy(update={"baseline": baseline})
        said = slices_of(Scores(entries), queries, chosen.slices, chosen, clusters)
        # Sums of differences are added in another order: the last digit may differ.
        assert [rounded_slices(one) for one in every[baseline]] == [
            rounded_slices(one) for one in said
        ]
        tested += sum(gap.p is not None for gap in said[0].slices[0].measures[0].gaps)
    assert tested == 12
