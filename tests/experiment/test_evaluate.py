"""evaluate on real retrievers."""

from __future__ import annotations

import asyncio
import io
import itertools
import time
from pathlib import Path

import pytest
from rich.console import Console

import ragscore
from ragscore import BM25, Cache, Dataset, evaluate, load_experiment, run_experiment
from ragscore.errors import ConfigError, DataError, RetrieverError
from ragscore.retrievers import Recorded
from ragscore.retrievers.bm25 import BM25Index
from tests.factories.house import PASSAGES, QUERIES, TRUTH, TWO, write_config, write_dataset


def test_loading_a_model_is_not_searching(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = Dataset.from_rows({"a": "rent"}, {"q": "rent"}, {"q": ["a"]})
    clock = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))
    loading = range(100)
    monkeypatch.setattr(BM25Index, "prepare", lambda *given: [next(clock) for _ in loading])
    stages = evaluate(dataset, {"bm25": BM25()}, ["RR"]).stages["dataset", "bm25"]
    assert stages.load_seconds >= len(loading) > stages.search_seconds


def test_what_a_recorded_run_returned_twice_is_counted_once(tmp_path: Path) -> None:
    count = 5000  # more than one block of queries
    lines = "".join(f"q{n} Q0 a 1 1 r\nq{n} Q0 a 2 1 r\n" for n in range(count))
    (tmp_path / "old.trec").write_text(lines, encoding="utf-8")
    queries = {f"q{n}": "rent" for n in range(count)}
    dataset = Dataset.from_rows({"a": "rent"}, queries, {"q0": ["a"]})
    result = evaluate(dataset, {"old": Recorded(run=str(tmp_path / "old.trec"))}, ["P@1"], depth=1)
    assert result.scores["old"].counts.duplicates == count


def test_a_failing_retriever_does_not_lose_the_others(dataset: Dataset) -> None:
    def broken(query: str, k: int) -> list[str]:
        raise ZeroDivisionError("index is gone")

    result = evaluate(dataset, {"broken": broken, "bm25": BM25()}, ["nDCG@3"])
    assert result.scores.retrievers == ["bm25"]
    error = result.failures["house", "broken"]
    assert "broken" in str(error)
    assert "q1" in str(error)
    assert "index is gone" in str(error)
    console = Console(width=200, file=io.StringIO(), record=True)
    console.print(result)
    for shown in (str(result), console.export_text()):
        assert "broken failed on house" in shown
        assert "bm25" in shown
    page = result._repr_html_()
    assert "broken" in page
    assert "index is gone" in page
    with pytest.raises(RetrieverError, match="index is gone"):
        evaluate(dataset, {"broken": broken}, ["nDCG@3"])


def test_an_index_that_returns_no_run(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BM25Index, "search", lambda index, queries, depth, inputs: {"q1": ["a"]})
    told = r"retriever 'bm25': search returned {'q1': \['a'\]}\. Return a ragscore\.Run"
    with pytest.raises(RetrieverError, match=told):
        evaluate(dataset, {"bm25": BM25()}, ["nDCG@3"])


def test_evaluate_takes_functions_objects_and_specs(dataset: Dataset) -> None:
    def mine(query: str, k: int) -> list[str]:
        return [p for p, text in PASSAGES.items() if set(query.split()) & set(text.split())][:k]

    async def later(query: str, k: int) -> list[tuple[str, float]]:
        await asyncio.sleep(0)
        return [(passage_id, -float(rank)) for rank, passage_id in enumerate(mine(query, k))]

    result = evaluate(dataset, {"mine": mine, "later": later, "bm25": BM25()}, ["R@2", "mRR"])
    means = result.to_dict()["house"]
    assert means["mine"] == means["later"]
    assert means["bm25"]["R@2"] == 0.75
    assert result.to_polars().height == 6
    assert "R@2" in str(result)


def test_the_query_itself_is_dropped_where_asked() -> None:
    texts = {"a": "red apple pie", "b": "green apple pie", "c": "blue sky"}
    plain = Dataset.from_rows(texts, {"a": "red apple pie"}, {"a": ["b"]})
    dropping = Dataset.from_rows(texts, {"a": "red apple pie"}, {"a": ["b"]}, drop_self=True)
    assert evaluate(plain, {"bm25": BM25()}, ["RR"]).to_dict()["dataset"]["bm25"]["RR"] == 0.5
    result = evaluate(dropping, {"bm25": BM25()}, ["RR"], depth=1)
    assert result.to_dict()["dataset"]["bm25"]["RR"] == 1.0, "one more was searched to fill depth 1"


