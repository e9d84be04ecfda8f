"""One run, tuned: by hand on a small case, and against score() on all cutoffs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from ragscore import Dataset, score
from ragscore.dataset import Queries
from ragscore.dataset.labels import cluster_numbers, clusters_of
from ragscore.errors import ConfigError, DataError
from ragscore.messages import text_of
from ragscore.models import Query
from ragscore.run import Run
from ragscore.tuning import Budget, TuneOptions, tune
from tests.factories.tunings import JUDGED, RETURNED, found, harbour, means, notes_of


def test_curves_are_the_scores_at_every_cutoff() -> None:
    tuning = found(rule="best_f", beta=2)
    for measure in ("P", "R", "F(beta=2)", "nDCG", "Success", "AP"):
        asked = [f"{measure}@{k}" for k in range(1, 5)]
        scores = score(RETURNED, JUDGED, asked).entries[0]
        assert means(tuning, measure) == pytest.approx(scores.means.tolist(), abs=1e-15)


def test_scoring_at_one_cutoff_has_the_means_at_every_k() -> None:
    names = ("P", "R", "F1", "nDCG", "Success", "AP")
    entry = score(RETURNED, JUDGED, [f"{name}@1" for name in names]).entries[0]
    tuning = found()
    for name in names:
        assert entry.curves[name].mean == pytest.approx(means(tuning, name), abs=1e-15)


def test_recall_by_hand() -> None:
    # Found after 1, 2, 3, 4 passages: q1 1 1 1 1, q2 0 .5 1 1, q3 0 0 1 1, q4 0 1 1 1.
    tuning = found(rule="recall", target=0.6)
    assert means(tuning, "R") == pytest.approx([0.25, 0.625, 1.0, 1.0])
    assert (tuning.k, tuning.state, tuning.at_edge) == (2, "recommended", False)
    assert tuning.marginal is not None
    assert tuning.marginal.recall.mean == pytest.approx([0.25, 0.375, 0.375, 0.0])
    assert tuning.marginal.precision.mean[1:] == pytest.approx(
        [0.125, 5 / 12 - 0.375, 5 / 16 - 5 / 12]
    )
    # Words: 3 7 9 15, 3 7 13 15, 6 10 12 12, 3 7 7 7.
    assert tuning.context == pytest.approx([3.75, 7.75, 10.25, 12.25])
    assert tuning.marginal.context == pytest.approx([3.75, 4.0, 2.5, 2.0])
    assert str(tuning.sentence) == (
        "Use k = 2 (smallest k with recall at least 0.6): recall 0.625 (CI 0.000 to 1.000); going "
        "to 3 adds 0.375 recall for 2 words per query."
    )


def test_a_target_that_nothing_reaches_says_the_best() -> None:
    run = {"q1": ["a", "x"], "q2": ["x", "y"], "q3": ["x", "b"]}
    judged = {"q1": ["a"], "q2": ["c"], "q3": ["b"]}
    tuning = tune(Run.from_dict(run), judged, TuneOptions(rule="recall", target=0.9))
    assert str(tuning.sentence) == "No k reaches recall 0.9; the best, k = 2, has 0.667."
    assert (tuning.state, tuning.nearest_setting, tuning.at_edge) == ("not reached", 1, True)
    assert (tuning.setting, tuning.k, tuning.cut, tuning.further()) == (None, None, None, None)
    assert tuning.held_out == {}
    assert "record with a larger depth" in str(tuning.notes[0])
    precise = tune(Run.from_dict(run), judged, TuneOptions(rule="precision", target=0.5))
    assert str(precise.sentence).startswith(
        "No k reaches precision 0.5; the best, k = 1, has 0.333. "
    )
    sure = tune(Run.from_dict(run), judged, TuneOptions(rule="recall", target=0.6, confident=True))
    assert str(sure.sentence).startswith(
        "No k reaches recall 0.6 with the lower end of its 95 % interval; the best, k = 2, has "
        "0.667 (CI 0.208 to 0.939)"
    )


def test_searching_deeper_is_not_advised_where_it_cannot_help() -> None:
    # Everything is found by k = 1, and 4 queries are too few to be sure of .9.
    run = {f"q{at}": ["a", "x"] for at in range(4)}
    judged = {query: ["a"] for query in run}
    sure = TuneOptions(rule="recall", target=0.9, confident=True)
    tuning = tune(Run.from_dict(run), judged, sure)
    assert (tuning.state, tuning.at_edge) == ("not reached", False)
    assert "record with a larger depth" not in notes_of(tuning)
    # The end of the context, not of the run, keeps recall down.
    shallow = {query: dict(list(found.items())[:3]) for query, found in RETURNED.items()}
    options = TuneOptions(rule="recall", target=0.9, budget=Budget(unit="words", limit=9))
    full = tune(Run.from_dict(shallow), harbour(), options)
    assert (full.state, full.at_edge) == ("not reached", False)
    assert str(full.sentence) == (
        "No k reaches recall 0.9 within 9 words; the best, k = 2, has 0.625."
    )


def test_a_budget_is_held_against_a_larger_one() -> None:
    tuning = found(rule="budget", budget=Budget(unit="words", limit=9))
    assert tuning.further().place == 2  # k = 3 takes more words, for nothing
    assert str(tuning.sentence) == (
        "Use k = 2 (smallest k with the highest recall within 9 words): recall 0.625 (CI 0.000 to "
        "1.000); a query gets 1.8 passages (7 words) on average, and the limit cuts 25.0 % of the "
        "contexts; a budget of 20 words adds 0.375 recall."
    )


def test_the_sentence_in_korean() -> None:
    assert text_of(found(rule="recall", target=0.6).sentence, "ko") == (
        "k = 2 값을 권합니다(재현율 0.6 이상인 가장 작은 k): 재현율 0.625 (신뢰구간 0.000 ~ "
        "1.000); "
        "3까지 넓히면 질의당 2 단어 분량이 늘고 재현율이 0.375 높아집니다."
    )
    run, judged = Run.from_dict({"q1": ["a"], "q2": ["x"]}), {"q1": ["a"], "q2": ["b"]}
    options = TuneOptions(rule="recall", target=0.9)
    assert text_of(tune(run, judged, options).sentence, "ko") == (
        "재현율 0.9에 이르는 k 값이 없습니다. 가장 좋은 k = 1에서 0.500입니다."
    )


def test_the_held_out_value_stands_beside_that_in_sample() -> None:
    tuning = found(rule="best_f", folds=2, repeats=3)
    (measure, done), *others = tuning.held_out.items()
    assert str(measure) == "F1"
    assert done.in_sample == pytest.approx(max(means(tuning, "F1")))
    assert done.times.sum() == 6
    assert {str(other) for other, _ in others} == {"P", "R"}


def test_notes_say_what_a_reader_must_know() -> None:
    run = Run.from_dict({"q1": ["a"], "q2": ["b", "d"], "q3": ["x"]})
    judged = {**JUDGED, "q5": {"a": 0}}
    notes = notes_of(tune(run, judged, TuneOptions(rule="knee")))
    assert "1 of 5 queries have no relevant passage and score 0" in notes
    assert "2 of 5 queries are not in the run and score 0" in notes
    few = notes_of(found(rule="knee", cluster="kind"))
    assert "only 2 clusters" in few
    assert "only 2 folds, since there are no more clusters" in few
    assert "2 unanswerable queries are left out" in few
    one = harbour().queries
    fewer = Dataset.from_rows(
        harbour().corpus, [query for query in one if query.id != "also"], JUDGED, name="small"
    )
    alone = tune(Run.from_dict(RETURNED, name="bm25"), fewer, TuneOptions(rule="knee"))
    assert "1 unanswerable query is left out: every k" in notes_of(alone)


def test_plain_data_holds_every_number_and_no_nan() -> None:
    import json

    data = found(rule="knee").to_dict()
    text = json.dumps(data, allow_nan=False)
    assert json.loads(text)["recommended"]["label"].startswith("k = ")
    assert len(data["curves"]["AP"]["low"]) == 4  # type: ignore[index,call-overload]


def test_same_seed_same_digits() -> None:
    assert found(rule="knee").to_dict() == found(rule="knee").to_dict()


TWO = {"q1": ["a", "x"], "q2": ["x", "b"]}


@pytest.mark.parametrize(
    ("run", "judged", "options", "error", "said"),
    [
        ({"q1": ["a"]}, {"q1": ["a"]}, {}, DataError, "only 1 judged query"),
        (TWO, {"other": {"a": 0}, "q1": {"a": 0}}, {}, DataError, "no query has a relevant"),
        ({"q1": [], "q2": []}, {"q1": ["a"], "q2": ["b"]}, {}, DataError, "nothing came back"),
        (TWO, TWO, {"at": [200]}, ConfigError, "k = 200 is beyond the 2 passages"),
        (TWO, TWO, {"by": "score"}, ConfigError, "has no scores"),
        (TWO, TWO, {"budget": Budget(limit=9)}, ConfigError, "a budget of words needs the texts"),
        (TWO, TWO, {"cluster": "topic"}, ConfigError, "clusters by 'topic' need the queries"),
        (
            {"q1": {"a": 1.0, "x": 0.5}, "q2": {"b": -1.0}},
            TWO,
            {"by": "ratio"},
            ConfigError,
            "a ratio needs scores above 0",
        ),
    ],
)
def test_wrong_asks(
    run: dict[str, Any], judged: dict[str, Any], options: dict[str, Any], error: type, said: str
) -> None:
    with pytest.raises(error, match=said):
        tune(Run.from_dict(run), judged, TuneOptions(**options))


def test_a_cluster_that_nobody_has_names_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"no query has a tag or metadata 'knd'.*'kind'"):
        found(cluster="knd")


def test_the_order_of_tags_makes_no_other_cluster() -> None:
    tags = (["on:x", "on:y"], ["on:y", "on:x"], ["on:x"])
    rows = [Query(id=str(at), text="?", tags=own) for at, own in enumerate(tags)]
    clusters = clusters_of(Queries.from_rows(rows), "on")
    assert cluster_numbers(clusters, list("012"), where="").tolist() == [0, 0, 1]


def test_a_query_without_a_cluster_is_refused_as_by_compare() -> None:
    rows = [Query(id="a", text="?", tags=["on:x"]), Query(id="b", text="?")]
    with pytest.raises(DataError, match="1 of 2 queries have no cluster, such as 'b'"):
        cluster_numbers(clusters_of(Queries.from_rows(rows), "on"), ["a", "b"], where="")


def test_nothing_beyond_the_depth_is_recommended() -> None:
    random = np.random.default_rng(0)
    for depth in (1, 2, 7):
        run = {f"q{at}": [str(one) for one in random.permutation(40)[:depth]] for at in range(6)}
        judged = {f"q{at}": [str(at)] for at in range(6)}
        judged["q0"] = run["q0"][:1]
        for rule, target in (
            ("best_f", None),
            ("recall", 0.99),
            ("precision", 0.01),
            ("knee", None),
        ):
            tuning = tune(Run.from_dict(run), judged, TuneOptions(rule=rule, target=target))
            assert tuning.nearest_setting is not None
            assert 0 <= tuning.nearest_setting < depth
            if tuning.setting is None:
                assert (tuning.state, rule) == ("not reached", "recall")
                continue
            assert not math.isnan(next(iter(tuning.held_out.values())).mean)
