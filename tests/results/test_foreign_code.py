"""Reading a result that anybody wrote runs nothing that it names; every way of reading is tried."""

from __future__ import annotations

import json
import shutil
import sys
import threading
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from ragscore import load_experiment, make_report, open_result, run_experiment, tune
from ragscore.cli import main
from ragscore.errors import ConfigError
from ragscore.report.index.serve import ViewServer
from ragscore.tokens import token_counter
from ragscore.tuning import Budget, TuneOptions
from tests.factories.house import write_dataset
from tests.factories.manifests import resealed

MODULE = "leaves_a_mark"
CODE = """\
from pathlib import Path

Path("mark").write_text("this code ran")


def count(text):
    return 10 * len(text.split())
"""
TUNE = {
    "rule": "budget",
    "budget": {"unit": "tokens", "limit": 300, "tokenizer": f"{MODULE}:count"},
}
CONFIG = """\
name: house
dataset: data
retrievers: {{bm25: {{kind: bm25}}, words: {{kind: bm25, tokenizer: words}}}}
measures: [nDCG@3, P@3]
depth: 4
report: false
tune: {tune}
"""


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a config with a tokenizer of its own was run: the user chose that."""
    folder = tmp_path_factory.mktemp("counted")
    write_dataset(folder / "data", tagged=True)
    (folder / f"{MODULE}.py").write_text(CODE, encoding="utf-8")
    config = folder / "house.yaml"
    config.write_text(CONFIG.format(tune=json.dumps(TUNE)), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        assert main(["run", str(config), "--output", "result", "--quiet"]) == 0
    assert (folder / "mark").exists()
    return folder


@pytest.fixture
def foreign(counted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The result as a stranger hands it over, without recorded counts; the code that it names
    lies where Python would find it, and leaves a mark when it is imported."""
    shutil.copytree(counted / "data", tmp_path / "data")
    config = tmp_path / "house.yaml"
    words = {"rule": "budget", "budget": {"unit": "words", "limit": 30}}
    config.write_text(CONFIG.format(tune=json.dumps(words)), encoding="utf-8")
    folder = run_experiment(load_experiment(config), output=tmp_path / "foreign").folder
    assert folder is not None
    forged(folder, TUNE)
    forget()
    (tmp_path / f"{MODULE}.py").write_text(CODE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return folder


def forged(folder: Path, tune: object) -> None:
    """Write another ``tune`` into experiment.yaml, and make the folder fit."""
    path = folder / "experiment.yaml"
    experiment = yaml.safe_load(path.read_text(encoding="utf-8"))
    path.write_text(yaml.safe_dump({**experiment, "tune": tune}), encoding="utf-8")
    resealed(folder, "experiment.yaml", tune=tune)


def forget() -> None:
    """The module as if it had never been imported."""
    sys.modules.pop(MODULE, None)


def viewed(folder: Path) -> str:
    """The index and the report of a result, as a browser gets them."""
    with ViewServer(folder.parent, 0, "en") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            pages = []
            (found,) = server.finder.results()
            for address in (
                "",
                f"r/{found.id}/report.html",
                f"r/{found.id}/since/{found.id}/report.html",
            ):
                with urllib.request.urlopen(server.url + address, timeout=60) as answer:
                    pages.append(answer.read().decode())
        finally:
            server.shutdown()
    return "\n".join(pages)


READ: dict[str, Callable[[Path], object]] = {
    "report": lambda folder: main(["report", str(folder)]),
    "report before and after": lambda folder: main(["report", str(twin(folder)), str(folder)]),
    "show": lambda folder: main(["show", str(folder)]),
    "view": viewed,
    "compare": lambda folder: main(["compare", str(folder)]),
    "tune": lambda folder: main(["tune", str(folder)]),
    "list": lambda folder: main(["list", "results", str(folder.parent)]),
    "power": lambda folder: main(["power", str(folder), "--difference", "0.1"]),
    "notebook": lambda folder: open_result(folder)._repr_html_(),
    "report in a notebook": lambda folder: make_report(folder)._repr_html_(),
    "make_report": lambda folder: make_report(folder),
    "open_result": lambda folder: (open_result(folder).scores, open_result(folder).dataset()),
    "validate": lambda folder: main(["validate", str(folder / "experiment.yaml")]),
}


def twin(folder: Path) -> Path:
    return Path(shutil.copytree(folder, folder.parent / "twin"))


@pytest.mark.parametrize("surface", READ)
def test_no_way_of_reading_runs_what_a_result_names(foreign: Path, surface: str) -> None:
    done = READ[surface](foreign)
    assert done not in (1, 2, 3)
    assert not Path("mark").exists()
    assert MODULE not in sys.modules


def test_without_recorded_counts_contexts_are_counted_in_words(
    foreign: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(foreign)]) == 0
    shown = capsys.readouterr().out
    assert "This result records no token counts" in shown
    assert " tokens" not in shown.replace("budget of tokens", "")


@pytest.mark.parametrize("place", ["folder", "file"])
def test_no_tokenizer_file_is_opened_that_a_result_names(
    foreign: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = foreign.parent / "model" / "tokenizer.json"
    file.parent.mkdir()
    file.write_text("this is opened by whoever complains of it", encoding="utf-8")
    named = file if place == "file" else file.parent
    forged(foreign, {"budget": {"unit": "tokens", "tokenizer": str(named)}})
    assert main(["show", str(foreign)]) == 0
    shown = capsys.readouterr()
    assert "This result records no token counts" in shown.out
    assert "no tokenizer:" not in shown.out + shown.err


def test_what_the_run_counted_is_read_without_its_code(
    counted: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    forget()
    report = make_report(counted / "result")
    assert MODULE not in sys.modules
    (panel,) = report.result
    assert panel.tunings
    for name, tuning in panel.tunings.items():
        run = open_result(counted / "result").run(panel.dataset, name)
        assert panel.data is not None
        words = TuneOptions(rule="budget", budget=Budget(unit="words", limit=30))
        assert tuning.unit == "tokens"
        # Ten tokens a word.
        wanted = [10 * size for size in tune(run, panel.data, words).to_dict()["context"]]
        assert tuning.to_dict()["context"] == pytest.approx(wanted)
    assert not any("token counts" in note for note in panel.notes_on("curves"))


def test_python_hands_a_tokenizer_over_by_itself(foreign: Path) -> None:
    options = TuneOptions.model_validate(TUNE)
    result = open_result(foreign)
    with pytest.raises(ConfigError, match="no tokenizer was given"):
        result.tune(options)
    assert not Path("mark").exists()
    tunings = result.tune(options, count_tokens=token_counter(f"{MODULE}:count"))
    assert Path("mark").exists()
    assert {tuning.unit for tuning in tunings} == {"tokens"}


def test_what_is_typed_is_run(foreign: Path, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ["--budget", "300", "--tokenizer", f"{MODULE}:count"]
    assert main(["tune", str(foreign), *typed]) == 0
    assert Path("mark").exists()
    assert "300 tokens" in capsys.readouterr().out
