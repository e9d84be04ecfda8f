"""A full disk, a used-up quota, no permission: one line that says where, what is kept and what to
do; exit code 1; what stood there before stays.

The disk is real in every case. A limit on the size of files stands for a full one on any POSIX
machine: the kernel refuses the write that would pass it, wherever a library makes it. Where the
tests run as root, a small file system is mounted, and root's privilege to write everywhere is given
up for the commands that may not; ``/dev/full`` is used where there is one.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragscore import Dataset
from tests.factories import command

ROOT = Path(__file__).resolve().parents[2]
CAPABILITIES_3, CAP_DAC_OVERRIDE = 0x20080522, 1
AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
CONFIG = (
    "name: try\ndataset: data\nretrievers: {bm25: {kind: bm25}, k: {kind: bm25, k1: 0.4}}\n"
    "latency: false\nreport: {formats: [csv]}\ncompare: {resamples: 100}\n"
)
WORDS = ("rent", "heating", "pets", "notice", "garden", "bicycle", "cellar", "noise", "key", "cat")


def dataset() -> Dataset:
    passages = {f"p{n}": " ".join(WORDS[n % 7 :]) + f" {n}" for n in range(60)}
    queries = {f"q{n}": WORDS[n % 10] for n in range(30)}
    return Dataset.from_rows(passages, queries, {f"q{n}": [f"p{n}"] for n in range(30)})


@contextmanager
def largest(size: int) -> Iterator[None]:
    """Refuse every write past this many bytes of a file, in this process."""
    resource = pytest.importorskip("resource", reason="limits of POSIX")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*") if path.name.startswith((".partial-", ".repl"))]


@contextmanager
def ordinary() -> Iterator[None]:
    """Root's privilege to write everywhere is given up."""
    if not AS_ROOT:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_3, 0)
    held = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable; twice
    assert libc.capget(header, held) == 0
    less = (ctypes.c_uint32 * 6)(*held)
    less[0] &= ~(1 << CAP_DAC_OVERRIDE)
    assert libc.capset(header, less) == 0
    try:
        yield
    finally:
        assert libc.capset(header, held) == 0


class Commands:
    """Runs commands of ragscore, in this process."""

    def __call__(self, *arguments: str | Path) -> tuple[int, str, str]:
        """The exit code, stdout and stderr."""
        done = command.run(*arguments)
        return done.returncode, done.stdout, done.stderr

    def works(self, *arguments: object) -> str:
        code, _, notes = self(*arguments)
        assert code == 0, notes
        return notes

    def refused(self, *arguments: object, texts: Iterable[object]) -> None:
        """It fails with one line that holds the texts."""
        code, _, notes = self(*arguments)
        assert code == 1, notes
        (line,) = (line for line in notes.splitlines() if not line.startswith("note: "))
        for text in ("cannot be written", *texts):
            assert str(text) in line, line
