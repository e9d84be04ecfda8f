"""``ragscore tune``: what is printed, what is refused, and that docs/tune.md is true."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragscore import Dataset, run_experiment
from ragscore.cli import main
from ragscore.experiment import load_experiment

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "tune.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the commands of the page are run: BM25 of the quickstart."""
    folder = tmp_path_factory.mktemp("tune")
    experiment = load_experiment(ROOT / "configs" / "quickstart.yaml", only=["bm25"])
    run_experiment(experiment, output=folder / "results" / "quickstart", only=["bm25"])
    shutil.copytree(ROOT / "datasets" / "harbour-tenancy", folder / "datasets" / "harbour-tenancy")
    return folder


@pytest.fixture
def here(results: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(results)
    return results


RESULT = "results/quickstart"
RUN = "results/quickstart/runs/bm25.parquet"
DATA = "datasets/harbour-tenancy"


def test_run_files_say_the_same_as_their_result(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", RESULT, "--format", "json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(["tune", RUN, "--qrels", DATA, "--format", "json"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert first["tunings"][0]["curves"] == second["tunings"][0]["curves"]
    assert first["tunings"][0]["recommended"] == second["tunings"][0]["recommended"]


def test_curves_go_to_a_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    csv_file = ["--csv", "curves.csv", "--format", "markdown"]
    assert main(["tune", RESULT, "--rule", "knee", *csv_file]) == 0
    shown = capsys.readouterr()
    assert "\nUse k = " in shown.out
    assert "\n\\* recommended; " in shown.out  # a mark, and no item of a list
    assert "curves.csv" in shown.err
    with Path("curves.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = {row["measure"] for row in rows}
    assert {"P", "R", "F1", "added R", "passages", "context words"} <= names
    assert sum(row["measure"] == "nDCG" for row in rows) == 100


def test_a_tokenizer_of_your_own(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("letters_of_tune.py").write_text("count = len\n", encoding="utf-8")
    budget = ["--budget", "2000", "--tokenizer", "letters_of_tune:count"]
    assert main(["tune", RESULT, *budget]) == 0
    assert "tokens" in capsys.readouterr().out
    assert main(["tune", RESULT, "--budget", "2000", "--budget-unit", "characters"]) == 0
    assert "within 2,000 characters" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([RUN], 2, "--qrels: run files do not say what is relevant"),
        ([RESULT, "--qrels", DATA], 2, "--qrels: a result folder has its own judgments"),
        ([RESULT, "--profile", "ranx"], 2, "--profile: a result folder has its own profile"),
        ([RESULT, RESULT], 2, "the same result is named twice"),
        (["nothing.run", "--qrels", DATA], 3, "nothing.run: no such file or folder"),
        ([DATA], 3, "this folder holds no result"),
        ([RESULT, "--retriever", "bm52"], 2, "Did you mean 'bm25'"),
        ([RUN, "--qrels", DATA, "--retriever", "bm52"], 2, "Did you mean 'bm25'"),
        ([RUN, "--qrels", DATA, "--profile", "rnax"], 2, "Did you mean 'ranx'"),
        ([RESULT, "--at", "101"], 2, "k = 101 is beyond the 100 passages"),
        ([RESULT, "--rule", "recall"], 2, "needs a target. Give one between 0 and 1"),
        ([RESULT, "--rule", "kneee"], 2, "'--rule': 'kneee' is not one of 'best_f', "),
        (
            [RESULT, "--rule", "recall", "--target", "90"],
            2,
            "--target: the number 90.0 is too large. It must be at most 1",
        ),
        ([RESULT, "--target", "0.9"], 2, "a target is given, but no rule that uses it"),
        ([RESULT, "--budget", "9", "--budget-unit", "tokens"], 2, "none is given"),
        ([RESULT, "--tokenizer", "no-folder"], 2, "no tokenizer.json is here"),
        ([RESULT, "--cluster", "subject"], 2, "no query has a tag or metadata 'subject'"),
        ([RUN, "--qrels", "bare.json", "--budget", "9"], 2, "needs the texts"),
        ([RUN, "--qrels", "one.json"], 3, "only 1 judged query"),
        ([RUN, "--qrels", "nothing.json"], 3, "no query has a relevant passage"),
        (["order.json", "--qrels", "bare.json", "--by", "score"], 2, "has no scores"),
    ],
)
def test_wrong_asks(
    arguments: list[str], code: int, said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, content in (
        ("bare.json", {"q01": {"h001": 1}, "q02": {"h002": 1}}),
        ("one.json", {"q01": {"h001": 1}}),
        ("nothing.json", {"q01": {"h001": 0}, "q02": {"h002": 0}}),
        ("order.json", {"q01": ["h001"], "q02": ["h001", "h002"]}),
    ):
        Path(name).write_text(json.dumps(content), encoding="utf-8")
    assert main(["tune", *arguments]) == code
    shown = capsys.readouterr()
    assert said in shown.err
    assert shown.out == ""


def test_an_unknown_rule_names_those_there_are(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", RESULT, "--rule", "best"]) == 2
    assert "best_f" in capsys.readouterr().err


def test_a_changed_dataset_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ragscore.formats import write_dataset

    monkeypatch.chdir(tmp_path)
    passages = {"a": "rent", "b": "boat", "c": "pets and boats"}
    asked = {"q1": "rent", "q2": "pets"}
    write_dataset(Dataset.from_rows(passages, asked, {"q1": ["a"], "q2": ["c"]}), tmp_path / "data")
    text = "dataset: data\nretrievers: {bm25: {kind: bm25}}\nmeasures: [R@2]\ndepth: 3\n"
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
    assert main(["run", "x.yaml", "-o", "out", "-q"]) == 0
    capsys.readouterr()
    assert main(["tune", "out", "--rule", "recall", "--target", "1"]) == 0
    assert (
        capsys.readouterr()
        .out.splitlines()[2]
        .startswith("Use k = 1 (smallest k with recall at least 1): recall 1.000 (CI ")
    )
    write_dataset(
        Dataset.from_rows(passages, asked, {"q1": ["b"], "q2": ["c"]}),
        tmp_path / "data",
    )
    assert main(["tune", "out"]) == 3
    assert "changed" in capsys.readouterr().err


def test_wrong_options_are_told_by_their_flags(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "run").write_text("q1 Q0 a 1 2 t\nq2 Q0 a 1 2 t\n")
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    asked = ["tune", str(tmp_path / "run"), "--qrels", str(tmp_path / "qrels")]
    assert main([*asked, "--at", "0"]) == 2
    assert capsys.readouterr().err.startswith("--at: the number 0 is too small")
    assert main([*asked, "--csv", str(tmp_path / "no" / "curves.csv")]) == 2
    assert "cannot be written: there is no folder" in capsys.readouterr().err


def test_without_a_rule_a_table_says_which_k_reaches_which_recall(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", RESULT]) == 0
    shown = capsys.readouterr().out
    assert (
        "Nothing is recommended without a rule; the highest recall, 0.885, takes k = 99." in shown
    )
    assert "Use k" not in shown
    assert "* recommended" not in shown
    assert "Held-out" not in shown
    assert shown.rstrip().endswith("or --budget 1000.")
    assert main(["tune", RESULT, "--format", "json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["tunings"]
    assert (one["state"], one["rule"], one["recommended"]) == ("no rule", None, None)
    assert [row["recall"] for row in one["reaching"]] == [0.5, 0.6, 0.7, 0.8, None]
    for row in one["reaching"][:-1]:
        reached, k = one["curves"]["R"]["mean"], row["setting"]["value"]
        assert reached[k - 1] >= row["recall"] > reached[k - 2]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rule", "recall", "--target", "0.99"], "No k reaches recall 0.99; the best, k = "),
        (["--budget", "5"], "Nothing fits 5 words: "),
        (
            ["--by", "score", "--rule", "precision", "--target", "0.9", "--coverage", "0.5"],
            "No score cut reaches precision 0.9 and answers 50 % of the queries; the best, score",
        ),
    ],
)
def test_a_rule_that_recommends_nothing_exits_with_1(
    arguments: list[str], said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tune", RESULT, *arguments]) == 1
    shown = capsys.readouterr()
    assert said in shown.out
    assert "Use " not in shown.out
    assert shown.err == ""
    assert main(["tune", RESULT, *arguments, "--format", "json"]) == 1
    (one,) = json.loads(capsys.readouterr().out)["tunings"]
    assert one["recommended"] is None
    assert one["held_out"] == {}


def test_one_retriever_that_misses_the_target_is_enough(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, found in (("good", ["a", "b"]), ("poor", ["x", "y"])):
        run = {"q1": [found[0], "x"], "q2": [found[1], "z"]}
        (tmp_path / f"{name}.json").write_text(json.dumps(run), encoding="utf-8")
    (tmp_path / "qrels.json").write_text('{"q1": {"a": 1}, "q2": {"b": 1}}', encoding="utf-8")
    runs = [str(tmp_path / f"{name}.json") for name in ("good", "poor")]
    asked = ["tune", *runs, "--qrels", str(tmp_path / "qrels.json"), "--rule", "recall"]
    assert main([*asked, "--target", "0.9"]) == 1
    shown = capsys.readouterr().out
    assert "Use k = 1 (smallest k with recall at least 0.9)" in shown
    assert "Nothing is recommended: of the 2 passages recorded" in shown
    assert main([*asked, "--target", "0.9", "--retriever", "good"]) == 0
