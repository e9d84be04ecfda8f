"""The examples of docs/score.md, run as they are printed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from ragscore.measures.trec_names import MISSING
from tests.cli.conftest import Ragscore

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGE = (Path(__file__).parents[2] / "docs" / "score.md").read_text(encoding="utf-8")
BLOCKS = BLOCK.findall(PAGE)
COMMANDS = [line for name, body in BLOCKS if name == "sh" for line in body.splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bm25.run").write_text(
        "q1 Q0 a 1 3.5 t\nq1 Q0 b 2 2.5 t\nq1 Q0 x 3 2.5 t\nq2 Q0 b 1 1 t\nq9 Q0 a 1 1 t\n"
    )
    (tmp_path / "dense.json").write_text('{"q1": ["b", "c"], "q2": [], "q3": ["a"]}')
    (tmp_path / "qrels.txt").write_text("q1 0 b 2\nq1 0 c 1\nq2 0 b 1\nq3 0 a 1\n")
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command: str, folder: Path, ragscore: Ragscore) -> None:
    words = shlex.split(command)
    assert words[0] == "ragscore"
    done = ragscore(*words[1:], cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    if command == COMMANDS[1]:
        assert done.stdout == next(body for name, body in BLOCKS if name == "")


def test_python(tmp_path: Path) -> None:
    (example,) = (body for name, body in BLOCKS if name == "python")
    command = [sys.executable, "-c", example]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("dataset") == 2


def test_the_page_tells_what_is_not_here(ragscore: Ragscore) -> None:
    groups = ("prefs", "_avgjg", "qrels_jg")
    names = [name for name in MISSING if not any(group in name for group in groups)]
    assert [name for name in names if not re.search(rf"\b{name}\b", PAGE)] == []


def test_every_option_of_the_command_is_told(ragscore: Ragscore) -> None:
    options = set(re.findall(r"--[a-z-]+", ragscore("score", "--help").stdout))
    assert {option for option in options if option not in PAGE} == set()
