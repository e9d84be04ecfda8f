"""What the sentence says: the rule, first what it asked for, and why nothing is recommended."""

from __future__ import annotations

import pytest

from ragscore.elements import as_text
from ragscore.messages import text_of
from ragscore.run import Run
from ragscore.tuning import Budget, TuneOptions, tune
from tests.factories.tunings import found


def test_without_a_rule_no_k_is_recommended() -> None:
    tuning = found()
    assert (tuning.state, tuning.setting, tuning.k, tuning.rule) == ("no rule", None, None, None)
    assert tuning.held_out == {}
    # Recall .25, .625, 1, 1 at k = 1, 2, 3, 4.
    assert [(reached.recall, reached.setting.value) for reached in tuning.reaching] == [
        (0.5, 2),
        (0.6, 2),
        (0.7, 3),
        (0.8, 3),
        (0.9, 3),
        (0.95, 3),
        (None, 3),
    ]
    assert str(tuning.sentence) == (
        "Nothing is recommended without a rule; the highest recall, 1.000, takes k = 3."
    )
    assert text_of(tuning.sentence, "ko").startswith("기준이 없으면 아무것도 권하지 않습니다.")
    data = tuning.to_dict()
    assert (data["state"], data["recommended"], data["rule"]) == ("no rule", None, None)
    assert data["reaching"][0]["setting"]["value"] == 2
    assert str(found(by="score").sentence).endswith(", takes score >= 1.000.")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"rule": "best_f"},
            "(highest F1): F1 0.575 (CI 0.336 to 0.814), precision 0.417, recall 1.000;",
        ),
        (
            {"rule": "precision", "target": 0.3},
            "(largest k with precision at least 0.3): precision 0.312 (CI ",
        ),
        (
            {"rule": "recall", "target": 0.9},
            "(smallest k with recall at least 0.9): recall 1.000 (",
        ),
        ({"rule": "knee"}, "(knee of recall): recall "),
    ],
)
def test_a_rule_is_named_and_speaks_first_of_what_it_was_asked(
    options: dict[str, object], said: str
) -> None:
    assert said in str(found(**options).sentence)


def test_a_rule_in_korean() -> None:
    sentence = text_of(found(rule="recall", target=0.9).sentence, "ko")
    assert "(재현율 0.9 이상인 가장 작은 k): 재현율 1.000 (" in sentence


def test_where_no_query_exceeds_the_budget_the_sentence_says_so() -> None:
    tuning = found(rule="recall", target=0.6, budget=Budget(limit=10))
    said = "; a query gets 2.0 passages (8 words) on average, and no context exceeds the limit"
    assert f"{said};" in str(tuning.sentence)


def test_nothing_fits() -> None:
    tuning = found(budget=Budget(limit=2))
    assert (tuning.state, tuning.k) == ("nothing fits", None)
    assert str(tuning.sentence) == (
        "Nothing fits 2 words: every query's first passage alone is larger; the smallest has 3."
    )
    assert "2 단어" in text_of(tuning.sentence, "ko")


def test_nothing_relevant_is_found_or_fits() -> None:
    run, judged = {"q1": ["x", "y"], "q2": ["y", "x"]}, {"q1": ["a"], "q2": ["b"]}
    tuning = tune(Run.from_dict(run), judged, TuneOptions(rule="best_f"))
    assert (tuning.state, tuning.at_edge) == ("nothing found", True)
    assert str(tuning.sentence) == (
        "Nothing is recommended: of the 2 passages recorded for each query, none is relevant."
    )
    assert tune(Run.from_dict(run), judged).state == "nothing found"


def test_a_recall_without_a_knee() -> None:
    run, judged = {"q1": ["x", "y", "a"], "q2": ["y", "x", "z"]}, {"q1": ["a"], "q2": ["b"]}
    tuning = tune(Run.from_dict(run), judged, TuneOptions(rule="knee"))
    assert str(tuning.sentence).startswith("Recall has no knee")


@pytest.mark.parametrize(("target", "state"), [(0.2, "recommended"), (1.0, "not reached")])
def test_precision_is_held_against_what_the_judgments_allow(target: float, state: str) -> None:
    """Six relevant passages for five queries: no ranking has a precision above .24 at 5."""
    judged = {f"q{at}": {"a": 1, "b": 0, **({"c": 1} if at == 0 else {})} for at in range(5)}
    run = Run.from_dict({query: {name: -at for at, name in enumerate("xabyc")} for query in judged})
    tuning = tune(run, judged, rule="precision", target=target, folds=2, repeats=1)
    assert tuning.state == state
    if state == "recommended":
        assert str(tuning.sentence).endswith(
            "A query has 1.2 relevant passages on average, so precision at k = 5 can be 0.240 at "
            "most; 56.0 % of the top 5 is unjudged and counts as not relevant."
        )
    else:  # at k = 2 one of two is relevant
        assert "so precision at k = 2 can be 0.600 at most" in str(tuning)
    assert tuning.possible.highest.tolist() == pytest.approx([1, 0.6, 0.4, 0.3, 0.24])
    assert tuning.possible.unjudged[-1] == pytest.approx((5 * 3 - 1) / 25)
    assert tune(run, judged, rule="recall", target=0.5, folds=2, repeats=1).possible is None
    korean = as_text(tuning.elements(), language="ko")
    assert "적합 패시지는 질의당 평균 1.2개이므로" in korean
