"""score() on files: the values of the command and of the runs in memory, to the last bit."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import ragscore
from ragscore import Dataset, Run, Scores, load_dataset, load_qrels, load_run, score
from ragscore.cli import main
from ragscore.errors import ConfigError, DataError
from ragscore.formats import write_dataset, write_parquet_run
from ragscore.formats.runs import trec

MEASURES = ["nDCG@10", "AP", "RR", "P@3", "R@depth", "bpref", "Judged@5"]
GRADES = {f"q{q}": {f"d{(7 * q + k) % 40}": k % 3 for k in range(6)} for q in range(30)}
RETURNED = {
    f"q{q}": {f"d{(5 * q + 3 * k) % 40}": round(9.0 / (1 + k // 2), 3) for k in range(12)}
    for q in range(2, 33)
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    rows = [(q, p, s) for q, passages in RETURNED.items() for p, s in passages.items()]
    (tmp_path / "a.trec").write_text("".join(f"{q}\tQ0 {p} 1 {s} t\n" for q, p, s in rows))
    write_parquet_run(Run.from_dict(RETURNED), tmp_path / "b.parquet")
    table = polars.DataFrame(rows, schema=["query", "passage", "score"], orient="row")
    table.write_csv(tmp_path / "c.csv")
    table.write_csv(tmp_path / "d.tsv", separator="\t")
    (tmp_path / "e.json").write_text(json.dumps(RETURNED))
    lines = [f"{q} 0 {p} {grade}\n" for q, judged in GRADES.items() for p, grade in judged.items()]
    (tmp_path / "qrels.txt").write_text("".join(lines))
    (tmp_path / "qrels.json").write_text(json.dumps(GRADES))
    return tmp_path


RUN_FILES = ["a.trec", "b.parquet", "c.csv", "d.tsv", "e.json"]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"profile": "trec9"},
    {"profile": "beir"},
    {"depth": 4, "missing": "drop"},
    {"unjudged": "remove"},
    {"bounds": True},
]


def assert_equal(one: Scores, other: Scores) -> None:
    for ours, theirs in zip(one.entries, other.entries, strict=True):
        assert ours.query_ids == theirs.query_ids
        assert ours.resolved == theirs.resolved
        assert np.array_equal(ours.values, theirs.values, equal_nan=True)
        assert np.array_equal(ours.means, theirs.means, equal_nan=True)
        assert ours.counts == theirs.counts
        assert (ours.dropped, ours.mismatch) == (theirs.dropped, theirs.mismatch)
        for name, curve in ours.curves.items():
            assert np.array_equal(curve.mean, theirs.curves[name].mean, equal_nan=True)


@pytest.mark.parametrize("name", RUN_FILES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_files_and_memory_give_the_same(name: str, options: dict[str, Any], files: Path) -> None:
    of_files = score(files / name, str(files / "qrels.txt"), MEASURES, **options)
    loaded, qrels = load_run(files / name), load_qrels(files / "qrels.txt")
    assert_equal(of_files, score(loaded, qrels, MEASURES, **options))
    assert_equal(of_files, score(RETURNED, GRADES, MEASURES, **options))
    assert_equal(of_files, score(files / name, GRADES, MEASURES, **options))
    assert_equal(of_files, score(RETURNED, files / "qrels.json", MEASURES, **options))
    assert of_files.entries[0].retriever == name.partition(".")[0]


@pytest.mark.parametrize("name", RUN_FILES)
def test_the_command_prints_these_values(
    name: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = [flag for measure in MEASURES for flag in ("-m", measure)]
    arguments = ["score", str(files / name), "--qrels", str(files / "qrels.txt"), *flags]
    assert not main([*arguments, "--format", "csv", "--per-query", "--quiet"])
    scores = score(files / name, files / "qrels.txt", MEASURES)
    entry = scores.entries[0]
    printed = {
        (row["query"], row["measure"]): float(row["value"])
        for row in csv.DictReader(io.StringIO(capsys.readouterr().out))
    }
    for measure in entry.measures:
        for query, value in entry.per_query(measure).items():
            assert printed[query, str(measure)] == value


def test_several_runs_at_once(files: Path) -> None:
    scores = ragscore.score([files / "a.trec", files / "b.parquet"], files / "qrels.txt", ["AP"])
    assert scores.to_dict()["qrels"].keys() == {"a", "b"}
    run = load_run(files / "a.trec").renamed("c")
    mixed = score([run, str(files / "b.parquet")], GRADES, ["AP"])
    assert [entry.retriever for entry in mixed.entries] == ["c", "b"]
    with pytest.raises(ConfigError, match="two runs are named 'c'"):
        score([run, run], GRADES, ["AP"])
    with pytest.raises(ConfigError, match="one name for several runs"):
        score([run], GRADES, ["AP"], retriever="x")


def test_a_dataset_knows_its_unanswerable_queries_and_its_size(tmp_path: Path) -> None:
    data = Dataset.from_rows(
        passages={"d1": "one", "d2": "two", "d3": "three"},
        queries=[
            {"id": "q1", "text": "?"},
            {"id": "q2", "text": "?", "answerable": False},
        ],
        ground_truth={"q1": ["d2"]},
        name="small",
    )
    write_dataset(data, tmp_path / "small")
    (tmp_path / "r.trec").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq2 Q0 d3 1 1 t\n")
    for judged in (data, tmp_path / "small", load_dataset(tmp_path / "small")):
        scores = score(tmp_path / "r.trec", judged, ["RR", "AUC"])
        assert scores.to_dict() == {"small": {"r": {"RR": 0.5, "AUC": 0.5}}}
        counts = scores.entries[0].counts
        assert (counts.unanswerable, counts.answered_unanswerable) == (1, 1)


def test_what_cannot_be_scored_is_named(files: Path) -> None:
    with pytest.raises(DataError, match=r"none\.trec: no such file"):
        score(files / "none.trec", files / "qrels.txt")
    (files / "empty.txt").write_text("")
    with pytest.raises(DataError, match=r"empty\.txt: no judgment is here"):
        score(files / "a.trec", files / "empty.txt")
    with pytest.raises(DataError, match="an array of passage numbers and the judgments are a file"):
        score(np.array([[1, 2]]), files / "qrels.txt")
    (files / "twice.trec").write_text("q2 Q0 d1 1 2 t\nq2 Q0 d1 2 1 t\n")
    assert score(files / "twice.trec", GRADES).entries[0].counts.duplicates == 1
    with pytest.raises(DataError, match="passage 'd1' is returned twice"):
        score(files / "twice.trec", GRADES, strict=True)


@pytest.mark.parametrize("suffix", ["trec", "parquet"])
def test_ids_that_differ_are_explained_without_reading_the_file_again(
    suffix: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upper = {query: {p.upper(): s for p, s in found.items()} for query, found in RETURNED.items()}
    some = {
        query: {p.upper() if int(p[1:]) % 2 else p: s for p, s in found.items()}
        for query, found in RETURNED.items()
    }
    queries = {f"{query}.0": found for query, found in RETURNED.items()}
    for returned in (upper, some, queries):
        path = files / f"odd.{suffix}"
        if suffix == "parquet":
            write_parquet_run(Run.from_dict(returned), path)
        else:
            rows = [(q, p, s) for q, passages in returned.items() for p, s in passages.items()]
            path.write_text("".join(f"{q} Q0 {p} 1 {s} t\n" for q, p, s in rows))
        expected = score(load_run(path), GRADES).entries[0].mismatch
        assert expected is not None
        with monkeypatch.context() as patch:
            patch.setattr("ragscore.scoring.load_run", None)
            patch.setattr(trec, "read_file", None)
            assert score(path, GRADES).entries[0].mismatch == expected
