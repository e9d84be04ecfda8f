"""``ragscore tune``: what is printed, what is refused, and that docs/tune.md is true."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from ragscore import Dataset, run_experiment
from ragscore.cli import main
from ragscore.experiment import load_experiment
from ragscore.tuning import TuneOptions

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "tune.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = BLOCK.findall(PAGE)
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
COMMANDS = [
    (command.strip(), shown)
    for (language, command), (below, shown) in pairwise(BLOCKS)
    if language == "sh" and below == "" and command.startswith("ragscore tune")
]


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


def same(shown: str, printed: str) -> bool:
    """The same words; numbers may move in the third digit with the processor."""
    words = [NUMBER.split(re.sub(r"\s+", " ", line.strip())) for line in (shown, printed)]
    numbers = [
        [float(one.replace(",", "")) for one in NUMBER.findall(line)] for line in (shown, printed)
    ]
    return words[0] == words[1] and numbers[1] == pytest.approx(numbers[0], rel=0.01, abs=0.003)


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=[one for one, _ in COMMANDS])
def test_the_page_shows_what_is_printed(
    command: str, shown: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(shlex.split(command)[1:]) == 0
    printed = iter(capsys.readouterr().out.splitlines())
    for wanted in shown.splitlines():
        if wanted == "...":
            continue
        assert any(same(wanted, line) for line in printed), wanted


def test_the_page_shows_commands_options_and_python(here: Path) -> None:
    assert len(COMMANDS) >= 3
    for language, body in BLOCKS:
        if language == "yaml":
            assert TuneOptions.model_validate(yaml.safe_load(body)["tune"]).rule == "recall"
        if language == "python":
            exec(compile(body, "docs/tune.md", "exec"), {})


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
    assert main(["tune", RESULT, "--csv", "curves.csv", "--format", "markdown"]) == 0
    shown = capsys.readouterr()
    assert "**Use k = " in shown.out
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
    assert main(["tune", RESULT, "--budget", "2000", "--unit", "characters"]) == 0
    assert "in 2,000 characters" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([RUN], 2, "--qrels is missing"),
        ([RESULT, "--qrels", DATA], 2, "--qrels is for run files"),
        ([RESULT, "--profile", "ranx"], 2, "--profile is for run files"),
        ([RESULT, RESULT], 2, "Give one result folder, or run files"),
        (["nothing.run", "--qrels", DATA], 3, "nothing.run: no such file or folder"),
        ([DATA], 3, "no result is here"),
        ([RESULT, "--retriever", "bm52"], 2, "Did you mean 'bm25'"),
        ([RUN, "--qrels", DATA, "--retriever", "bm52"], 2, "Did you mean 'bm25'"),
        ([RUN, "--qrels", DATA, "--profile", "rnax"], 2, "Did you mean 'ranx'"),
        ([RESULT, "--at", "101"], 2, "k = 101 is beyond the 100 passages"),
        ([RESULT, "--rule", "recall"], 2, "needs a target"),
        ([RESULT, "--rule", "recall", "--target", "90"], 2, "the target 90 can never be told"),
        ([RESULT, "--target", "0.9"], 2, "the rule 'best_f' has no target"),
        ([RESULT, "--budget", "9", "--unit", "tokens"], 2, "none is given"),
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
    assert capsys.readouterr().out.splitlines()[2].startswith("Use k = 1: recall 1.000 (CI ")
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
    assert capsys.readouterr().err.startswith("--at: 0: it must be")
    assert main([*asked, "--csv", str(tmp_path / "no" / "curves.csv")]) == 2
    assert "cannot be written: No such file or directory" in capsys.readouterr().err
