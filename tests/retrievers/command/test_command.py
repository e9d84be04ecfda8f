"""The kind command: a program of sh, asked by lines of JSON."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ragscore import Command, RetrieverError
from ragscore.dataset import Corpus, Ids, Queries
from ragscore.retrievers.command import program
from ragscore.run import Run
from tests.factories.systems import ended

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are for sh")

CORPUS = Corpus(Ids(["a", "b", "c"]), ["text"] * 3)
QUERIES = Queries.from_texts({f"q{at}": f"question {at}" for at in range(50)})
ID = 'id=${line#*\\"id\\": \\"}; id=${id%%\\"*}'
ANSWER = 'echo "{\\"id\\": \\"$id\\", \\"ids\\": [\\"b\\", \\"a\\"], \\"scores\\": [2, 1]}"'
EXPECTED = {query: {"b": 2.0, "a": 1.0} for query in QUERIES.ids}


def asked(program: str, queries: Queries = QUERIES, **options: Any) -> Run:
    spec = Command(command=("sh", "-c", program), **options)
    return spec.build(CORPUS, name="program").search(queries, 2)


def each_line(does: str) -> str:
    return f"while read -r line; do {ID}; {does}; done"


def test_a_program_answers_all_queries(tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = f"echo ready >&2; echo started >> {tmp_path}/starts; {each_line(ANSWER)}"
    for concurrency in (1, 16):
        assert asked(program, concurrency=concurrency, log=str(log)).to_dict() == EXPECTED
    assert log.read_text() == "ready\nready\n"
    assert (tmp_path / "starts").read_text() == "started\n" * 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "trouble",
    ["exit 1", "kill -9 $$", "sleep 60", "echo '{\"id\": '", "echo '{}'"],
)
def test_a_program_in_trouble_answers_as_a_calm_one(trouble: str, tmp_path: Path) -> None:
    once = f'test "$id" = q7 && test ! -e {tmp_path}/done && touch {tmp_path}/done && {trouble}'
    program = each_line(f"{once}; {ANSWER}")
    assert asked(program, timeout=1, retries=2).to_dict() == EXPECTED


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        ("sleep 60", "no answer within 0.5 s"),
        ("exit 3", "ended with exit status 3"),
        ("echo '{\"id\": '; continue", "wrote a line that is not JSON"),
    ],
)
@pytest.mark.parametrize("concurrency", [1, 8])
def test_one_query_that_breaks_the_program_fails_alone(
    trouble: str, said: str, concurrency: int
) -> None:
    program = each_line(f'if test "$id" = q7; then {trouble}; fi; {ANSWER}')
    run = asked(program, concurrency=concurrency, timeout=0.5, retries=0, max_errors=1)
    assert run.to_dict() == {**EXPECTED, "q7": {}}
    (failure,) = run.failures
    assert failure.query == "q7"
    assert 2 <= failure.attempts <= 3, "it was under way with others, or asked after them"
    assert said in failure.error


@pytest.mark.slow
def test_a_slow_program_is_not_late_for_queries_that_wait(tmp_path: Path) -> None:
    """Three at once are late, since it answers one after the other; each alone is not."""
    program = each_line(f"sleep 0.25; {ANSWER}")
    few = QUERIES.select(range(3))
    run = asked(program, few, concurrency=3, timeout=0.7, retries=0)
    assert run.to_dict() == {query: EXPECTED[query] for query in few.ids}


@pytest.mark.slow
def test_the_old_program_has_ended_before_the_new_one_starts(tmp_path: Path) -> None:
    own = f"mkdir {tmp_path}/lock || exit 9; trap 'sleep 0.2; rmdir {tmp_path}/lock' EXIT"
    lock = f"{own}; trap exit TERM"
    trouble = f'test "$id" = q7 && test ! -e {tmp_path}/x && touch {tmp_path}/x && sleep 9 & wait'
    program = f"{lock}; {each_line(f'{trouble}; {ANSWER}')}"
    assert asked(program, concurrency=4, timeout=0.6, retries=0).to_dict() == EXPECTED


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ('{\\"id\\": \\"$id\\"}', "has no list of ids"),
        ('{\\"id\\": \\"$id\\", \\"ids\\": \\"a\\"}', "has no list of ids"),
        ('{\\"id\\": \\"$id\\", \\"ids\\": [\\"a\\"], \\"scores\\": []}', "1 ids and 0 sc"),
        ('{\\"id\\": \\"$id\\", \\"ids\\": [\\"z\\"]}', "'z', which is not in the corpus"),
        ('{\\"id\\": \\"$id\\", \\"ids\\": [1]}', "Ids are text: write '1'"),
        ('{\\"id\\": \\"$id\\", \\"error\\": \\"no $KEY\\"}', "the program says: no ${SECRET}"),
        (
            "log: $KEY",
            "no answer within 0.5 s; it has answered nothing yet: does it read its stdin line by "
            "line, and flush",
        ),
    ],
)
def test_why_a_query_fails(answer: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "s3cret")
    with pytest.raises(RetrieverError) as caught:
        asked(
            each_line(f'echo "{answer}"'), QUERIES.select([3]),
            retries=0, timeout=0.5, env={"KEY": "${SECRET}"},
        )  # fmt: skip
    assert str(caught.value).startswith("retriever 'program', query 'q3': ")
    assert said in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_it_is_started_for_each_block_where_asked(tmp_path: Path) -> None:
    program = f"echo started >> {tmp_path}/starts; {each_line(ANSWER)}"
    spec = Command(command=("sh", "-c", program), start="each block")
    index = spec.build(CORPUS)
    for rows in (range(25), range(25, 50)):
        index.search(QUERIES.select(rows), 2)
    assert (tmp_path / "starts").read_text() == "started\n" * 2


def test_ctrl_c_ends_the_program_and_its_children(tmp_path: Path) -> None:
    program = f"sleep 60 & echo $$ $! > {tmp_path}/pids; kill -INT $PPID; wait"
    with pytest.raises(KeyboardInterrupt):
        asked(program)
    for pid in (tmp_path / "pids").read_text().split():
        assert ended(int(pid))


@pytest.mark.slow
def test_a_kill_of_ragscore_ends_the_program_and_its_children(tmp_path: Path) -> None:
    program = (
        f"trap '' TERM HUP INT; sleep 60 & echo $$ $! > {tmp_path}/pids; while :; do wait; done"
    )
    code = (
        "import os, pathlib, signal, time\n"
        "from ragscore.retrievers.command import process\n"
        "process.GRACE = 0.1\n"
        f"pids = pathlib.Path({str(tmp_path / 'pids')!r})\n"
        f"running = process.Process(['sh', '-c', {program!r}], None, os.environ, print)\n"
        "while not (pids.exists() and pids.read_text().endswith('\\n')): time.sleep(0.01)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code], check=False)
    assert killed.returncode == -signal.SIGKILL
    for pid in (tmp_path / "pids").read_text().split():
        assert ended(int(pid))


def test_variables_are_put_into_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "${HOME}")
    program = each_line('echo "{\\"id\\": \\"$id\\", \\"ids\\": [\\"$KEY\\"]}"')
    for env, said in (("$${SECRET}", "'${SECRET}'"), ("<${SECRET}>", "'<${SECRET}>'")):
        with pytest.raises(RetrieverError) as caught:
            asked(program, QUERIES.select([3]), env={"KEY": env})
        assert f"{said}, which is not in the corpus" in str(caught.value)


def test_what_is_missing_is_found_before_it_runs(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("echo")
    for command, said in (
        (("./plain",), "the program ./plain cannot be executed"),
        (("./none",), "the program ./none is not there"),
        (("no-such-program",), "the program no-such-program is not there"),
    ):
        (problem,) = Command(command=command).resolved(tmp_path).check()
        assert said in problem.what
    (problem,) = Command(command=("sh",), env={"A": "${RAGSCORE_NONE}"}).check()
    assert (problem.where, "RAGSCORE_NONE" in problem.what) == ("env", True)


def test_the_first_block_is_small_unless_it_starts_the_program() -> None:
    blocks = {
        (start, concurrency): Command(command=("sh",), start=start, concurrency=concurrency)
        .build(CORPUS)
        .block
        for start in ("once", "each block")
        for concurrency in (1, 8, 32)
    }
    assert blocks == {
        ("once", 1): 8, ("once", 8): 32, ("once", 32): 128,
        ("each block", 1): 64, ("each block", 8): 64, ("each block", 32): 128,
    }  # fmt: skip


def in_its_first_life(folder: Path, does: str) -> str:
    """A program that does something else when it is started for the first time."""
    first = f"if mkdir {folder}/begun 2> {os.devnull}; then {does}; fi"
    return f"{first}; {each_line(ANSWER)}"


@pytest.mark.parametrize("trouble", ["exit 1", "kill -9 $$", "echo '{\"id\": '; continue"])
def test_a_query_that_a_program_was_not_given_alone_spends_no_retry(
    trouble: str, tmp_path: Path
) -> None:
    """Every fifth query is in trouble once."""
    once = f"mkdir {tmp_path}/$id 2> {os.devnull} && {{ {trouble}; }};"
    rough = each_line(f"case $id in *[27]) {once} esac; {ANSWER}")
    index = Command(command=("sh", "-c", rough), retries=0).build(CORPUS)
    assert index.search(QUERIES, 2).to_dict() == EXPECTED
    times = index.call_times()
    assert times is not None
    assert times.asked_again == 10


@pytest.mark.parametrize(
    "does",
    [
        # Others are answered, and the program ends while one waits.
        f"read -r line; {ID}; {ANSWER}; read -r line; {ID}; {ANSWER}; read -r line; exit 1",
        # All fail together, and the program ends when it is given one of them alone.
        "read -r line; read -r line; read -r line; echo '{\"id\": '; read -r line; exit 1",
    ],
)
def test_a_query_pays_for_no_other(does: str, tmp_path: Path) -> None:
    few = QUERIES.select(range(3))
    run = asked(in_its_first_life(tmp_path, does), few, concurrency=3, retries=0)
    assert run.to_dict() == {query: EXPECTED[query] for query in few.ids}


def test_a_program_that_always_ends_is_started_as_often_as_queries_are_asked(
    tmp_path: Path,
) -> None:
    few = QUERIES.select(range(3))
    for ends in ("exit 1", "read -r line; exit 1"):
        starts = tmp_path / "starts"
        with pytest.raises(RetrieverError, match="ended with exit status 1"):
            asked(f"echo started >> {starts}; {ends}", few, concurrency=3, retries=1)
        assert 2 <= len(starts.read_text().split()) <= 12


def test_a_second_answer_that_is_another_one_is_noted() -> None:
    other = ANSWER.replace("2, 1", "3, 1")
    twice = each_line(f'{ANSWER}; {ANSWER}; if test "$id" = q7; then {other}; fi')
    spec = Command(command=("sh", "-c", twice))
    index = spec.build(CORPUS, name="program")
    assert index.search(QUERIES, 2).to_dict() == EXPECTED
    assert [str(note) for note in index.notes()] == [
        "program: queries that got a second, different answer: 1, such as 'q7'; the first answer "
        "counts"
    ]


def test_a_flood_is_not_blamed_on_flushing_and_its_log_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "MAX_LOG", 2**20)
    log = tmp_path / "log"
    flood = "read -r line; yes $(printf %01000d 7) >&2"
    with pytest.raises(RetrieverError) as caught:
        asked(flood, timeout=2, retries=0, log=str(log))
    assert "it has answered nothing yet, and wrote " in str(caught.value)
    assert "flush" not in str(caught.value)
    assert log.stat().st_size < 2**20 + 1_100
    assert log.read_text().endswith("7\nragscore logs no more than 1 MiB of a search.\n")
