"""Judgments alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore.cli import main
from ragscore.errors import DataError
from ragscore.formats import load_qrels


@pytest.mark.parametrize(
    ("text", "judged"),
    [
        ("q1 0 a 1\nq1 0 b 0\nq2\t0\ta\t2.5\n", {"q1": {"a": 1, "b": 0}, "q2": {"a": 2.5}}),
        ("query-id\tcorpus-id\tscore\nq 1\ta b\t1\n", {"q 1": {"a b": 1}}),
        ("q1\ta\t-1\n", {"q1": {"a": -1}}),
        ("# a comment\nq1   0 a  1\n", {"q1": {"a": 1}}),
        ("", {}),
    ],
)
def test_both_forms(text: str, judged: dict[str, dict[str, float]], tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text(text, encoding="utf-8", newline="\n")
    assert load_qrels(path).to_dict() == judged


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("q1 0 a\n", r"qrels:1: 3 columns where 4 are expected"),
        ("q1 0 a high\n", r"qrels:1: the grade 'high' is not a number"),
        ("q1 0 a 1_0\n", r"qrels:1: the grade '1_0' is not a number"),
        ("q1 0 a \uff11\n", r"qrels:1: the grade '\uff11' is not a number"),
        ("q1 0 a 1\nq1 0 a 1\n", r"qrels:2: the passage 'a' is judged twice for the query 'q1'"),
    ],
)
def test_wrong_files(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(text, encoding="utf-8", newline="\n")
    with pytest.raises(DataError, match=says):
        load_qrels(tmp_path / "qrels")
    with pytest.raises(DataError, match="no such file"):
        load_qrels(tmp_path / "nowhere")


def test_subtopics_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("q1 1 d1 1\nq1 2 d1 1\nq1 2 d2 1\n")
    run.write_text("q1 Q0 d2 1 3 x\nq1 Q0 d1 2 2 x\n")
    with pytest.raises(DataError, match="name the format trec-subtopics"):
        load_qrels(qrels)
    read = load_qrels(qrels, format="trec-subtopics")
    assert read.needs is not None
    assert read.needs.best.tolist() == [1.0, 1.0]
    asked = ["score", str(run), "--qrels", str(qrels), "-m", "R@1", "-m", "R@2", "--format", "csv"]
    assert main(asked) == 3
    assert "trec-subtopics" in capsys.readouterr().err
    assert main([*asked, "--qrels-format", "trec-subtopics"]) == 0
    assert "R@2,1.0" in capsys.readouterr().out
    folder = ["score", str(run), "--qrels", str(tmp_path), "--qrels-format", "trec"]
    assert main(folder) == 2
    assert "--qrels-format" in capsys.readouterr().err
