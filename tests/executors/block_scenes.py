"""What workers on two nodes do with the blocks of a corpus; what a dead node or driver costs."""

from __future__ import annotations

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
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ragscore import Cache, load_experiment, run_experiment
from ragscore.progress import Stage
from ragscore.retrievers.rerank.cross_encoder import OpenCrossEncoder
from tests.factories import tiny_models
from tests.factories.ray_blocks import (
    BLOCK,
    EXPERIMENT,
    Notes,
    Witness,
    recorded,
    witnessed,
    write_words,
)
from tests.factories.ray_nodes import Nodes
from tests.factories.systems.embedding_server import Reply, embedding_server

RERANKED = 400
"""Queries whose passages are reranked, 64 at a time."""


class Counted(Notes):
    """Calls something when so many units of a stage are done."""

    def __init__(self, label: str, count: int, call: Callable[[], None]) -> None:
        super().__init__()
        self.label, self.count, self.call = label, count, call

    def stage(self, label: str, total: int, unit: str = "") -> Stage:
        return CountedStage(self) if str(label) == self.label else Stage()


class CountedStage(Stage):
    def __init__(self, counted: Counted) -> None:
        self.counted = counted

    def advance(self, count: int = 1) -> None:
        self.counted.count -= count
        if self.counted.count == 0:
            self.counted.call()


@lru_cache(maxsize=1)
def on_one_machine(folder: Path) -> tuple[Path, dict[str, str]]:
    """An experiment on a corpus in blocks, and what this process alone records of it."""
    folder.mkdir()
    write_words(folder)
    config = folder / "config.yaml"
    config.write_text(EXPERIMENT)
    cache = Cache(folder / "cache")
    return config, recorded(run_experiment(config, output=folder / "out", cache=cache))


