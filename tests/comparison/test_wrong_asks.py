"""compare(): what is asked wrongly, and what may be compared if wished."""

from __future__ import annotations

from typing import Any

import pytest

from ragscore.comparison import CompareOptions, compare
from ragscore.errors import ConfigError, DataError
from ragscore.scoring import RetrieverScores, Scores, score
from tests.factories.compared import QUICK
from tests.factories.scores import entry

# What is asked wrongly.


def test_one_query_is_answered_in_words() -> None:
    scores = Scores((entry("a", {"RR": [1.0]}), entry("b", {"RR": [0.5]})))
    for test in ("randomization", "t", "wilcoxon"):
        one = compare(scores, test=test).datasets[0]
        [found] = one.measures[0].differences
        assert (found.test.p, found.decided, found.detectable) == (1.0, False, None)
        assert str(found.interval.note) == "not estimable"
        assert "Open: a or b: a leads by 0.500; 1 of 1 questions differ." in str(one.verdict)


A, B = entry("a", {"RR": [1.0, 0.5]}), entry("b", {"RR": [0.5, 0.5]})
OTHERS = entry("b", {"RR": [0.5, 0.5, 1.0]}, ids=["q1", "q2", "q3"])
ELSEWHERE = entry("b", {"RR": [0.5, 0.5]}, ids=["x", "y"])
NONE = entry("b", {"RR": []}, ids=())


@pytest.mark.parametrize(
    ("entries", "words", "error", "said"),
    [
        ((A, B), {"baseline": "bb"}, ConfigError,
         "the baseline 'bb' is not one of the retrievers. Did you mean 'b'? Allowed: a, b"),
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
    assert list(map(str, one.notes)) == [
        "compared on the 15 queries with scores for every retriever; 8 queries with scores for "
        "only some are left out"
    ]


def test_other_judgments_are_compared_if_wished_and_said() -> None:
    other = entry("b", {"RR": [0.5, 0.5]}, largest_grade=3.0)
    (note,) = compare(Scores((A, other)), allow_intersect=True).datasets[0].notes
    assert str(note) == (
        "'a' and 'b' were scored by different judgments: 0 and 0 queries without a relevant "
        "passage, largest grade 1 and 3"
    )


def test_depths_that_differ_are_said() -> None:
    qrels = {f"q{n}": ["a"] for n in range(8)}
    parts = [
        score(dict.fromkeys(qrels, order), qrels, ["RR", "R@depth"], retriever=name)
        for name, order in {"bm25": ["x", "a"], "dense": ["a", "x", "y"]}.items()
    ]
    one = compare(Scores.joined(parts), QUICK).datasets[0]
    (note,) = one["R@depth"].notes
    assert str(note) == "the cutoff differs between retrievers: R@2 for bm25, R@3 for dense"


def test_options_start_from_given_ones() -> None:
    made = CompareOptions(margin=0.05, seed=7).changed(correction="none")
    assert (made.margin, made.seed, made.correction) == (0.05, 7, "none")
