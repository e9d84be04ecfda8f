"""A result of systems that did not answer some queries: values, notes, folder, comparison."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ragscore import Result, compare, evaluate, open_result
from ragscore.results.opening import result_at
from tests.factories.failing_system import FAILING, failing_retrievers, served_dataset
from tests.factories.systems import HERE, node_server

NAMES = ("calm", "empty", "left-out", "bm25", "hybrid")
MEASURES = ["RR", "nDCG@10", "Success@1", "MR"]


@pytest.fixture(scope="module")
def result() -> Iterator[Result]:
    with node_server(HERE / "server.mjs") as server:
        yield evaluate(served_dataset(), failing_retrievers(server), MEASURES, depth=20)


@pytest.fixture(scope="module")
def folder(result: Result, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "failed"
    result.save(path)
    return path


def test_values_by_hand(result: Result) -> None:
    means = {name: result.scores[name].mean("RR") for name in NAMES}
    assert means["calm"] == pytest.approx(62.5 / 100, abs=1e-12)
    assert means["empty"] == pytest.approx(59.5 / 100, abs=1e-12)
    assert means["left-out"] == pytest.approx(59.5 / 97, abs=1e-12)
    calm = result.scores["calm"].per_query("RR")
    for name in ("empty", "left-out"):
        found = result.scores[name].per_query("RR")
        assert {query: value for query, value in found.items() if query not in FAILING} == {
            query: value for query, value in calm.items() if query not in FAILING
        }
        assert all(found[query] == 0 or math.isnan(found[query]) for query in FAILING)


def test_what_is_built_on_a_failed_query_has_failed(result: Result) -> None:
    stages = result.stages["served", "hybrid"]
    assert tuple(failure.query for failure in stages.failed) == FAILING
    assert stages.leaves_out
    assert all("its input 'left-out' failed: " in str(failure) for failure in stages.failed)
    values = result.scores["hybrid"].per_query("nDCG@10")
    assert {query for query, value in values.items() if math.isnan(value)} == set(FAILING)
    assert result.stages["served", "bm25"].failed == ()


def test_counts_and_notes(result: Result) -> None:
    counts = {name: result.scores[name].counts for name in NAMES}
    assert [counts[name].failed for name in NAMES] == [0, 3, 3, 0, 3]
    assert [counts[name].left_out for name in NAMES] == [0, 0, 3, 0, 3]
    assert [counts[name].empty for name in NAMES] == [0] * 5
    said = "\n".join(result.notes)
    first = "the first: query 'q154': returned the passage '200', which is not in the corpus"
    assert f"left-out, hybrid: 3 of 100 queries failed and are left out of its means; {first}" in (
        said
    )
    assert "empty: 3 of 100 queries failed and score as if nothing had come back; " in said


def test_a_folder_says_the_same(result: Result, folder: Path) -> None:
    opened = open_result(folder)
    for name in NAMES:
        np.testing.assert_array_equal(opened.scores[name].values, result.scores[name].values)
        assert opened.scores[name].counts == result.scores[name].counts
        assert opened.stages["served", name].failed == result.stages["served", name].failed
        run, kept = opened.runs["served", name], result.runs["served", name]
        assert (run.failures, run.leaves_out) == (kept.failures, kept.leaves_out)
        assert run.to_dict() == kept.to_dict()
    summary = json.loads((folder / "summary.json").read_text())
    of_left_out = {
        row["measure"]: row for row in summary["results"] if row["retriever"] == "left-out"
    }
    assert (of_left_out["RR"]["queries"], of_left_out["RR"]["defined"]) == (100, 97)
    [counted] = [row for row in summary["counts"] if row["retriever"] == "left-out"]
    assert (counted["failed"], counted["left_out"]) == (3, 3)


def test_measures_that_are_added_later(folder: Path) -> None:
    added = result_at(folder, measures=["P@1", "gmAP"])
    assert added.scores["left-out"].mean("P@1") == pytest.approx(47 / 97, abs=1e-12)
    assert added.scores["empty"].mean("P@1") == pytest.approx(47 / 100, abs=1e-12)


def test_differences_are_over_the_queries_with_values_for_both(result: Result) -> None:
    compared = compare(result.scores, baseline="calm")
    found = {
        difference.retriever: difference for difference in compared["served"]["RR"].differences
    }
    assert (found["left-out"].n, found["left-out"].value) == (97, 0.0)
    assert (found["empty"].n, found["empty"].losses) == (100, 3)
    assert found["empty"].value == pytest.approx(-0.03, abs=1e-12)
    assert found["hybrid"].n == 97


def test_the_summary_says_which_queries_failed(result: Result) -> None:
    shown = str(result)
    assert "empty: 3 of 100 queries failed and score as if nothing had come back" in shown
