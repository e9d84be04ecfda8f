"""Needs: alternatives count once, and the ideal is the best that any order reaches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore import Dataset, MeasureError, score
from ragscore.dataset.judgments import Judgments
from ragscore.errors import DataError
from ragscore.measures import IPrec, Measure
from ragscore.models import GroundTruth
from ragscore.scoring.bounds import UnjudgedBounds
from tests.factories.every_measure import FLAT
from tests.factories.thorough import examples

PASSAGES = "abcdef"
OTHERS = "xyz"


def dataset(*rows: Mapping[str, Any], **options: Any) -> Dataset:
    """Queries with the needs given, over a few passages."""
    queries = {row["query_id"]: "?" for row in rows}
    return Dataset.from_rows(dict.fromkeys(PASSAGES + OTHERS, "text"), queries, rows, **options)


def needing(*needs: Any, options: Mapping[str, Any] | None = None, **more: Any) -> Dataset:
    return dataset({"query_id": "q", "needs": list(needs), **more}, **(options or {}))


def value(found: Sequence[str], data: Dataset, measure: str) -> float:
    return score({"q": list(found)}, data, [measure]).entries[0].mean(measure)


def by_hand(found: Sequence[str], needs: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The definitions, one rank after another."""
    covered: set[int] = set()
    hits = reciprocal = precisions = dcg = 0.0
    for rank, passage in enumerate(found, 1):
        new = {at for at, need in enumerate(needs) if passage in need} - covered
        covered |= new
        hits += bool(new)
        if new and not reciprocal:
            reciprocal = 1 / rank
        precisions += len(new) * hits / rank
        dcg += sum(needs[at][passage] for at in new) / math.log2(rank + 1)
    count, depth = len(needs), len(found)
    precision, recall = hits / depth, len(covered) / count
    return {
        f"P@{depth}": precision,
        f"R@{depth}": recall,
        f"F1@{depth}": 2 * precision * recall / (precision + recall) if hits else 0.0,
        f"AP@{depth}": precisions / count,
        f"RR@{depth}": reciprocal,
        f"DCG@{depth}": dcg,
        f"Complete@{depth}": float(len(covered) == count),
    }


NEED = st.dictionaries(st.sampled_from(PASSAGES), st.sampled_from([1.0, 2.0, 3.0]), min_size=1)


@given(
    st.lists(NEED, min_size=1, max_size=4), st.permutations(PASSAGES + OTHERS), st.integers(1, 6)
)
def test_measures_are_their_definitions_and_the_ideal_is_the_best_of_all_orders(
    needs: list[dict[str, float]], order: list[str], depth: int
) -> None:
    found, data = order[:depth], needing(*needs)
    expected = by_hand(found, needs)
    scored = score({"q": found}, data, [*expected, f"IDCG@{depth}", f"nDCG@{depth}"]).entries[0]
    for measure, exact in expected.items():
        assert scored.mean(measure) == pytest.approx(exact, abs=1e-12), measure
    named = sorted({passage for need in needs for passage in need})
    most = max(
        by_hand(tried, needs)[f"DCG@{len(tried)}"]
        for tried in itertools.permutations(named, min(depth, len(named)))
    )
    assert scored.mean(f"IDCG@{depth}") == pytest.approx(most, abs=1e-12)
    assert scored.mean(f"nDCG@{depth}") == pytest.approx(expected[f"DCG@{depth}"] / most, abs=1e-12)
    highest = [
        max(
            by_hand(tried, needs)[f"{name}@{len(tried)}"]
            for tried in itertools.permutations(named, len(named))
        )
        for name in ("R", "AP", "Complete")
    ]
    assert highest == [1, pytest.approx(max(highest[1], 0)), 1]
    assert highest[1] <= 1 + 1e-12


def every_measure() -> list[Measure]:
    """Each of the table, as it is by default."""
    made = [family(recall=0.5) if family is IPrec else family() for family in FLAT]
    return [one @ 3 if one.needs_cutoff and one.at == "cutoff" else one for one in made]


