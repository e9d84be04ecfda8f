"""The two ideals of nDCG that read the top k alone, or no more places than came back."""

from __future__ import annotations

import math

import pytest

from ragscore.errors import MeasureError
from ragscore.measures import parse_measure
from ragscore.scoring import score

RUN = {"q": ["x", "a", "b", "c"]}
JUDGED = {"q": {"a": 1, "b": 3, "c": 2, "lost": 3, "gone": 3}}


def value(measure: str) -> float:
    return score(RUN, JUDGED, [measure]).entries[0].mean(measure)


def dcg(*gains: float) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("nDCG(ideal=top)@1", 0.0),
        ("nDCG(ideal=top)@2", dcg(0, 1) / dcg(1)),
        ("nDCG(ideal=top)@3", dcg(0, 1, 3) / dcg(3, 1)),
        ("nDCG(ideal=top)@4", dcg(0, 1, 3, 2) / dcg(3, 2, 1)),
        ("nDCG(gain=exp,ideal=top)@3", dcg(0, 1, 7) / dcg(7, 1)),
        ("nDCG(ideal=returned)@3", dcg(0, 1, 3) / dcg(3, 2, 1)),
        ("nDCG(ideal=as_many)@3", dcg(0, 1, 3) / dcg(3, 3, 3)),
        ("nDCG(ideal=as_many)@10", dcg(0, 1, 3, 2) / dcg(3, 3, 3, 2)),
        ("nDCG@10", dcg(0, 1, 3, 2) / dcg(3, 3, 3, 2, 1)),
    ],
)
def test_by_hand(measure: str, expected: float) -> None:
    assert value(measure) == pytest.approx(expected, abs=1e-12)


def test_tied_passages_have_no_top() -> None:
    with pytest.raises(
        MeasureError, match="which of the tied passages are in the top k is not known"
    ):
        parse_measure("nDCG(ideal=top,tie=expected)@5")


def test_no_bounds_are_claimed() -> None:
    for ideal in ("top", "as_many"):
        (entry,) = score(RUN, JUDGED, [f"nDCG(ideal={ideal})@3"], bounds=True).entries
        assert entry.bounds is not None
        assert entry.bounds.kinds == ("none",)
