"""What an interval says of itself where data are few, and what wrong asks are told."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from ragscore.errors import ConfigError, DataError
from ragscore.stats import intervals, resampling
from ragscore.stats.intervals import Method, mean_intervals
from tests.stats.one_column import mean_interval, wilson

NOT_WILSON: list[Method] = ["bca", "percentile", "t"]


@pytest.mark.parametrize(
    ("values", "clusters", "note"),
    [
        ([0.5] * 40 + [0.1, 0.2], None, "all queries but 2 have the same value"),
        ([0.5] * 40 + [0.1], None, "all queries but 1 have the same value"),
        ([1.0] * 40 + [0.0], None, "all queries but 1 have the same value"),
        ([1.0] * 40, None, "all queries have the same value"),
        ([0.5] * 32 + [k / 100 for k in range(10)], None, ""),
        ([0.1 + 0.2, 0.3] * 20 + [1.0], None, "all queries but 1 have the same value"),
        (
            list(np.arange(40) ** 2 / 1600),
            list(range(11)) * 3 + list(range(7)),
            "t interval, since there are only 11 clusters",
        ),
        (list(np.arange(40) ** 2 / 1600), list(range(31)) + list(range(9)), ""),
        (
            list(np.arange(40) ** 2 / 1600),
            list(range(8)) * 5,
            "all clusters but 7 have the same mean; t interval, since there are only 8 clusters",
        ),
    ],
)
def test_notes(values: list[float], clusters: list[int] | None, note: str) -> None:
    interval = mean_interval(values, clusters=clusters)
    assert interval.estimable
    assert str(interval.note) == note


@pytest.mark.parametrize("method", NOT_WILSON)
@pytest.mark.parametrize(
    ("values", "clusters"),
    [
        ([0.3], None),
        ([0.3] * 30, None),
        ([0.1 + 0.2, 0.3, 0.3], None),
        ([0.2, 0.4, 0.9], [5, 5, 5]),
        ([0.0, 1.0, 0.0, 1.0], [1, 1, 2, 2]),
    ],
    ids=["one query", "constant", "constant but for rounding", "one cluster", "clusters the same"],
)
def test_not_estimable(values: list[float], clusters: list[int] | None, method: Method) -> None:
    interval = mean_interval(values, method=method, clusters=clusters, binary=False)
    assert (str(interval.note), interval.estimable) == ("not estimable", False)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)


def test_one_zero_one_query_has_wilson_and_one_cluster_has_nothing() -> None:
    assert replace(mean_interval([1.0]), note="") == wilson(1, 1)
    assert str(mean_interval([1.0, 0.0], clusters=[3, 3]).note) == "not estimable"


def test_bca_gives_way_to_percentiles_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    # No resample reaches down to the observed mean.
    above = resampling.Resampled(np.linspace(2, 3, 101)[None], np.array([0.0]))
    monkeypatch.setattr(intervals, "resampled_means", lambda *_: above)
    interval = mean_interval([0.0, 1.0, 0.5])
    assert interval.method == "percentile"
    assert (interval.low, interval.high) == pytest.approx((2.025, 2.975))
    assert (
        str(interval.note)
        == "percentile interval, since BCa is undefined here; all queries but 2 have the same value"
    )


# Wrong asks

FINE = [0.1, 0.2, 0.4]


@pytest.mark.parametrize(
    ("values", "wrong", "error", "words"),
    [
        ([], {}, DataError, "not one query"),
        ([0.1, math.nan, 0.3], {}, DataError, "1 of 3 queries have values that are not defined"),
        ([0.1, math.inf], {}, DataError, "infinite"),
        ([[0.1, 0.2]], {}, DataError, r"must have the shape \[columns, queries\]"),
        (["a", "b"], {}, DataError, "are not numbers"),
        (FINE, {"clusters": [1, 2]}, DataError, "clusters must be 3 whole numbers"),
        (FINE, {"clusters": [1.0, 2.0, 3.0]}, DataError, "are float64"),
        (FINE, {"method": "wilson"}, DataError, "all 0 or 1"),
        (FINE, {"binary": True}, DataError, "all 0 or 1"),
        (FINE, {"level": 0}, ConfigError, "between 0 and 1"),
        (FINE, {"level": 95}, ConfigError, "Write 0.95"),
        (FINE, {"level": math.nan}, ConfigError, "between 0 and 1"),
        (FINE, {"resamples": 99}, ConfigError, "at least 100"),
        (FINE, {"seed": -1}, ConfigError, "seed is -1"),
        (FINE, {"method": "bcca"}, ConfigError, "Did you mean 'bca'"),
    ],
)
def test_wrong_asks(values: Any, wrong: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        mean_interval(values, **wrong)


@pytest.mark.parametrize("empty", [[], [[]], [[], []], [[0.1], [0.1, 0.2]], [0.1, 0.2]])
def test_wrong_columns(empty: Any) -> None:
    with pytest.raises(DataError, match="values"):
        mean_intervals(empty)


def test_no_columns_have_no_intervals() -> None:
    assert mean_intervals(np.empty((0, 5))) == []