def test_one_passage_to_a_need_is_flat_ground_truth_to_the_last_bit() -> None:
    drawn = np.random.default_rng(5)
    flat, needed, run = list[dict[str, Any]](), list[dict[str, Any]](), {}
    for number in range(40):
        picked = [PASSAGES[at] for at in drawn.permutation(6)[: drawn.integers(1, 6)]]
        grades = dict(zip(picked, drawn.integers(0, 4, len(picked)).astype(float), strict=True))
        query = f"q{number}"
        forbidden = list(OTHERS[:1])
        flat.append({"query_id": query, "passages": grades, "forbidden": forbidden})
        needs = [{passage: grade} for passage, grade in grades.items() if grade > 0]
        idle = {passage: grade for passage, grade in grades.items() if grade == 0}
        needed.append({**flat[-1], "needs": needs, "passages": idle})
        scores = drawn.integers(0, 4, 9).astype(float)
        run[query] = dict(zip(PASSAGES + OTHERS, scores.tolist(), strict=True))
    queries = dict.fromkeys(run, "?")
    passages = dict.fromkeys(PASSAGES + OTHERS, "text")
    measures = [*map(str, every_measure()), "nDCG(tie=expected)@3", "AP(tie=max)"]
    plain, other = (
        score(run, Dataset.from_rows(passages, queries, rows), measures, bounds=True).entries[0]
        for rows in (flat, needed)
    )
    np.testing.assert_array_equal(plain.values, other.values)
    for one, two in ((plain.bounds, other.bounds),):
        assert isinstance(one, UnjudgedBounds)
        assert isinstance(two, UnjudgedBounds)
        np.testing.assert_array_equal(one.low, two.low)
        assert one.kinds == two.kinds


SOME_NEEDS = st.lists(
    st.dictionaries(st.sampled_from(PASSAGES), st.sampled_from([0.5, 1.0, 2.0]), min_size=1),
    min_size=1,
    max_size=3,
)


@given(rows=st.lists(SOME_NEEDS, min_size=1, max_size=4), k=st.integers(1, 6))
@settings(max_examples=examples(60), deadline=None)
def test_queries_beside_it_change_no_ideal(rows: list[list[dict[str, float]]], k: int) -> None:
    """Also not whether one of them has a passage for several needs."""
    asked = [f"nDCG@{k}", f"nDCG(gain=exp)@{k}", f"IDCG@{k}"]
    data = [{"query_id": f"q{at}", "needs": needs} for at, needs in enumerate(rows)]
    joint = {"query_id": "q9", "needs": [["a", "b"], ["a"]]}
    run = {f"q{at}": list("fbdaec") for at in (*range(len(rows)), 9)}
    (beside,) = score(run, dataset(*data, joint), asked).entries
    for at, row in enumerate(data):
        (alone,) = score(run, dataset(row), asked).entries
        np.testing.assert_array_equal(alone.values[:, 0], beside.values[:, at])


def test_what_no_passage_covers_still_counts() -> None:
    data = needing(["a"], ["gone"], options={"allow_missing": True})
    assert value("ab", data, "R@2") == 0.5
    assert value("ab", data, "nDCG@2") == pytest.approx(1 / (1 + 1 / math.log2(3)))
    assert value("ab", data, "Complete@2") == 0


def test_a_passage_that_covers_nothing_new_is_not_relevant() -> None:
    data = needing(["a", "b"], ["c"], passages={"d": 0})
    assert value("abdc", data, "P@4") == 0.5
    assert value("abdc", data, "NeedRecall@2") == 0.5
    assert value("abdc", data, "NeedRank") == 4
    assert np.isnan(value("ab", data, "NeedRank"))
    assert value("abdc", data, "Judged@4") == 1
    assert value("xac", data, "RR") == 0.5


def test_a_grade_below_the_threshold_covers_nothing() -> None:
    data = needing({"a": 1, "b": 2}, {"c": 3})
    assert value("abc", data, "R(relevant_from=2)@1") == 0
    assert value("abc", data, "R(relevant_from=2)@2") == 0.5
    assert value("abc", data, "R@1") == 0.5
    assert value("abc", data, "P(relevant_from=2)@3") == pytest.approx(2 / 3)
    assert value("ab", data, "CG@2") == 1, "b covers what a has covered"
    assert value("ab", data, "CG(relevant_from=2)@2") == 2


def test_grades_of_a_list_are_those_of_the_passages() -> None:
    graded = needing(["a", "b"], ["c"], passages={"a": 3, "b": 1})
    assert graded.qrels.to_dict() == {"q": {"a": 3.0, "b": 1.0, "c": 1.0}}
    assert value("bc", graded, "DCG@2") == pytest.approx(1 + 1 / math.log2(3))


@pytest.mark.parametrize("measure", ["bpref", "infAP", "AUC", "gmbpref"])
def test_measures_of_single_passages_refuse_shared_needs(measure: str) -> None:
    with pytest.raises(MeasureError, match="several passages cover the same need"):
        value("abc", needing(["a", "b"], ["c"]), measure)


@pytest.mark.parametrize(
    "measure", ["11pt", "iprec@0.5", "R(denominator=min)@2", "AP(denominator=k)@2"]
)
def test_measures_that_count_passages_refuse_those_that_cover_several(measure: str) -> None:
    assert value("abc", needing(["a", "b"], ["c"]), measure) > 0
    with pytest.raises(MeasureError, match="a passage covers several needs at once"):
        value("abc", needing(["a", "b"], ["a"]), measure)


