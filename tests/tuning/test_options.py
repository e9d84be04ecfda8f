"""What cannot be asked is said in plain words, and where."""

from __future__ import annotations

import pytest

from ragscore.errors import ConfigError
from ragscore.tuning import Budget, TuneOptions


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"rule": "recall"}, "the rule 'recall' needs a target"),
        ({"rule": "knee", "target": 0.5}, "the rule 'knee' has no target"),
        (
            {"rule": "recall", "target": 1.4},
            "target: the number 1.4 is too large. It must be at most 1",
        ),
        ({"rule": "precision", "target": 0.0}, "target: .* It must be more than 0"),
        ({"rule": "precision", "target": -0.1}, "target: .* It must be more than 0"),
        ({"target": 0.5}, "a target is given, but no rule that uses it"),
        ({"confident": True}, "confident is given, but no rule"),
        ({"rule": "knee", "confident": True}, "confident is about a target"),
        ({"by": "score", "coverage": 0.5}, "coverage is given, but no rule"),
        ({"rule": "best_f", "coverage": 0.5}, "every k answers all"),
        ({"rule": "best_f", "by": "gap", "coverage": 0.0}, "coverage: .* It must be more than 0"),
        ({"rule": "budget"}, "needs a budget with a limit"),
        ({"rule": "budget", "budget": {"unit": "words"}}, "needs a budget with a limit"),
        ({"budget": {"unit": "tokens"}}, "tokens are counted by a tokenizer, and none is given"),
        ({"budget": {"tokenizer": "x"}}, "a tokenizer counts nothing where the unit is words"),
        (
            {"budget": {"limit": 0}},
            "budget.limit: the number 0 is too small. It must be",
        ),
        ({"beta": 0}, "beta: the number 0 is too small. It must be more than 0"),
        ({"folds": 1}, "folds: the number 1 is too small. It must be at least 2"),
        ({"measures": ["nDGC"]}, "Did you mean 'nDCG'"),
        ({"measures": ["Rprec"]}, "Rprec has no value at each k"),
        ({"measures": ["MR"]}, "not a mean over the queries"),
        ({"measures": ["P(empty=skip)"]}, "no value for some queries"),
        ({"measures": ["P(average=micro)"]}, "not a mean over the queries"),
        ({"rul": "knee"}, "rul: unknown option. Did you mean 'rule'"),
        ({"rule": "best"}, "rule: unknown value 'best'. Did you mean 'best_f'"),
        ({"at": [0]}, r"at\[0\]: the number 0 is too small"),
    ],
)
def test_wrong_asks(given: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        TuneOptions().changed(**given)


def test_the_f_of_the_rule_is_drawn_and_measures_stand_as_listed() -> None:
    def drawn(**given: object) -> list[str]:
        return [str(measure) for measure in TuneOptions().changed(**given).families()]

    assert drawn() == ["P", "R", "F1", "nDCG", "Success", "AP"]
    assert drawn(rule="best_f", beta=2) == ["P", "R", "F(beta=2)", "nDCG", "Success", "AP"]
    assert drawn(measures=["Success@10"]) == ["P", "R", "F1", "Success"]
    assert drawn(measures=["R", "P(relevant_from=2)"]) == ["R", "P(relevant_from=2)", "F1"]


def test_cutoffs_of_measures_say_nothing() -> None:
    assert TuneOptions(measures=["nDCG@10"]) == TuneOptions(measures=["nDCG"])


def test_options_come_back_from_their_json() -> None:
    options = TuneOptions(
        rule="recall", target=0.9, budget=Budget(unit="tokens", limit=5, tokenizer="x")
    )
    assert TuneOptions.model_validate_json(options.canonical_json()) == options


def test_nobody_gave_a_rule_unless_a_budget_has_a_limit() -> None:
    assert TuneOptions().rule is None
    assert TuneOptions(budget=Budget(unit="words")).rule is None
    assert TuneOptions(budget=Budget(limit=9)).rule == "budget"
    assert TuneOptions(budget={"limit": 9}) == TuneOptions(rule="budget", budget=Budget(limit=9))
    assert TuneOptions(rule="knee", budget=Budget(limit=9)).rule == "knee"
