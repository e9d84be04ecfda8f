"""The command: in this process, and as a process of its own where that is what is tested."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.factories import command
from tests.factories.command import Ragscore


@pytest.fixture
def ragscore(tmp_path: Path) -> Ragscore:
    """Runs ``ragscore ARGUMENTS`` in the test's own folder, in this process."""
    return functools.partial(command.run, cwd=tmp_path)


@pytest.fixture
def process(tmp_path: Path) -> Ragscore:
    """Runs ``ragscore ARGUMENTS`` in the test's own folder, as a process of its own."""

    def run(
        *arguments: str | Path, cwd: Path = tmp_path, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "ragscore", *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            check=False,
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
        )

    return run


@pytest.fixture
def starter(ragscore: Ragscore, tmp_path: Path) -> Path:
    """What ``ragscore init`` writes: the path of its experiment."""
    done = ragscore("init", "starter")
    assert done.returncode == 0, done.stderr
    return tmp_path / "starter" / "experiment.yaml"
