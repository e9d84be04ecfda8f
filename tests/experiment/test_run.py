"""run_experiment and evaluate on real retrievers."""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import time
from pathlib import Path

import jsonschema
import numpy as np
import polars
import pytest
from rich.console import Console

import ragscore
from ragscore import BM25, Cache, Dataset, evaluate, load_experiment, load_run, run_experiment
from ragscore.errors import ConfigError, DataError, RetrieverError
from ragscore.results.manifest_file import read_document
from ragscore.results.summary import summary_schema
from ragscore.retrievers import Recorded
from ragscore.retrievers.bm25 import BM25Index
from tests.factories.house import PASSAGES, QUERIES, TRUTH, TWO, write_config, write_dataset


@pytest.fixture
def dataset() -> Dataset:
    return Dataset.from_rows(PASSAGES, QUERIES, TRUTH, name="house")


def test_the_folder_says_everything(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    experiment = load_experiment(write_config(tmp_path, TWO, report=True))
    result = run_experiment(experiment, output=tmp_path / "out")
    folder = result.folder
    assert folder == tmp_path / "out"
    written = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    assert [name for name in written if not name.startswith("report")] == [
        "comparison.json",
        "comparison.md",
        "experiment.yaml",
        "manifest.json",
        *(
            f"runs/{name}.{kind}"
            for name in ("bm25", "both", "words")
            for kind in ("parquet", "trec")
        ),
        "scores.parquet",
        "summary.csv",
        "summary.json",
    ]
    assert {"report.html", "report/report.md"} <= {name for name in written if "report" in name}
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(summary_schema())
    jsonschema.validate(summary, summary_schema())
    assert summary["schema"] == 1
    assert [row["measure"] for row in summary["results"][:4]] == ["nDCG@3", "AP@3", "R@4", "MR"]
    assert [row["label"] for row in summary["results"][:4]] == ["nDCG@3", "mAP@3", "R@4", "MR"]
    counts = summary["counts"][0]
    assert (counts["queries"], counts["empty"], counts["missing"]) == (4, 1, 0)
    means = polars.read_csv(folder / "summary.csv")
    assert means["value"].to_list() == [row["value"] for row in summary["results"]]
    per_query = polars.read_parquet(folder / "scores.parquet")
    assert per_query.columns == ["dataset", "retriever", "query", "measure", "value"]
    assert len(per_query) == 3 * 4 * 4
    mean = per_query.filter(retriever="bm25", measure="nDCG@3")["value"].mean()
    assert mean == pytest.approx(summary["results"][0]["value"], abs=1e-15)


def test_the_manifest_explains_the_run(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    result = run_experiment(load_experiment(write_config(tmp_path, TWO)), output=tmp_path / "out")
    manifest = read_document(tmp_path / "out")
    assert manifest["datasets"][0]["passages"] == 5
    assert manifest["versions"]["bm25s"]
    for entry in manifest["retrievers"]:
        assert entry["status"] == "complete"
        assert entry["depth"] <= 4
        assert entry["search_seconds"] > 0
        assert entry["queries_per_second"] > 0
        assert 0 < entry["latency"]["p50_ms"] <= entry["latency"]["p95_ms"]
        assert entry["trec"] == {"written": True, "reason": None, "scores": entry["trec"]["scores"]}
    assert result.manifest.config_digest == manifest["config_digest"]


def test_loading_a_model_is_not_searching(monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = Dataset.from_rows({"a": "rent"}, {"q": "rent"}, {"q": ["a"]})
    clock = itertools.count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))
    loading = range(100)
    monkeypatch.setattr(BM25Index, "prepare", lambda index, queries: [next(clock) for _ in loading])
    stages = evaluate(dataset, {"bm25": BM25()}, ["RR"]).stages["dataset", "bm25"]
    assert stages.load_seconds >= len(loading) > stages.search_seconds


def test_the_resolved_config_gives_the_same_result(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    first = run_experiment(load_experiment(write_config(tmp_path, TWO)), output=tmp_path / "one")
    again = load_experiment(tmp_path / "one" / "experiment.yaml")
    second = run_experiment(again, output=tmp_path / "elsewhere" / "two")
    assert second.to_dict() == first.to_dict()
    assert second.manifest.config_digest == first.manifest.config_digest


def test_recorded_runs_replay_to_the_same_numbers(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    first = run_experiment(load_experiment(write_config(tmp_path, TWO)), output=tmp_path / "out")
    body = (
        "dataset: data\nretrievers:\n"
        "  parquet: {kind: recorded, run: out/runs/both.parquet}\n"
        "  trec: {kind: recorded, run: out/runs/both.trec}\n"
        "measures: [nDCG@3, mAP@3, R@depth, MR]\ndepth: 4\n"
    )
    replayed = run_experiment(load_experiment(write_config(tmp_path, body)), output=tmp_path / "r")
    wanted = first.to_dict()["data"]["both"]
    assert replayed.to_dict()["data"] == {"parquet": wanted, "trec": wanted}


def test_what_a_recorded_run_returned_twice_is_counted_once(tmp_path: Path) -> None:
    count = 5000  # more than one block of queries
    lines = "".join(f"q{n} Q0 a 1 1 r\nq{n} Q0 a 2 1 r\n" for n in range(count))
    (tmp_path / "old.trec").write_text(lines, encoding="utf-8")
    queries = {f"q{n}": "rent" for n in range(count)}
    dataset = Dataset.from_rows({"a": "rent"}, queries, {"q0": ["a"]})
    result = evaluate(dataset, {"old": Recorded(run=str(tmp_path / "old.trec"))}, ["P@1"], depth=1)
    assert result.scores["old"].counts.duplicates == count


def test_a_second_run_searches_nothing_and_says_so(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    experiment = load_experiment(write_config(tmp_path, TWO))
    cache = Cache(tmp_path / "cache")
    first = run_experiment(experiment, output=tmp_path / "one", cache=cache)
    fresh = Cache(tmp_path / "cache")
    second = run_experiment(experiment, output=tmp_path / "two", cache=fresh)
    assert fresh.writes == 0
    assert not any(stage.run_from_cache for stage in first.stages.values())
    assert all(stage.run_from_cache for stage in second.stages.values())
    assert second.to_dict() == first.to_dict()
    for key, run in first.runs.items():
        np.testing.assert_array_equal(run.rows, second.runs[key].rows)
        assert second.stages[key].latency == first.stages[key].latency

    other = load_experiment(
        write_config(tmp_path, TWO.replace("[nDCG@3, mAP@3, R@depth, MR]", "[P@2]"))
    )
    run_experiment(other, output=tmp_path / "three", cache=fresh)
    assert fresh.writes == 0, "other measures search nothing"


def test_several_datasets_are_averaged_and_never_pooled(tmp_path: Path) -> None:
    write_dataset(tmp_path / "one")
    write_dataset(tmp_path / "two")
    with (tmp_path / "two" / "passages.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"id": "more", "text": "rent"}\n')
    measures = "measures: [nDCG@3, R@depth]\n"
    body = f"datasets: [one, two]\nretrievers: {{bm25: {{kind: bm25}}}}\n{measures}depth: 9\n"
    result = run_experiment(load_experiment(write_config(tmp_path, body)), output=tmp_path / "out")
    assert (tmp_path / "out" / "runs" / "two" / "bm25.parquet").exists()
    summary = result.summary()
    assert [(row.dataset, row.measure) for row in summary.results] == [
        *(("one", "nDCG@3"), ("one", "R@5")),
        *(("two", "nDCG@3"), ("two", "R@6")),
    ]
    assert [(row.dataset, row.label) for row in summary.averages] == [
        ("average", "nDCG@3"),
        ("average", "R@depth"),
    ]


def test_only_reports_what_is_asked_and_searches_what_it_needs(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    experiment = load_experiment(write_config(tmp_path, TWO))
    result = run_experiment(experiment, output=tmp_path / "out", only=["both"])
    assert result.scores.retrievers == ["both"]
    full = run_experiment(experiment, output=tmp_path / "full")
    assert full.to_dict()["data"]["both"] == result.to_dict()["data"]["both"]
    with pytest.raises(ConfigError, match="Did you mean 'both'"):
        run_experiment(experiment, output=tmp_path / "out2", only=["bot"])


def test_only_is_written_as_it_was_run(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    body = TWO.replace("  both:", "  other: {kind: bm25, k1: 2}\n  both:")
    experiment = load_experiment(write_config(tmp_path, body))
    for only, names in (
        ((), ["bm25", "words", "other", "both"]),
        (["both"], ["bm25", "words", "both"]),
    ):
        folder = run_experiment(experiment, output=tmp_path / str(len(names)), only=only).folder
        assert folder is not None
        manifest = read_document(folder)
        written = load_experiment(folder / "experiment.yaml")
        assert list(written.retrievers) == names
        assert manifest["only"] == (only or None)
        assert manifest["config_digest"] == written.digest()


def test_depth_is_cut_to_the_corpus_with_a_note(tmp_path: Path) -> None:
    write_dataset(tmp_path / "data")
    body = TWO.replace("depth: 4", "depth: 100")
    result = run_experiment(load_experiment(write_config(tmp_path, body)), output=tmp_path / "out")
    assert any("depth 100 is cut to 5" in note for note in result.notes)
    assert "R@5" in result.to_dict()["data"]["bm25"]


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


def test_ids_with_spaces_survive_and_have_no_trec_file(tmp_path: Path) -> None:
    names = {passage: f"금융 - {passage}.pdf - 4" for passage in PASSAGES}
    write_dataset(tmp_path / "data", names)
    result = run_experiment(load_experiment(write_config(tmp_path, TWO)), output=tmp_path / "out")
    assert not (tmp_path / "out" / "runs" / "bm25.trec").exists()
    entry = read_document(tmp_path / "out")["retrievers"][0]
    assert entry["trec"]["written"] is False
    assert "white space" in entry["trec"]["reason"]
    assert any("white space" in note for note in result.notes)
    back = load_run(tmp_path / "out" / "runs" / "bm25.parquet")
    assert back.to_dict() == result.runs["data", "bm25"].to_dict()


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
    "name",
    [
        "../out",
        "/elsewhere/out",
        "a/b",
        "a\\b",
        ".hidden",
        "x" * 101,
        "",
        "a:b",
        "=1+1",
        "+1",
        "-1",
        "@x",
    ],
)
def test_a_dataset_cannot_write_outside_the_result(tmp_path: Path, name: str) -> None:
    write_dataset(tmp_path / "one")
    write_dataset(tmp_path / "two")
    body = (
        f"datasets: [one, {{path: two, name: {json.dumps(name)}}}]\n"
        "retrievers: {bm25: {kind: bm25}}\nmeasures: [P@1]\ndepth: 4\n"
    )
    with pytest.raises(ConfigError, match="cannot name a folder"):
        load_experiment(write_config(tmp_path, body))
    with pytest.raises(ConfigError, match="cannot name a folder"):
        ragscore.load_dataset(tmp_path / "one", name=name)


def test_a_dataset_has_no_name_that_windows_reserves(tmp_path: Path) -> None:
    for name in ("con", "NUL.x"):
        write_dataset(tmp_path / name)
        assert ragscore.load_dataset(tmp_path / name).name == f"_{name}"
        with pytest.raises(ConfigError, match="Windows reserves this name"):
            ragscore.load_dataset(tmp_path / name, name=name)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"measures": ["R@20"], "depth": 10}, r"R@20 has a cutoff above the depth of 10"),
        ({"measures": "nDCG@500"}, r"nDCG@500 has a cutoff above the depth of 100"),
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
    assert "dataset: 1 queries are empty" in notes
    assert any("the order it returned is not that of its scores" in note for note in notes)


def test_a_threshold_that_no_grade_reaches_is_noted(dataset: Dataset) -> None:
    measures = ["P(relevant_from=20)@1", "P@1", "nDCG@1"]
    notes = evaluate(dataset, {"bm25": BM25()}, measures, depth=5).notes
    assert [note for note in notes if "no grade reaches" in note] == [
        "house: no grade reaches relevant_from=20 "
        f"(the largest is {dataset.qrels.grades.max():g}), so measures that look for it are 0"
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
    assert "(test_run.py:" in str(error["house", "broken"])
