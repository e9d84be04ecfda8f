"""The rules, by hand and by brute force."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.stats.bands import SettingValues
from ragscore.tuning import Budget, TuneOptions
from ragscore.tuning.choose import RuleChoice
from tests.factories.thorough import examples
from tests.factories.tunings import found


def chooser_of(values: np.ndarray, options: TuneOptions) -> RuleChoice:
    """A rule over values of queries that all get k passages at each k."""
    taken = np.broadcast_to(np.arange(1, values.shape[1] + 1.0), values.shape)
    answered = SettingValues.of(np.ones(values.shape))
    return RuleChoice(options, SettingValues.of(values), SettingValues.of(taken), answered)


def chosen(values: np.ndarray, rule: str = "best_f", **options: object) -> tuple[int, bool]:
    rule_choice = chooser_of(values, TuneOptions(rule=rule, **options))
    choice = rule_choice.choose(np.ones((1, len(values)), dtype=bool))
    return int(choice.setting[0]), bool(choice.reached[0])


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=4, max_size=4), min_size=2),
    st.sampled_from([0.1, 0.5, 0.75, 1.0]),
)
@settings(max_examples=examples(60), deadline=None)
def test_every_rule_as_its_words_say(rows: list[list[float]], target: float) -> None:
    values = np.array(rows)
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    best = max(means)
    first_best = min(at for at, mean in enumerate(means) if mean >= best - 1e-12)
    assert chosen(values) == (first_best, True)
    budget = {"rule": "budget", "budget": Budget(limit=9)}
    assert chosen(values, **budget) == (first_best, True)
    enough = [at for at, mean in enumerate(means) if mean >= target - 1e-12]
    for rule, pick in (("recall", min), ("precision", max)):
        wanted = (pick(enough), True) if enough else (first_best, False)
        assert chosen(values, rule=rule, target=target) == wanted


def test_the_largest_k_is_the_first_that_fills_every_context() -> None:
    # Within 9 words the queries get 1, 1.75, 2 and 2 passages on average.
    tuning = found(rule="precision", target=0.3, budget=Budget(limit=9))
    assert tuning.curves[tuning.precision].mean[2] == tuning.curves[tuning.precision].mean[3]
    assert tuning.k == 3


def test_a_confident_target_is_that_of_the_lower_bound() -> None:
    hits = np.array([12, 15, 17, 18, 19, 20])
    values = (np.arange(20)[:, None] < hits).astype(float)
    assert chosen(values, rule="recall", target=0.75) == (1, True)
    # Wilson's lower bound of 19 of 20 is .764, that of 18 of 20 is .699.
    assert chosen(values, rule="recall", target=0.75, confident=True) == (4, True)
    assert chosen(values, rule="recall", target=0.9, confident=True) == (5, False)


def test_where_nothing_can_be_estimated_nothing_is_confident() -> None:
    values = np.full((10, 2), 0.5)
    assert chosen(values, rule="precision", target=0.1, confident=True) == (0, False)


def test_the_knee_is_furthest_above_the_line_between_the_ends() -> None:
    values = np.array([[0.2, 0.6, 0.8, 0.85, 0.9]])
    # Scaled: x 0 .25 .5 .75 1, y 0 .571 .857 .929 1: the differences are 0 .321 .357 .179 0.
    assert chosen(values, rule="knee") == (2, True)
    assert chosen(np.full((1, 3), 0.4), rule="knee") == (0, True)
    assert chosen(np.array([[0.1, 0.2, 0.3]]), rule="knee") == (0, True)


@pytest.mark.parametrize("rule", ["best_f", "recall"])
def test_parts_choose_as_if_they_were_all_there_is(rule: str) -> None:
    random = np.random.default_rng(0)
    values = np.sort(random.random((30, 8)), axis=1)
    options = TuneOptions(rule=rule, target=0.5 if rule == "recall" else None)
    parts = random.random((5, 30)) < 0.5
    together = chooser_of(values, options).choose(parts)
    for at, part in enumerate(parts):
        some = values[part]
        alone = chooser_of(some, options).choose(np.ones((1, len(some)), bool))
        assert together.setting[at] == alone.setting[0]
        assert together.reached[at] == alone.reached[0]


def test_a_knee_before_anything_is_found_is_none() -> None:
    assert chosen(np.array([[0.0, 0.0, 0.0, 1.0]]), rule="knee") == (0, False)
    assert chosen(np.array([[0.5, 0.9, 1.0]]), rule="knee") == (1, True)
