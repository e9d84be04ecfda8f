"""Parts of a run that workers read: the scores of one process, and parts that are read once."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest

from ragscore.cache import Cache
from ragscore.cli import main
from ragscore.errors import ConfigError, DataError
from ragscore.executors import ExecutorSpec, Finished, Job, Workers, processes, tried
from ragscore.progress import Progress
from ragscore.scoring import score
from ragscore.scoring.part_jobs import PARTS
from tests.factories.run_parts import COUNTED, MEASURES, assert_same, write_part

ROWS = [(f"q{line // 9}", f"d{(7 * line) % 8}", str(9 - line % 9 // 2)) for line in range(1000)] + [
    ("unjudged", "d1", "1"),
    ("물음", "é", "2"),
]
JUDGED = {f"q{query}": {f"d{query % 20}": 1.0, "x": 2.0} for query in range(60)} | {
    "물음": {"é": 1}
}


class Here(ExecutorSpec):
    """This process, one task after another; the last of them is left undone, as by one that
    died."""

    kind: Literal["here"] = "here"

    @contextmanager
    def open(self, cache: Cache | None, progress: Progress) -> Iterator[Workers]:
        yield _Here()


class _Here(Workers):
    def count(self, tasks: int, batch: int = 1) -> int:
        return 1

    def run(
        self,
        job: Job,
        tasks: Sequence[str],
        finished: Callable[[Finished], None],
        *,
        batch: int = 1,
        gpu: bool = False,
    ) -> None:
        worker = job.open()
        for task in tasks[:-1]:
            finished(Finished(task, *tried(worker, task)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["trec", "parquet"])
@pytest.mark.parametrize("measures", [MEASURES, COUNTED], ids=["ties", "counted"])
def test_the_scores_of_one_process(kind: str, measures: list[str], tmp_path: Path) -> None:
    folder, cache = tmp_path / "run", Cache(tmp_path / "cache")
    folder.mkdir()
    edges = [0, 1, 5, 5, 400, 1002]
    for number, (start, end) in enumerate(itertools.pairwise(edges)):
        write_part(folder, number, ROWS[start:end], kind)
    expected = score(folder, JUDGED, measures)
    assert expected.entries[0].counts.duplicates
    options: dict[str, Any] = {"executor": Here(), "cache": cache}
    assert_same(score(folder, JUDGED, measures, **options), expected)
    assert len(list((cache.root / PARTS).glob("*/*"))) == 4  # the last one was read here
    assert_same(score(folder, JUDGED, measures, **options), expected)
    with pytest.raises(ConfigError, match="cache: other machines put what they find into a cache"):
        score(folder, JUDGED, measures, executor=Here())
    # A part that changed is read again, and its error is that of reading it here.
    wrong = folder / f"part-1.{kind}"
    wrong.write_bytes(b"q0 Q0 d1 1 high t\n")
    with pytest.raises(DataError, match=rf"part-1\.{kind}"):
        score(folder, JUDGED, measures, **options)


@pytest.mark.slow
def test_processes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    for number in range(4):
        write_part(folder, number, ROWS[number * 250 : (number + 1) * 250], "trec")
    lines = [f"{query} 0 {passage} 1\n" for query, of in JUDGED.items() for passage in of]
    (tmp_path / "qrels").write_text("".join(lines))
    arguments = ["score", str(folder), "--qrels", f"{tmp_path}/qrels", "--format", "csv"]
    assert not main(arguments)
    expected = capsys.readouterr()
    assert not main([*arguments, "--workers", "2"])
    assert capsys.readouterr() == expected
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(processes, "PROGRAM", "raise SystemExit('out of memory')")
        assert not main([*arguments, "--workers", "2"])
    alone = capsys.readouterr()
    assert alone.out == expected.out
    assert "note: 2 of 2 processes died" in alone.err
    assert "exit status 1; its last lines: out of memory" in alone.err
    cache = Cache(tmp_path / "cache")
    executor = ["--executor", "{kind: local, processes: 2}", "--store", str(cache.root)]
    assert not main([*arguments, *executor])
    assert capsys.readouterr() == expected
    assert len(list((cache.root / PARTS).glob("*/*"))) == 4


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--executor", "rya"], "--executor: unknown executor 'rya'. Did you mean 'ray'?"),
        (["--executor", "{kind: ray, workrs: 2}"], "--executor.workrs: unknown option. Did you"),
        (["--executor", "{kind: ray"], "--executor:"),
        (["--executor", "ray", "--workers", "2"], "--workers and --executor both say who reads"),
        (["--store", "there"], "--store is for what workers find, and there are none. Give"),
    ],
)
def test_workers_that_flags_name_wrongly(
    flags: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels").write_text("q0 0 d1 1\n")
    assert main(["score", f"{tmp_path}/run", "--qrels", f"{tmp_path}/qrels", *flags]) == 2
    assert told in capsys.readouterr().err


LIMITED = """
import resource, sys
from ragscore.cli import main

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

before = peak()
resource.setrlimit(resource.RLIMIT_DATA, (int(sys.argv[1]), int(sys.argv[1])))
code = main(sys.argv[2:])
print(peak(), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux", reason="RLIMIT_DATA counts all private memory on Linux"
)
def test_twenty_million_lines_in_little_memory(tmp_path: Path) -> None:
    """A run of 700 MB, with a tie in every second line, in 8 parts and in one file; the same under
    a limit, which the run as a whole would pass at once."""
    folder = tmp_path / "run"
    folder.mkdir()
    queries, depth = 25_000, 100
    one_file = tmp_path / "run.trec"
    with one_file.open("wb") as whole:
        for number in range(8):
            lines = "".join(
                f"q{query} Q0 d{(query * 7919 + rank * 104_729) % 8_000_000} {rank} "
                f"{1000 - rank // 2} t\n"
                for query in range(number * queries, (number + 1) * queries)
                for rank in range(depth)
            ).encode()
            (folder / f"part-{number}.trec").write_bytes(lines)
            whole.write(lines)
    judged = (f"q{query} 0 d{query * 7919 % 8_000_000} 1\n" for query in range(0, 200_000, 10))
    (tmp_path / "qrels").write_text("".join(judged))
    limit = (500 + 64 * (os.cpu_count() or 1)) << 20  # each core reads a piece of its own
    printed = []
    for run in (folder, one_file):
        arguments = ["score", str(run), "--qrels", f"{tmp_path}/qrels", "--format", "csv"]
        done = subprocess.run(
            [sys.executable, "-c", LIMITED, str(limit), *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert "run,all,R@10,1.0\n" in printed[0]
