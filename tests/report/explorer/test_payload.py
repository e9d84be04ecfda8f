"""The explorer's payloads hold what was gathered, to the digit."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from ragscore.dataset import Dataset, Ids
from ragscore.diagnose import CAUSES
from ragscore.elements import Table
from ragscore.elements.numbers import number_text
from ragscore.messages import catalogue
from ragscore.report.explorer.budget import explorer_payloads
from ragscore.report.explorer.packing import packed, unpacked
from ragscore.report.explorer.payload import _scaled, _short
from ragscore.report.html import assets
from ragscore.report.report import Report
from ragscore.report.sections.queries import worst_queries
from ragscore.results import DatasetResult
from tests.factories.explored import (
    MEASURES,
    PLENTY,
    hits_of,
    opened,
    panel_of,
    read,
    relevant_of,
    report_of,
)


@pytest.mark.parametrize(
    "value",
    [
        {"text": "</script><script>"},
        ["\x00\x1f\u2028", "한국어", "\U0001f600", "e\u0301"],
        {"lone": "\ud800"},
        [],
        [1, -2, 0.25, None],
    ],
)
def test_what_is_packed_comes_out_again(value: Any) -> None:
    text = packed(value)
    assert re.fullmatch("[A-Za-z0-9+/=]*", text)
    assert unpacked(text) == value


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.123456, 0.1235),
        (12.3449, 12.34),
        (12345.678, 12350),
        (-0.00098764, -0.0009876),
        (1e-7, 1e-7),
        (0.0, 0),
        (1e20, 1e20),
    ],
)
def test_a_score_has_four_digits(value: float, written: float) -> None:
    assert _short(np.array([value, 0.5]))[0] == written


def test_whole_numbers_are_written_without_a_point() -> None:
    assert packed(_short(np.array([1.0, 2.0]))) == packed([1, 2])


def test_rankings_are_those_of_the_runs(panel: DatasetResult) -> None:
    told, passages = read(report_of(panel), panel)
    assert told["id"] == ["q1", "q2", "q3", "q4"]
    assert told["state"] == "aaau"
    shown = hits_of(told, passages)
    for name, run in panel.runs.items():
        returned = run.to_dict()
        for query in told["id"]:
            assert shown[name][query] == list(returned.get(query, ()))
    assert told["scores"][0] == [3.0, 2.5, 2.0, 0.1235, 1.0, 1.0, 1.0, 0.5, 0.25, 1e-7]
    # The second and third place of q2 are tied with those before them: query 1, depth 5.
    assert np.cumsum(told["ties"][0]).tolist() == [6, 7]
    assert told["ties"][1] == []


def test_judgments_are_told_of_what_is_shown_or_relevant(panel: DatasetResult) -> None:
    told, passages = read(report_of(panel, depth=2), panel)
    at = 0
    found: dict[str, dict[str, tuple[float, ...]]] = {}
    for query, count in zip(told["id"], told["judgments"], strict=True):
        found[query] = {
            passages["id"][told["judgedPassage"][n]]: (
                told["grade"][n],
                *(ranks[n] for ranks in told["ranks"]),
            )
            for n in range(at, at + count)
        }
        at += count
    # Grade, rank in one, rank in two; ranks reach below the depth that is shown.
    assert found == {
        "q1": {"a": (2, 3, 1), "b": (1, 1, 0), "c": (0, 2, 0)},
        "q2": {"d": (1, 5, 1)},
        "q3": {"h": (1, 0, 0)},
        "q4": {"a": (0, 1, 0)},
    }
    assert "h" in passages["id"]


def test_values_are_those_of_the_scores(panel: DatasetResult) -> None:
    told, _ = read(report_of(panel), panel)
    assert told["measures"] == ["nDCG@3", "mRR", "P@1"]
    for m, measure in enumerate(MEASURES):
        for r, entry in enumerate(panel.scores.entries):
            values = entry.per_query(measure)
            for q, query in enumerate(told["id"]):
                written = told["values"][m][r][q]
                if query in values:
                    assert written / 10_000 == pytest.approx(values[query], abs=1.5e-4)
                else:
                    assert written == -1_000_000


@pytest.mark.parametrize(
    "value",
    [0.0625, 0.1875, 0.3154648767857287, 0.10654373218155079, 0.0, 1.0, 1 / 3, -0.0305, 1234.0625],
)
def test_the_page_prints_a_value_as_the_tables_do(value: float) -> None:
    """The script prints three decimals of the fourth: never of a 5, which leaves it a choice."""
    written = _scaled(value)
    assert abs(written) % 10 != 5
    assert f"{written / 10_000:,.3f}" == number_text(value)


def test_a_real_result_is_told_as_it_was_gathered(small: Report) -> None:
    panel = small.result.dataset_results[0]
    assert panel.causes is not None
    assert panel.data is not None
    told, passages = read(small, panel)
    assert told["causes"] == list(CAUSES)
    assert told["id"] == list(panel.data.queries.ids)
    for r, name in enumerate(panel.retrievers):
        causes = dict(zip(told["id"], told["cause"][r], strict=True))
        for at, query in enumerate(panel.causes.query_ids):
            assert causes[query] == panel.causes.of[name][at]
        assert {causes[query] for query in panel.data.queries.unanswerable} == {-1}
    starts = np.concatenate([[0], np.cumsum(told["judgments"])])
    relevant = relevant_of(told)
    for r, name in enumerate(panel.retrievers):
        for place, query in enumerate(panel.causes.query_ids):
            q = told["id"].index(query)
            ranks = [
                told["ranks"][r][n]
                for n in range(starts[q], starts[q + 1])
                if relevant[n] and told["ranks"][r][n]
            ]
            assert min(ranks, default=0) == panel.causes.first[name][place]
    texts = dict(zip(panel.data.corpus.ids, panel.data.corpus.texts, strict=True))  # type: ignore[union-attr]
    assert dict(zip(passages["id"], passages["text"], strict=True)).items() <= texts.items()
    assert len(passages["id"]) == len(set(passages["id"]))


@pytest.mark.parametrize("depth", [1, 2, 20])
def test_depth_is_what_was_asked(panel: DatasetResult, depth: int) -> None:
    told, passages = read(report_of(panel, depth=depth), panel)
    shown = hits_of(told, passages)
    assert max(len(ids) for of in shown.values() for ids in of.values()) == min(depth, 5)


def test_a_result_without_its_dataset(panel: DatasetResult, dataset: Dataset) -> None:
    alone = panel.holding(data=None)
    data = report_of(alone)
    made = explorer_payloads(data, alone, PLENTY)
    told, passages = read(data, alone)
    assert not told["judged"]
    assert set(told["text"]) == {""}
    assert hits_of(told, passages) == hits_of(*read(report_of(panel), panel))
    assert set(passages["length"]) == {-1}
    (note,) = made.notes
    assert "shows only their ids" in note
    tables = [element.elements[0] for element in opened(worst_queries(alone))]
    assert [one.id for one in tables if isinstance(one, Table)] == [
        "worst-0-1",
        "worst-0-2",
        "worst-0-3",
    ]


@pytest.mark.parametrize(
    ("runs", "truth"),
    [
        ({"one": {"q1": ["a", "b"]}, "two": {"q1": ["b"]}}, {"q1": ["b"]}),
        ({"one": {"q1": []}}, {"q1": ["b"]}),
        ({"one": {"q1": {"zzz": 1.0}}}, {"q1": ["b"]}),
        ({"one": {"q1": {"a": 1.0}}}, {"q1": {"a": -1, "b": 1}}),
    ],
    ids=["no scores", "nothing returned", "not in the corpus", "in the pool, not judged"],
)
def test_odd_runs(runs: Any, truth: Any) -> None:
    dataset = Dataset.from_rows({"a": "A.", "b": "B."}, {"q1": "?", "q2": "??"}, truth)
    panel = panel_of(runs, dataset)
    told, passages = read(report_of(panel), panel)
    shown = hits_of(told, passages)
    for name, returned in runs.items():
        assert shown[name]["q1"] == list(returned["q1"])
    assert told["id"] == ["q1"]
    assert all(grade >= 0 for grade in told["grade"])
    assert "b" in passages["id"]
    assert worst_queries(panel)


def test_what_the_scripts_say_has_its_korean() -> None:
    assert set(assets.script_texts()) <= catalogue("ko").keys()


def test_every_cause_has_its_word() -> None:
    assert [name for name in CAUSES if f'{name}: _("' not in assets.script()] == []


def test_ids_of_passages_stand_once(panel: DatasetResult) -> None:
    _, passages = read(report_of(panel), panel)
    assert Ids(passages["id"])
