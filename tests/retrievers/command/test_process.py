"""Process: programs that answer, and programs that do anything else."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragscore.retrievers.command import process
from ragscore.retrievers.command.process import Process, ProgramError
from tests.factories.systems import ended

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are for sh")
Start = Callable[..., Process]
ECHO = 'while read -r line; do echo "$line"; done'


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Starts a program of sh, and ends it after the test."""
    monkeypatch.setattr(process, "GRACE", 0.1)
    started: list[Process] = []

    def run(program: str, log: Callable[[str], None] = lambda line: None) -> Process:
        running = Process(["sh", "-c", program], None, os.environ, log)
        started.append(running)
        return running

    yield run
    for running in started:
        running.close()


def asked(running: Process, query: str, **more: Any) -> Any:
    return running.ask(query, {"id": query, **more}).result(5)


def test_answers_are_those_of_their_queries(start: Start) -> None:
    running = start('read -r a; read -r b; echo "$b"; echo "$a"')
    first, second = (running.ask(name, {"id": name, "query": name * 3}) for name in ("a", "b"))
    assert second.result(5) == {"id": "b", "query": "bbb"}
    assert first.result(5) == {"id": "a", "query": "aaa"}


def test_stderr_and_what_is_no_answer_go_to_the_log(start: Start) -> None:
    lines: list[str] = []
    running = start(f"echo loading; echo slowly >&2; {ECHO}", lines.append)
    assert asked(running, "q") == {"id": "q"}
    running.close()
    assert sorted(lines) == ["loading", "slowly"]


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("echo out of memory >&2; exit 3", "ended with exit status 3; its last lines: out of mem"),
        ("read -r line; kill -9 $$", "ended with exit status -9"),
        ("read -r line; echo '{\"id\": '; sleep 9", 'a line that is not JSON: {"id":'),
        ("read -r line; echo '{\"id\": 7}'; sleep 9", "a line without the id of a query"),
        ('read -r line; echo \'{"id": "r"}\'; sleep 9', "a line without the id of a query"),
        ('read -r line; printf \'{"id": "q"\'', "a line that is not JSON"),
        ("exec >&-; sleep 9", "closed its stdout"),
    ],
)
def test_why_there_is_no_answer(program: str, said: str, start: Start) -> None:
    with pytest.raises(ProgramError) as caught:
        asked(start(program), "q")
    assert said in str(caught.value)


def test_a_program_that_ended_says_so_to_later_queries(start: Start) -> None:
    running = start("exit 1")
    for query in ("a", "b"):
        with pytest.raises(ProgramError, match="exit status 1"):
            asked(running, query)


def test_a_program_that_does_not_read_blocks_nobody(start: Start) -> None:
    running = start("sleep 60")
    waiting = [running.ask(str(at), {"id": str(at), "query": "x" * 100_000}) for at in range(5)]
    running.close()
    for future in waiting:
        with pytest.raises(ProgramError, match="it was ended"):
            future.result(5)


def test_children_end_with_the_program(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "pid"
    running = start(f"(trap '' TERM; sleep 60) & echo $! > {file}; {ECHO}")
    assert asked(running, "q") == {"id": "q"}
    child = int(file.read_text())
    running.close()
    assert ended(child)
