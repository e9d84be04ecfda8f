"""What a measure's method returns is checked where it is used: no shape is broadcast unnoticed."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from ragscore import score
from ragscore.errors import MeasureError
from ragscore.judge import Judged
from ragscore.measures import Measure

RUN = {"q1": ["a", "b", "c"], "q2": ["c", "b", "a"]}
QRELS = {"q1": ["a"], "q2": ["b"]}


class Mine(Measure):
    """What each test returns."""

    name: ClassVar[str] = "Mine"
    summary: ClassVar[str] = "it"
    made: ClassVar[Any] = staticmethod(lambda hits: hits)

    def curve(self, judged: Judged) -> Any:
        return self.made(judged.hits(1.0))


class MineUncut(Mine):
    """The same without cutoffs."""

    has_curve: ClassVar[bool] = False
    needs_cutoff: ClassVar[bool] = False

    def values(self, judged: Any) -> Any:
        return self.made(judged.dense().hits(1.0))


class Unwritten(Measure):
    """Without its method."""

    name: ClassVar[str] = "Unwritten"
    summary: ClassVar[str] = "it"


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda hits: hits[:, 0], r"curve returned float64\[2\]"),
        (lambda hits: hits.T, r"curve returned float64\[3, 2\]"),
        (lambda hits: hits.tolist(), r"curve returned \[\["),
        (lambda hits: hits.astype(str), r"curve returned <U"),
        (lambda hits: None, r"curve returned None"),
    ],
)
def test_a_curve_of_another_shape_or_type(
    made: Any, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Mine, "made", staticmethod(made))
    expected = rf"{__name__}\.Mine: {told}.*\. Return float64\[queries, depth\], here \[2, 3\]"
    with pytest.raises(MeasureError, match=expected):
        score(RUN, QRELS, [Mine(cutoff=2)])


def test_values_of_another_shape() -> None:
    expected = r"values returned float64\[2, 3\]\. Return float64\[queries\], here \[2\]"
    with pytest.raises(MeasureError, match=expected):
        score(RUN, QRELS, [MineUncut()])


def test_whole_numbers_and_booleans_become_floats(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Mine, "made", staticmethod(lambda hits: hits > 0))
    scores = score(RUN, QRELS, [Mine(cutoff=1)])
    assert scores.to_dict()["dataset"]["run"] == {"Mine@1": 0.5}


def test_a_measure_without_its_method() -> None:
    expected = (
        rf"{__name__}\.Unwritten: Unwritten has no method curve\. "
        "Write it; with has_curve = False the measure needs only values"
    )
    with pytest.raises(MeasureError, match=expected):
        score(RUN, QRELS, [Unwritten(cutoff=1)])
    assert np.isfinite(score(RUN, QRELS, [Mine(cutoff=1)]).to_dict()["dataset"]["run"]["Mine@1"])
