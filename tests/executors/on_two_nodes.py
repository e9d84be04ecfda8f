"""What a run does on a cluster of two nodes: a program that prints a line of JSON for each scene.

It runs in a network of its own where the system makes one, and is given an empty folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore import Cache, load_experiment, run_experiment
from ragscore.errors import ConfigError
from ragscore.executors import Finished, Ray
from ragscore.progress import Progress, Stage
from ragscore.results import Result
from tests.factories.house import write_dataset
from tests.factories.ray_jobs import Logged, Unready
from tests.factories.ray_nodes import Nodes, raise_loopback
from tests.factories.swept_house import CONFIG
from tests.factories.systems.embedding_server import Reply, embedding_server

SCENES: list[Callable[[Path, Nodes], Any]] = []


def scene(play: Callable[[Path, Nodes], Any]) -> Callable[[Path, Nodes], Any]:
    SCENES.append(play)
    return play


class Notes(Progress):
    """Remembers what the user is told."""

    def __init__(self) -> None:
        self.kept = list[str]()

    def note(self, text: str) -> None:
        self.kept.append(str(text))


def begun(log: Path) -> Counter[str]:
    """How often each task has begun."""
    return Counter(line.split()[0] for line in log.read_text().splitlines())


@scene
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
        "begun": begun(job.log),
        "errors": {task: done.error for task, done in finished.items() if done.error},
        "values": {task: done.value for task, done in finished.items() if not done.error},
        "nodes": sorted({done.node for done in finished.values()}),
        "notes": notes.kept,
    }


@scene
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


@scene
def a_sweep(folder: Path, nodes: Nodes) -> Any:
    """The nodes search the configurations, and the driver finds them in the cache."""
    write_dataset(folder / "house")
    config = folder / "config.yaml"
    config.write_text(
        CONFIG.replace("latency: {queries: 3}", "latency: false")
        + "  bm25: {k1: [0.6, 1.2, 1.5, 2]}\n  hybrid: {weights: [[1, 1], [1, 3]]}\n"
    )
    swept = {}
    for executor in ("local", f"{{kind: ray, address: '{nodes.address}'}}"):
        result = run_experiment(
            load_experiment(config, [f"executor={executor}"]),
            output=folder / "out",
            overwrite=True,
            cache=Cache(folder / executor[:4]),
        )
        swept[executor[:4]] = result.parts.held_sweeps["house"]
    local, remote = swept.values()
    return {
        "labels": [*map(str, remote.settings)] == [*map(str, local.settings)],
        "equal": remote.values.tobytes() == local.values.tobytes(),
        "count": len(remote),
        "failures": dict(remote.failures),
    }


BLOCKS = """\
dataset: {path: words, block: 400}
memory: 1GB
retrievers:
  bm25: {kind: bm25}
  plain: {kind: bm25, tokenizer: words}
  both: {kind: fusion, retrievers: [bm25, plain]}
