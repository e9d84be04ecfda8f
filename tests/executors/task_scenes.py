"""What workers on two nodes do with tasks, configurations of a sweep and parts of a run."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from ragscore import Cache, load_experiment, run_experiment
from ragscore.errors import ConfigError
from ragscore.executors import Finished, Ray
from tests.factories.house import write_dataset
from tests.factories.ray_blocks import Notes, witnessed
from tests.factories.ray_jobs import Logged, Unready
from tests.factories.ray_nodes import Nodes
from tests.factories.run_parts import write_part
from tests.factories.swept_house import CONFIG


def tasks_that_fail(folder: Path, nodes: Nodes) -> Any:
    """A poisoned task is named and not tried again; a deadly one three times; others go on."""
    notes, finished, job = Notes(), dict[str, Finished](), Logged(folder / "log")
    tasks = ["poisoned", "deadly", "odd", *(f"good{number}" for number in range(12))]
    with Ray(address=nodes.address).open(Cache(folder / "cache"), notes) as workers:
        count = workers.count(100)
        workers.run(job, tasks, lambda done: finished.update({done.task: done}))
        try:
            workers.run(Unready(), tasks, lambda done: None)
            unready = ""
        except ConfigError as error:
            unready = str(error)
    return {
        "unready": unready,
        "workers": count,
        "begun": Counter(line.split()[0] for line in job.log.read_text().splitlines()),
        "errors": {task: done.error for task, done in finished.items() if done.error},
        "values": {task: done.value for task, done in finished.items() if not done.error},
        "nodes": sorted({done.node for done in finished.values()}),
        "notes": notes.kept,
    }


def workers_with_a_gpu(folder: Path, nodes: Nodes) -> Any:
    """They are on nodes that have one, and only where the tasks need it."""
    found: dict[str, list[Finished]] = {"encode": [], "search": []}
    with Ray(address=nodes.address, num_gpus=1).open(Cache(folder / "cache"), Notes()) as workers:
        for name, needs in (("encode", True), ("search", False)):
            job, tasks = Logged(folder / name, seconds=0.2), [f"{name}{at}" for at in range(6)]
            workers.run(job, tasks, found[name].append, gpu=needs)
    missing = Ray(address=nodes.address, num_gpus=2)
    try:
        with missing.open(Cache(folder / "cache"), Notes()):
            error = ""
    except ConfigError as failure:
        error = str(failure)
    return {
        "nodes": {name: sorted({done.node for done in all}) for name, all in found.items()},
        "gpus": {name: sorted({done.value["gpus"] for done in all}) for name, all in found.items()},
        "error": error,
    }


def a_sweep(folder: Path, nodes: Nodes) -> Any:
    """The nodes search the configurations, and the driver finds them in the cache."""
    write_dataset(folder / "house")
    config = folder / "config.yaml"
    config.write_text(
        CONFIG.replace("latency: {queries: 3}", "latency: false")
        + "  bm25: {k1: [0.6, 1.2, 1.5, 2]}\n  hybrid: {weights: [[1, 1], [1, 3]]}\n"
    )
    swept = {}
    for name, executor in (
        ("local", "local"),
        ("ray", f"{{kind: ray, address: '{nodes.address}'}}"),
    ):
        with witnessed(folder / f"witness-{name}") as witness:
            result = run_experiment(
                load_experiment(config, [f"executor={executor}"]),
                output=folder / f"out-{name}",
                cache=Cache(folder / f"cache-{name}"),
            )
        swept[name] = result.parts.held_sweeps["house"]
    local, remote = swept.values()
    return {
        "labels": [*map(str, remote.settings)] == [*map(str, local.settings)],
        "equal": remote.values.tobytes() == local.values.tobytes(),
        "count": len(remote),
        "begun": witness.begun(),
        "failures": dict(remote.failures),
    }


def parts_of_a_run(folder: Path, nodes: Nodes) -> Any:
    """The nodes read parts of a run for the command `ragscore score`; a damaged one is named."""
    run, qrels, store = folder / "run", folder / "qrels", folder / "store"
    run.mkdir()
    rows = [(f"q{line // 10}", f"d{line * 7 % 50}", str(9 - line % 10)) for line in range(4000)]
    for number in range(8):
        write_part(run, number, rows[number * 500 : (number + 1) * 500], "trec")
    qrels.write_text("".join(f"q{query} 0 d{query % 50} 1\n" for query in range(400)))
    command = [sys.executable, "-m", "ragscore", "score", str(run), "--qrels", str(qrels)]
    command += ["--per-query", "--format", "csv", "-m", "nDCG@10"]
    ray = ["--executor", f"{{kind: ray, address: '{nodes.address}'}}", "--store", str(store)]

    def scored(*flags: str) -> tuple[int, str, str]:
        ended = subprocess.run([*command, *flags], capture_output=True, text=True)
        return ended.returncode, ended.stdout, ended.stderr

    alone, spread = scored(), scored(*ray)
    read = len([*store.glob("run-parts/[!.]*/*")])
    with (run / "part-3.trec").open("a") as part:
        part.write("q199 Q0 d1 1 high t\n")
    return {"equal": spread[:2] == alone[:2], "read": read, "damaged": scored(*ray)}
