"""Where few queries differ: no claim in any cell, whichever test is asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, get_args

import pytest

from ragscore.comparison import compare
from ragscore.comparison.differences import Difference, Withheld
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.tables import margin_element, measure_table, withheld_text
from ragscore.messages import text_of, translated
from ragscore.names import LANGUAGES
from tests.factories.scores import scored

N = 100


def compared(wins: int, losses: int, *, measure: str = "nDCG@10", size: float = 0.25, **words: Any):  # type: ignore[no-untyped-def]
    base = [0.5] * N
    other = [0.5 + size * ((at < wins) - (wins <= at < wins + losses)) for at in range(N)]
    return compare(scored({measure: {"bm25": base, "dense": other}}), **words)


def only(comparison: Any) -> Difference:
    (difference,) = comparison.datasets[0].measures[0].differences
    return difference  # type: ignore[no-any-return]


@pytest.mark.parametrize("withheld", [*get_args(Withheld)])
@pytest.mark.parametrize("clusters", [None, 7])
def test_why_nothing_is_claimed_has_its_words_in_both_languages(
    withheld: Withheld, clusters: int | None
) -> None:
    one = replace(only(compared(5, 0)), withheld=withheld, clusters=clusters, differing=2)
    english, korean = (text_of(withheld_text(one), language) for language in LANGUAGES)
    assert bool(english) == bool(korean) == bool(withheld)
    assert "{" not in english + korean
    assert (english == korean) == (not withheld)
    if withheld == "few differ":
        units = "100 queries" if clusters is None else "7 clusters"
        assert english == f"only 2 of {units} differ"


@pytest.mark.parametrize("test", ["randomization", "t", "wilcoxon"])
@pytest.mark.parametrize("interval", ["default", "t", "bca"])
def test_no_test_and_no_interval_decides_on_five(
    test: Literal["randomization", "t", "wilcoxon"], interval: Literal["default", "t", "bca"]
) -> None:
    found = compared(5, 0, test=test, interval=interval)
    one = only(found)
    assert not one.decided
    assert found.datasets[0].verdict.state == "TOO FEW"
    assert (one.detectable, one.needed, one.equivalence) == (None, None, None)
    assert one.withheld == "few differ"
    six = only(compared(6, 0, test=test, interval=interval))
    assert six.decided
    assert six.withheld == ""


def test_two_of_a_hundred_claim_nothing_wherever_they_are_printed() -> None:
    found = compared(2, 0, size=0.05, margin=0.005)
    one = only(found)
    assert not one.interval.estimable
    assert str(one.interval.note) == "not estimable: only 2 of 100 queries differ"
    (dataset,) = found.datasets
    (within,) = translated(tuple(margin_element(dataset.measures[0], "bm25")), "en")
    (row,) = within.rows
    assert [f"{cell.text} {cell.interval}".strip() for cell in row] == [
        *("dense", "+0.001 not estimable", "not decided", "-", "not estimable", "not decided", "-"),
        *("not estimable", "only 2 of 100 queries differ"),
    ]
    table = translated(measure_table(dataset.measures[0], dataset, found.options), "en")
    assert table.rows[1][2].interval == table.rows[1][-1].text == "not estimable"
    record = found.to_dict()["datasets"][0]["measures"][0]["differences"][0]
    assert record["equivalence"] is record["needed"] is record["detectable"] is None
    assert record["withheld"] == "few differ"
    assert record["interval"]["low"] is None


def test_a_few_more_are_bounded_by_an_interval_that_holds() -> None:
    one = only(compared(6, 3))
    assert one.interval.method == "plus-two"
    assert one.equivalence is not None
    assert one.equivalence.interval90.method == "plus-two"
    assert one.interval.low < one.equivalence.interval90.low < one.value


@pytest.mark.parametrize(("measure", "size"), [("MR", 1.0), ("DCG@10", 0.25), ("NumRelRet", 1.0)])
def test_a_measure_beyond_1_has_a_margin_only_where_one_is_given(measure: str, size: float) -> None:
    found = compared(30, 10, measure=measure, size=size)
    one = only(found)
    assert (one.margin, one.needed, one.equivalence) == (None, None, None)
    assert one.withheld == "no margin"
    assert one.detectable is not None
    (dataset,) = found.datasets
    (why,) = margin_element(dataset.measures[0], "bm25")
    assert "no margin is assumed" in str(why.text)
    given = only(compared(30, 10, measure=measure, size=size, margin=0.5))
    assert given.margin == 0.5
    assert given.needed is not None
    assert given.equivalence is not None


def test_identical_retrievers_are_too_few() -> None:
    one = only(compared(0, 0))
    assert (one.withheld, one.decided, one.differing) == ("few differ", False, 0)


def test_needed_counts_the_queries_that_are_there() -> None:
    one = only(compared(12, 8, margin=0.02))
    assert one.needed is not None
    assert one.needed > N
    # What is needed for the difference that is detectable is there already.
    assert one.detectable is not None
    again = only(compared(12, 8, margin=one.detectable))
    assert again.needed == pytest.approx(N, rel=0.05)


def test_means_of_few_clusters_take_t_inside_their_range() -> None:
    values = [1.0] * 40 + [0.9] * 5 + [0.2] * 3
    clusters = {f"q{at:02}": f"c{at % 12}" for at in range(48)}
    scores = scored({"RR": {"bm25": values, "dense": values[::-1]}})
    clusters = {query: f"c{at % 12}" for at, query in enumerate(scores.entries[0].query_ids)}
    found = compare(scores, CompareOptions(cluster="c"), clusters=clusters)
    interval = found.datasets[0].measures[0].means["bm25"]
    assert interval.method == "t"
    assert "t interval, since there are only 12 clusters" in str(interval.note)
    assert interval.high <= 1


def test_a_tie_is_a_difference_by_rounding_alone() -> None:
    values = {"RR": {"a": [0.3, 0.5, 0.4], "b": [0.1 + 0.2, 0.1, 0.8]}}
    (found,) = compare(scored(values), baseline="a").datasets[0].measures[0].differences
    assert (found.wins, found.ties, found.losses) == (1, 1, 1)
