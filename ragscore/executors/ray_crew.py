"""The actors of a Ray cluster that do the tasks of one job.

Each has one task at a time. Those of an actor that dies are done by another; there is no other
state than what is left to do.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragscore.errors import ConfigError, RagscoreError, message_of
from ragscore.executors.base import Finished, Job
from ragscore.executors.node_check import Node, check_versions
from ragscore.executors.ray_actor import TaskActor
from ragscore.messages import _
from ragscore.progress import Progress

MAX_DEATHS = 3
"""Workers that may die over a task; then it is named and left out."""
MAX_FAILED_STARTS = 3
"""Workers that may fail to start one after another, while none has done anything."""
HIRE_EVERY = 5.0
"""Seconds between two looks at the nodes: some may have joined."""
CROWDED = 30.0
"""Seconds without any worker after which a note says that the cluster has no room."""
DESERTED = 120.0
"""Seconds without a node after which the run ends."""


class Crew:
    """The actors of one job, which stay for further tasks of it.

    Args:
        ray: the package, connected.
        takes: what each actor takes of its node: ``num_cpus`` and ``num_gpus``.
        room: how many actors there may be now.
        job: what is to be done.
        progress: reports actors that die.
    """

    def __init__(
        self,
        ray: Any,
        takes: Mapping[str, float],
        room: Callable[[], int],
        job: Job,
        progress: Progress,
    ) -> None:
        self.job, self.takes = job, takes
        self._ray, self._room, self._progress = ray, room, progress
        self._sent = ray.put(job)
        self._actor_class = ray.remote(TaskActor).options(
            **takes, max_restarts=0, scheduling_strategy="SPREAD"
        )
        self._left = deque[str]()
        self._finished: Callable[[Finished], None] = lambda done: None
        self._starting: dict[Any, Any] = {}
        """What will say that an actor is ready, to the actor."""
        self._running: dict[Any, tuple[Any, str]] = {}
        """What will be the answer, to the actor and its task."""
        self._node: dict[Any, str] = {}
        """Each actor that is ready, to the address of its node."""
        self._deaths: dict[str, list[str]] = {}
        """The nodes on which a worker died, by the task that it was at."""
        self._failed_starts = 0
        self._hired_at = self._last_seen = time.monotonic()
        self._crowded = False

    def work(self, tasks: Sequence[str], finished: Callable[[Finished], None]) -> None:
        """Have tasks done."""
        self._left, self._finished, self._deaths = deque(tasks), finished, {}
        self._last_seen = time.monotonic()
        self._hire()
        self._hand_out_to_idle()
        while self._left or self._running:
            for answer in self._ready():
                if answer in self._starting:
                    self._begin(answer)
                else:
                    self._finish(answer)
            if time.monotonic() - self._hired_at > HIRE_EVERY:
                self._hire()
            self._watch()

    def _ready(self) -> list[Any]:
        """What has come back, after a second at most."""
        waiting = [*self._starting, *self._running]
        if not waiting:
            time.sleep(1.0)
            return []
        ready, _ = self._ray.wait(waiting, num_returns=1, timeout=1.0)
        return list(ready)

    def dismiss(self) -> None:
        """End all actors, whatever they are at."""
        actors = [*self._starting.values(), *self._node]
        for actor in actors:
            self._ray.kill(actor, no_restart=True)

    def _hire(self) -> None:
        """Start as many actors as there is room and work for."""
        self._hired_at = time.monotonic()
        wanted = min(self._room(), len(self._left) + len(self._running))
        for _number in range(wanted - len(self._starting) - len(self._node)):
            actor = self._actor_class.remote(self._sent)
            self._starting[actor.node.remote()] = actor

    def _begin(self, answer: Any) -> None:
        actor = self._starting.pop(answer)
        try:
            node: Node = self._ray.get(answer)
        except self._ray.exceptions.RayError as error:
            self._failed_starts += 1
            if self._failed_starts >= MAX_FAILED_STARTS:
                raise RagscoreError(
                    f"workers cannot start on the cluster: {short_reason(error)}",
                    where="executor",
                    instead="Look into the logs of its nodes; what is done so far is kept",
                ) from error
        else:
            check_versions(node)  # it may have joined since the others were looked at
            if node.error is not None:
                raise ConfigError(
                    f"its workers cannot start: {node.error}",
                    where=f"executor, node {node.address}",
                    instead="Every node needs the files of the experiment at the same path",
                )
            self._node[actor] = node.address
            self._hand_out(actor)

    def _hand_out(self, actor: Any) -> None:
        """Give an actor the first task that no worker has died over on its node, unless one has on
        every node."""
        node, nodes = self._node[actor], set(self._node.values())
        for place, task in enumerate(self._left):
            deadly = nodes.intersection(self._deaths.get(task, ()))
            if node not in deadly or deadly == nodes:
                del self._left[place]
                self._running[actor.do.remote(task)] = (actor, task)
                return

    def _hand_out_to_idle(self) -> None:
        busy = {actor for actor, _ in self._running.values()}
        for actor in [actor for actor in self._node if actor not in busy]:
            self._hand_out(actor)

    def _finish(self, answer: Any) -> None:
        actor, task = self._running.pop(answer)
        try:
            value, error = self._ray.get(answer)
        except self._ray.exceptions.RayTaskError as failure:  # what it returned cannot travel
            value, error = None, short_reason(failure)
        except self._ray.exceptions.RayError as failure:
            self._bury(actor, task, failure)
            return
        self._failed_starts = 0
        self._finished(Finished(task, value, error, self._node[actor]))
        self._hand_out(actor)

    def _bury(self, actor: Any, task: str, failure: Exception) -> None:
        """Have the task of a worker that died done by another."""
        node = self._node.pop(actor)
        self._ray.kill(actor, no_restart=True)  # it may only be out of reach
        self._deaths.setdefault(task, []).append(node)
        if len(self._deaths[task]) < MAX_DEATHS:
            self._progress.note(
                _(
                    "worker on {node} died during {task}; retrying on another worker",
                    node=node,
                    task=self.job.label(task),
                )
            )
            self._left.appendleft(task)
        else:
            nodes = ", ".join(f"{node} ({n})" for node, n in Counter(self._deaths[task]).items())
            error = f"{MAX_DEATHS} workers died over it, on {nodes}: {short_reason(failure)}"
            self._finished(Finished(task, None, error, node))
        self._hire()
        self._hand_out_to_idle()

    def _watch(self) -> None:
        """Tell the user where nobody works, and give up where nobody can."""
        if self._node:
            self._last_seen, self._crowded = time.monotonic(), False
            return
        waited = time.monotonic() - self._last_seen
        if waited > DESERTED and not self._room():
            raise RagscoreError(
                "the cluster has no node any more on which a worker has room",
                where="executor",
                instead="Add nodes and run the same command again: it continues from what is done",
            )
        if waited > CROWDED and not self._crowded:
            self._crowded = True
            self._progress.note(_("the cluster has no room for a worker yet; the run is waiting"))


def short_reason(error: BaseException) -> str:
    """The last line that says something; Ray puts what it was doing in front."""
    lines = [" ".join(line.split()) for line in message_of(error).splitlines()]
    said = [line for line in lines if line] or [type(error).__name__]
    return said[-1] if len(said[-1]) <= 300 else f"{said[-1][:300]}..."
