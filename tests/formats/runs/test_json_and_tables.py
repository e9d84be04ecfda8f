"""Runs and judgments as JSON objects and as tables: every form that is understood."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragscore.formats import load_qrels, load_run, run_format

SCORED = {"q1": {"a": 2.5, "b": 1.0}, "q2": {"b": 3.0}}
RANKED = {"q1": ["a", "b"], "q2": ["b"]}


@pytest.mark.parametrize(
    ("name", "text", "scored"),
    [
        ("r.json", '{"q1": {"b": 1, "a": 2.5}, "q2": {"b": 3}}', True),
        ("r.json", '{"q1": [["b", 1], ["a", 2.5]], "q2": [["b", 3]]}', True),
        ("r.json", '{"q1": ["a", "b"], "q2": ["b"]}', False),
        ("r.json", '{"q1": ["a", "b", "a"], "q2": ["b"]}', False),
        ("r.csv", "query,passage,score\nq1,b,1\nq2,b,3\nq1,a,2.5\n", True),
        ("r.csv", "QID,DocNo,Sim,extra\nq1,b,1,x\nq2,b,3,x\nq1,a,2.5,x\n", True),
        ("r.csv", "query-id,corpus-id,rank,score\nq1,b,1,1\nq2,b,9,3\nq1,a,7,2.5\n", True),
        ("r.csv", "query,passage,rank\nq1,b,9\nq2,b,2\nq1,a,1\n", False),
        ("r.csv", 'query,passage\r\n"q1",a\r\nq1,"b"\r\nq2,b\r\n', False),
        ("r.tsv", "query\tpassage\tscore\nq1\tb\t1\nq2\tb\t3\nq1\ta\t2.5\n", True),
        ("r.tsv", "q1\tQ0\tb\t1\t1\tt\nq1\tQ0\ta\t1\t2.5\tt\nq2\tQ0\tb\t1\t3\tt\n", True),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_runs(name: str, text: str, scored: bool, packed: bool, tmp_path: Path) -> None:
    path = tmp_path / (name + ".gz" * packed)
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    run = load_run(path)
    assert run.name == "r"
    assert (run.scores is not None) == scored
    found = run.to_dict()
    assert {query: list(passages) for query, passages in found.items()} == RANKED
    assert not scored or found == SCORED


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("j.json", '{"q1": {"a": 1, "b": 0}, "q2": {"b": 2.5}}'),
        ("j.csv", "query,passage,grade\nq1,a,1\nq1,b,0\nq2,b,2.5\n"),
        ("j.csv", "rel,docid,qid\n1,a,q1\n0,b,q1\n2.5,b,q2\n"),
        ("j.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t0\nq2\tb\t2.5\n"),
        ("j.tsv", "passage\tquery\tgrade\na\tq1\t1\nb\tq1\t0\nb\tq2\t2.5\n"),
    ],
)
def test_judgments(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8", newline="\n")
    assert load_qrels(tmp_path / name).to_dict() == {"q1": {"a": 1, "b": 0}, "q2": {"b": 2.5}}


@pytest.mark.parametrize(
    ("name", "text"), [("j.json", '{"q1": ["a", "b"]}'), ("j.csv", "query,passage\nq1,a\nq1,b\n")]
)
def test_judgments_without_grades_have_grade_1(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8", newline="\n")
    assert load_qrels(tmp_path / name).to_dict() == {"q1": {"a": 1, "b": 1}}


def test_judgments_in_parquet(tmp_path: Path) -> None:
    rows = {"query_id": [1, 1], "passage_id": ["007", "8"], "grade": [2, 0]}
    polars.DataFrame(rows).write_parquet(tmp_path / "j.parquet")
    assert load_qrels(tmp_path / "j.parquet").to_dict() == {"1": {"007": 2, "8": 0}}


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.run", "", "trec"),
        ("a", "query,passage,score\n", "trec"),
        ("a.tsv", "q1\tQ0\ta\t1\t1\tt\n", "trec"),
        ("a.tsv", "Query ID\tdocument\tscore\n", "tsv"),
        ("a.csv.zst", "", "csv"),
        ("a.json", "", "json"),
        ("a.parquet", "", "parquet"),
    ],
)
def test_the_format_goes_by_the_suffix(name: str, text: str, kind: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert run_format(tmp_path / name) == kind


texts = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=4
)
scores = st.floats(allow_nan=False, allow_infinity=False)


@given(st.dictionaries(texts, st.dictionaries(texts, scores, max_size=3), max_size=3))
def test_any_ids_and_scores_come_back(
    tmp_path_factory: pytest.TempPathFactory, returned: dict[str, dict[str, float]]
) -> None:
    import csv
    import json

    folder = tmp_path_factory.getbasetemp()
    json_path, csv_path = folder / "any.json", folder / "any.csv"
    json_path.write_text(json.dumps(returned, ensure_ascii=len(returned) % 2 == 0), "utf-8")
    with csv_path.open("w", encoding="utf-8", newline="") as file:
        rows = [(q, p, repr(s)) for q, passages in returned.items() for p, s in passages.items()]
        csv.writer(file).writerows([("query", "passage", "score"), *rows])
    assert load_run(json_path).to_dict() == returned
    assert load_run(csv_path).to_dict() == {q: p for q, p in returned.items() if p}
