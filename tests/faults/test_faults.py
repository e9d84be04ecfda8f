"""The scripts of benchmarks/faults: nothing is silent, torn, hung or left over."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes are forked")

HEADER = "| what | tried | noticed | unharmed | silent | torn | hung | left over |"


def table(root: Path, *arguments: str) -> dict[str, list[int]]:
    """Run the scripts, and read the table that they print."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.faults", *arguments],
        capture_output=True,
        encoding="utf-8",
        cwd=root,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    header, _, *lines = done.stdout.splitlines()
    assert header == HEADER
    cells = [line.strip("| ").split(" | ") for line in lines]
    return {what: [int(count) for count in counts] for what, *counts in cells}


@pytest.mark.slow
def test_all(root: Path) -> None:
    found = table(root, "--cases", "4", "--no-dense")
    assert found["all"][0] > 150
    assert found["all"][3:] == [0, 0, 0, 0]
    for what, (tried, noticed, unharmed, *_) in found.items():
        assert tried == noticed + unharmed >= 1, what
