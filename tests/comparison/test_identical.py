"""Retrievers that returned the same passages for every query are found in their runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ragscore.comparison.differences import Identical, identical_runs
from ragscore.experiment import load_experiment, run_experiment
from ragscore.messages import Message, _
from ragscore.results import open_result
from ragscore.run import Run
from ragscore.scoring import RetrieverScores, score

QRELS = {f"q{n}": ["a", "c"] for n in range(8)}
FOUND = {query: ["a", "b", "c", "d"] for query in QRELS}


def scored(
    measures: list[str] | None = None, **returned: dict[str, list[str]]
) -> tuple[dict[str, Run], list[RetrieverScores]]:
    runs = {name: Run.from_dict(found, name=name) for name, found in returned.items()}
    entries = [
        score(run, QRELS, measures or ["RR@3", "P@2"], retriever=name).entries[0]
        for name, run in runs.items()
    ]
    return runs, entries


def groups(found: tuple[Identical, ...]) -> list[tuple[str, ...]]:
    return [one.retrievers for one in found]


def test_the_same_rankings_are_one_retriever() -> None:
    other = {**FOUND, "q3": ["b", "a", "c", "d"]}
    runs, entries = scored(one=FOUND, two=other, three=dict(reversed(FOUND.items())), four=other)
    assert groups(identical_runs(runs, entries)) == [("one", "three"), ("two", "four")]


def test_a_passage_that_came_back_twice_makes_no_other_retriever() -> None:
    twice = {query: [*found, "a"] for query, found in FOUND.items()}
    runs, entries = scored(["RR"], one=FOUND, two=twice)
    assert [run.depth for run in runs.values()] == [4, 5]
    assert groups(identical_runs(runs, entries)) == [("one", "two")]


def test_equal_scores_are_no_proof() -> None:
    """Nobody judged b and x: the values are the same, the passages are not."""
    unjudged = {query: ["a", "x", "c", "d"] for query in QRELS}
    runs, entries = scored(one=FOUND, two=unjudged)
    assert np.array_equal(entries[0].values, entries[1].values)
    assert identical_runs(runs, entries) == ()


@pytest.mark.parametrize(("measure", "same"), [("RR@3", True), ("RR", False), ("R@depth", False)])
def test_passages_below_every_cutoff_do_not_matter(measure: str, same: bool) -> None:
    deeper = {query: ["a", "b", "c", "z"] for query in QRELS}
    runs, entries = scored([measure], one=FOUND, two=deeper)
    assert bool(identical_runs(runs, entries)) == same


def test_a_query_that_got_nothing_is_another_answer() -> None:
    runs, entries = scored(one=FOUND, two={**FOUND, "q5": []})
    assert identical_runs(runs, entries) == ()
    without = {query: found for query, found in FOUND.items() if query != "q5"}
    runs, entries = scored(one={**FOUND, "q5": []}, two=without)
    assert groups(identical_runs(runs, entries)) == [("one", "two")]


def test_two_vocabularies_are_compared_by_their_texts() -> None:
    runs, entries = scored(one=FOUND, two=FOUND)
    wider = runs["two"].onto(runs["two"].passages.__class__(["zz", "d", "c", "b", "a"]))
    assert groups(identical_runs({**runs, "two": wider}, entries)) == [("one", "two")]


@pytest.mark.parametrize(
    ("second", "titled", "reason"),
    [
        ({"kind": "bm25", "fields": ["title", "text"]}, False, _("no passage has a title")),
        ({"kind": "bm25", "fields": ["title", "text"]}, True, None),
        ({"kind": "bm25", "fields": ["title", "text"]}, None, None),
        ({"kind": "bm25", "fields": ["title", "text"], "k1": 2.0}, False, None),
        ({"kind": "bm25", "fields": ["text"]}, False, None),
    ],
    ids=str,
)
def test_the_reason_is_given_where_it_is_known(
    second: dict[str, object], titled: bool | None, reason: Message | None
) -> None:
    runs, entries = scored(one=FOUND, two=FOUND)
    settings = {"one": {"kind": "bm25", "fields": ["text"]}, "two": second}
    found = identical_runs(runs, entries, settings=settings, titled=titled)
    assert found == (Identical(("one", "two"), reason),)


def test_scores_that_differ_are_two_retrievers_whatever_they_returned() -> None:
    runs, entries = scored(one=FOUND, two=FOUND)
    other = replace(entries[1], values=entries[1].values + 0.1)
    assert identical_runs(runs, [entries[0], other]) == ()


def test_every_surface_names_them_and_counts_them_once(tmp_path: Path) -> None:
    words = ["berth", "crane", "dock", "ferry", "gale", "hull", "keel", "mast"]
    data = tmp_path / "data"
    data.mkdir()
    rows = {
        "passages": [
            {"id": f"p{n}", "text": f"{word} {' '.join(words[: n % 3 + 2])}"}
            for n, word in enumerate(words * 2)
        ],
        "queries": [{"id": f"q{n}", "text": f"{word} dock"} for n, word in enumerate(words)],
        "ground_truth": [{"query_id": f"q{n}", "passages": {f"p{n}": 1}} for n in range(8)],
    }
    for name, listed in rows.items():
        text = "".join(json.dumps(row) + "\n" for row in listed)
        (data / f"{name}.jsonl").write_text(text, encoding="utf-8")
    config = tmp_path / "x.yaml"
    config.write_text(
        "name: same\ndataset: data\nmeasures: [RR@5]\ndepth: 5\nlatency: false\nretrievers:\n"
        "  text: {kind: bm25, fields: [text]}\n  both: {kind: bm25, fields: [title, text]}\n"
        "  flat: {kind: bm25, k1: 0.0, b: 1.0, fields: [text]}\n",
        encoding="utf-8",
    )
    result = run_experiment(load_experiment(config), output=tmp_path / "out")
    (dataset,) = result.comparison().datasets
    said = (
        "text and both returned the same passages for every query (no passage has a title). They "
        "count as one retriever."
    )
    assert dataset.family.m == 1
    assert [len(one.retrievers) for one in dataset.identical] == [2]
    assert said in str(dataset.verdict)
    assert said in str(result.comparison())
    (panel,) = open_result(tmp_path / "out").dataset_results
    assert panel.comparisons["text", "RR@5"].to_dict() == dataset.to_dict()
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "returned the same passages for every query" in page
    assert said in (tmp_path / "out" / "comparison.md").read_text(encoding="utf-8")
    shown = open_result(tmp_path / "out")._repr_html_()
    assert "returned the same passages for every query" in shown
