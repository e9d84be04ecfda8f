"""Corrections for many comparisons: statsmodels' figures (recorded), and what must hold of all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore.errors import ConfigError, DataError
from ragscore.stats.corrections import Correction, adjust
from tests.factories.thorough import examples

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "recorded" / "corrections.json").read_text(encoding="utf-8")
)["cases"]
METHODS: tuple[Correction, ...] = get_args(Correction)
FAMILIES = st.lists(st.sampled_from([0.0, 0.01, 0.05, 0.5, 1.0]) | st.floats(0, 1), max_size=12)


@pytest.mark.parametrize("method", ["holm", "bonferroni", "bh"])
def test_as_statsmodels(method: Correction) -> None:
    for case in CASES:
        np.testing.assert_allclose(adjust(case["p"], method), case[method], rtol=1e-12, atol=0)


@settings(max_examples=examples(150), deadline=None)
@given(FAMILIES, st.sampled_from(METHODS))
def test_a_correction_keeps_the_order_and_never_lowers(p: list[float], method: Correction) -> None:
    raw, adjusted = np.array(p), adjust(p, method)
    assert len(adjusted) == len(raw)
    assert (adjusted >= raw * (1 - 1e-12)).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(raw, kind="stable")]) >= 0).all()
    for value in p:  # ties stay ties
        assert len(set(adjusted[raw == value].tolist())) == 1
    backwards = adjust(p[::-1], method)[::-1]
    assert adjusted.tolist() == backwards.tolist()


@settings(max_examples=examples(150), deadline=None)
@given(FAMILIES)
def test_bonferroni_is_the_strictest_then_holm_then_bh(p: list[float]) -> None:
    bonferroni, holm, bh = (adjust(p, method) for method in ("bonferroni", "holm", "bh"))
    assert (bonferroni >= holm).all()
    assert (holm >= bh * (1 - 1e-12)).all()


@pytest.mark.parametrize("method", METHODS)
def test_one_comparison_and_none_are_left_alone(method: Correction) -> None:
    assert adjust([0.03], method).tolist() == [0.03]
    assert adjust([], method).tolist() == []


def test_none_is_a_copy() -> None:
    raw = np.array([0.2, 0.1])
    adjust(raw, "none")[0] = 9
    assert raw.tolist() == [0.2, 0.1]


@pytest.mark.parametrize("p", [[0.1, 1.2], [-0.1], [0.1, float("nan")], [[0.1, 0.2]]])
def test_what_is_no_p_value(p: Any) -> None:
    with pytest.raises(DataError, match="p-value"):
        adjust(p)


def test_an_unknown_correction() -> None:
    with pytest.raises(ConfigError, match="Did you mean 'holm'"):
        adjust([0.1], "hold")  # type: ignore[arg-type]
