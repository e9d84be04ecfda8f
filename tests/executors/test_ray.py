"""A Ray cluster does what one machine does, and what befalls its nodes costs only what they were
at. Two nodes on one machine, in a network that nothing outside reaches."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.factories.ray_nodes import private

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not find_spec("ray"), reason="ray is not installed: pip install ray"),
]


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory, root: Path) -> dict[str, Any]:
    """What was seen in each scene of one program."""
    folder = tmp_path_factory.mktemp("scenes")
    command = private([sys.executable, "-m", "tests.executors.on_two_nodes", str(folder)])
    paths = os.pathsep.join([str(root), *filter(None, sys.path)])
    ended = subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": paths, "RAGSCORE_CACHE": str(folder / "cache")},
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    # Nothing but scenes is on stdout: what Ray says of dead nodes is not.
    return {scene["scene"]: scene for scene in map(json.loads, ended.stdout.splitlines())}


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
    why = r"its workers cannot begin: /data/corpus: there is no such folder"
    assert re.match(rf"executor, node 127\.0\.0\.\d: {why}", seen["unready"])
    assert "3 workers died over it, on 127.0.0." in seen["errors"]["deadly"]
    assert len([note for note in seen["notes"] if "died over the task deadly" in note]) == 2
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


def test_a_node_that_dies_while_it_encodes_costs_what_it_was_at(scenes: dict[str, Any]) -> None:
    seen = scenes["encoders_on_nodes"]
    assert seen["runs"] == ["dense"]
    assert seen["equal"], "rows and scores, to the last bit"
    (note,) = [note for note in seen["notes"] if "died over" in note]
    assert re.search(r"127\.0\.0\.2 died over block \d+ of words \(encode, dense\)", note)
    assert seen["once"] + seen["again"] == 3000
    assert 0 < seen["again"] <= 250, "of one block, what the service had encoded already"


def test_a_text_that_cannot_be_encoded_is_named_with_block_retriever_and_node(
    scenes: dict[str, Any],
) -> None:
    seen = scenes["encoders_on_nodes"]
    assert seen["error"].startswith(
        "retriever 'sick': block 7 of words (encode, sick), on the node"
    )
    assert "the passage 'p1500'" in seen["error"]
    assert "HTTP status 400" in seen["error"]
    assert seen["sick"] == 3000, "the other blocks are encoded"
    assert seen["poisoned"] <= 6, "alone at last, and then not again"


def test_a_node_that_dies_while_it_searches_changes_no_result(scenes: dict[str, Any]) -> None:
    seen = scenes["a_node_killed_while_it_searches"]
    assert seen["ray"] == seen["processes"] == seen["local"], "rows and scores, to the last bit"
    (note,) = [note for note in seen["notes"] if "died" in note]
    assert re.search(r"died over block \d+ of words \(search, \w+\), which another", note)
    spread = [total for label, total in seen["stages"] if label == "searching blocks"]
    assert spread == [2 * 15], "of two retrievers"


def test_ctrl_c_and_a_kill_end_all_workers_and_the_next_run_goes_on(scenes: dict[str, Any]) -> None:
    seen = scenes["drivers_stopped"]
    assert (seen["ctrl_c"]["code"], seen["killed"]["code"]) == (130, -9)
    assert seen["ctrl_c"]["error"].splitlines()[-1] == "ragscore: interrupted"
    for name in ("ctrl_c", "killed"):
        assert seen[name]["working"] == 0
        assert seen[name]["made"] >= 8
    made = seen["ctrl_c"]["made"] + seen["killed"]["made"]
    assert seen["found"] >= made - 4, "each of two workers was at a block, twice"
    assert seen["equal"]
