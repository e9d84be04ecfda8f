"""Programs without Python, in trouble of every kind, answer as calm ones."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ragscore import Command
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.outside import repeating
from ragscore.run import Run
from tests.factories.systems import HERE

CORPUS = Corpus(Ids(map(str, range(200))), ["text"] * 200)
QUERIES = Queries.from_texts({f"q{at}": f"question {at}" for at in range(1_000)})


def node(folder: Path) -> list[str]:
    if shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    return ["node", str(HERE / "program.mjs")]


def go(folder: Path) -> list[str]:
    compiler = shutil.which("go")
    if compiler is None:
        pytest.skip("Go is not installed")
    built = folder / "program"
    subprocess.run([compiler, "build", "-o", built, HERE / "program.go"], check=True, cwd=folder)
    return [str(built)]


@pytest.mark.slow
@pytest.mark.parametrize("language", [node, go])
def test_a_program_in_trouble_answers_as_a_calm_one(
    language: Callable[[Path], list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 1,000 queries 3 % are in trouble: errors, lines that are no answer, half a line, no line,
    and the end of the program."""
    monkeypatch.setattr(repeating, "FIRST_WAIT", 0.05)
    program = language(tmp_path)
    (tmp_path / "asked").mkdir()

    def asked(manner: str) -> Run:
        command = (*program, manner, str(tmp_path / "asked"))
        spec = Command(
            command=command, concurrency=16, timeout=3, retries=1, log=str(tmp_path / "log")
        )
        return spec.build(CORPUS, name=manner).search(QUERIES, 5)

    calm = asked("calm").to_dict()
    assert len(calm) == 1_000
    assert asked("rough").to_dict() == calm
    assert 20 <= len(list((tmp_path / "asked").iterdir())) <= 40
    assert "loading the index" in (tmp_path / "log").read_text()
