"""What runs on the nodes of a Ray cluster; nothing here imports Ray before it is there."""

from __future__ import annotations

from typing import Any

from ragscore.errors import RagscoreError
from ragscore.executors.base import Job, tried
from ragscore.executors.node_check import Node, describe_node, versions


class TaskActor:
    """A worker of a job: an actor, which keeps what it has opened until it ends."""

    def __init__(self, job: Job) -> None:
        self.error: str | None = None
        try:
            self.worker = job.open()
        except RagscoreError as error:  # which cannot travel
            self.error = str(error)

    def node(self) -> Node:
        """Where it is, and with what; also a sign that it is ready, or why it cannot begin."""
        return Node(node_address(), versions(), self.error)

    def do(self, task: str) -> tuple[Any, str | None]:
        """What doing a task returned, and why it failed or None."""
        answer = tried(self.worker, task)
        self.worker.rest()
        return answer


def look_at_node(place: str, key: str) -> Node:
    """What a node has, and whether it reaches the store at a place."""
    return describe_node(node_address(), place, key)


def node_address() -> str:
    """The address of the node that this runs on."""
    import ray

    return str(ray.util.get_node_ip_address())
