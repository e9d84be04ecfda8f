"""What is read off a sweep: the best, what is as good, what choosing is worth, each parameter."""

from __future__ import annotations

import numpy as np
import pytest

from ragscore.errors import DataError
from ragscore.stats.best_set import best_set
from ragscore.stats.cross_validation import choose_by_cross_validation, held_out_gain
from ragscore.stats.pareto import pareto_front
from ragscore.sweeps.analysis import analyze_sweep
from ragscore.sweeps.record import SweepDocument, sweep_schema
from tests.factories.sweeps import K1, B, equal, swept

SWEPT = swept()
FOUND = analyze_sweep(SWEPT)


def test_configurations_come_best_first_with_what_is_within_noise() -> None:
    values = [found.value for found in FOUND.configurations]
    assert values == sorted(values, reverse=True)
    assert FOUND.best == FOUND.winner.label == FOUND.configurations[0].label
    assert FOUND.winner.settings["bm25.k1"] == 0.9
    wanted = best_set(SWEPT.values)
    within = {found.label for found in FOUND.configurations if found.in_best_set}
    assert within == {SWEPT.labels[at] for at in np.flatnonzero(wanted.within)}
    assert FOUND.tied == len(FOUND.tied_with_best) == len(within) - 1
    assert FOUND.state == "several"
    assert [SWEPT.labels[found.place] for found in FOUND.configurations] == [
        found.label for found in FOUND.configurations
    ]


def test_the_choice_is_tried_on_queries_that_did_not_make_it() -> None:
    wanted = choose_by_cross_validation(SWEPT.values, unit_interval=True)
    assert FOUND.held_out is not None
    assert FOUND.held_out.mean == wanted.mean
    assert FOUND.held_out.interval == wanted.interval
    assert sum(FOUND.held_out.chosen.values()) == 50
    assert FOUND.in_sample == pytest.approx(SWEPT.values.mean(axis=1).max())
    assert FOUND.selection_bias == pytest.approx(wanted.in_sample - wanted.mean)
    assert FOUND.configured == SWEPT.written["bm25"].mean()
    assert FOUND.gain == held_out_gain(wanted, SWEPT.written["bm25"])
    assert FOUND.gain.decided


def test_lower_is_better_where_the_measure_says_so() -> None:
    low = analyze_sweep(swept(measure="MR", values=10 - SWEPT.values, written={}))
    assert low.lower_is_better
    assert low.best == FOUND.best
    assert np.isnan(low.configured)
    assert low.gain is None
    assert low.selection_bias == pytest.approx(FOUND.selection_bias)
    assert (low.winner.value, low.held_out.mean) == (
        pytest.approx(10 - FOUND.winner.value),
        pytest.approx(10 - FOUND.held_out.mean),
    )
    assert [found.against_best.value for found in low.configurations] == pytest.approx(
        [found.against_best.value for found in FOUND.configurations]
    )


def test_what_a_parameter_does_is_the_mean_over_all_configurations_with_it() -> None:
    (bm25,) = FOUND.by_retriever
    k1, b = bm25.effects
    assert [effect.parameter for effect in bm25.effects] == ["bm25.k1", "bm25.b"]
    assert [marginal.value for marginal in k1.values] == list(K1)
    assert [marginal.configurations for marginal in b.values] == [4, 4, 4]
    at = [row for row, setting in enumerate(SWEPT.settings) if setting["bm25.k1"] == 0.9]
    assert k1.values[1].mean == pytest.approx(SWEPT.values[at].mean())
    assert k1.values[1].effect.low > 0
    assert sum(marginal.effect.value for marginal in k1.values) == pytest.approx(0, abs=1e-12)
    assert all(marginal.effect.low < 0 < marginal.effect.high for marginal in b.values)
    assert k1.balanced
    heat = bm25.heat_map
    assert heat is not None
    assert (heat.across, heat.down) == ("bm25.k1", "bm25.b")
    assert (heat.columns, heat.rows) == (K1, B)
    assert np.array(heat.means).T.ravel() == pytest.approx(SWEPT.values.mean(axis=1))


def test_a_sample_of_the_grid_says_that_it_is_one() -> None:
    some = [0, 1, 3, 5, 7, 8, 10]
    parts = {name: getattr(SWEPT, name)[some] for name in ("values", "latency_ms", "index_bytes")}
    settings = tuple(SWEPT.settings[at] for at in some)
    found = analyze_sweep(swept(**parts, retrievers=("bm25",) * 7, settings=settings, means={}))
    (bm25,) = found.by_retriever
    assert not any(effect.balanced for effect in bm25.effects)
    assert np.isnan(np.array(bm25.heat_map.means)).sum() == 5


