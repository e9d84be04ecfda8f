"""A result's files made into what they should not be."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from tests.factories import command
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
    """Exit code and output of a command that opens no named pipe below the folder."""
    with no_reader([path for path in cwd.rglob("*") if path.is_fifo()]):
        done = command.run(*arguments, cwd=cwd)
    return done.returncode, done.stdout + done.stderr


@contextmanager
def no_reader(pipes: list[Path]) -> Iterator[None]:
    """Nothing opens one of these pipes; what does, and waits, reads an empty file."""
    done, opened = Event(), set()

    def watch() -> None:
        while not done.wait(0.05):
            for path in pipes:
                with contextlib.suppress(OSError):  # nobody reads it
                    os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
                    opened.add(path)

    watching = Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        done.set()
        watching.join()
    assert not opened


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