def test_other_orders_of_ties_are_refused_and_no_bounds_are_known() -> None:
    data = needing(["a", "b"], ["c"])
    with pytest.raises(MeasureError, match="other orders of tied passages"):
        value("abc", data, "nDCG(tie=max)@2")
    entry = score({"q": ["a", "x"]}, data, ["P@2", "nDCG@2"], bounds=True).entries[0]
    assert entry.bounds is not None
    assert entry.bounds.kinds == ("none", "none")


def test_unjudged_passages_can_be_removed() -> None:
    data = needing(["a", "b"], ["c"])
    entry = score({"q": list("xbyac")}, data, ["R@2", "R@3", "P@3"], unjudged="remove").entries[0]
    assert entry.values[:, 0].tolist() == [0.5, 1.0, pytest.approx(2 / 3)]


def test_beyond_twelve_needs_the_ideal_is_greedy() -> None:
    few, many = ([[f"p{at}", "all"] for at in range(count)] for count in (12, 14))
    for needs in (few, many):
        ids = dict.fromkeys([f"p{at}" for at in range(14)] + ["all"], "text")
        data = Dataset.from_rows(ids, {"q": "?"}, [{"query_id": "q", "needs": needs}])
        assert value(["all"], data, "nDCG@3") == 1
        assert value(["p0", "all"], data, "nDCG@3") < 1


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"needs": [["a"], []]}, "needs.1: nothing covers this need"),
        ({"needs": [["a", "a"]]}, "needs.0: 'a' is named twice"),
        ({"needs": [{"a": 0}]}, "needs.0: the passage 'a' covers it and has grade 0"),
        ({"needs": [["a"]], "passages": {"a": -1}}, "the passage 'a' covers it and has grade -1"),
        ({"needs": [["a"]], "passages": {"b": 2}}, "'b' has grade 2 and covers none of the needs"),
        (
            {"evidence": [{"document": "d", "start": 0, "end": 4}], "passages": {"b": 2}},
            "'b' has grade 2 and covers none of the needs. Write the evidence into needs",
        ),
        ({"needs": [[" "]]}, "needs.0: a passage id is empty"),
        ({"passages": ["a"], "forbidden": ["a"]}, "forbidden: the passage 'a' is relevant"),
        ({"needs": [["a"]], "forbidden": ["a"]}, "forbidden: the passage 'a' is relevant"),
    ],
)
def test_what_contradicts_itself_is_refused(row: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        dataset({"query_id": "q", **row})
    assert "query 'q'" in str(caught.value)


def test_a_need_without_a_grade_of_the_threshold_is_none() -> None:
    """As in flat ground truth, whose passages below it do not count in R; docs/measures.md."""
    flat = {"q": {"a": 2, "b": 1, "c": 1}}
    needs = [{"query_id": "q", "needs": [{"a": 2}, {"b": 1, "c": 1}]}]
    passages = dict.fromkeys("abcx", "text")
    with_needs = Dataset.from_rows(passages, {"q": "?"}, needs)
    without = Dataset.from_rows(passages, {"q": "?"}, flat)
    for ranking, recall in (("a", 1), ("bc", 0), ("xa", 1)):
        for measure in ("R(relevant_from=2)@3", "AP(relevant_from=2)", "P(relevant_from=2)@3"):
            assert value(list(ranking), with_needs, measure) == value(
                list(ranking), without, measure
            )
        assert value(list(ranking), with_needs, "R(relevant_from=2)@3") == recall
        assert value(list(ranking), with_needs, "Complete(relevant_from=2)@3") == recall
    assert value(["a"], with_needs, "R@3") == 0.5


IDS = [f"p{at}" for at in range(200_000)]


@pytest.mark.parametrize(
    ("row", "faults"),
    [
        ({"needs": [IDS]}, 0),
        ({"needs": [[*IDS, IDS[-1]]]}, 1),
        ({"needs": [IDS[:1]] * 200_000}, 0),
        ({"needs": [IDS[at : at + 1] for at in range(len(IDS))], "passages": IDS}, 0),
    ],
)
def test_large_needs_are_looked_at_once(row: dict[str, Any], faults: int) -> None:
    """A look at every pair of so many would take hours."""
    judgments = Judgments()
    found = list(judgments.add_row(GroundTruth(query_id="q", **row), 1))
    assert len(found) == faults
    assert len(judgments) == (
        0 if faults else len({item for need in row["needs"] for item in need})
    )


def test_other_needs_are_other_judgments() -> None:
    def judgments(*needs: list[list[str]]) -> str:
        rows = [{"query_id": f"q{at}", "needs": need} for at, need in enumerate(needs)]
        queries = {row["query_id"]: "?" for row in rows}
        data = Dataset.from_rows(dict.fromkeys("abc", "text"), queries, rows)
        return data.qrels.judgments_digest

    assert judgments([["a", "b"], ["c"]]) == judgments([["b", "a"], ["c"]])
    assert judgments([["a", "b"], ["c"]]) != judgments([["a"], ["b", "c"]])