def test_words_and_lists_are_values_too() -> None:
    settings = tuple(
        {"bm25.tokenizer": kind, "bm25.weights": weights}
        for kind in ("words", "english")
        for weights in ([1, 2], [1, 1], [2, 1], [3, 1], [4, 1], [5, 1])
    )
    (bm25,) = analyze_sweep(swept(settings=settings)).by_retriever
    values = {
        effect.parameter: [marginal.value for marginal in effect.values] for effect in bm25.effects
    }
    assert values["bm25.tokenizer"] == ["words", "english"]
    assert values["bm25.weights"][0] == [1, 2]
    assert bm25.heat_map is None


def test_the_front_weighs_the_mean_against_each_cost() -> None:
    means = SWEPT.values.mean(axis=1)
    wanted = pareto_front(means, SWEPT.latency_ms)
    found = {found.label for found in FOUND.configurations if "latency_ms" in found.front}
    assert found == {SWEPT.labels[at] for at in np.flatnonzero(wanted)}
    assert [found.label for found in FOUND.configurations if "index_bytes" in found.front] == [
        FOUND.best
    ]


def test_each_retriever_has_its_own_best() -> None:
    retrievers = ("bm25",) * 6 + ("words",) * 6
    settings = tuple({f"{name}.b": number} for name in ("bm25", "words") for number in range(6))
    found = analyze_sweep(swept(retrievers=retrievers, settings=settings))
    assert {best.retriever: best.configurations for best in found.by_retriever} == {
        "bm25": 6,
        "words": 6,
    }
    first = found.by_retriever[0]
    assert first.label == found.best
    assert first.held_out is not None
    assert set(first.held_out.chosen) <= {f"{first.retriever}[b={number}]" for number in range(6)}


def test_queries_without_a_value_are_left_out_and_counted() -> None:
    values = SWEPT.values.copy()
    values[3, 7] = np.nan
    found = analyze_sweep(swept(values=values))
    assert (found.queries, found.dropped) == (39, 1)
    with pytest.raises(DataError, match=r"no query has a value of nDCG@10"):
        analyze_sweep(swept(values=np.full((12, 40), np.nan)))


def test_clusters_stay_together() -> None:
    clusters = np.arange(40) // 5
    found = analyze_sweep(swept(clusters=clusters))
    assert found.clusters == 8
    wanted = best_set(SWEPT.values, clusters=clusters)
    assert [each.against_best.low for each in found.configurations[1:]] == (
        pytest.approx(
            -np.delete(wanted.high, wanted.best)[
                np.argsort(-np.delete(SWEPT.values.mean(axis=1), wanted.best), kind="stable")
            ]
        )
    )


def test_one_query_or_one_configuration_is_not_tried_elsewhere() -> None:
    one = analyze_sweep(
        swept(
            values=SWEPT.values[:, :1],
            query_ids=("q0",),
            written={"bm25": SWEPT.written["bm25"][:1]},
        )
    )
    assert one.held_out is None
    assert one.gain is None
    alone = analyze_sweep(equal(1, 30))
    assert (alone.state, alone.selection_bias) == ("only", pytest.approx(0, abs=1e-12))


def test_nothing_swept_says_what_failed() -> None:
    nothing = equal(1, 30)
    nothing = swept(
        query_ids=nothing.query_ids,
        retrievers=(),
        settings=(),
        values=nothing.values[:0],
        means={},
        latency_ms=np.empty(0),
        index_bytes=np.empty(0),
        written={},
        failures={"bm25[k1=-1]": "k1 is below 0"},
    )
    with pytest.raises(DataError, match="k1 is below 0"):
        analyze_sweep(nothing)


def test_json_is_what_its_schema_describes() -> None:
    import jsonschema

    jsonschema.validate(SweepDocument((FOUND,)).to_dict(), sweep_schema())


def test_the_same_digits_each_time() -> None:
    assert analyze_sweep(swept()).to_dict() == FOUND.to_dict()
    assert analyze_sweep(SWEPT, seed=7).held_out.mean != FOUND.held_out.mean


def test_two_hundred_equal_configurations_are_all_within_noise() -> None:
    found = analyze_sweep(equal(200, 300, seed=1))
    assert found.state == "tie"
    assert found.selection_bias > 0.01
    assert abs(found.held_out.mean - found.swept.values.mean()) < 0.02