def test_a_profile_scores_as_its_tool(tmp_path: Path, dataset: Dataset) -> None:
    write_dataset(tmp_path / "data")
    body = TWO.replace("measures:", "profile: llamaindex\nmeasures: [P@3, AP(denominator=k)@3]\nx:")
    body = body.replace("x: [nDCG@3, mAP@3, R@depth, MR]\n", "")
    experiment = load_experiment(write_config(tmp_path, body))
    entry = run_experiment(experiment, output=tmp_path / "out").scores.entries[0]
    assert list(map(str, entry.measures)) == ["P(denominator=returned)@3", "AP(denominator=k)@3"]
    by_hand = evaluate(dataset, {"bm25": BM25()}, ["P@3"], profile="llamaindex").scores
    assert by_hand["bm25"].mean("P(denominator=returned)@3") == entry.means[0]


def test_an_unknown_profile(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    with pytest.raises(ConfigError, match=r"house\.yaml:2:10: profile: .*'ranx'"):
        load_experiment(write_config(tmp_path, f"profile: rankx\n{TWO}"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"measures": ["R@20"], "depth": 10}, r"the cutoff 20 is above the depth 10"),
        ({"measures": "nDCG@500"}, r"measures\[0\]: the cutoff 500 is above the depth 100"),
        ({"depth": 0, "measures": ["P@depth"]}, r"the depth is 0"),
        ({"retrievers": []}, r"mapping of name to retriever"),
        ({"retrievers": {}}, r"mapping of name to retriever"),
    ],
)
def test_evaluate_refuses_what_yaml_refuses(
    dataset: Dataset, arguments: dict[str, object], says: str
) -> None:
    with pytest.raises(ConfigError, match=says):
        evaluate(dataset, **{"retrievers": {"bm25": BM25()}, **arguments})


def test_recorded_runs_are_scored_without_a_corpus(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "queries.tsv").write_text("q1\twhen\nq2\twhere\n", encoding="utf-8")
    (folder / "qrels.txt").write_text("q1 0 a 1\nq2 0 b 1\n", encoding="utf-8")
    (tmp_path / "run.trec").write_text("q1 Q0 a 1 2.0 r\nq1 Q0 new 2 1.0 r\n", encoding="utf-8")
    (tmp_path / "empty.trec").write_text("", encoding="utf-8")
    body = (
        "dataset: data\nmeasures: [nDCG@10, P@2]\nretrievers:\n"
        "  old: {kind: recorded, run: run.trec}\n  empty: {kind: recorded, run: empty.trec}\n"
        "  both: {kind: fusion, retrievers: [old, empty]}\n  bm25: {kind: bm25}\n"
    )
    result = run_experiment(write_config(tmp_path, body), output=tmp_path / "out")
    means = result.to_dict()["data"]
    assert means["old"] == means["both"] == {"nDCG@10": 0.5, "P@2": 0.25}
    assert means["empty"] == {"nDCG@10": 0, "P@2": 0}
    assert "has no corpus" in str(result.failures["data", "bm25"])
    assert all(stage.latency is None for stage in result.stages.values())


def test_what_is_odd_about_the_data_is_noted(dataset: Dataset) -> None:
    def backwards(query: str, k: int) -> list[tuple[str, float]]:
        return [("rent due", 0.1), ("pets", 0.9)]

    blank = Dataset.from_rows(PASSAGES, {**QUERIES, "q5": " "}, {**TRUTH, "q5": ["pets"]})
    notes = evaluate(blank, {"mine": backwards}, ["P@1"], depth=5).notes
    notes = [str(note) for note in notes]
    assert "dataset: 1 query is empty" in notes
    assert any("the returned order is not the order of the scores" in note for note in notes)


def test_a_threshold_that_no_grade_reaches_is_noted(dataset: Dataset) -> None:
    measures = ["P(relevant_from=20)@1", "P@1", "nDCG@1"]
    notes = evaluate(dataset, {"bm25": BM25()}, measures, depth=5).notes
    assert [note for note in map(str, notes) if "no grade reaches" in note] == [
        "house: no grade reaches relevant_from=20 "
        f"(the largest is {dataset.qrels.grades.max():g}), so measures that use it are 0"
    ]


def test_a_dataset_without_queries_or_passages_is_refused() -> None:
    for rows, what in ((({"a": "rent"}, {}), "queries"), (({}, {"q": "rent"}), "passages")):
        with pytest.raises(DataError, match=f"dataset 'dataset': there are no {what}"):
            evaluate(Dataset.from_rows(*rows, {}), {"bm25": BM25()})


def test_a_cache_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("RAGSCORE_CACHE", str(tmp_path / "file"))

    notes: list[str] = []

    class Kept(ragscore.Progress):
        def note(self, text: str) -> None:
            notes.append(text)

    cache = Cache.usable(Kept())
    assert notes == [str(cache.failure)]
    assert "cannot be written" in notes[0]
    assert cache.keep("kind", "key", lambda folder: None) is None


def test_foreign_errors_name_their_line(dataset: Dataset) -> None:
    def broken(query: str, k: int) -> list[str]:
        return {}[query]

    error = evaluate(dataset, {"broken": broken, "bm25": BM25()}, ["P@1"], depth=5).failures
    assert "KeyError" in str(error["house", "broken"])
    assert "(test_evaluate.py:" in str(error["house", "broken"])
