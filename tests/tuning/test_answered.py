"""Precision among the answered: by hand, by brute force on real runs, and what its band covers."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from ragscore import Dataset, evaluate, load_dataset
from ragscore.retrievers import BM25
from ragscore.run import Run
from ragscore.stats.bands import SettingValues
from ragscore.stats.folds import folds
from ragscore.tuning import Budget, TuneOptions, Tuning, tune
from ragscore.tuning.tuning_input import strata_of
from tests.factories.tunings import found

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tenancy() -> tuple[Run, Dataset]:
    """BM25 on a set with 74 queries that have answers and 13 that have none."""
    return searched(ROOT / "datasets" / "harbour-tenancy")


def searched(folder: Path) -> tuple[Run, Dataset]:
    dataset = load_dataset(folder)
    result = evaluate(dataset, {"bm25": BM25(tokenizer={"kind": "words"})}, ["R@10"], depth=20)
    return result.runs[dataset.name, "bm25"], dataset


def setting_of(tuning: Tuning, cut: float) -> int:
    """The loosest setting that is at least as strict as a cut."""
    return int(np.flatnonzero(tuning.thresholds.values >= cut)[-1])


def test_precision_among_the_answered_by_hand() -> None:
    tuning = found(by="score", rule="precision", target=0.9)
    precision, kept = tuning.curves[tuning.precision].mean, tuning.passages
    assert kept.unanswerable_answered is not None
    # From 9: q1 with a, which is relevant. From 7.5: q2 with a and b, too, of which b is, and
    # "also", which has no answer. From 6: q2 with d as well, and q4 with a, which is not relevant.
    for cut, wanted, answered, wrongly in (
        (9.0 - 0.01, 1.0, 0.25, 0.0),
        (7.5 - 0.01, (1 + 1 / 2 + 0) / 3, 0.5, 0.5),
        (6.0 - 0.01, (1 + 2 / 3 + 0 + 0) / 4, 0.75, 0.5),
    ):
        at = setting_of(tuning, cut)
        assert precision[at] == pytest.approx(wanted)
        assert tuning.at(at).measures["R"].n == 4
        assert tuning.at(at).measures["P"].n == round(4 * answered + 2 * wrongly)
        assert (kept.answered.mean[at], kept.unanswerable_answered.mean[at]) == (answered, wrongly)
    assert tuning.cut == pytest.approx(9.0, abs=0.01)
    assert str(tuning.sentence).startswith(
        f"Use {tuning.thresholds.label(0)} (loosest cut with precision at least 0.9): "
        "precision 1.000 (CI 0.207 to 1.000) among the answered, recall 0.250; 1 of 4 queries are "
        "answered (25.0 %) and, wrongly, 0 of 2 unanswerable ones, with 0.2 passages per query "
        "(0 to 1)"
    )


def test_where_none_is_answered_there_is_no_precision() -> None:
    # The passage with the highest score is too large, so the strictest cuts answer nothing.
    data = Dataset.from_rows(
        {"long": "one two three", "short": "one"},
        {"q1": "?", "q2": "?"},
        {"q1": ["long"], "q2": ["short"]},
    )
    run = Run.from_dict({"q1": {"long": 9.0}, "q2": {"short": 1.0}})
    asked = TuneOptions(by="score", rule="precision", target=0.9, budget=Budget(limit=2))
    tuning = tune(run, data, asked)
    precision = tuning.curves[tuning.precision].mean
    assert math.isnan(precision[0])
    assert precision[-1] == 1.0
    assert tuning.setting == len(tuning.thresholds) - 1
    data_of = tuning.to_dict()
    assert data_of["curves"]["P"]["mean"][0] is None  # type: ignore[index,call-overload]


def test_a_cut_must_answer_as_many_as_the_coverage_asks() -> None:
    asked = {"by": "score", "rule": "precision", "target": 0.4}
    loosest = found(**asked)
    at = loosest.setting
    assert at is not None
    share = float(loosest.passages.answered.mean[at])
    assert found(**asked, coverage=share).setting == at
    more = found(**asked, coverage=1.0)
    assert (more.state, more.held_out) == ("not reached", {})
    assert str(more.sentence).startswith(
        "No score cut reaches precision 0.4 and answers 100 % of the"
    )
    assert more.nearest_setting is not None
    assert more.passages.answered.mean[more.nearest_setting] == 1.0
    best = found(by="score", rule="best_f", coverage=0.75)
    assert best.setting is not None
    assert best.passages.answered.mean[best.setting] >= 0.75
    never = found(by="score", rule="best_f", coverage=1.0, budget=Budget(limit=3))
    loosest_of_all = never.thresholds.label(len(never.thresholds) - 1)
    assert str(never.sentence) == (
        f"No score cut answers 100 % of the queries; the loosest, {loosest_of_all}, answers 75.0 %."
    )


def by_brute_force(
    run: Run, dataset: Dataset, cut: float, by: str
) -> tuple[dict[str, float | None], dict[str, bool]]:
    """By averaged query the precision of what it gets, None where that is nothing; by unanswerable
    query whether it gets a passage."""
    judged, returned = dataset.qrels.to_dict(), run.to_dict()
    unanswerable = dataset.queries.unanswerable

    def kept(query: str) -> list[str]:
        scores = returned.get(query, {})
        top = max(scores.values(), default=0.0)
        height = {"score": lambda s: s, "gap": lambda s: s - top, "ratio": lambda s: s / top}[by]
        least = -cut if by == "gap" else cut
        return [passage for passage, score in scores.items() if height(score) >= least]

    precision: dict[str, float | None] = {}
    for query, grades in judged.items():
        if query in unanswerable:
            continue
        got = kept(query)
        hits = sum(grades.get(passage, 0) >= 1 for passage in got)
        precision[query] = hits / len(got) if got else None
    return precision, {query: bool(kept(query)) for query in unanswerable}


@pytest.mark.parametrize("by", ["score", "gap", "ratio"])
def test_every_cut_agrees_with_brute_force(tenancy: tuple[Run, Dataset], by: str) -> None:
    agrees_with_brute_force(*tenancy, by)


@pytest.mark.parametrize("name", ["cranfield", "autorag-ko-finance"])
def test_every_cut_of_a_real_collection_agrees(conformance: Path, name: str) -> None:
    agrees_with_brute_force(*searched(conformance / "collections" / name), "score")


def agrees_with_brute_force(run: Run, dataset: Dataset, by: str) -> None:
    tuning = tune(run, dataset, TuneOptions(by=by))
    precision, kept = tuning.curves[tuning.precision], tuning.passages
    for at in range(0, len(tuning.thresholds), 7):
        of_query, wrong = by_brute_force(run, dataset, float(tuning.thresholds.values[at]), by)
        answered = [value for value in of_query.values() if value is not None]
        values = answered + [0.0] * sum(wrong.values())
        assert kept.answered.mean[at] == pytest.approx(len(answered) / len(of_query))
        if wrong:
            assert kept.unanswerable_answered is not None
            assert kept.unanswerable_answered.mean[at] == pytest.approx(
                sum(wrong.values()) / len(wrong)
            )
        assert precision.mean[at] == pytest.approx(sum(values) / len(values), abs=1e-12)
        if len({*values}) > 2:  # else shares, with Wilson's interval
            low, high = stats.t.interval(
                0.95, len(values) - 1, np.mean(values), np.std(values, ddof=1) / len(values) ** 0.5
            )
            assert precision.low[at] == pytest.approx(max(low, 0.0), abs=1e-9)
            assert precision.high[at] == pytest.approx(min(high, 1.0), abs=1e-9)


def test_abstaining_reaches_a_precision_that_answering_all_never_does(
    tenancy: tuple[Run, Dataset],
) -> None:
    run, dataset = tenancy
    asked = TuneOptions(by="score", rule="precision", target=0.55, coverage=0.1)
    tuning = tune(run, dataset, asked)
    at = tuning.setting
    assert at is not None
    of_query, wrong = by_brute_force(run, dataset, float(tuning.thresholds.values[at]), "score")
    hits = sum(value or 0.0 for value in of_query.values())
    answered = sum(value is not None for value in of_query.values()) + sum(wrong.values())
    assert tuning.curves[tuning.precision].mean[at] == pytest.approx(hits / answered)
    assert hits / answered >= 0.55 - 1e-9
    assert answered < 0.5 * len(of_query)
    # Were those that get nothing counted as 0, no cut would come near.
    assert hits / len(of_query) < 0.3


def test_the_held_out_value_is_a_ratio_over_the_folds(tenancy: tuple[Run, Dataset]) -> None:
    run, dataset = tenancy
    asked = {"rule": "precision", "target": 0.4, "by": "score", "folds": 3, "repeats": 2, "seed": 5}
    tuning = tune(run, dataset, TuneOptions(**asked))
    done = tuning.held_out[tuning.precision]
    brute = [by_brute_force(run, dataset, float(cut), "score") for cut in tuning.thresholds.values]
    order = [*[q for q in run.queries if q in brute[0][0]], *sorted(brute[0][1])]
    values = np.array([[of.get(query) or 0.0 for query in order] for of, _ in brute])
    counts = np.array(
        [
            [of[query] is not None if query in of else wrong[query] for query in order]
            for of, wrong in brute
        ],
        dtype=float,
    )
    dealt = folds(len(order), k=3, repeats=2, seed=5, strata=strata_of(dataset.queries, order))
    sums = np.zeros(2)
    for test_of in dealt.test_of:
        for fold in range(3):
            rest = test_of != fold
            with np.errstate(invalid="ignore"):
                means = (values * counts)[:, rest].sum(1) / counts[:, rest].sum(1)
            enough = np.flatnonzero(means >= 0.4)
            at = enough[-1] if len(enough) else np.nanargmax(means)
            sums += (values * counts)[at, ~rest].sum(), counts[at, ~rest].sum()
    assert done.mean == pytest.approx(sums[0] / sums[1], abs=1e-12)
    assert done.interval.low < done.mean < done.interval.high
    assert done.in_sample >= 0.4


def test_a_query_that_gets_nothing_counts_in_recall_and_not_in_precision() -> None:
    run = Run.from_dict({"q1": {"a": 9.0}, "q2": {"x": 1.0}, "q3": {"b": 8.0}})
    judged = {"q1": ["a"], "q2": ["c"], "q3": ["b"]}
    tuning = tune(run, judged, TuneOptions(by="score", rule="precision", target=1.0))
    at = tuning.setting
    assert at is not None
    assert tuning.curves[tuning.precision].mean[at] == 1.0
    assert tuning.curves[tuning.recall].mean[at] == pytest.approx(2 / 3)
    assert tuning.passages.answered.mean[at] == pytest.approx(2 / 3)
    assert tuning.passages.unanswerable_answered is None


@pytest.mark.slow
@pytest.mark.parametrize("clustered", [False, True])
def test_the_band_covers_the_ratio_where_the_answered_are_drawn(clustered: bool) -> None:
    # 60 queries, each answered with chance .4 and then with a precision of 0, 1/2 or 1.
    random = np.random.default_rng(11)
    truth, inside, samples = 0.3 * 0.5 + 0.4, 0, 1_500
    labels = np.repeat(np.arange(30), 2) if clustered else None
    for _ in range(samples):
        answered = (random.random((60, 1)) < 0.4).astype(float)
        precision = random.choice([0.0, 0.5, 1.0], p=[0.3, 0.3, 0.4], size=(60, 1))
        band = SettingValues.of(precision, labels, weights=answered).band()
        inside += band.low[0] <= truth <= band.high[0]
    assert 0.92 <= inside / samples <= 0.97


def test_nothing_counts_is_nan_and_one_that_counts_has_no_interval() -> None:
    values = np.array([[0.0, 0.5], [0.0, 0.0], [0.0, 0.0]])
    weights = np.array([[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    band = SettingValues.of(values, weights=weights).band()
    assert math.isnan(band.mean[0])
    assert band.mean[1] == 0.5
    assert np.isnan([band.low, band.high]).all()
