"""Runs by hand with nothing compared, and what the explorer's script reads of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ragscore.dataset import Dataset
from ragscore.elements import Details, Element, Paragraph
from ragscore.messages import translated
from ragscore.models import Query
from ragscore.report.explorer.budget import explorer_payloads
from ragscore.report.explorer.packing import unpacked
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.results import DatasetResult, Result
from ragscore.results.manifest import DatasetEntry, Manifest, RetrieverEntry
from ragscore.results.memory_parts import MemoryParts
from ragscore.run import Run
from ragscore.scoring import Scores, score
from tests.factories.built_report import of_datasets
from tests.factories.sample_report import handmade

MEASURES = ("nDCG@3", "RR", "P@1")
PLENTY = 10**9


def panel_of(runs: Mapping[str, Any], dataset: Dataset | None, qrels: Any = None) -> DatasetResult:
    """A panel of plain runs, with nothing compared."""
    made = {name: Run.from_dict(run, name=name) for name, run in runs.items()}
    judged = dataset.qrels if dataset is not None else qrels
    unanswerable = dataset.queries.unanswerable if dataset is not None else ()
    parts = [
        score(run, judged, MEASURES, dataset="trial", unanswerable=unanswerable)
        for run in made.values()
    ]
    entry = DatasetEntry(
        name="trial", path="", digest="", passages=None, queries=len(parts), judgments=0
    )
    manifest = Manifest(
        schema_version=1,
        experiment="trial",
        created="",
        datasets=(entry,),
        retrievers=tuple(
            RetrieverEntry(dataset="trial", name=name, status="complete", depth=run.depth)
            for name, run in made.items()
        ),
        files={},
    )
    result = Result(
        MemoryParts(
            manifest,
            Scores.joined(parts),
            {("trial", name): run for name, run in made.items()},
            {} if dataset is None else {"trial": dataset},
        )
    )
    return result["trial"]


def report_of(panel: DatasetResult, **options: Any) -> Report:
    """A report of one panel, whose sections a test makes."""
    return of_datasets(handmade("trial", panel.retrievers, (), ReportOptions(**options)), panel)


TEXTS = {name: f"{name} is about {name * 40}" for name in "abcdefgh"}
QUERIES = (
    Query(id="q1", text="first?", tags=["kind:exact", "rent"], metadata={"topic": "x"}),
    Query(id="q2", text="second?", tags=["kind:long"], metadata={"topic": "y", "note": None}),
    Query(id="q3", text="third?", tags=["rent"], metadata={"topic": "x"}),
    Query(id="q4", text="fourth?", answerable=False),
)
TRUTH = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1}, "q3": {"h": 1}, "q4": {"a": 0}}
RUNS: dict[str, dict[str, dict[str, float]]] = {
    "one": {
        "q1": {"b": 3.0, "c": 2.5, "a": 2.0, "d": 0.123456},
        "q2": {"a": 1.0, "b": 1.0, "c": 1.0, "e": 0.5, "d": 0.25},
        "q4": {"a": 1e-7},
    },
    "two": {"q1": {"a": 70.0}, "q2": {"d": 12345.678, "f": -0.5}, "q3": {"g": 0.1}},
}


def large(count: int = 60) -> DatasetResult:
    """Queries with one relevant passage each, at rank 5, and long texts that do not compress."""
    generator = np.random.default_rng(7)
    vocabulary = ["".join(chr(97 + n) for n in row) for row in generator.integers(0, 26, (5000, 7))]
    picked = generator.integers(0, len(vocabulary), (count * 8, 120))
    passages = {f"p{n}": " ".join(vocabulary[word] for word in row) for n, row in enumerate(picked)}
    queries = {f"q{n}": f"what of {n}?" for n in range(count)}
    truth = {f"q{n}": [f"p{8 * n + 4}"] for n in range(count)}
    run = {f"q{n}": [f"p{8 * n + place}" for place in range(8)] for n in range(count)}
    return panel_of({"one": run}, Dataset.from_rows(passages, queries, truth))


def relevant_of(told: Any) -> list[bool]:
    """Of each judgment that is told: whether its passage is relevant."""
    at = set(np.cumsum(told["relevant"]).tolist())
    return [n in at for n in range(len(told["grade"]))]


def read(data: Report, panel: DatasetResult, room: int = PLENTY) -> tuple[Any, Any]:
    """Both payloads as the page's script reads them."""
    made = explorer_payloads(data, panel, room)
    return unpacked(made.explorer), unpacked(made.passages)


def hits_of(told: Any, passages: Any) -> dict[str, dict[str, list[str]]]:
    """By retriever and query the ids that are shown, as explorer_data.js takes them apart."""
    largest, numbers = -1, []
    for below in told["hits"]:
        numbers.append(largest - below)
        largest = max(largest, numbers[-1])
    names = [one["name"] for one in told["retrievers"]]
    found: dict[str, dict[str, list[str]]] = {name: {} for name in names}
    at = 0
    for place, count in enumerate(told["returned"]):
        query, retriever = divmod(place, len(names))
        ids = [passages["id"][number] for number in numbers[at : at + count]]
        found[names[retriever]][told["id"][query]] = ids
        at += count
    assert at == len(numbers)
    return found


def opened(elements: Sequence[Element]) -> list[Details]:
    """The worst queries behind the line that says what they are."""
    said, *queries = translated(elements, "en")
    assert isinstance(said, Paragraph)
    assert all(isinstance(one, Details) for one in queries)
    return [one for one in queries if isinstance(one, Details)]
