"""A result of systems that did not answer some queries: values, notes, folder, comparison."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from ragscore import BM25, Result, compare, evaluate, open_result
from ragscore.cli import main
from ragscore.formats import write_dataset
from ragscore.gate import gate_result
from ragscore.report.index.finder import Finder
from ragscore.report.index.index_page import index_page
from ragscore.results.manifest import RetrieverEntry
from ragscore.results.opening import result_at
from ragscore.results.stages import MAX_FAILED
from tests.factories.explored import read
from tests.factories.failing_system import FAILING, failing_retrievers, served_dataset, system
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
    said = "\n".join(map(str, result.notes))
    first = "the first: query 'q154': returned the passage '200', which is not in the corpus"
    assert f"left-out, hybrid: 3 of 100 queries failed and are left out of the means; {first}" in (
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


def test_causes_losses_and_ceilings_pass_over_failed_queries(result: Result) -> None:
    part = result["served"]
    assert part.causes is not None
    counts = {name: part.causes.counts(name)["failed"] for name in NAMES}
    assert counts == {"calm": 0, "empty": 3, "left-out": 3, "bm25": 0, "hybrid": 3}
    assert not set(part.losses["hybrid"].query_ids) & set(FAILING)
    assert part.ceilings["hybrid"].recall == 1.0
    overlap = next(pair for pair in part.overlap if (pair.first, pair.second) == NAMES[:2])
    assert (overlap.queries, overlap.recall_first, overlap.recall_second) == (97, 1.0, 1.0)
    tuning = part.curves["left-out"]
    assert "3 of 100 queries failed and are left out" in str(tuning)


def test_the_report_shows_errors_and_their_cause(folder: Path) -> None:
    opened = open_result(folder)
    for language, cause, values in (
        ("en", "Did not answer", "left out of the means"),
        ("ko", "응답하지 않음", "평균에서 뺌"),
    ):
        text = opened.report(language=language, sections=["verdict", "failures"]).text(width=200)
        assert cause in text
        assert values in text
        assert text.count("is not in the corpus") == 2, "of both systems, not of the hybrid"
        assert "its input" not in text
    english = opened.report(sections=["verdict"]).text(width=200)
    assert "97 of 100" in english
    assert "the pair with the fewest queries is compared on 97" in english


def test_a_gate_counts_failed_queries(result: Result) -> None:
    for limit, verdict in ((0.01, "FAIL"), (0.03, "PASS")):
        outcome = gate_result(result, max={"failed": limit})
        verdicts = {found.retriever: found.verdict for found in outcome.conditions}
        assert [verdicts[name] for name in NAMES] == ["PASS", verdict, verdict, "PASS", verdict]
        assert {found.value for found in outcome.conditions} == {0.0, 0.03}


def test_a_gate_does_not_pass_what_answers_easy_queries_alone(result: Result) -> None:
    undecided = {"left-out", "hybrid"}
    for conditions, unsure in (({}, undecided), ({"max": {"failed": 0.03}}, set())):
        outcome = gate_result(result, min={"RR": 0.001}, **conditions)  # type: ignore[arg-type]
        values = [found for found in outcome.conditions if found.measure == "RR"]
        assert {found.retriever for found in values if found.verdict == "UNDECIDED"} == unsure
        assert {found.retriever for found in values if found.verdict == "PASS"} == (
            set(NAMES) - unsure
        )
    text = str(gate_result(result, min={"RR": 0.001}))
    assert (
        "3 failed and are left out. Add a condition on failed queries to say how many may fail."
        in text
    )
    assert gate_result(result, min={"RR": 0.99}).verdict == "FAIL"


def test_failures_of_anybody_are_bounded_and_belong_to_the_run(folder: Path) -> None:
    entry = open_result(folder).parts.entry("served", "calm")
    schema = RetrieverEntry.model_json_schema()["properties"]["failed"]
    assert schema["maxItems"] == MAX_FAILED
    for failure in ({"query": 1, "error": ""}, {"query": "q", "error": "", "attempts": -1}):
        with pytest.raises(ValueError, match="failed"):
            RetrieverEntry.model_validate({**entry.model_dump(), "failed": [failure]})
    odd = RetrieverEntry.model_validate(
        {**entry.model_dump(), "failed": [{"query": "nobody", "error": "x"}] * 2}
    )
    run = open_result(folder).runs["served", "calm"]
    assert run.with_failures(odd.failed).failures == ()
    assert run.with_failures(odd.failed).to_dict() == run.to_dict()


def test_the_explorer_knows_errors_and_causes(folder: Path) -> None:
    report = open_result(folder).report(sections=["queries"])
    told, _ = read(report, report.result.dataset_results[0])
    errors = {(number, told["id"][query]) for number, query, _ in told["errors"]}
    numbers = [NAMES.index(name) for name in ("empty", "left-out", "hybrid")]
    assert errors == {(number, query) for number in numbers for query in FAILING}
    failed = told["causes"].index("failed")
    for number, name in enumerate(NAMES):
        found = {query for query, cause in zip(told["id"], told["cause"][number], strict=True)
                 if cause == failed}  # fmt: skip
        assert found == (set(FAILING) if number in numbers else set()), name


def test_a_run_with_failed_queries_succeeds_and_says_how_to_ask_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_dataset(served_dataset(), tmp_path / "served")
    with node_server(HERE / "server.mjs") as server:
        spec = system(f"{server}/failing", max_errors=0.05, failed="left out")
        (tmp_path / "served.yaml").write_text(
            json.dumps({
                "dataset": "served", "depth": 20, "measures": ["RR"], "report": False,
                "retrievers": {"search": spec.model_dump(mode="json", exclude_defaults=True)
                               | {"kind": "http"}},
            })
        )  # fmt: skip
        assert main(["run", "served.yaml", "--output", "out"]) == 0
        shown = capsys.readouterr()
        for said in (
            "search: 3 of 100 queries failed and are left out of the means; the first: query",
            f"ragscore run --retry-failed {tmp_path}/out asks the failed queries again",
        ):
            assert said in " ".join(shown.out.split())
        few = (tmp_path / "served.yaml").read_text().replace("0.05", "2")
        (tmp_path / "served.yaml").write_text(few)
        assert main(["run", "served.yaml", "--output", "fails"]) == 4
    said = " ".join(capsys.readouterr().err.split())
    assert "3 of" in said
    assert "queries asked failed, and max_errors allows 2 of 100: query 'q154': " in said


def test_two_results_as_one_and_one_after_the_other(folder: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    open_result(folder).save(again)
    both = result_at([folder, again])
    for name in ("failed/left-out", "again/left-out"):
        assert both.scores[name].counts.left_out == 3
        assert both.stages["served", name].leaves_out
        assert both.runs["served", name].failures
    changed = open_result(again).report(before=open_result(folder), sections=["changes"])
    assert "left-out" in changed.text(width=200)


def test_the_index_of_results_marks_them(folder: Path) -> None:
    found = Finder(folder).results()
    runs = found[0].datasets[0].runs
    assert {name: len(run.failed) for name, run in runs.items()} == {
        "calm": 0, "empty": 3, "left-out": 3, "bm25": 0, "hybrid": 3
    }  # fmt: skip
    page = index_page(found, folder, "en").text
    assert page.count("3 unanswered") == 3


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "mean"), [("empty", "0.000"), ("left out", "-")])
def test_a_system_that_answered_nothing_hides_no_other(
    rule: Literal["empty", "left out"], mean: str, tmp_path: Path
) -> None:
    with node_server(HERE / "server.mjs") as server:
        dead = system(f"{server}/dead", max_errors=100, failed=rule)
        retrievers = {"dead": dead, "bm25": BM25()}
        result = evaluate(served_dataset(), retrievers, ["RR", "NumRelRet", "gmAP"], depth=10)
    shown = str(result)
    [row] = [line.split() for line in shown.splitlines() if line.startswith("dead ")][:1]
    assert row[1] == mean
    assert "Not yet. dead did not answer most queries (100 of 100)." in shown
    result.save(tmp_path / "dead")
    opened = result_at(tmp_path / "dead", measures=["P@5"])
    assert math.isnan(opened.scores["dead"].mean("P@5")) is (rule == "left out")
    assert opened.runs["served", "dead"].depth == 10
    assert "Did not answer" in opened.report(sections=["failures"]).text()
