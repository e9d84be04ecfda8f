"""Systems that hold the passages themselves, over a golden set without a corpus."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ragscore import (
    BM25,
    Dataset,
    Fusion,
    Http,
    Recorded,
    evaluate,
    load_dataset,
    load_experiment,
    open_result,
    run_experiment,
)
from ragscore.cli import main
from ragscore.errors import ConfigError, DataError
from ragscore.judge.lookup import MAX_COMPARED

QUERIES = {"q1": "when is rent due", "q2": "pets", "q3": "keys"}
JUDGED = {"q1": ["rent"], "q2": ["pets"], "q3": ["keys"]}
GOLDEN = Dataset.from_rows(None, QUERIES, JUDGED)
RETURNED = {
    "when is rent due": [("x9", 3.0), ("rent", 2.0)],
    "pets": [("pets", 3.0), ("x7", 1.0)],
    "keys": [("x8", 2.0), ("x9", 1.0)],
}


def outside(query: str, k: int) -> list[tuple[str, float]]:
    return RETURNED[query][:k]


def write_golden(folder: Path) -> Path:
    folder.mkdir()
    for name, rows in {
        "queries": [{"id": id, "text": text} for id, text in QUERIES.items()],
        "ground_truth": [
            {"query_id": id, "passages": dict.fromkeys(ids, 1)} for id, ids in JUDGED.items()
        ],
    }.items():
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


def test_what_systems_return_is_scored_fused_and_beside_recorded_runs(tmp_path: Path) -> None:
    recorded = tmp_path / "old.trec"
    recorded.write_text("q1 Q0 rent 1 2 old\nq3 Q0 x8 1 2 old\nq3 Q0 y1 2 1 old\n")

    def other(query: str, k: int) -> list[str]:
        return ["x1", *(passage for passage, _ in reversed(RETURNED[query]))]

    retrievers = {
        "outside": outside,
        "old": Recorded(run=str(recorded)),
        "both": Fusion(retrievers=("outside", "old")),
        "other": other,
        "all": Fusion(retrievers=("both", "other")),
        "bm25": BM25(),
    }
    result = evaluate(GOLDEN, retrievers, ["RR@10"])
    assert {name: values["RR@10"] for name, values in result.to_dict()["dataset"].items()} == {
        "outside": 0.5,
        "old": pytest.approx(1 / 3),
        "both": pytest.approx((1 + 1) / 3),
        "other": pytest.approx((1 / 2 + 1 / 3) / 3),
        "all": pytest.approx((1 + 1) / 3),
    }
    assert "no corpus" in str(result.failures)
    folder = tmp_path / "result"
    result.save(folder)
    again = open_result(folder)
    assert again.dataset("dataset").corpus is None
    assert again.runs["dataset", "all"].to_dict() == result.runs["dataset", "all"].to_dict()
    assert result.runs["dataset", "outside"].to_dict()["q1"] == {"x9": 3.0, "rent": 2.0}


def test_code_that_indexes_needs_the_corpus() -> None:
    class Indexing:
        def index(self, corpus: Any) -> None:
            raise AssertionError

        def retrieve(self, queries: list[str], k: int) -> list[list[str]]:
            return [[]] * len(queries)

    result = evaluate(GOLDEN, {"outside": outside, "mine": Indexing}, ["RR@10"])
    assert "it has index(corpus), and the dataset has no corpus" in str(result.failures)


def test_what_a_request_reads_of_queries_is_checked_all_the_same() -> None:
    spec = Http(url="http://localhost/{query.yaer}", body={"q": "{query}"}, response={"ids": "[*]"})
    with pytest.raises(ConfigError, match="no query has metadata 'yaer'"):
        evaluate(GOLDEN, {"outside": spec}, ["RR@10"])


PROGRAM = (
    'while read -r line; do id=${line#*\\"id\\": \\"}; id=${id%%\\"*}; '
    'echo "{\\"id\\": \\"$id\\", \\"ids\\": [\\"x$id\\", \\"pets\\"]}"; done'
)
EXPERIMENT = f"""
dataset: {{path: golden, corpus: false}}
retrievers:
  search: {{kind: command, command: [sh, -c, {json.dumps(PROGRAM)}], concurrency: 4}}
