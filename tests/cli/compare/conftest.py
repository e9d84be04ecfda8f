"""Its result, run files of twelve queries, and the command in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import ragscore as package
from tests.factories import command
from tests.factories.lexical import CONFIG, ROOT, Run


@pytest.fixture(scope="session")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    config = folder / "lexical.yaml"
    config.write_text(CONFIG.format(dataset=ROOT / "datasets" / "harbour-tenancy"))
    package.run_experiment(package.load_experiment(config), output=folder / "lexical")
    return folder / "lexical"


@pytest.fixture
def ragscore() -> Callable[..., Run]:
    def run(*arguments: str | Path) -> Run:
        done = command.run(*arguments)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def files(tmp_path: Path) -> Path:
    judged = [f"q{n}" for n in range(12)]
    (tmp_path / "qrels").write_text("".join(f"{query} 0 a 1\n" for query in judged))
    for name, known in (("all", judged), ("some", judged[:9])):
        lines = [f"{query} Q0 {'a' if n % 2 else 'b'} 1 1 t\n" for n, query in enumerate(known)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return tmp_path
