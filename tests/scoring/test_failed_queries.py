"""What failed queries mean for values, means, sums, curves, bounds and counts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragscore.dataset import Ids, Qrels
from ragscore.measures import parse_measure
from ragscore.run import QueryFailure, Run
from ragscore.scoring import RetrieverScores, score
from ragscore.tuning import tune
from tests.factories.every_measure import FLAT, measure_of, with_forbidden

PASSAGES = Ids(f"p{number}" for number in range(40))
RANKED = {
    f"q{at}": {f"p{(7 * at + 3 * rank) % 40}": 10.0 - rank // 2 for rank in range(8)}
    for at in range(12)
}
JUDGED = {
    f"q{at}": {f"p{(7 * at + step) % 40}": grade for step, grade in ((0, 2), (6, 1), (9, 0))}
    for at in range(11)
}
JUDGED["q9"] = {"p1": 0.0}
FAILED = ["q2", "q7", "q11"]
"""One of them has no judgments."""
MEASURED = [str(measure_of(family, 5)) for family in FLAT]
MEASURED += ["P(average=micro)@5", "nDCG(tie=expected)@5", "AP(tie=expected)"]
MEASURED += ["RR(empty=skip)", "F(beta=2)@5", "CG@5", "R@8"]


def run(*, leaves_out: bool) -> Run:
    plain = Run.from_dict(RANKED, passages=PASSAGES, name="http")
    return plain.with_failures([QueryFailure(q, "no") for q in FAILED], leaves_out=leaves_out)


def measured(given: Run, qrels: dict[str, dict[str, float]], *measures: str) -> RetrieverScores:
    judged = with_forbidden(Qrels.from_dict(qrels, passages=PASSAGES), "p3")
    wanted = measures or MEASURED
    (entry,) = score(given, judged, wanted, n_passages=40, bounds=True, profile="trec").entries
    return entry


def test_left_out_is_as_if_nobody_had_asked() -> None:
    """Means, sums and curves are those of the other queries alone; all values are in place."""
    entry = measured(run(leaves_out=True), JUDGED)
    others = {query: grades for query, grades in JUDGED.items() if query not in FAILED}
    alone = measured(run(leaves_out=True), others)
    assert list(entry.query_ids) == list(JUDGED)
    np.testing.assert_array_equal(entry.means, alone.means)
    failed = np.isin(entry.query_ids, FAILED)
    assert np.isnan(entry.values[:, failed]).all()
    np.testing.assert_array_equal(entry.values[:, ~failed], alone.values)
    for name, curve in entry.curves.items():
        np.testing.assert_array_equal(curve.mean, alone.curves[name].mean)
        np.testing.assert_array_equal(curve.defined, alone.curves[name].defined)
    for measure, weights in entry.weights.items():
        np.testing.assert_array_equal(weights[~failed], alone.weights[measure])
    assert entry.bounds is not None
    assert alone.bounds is not None
    for at, measure in enumerate(entry.measures):
        assert entry.bounds.means(at, measure) == alone.bounds.means(at, measure)
    assert [row.defined for row in entry.rows()] == [row.defined for row in alone.rows()]


def test_empty_is_as_if_nothing_had_come_back() -> None:
    entry = measured(run(leaves_out=False), JUDGED)
    emptied = {query: {} if query in FAILED else found for query, found in RANKED.items()}
    plain = measured(Run.from_dict(emptied, passages=PASSAGES, name="http"), JUDGED)
    np.testing.assert_array_equal(entry.values, plain.values)
    np.testing.assert_array_equal(entry.means, plain.means)


def test_counts_of_failed_queries() -> None:
    left_out, empty = (measured(run(leaves_out=rule), JUDGED).counts for rule in (True, False))
    assert (left_out.queries, left_out.failed, left_out.left_out, left_out.empty) == (11, 2, 2, 0)
    assert (empty.queries, empty.failed, empty.left_out, empty.empty) == (11, 2, 0, 0)
    # What judgments say of the queries does not depend on who answered them.
    assert left_out.without_relevant == empty.without_relevant == 1
    assert left_out.largest_grade == empty.largest_grade == 2
    assert left_out.returned == empty.returned == 9 * 8
    assert left_out.unjudged == empty.unjudged
    assert left_out.without_judgments == empty.without_judgments == 1


def test_values_by_hand() -> None:
    qrels: dict[str, dict[str, float]] = {f"q{at}": {"p0": 1.0} for at in range(1, 5)}
    found = {"q1": ["p0"], "q2": ["p1", "p0"], "q3": ["p0"], "q4": ["p1"]}
    plain = Run.from_dict(found, passages=PASSAGES)
    failure = [QueryFailure("q3", "it is down")]
    expected = {True: (1.5 / 3, 2.0), False: (1.5 / 4, 2.0)}
    for rule, (mean, found_in_all) in expected.items():
        given = plain.with_failures(failure, leaves_out=rule)
        entry = measured(given, qrels, "RR", "NumRelRet", "gmAP")
        assert entry.mean("RR") == pytest.approx(mean, abs=1e-15)
        assert entry.mean("NumRelRet") == found_in_all
        logs = [math.log(1), math.log(0.5), math.log(1e-5)] + [math.log(1e-5)] * (not rule)
        assert entry.mean("gmAP") == pytest.approx(math.exp(sum(logs) / len(logs)), rel=1e-12)
        value = entry.per_query("RR")["q3"]
        assert math.isnan(value) if rule else value == 0


def test_a_run_of_which_every_query_failed() -> None:
    every = [QueryFailure(query, "no") for query in RANKED]
    for rule in (True, False):
        entry = measured(Run.from_dict(RANKED, passages=PASSAGES).with_failures(
            every, leaves_out=rule), JUDGED, "RR", "nDCG@5", "SetF")  # fmt: skip
        assert entry.counts.failed == 11
        assert np.isnan(entry.means).all() if rule else (entry.means == 0).all()
        assert [row.defined for row in entry.rows()] == [0 if rule else 11] * 3


def test_curves_for_tuning_leave_them_out() -> None:
    others = {query: grades for query, grades in JUDGED.items() if query not in FAILED}
    for rule, judged in ((True, others), (False, JUDGED)):
        tuned = tune(run(leaves_out=rule), Qrels.from_dict(JUDGED, passages=PASSAGES))
        same = tune(run(leaves_out=False), Qrels.from_dict(judged, passages=PASSAGES))
        assert list(tuned.curves) == list(same.curves)
        for measure, band in tuned.curves.items():
            np.testing.assert_array_equal(band.mean, same.curves[measure].mean)
            np.testing.assert_array_equal(band.low, same.curves[measure].low)


def test_sums_are_of_the_queries_with_values() -> None:
    measure = parse_measure("NumRel")
    entry = measured(run(leaves_out=True), JUDGED, "NumRel")
    assert entry.mean(measure) == sum(
        sum(grade > 0 for grade in grades.values())
        for query, grades in JUDGED.items()
        if query not in FAILED
    )
