"""SIGKILL at any moment while a system is asked: the same command goes on, and at most the block
that was running is asked again."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from signal import SIGKILL, SIGTERM

import numpy as np
import pytest

from ragscore import Cache, plan
from ragscore.cli import main
from tests.factories.systems.counting import CountingSystem, counting_server

QUERIES = 240
FIRST_BLOCK = 16  # 4 times the concurrency; each is twice as large, since none takes 2 s
PASSAGES = [f"p{at}" for at in range(60)]
CONFIG = """\
dataset: many
retrievers:
  slow:
    kind: http
    url: "{url}"
    body: {{id: "{{id}}", k: "{{k}}"}}
    response: {{ids: "hits[*].id", scores: "hits[*].score"}}
    concurrency: 4
  exact:
    kind: faiss
    encoder: {{kind: precomputed, passages: passages.npy, queries: queries.npy}}
measures: [RR, nDCG@5]
depth: 5
compare: false
report: false
latency: false
"""
FORKING = """
import os, sys
from ragscore.cli import main
import faiss, polars, numpy, ragscore.experiment.running
for line in sys.stdin:
    child = os.fork()
    if not child:
        os.dup2(2, 1)
        sys.argv = ["ragscore", *line.split()]
        os._exit(main())
    print(child, flush=True)
    print(os.waitpid(child, 0)[1], flush=True)
"""


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[CountingSystem]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGSCORE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "many"
    folder.mkdir()
    rows = {
        "passages": [{"id": id, "text": "text"} for id in PASSAGES],
        "queries": [{"id": f"q{at}", "text": f"question {at}"} for at in range(QUERIES)],
        "ground_truth": [
            {"query_id": f"q{at}", "passages": [f"p{at % 60}"]} for at in range(QUERIES)
        ],
    }
    for name, listed in rows.items():
        lines = "".join(json.dumps(row) + "\n" for row in listed)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    drawn = np.random.default_rng(7)
    for name, count in (("passages", len(PASSAGES)), ("queries", QUERIES)):
        np.save(tmp_path / f"{name}.npy", drawn.normal(size=(count, 8)).astype(np.float32))
    with counting_server(PASSAGES) as found:
        (tmp_path / "many.yaml").write_text(CONFIG.format(url=found.url), encoding="utf-8")
        found.delay = 0.008
        yield found


def scores(folder: str) -> bytes:
    return Path(folder, "scores.parquet").read_bytes()


def block_at(asked: int) -> int:
    """The size of the block that a run asks for when it has asked so many queries."""
    size = FIRST_BLOCK
    while asked > size:
        asked, size = asked - size, 2 * size
    return size


def check_asked(system: CountingSystem, before: dict[str, int], lost: int) -> int:
    """One run asks again what those before it lost: of each no more than the block that was
    running. How many answers may be lost after it: those that it did not come to, and its block."""
    system.settle()
    again = [query for query, count in system.asked.items() if count > before.get(query, count)]
    assert len(again) <= lost
    assert all(system.asked[query] == before[query] + 1 for query in again)
    asked = system.asked.total() - sum(before.values())
    return lost - len(again) + block_at(asked)


@pytest.mark.slow
def test_killed_three_times(system: CountingSystem, capsys: pytest.CaptureFixture[str]) -> None:
    """Twice by SIGKILL, once by SIGTERM, which says how to go on; then a dry run shows it."""
    moments = ((70, SIGKILL, 9), (28, SIGKILL, 9), (75, SIGTERM, 143 << 8), (None, None, 0))
    lost = 0
    with subprocess.Popen(
        [sys.executable, "-c", FORKING],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        for kill_at, signal, status in moments:
            before = dict(system.asked)
            if signal is None:
                slow, _ = plan("many.yaml", cache=Cache.default()).retrievers
                assert slow.answered >= 7 * FIRST_BLOCK  # 3, then 1, then 3 of them
                assert main(["run", "many.yaml", "--dry-run"]) == 0
                assert f"{slow.answered} answers" in capsys.readouterr().out
            process.stdin.write(f"run many.yaml --output out{kill_at}\n")
            process.stdin.flush()
            child = int(process.stdout.readline())
            if kill_at is not None and signal is not None:
                while system.asked.total() < kill_at + sum(before.values()):
                    time.sleep(0.001)
                os.kill(child, signal)
            assert int(process.stdout.readline()) == status
            lost = check_asked(system, before, lost)
        process.stdin.close()
        assert process.stderr is not None
        said = process.stderr.read()
    assert "answers are kept in the cache; run the same command again" in said
    assert "ragscore: terminated\n" in said
    assert "answers come from an interrupted run" in said
    assert system.asked.total() <= QUERIES + 10 * FIRST_BLOCK  # 4, 2 and 4 of them were running
    assert set(system.asked) == {f"q{at}" for at in range(QUERIES)}


@pytest.mark.slow
def test_a_hundred_kills(system: CountingSystem, tmp_path: Path) -> None:
    def run(output: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "ragscore", "run", "many.yaml", "--output", output]
        with said.open("wb") as file:
            return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=file)

    said = tmp_path / "said.txt"
    began = time.perf_counter()
    assert run("calm").wait() == 0
    took = time.perf_counter() - began
    moments, kills, number = random.Random(13), 0, 0
    while kills < 100:
        system.asked.clear()
        # A kill right after the result was written leaves answers.
        shutil.rmtree(tmp_path / "cache" / "answers", ignore_errors=True)
        lost = 0
        times = [moments.uniform(0, took) for _ in range(moments.randint(1, 4))]
        for killed_after in [*times, None]:
            before, number = dict(system.asked), number + 1
            process = run(f"result{number}")
            if killed_after is not None:
                time.sleep(killed_after)
                process.kill()
                kills += 1
            ends = (0, -SIGKILL) if killed_after is not None else (0,)
            assert process.wait() in ends, said.read_text(encoding="utf-8")
            lost = check_asked(system, before, lost)
            if Path(f"result{number}").exists():  # the next would ask anew
                break
        assert scores(f"result{number}") == scores("calm")
        assert set(system.asked) == {f"q{at}" for at in range(QUERIES)}
