"""The real command, as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Ragscore = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def ragscore(tmp_path: Path) -> Ragscore:
    """Runs ``ragscore ARGUMENTS`` in the test's own folder."""

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