def drivers_stopped(folder: Path, nodes: Nodes) -> Any:
    """The process that hands out blocks is stopped by Ctrl-C while they are encoded, and another
    one is killed while they are searched: no worker goes on, and the next run does what is left."""
    config, alone = on_one_machine(folder.parent / "words")
    executor = f"executor={{kind: ray, address: '{nodes.address}'}}"
    cache, seen = folder / "cache", dict[str, Any]()
    for name, stop, number in (
        ("ctrl_c", "encode 5", signal.SIGINT),
        ("killed", "search 5", signal.SIGKILL),
    ):
        command = [sys.executable, "-m", "tests.executors.stopping_run", str(folder / name), stop]
        command += ["run", str(config), "--set", executor, "-o", str(folder / f"out-{name}")]
        witness, stopped = Witness(folder / name), threading.Event()
        with subprocess.Popen(
            command,
            env={**os.environ, "RAGSCORE_CACHE": str(cache)},
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            witness.when_stopped(2, stopped.set)
            stopped.wait(100)
            working = len(nodes.at_work())
            process.send_signal(number)
            _, error = process.communicate(timeout=60)
        until = time.monotonic() + 20
        while nodes.at_work() and time.monotonic() < until:
            time.sleep(0.05)
        seen[name] = {
            "code": process.returncode,
            "error": error,
            "working": [working, len(nodes.at_work())],
            "begun": witness.begun(),
        }
    with witnessed(folder / "last") as witness:
        result = run_experiment(
            load_experiment(config, [executor]), output=folder / "out", cache=Cache(cache)
        )
    seen["last"] = {"begun": witness.begun()}
    seen["equal"] = recorded(result) == alone
    return seen


def a_node_killed_while_it_searches(folder: Path, nodes: Nodes) -> Any:
    """Results are those of one machine, and only the block that it was at is searched again."""
    config, alone = on_one_machine(folder.parent / "words")
    found, notes = {"local": alone}, Notes()
    ray = f"{{kind: ray, address: '{nodes.address}'}}"
    with witnessed(folder / "witness", "search 5") as witness:

        def kill() -> None:
            nodes.kill()
            witness.let_go()

        witness.when_stopped(2, kill)
        for name, executor in (("ray", ray), ("processes", "{kind: local, processes: 2}")):
            found[name] = recorded(
                run_experiment(
                    load_experiment(config, [f"executor={executor}"]),
                    output=folder / f"out-{name}",
                    cache=Cache(folder / f"cache-{name}"),
                    progress=notes,
                )
            )
            if name == "ray":
                begun = witness.begun()
    return {**found, "notes": notes.kept, "begun": begun}


def a_node_killed_while_it_reranks(folder: Path, nodes: Nodes) -> Any:
    """A cross-encoder runs on the nodes, and only the queries that the dead one was at are scored
    again; this process scores none."""
    write_words(folder, RERANKED)
    config, notes = folder / "config.yaml", Notes()
    by = {"kind": "cross-encoder", "model": str(tiny_models.cross_encoder())}
    retrievers = {
        "bm25": {"kind": "bm25"},
        "better": {"kind": "rerank", "retriever": "bm25", "n": 5, "by": by},
    }
    written = {"retrievers": retrievers, "measures": ["nDCG@5"], "depth": 5}
    dataset = {"dataset": {"path": "words", "block": BLOCK}, "memory": "1GB"}
    config.write_text(json.dumps({**dataset, **written, "latency": False, "report": False}))
    local = run_experiment(config, output=folder / "local", cache=Cache(folder / "cache-local"))
    here = list[int]()
    scored = OpenCrossEncoder.score_pairs

    def counted(self: Any, queries: Sequence[str], *others: Any) -> Any:
        here.append(len(queries))
        return scored(self, queries, *others)

    with witnessed(folder / "witness", "rerank 2") as witness, pytest.MonkeyPatch.context() as own:
        own.setattr(OpenCrossEncoder, "score_pairs", counted)

        def kill() -> None:
            nodes.kill()
            witness.let_go()

        witness.when_stopped(2, kill)
        result = run_experiment(
            load_experiment(config, [f"executor={{kind: ray, address: '{nodes.address}'}}"]),
            output=folder / "out",
            cache=Cache(folder / "cache"),
            progress=notes,
        )
    begun = {name: n for name, n in witness.begun().items() if name.startswith("rerank")}
    return {
        "equal": recorded(result) == recorded(local),
        "runs": [*recorded(result)],
        "scored_here": len(here),
        "notes": notes.kept,
        "begun": begun,
    }


def encoders_on_nodes(folder: Path, nodes: Nodes) -> Any:
    """A service counts what it encodes: a text that it refuses costs one retriever, and a node that
    dies only what it was at. The nodes share nothing but a URL."""
    texts = {text: number for number, text in enumerate(write_words(folder))}
    poisoned = [*texts][1_500]
    held, dying, dead = set[tuple[str, int]](), threading.Event(), threading.Event()

    def kill() -> None:
        nodes.kill()
        dead.set()

    def trouble(asked: list[str], answer: dict[str, Any]) -> Reply | None:
        """A text is refused; and of two blocks, answers wait until a node is dead."""
        if answer["model"] == "sick" and poisoned in asked:
            return Reply(400, {"error": {"message": "this text is poisoned"}})
        if dying.is_set() and asked[0] in texts:
            held.add((answer["model"], texts[asked[0]] // BLOCK))
            if len(held) == 2:
                threading.Thread(target=kill).start()
            dead.wait(30)
        return None

    with embedding_server(hashed) as server:
        encoder = {"kind": "endpoint", "url": server.url, "model": "well", "batch_size": 25}
        retrievers = {
            "dense": {"kind": "faiss", "encoder": encoder},
            "sick": {"kind": "faiss", "encoder": {**encoder, "model": "sick"}},
        }
        config = folder / "config.yaml"
        written = {
            "dataset": {"path": "words", "block": BLOCK},
            "memory": "1GB",
            "retrievers": retrievers,
            "measures": ["nDCG@10"],
            "latency": False,
            "report": False,
        }
        config.write_text(json.dumps(written))
        local = run_experiment(
            config, only=["dense"], output=folder / "local", cache=Cache(folder / "cache-local")
        )
        server.bodies.clear()
        server.trouble = trouble
        executor = f"executor={{kind: ray, address: '{nodes.address}'}}"
        store = f"store=file://{folder / 'store'}"
        counted = Counted("encoding blocks", 5, dying.set)
        with witnessed(folder / "witness") as witness:
            result = run_experiment(
                load_experiment(config, [executor, store]),
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
        "twice": sum(count == 2 for count in asked["well"].values()),
        "sick": len(asked["sick"]),
        "poisoned": asked["sick"][poisoned],
        "begun": witness.begun(),
        "notes": counted.kept,
    }


def hashed(texts: Sequence[str]) -> NDArray[np.float32]:
    """A vector for each text, made of its words."""
    vectors = np.zeros((len(texts), 32), dtype=np.float32)
    for row, text in enumerate(texts):
        np.add.at(vectors[row], [zlib.crc32(word.encode()) % 32 for word in text.split()], 1)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
