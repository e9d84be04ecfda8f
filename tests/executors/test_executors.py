"""Executors: their options, what is found wrong with them, and processes of this machine."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ragscore import Cache, load_experiment
from ragscore.cli.progress_display import open_progress
from ragscore.errors import ConfigError, MissingPackageError
from ragscore.executors import Finished, Local, Ray, node_check, ray
from ragscore.executors.node_check import Node, check_nodes, describe_node, versions
from ragscore.experiment.config.load_experiment import validate_experiment
from ragscore.progress import SILENT
from tests.factories.ray_jobs import Logged, Unready
from tests.factories.witness import Witness

KEY = "ab" * 32


def test_processes_do_tasks_and_name_what_fails(tmp_path: Path, root: Path) -> None:
    job, finished = Logged(tmp_path / "log", seconds=0.0), dict[str, Finished]()
    tasks = ["poisoned", "odd", "good0", "good1"]
    with Local().open(None, SILENT) as workers:
        assert not workers.spreads
        workers.run(job, tasks, lambda done: finished.update({done.task: done}))
    assert {task: done.error for task, done in finished.items()} == {
        "poisoned": "poisoned.jsonl:3: a passage without an id",
        "odd": "IndexError: list index out of range",
        "good0": None,
        "good1": None,
    }
    begun = Counter(line.split()[0] for line in job.log.read_text().splitlines())
    assert begun == dict.fromkeys(tasks, 1)


def test_a_process_that_dies_says_how(tmp_path: Path, root: Path) -> None:
    witness, finished = Witness(), list[str]()
    tasks = ["deadly", "good0", "good1"]
    with Local(processes=1).open(Cache(tmp_path / "cache"), witness) as workers:
        job = Logged(tmp_path / "log", seconds=0.0)
        workers.run(job, tasks, lambda done: finished.append(done.task))
    assert finished == []
    (note,) = witness.notes
    begins = (
        "1 of 1 processes died; this process does their remaining work. The first: exit status 7"
    )
    assert note.startswith(f"{begins}; its last lines: xxx")
    assert note.endswith("x | loading | out of memory")
    assert len(note) < 500


def test_a_process_that_dies_is_noted_in_the_language_of_the_reader(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with (
        open_progress(quiet=False, language="ko") as shown,
        Local(processes=1).open(Cache(tmp_path / "cache"), shown) as workers,
    ):
        workers.run(Unready(), ["one"], lambda done: None)
    said = capsys.readouterr().err
    assert "프로세스 1개 중 1개가 죽어 남은 작업을 이 프로세스가 합니다" in said


def test_processes_that_cannot_begin_a_job_say_why(tmp_path: Path, root: Path) -> None:
    witness = Witness()
    with Local().open(None, witness) as workers:
        workers.run(Unready(), ["one"], lambda done: None)
    assert "exit status 1; its last lines: " in witness.notes[0]
    assert witness.notes[0].endswith("/data/corpus: there is no such folder")


def test_a_job_that_no_other_process_can_have_is_done_here(tmp_path: Path) -> None:
    class Own(Logged):
        """Cannot be imported elsewhere."""

    witness, finished = Witness(), list[Finished]()
    with Local().open(None, witness) as workers:
        workers.run(Own(tmp_path / "log"), ["good0"], finished.append)
    assert finished == []
    (note,) = witness.notes
    assert (
        "this process does everything itself because the work cannot be sent to another: " in note
    )
    assert "Own" in note


WAITING = """
import sys
import polars
from pathlib import Path
from ragscore.executors.processes import run_processes
from tests.factories.ray_jobs import Logged

