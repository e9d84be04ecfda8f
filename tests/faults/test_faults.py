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
@pytest.mark.parametrize(
    ("script", "only"),
    [
        ("kills", "killed run, inside|replaces a result, before"),
        ("flips", "cache's bm25|summary.json"),
        ("full_disk", "full disk: run$"),
        ("strange_files", "a pipe in place of a file of (the cache|a dataset)"),
    ],
)
def test_a_few_of_each(root: Path, script: str, only: str) -> None:
    found = table(root, script, "--cases", "2", "--no-dense", "--only", only)
    for what, (tried, noticed, unharmed, *bad) in found.items():
        assert tried == noticed + unharmed >= 1, what
        assert bad == [0, 0, 0, 0], what
        if script != "kills":  # a killed run cannot speak of it
            assert noticed, what


@pytest.mark.slow
def test_all(root: Path) -> None:
    found = table(root, "--cases", "4", "--no-dense")
    assert found["all"][0] > 150
    assert found["all"][3:] == [0, 0, 0, 0]
