"""Several datasets: who is best on average, where that is decided, and where another is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from ragscore.comparison import compare
from ragscore.comparison.across import AcrossDatasets, across_datasets
from ragscore.elements import as_text
from ragscore.scoring import Scores
from tests.factories.compared import QUICK
from tests.factories.scores import scored


def across(means: Mapping[str, Mapping[str, float]], measure: str = "nDCG@10") -> AcrossDatasets:
    """By dataset and retriever: about which mean it has over 60 queries."""
    parts = []
    for at, (dataset, retrievers) in enumerate(means.items()):
        random = np.random.default_rng(at)
        values = {name: mean + random.normal(0, 0.05, 60) for name, mean in retrievers.items()}
        parts.append(scored({measure: values}, dataset=dataset))
    found = across_datasets(compare(Scores.joined(parts), QUICK).datasets)
    assert found is not None
    return found


def test_where_the_best_on_average_is_decided_open_and_behind() -> None:
    found = across(
        {
            "one": {"a": 0.4, "b": 0.8, "c": 0.5},
            "two": {"a": 0.5, "b": 0.5, "c": 0.2},
            "three": {"a": 0.7, "b": 0.5, "c": 0.2},
        }
    )
    assert (found.best, found.baseline, list(found.averages)) == ("b", "a", ["b", "a", "c"])
    assert (found.decided, found.open, found.behind) == (("one",), ("two",), {"three": "a"})
    for name, average in found.averages.items():
        means = [measured.means[name].value for measured in found.measured]
        assert average == pytest.approx(sum(means) / 3)
    text = as_text(found.elements(), width=100)
    value = f"{found.averages['b']:.3f}"
    said = " ".join(text.split())
    assert f"Partly decided. Use b: best on average of 3 datasets, nDCG@10 {value}." in said
    assert "Sure: b beats all others on one. Open: b or a on two." in said
    assert "But: better there: a on three." in text
    _card, matrix = found.elements()
    assert [column.name for column in matrix.columns] == [
        *("retriever", "average"),
        *("one", "two", "three"),
    ]
    assert [column.opens for column in matrix.columns] == [None, None, 0, 1, 2]
    best, baseline, _worst = matrix.rows
    assert [cell.mark for cell in best[2:]] == ["*", "", "*"]
    assert [cell.bar is None for cell in baseline[2:]] == [True] * 3
    for cell, measured in zip(best[2:], found.measured, strict=True):
        (difference,) = [each for each in measured.differences if each.retriever == "b"]
        assert cell.value == measured.means["b"].value
        assert cell.bar is not None
        assert cell.bar.value == difference.value
    # Differences on all datasets have one axis.
    assert len({column.axis for column in matrix.columns[2:]}) == 1


def test_decided_everywhere_and_a_measure_whose_least_is_best() -> None:
    means = {"a": 0.4, "b": 0.8}
    assert across({"one": means, "two": means}).elements()[0].word.template == "Decided"
    found = across({"one": means, "two": means}, "MR@10")
    assert found.best == "a"
    assert list(found.averages) == ["a", "b"]


def test_only_what_all_datasets_have_is_averaged() -> None:
    found = across({"one": {"a": 0.4, "b": 0.8, "c": 0.9}, "two": {"a": 0.4, "b": 0.8}})
    assert list(found.averages) == ["b", "a"]
    assert found.behind == {"one": "c"}
    assert across_datasets(found.comparisons[:1]) is None
    one, two = found.comparisons
    assert across_datasets([one, replace(two, baseline="b")]) is None
    other = replace(two.measures[0], measure="R@10")
    assert across_datasets([one, replace(two, measures=(other,))]) is None
