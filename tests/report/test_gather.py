"""Datasets of a result: what sections read is what the public functions say, and gaps are told."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragscore.cli.compare import compared_result
from ragscore.comparison.overlap import overlaps
from ragscore.diagnose import causes
from ragscore.errors import DataError
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report, make_report
from ragscore.results import open_result
from ragscore.results.opening import result_at
from ragscore.tuning import TuneOptions, tune
from tests.factories.built_report import in_english
from tests.factories.results import bm25, ran, written
from tests.factories.tiny_results import PASSAGES, QUERIES, TRUTH, TWO, Made, panel_of, tiny


def test_overlap_causes_and_curves_are_what_their_functions_say(result_of: Made) -> None:
    panel, result = panel_of(result_of("small")), open_result(result_of("small"))
    data, name = result.dataset(), result.datasets[0]
    runs = {one: result.run(name, one).renamed(one) for one in result.retrievers}
    assert repr(panel.overlap) == repr(overlaps(list(runs.values()), data.qrels, panel.scores))
    asked = panel.scores.entries[0].query_ids
    told = causes(runs, data, asked, k=10)
    assert panel.causes is not None
    assert panel.k == 10
    for one, run in runs.items():
        np.testing.assert_array_equal(panel.causes.of[one], told.of[one])
        tuning = tune(run, data, TuneOptions(measures=["P", "R", "F1", "nDCG"]))
        assert panel.tunings[one].to_dict() == tuning.to_dict()
        assert panel.tunings[one].context is not None
        assert panel.runs[one].to_dict() == run.to_dict()


def test_the_overlap_reads_the_rankings_that_were_scored(tmp_path: Path) -> None:
    passages = [{**row, "title": row["text"]} for row in PASSAGES]
    passages += [{"id": row["id"], "title": "", "text": row["text"]} for row in QUERIES]
    written(tmp_path / "data", passages, QUERIES, TRUTH)
    # One returns the query itself, which the profile drops, and two never does.
    two = {"one": bm25(), "two": bm25(fields=["title"])}
    parts: dict[str, Any] = {"retrievers": two, "measures": ["R@10"], "depth": 12}
    panel = panel_of(ran(tmp_path, "self", [tmp_path / "data"], profile="beir", **parts))
    result = open_result(tmp_path / "result")
    assert panel.data is not None
    judged = panel.data.qrels, panel.scores
    recorded = overlaps([result.run("data", one).renamed(one) for one in TWO], *judged)
    (pair,) = panel.overlap
    assert (pair,) == overlaps(list(panel.runs.values()), *judged)
    assert pair.rbo != recorded[0].rbo
    # So does comparison.json, and ``ragscore compare`` of the folder.
    text = (tmp_path / "result" / "comparison.json").read_text(encoding="utf-8")
    assert json.loads(text)["overlap"]["data"][0]["rbo"] == pair.rbo
    result = result_at(tmp_path / "result")
    assert compared_result(result, {}, []).overlap == {"data": (pair,)}


def test_k_is_chosen_as_the_experiment_says(tmp_path: Path) -> None:
    folder = tiny(tmp_path, tune={"rule": "recall", "target": 0.5, "language": "en"})
    tunings = panel_of(folder).tunings
    for tuning in tunings.values():
        assert (tuning.options.rule, tuning.options.target) == ("recall", 0.5)
        assert tuning.setting is None or tuning.sentence.text("ko").startswith("k")
        assert {str(measure) for measure in tuning.curves} == {"P", "R", "F1", "nDCG"}


def test_a_score_cut_is_advised_as_it_was_and_drawn_against_k(tmp_path: Path) -> None:
    folder = tiny(tmp_path, tune={"by": "score", "rule": "recall", "target": 0.5})
    panel = panel_of(folder)
    asked = {one.retriever: one for one in open_result(folder).tunings}
    for name, tuning in panel.tunings.items():
        assert tuning.thresholds.by == "score"
        assert tuning.sentence == asked[name].sentence
    assert [one.thresholds.by for one in panel.curves.values()] == ["k"] * len(panel.tunings)
    assert {one.state for one in panel.curves.values()} == {"no rule"}


# Datasets that are gone, changed, or there already.


def test_without_its_dataset_all_that_was_recorded_is_still_told(tmp_path: Path) -> None:
    measures = ["RR@5", "P@3", "P(average=micro,denominator=min)@3"]
    folder = tiny(tmp_path, measures=measures)
    whole = panel_of(folder)
    assert whole.measures == (*measures[:2], "P(denominator=min,average=micro)@3")
    shutil.move(tmp_path / "data", tmp_path / "elsewhere")
    panel = panel_of(folder)
    assert (panel.data, panel.causes, panel.tunings, panel.slices) == (None, None, {}, {})
    assert "no longer exists" in in_english(panel.notes)[0]
    assert in_english(panel.notes)[1].endswith(
        "only the dataset has the weights: " + whole.measures[2] + "."
    )
    assert panel.measures == ("RR@5", "P@3")
    for key, found in panel.comparisons.items():
        assert found.verdict == whole.comparisons[key].verdict
    assert panel.overlap[0].recall_first is None
    assert panel.overlap[0].jaccard == whole.overlap[0].jaccard
    assert panel.runs["one"].to_dict() == whole.runs["one"].to_dict()


def test_clusters_that_are_not_known_are_not_passed_over(tmp_path: Path) -> None:
    folder = tiny(tmp_path, compare={"cluster": "part"})
    with (tmp_path / "data" / "queries.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "new", "text": "?"}\n')
    panel = panel_of(folder)
    assert panel.comparisons == {}
    assert "has changed since" in in_english(panel.notes)[0]
    assert in_english(panel.notes)[1].startswith("Not compared: queries are clustered by 'part'")


def test_a_dataset_in_memory_is_not_read_again(tmp_path: Path) -> None:
    folder = tiny(tmp_path)
    data = open_result(folder).dataset()
    shutil.rmtree(tmp_path / "data")
    opened = open_result(folder, datasets={"data": data})
    (panel,) = opened.dataset_results
    assert panel.data is data
    queries = data.queries.select(range(5))
    with pytest.raises(DataError, match="the dataset has changed"):
        open_result(folder, datasets={"data": replace(data, queries=queries)})
    with pytest.raises(DataError, match="no dataset is named 'other'"):
        open_result(folder, datasets={"other": data})


def test_datasets_have_their_own_panels(result_of: Made) -> None:
    data = Report(open_result(result_of("two-datasets")), ReportOptions())
    assert [panel.index for panel in data.result.dataset_results] == [0, 1]
    assert [panel.dataset for panel in data.result.dataset_results] == [
        "harbour-tenancy",
        "insurer-handbook-ko",
    ]
    for panel in data.result.dataset_results:
        assert panel.entry.name == panel.dataset
        assert panel.scores.datasets == [panel.dataset]
        assert panel.data is not None
        assert panel.data.name == panel.dataset
    assert data.result.retrievers == ["words", "flat", "blanks"]


def test_what_came_before_is_read_and_not_compared(tmp_path: Path) -> None:
    first = tiny(tmp_path / "a", description="the first")
    shutil.copytree(tmp_path / "a" / "data", tmp_path / "b" / "data")
    second = ran(
        tmp_path / "b", "tiny", [tmp_path / "b" / "data"], retrievers=TWO, measures=["RR@5"]
    )
    data = make_report(second, before=first)
    assert data.before is not None
    assert (data.result.description, data.before.description) == ("", "the first")
    (now,), (then,) = data.result.dataset_results, data.before.dataset_results
    assert then.data is now.data
    assert "every" not in vars(then)
    assert then.scores.retrievers == ["one", "two"]
    assert set(then.runs) == {"one", "two"}