measures: [nDCG@10]
latency: false
report: false
"""


def write_words(folder: Path, passages: int, queries: int = 40) -> None:
    """A dataset of random words, the passages in two files."""
    random, folder = np.random.default_rng(5), folder / "words"
    (folder / "passages").mkdir(parents=True)
    texts = [
        " ".join(f"word{word}" for word in words)
        for words in random.zipf(1.3, (passages + queries, 40)) % 5000
    ]
    rows = [json.dumps({"id": f"p{number}", "text": text}) for number, text in enumerate(texts)]
    half = passages // 3
    (folder / "passages" / "a.jsonl").write_text("\n".join(rows[:half]))
    (folder / "passages" / "b.jsonl").write_text("\n".join(rows[half:passages]))
    asked = [
        json.dumps({"id": f"q{number}", "text": text[:60]})
        for number, text in enumerate(texts[passages:])
    ]
    (folder / "queries.jsonl").write_text("\n".join(asked))
    judged = [
        json.dumps({"query_id": f"q{number}", "passages": {f"p{number * 7}": 1}})
        for number in range(queries)
    ]
    (folder / "ground_truth.jsonl").write_text("\n".join(judged))


class Counted(Notes):
    """Calls something when so many units of a stage are done."""

    def __init__(self, label: str, count: int, call: Callable[[], None]) -> None:
        super().__init__()
        self.stages = list[tuple[str, int]]()
        self.label, self.count, self.call = label, count, call
        self.first: int | None = None

    def stage(self, label: str, total: int, unit: str = "") -> Stage:
        self.stages.append((str(label), total))
        return CountedStage(self) if str(label) == self.label else Stage()


class CountedStage(Stage):
    def __init__(self, counted: Counted) -> None:
        self.counted = counted

    def advance(self, count: int = 1) -> None:
        if self.counted.first is None:
            self.counted.first = count
        self.counted.count -= count
        if self.counted.count == 0:
            self.counted.call()


def recorded(result: Result) -> dict[str, str]:
    """A digest of what each run holds."""
    found = {}
    for (_, name), run in result.runs.items():
        columns = run.rows.tobytes(), b"" if run.scores is None else run.scores.tobytes()
        found[name] = hashlib.sha256(b"".join(columns)).hexdigest()
    return found


@scene
def a_node_killed_while_it_searches(folder: Path, nodes: Nodes) -> Any:
    """Results are those of one machine, and only the block that it was at is searched again."""
    write_words(folder, 6_000)
    config = folder / "config.yaml"
    config.write_text(BLOCKS)

    def run(name: str, executor: str, progress: Progress) -> dict[str, str]:
        experiment = load_experiment(config, [f"executor={executor}"])
        output, cache = folder / f"out-{name}", Cache(folder / f"cache-{name}")
        return recorded(run_experiment(experiment, output=output, cache=cache, progress=progress))

    ray = f"{{kind: ray, address: '{nodes.address}'}}"
    counted = Counted("searching blocks", 9, lambda: threading.Thread(target=nodes.kill).start())
    return {
        "local": run("local", "local", Notes()),
        "processes": run("processes", "{kind: local, processes: 2}", Notes()),
        "ray": run("ray", ray, counted),
        "notes": counted.kept,
        "stages": counted.stages,
    }


@scene
def encoders_on_nodes(folder: Path, nodes: Nodes) -> Any:
    """A service counts what it encodes: a text that it refuses costs one retriever, and a node that
    dies only what it was at. The nodes share nothing but a URL."""
    write_words(folder, 3_000)
    texts = {json.loads(line)["text"]: 0 for line in passages_of(folder)}
    poisoned = [*texts][1_500]

    def refused(asked: list[str], answer: dict[str, Any]) -> Reply | None:
        if answer["model"] == "sick" and poisoned in asked:
            return Reply(400, {"error": {"message": "this text is poisoned"}})
        return None

    with embedding_server(hashed) as server:
        server.trouble = refused
        encoder = {"kind": "endpoint", "url": server.url, "model": "well", "batch_size": 25}
        retrievers = {
            "dense": {"kind": "faiss", "encoder": encoder},
            "sick": {"kind": "faiss", "encoder": {**encoder, "model": "sick"}},
        }
        config = folder / "config.yaml"
        written = {
            "dataset": {"path": "words", "block": 250},
            "memory": "1GB",
            "retrievers": retrievers,
            "measures": ["nDCG@10"],
            "latency": False,
            "report": False,
        }
        config.write_text(json.dumps(written))
        local = run_experiment(
            load_experiment(config), output=folder / "local", cache=Cache(folder / "cache-local")
        )
        server.bodies.clear()
        server.delay = 0.03
        executor = f"executor={{kind: ray, address: '{nodes.address}'}}"
        store = f"file://{folder / 'store'}"
        counted = Counted("encoding blocks", 5, lambda: threading.Thread(target=nodes.kill).start())
        result = run_experiment(
            load_experiment(config, [executor, f"store={store}"]),
            output=folder / "out",
            progress=counted,
        )
        asked: dict[str, Counter[str]] = {"well": Counter(), "sick": Counter()}
        for body in server.bodies:
            asked[body["model"]].update(text for text in body["input"] if text in texts)
    return {
        "equal": recorded(result) == recorded(local),
        "runs": [*recorded(result)],
        "error": str(result.failures["words", "sick"]),
        "once": sum(count == 1 for count in asked["well"].values()),
        "again": sum(count > 1 for count in asked["well"].values()),
        "sick": len(asked["sick"]),
        "poisoned": asked["sick"][poisoned],
        "notes": counted.kept,
    }


def passages_of(folder: Path) -> list[str]:
    """The lines of the files of passages."""
    files = sorted((folder / "words" / "passages").iterdir())
    return [line for file in files for line in file.read_text().splitlines()]


def hashed(texts: Sequence[str]) -> NDArray[np.float32]:
    """A vector for each text, made of its words."""
    vectors = np.zeros((len(texts), 32), dtype=np.float32)
    for row, text in enumerate(texts):
        np.add.at(vectors[row], [zlib.crc32(word.encode()) % 32 for word in text.split()], 1)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@scene
def drivers_stopped(folder: Path, nodes: Nodes) -> Any:
    """The process that hands out blocks is stopped by Ctrl-C, then another is killed: no worker
    goes on, and the next run does what is left."""
    write_words(folder, 6_000)
    config = folder / "config.yaml"
    config.write_text(BLOCKS)
    executor = f"executor={{kind: ray, address: '{nodes.address}'}}"
    cache = folder / "cache"
    command = [sys.executable, "-m", "ragscore", "run", str(config), "--set", executor, "-q"]
    seen: dict[str, Any] = {}
    for name, number in (("ctrl_c", signal.SIGINT), ("killed", signal.SIGKILL)):
        before = entries(cache)
        with subprocess.Popen(
            [*command, "-o", str(folder / name)],
            env={**os.environ, "RAGSCORE_CACHE": str(cache)},
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            while entries(cache) < before + 8 and process.poll() is None:
                time.sleep(0.02)
            process.send_signal(number)
            _, error = process.communicate(timeout=60)
        stopped = time.monotonic()
        while nodes.at_work() and time.monotonic() < stopped + 20:
            time.sleep(0.1)
        seen[name] = {
            "code": process.returncode,
            "error": error,
            "working": len(nodes.at_work()),
            "made": entries(cache) - before,
        }
    done = Counted("encoding blocks", 10**6, lambda: None)
    experiment = load_experiment(config, [executor])
    result = run_experiment(experiment, output=folder / "out", cache=Cache(cache), progress=done)
    local = run_experiment(
        load_experiment(config), output=folder / "local", cache=Cache(folder / "cache-local")
    )
    seen["equal"] = recorded(result) == recorded(local)
    seen["found"] = done.first
    return seen


def entries(cache: Path) -> int:
    """How many blocks have been tokenised."""
    return len([*cache.glob("term-counts/[!.]*/*")])


def main(folder: Path) -> None:
    """Play all scenes, or those that are named, each in a folder of its own."""
    raise_loopback()
    chosen = sys.argv[2:]
    with Nodes() as nodes:
        for play in SCENES:
            if chosen and play.__name__ not in chosen:
                continue
            own = folder / play.__name__
            own.mkdir()
            nodes.add()
            began = time.perf_counter()
            shown = {"scene": play.__name__, **play(own, nodes)}
            shown["took"] = time.perf_counter() - began
            print(json.dumps(shown), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
