"""Tuned to a context's size, a score or a gap: where the passages are cut."""

from __future__ import annotations

import numpy as np
import pytest

from ragscore.tuning import Budget
from tests.factories.tunings import JUDGED, RETURNED, found, means, notes_of


def test_a_passage_that_does_not_fit_ends_the_context() -> None:
    # In 9 words: q1 a b c, q2 a b, q3 d, q4 a b: recall 1, .5, 0, 1.
    tuning = found(rule="budget", budget=Budget(unit="words", limit=9))
    assert means(tuning, "R") == pytest.approx([0.25, 0.625, 0.625, 0.625])
    assert tuning.k == 2
    assert tuning.passages.mean == pytest.approx([1.0, 1.75, 2.0, 2.0])
    assert tuning.context == pytest.approx([3.75, 27 / 4, 29 / 4, 29 / 4])
    # P is of what fits: 1/3, 1/2, 0, 1/2 where k is 3 or more, whatever k is.
    assert means(tuning, "P")[2:] == pytest.approx([(1 / 3 + 1) / 4] * 2)
    assert tuning.overflow is not None
    # Uncut, the contexts of 1, 2, 3, 4 passages: 3 7 9 15, 3 7 13 15, 6 10 12 12, 3 7 7 7.
    assert tuning.overflow.context == pytest.approx([3.75, 7.75, 10.25, 12.25])
    assert tuning.overflow.queries == pytest.approx([0.0, 0.25, 0.5, 0.75])
    assert tuning.overflow.shortest == 3


def test_recall_and_precision_against_the_size_of_the_context() -> None:
    context = found(budget=Budget(unit="words", limit=9)).by_context
    assert context is not None
    assert context.limits.tolist() == [3, 5, 9, 10, 20]
    assert context.passages == pytest.approx([0.75, 0.75, 2.0, 2.25, 3.25])
    assert context.recall.mean == pytest.approx([0.25, 0.25, 0.625, 0.625, 1.0])
    assert context.precision.mean == pytest.approx(
        [0.25, 0.25, 1 / 3, 1 / 3, (1 / 4 + 1 / 2 + 1 / 3 + 1 / 2) / 4]
    )


def test_a_first_passage_that_does_not_fit_leaves_nothing() -> None:
    tuning = found(budget=Budget(unit="words", limit=5))
    assert tuning.passages.answered.mean == pytest.approx([0.75] * 4)
    assert tuning.passages.lowest.tolist() == [0.0] * 4


def test_queries_for_which_nothing_fits_are_counted() -> None:
    said = "1 of 4 queries get nothing: their first passage alone exceeds the budget"
    assert said in notes_of(found(budget=Budget(limit=3)))
    assert "get nothing" not in notes_of(found(budget=Budget(limit=6)))


def test_a_score_cut_lets_k_vary_and_refuses_the_unanswerable() -> None:
    tuning = found(by="score", rule="recall", target=0.99)
    # q3 needs its passage of score 1; from there on q1 has 4, q2 4, q3 3, q4 2.
    assert tuning.cut == pytest.approx(1.0, abs=0.01)
    at = tuning.setting
    assert (tuning.passages.lowest[at], tuning.passages.highest[at]) == (2, 4)
    assert tuning.passages.mean[at] == pytest.approx(13 / 4)
    assert tuning.passages.unanswerable == 2
    assert tuning.passages.unanswerable_answered is not None
    assert (
        tuning.passages.unanswerable_answered.mean[at] == 0.5
    )  # of none and also, the first scores .5 at most
    assert tuning.passages.unanswerable_answered.mean[0] == 0.0
    assert tuning.marginal is None
    assert str(tuning.sentence).startswith("Use score >= 1.0")


def test_an_unanswerable_query_whose_first_passage_does_not_fit_gets_nothing() -> None:
    # Both get "a" first, of three words.
    fits, not_one = (found(by="score", budget=Budget(unit="words", limit=n)) for n in (3, 2))
    assert fits.passages.unanswerable_answered is not None
    assert (
        fits.passages.unanswerable_answered.mean[-1] == 0.5
    )  # of "none", the first scores less than any cut
    assert not_one.passages.unanswerable_answered is not None
    assert not not_one.passages.unanswerable_answered.mean.any()


def test_a_gap_counts_from_the_first_and_always_keeps_it() -> None:
    tuning = found(by="gap", rule="recall", target=0.7)
    # Recall .25 at gap 0; q4 from .1, q2 from .5 and 1, q3 from 2.
    assert tuning.cut == pytest.approx(1.0, abs=0.02)
    assert tuning.passages.lowest.min() == 1
    assert means(tuning, "R")[tuning.setting] == pytest.approx(0.75)
    ratio = found(by="ratio", rule="recall", target=0.7)
    assert ratio.cut == pytest.approx(7 / 8, abs=0.01)


@pytest.mark.parametrize("by", ["score", "gap", "ratio"])
def test_each_cut_is_what_its_words_say(by: str) -> None:
    tuning = found(by=by)
    for at, cut in enumerate(tuning.thresholds.values):
        assert float(tuning.thresholds.shown(at)) == cut  # what is printed is what was tried
        counts = []
        for query in JUDGED:
            scores = list(RETURNED[query].values())
            passing = {
                "score": [one >= cut for one in scores],
                "gap": [one - scores[0] >= -cut for one in scores],
                "ratio": [one / scores[0] >= cut for one in scores],
            }[by]
            counts.append(sum(passing))
        assert tuning.passages.mean[at] == pytest.approx(np.mean(counts))
    assert (np.diff(tuning.passages.mean) >= 0).all()  # strictest first
