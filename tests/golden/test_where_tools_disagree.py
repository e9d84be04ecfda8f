"""One small case each where evaluators differ: ragscore's number and the option for theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore.cli import main
from ragscore.errors import MeasureError
from ragscore.scoring import score

GRADED = {"a": 3, "b": 2, "c": 1}
THREE = ["a", "b", "c"]


@pytest.mark.parametrize(
    ("returned", "judged", "measure", "value"),
    [
        (["a", "x", "c"], GRADED, "nDCG@3", 0.7350),
        (["a", "x", "c"], GRADED, "nDCG(gain=exp)@3", 0.7985),
        (["a", "x", "b", "y", "z"], THREE, "nDCG@5", 0.7039),
        (["a", "x", "b", "y", "z"], THREE, "nDCG(ideal=slots)@5", 0.5087),
        (["a", "x", "b", "y", "z"], THREE, "nDCG(ideal=returned)@5", 0.9197),
        (["a", "x", "b"], THREE, "AP@2", 0.3333),
        (["a", "x", "b"], THREE, "AP(denominator=min)@2", 0.5),
        (["a", "x", "b"], THREE, "AP(denominator=found)@2", 1.0),
        (["a", "x", "b"], THREE, "AP(denominator=k)@2", 0.5),
        (["a"], ["a"], "bpref", 1.0),
        (["a", "x"], ["a"], "Judged@10", 0.5),
        (["a", "x"], ["a"], "Unjudged@10", 0.1),
        (["a", "x"], ["a", "b", "c", "d"], "SetF(beta=1.4142135623730951)", 0.3),
        (["a", "x"], ["a", "b", "c", "d"], "SetF(beta=2)", 0.2778),
        (["a", "x", "y", "b"], list("abcdefg"), "iprec@0.2", 1.0),
        (["a", "x", "y", "b"], list("abcdefg"), "iprec(rounding=trec9)@0.2", 0.5),
    ],
)
def test_value(returned: list[str], judged: object, measure: str, value: float) -> None:
    scores = score({"q": returned}, {"q": judged}, [measure]).entries[0]
    assert scores.mean(measure) == pytest.approx(value, abs=5e-5)


def test_auc_needs_the_size_of_the_corpus() -> None:
    with pytest.raises(MeasureError, match="AUC needs the corpus size: give n_passages"):
        score({"q": ["a"]}, {"q": ["a"]}, ["AUC"])
    with pytest.raises(MeasureError, match="but the corpus has 2"):
        score({"q": ["a", "b"]}, {"q": ["c"]}, ["AUC"], n_passages=2)
    everything = score({"q": ["a", "b"]}, {"q": ["a", "b"]}, ["AUC"], n_passages=2)
    assert everything.entries[0].mean("AUC") == 1


def test_err_refuses_a_grade_above_its_highest() -> None:
    with pytest.raises(MeasureError, match="there is a grade of 3, above max_grade"):
        score({"q": ["a"]}, {"q": {"a": 3}}, ["ERR(max_grade=2)@10"])
    large = score({"q": ["a"]}, {"q": {"a": 5000}}, ["ERR@10"])
    assert large.entries[0].mean("ERR@10") == pytest.approx(1)


def test_the_default_highest_grade_is_that_of_all_judgments() -> None:
    qrels = {"q": {"a": 1}, "r": {"b": 2}}
    scores = score({"q": ["a"], "r": ["b"]}, qrels, ["ERR@10", "RBP(gain=graded)"]).entries[0]
    assert scores.per_query("ERR@10") == {"q": 0.25, "r": 0.75}
    assert scores.per_query("RBP(gain=graded)")["q"] == pytest.approx(0.05)


def test_a_mean_between_two_decimals_is_printed_as_trec_eval_prints_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The mean is 0.04375. trec_eval (seen: 9.0.4) adds query after query and prints 0.0437; the
    sum rounded once prints 0.0438."""
    found = {f"q{number}": hits for number, hits in enumerate((0, 0, 0, 0, 1, 2, 2, 2))}
    run = [f"{query} Q0 r{at} 0 1 t\n" for query, hits in found.items() for at in range(hits)]
    run += [f"{query} Q0 x 0 0 t\n" for query in reversed(found)]
    qrels = [f"{query} 0 r{at} 1\n" for query in found for at in range(5)]
    (tmp_path / "run").write_text("".join(run), encoding="utf-8")
    (tmp_path / "qrels").write_text("".join(qrels), encoding="utf-8")
    files = (str(tmp_path / "run"), "--qrels", str(tmp_path / "qrels"))
    assert main(["score", *files, "-m", "P.20", "--format", "trec", "--quiet"]) == 0
    assert capsys.readouterr().out.split() == ["P_20", "all", "0.0437"]
