"""What a run does on a cluster of two nodes: a program that prints a line of JSON for each scene.

It runs in a network of its own, and is given an empty folder.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from pathlib import Path

from tests.executors import block_scenes, task_scenes
from tests.factories.ray_nodes import Nodes, raise_loopback

SCENES = (
    task_scenes.tasks_that_fail,
    task_scenes.workers_with_a_gpu,
    task_scenes.a_sweep,
    task_scenes.parts_of_a_run,
    block_scenes.drivers_stopped,
    block_scenes.a_node_killed_while_it_searches,
    block_scenes.a_node_killed_while_it_reranks,
    block_scenes.encoders_on_nodes,
)


def main(folder: Path) -> None:
    """Play all scenes, or those that are named, each in a folder of its own."""
    raise_loopback()
    chosen = sys.argv[2:]
    namespaces = [str(Path("/proc/self/ns", name).readlink()) for name in ("net", "pid")]
    network = {"interfaces": [name for _, name in socket.if_nameindex()], "namespaces": namespaces}
    print(json.dumps({"scene": "network", **network}), flush=True)
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
