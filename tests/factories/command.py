"""The command line, called in this process: what a process of its own would print and return."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ragscore.cli import main

Ragscore = Callable[..., subprocess.CompletedProcess[str]]
"""What runs ``ragscore ARGUMENTS``: the fixtures ``ragscore`` and ``process``."""


def run(
    *arguments: str | Path, cwd: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Exit code, stdout and stderr of ``ragscore ARGUMENTS``; streams are pipes, not terminals.

    Args:
        arguments: the command line without the program.
        cwd: the folder to run in; by default the current one.
        environment: variables that the command sees besides those of the process.
    """
    given = list(map(str, arguments))
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(cwd or Path.cwd()))
        patched = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in environment.items():
            patched.setenv(name, value)
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        try:
            code = main(given)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode().replace(os.linesep, "\n"))  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(["ragscore", *given], code, *texts)