measures: [RR@10, nDCG@10]
"""


def test_an_experiment_over_a_golden_set(tmp_path: Path) -> None:
    folder = write_golden(tmp_path / "golden")
    (tmp_path / "gold.yaml").write_text(EXPERIMENT)
    with pytest.raises(DataError, match="missing here: passages"):
        load_dataset(folder)
    result = run_experiment(tmp_path / "gold.yaml", output=tmp_path / "result")
    assert result.to_dict()["golden"]["search"]["RR@10"] == pytest.approx(0.5 / 3)
    assert result.report is not None
    with pytest.raises(ConfigError, match="corpus: false reads none"):
        load_dataset(folder, corpus=False, passages="corpus.jsonl")


def test_what_searches_a_corpus_is_refused_before_anything_runs(tmp_path: Path) -> None:
    write_golden(tmp_path / "golden")
    file = tmp_path / "gold.yaml"
    both = EXPERIMENT.replace("retrievers:", "retrievers:\n  words: {kind: bm25}")
    file.write_text(both)
    with pytest.raises(ConfigError) as refused:
        load_experiment(file)
    [problem] = refused.value.problems
    assert problem.where.endswith("gold.yaml:4:10")
    assert problem.what.startswith("retrievers.words: it searches a corpus, and `corpus: false`")
    assert list(load_experiment(file, only=["search"]).retrievers) == ["words", "search"]


FUSED = """
dataset: {path: golden, corpus: false}
retrievers:
  one: {kind: recorded, run: one.trec}
  other: {kind: recorded, run: other.trec}
  both: {kind: fusion, retrievers: [one, other]}
measures: [nDCG@10, R@20]
"""


def show_and_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What ragscore run, show and report print, each of which succeeds."""
    for command in (
        ["run", str(folder / "gold.yaml"), "--output", str(folder / "result")],
        ["show", str(folder / "result")],
        ["report", str(folder / "result")],
    ):
        assert main(command) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def test_a_fusion_where_a_query_has_many_judgments(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first run names passages that nobody judged, before the judged ones."""
    write_golden(tmp_path / "golden")
    judged = [f"d{number}" for number in range(MAX_COMPARED + 1)]
    rows = {"q1": judged, "q2": ["d0"]}
    (tmp_path / "golden" / "ground_truth.jsonl").write_text(
        "\n".join(
            json.dumps({"query_id": id, "passages": dict.fromkeys(ids, 1)})
            for id, ids in rows.items()
        )
    )
    for name, ids in {"one": ["x1", "x2", "d0"], "other": ["y1", "d3", "x1"]}.items():
        lines = [f"q1 Q0 {id} 1 {9 - rank} {name}\n" for rank, id in enumerate(ids)]
        (tmp_path / f"{name}.trec").write_text("".join(lines))
    (tmp_path / "gold.yaml").write_text(FUSED)
    show_and_report(tmp_path, capsys)
    values = open_result(tmp_path / "result").to_dict()["golden"]
    assert {name: scores["R@20"] for name, scores in values.items()} == {
        "one": pytest.approx(1 / 17 / 2),
        "other": pytest.approx(1 / 17 / 2),
        "both": pytest.approx(2 / 17 / 2),
    }


def test_a_fusion_of_real_runs(
    tmp_path: Path, conformance: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run that trec_eval is tested with, and its second half, where it has passages that its
    first lacks."""
    source = conformance / "runs" / "trec_eval"
    (tmp_path / "golden").mkdir()
    shutil.copy(source / "qrels.test", tmp_path / "golden" / "qrels")
    topics = {line.split()[0] for line in (source / "qrels.test").read_text().splitlines()}
    queries = "".join(f"{topic}\ttopic {topic}\n" for topic in sorted(topics))
    (tmp_path / "golden" / "queries.tsv").write_text(queries)
    lines = (source / "results.test").read_text().splitlines(keepends=True)
    (tmp_path / "one.trec").write_text("".join(lines[::2]))
    (tmp_path / "other.trec").write_text("".join(lines[1::2]))
    (tmp_path / "gold.yaml").write_text(
        FUSED.replace("corpus: false", "corpus: false, format: trec")
    )
    show_and_report(tmp_path, capsys)
    both = open_result(tmp_path / "result").runs["golden", "both"]
    assert both.depth == 100
