"""Result folders and datasets that hold no ordinary files: nothing waits, and nothing leaks."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import pytest

from ragscore import load_experiment, open_result, run_experiment
from ragscore.cli import main
from ragscore.errors import DataError
from ragscore.report.index.finder import Finder
from tests.factories.hostile_results import FILES, KINDS, POSIX, SECRET, pipe, ragscore
from tests.factories.manifests import resealed


@POSIX
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FILES)
def test_only_regular_files_of_a_result_are_opened(result: Path, name: str, kind: str) -> None:
    harm, said = KINDS[kind]
    harm(result / name)
    with pytest.raises(DataError) as caught:
        open_result(result)
    assert f"{name}: " in str(caught.value)
    assert said in str(caught.value)
    (found,) = Finder(result.parent).results()
    assert said in found.problem


@POSIX
def test_no_command_waits_for_a_pipe(result: Path) -> None:
    pipe(result / "manifest.json")
    for command in ("list", "report", "show", "compare", "tune", "power"):
        kind = ["results", result.parent] if command == "list" else [result]
        kind += ["--difference", "0.1"] if command == "power" else []
        code, shown = ragscore(command, *kind, cwd=result.parent)
        assert "it is a named pipe, not a file" in shown
        assert code == (0 if command == "list" else 3)
        assert "Traceback" not in shown


@POSIX
@pytest.mark.parametrize("name", ["../../secret", "runs/../../../secret"])
def test_a_manifest_names_nothing_outside_its_folder(result: Path, name: str) -> None:
    listed = json.loads((result / "manifest.json").read_text(encoding="utf-8"))["files"]
    content = SECRET.encode()
    entry = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    resealed(result, files={**listed, name: entry})
    with pytest.raises(DataError, match="it lies outside the folder"):
        open_result(result)


@POSIX
def test_a_folder_of_a_result_is_no_link(result: Path, tmp_path: Path) -> None:
    (result / "runs").rename(tmp_path / "elsewhere")
    (result / "runs").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(DataError, match="it lies behind a link"):
        open_result(result)


@POSIX
@pytest.mark.parametrize("name", ["passages.jsonl", "queries.jsonl", "ground_truth.jsonl"])
def test_no_command_waits_for_a_pipe_among_the_data(
    original: Path, tmp_path: Path, name: str
) -> None:
    data = Path(shutil.copytree(original.parents[1] / "data", tmp_path / "data"))
    shutil.copy(original.parents[1] / "house.yaml", tmp_path)
    pipe(data / name)
    for command in ("validate", "run"):
        code, shown = ragscore(command, "house.yaml", cwd=tmp_path)
        assert code in (2, 3)
        assert f"{name}: it is a named pipe, not a file" in shown
        assert "Traceback" not in shown


@POSIX
def test_the_data_of_a_result_may_be_a_pipe_by_now(original: Path, tmp_path: Path) -> None:
    shutil.copytree(original.parents[1], tmp_path / "there")
    result = tmp_path / "there" / "results" / "house"
    pipe(tmp_path / "there" / "data" / "passages.jsonl")
    data = str(tmp_path / "there" / "data")
    (entry,) = json.loads((result / "manifest.json").read_text(encoding="utf-8"))["datasets"]
    resealed(result, datasets=[{**entry, "path": data, "spec": {**entry["spec"], "path": data}}])
    code, shown = ragscore("show", result, cwd=tmp_path)
    assert code == 0  # what needs no data is shown
    assert "something is wrong at" in shown
    assert "passages.jsonl" in shown


@pytest.mark.parametrize("format", ["jsonl", "beir", "trec", "csv", "tsv"])
def test_nothing_of_a_file_that_a_result_names_as_its_data_is_shown(
    result: Path, tmp_path: Path, format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever wrote the result would get it with the report."""
    (tmp_path / "credentials").write_text(f"{SECRET}\n{SECRET}\n", encoding="utf-8")
    (entry,) = json.loads((result / "manifest.json").read_text(encoding="utf-8"))["datasets"]
    spec = {"path": str(tmp_path), "name": "data", "format": format}
    spec |= dict.fromkeys(("passages", "queries", "ground_truth"), "credentials")
    resealed(result, datasets=[{**entry, "path": str(tmp_path), "spec": spec}])
    assert main(["show", str(result)]) == 0
    assert main(["tune", str(result)]) == 3
    shown = capsys.readouterr()
    for text in (shown.out, shown.err):
        assert "something is wrong at" in text
        assert SECRET not in text


@POSIX
def test_a_users_own_data_may_be_links(original: Path, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for file in (original.parents[1] / "data").iterdir():
        (tmp_path / "data" / file.name).symlink_to(file)
    shutil.copy(original.parents[1] / "house.yaml", tmp_path)
    experiment = load_experiment(tmp_path / "house.yaml")
    assert not run_experiment(experiment, output=tmp_path / "out").failures


@POSIX
def test_run_files_that_are_typed(original: Path, tmp_path: Path) -> None:
    run, data = original / "runs" / "bm25.trec", original.parents[1] / "data"
    os.mkfifo(tmp_path / "pipe.trec")
    code, shown = ragscore("score", "--qrels", data, tmp_path / "pipe.trec", cwd=tmp_path)
    assert (code, "pipe.trec: it is a named pipe, not a file" in shown) == (3, True)
    (tmp_path / "link.trec").symlink_to(run)
    assert main(["score", "--qrels", str(data), str(tmp_path / "link.trec")]) == 0


@POSIX
@pytest.mark.parametrize("place", ["report", "report/tables"])
def test_a_report_is_not_written_through_a_link(
    result: Path, tmp_path: Path, place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would overwrite, and remove old tables, wherever the link leads."""
    tables = tmp_path / "mine" / "tables"
    tables.mkdir(parents=True)
    (tables / "results.csv").write_text("mine", encoding="utf-8")
    (result / place).parent.mkdir(exist_ok=True)
    target = tables if place.endswith("tables") else tables.parent
    (result / place).symlink_to(target, target_is_directory=True)
    assert main(["report", str(result), "--format", "csv"]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()[-1:]
    assert f"{result / place}: it is a link" in line
    assert {path.name for path in tables.iterdir()} == {"results.csv"}
