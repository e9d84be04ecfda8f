"""A Ray cluster does what one machine does, and what befalls its nodes costs only what they were
at. Two nodes on one machine, in a network that nothing outside reaches."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.factories.ray_blocks import BLOCK, BLOCKS, PASSAGES
from tests.factories.ray_nodes import private

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not find_spec("ray"), reason="ray is not installed: pip install ray"),
]


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory, root: Path) -> dict[str, Any]:
    """What was seen in each scene of one program, all on one cluster."""
    folder = tmp_path_factory.mktemp("scenes")
    command = private([sys.executable, "-m", "tests.executors.on_two_nodes", str(folder)])
    if command is None:
        pytest.skip("this system lets nobody make a private network: unshare --map-root-user --net")
    paths = os.pathsep.join([str(root), *filter(None, sys.path)])
    ended = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": paths, "RAGSCORE_CACHE": str(folder / "cache")},
        cwd=root,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert ended.returncode == 0, ended.stderr
    # Nothing but scenes is on stdout: what Ray says of dead nodes is not.
    return {scene["scene"]: scene for scene in map(json.loads, ended.stdout.splitlines())}


def blocks(kind: str, *retrievers: str) -> Counter[str]:
    """Each block once, as a witness writes it."""
    return Counter(f"{kind} {name} {block}" for name in retrievers for block in range(BLOCKS))


def done_again(begun: dict[str, int], once: Counter[str]) -> list[str]:
    """What has begun more often than once; nothing else differs."""
    assert begun.keys() == once.keys()
    return [*(Counter(begun) - once).elements()]


def test_nothing_outside_reaches_the_network(scenes: dict[str, Any]) -> None:
    seen = scenes["network"]
    assert seen["interfaces"] == ["lo"]
    own = [str(Path("/proc/self/ns", name).readlink()) for name in ("net", "pid")]
    assert not {*seen["namespaces"]} & {*own}


def test_a_poisoned_task_is_named_and_a_deadly_one_tried_three_times(
    scenes: dict[str, Any],
) -> None:
    seen = scenes["tasks_that_fail"]
    good = {f"good{number}" for number in range(12)}
    assert seen["workers"] == 2
    assert seen["nodes"] == ["127.0.0.1", "127.0.0.2"]
    assert seen["begun"] == dict.fromkeys(good, 1) | {"poisoned": 1, "odd": 1, "deadly": 3}
    assert seen["values"].keys() == good, "the others go on"
    assert seen["errors"]["poisoned"] == "poisoned.jsonl:3: a passage without an id"
    assert seen["errors"]["odd"] == "IndexError: list index out of range"
    why = r"its workers cannot start: /data/corpus: there is no such folder"
    assert re.match(rf"executor, node 127\.0\.0\.\d: {why}", seen["unready"])
    assert "3 workers died over it, on 127.0.0." in seen["errors"]["deadly"]
    assert len([note for note in seen["notes"] if "died during the task deadly" in note]) == 2
    processes = {value["process"] for value in seen["values"].values()}
    assert len(processes) <= 4, "a worker stays: two, and those in the place of dead ones"


def test_workers_that_encode_are_where_a_gpu_is(scenes: dict[str, Any]) -> None:
    seen = scenes["workers_with_a_gpu"]
    assert seen["nodes"] == {"encode": ["127.0.0.2"], "search": ["127.0.0.1", "127.0.0.2"]}
    assert seen["gpus"]["encode"] == ["0"]
    assert "no node of the cluster has 1 processor cores and 2 GPUs for a worker" in seen["error"]


def test_a_sweep_is_searched_by_the_nodes(scenes: dict[str, Any]) -> None:
    seen = scenes["a_sweep"]
    assert (seen["labels"], seen["equal"], seen["count"], seen["failures"]) == (True, True, 12, {})
    assert [*seen["begun"].values()] == [1] * 12


def test_parts_of_a_run_are_read_by_the_nodes(scenes: dict[str, Any]) -> None:
    seen = scenes["parts_of_a_run"]
    assert seen["equal"]
    assert seen["read"] == 8, "what this process reads is not kept"
    code, scores, error = seen["damaged"]
    assert (code, scores) == (3, "")
    assert "run/part-3.trec:501: " in error


def test_a_node_that_dies_while_it_encodes_costs_what_it_was_at(scenes: dict[str, Any]) -> None:
    seen = scenes["encoders_on_nodes"]
    assert seen["runs"] == ["dense"]
    assert seen["equal"], "rows and scores, to the last bit"
    (note,) = [note for note in seen["notes"] if "died during" in note]
    died = re.search(r"127\.0\.0\.2 died during block (\d+) of words \(encode, dense\)", note)
    assert died
    once = blocks("encode", "dense", "sick") + blocks("search", "dense")
    assert done_again(seen["begun"], once) == [f"encode dense {int(died[1]) - 1}"]
    assert seen["once"] + seen["twice"] == PASSAGES
    assert 0 < seen["twice"] <= BLOCK, "of this block, what the service had encoded already"


def test_a_text_that_cannot_be_encoded_is_named_with_block_retriever_and_node(
    scenes: dict[str, Any],
) -> None:
    seen = scenes["encoders_on_nodes"]
    assert seen["error"].startswith(
        "retriever 'sick': block 8 of words (encode, sick), on the node"
    )
    assert "the passage 'p1500'" in seen["error"]
    assert "HTTP status 400" in seen["error"]
    assert seen["sick"] == PASSAGES, "the other blocks are encoded"
    assert seen["poisoned"] <= 6, "alone at last, and then not again"


def test_a_node_that_dies_while_it_searches_costs_what_it_was_at(scenes: dict[str, Any]) -> None:
    seen = scenes["a_node_killed_while_it_searches"]
    assert seen["ray"] == seen["processes"] == seen["local"], "rows and scores, to the last bit"
    (note,) = [note for note in seen["notes"] if "died" in note]
    died = re.search(r"127\.0\.0\.2 died during block (\d+) of words \(search, bm25\)", note)
    assert died
    once = blocks("encode", "bm25", "plain") + blocks("search", "bm25", "plain")
    assert done_again(seen["begun"], once) == [f"search bm25 {int(died[1]) - 1}"]


def test_ctrl_c_and_a_kill_end_all_workers_and_the_next_run_goes_on(scenes: dict[str, Any]) -> None:
    """Each of two workers had done four tasks and was at its fifth."""
    seen = scenes["drivers_stopped"]
    assert (seen["ctrl_c"]["code"], seen["killed"]["code"]) == (130, -9)
    said = seen["ctrl_c"]["error"].splitlines()[-2:]
    kept = "8 of 30 blocks are done and kept; run the same command again to continue"
    assert said == [f"note: {kept}", "ragscore: interrupted"]
    begun = {name: Counter(seen[name]["begun"]) for name in ("ctrl_c", "killed", "last")}
    for name, kind in (("ctrl_c", "encode"), ("killed", "search")):
        assert seen[name]["working"] == [2, 0], "before and after"
        assert sum(task.startswith(kind) for task in begun[name]) == 10
    once = blocks("encode", "bm25", "plain") + blocks("search", "bm25", "plain")
    again = done_again(begun["ctrl_c"] + begun["killed"] + begun["last"], once)
    assert sorted(task.partition(" ")[0] for task in again) == ["encode"] * 2 + ["search"] * 2
    assert {*again} <= {*begun["ctrl_c"], *begun["killed"]} & {*begun["killed"], *begun["last"]}
    assert seen["equal"]


def test_a_node_that_dies_while_it_reranks_costs_what_it_was_at(scenes: dict[str, Any]) -> None:
    seen = scenes["a_node_killed_while_it_reranks"]
    assert seen["runs"] == ["bm25", "better"]
    assert seen["equal"], "rows and scores, to the last bit"
    assert not seen["scored_here"], "this process finds all scores in the store"
    (note,) = [note for note in seen["notes"] if "died during" in note]
    died = re.search(r"127\.0\.0\.2 died during queries (\d+) to \d+ of words \(better\)", note)
    assert died
    once = Counter(f"rerank {first}" for first in range(0, 400, 64))
    assert done_again(seen["begun"], once) == [f"rerank {int(died[1]) - 1}"]
