"""A result's files made into what they should not be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.factories.manifests import resealed

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
