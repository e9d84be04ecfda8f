"""Leak, LeakCount and LeakRank: by hand, against plain Python, and with files of runs."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragscore import Dataset, evaluate, score
from ragscore.errors import MeasureError
from ragscore.formats import write_dataset
from tests.factories.thorough import examples

PASSAGES = {f"p{number}": f"text {number}" for number in range(8)}
QUERIES = {f"q{number}": f"query {number}" for number in range(3)}
ASKED = ["Leak@1", "Leak@3", "Leak@20", "LeakCount@3", "LeakCount@20", "LeakRank", "LeakRank@3"]

places = st.lists(st.integers(0, 7), max_size=6, unique=True)


def dataset(judged: list[list[int]], forbidden: list[list[int]]) -> Dataset:
    truth = [
        {
            "query_id": f"q{number}",
            "passages": {"p0": 0} | {f"p{p}": 1 for p in judged[number] if p not in of},
            "forbidden": [f"p{p}" for p in of],
        }
        for number, of in enumerate(forbidden)
    ]
    return Dataset.from_rows(PASSAGES, QUERIES, truth)


three = st.lists(places, min_size=3, max_size=3)


@given(ranked=three, judged=three, forbidden=three)
@settings(max_examples=examples(50), deadline=None)
def test_values_are_those_of_plain_python(
    ranked: list[list[int]], judged: list[list[int]], forbidden: list[list[int]]
) -> None:
    data = dataset(judged, forbidden)
    run = {f"q{number}": [f"p{p}" for p in of] for number, of in enumerate(ranked)}
    if not any(forbidden):
        with pytest.raises(MeasureError, match="Leak needs forbidden passages"):
            score(run, data, ["Leak@1"])
        return
    found = score(run, data, [*ASKED, "nDCG@3", "AP"])
    for number in range(3):
        leaks = [rank for rank, p in enumerate(ranked[number], 1) if p in forbidden[number]]

        def up_to(k: int, leaks: list[int] = leaks) -> int:
            return sum(rank <= k for rank in leaks)

        wanted = [float(up_to(k) > 0) for k in (1, 3, 20)]
        wanted += [up_to(3), up_to(20)]
        wanted += [leaks[0] if up_to(k) else math.nan for k in (20, 3)]
        values = [found.entries[0].per_query(measure)[f"q{number}"] for measure in ASKED]
        assert values == pytest.approx(wanted, nan_ok=True)
    # A forbidden passage is not a negative grade: nothing else changes.
    flat = score(run, dataset(judged, [[], [], []]), ["nDCG@3", "AP"])
    same = [p not in of for number, of in enumerate(forbidden) for p in judged[number]]
    if all(same):
        for measure in ("nDCG@3", "AP"):
            assert found.entries[0].per_query(measure) == flat.entries[0].per_query(measure)


def test_without_the_unjudged_a_leak_stays() -> None:
    data = dataset([[1], [1], [1]], [[5], [], []])
    run = {"q0": ["p7", "p6", "p5", "p1"]}
    kept = score(run, data, ["LeakRank", "RR"], unjudged="remove").entries[0]
    assert [kept.per_query(measure)["q0"] for measure in ("LeakRank", "RR")] == [1, 0.5]


def test_a_file_of_a_run_is_scored_as_the_run_is(tmp_path: Path) -> None:
    data = dataset([[1], [2], [3]], [[5], [4], [7]])
    write_dataset(data, tmp_path / "data")
    rows = [("q0", "p1"), ("q0", "p5"), ("q1", "p4"), ("q2", "elsewhere"), ("q2", "p3")]
    lines = [f"{query} Q0 {passage} 1 {9 - at} x" for at, (query, passage) in enumerate(rows)]
    (tmp_path / "bm25.trec").write_text("\n".join(lines) + "\n")
    found = score(tmp_path / "bm25.trec", tmp_path / "data", ["Leak@1", "Leak@2", "LeakRank"])
    assert found.to_dict() == {
        "data": {"bm25": {"Leak@1": 1 / 3, "Leak@2": 2 / 3, "LeakRank": 1.5}}
    }


def test_nothing_forbidden_is_found_before_anything_is_searched() -> None:
    def never(query: str, k: int) -> list[str]:
        raise AssertionError("searched")

    data = {"passages": PASSAGES, "queries": QUERIES, "ground_truth": {"q0": ["p1"]}}
    with pytest.raises(MeasureError, match=r"Leak@3 needs .* Write \"forbidden\": \[\"ID\"\]"):
        evaluate(data, {"mine": never}, ["nDCG@3", "Leak@3"])
