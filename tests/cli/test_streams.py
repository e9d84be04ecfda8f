"""No name, id or path of a file reaches the terminal as an escape sequence."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ragscore.cli import main

HOSTILE = "\x1b]0;title\x07\x1b[31m\x9b31m\u202e\rX"
RUN = {f"q{at}": {"a": 1.0 - at / 10, f"{HOSTILE}p": at / 10} for at in range(8)}
NAMED = HOSTILE.replace("\r", "")

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such names of files")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    qrels = {query: {"a": 1} for query in RUN}
    other = {query: {"b": 1.0, "a": 0.5} for query in RUN}
    for name, content in (("qrels", qrels), (f"{NAMED}1", RUN), (f"{NAMED}2", other)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return tmp_path


def drives(text: str) -> set[str]:
    """The characters of a text that a terminal obeys."""
    return {one for one in text if one in "\u202e\r" or (one < " " and one != "\n")} | {
        one for one in text if "\x7f" <= one <= "\x9f"
    }


@posix
@pytest.mark.parametrize(
    "command", [["score"], ["score", "--per-query"], ["compare"], ["tune", "--rule", "recall"]]
)
def test_names_of_runs(
    folder: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [str(folder / f"{NAMED}{at}.json") for at in (1, 2)]
    command += [*runs, "--qrels", str(folder / "qrels.json")]
    if command[0] == "tune":
        command += ["--target", "0.5"]
    assert main(command) in (0, 1)
    shown = capsys.readouterr()
    assert "\ufffd" in shown.out
    assert not drives(shown.out + shown.err)


@posix
def test_notes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "qrels.json").write_text(json.dumps({"q1": {"zz": 1}, "q2": {"zz": 1}}), "utf-8")
    run = folder / f"{NAMED}1.json"
    assert main(["score", str(run), "--qrels", str(folder / "qrels.json")]) == 0
    shown = capsys.readouterr().err
    assert "note: " in shown
    assert not drives(shown)


def test_errors(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = folder / "broken.json"
    broken.write_text(json.dumps({HOSTILE: {HOSTILE: "no score"}}), encoding="utf-8")
    assert main(["score", str(broken), "--qrels", str(folder / "qrels.json")]) == 3
    shown = capsys.readouterr().err
    assert "\ufffd[31m" in shown
    assert not drives(shown)


@posix
def test_what_another_program_reads_stays_as_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = folder / f"{NAMED}1.json"
    assert main(["score", str(run), "--qrels", str(folder / "qrels.json"), "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith(NAMED)
