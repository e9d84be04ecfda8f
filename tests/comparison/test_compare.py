"""compare(): numbers against scipy and by hand."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from scipy import stats

from ragscore.comparison import Comparison, compare
from ragscore.comparison.verdict import Verdict
from ragscore.elements.show import show
from ragscore.report.ranking import measure_notes
from ragscore.scoring import Scores, score
from tests.factories.compared import QUICK, array
from tests.factories.scores import entry, scores_of

# The numbers.


def test_a_difference_holds_what_scipy_and_arithmetic_say() -> None:
    scores = scores_of()
    one = compare(scores, QUICK, test="t").datasets[0]
    assert (one.baseline, one.primary, one.n, one.clusters) == ("r0", "nDCG@10", 60, None)
    for measure in one.measures:
        assert measure.primary == (measure.measure == "nDCG@10")
        for found in measure.differences:
            own = array(scores, found.retriever, measure.measure)
            differences = own - array(scores, "r0", measure.measure)
            expected = stats.ttest_1samp(differences, 0)
            assert found.test.p == pytest.approx(expected.pvalue, rel=1e-9)
            interval = expected.confidence_interval(0.95)
            assert found.interval.low == pytest.approx(interval.low)
            assert found.interval.high == pytest.approx(interval.high)
            assert found.value == pytest.approx(differences.mean())
            assert found.effect == pytest.approx(differences.mean() / differences.std(ddof=1))
            assert found.wins == (differences > 0).sum()
            assert found.losses == (differences < 0).sum()
            assert (found.ties, found.n, found.differing) == (0, 60, 60)
            mean = measure.means[found.retriever]
            assert mean.value == pytest.approx(own.mean())
            assert mean.low < mean.value < mean.high
            assert mean.method == "bca"


@pytest.mark.parametrize("interval", ["bca", "t", "percentile"])
def test_intervals_can_be_chosen(interval: str) -> None:
    one = compare(scores_of(), QUICK, interval=interval).datasets[0].measures[0]
    made = [mean.method for mean in one.means.values()]
    made += [found.interval.method for found in one.differences]
    assert set(made) == {interval}


def test_shares_have_wilson_intervals_even_where_all_are_the_same() -> None:
    scores = Scores(
        (entry("a", {"Success@5": [1.0] * 18}), entry("b", {"Success@5": [1.0] * 10 + [0.0] * 8}))
    )
    means = compare(scores, QUICK).datasets[0].measures[0].means
    assert [mean.method for mean in means.values()] == ["wilson", "wilson"]
    expected = stats.binomtest(18, 18).proportion_ci(0.95, "wilson")
    assert means["a"].low == pytest.approx(expected.low)
    graded = Scores((entry("a", {"RR": [0.5] * 18}), entry("b", {"RR": [0.5] * 17 + [0.25]})))
    constant = compare(graded, QUICK).datasets[0].measures[0].means["a"]
    assert (str(constant.note), constant.value) == ("not estimable", 0.5)


def test_small_values_that_are_better_turn_the_differences_round() -> None:
    ranks = {"a": [1.0, 2.0] * 6, "b": [3.0, 3.0, 4.0] * 4}
    scores = Scores(tuple(entry(name, {"MR": values}) for name, values in ranks.items()))
    [measure] = compare(scores, QUICK, baseline="b").datasets[0].measures
    [found] = measure.differences
    assert (found.retriever, found.wins, found.losses) == ("a", 12, 0)
    assert found.value == pytest.approx(10 / 3 - 1.5)
    assert measure.lower_is_better
    assert (measure.label, measure.lower_is_better) == ("MR", True)
    assert measure.means["a"].value == 1.5


def test_undefined_values_leave_out_their_queries_and_say_so() -> None:
    some = [1.0] * 6 + [np.nan] * 3 + [2.0] * 3
    scores = Scores((entry("a", {"RR": [0.5] * 12, "MR": some}),
                     entry("b", {"RR": [0.4] * 12, "MR": [np.nan] + [1.5] * 11})))  # fmt: skip
    one = compare(scores, QUICK).datasets[0]
    [found] = one["MR"].differences
    assert (found.n, one["MR"].means["a"].n, one["MR"].means["b"].n) == (8, 9, 11)
    assert "undefined for some queries" in str(one["MR"].notes[0])
    renamed = replace(one["MR"], measure="SetP", label="SetP")
    two = replace(one, measures=(*one.measures, renamed))
    noted = map(str, measure_notes(two, ["MR", "SetP"]))
    [undefined] = [note for note in noted if "undefined" in note]
    assert undefined.startswith(f"{one['MR'].label!s}, SetP: undefined for some queries")
    nowhere = Scores((scores["a"], entry("b", {"RR": [0.4] * 12, "MR": [np.nan] * 12})))
    [found] = compare(nowhere, QUICK).datasets[0]["MR"].differences
    assert (found.n, found.p_adjusted, found.decided) == (0, 1.0, False)
    json.dumps(compare(nowhere, QUICK).to_dict(), allow_nan=False)


def test_means_are_those_of_the_scores_whatever_their_aggregate() -> None:
    generator = np.random.default_rng(5)
    passages = [f"p{n}" for n in range(30)]
    qrels = {f"q{n}": list(generator.choice(passages, 4, replace=False)) for n in range(25)}
    measures = ["P@5", "P(denominator=returned,average=micro)@5", "gmAP", "NumRelRet", "MR"]
    parts = []
    for name in ("a", "b"):
        run = {
            query: list(generator.choice(passages, int(generator.integers(1, 9)), replace=False))
            for query in qrels
        }
        parts.append(score(run, qrels, measures, retriever=name))
    scores = Scores.joined(parts)
    one = compare(scores, QUICK).datasets[0]
    for measure in one.measures:
        for name, mean in measure.means.items():
            expected = scores[name].mean(measure.measure)
            expected /= 25 if measure.measure == "NumRelRet" else 1
            assert mean.value == pytest.approx(expected, rel=1e-9), measure.measure
            assert mean.low < mean.value < mean.high
    assert str(one["gmAP"].difference_label) == "ln gmAP"
    assert "compared as means per query, not sums" in map(str, one["NumRelRet"].notes)
    [micro] = one["P(denominator=returned,average=micro)@5"].differences
    means = one["P(denominator=returned,average=micro)@5"].means
    assert micro.value == pytest.approx(means["b"].value - means["a"].value)


# Clusters, pairs, several datasets.


def test_clusters_are_the_unit_of_everything() -> None:
    scores = scores_of(systems=2)
    labels = {f"q{row}": f"c{row // 5}" for row in range(60)}
    one = compare(scores, QUICK, clusters=labels, test="t").datasets[0]
    [found] = one.measures[0].differences
    assert (one.clusters, found.clusters, found.test.n, found.n) == (12, 12, 12, 60)
    differences = (array(scores, "r1") - array(scores, "r0")).reshape(12, 5).mean(axis=1)
    # Clusters of one size: the usual t test of their means.
    expected = stats.ttest_1samp(differences, 0)
    assert found.test.p == pytest.approx(expected.pvalue)
    assert found.interval.low == pytest.approx(expected.confidence_interval(0.95).low)
    assert one.notes == ()
    assert found.needed is not None
    assert found.needed % 5 == 0
    few = {f"q{row}": f"c{row // 10}" for row in range(60)}
    [note] = compare(scores, QUICK, clusters=few).datasets[0].notes
    assert str(note).startswith("only 6 clusters of queries")


def test_datasets_are_never_pooled() -> None:
    first, second = scores_of(3), scores_of(4, queries=30)
    moved = [entry(e.retriever, dict(zip(map(str, e.measures), e.values, strict=True)), dataset="e")
             for e in second.entries]  # fmt: skip
    both = compare(Scores((*first.entries, *moved)), QUICK)
    assert [one.dataset for one in both.datasets] == ["d", "e"]
    assert [one.n for one in both.datasets] == [60, 30]
    assert both["d"] == compare(first, QUICK)["d"]


def test_same_inputs_same_digits_in_any_order_of_queries() -> None:
    scores = scores_of()
    other = scores["r1"]
    turned = entry(
        "r1",
        dict(zip(map(str, other.measures), other.values[:, ::-1], strict=True)),
        ids=list(reversed(other.query_ids)),
    )
    again = Scores((scores["r0"], turned, *scores.entries[2:]))
    assert compare(again, QUICK).to_dict() == compare(scores, QUICK).to_dict()
    assert compare(scores, QUICK, seed=9).to_dict() != compare(scores, QUICK).to_dict()


def test_the_record_is_json_without_nan_and_keeps_its_schema() -> None:
    labels = {f"q{row}": f"c{row // 5}" for row in range(60)}
    schema = Comparison.json_schema("ragscore comparison")
    validator = Draft202012Validator(schema)
    one_query = Scores((entry("a", {"RR": [1.0]}), entry("b", {"RR": [0.5]})))
    for made in (
        compare(scores_of(), QUICK, all_pairs=True),
        compare(scores_of(), QUICK, clusters=labels),
        compare(one_query),
    ):
        record = json.loads(json.dumps(made.to_dict(), allow_nan=False))
        validator.validate(record)
        assert list(record) == ["schema", "options", "datasets", "slices", "overlap"]
        [dataset] = record["datasets"]
        verdict = made.datasets[0].verdict
        again = Verdict.from_dict(dataset["verdict"])
        assert again == verdict
        assert show(again, language="ko") == show(verdict, language="ko")
        assert {"retriever", "value", "interval", "p_adjusted", "decided", "equivalence"} <= set(
            dataset["measures"][0]["differences"][0]
        )
    described = schema["$defs"]["Difference"]["properties"]
    assert all(field.get("description") for field in described.values())