run_processes(Logged(Path(sys.argv[1]), seconds=600.0), ["good0", "good1"], 2, print)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_ctrl_c_ends_processes_that_work(tmp_path: Path, root: Path) -> None:
    """Polars's own handler of SIGINT would have the system wait again."""
    log = tmp_path / "log"
    command = [sys.executable, "-c", WAITING, str(log)]
    with subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE, text=True) as process:
        until = time.monotonic() + 60
        while not (log.exists() and len(log.read_text().splitlines()) == 2):
            assert time.monotonic() < until
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert "KeyboardInterrupt" in errors
    for line in log.read_text().splitlines():
        with pytest.raises(ProcessLookupError):
            os.kill(int(line.split()[1]), 0)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"address": "ray://head:10001"}, "Ray.address: ray:// leads to a Ray client"),
        (
            {"address": "head"},
            "'head' is not the address of a cluster. Write auto, local, or HOST:PORT",
        ),
        ({"num_gpus": 1.5}, "Ray.num_gpus: 1.5 is not whole"),
        ({"num_cpus": 0}, "Ray.num_cpus: the number 0 is too small"),
    ],
)
def test_options_that_are_wrong(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Ray(**options)
    assert told in str(caught.value)


def experiment(folder: Path, executor: str) -> Path:
    path = folder / "some.yaml"
    path.write_text(f"dataset: none\nretrievers: {{a: {{kind: bm25}}}}\nexecutor: {executor}\n")
    return path


def test_ray_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "find_spec", lambda name: None)
    problems = validate_experiment(experiment(tmp_path, "ray"))
    (problem,) = [problem for problem in problems if problem.what.startswith("executor")]
    assert "some.yaml:3:1" in problem.where
    assert "pip install 'ragscore-eval[ray]'" in problem.instead
    with pytest.raises(MissingPackageError), Ray().open(Cache(tmp_path), SILENT):
        pass


def test_an_executor_that_is_unknown(tmp_path: Path) -> None:
    (problem,) = [
        problem
        for problem in validate_experiment(experiment(tmp_path, "rya"))
        if problem.what.startswith("executor")
    ]
    assert "Did you mean 'ray'? Allowed: local, ray" in f"{problem.what} {problem.instead}"
    read = load_experiment(experiment(tmp_path, "{kind: ray, num_gpus: 1}"), files=False)
    assert read.executor == Ray(num_gpus=1)
    assert load_experiment(experiment(tmp_path, "local"), files=False).executor == Local()


def test_what_nodes_make_needs_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray, "find_spec", lambda name: True)
    for cache in (None, Cache()):
        told = pytest.raises(ConfigError, match=r"into the cache, and nothing is kept here\. Leave")
        with told, Ray().open(cache, SILENT):
            pass


@pytest.mark.skipif(not ray.find_spec("ray"), reason="ray is not installed: pip install ray")
@pytest.mark.parametrize("found", [False, True], ids=["written", "found"])
def test_no_cluster_answers(found: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{unused.getsockname()[1]}"
        monkeypatch.setenv("RAY_ADDRESS", address if found else "127.0.0.1:1")
        told = pytest.raises(ConfigError, match=f"no Ray cluster answers at {address}")
        with told, Ray(address="auto" if found else address).open(Cache(tmp_path), SILENT):
            pass


def test_a_node_with_other_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    found = describe_node("10.0.0.2", cache.place, KEY)
    other = {**found.versions, "ragscore": "0.0.1 (abcdef12)", "bm25s": ""}
    with pytest.raises(ConfigError) as caught:
        check_nodes([(found, KEY), (Node("10.0.0.3", other), "cd" * 32)], cache)
    (problem,) = caught.value.problems
    assert problem.where == "executor, node 10.0.0.3"
    assert f"ragscore 0.0.1 (abcdef12), here {versions()['ragscore']}" in problem.what
    assert "bm25s is missing, here 0." in problem.what
    assert "Install the same on all nodes" in problem.instead
    monkeypatch.setattr(node_check.own_version, "installed_version", lambda package: "2.13.0+cu130")
    assert versions()["torch"] == "2.13", "built for other processors, it makes the same vectors"


def test_a_node_that_does_not_reach_the_store(tmp_path: Path) -> None:
    here, there = Cache(tmp_path / "here"), Cache(tmp_path / "there")
    check_nodes([(describe_node("10.0.0.2", here.place, KEY), KEY)], here)
    assert here.keys(node_check.KIND, "ab") == [], "what was written for the check is gone"
    (tmp_path / "file").write_text("")
    nodes = [
        (describe_node("10.0.0.2", there.place, KEY), KEY),
        (describe_node("10.0.0.3", str(tmp_path / "file"), KEY), KEY),
    ]
    with pytest.raises(ConfigError) as caught:
        check_nodes(nodes, here)
    lost, refused = caught.value.problems
    assert f"what it wrote into the store {here.place} is not there" in lost.what
    assert "Name one as store: that all nodes reach" in lost.instead
    assert refused.where == "executor, node 10.0.0.3"
    assert "it cannot write into the store" in refused.what
