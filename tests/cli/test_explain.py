"""``ragscore explain`` and ``ragscore reconcile`` as they are run."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragscore.docstrings import describe_field
from ragscore.elements import as_text
from ragscore.errors import MeasureError
from ragscore.measures import TABLE, parse_measures
from ragscore.plugins import summary_of
from ragscore.scoring import PROFILES, score
from ragscore.scoring.conventions import options_of
from ragscore.scoring.explanation import (
    CORPUS,
    DEEPEST,
    RETURNED,
    asked_measure,
    example,
    explanation,
    judgments,
)
from tests.factories.command import Ragscore


@pytest.mark.parametrize("name", [family.name for family in TABLE])
def test_every_measure_is_explained(name: str) -> None:
    measure = asked_measure(name)
    text = as_text(explanation(measure))
    lines = text.splitlines()
    assert lines[0] == f"{measure}: {measure.summary}"
    assert "Source:" in text
    assert all(len(line) <= 140 for line in lines)
    assert "`" not in text, "what Sphinx reads is for no terminal"
    for option in options_of(type(measure)):
        assert f"\n  {option}=" in text, "every option is listed"
    korean = as_text(explanation(measure), language="ko").splitlines()
    assert korean[0] == f"{measure}: {summary_of(measure).text('ko')}"
    if measure.needs_spans:
        return  # the example has no documents
    for profile in PROFILES:
        assert profile in text
    # The last number is what the engine says of the example.
    entry = score({"q": RETURNED}, judgments(), [measure], n_passages=CORPUS).entries[0]
    value = entry.per_query(measure)["q"]
    shown = "-" if value != value else f"{value:g}" if value.is_integer() else f"{value:.3f}"
    assert lines[-1] == korean[-1] == f"{measure} = {shown}"


def test_every_option_says_what_it_decides() -> None:
    for family in TABLE:
        for option in options_of(family):
            assert describe_field(family, option), (family.name, option)
        assert all(option in family.model_fields for option, _ in family.also_used_by)


def test_the_steps_of_ndcg() -> None:
    (measure,) = parse_measures(["nDCG(gain=exp)@3"])
    assert as_text(example(measure)).splitlines()[3:] == [
        "rank  passage  score     grade  gain  log2(rank+1)  gain/log2    DCG  best gain    IDCG"
        "   nDCG",
        "   1  e            9         3     7             1          7      7          7       7"
        "      1",
        "   2  u            8  unjudged     0         1.585          0      7          3   8.893"
        "  0.787",
        "   3  d            7         1     1             2      0.500  7.500          3  10.393"
        "  0.722",
        "   4  b            7         0     0         2.322          0  7.500          1  10.823"
        "  0.693",
        "   5  a            5         2     3         2.585      1.161  8.661          0  10.823"
        "  0.800",
        "nDCG(gain=exp)@3 = DCG / IDCG = 7.500 / 10.393",
        "nDCG(gain=exp)@3 = 0.722",
    ]


@pytest.mark.parametrize("text", ["nDCG(tie=min)@4", "P(denominator=min)", "nDCG@20", "AP@depth"])
def test_options_and_any_cutoff(text: str) -> None:
    assert explanation(asked_measure(text))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("NDGC", "Did you mean 'nDCG'"),
        ("P(denominater=k)", "Did you mean 'denominator'"),
        ("nDCG(gain=cubic)", "Allowed: linear, exp"),
        ("P@0", "not a cutoff"),
        (f"P@{DEEPEST + 1}", "up to 1000"),
    ],
)
def test_what_cannot_be_explained(text: str, told: str) -> None:
    with pytest.raises(MeasureError, match=told):
        explanation(asked_measure(text))


def test_explain_prints(ragscore: Ragscore) -> None:
    done = ragscore("explain", "nDCG(gain=exp)@5")
    assert (done.returncode, done.stderr) == (0, "")
    assert "gain=exp: ranx ndcg_burges" in done.stdout
    wrong = ragscore("explain", "ndgc")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "Did you mean 'nDCG'?" in wrong.stderr


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    run, qrels = tmp_path / "some.run", tmp_path / "some.qrels"
    run.write_text("".join(f"q Q0 {p} 1 {9 - n} x\n" for n, p in enumerate("axbyz")))
    qrels.write_text("".join(f"q 0 {p} 1\n" for p in "abc"))
    return run, qrels


@pytest.mark.parametrize(
    ("value", "code", "told"),
    [
        ("0.7039", 0, ["nDCG@5 is 0.703918 here; reported: 0.7039", "trec, trec9"]),
        (
            "0.5087",
            0,
            ["nDCG(ideal=slots)@5", "llama-index-core before 0.13", "The nearest others"],
        ),
        ("0.1234", 1, ["conventions gives the reported number. The nearest:"]),
    ],
)
def test_reconcile_prints(
    ragscore: Ragscore, files: tuple[Path, Path], value: str, code: int, told: list[str]
) -> None:
    done = ragscore("reconcile", *files, "--measure", "nDCG@5", "--value", value)
    assert (done.returncode, done.stderr) == (code, "")
    for text in told:
        assert text in done.stdout


def test_reconcile_refuses_what_is_no_number(ragscore: Ragscore, files: tuple[Path, Path]) -> None:
    done = ragscore("reconcile", *files, "-m", "nDCG@5", "--value", "high")
    assert done.returncode == 2
    assert done.stderr == "'high' is not a number. Write it as printed: 0.4312\n"
