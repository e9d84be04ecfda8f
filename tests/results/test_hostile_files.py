"""Result folders and datasets that hold no ordinary files: nothing waits, nothing leaks, and
what is wrong is said in a line."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pytest

from ragscore import load_experiment, open_result, run_experiment
from ragscore.cli import main
from ragscore.errors import DataError
from ragscore.formats.reading import parquet_limits as parquet_rows
from ragscore.report.index.finder import Finder
from ragscore.results.manifest_file import DIGEST, METHOD, read_manifest
from tests.factories.manifests import resealed
from tests.factories.tagged_house import write_dataset

POSIX = pytest.mark.skipif(
    os.name == "nt", reason="there are no named pipes, and links need rights"
)
SECRET = "a line of a file that was never handed over"
CONFIG = """\
name: house
dataset: data
retrievers: {bm25: {kind: bm25}, words: {kind: bm25, tokenizer: words}}
measures: [nDCG@3, P@3]
depth: 4
report: false
tune: {rule: recall, target: 0.5}
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small result with every kind of file, beside its data."""
    folder = tmp_path_factory.mktemp("hostile")
    write_dataset(folder / "data")
    config = folder / "house.yaml"
    config.write_text(CONFIG, encoding="utf-8")
    written = run_experiment(load_experiment(config), output=folder / "results" / "house").folder
    assert written is not None
    return written


@pytest.fixture
def result(original: Path, tmp_path: Path) -> Path:
    """A copy that may be harmed."""
    (tmp_path / "secret").write_text(SECRET, encoding="utf-8")
    return Path(shutil.copytree(original, tmp_path / "results" / "house"))


def ragscore(*arguments: str | Path, cwd: Path) -> tuple[int, str]:
    """The command as a process: one that waits for a pipe is ended, and fails the test."""
    done = subprocess.run(
        [sys.executable, "-m", "ragscore", *map(str, arguments)],
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=cwd,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    return done.returncode, done.stdout + done.stderr


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def link(path: Path) -> None:
    """To a file elsewhere."""
    path.unlink()
    path.symlink_to(path.parents[2 if path.parent.name == "house" else 3] / "secret")


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


KINDS: dict[str, tuple[Callable[[Path], None], str]] = {
    "pipe": (pipe, "it is a named pipe, not a file"),
    "link": (link, "it is a link, not a file"),
    "folder": (folder, "it is a folder, not a file"),
}
FILES = ["manifest.json", "summary.json", "scores.parquet", "experiment.yaml", "runs/bm25.parquet"]


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


# Parquet files that promise more than they can hold.


def bomb(rows: int) -> bytes:
    """A run of so many rows, all alike but for what compresses to nothing."""
    frame = polars.select(
        query=polars.repeat("q1", rows),
        passage=polars.repeat("rent", rows),
        rank=polars.repeat(1, rows, dtype=polars.Int64),
        score=polars.repeat(1.0, rows),
    )
    buffer = io.BytesIO()
    frame.write_parquet(buffer, compression="zstd")
    return buffer.getvalue()


@pytest.mark.parametrize("name", ["runs/bm25.parquet", "scores.parquet"])
def test_a_table_of_a_result_holds_what_was_recorded(result: Path, name: str) -> None:
    (result / name).write_bytes(bomb(1_000))
    resealed(result, name)
    opened = open_result(result)
    with pytest.raises(DataError, match="it holds 1,000 rows, and at most 16 were recorded"):
        _ = opened.run("data", "bm25") if name.startswith("runs") else opened.scores


def test_a_loose_run_holds_what_its_size_allows(
    original: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parquet_rows, "ALWAYS_READ", 10_000)
    (tmp_path / "bomb.parquet").write_bytes(bomb(200_001))
    data = original.parents[1] / "data"
    assert main(["score", "--qrels", str(data), str(tmp_path / "bomb.parquet")]) == 3
    assert "it holds 200,001 rows in " in capsys.readouterr().err


# Flipped bits.


@pytest.mark.parametrize("name", ["manifest.json", "summary.json", "comparison.json"])
def test_a_flipped_bit_is_noticed(
    result: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = result / name
    content = bytearray(path.read_bytes())
    at = content.index(b"0.") + 2  # a digit of a number
    content[at] ^= 1
    path.write_bytes(content)
    assert main(["report", str(result)]) == 3
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert line.startswith(f"{path}: its content is not what was ")
    assert main(["list", "results", str(result.parent)]) == 0
    assert f"{name}: its content is not what was " in capsys.readouterr().out


@pytest.mark.parametrize("name", ["scores.parquet", "runs/bm25.parquet", "experiment.yaml"])
def test_a_flipped_bit_anywhere_else_is_noticed(result: Path, name: str) -> None:
    path = result / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 16
    path.write_bytes(content)
    assert main(["report", str(result)]) == 3


@pytest.mark.parametrize("key", [DIGEST, METHOD])
def test_a_flipped_bit_does_not_hide_the_digest(result: Path, key: str) -> None:
    path = result / "manifest.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(f'"{key}"', f'"{key[:-1]}{chr(ord(key[-1]) ^ 1)}"'), "utf-8")
    with pytest.raises(DataError, match="its content is not what was written"):
        open_result(result)


def test_a_manifest_of_an_earlier_version_has_no_digest(result: Path) -> None:
    path = result / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    del manifest[DIGEST], manifest[METHOD]
    path.write_text(json.dumps(manifest), encoding="utf-8")
    assert read_manifest(result).experiment == "house"
    assert open_result(result).primary == "nDCG@3"


@pytest.mark.parametrize("key", ["resamples", "permutations"])
def test_a_result_cannot_ask_for_endless_work(
    result: Path, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    compare = json.loads((result / "manifest.json").read_text(encoding="utf-8"))["compare"]
    resealed(result, compare={**compare, key: 10**15, "all_pairs": True})
    assert main(["show", str(result)]) == 0
    shown = capsys.readouterr().out
    assert "The recorded options of 'compare' cannot be read by this version" in shown


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


# Files that do not hold together.


def changed_json(result: Path, name: str, change: Callable[[Any], None]) -> None:
    path = result / name
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    resealed(result, name)


def huge_count(summary: Any) -> None:
    summary["counts"][0]["missing"] = 10**400


def huge_mean(summary: Any) -> None:
    summary["results"][0]["value"] = 10**400


def no_measure(summary: Any) -> None:
    summary["results"][0]["measure"] = "\x1b]0;title\x07"


@pytest.mark.parametrize("change", [huge_count, huge_mean, no_measure])
def test_one_odd_result_does_not_hide_the_others(
    original: Path,
    result: Path,
    change: Callable[[Any], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(original, result.with_name("other"))
    changed_json(result, "summary.json", change)
    assert main(["list", "results", str(result.parent)]) == 0
    shown = capsys.readouterr().out
    (odd,) = (line for line in shown.splitlines() if "unreadable: summary.json: " in line)
    assert "\x1b" not in odd
    assert "other" in shown


@pytest.mark.parametrize("change", [huge_count, huge_mean])
def test_a_number_that_none_has_is_an_error_of_one_line(
    result: Path, change: Callable[[Any], None], capsys: pytest.CaptureFixture[str]
) -> None:
    changed_json(result, "summary.json", change)
    assert main(["show", str(result)]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert "it is not a valid summary: 1000000" in line
    assert "is too large a number" in line


@pytest.mark.parametrize("command", ["show", "compare", "report"])
@pytest.mark.parametrize("key", ["datasets", "retrievers"])
def test_names_that_do_not_fit_are_an_error_of_one_line(
    result: Path, key: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    entries = json.loads((result / "manifest.json").read_text(encoding="utf-8"))[key]
    entries[0]["name"] = "another"
    resealed(result, **{key: entries})
    assert main([command, str(result)]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert "does not" in line or "no dataset is named" in line


def test_odd_options_of_a_result_are_left_out(
    result: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compare = json.loads((result / "manifest.json").read_text(encoding="utf-8"))["compare"]
    resealed(result, compare={**compare, "test": "os:system"})
    assert main(["compare", str(result)]) == 0
    assert "the recorded options of 'compare' cannot be read" in capsys.readouterr().err
