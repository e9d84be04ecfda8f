"""compare(): numbers against scipy and by hand, families, and what is asked wrongly."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from scipy import stats

from ragscore.comparison import CompareOptions, Comparison, compare
from ragscore.comparison.baselines import compare_choices
from ragscore.comparison.model import Family
from ragscore.errors import ConfigError, DataError
from ragscore.formats import load_dataset
from ragscore.retrievers import BM25
from ragscore.scoring import RetrieverScores, Scores, score
from ragscore.stats.tukey import randomized_tukey
from ragscore.strings import LANGUAGES
from ragscore.text import Snowball
from tests.factories.scores import entry, scores_of

QUICK = CompareOptions(resamples=500)


def array(scores: Scores, retriever: str, measure: str = "nDCG@10") -> np.ndarray:
    return np.array(list(scores[retriever].per_query(measure).values()))


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
            assert mean.interval.low < mean.value < mean.interval.high
            assert mean.interval.method == "bca"


def test_each_measure_is_a_family_corrected_by_itself() -> None:
    for correction, by_hand in CORRECTIONS.items():
        one = compare(scores_of(systems=4), QUICK, correction=correction, baseline="r0").datasets[0]
        assert one.family == Family("r0", 3)
        for measure in one.measures:
            p = [found.test.p for found in measure.differences]
            assert [found.p_adjusted for found in measure.differences] == pytest.approx(by_hand(p))
            assert {found.m for found in measure.differences} == {3}


def test_without_a_named_baseline_the_family_is_all_pairs() -> None:
    for correction, by_hand in CORRECTIONS.items():
        one = compare(scores_of(systems=4), QUICK, correction=correction).datasets[0]
        assert (one.family, one.baseline) == (Family(None, 6), "r0")
        every = compare_choices(
            scores_of(systems=4).entries, QUICK.model_copy(update={"correction": correction})
        )
        for measure in one.measures:
            p = [pair.test.p for pair in every.pairs[measure.measure]]
            assert [found.p_adjusted for found in measure.differences] == pytest.approx(
                by_hand(p)[:3]  # r0 against each
            )
            assert {found.m for found in measure.differences} == {6}


def holm(p: Sequence[float]) -> list[float]:
    adjusted, largest = dict.fromkeys(range(len(p)), 0.0), 0.0
    for rank, at in enumerate(sorted(range(len(p)), key=lambda at: p[at])):
        largest = max(largest, (len(p) - rank) * p[at])
        adjusted[at] = min(largest, 1.0)
    return list(adjusted.values())


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    ranked = sorted(p)
    return [
        min(
            1.0, *(value * len(p) / (rank + 1) for rank, value in enumerate(ranked) if value >= own)
        )
        for own in p
    ]


CORRECTIONS: dict[Any, Any] = {
    "holm": holm,
    "bonferroni": lambda p: [min(1.0, value * len(p)) for value in p],
    "bh": benjamini_hochberg,
    "none": list,
}


def test_the_leader_is_held_against_others_over_all_pairs() -> None:
    scores = scores_of(systems=4)
    one = compare(scores, QUICK).datasets[0]
    names = ["r0", "r1", "r2", "r3"]
    pairs = [(a, b) for at, a in enumerate(names) for b in names[at + 1 :]]
    raw = {}
    for a, b in pairs:
        two = Scores((scores[a], scores[b]))
        raw[a, b] = compare(two, QUICK).datasets[0].measures[0].differences[0].test.p
    over_all = dict(zip(pairs, holm(list(raw.values())), strict=True))
    assert {found.retriever for found in one.leader} == {"r3"}
    by_other = {found.baseline: found for found in one.leader}
    for other in ("r0", "r1", "r2"):
        assert by_other[other].p_adjusted == pytest.approx(over_all[other, "r3"])
        assert by_other[other].m == 6
    # So too where the experiment names another baseline, whose own family is smaller.
    named = compare(scores, QUICK, baseline="r0").datasets[0]
    assert [one.p_adjusted for one in named.leader] == [one.p_adjusted for one in one.leader]
    family = dict(zip(names[1:], holm([raw["r0", b] for b in names[1:]]), strict=True))
    assert named.measures[0].differences[2].p_adjusted == pytest.approx(family["r3"])
    # Where the named baseline leads, the family of comparisons with it is all there is.
    leading = compare(scores, QUICK, baseline="r3").datasets[0]
    for own, found in zip(leading.leader, reversed(leading.measures[0].differences), strict=True):
        assert own.baseline == found.retriever
        assert (own.value, own.p_adjusted) == (-found.value, found.p_adjusted)
        assert (own.interval.low, own.wins) == (-found.interval.high, found.losses)


def test_two_retrievers_need_no_correction() -> None:
    found = compare(scores_of(systems=2), QUICK).datasets[0].measures[0].differences[0]
    assert (found.m, found.p_adjusted) == (1, found.test.p)


def test_power_is_planned_at_alpha_over_m_and_not_from_what_was_seen() -> None:
    scores = scores_of(systems=3)
    given = {"margin": 0.02, "baseline": "r0"}
    found = compare(scores, QUICK, **given).datasets[0].measures[0].differences[0]
    differences = array(scores, "r1") - array(scores, "r0")

    def power(difference: float, n: int) -> float:
        noncentrality = difference / differences.std(ddof=1) * np.sqrt(n)
        critical = stats.t.isf(0.05 / 2 / 2, n - 1)
        reached = stats.nct.sf(critical, n - 1, noncentrality)
        return float(reached + stats.nct.cdf(-critical, n - 1, noncentrality))

    assert found.detectable is not None
    assert found.needed is not None
    assert power(found.detectable, 60) == pytest.approx(0.8, abs=1e-6)
    assert power(0.02, found.needed) >= 0.8 > power(0.02, found.needed - 1)
    better = Scores((scores["r0"], shifted(scores["r1"], 0.3), shifted(scores["r2"], 0.3)))
    again = compare(better, QUICK, **given).datasets[0].measures[0].differences[0]
    assert again.needed == found.needed
    assert again.detectable == pytest.approx(found.detectable)


def shifted(one: RetrieverScores, by: float) -> RetrieverScores:
    rows = dict(zip(map(str, one.measures), one.values + by, strict=True))
    return entry(one.retriever, rows, dataset=one.dataset)


@pytest.mark.parametrize("interval", ["bca", "t", "percentile"])
def test_intervals_can_be_chosen(interval: str) -> None:
    one = compare(scores_of(), QUICK, interval=interval).datasets[0].measures[0]
    made = [mean.interval.method for mean in one.means.values()]
    made += [found.interval.method for found in one.differences]
    assert set(made) == {interval}


def test_shares_have_wilson_intervals_even_where_all_are_the_same() -> None:
    scores = Scores(
        (entry("a", {"Success@5": [1.0] * 18}), entry("b", {"Success@5": [1.0] * 10 + [0.0] * 8}))
    )
    means = compare(scores, QUICK).datasets[0].measures[0].means
    assert [mean.interval.method for mean in means.values()] == ["wilson", "wilson"]
    expected = stats.binomtest(18, 18).proportion_ci(0.95, "wilson")
    assert means["a"].interval.low == pytest.approx(expected.low)
    graded = Scores((entry("a", {"RR": [0.5] * 18}), entry("b", {"RR": [0.5] * 17 + [0.25]})))
    constant = compare(graded, QUICK).datasets[0].measures[0].means["a"]
    assert (constant.interval.note, constant.value) == ("not estimable", 0.5)


def test_small_values_that_are_better_turn_the_differences_round() -> None:
    ranks = {"a": [1.0, 2.0] * 6, "b": [3.0, 3.0, 4.0] * 4}
    scores = Scores(tuple(entry(name, {"MR": values}) for name, values in ranks.items()))
    [measure] = compare(scores, QUICK, baseline="b").datasets[0].measures
    [found] = measure.differences
    assert (found.retriever, found.wins, found.losses) == ("a", 12, 0)
    assert found.value == pytest.approx(10 / 3 - 1.5)
    assert measure.lower_is_better
    assert "lower is better; differences: + is better" in measure.label
    assert measure.means["a"].value == 1.5


def test_undefined_values_leave_out_their_queries_and_say_so() -> None:
    some = [1.0] * 6 + [np.nan] * 3 + [2.0] * 3
    scores = Scores((entry("a", {"RR": [0.5] * 12, "MR": some}),
                     entry("b", {"RR": [0.4] * 12, "MR": [np.nan] + [1.5] * 11})))  # fmt: skip
    one = compare(scores, QUICK).datasets[0]
    [found] = one["MR"].differences
    assert (found.n, one["MR"].means["a"].n, one["MR"].means["b"].n) == (8, 9, 11)
    assert "undefined for some queries" in one["MR"].notes[0]
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
            assert mean.interval.low < mean.value < mean.interval.high
    assert one["gmAP"].label == "ln gmAP"
    assert "means per query, not sums" in one["NumRelRet"].notes
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
    assert note.startswith("only 6 clusters of queries")


def test_all_pairs_are_those_of_randomized_tukey() -> None:
    scores = scores_of(systems=3)
    one = compare(scores, QUICK, all_pairs=True, permutations=200).datasets[0]
    values = np.stack(
        [[array(scores, name, m) for name in ("r0", "r1", "r2")] for m in ("nDCG@10", "R@10")]
    )
    p = randomized_tukey(values, permutations=200)
    assert one.pairs is not None
    assert [(pair.measure, pair.first, pair.second) for pair in one.pairs] == [
        (m, *pair)
        for m in ("nDCG@10", "R@10")
        for pair in (("r0", "r1"), ("r0", "r2"), ("r1", "r2"))
    ]
    expected = [p[m, a, b] for m in range(2) for a, b in ((0, 1), (0, 2), (1, 2))]
    assert [pair.p for pair in one.pairs] == pytest.approx(expected)
    first = one.pairs[0]
    assert first.value == pytest.approx(array(scores, "r0").mean() - array(scores, "r1").mean())
    assert compare(scores, QUICK).datasets[0].pairs is None


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
        compare(scores_of(), QUICK, all_pairs=True, permutations=100),
        compare(scores_of(), QUICK, clusters=labels),
        compare(one_query),
    ):
        record = json.loads(json.dumps(made.to_dict(), allow_nan=False))
        validator.validate(record)
        assert list(record) == ["schema", "options", "datasets"]
        [dataset] = record["datasets"]
        verdict = made.datasets[0].verdict
        for recorded, line in zip(dataset["verdict"]["lines"], verdict.lines, strict=True):
            known = {
                name: None if isinstance(fact, float) and math.isnan(fact) else fact
                for name, fact in line.facts.items()
            }
            if "differences" in line.facts:
                known["differences"] = line.to_dict()["facts"]["differences"]
            assert (recorded["kind"], recorded["facts"]) == (line.kind, known)
            for language in LANGUAGES:
                said = {"word": line.word(language), "text": line.text(language)}
                assert recorded[language] == said
        assert {"retriever", "value", "interval", "p_adjusted", "decided", "equivalence"} <= set(
            dataset["measures"][0]["differences"][0]
        )
    described = schema["$defs"]["Difference"]["properties"]
    assert all(field.get("description") for field in described.values())


# What is asked wrongly.


def test_one_query_is_answered_in_words() -> None:
    scores = Scores((entry("a", {"RR": [1.0]}), entry("b", {"RR": [0.5]})))
    for test in ("randomization", "t", "wilcoxon"):
        one = compare(scores, test=test).datasets[0]
        [found] = one.measures[0].differences
        assert (found.test.p, found.decided, found.detectable) == (1.0, False, None)
        assert found.interval.note == "not estimable"
        assert "These queries cannot decide: a and b differ on 1 of 1." in one.verdict.text


A, B = entry("a", {"RR": [1.0, 0.5]}), entry("b", {"RR": [0.5, 0.5]})
OTHERS = entry("b", {"RR": [0.5, 0.5, 1.0]}, ids=["q1", "q2", "q3"])
ELSEWHERE = entry("b", {"RR": [0.5, 0.5]}, ids=["x", "y"])
NONE = entry("b", {"RR": []}, ids=())


@pytest.mark.parametrize(
    ("entries", "words", "error", "said"),
    [
        ((A, B), {"baseline": "bb"}, ConfigError,
         "the baseline 'bb' is none of the retrievers. Did you mean 'b'? Allowed: a, b"),
        ((A,), {}, ConfigError, "nothing to compare: 'a' is the only retriever"),
        ((), {}, ConfigError, "there are no scores"),
        ((A, A), {}, ConfigError, "two retrievers are named 'a'"),
        ((A, entry("b", {"AP": [0.5, 0.5]})), {}, ConfigError, "'a' was not scored by AP"),
        ((A, OTHERS), {}, DataError,
         "1 in common, 1 only of 'a', 2 only of 'b'. Score both on the same queries, or compare "
         "on the common ones: --allow-intersect"),
        ((A, ELSEWHERE), {}, DataError, "0 in common, 2 only of 'a', 2 only of 'b'"),
        ((A, ELSEWHERE), {"allow_intersect": True}, DataError, "no query in common"),
        ((NONE, entry("a", {"RR": []})), {}, DataError, "no query was scored"),
        ((A, entry("b", {"RR": [0.5, 0.5]}, largest_grade=3.0)), {}, DataError,
         "scored by different judgments"),
        ((A, B), {"margin": 0}, ConfigError,
         "margin: the number 0 is too small. It must be more than 0"),
        ((A, B), {"margin": -0.02}, ConfigError, "It must be more than 0"),
        ((A, B), {"margin": float("nan")}, ConfigError,
         "margin: the number nan, which is not finite"),
        ((A, B), {"margins": 1}, ConfigError, "margins: unknown option. Did you mean 'margin'?"),
        ((A, B), {"correction": "sidak"}, ConfigError, "correction: unknown value 'sidak'"),
        ((A, B), {"resamples": 5}, ConfigError, "It must be at least 100"),
        ((A, B), {"cluster": "doc"}, ConfigError, "cluster 'doc' needs the queries"),
        ((A, B), {"clusters": {"q0": "c"}}, DataError,
         "1 of 2 queries have no cluster, such as 'q1'"),
        ((A, B), {"clusters": {"q0": "c", "q1": "c"}}, DataError, "in one cluster"),
    ],
)  # fmt: skip
def test_wrong_asks_are_refused_in_words(
    entries: tuple[RetrieverScores, ...], words: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error) as raised:
        compare(Scores(entries), **words)
    assert said in str(raised.value)


def test_a_baseline_that_failed_on_one_dataset_is_named() -> None:
    more = [entry(name, {"RR": [1.0, 0.5]}, dataset="e") for name in ("b", "c")]
    with pytest.raises(ConfigError, match="e: the baseline 'a' has no scores on this dataset"):
        compare(Scores((A, B, *more)), baseline="a")


def test_common_queries_are_compared_if_wished_and_counted() -> None:
    ids = [f"q{n}" for n in range(20)]
    first = entry("a", {"RR": [1.0] * 20}, ids=ids)
    second = entry("b", {"RR": [0.5] * 18}, ids=[*ids[5:], "x", "y", "z"])
    one = compare(Scores((first, second)), QUICK, allow_intersect=True).datasets[0]
    assert one.n == one.measures[0].differences[0].n == 15
    assert one.notes == (
        "compared on the 15 queries that every retriever was scored on; 8 that only some were "
        "scored on are left out",
    )


def test_other_judgments_are_compared_if_wished_and_said() -> None:
    other = entry("b", {"RR": [0.5, 0.5]}, largest_grade=3.0)
    assert compare(Scores((A, other)), allow_intersect=True).datasets[0].notes == (
        "'a' and 'b' were scored by different judgments: 0 and 0 queries without a relevant "
        "passage, largest grade 1 and 3",
    )


def test_depths_that_differ_are_said() -> None:
    qrels = {f"q{n}": ["a"] for n in range(8)}
    parts = [
        score(dict.fromkeys(qrels, order), qrels, ["RR", "R@depth"], retriever=name)
        for name, order in {"bm25": ["x", "a"], "dense": ["a", "x", "y"]}.items()
    ]
    one = compare(Scores.joined(parts), QUICK).datasets[0]
    assert one["R@depth"].notes == ("not the same cutoff for all: R@2 for bm25, R@3 for dense",)


def test_options_start_from_given_ones() -> None:
    made = CompareOptions(margin=0.05, seed=7).changed(correction="none")
    assert (made.margin, made.seed, made.correction) == (0.05, 7, "none")


# Known figures.


@pytest.fixture(scope="module")
def xquad(conformance: Path) -> Scores:
    dataset = load_dataset(conformance / "collections" / "xquad-en")
    assert dataset.corpus is not None
    fields = ("title", "text")
    specs = {
        "plain": BM25(tokenizer=Snowball(stem=False), fields=fields),
        "stemmed": BM25(fields=fields),
        "low": BM25(k1=0.9, b=0.4, fields=fields),
    }
    parts = []
    for name, spec in specs.items():
        run = spec.build(dataset.corpus).search(dataset.queries, 100)
        parts.append(score(run, dataset.qrels, ["nDCG@10"], dataset="xquad-en", retriever=name))
    return Scores.joined(parts)


@pytest.mark.parametrize("interval", ["t", "percentile"])
def test_known_figures_on_xquad(xquad: Scores, interval: str) -> None:
    one = compare(xquad, baseline="plain", interval=interval).datasets[0]
    figures = {
        "stemmed": (0.007, 0.002, 0.013, 0.005, (39, 25, 1126)),
        "low": (0.006, 0.001, 0.012, 0.032, (43, 34, 1113)),
    }
    for found in one.measures[0].differences:
        value, low, high, p, counted = figures[found.retriever]
        assert round(found.value, 3) == value
        assert (round(found.interval.low, 3), round(found.interval.high, 3)) == (low, high)
        # Monte Carlo: three standard errors of 10,000 sign flips.
        assert found.test.p == pytest.approx(p, abs=3 * np.sqrt(p * (1 - p) / 10_000))
        assert (found.wins, found.losses, found.ties) == counted


def test_known_verdict_on_xquad(xquad: Scores) -> None:
    comparison: Comparison = compare(Scores(xquad.entries[:2]))
    assert str(comparison["xquad-en"]) == (
        "Decided. Use stemmed: nDCG@10 0.968 [0.960, 0.975], the best of 2.\n"
        "Sure: stemmed is better than plain by 0.007 [+0.002, +0.013]."
    )
