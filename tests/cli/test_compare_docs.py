"""The examples of docs/compare.md, run as they are printed."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from ragscore.cli import main
from tests.cli.conftest import Ragscore

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "compare.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(name, body) for name, body in BLOCK.findall(PAGE)]
COMMANDS = [
    (body.strip(), BLOCKS[at + 1][1] if at + 1 < len(BLOCKS) and not BLOCKS[at + 1][0] else "...\n")
    for at, (name, body) in enumerate(BLOCKS)
    if name == "sh"
]
"""Each command, and what the page prints under it; a line of ... stands for any lines."""


def run(command: str, cwd: Path) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a command in a folder."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        code = main(shlex.split(command)[1:])
    return code, out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that looks like a clone, with the page's experiments and their results."""
    pytest.importorskip("kiwipiepy")
    place = tmp_path_factory.mktemp("docs")
    (place / "datasets").symlink_to(ROOT / "datasets")
    for name, body in BLOCKS:
        if name == "yaml":
            name_of_file = body.splitlines()[0].removeprefix("# ")
            (place / name_of_file).write_text(body, encoding="utf-8")
    for command, _ in COMMANDS:
        if command.startswith("ragscore run"):
            code, _, err = run(command, place)
            assert code == 0, err
    return place


@pytest.mark.parametrize(
    ("command", "printed"), [one for one in COMMANDS if not one[0].startswith("ragscore run")]
)
def test_commands(command: str, printed: str, folder: Path) -> None:
    code, out, err = run(command, folder)
    assert (code, err) == (0, "")
    if "...\n" not in printed:
        assert out == printed
    pattern = ".*".join(map(re.escape, re.split(r"^\.\.\.$", printed, flags=re.MULTILINE)))
    assert re.fullmatch(pattern, out, re.DOTALL), out


def test_python(folder: Path) -> None:
    (example,) = (body for name, body in BLOCKS if name == "python")
    command = [sys.executable, "-c", example]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, capture_output=True, encoding="utf-8", check=False, cwd=folder, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("TIE GROUP words, bm25 and k1-b")


def test_typical_spreads_are_those_of_the_examples(folder: Path) -> None:
    """The third, of BM25 and dense retrievers, needs a model: configs/quickstart.yaml."""
    from ragscore.cli.power_plan import TYPICAL, plans

    found = {}
    for name in ("lexical", "korean"):
        (plan,) = plans(folder / name, difference=None, comparisons=None, sd=None, measure=None)
        found |= {spread.of: spread.sd for spread in plan.spreads}
    typical = dict(TYPICAL)
    assert round(found["bm25 and k1-b"], 2) == typical["two settings of one retriever"]
    assert round(found["spaces and morphemes"], 2) == typical["two tokenizers of one retriever"]


@pytest.mark.parametrize("command", ["compare", "power"])
def test_every_option_is_told(command: str, ragscore: Ragscore) -> None:
    options = set(re.findall(r"--[a-z-]+", ragscore(command, "--help").stdout))
    assert {option for option in options - {"--help"} if option not in PAGE} == set()
