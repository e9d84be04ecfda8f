"""Workers that are actors of a Ray cluster.

Ray starts them, notices those that die and says where there is room. What remains to be done here
is to hand out tasks one at a time, to have those of a dead worker done elsewhere, and to give up
where that does not help. There is no state besides the store: a driver that is killed takes its
actors with it, and the next one finds what they have made.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pickle import PicklingError
from typing import Any

from ragscore.cache import Cache
from ragscore.errors import ConfigError
from ragscore.executors.base import Finished, Job, Workers, check_shared
from ragscore.executors.node_check import check_nodes
from ragscore.executors.ray_actor import look_at_node
from ragscore.executors.ray_crew import Crew, short_reason
from ragscore.messages import _
from ragscore.progress import Progress

CHECK_SECONDS = 120.0
"""Seconds that nodes have to answer the first question; a node that loads Python from a slow
network folder needs some."""


@dataclass(frozen=True, slots=True)
class ActorSize:
    """How many workers there are, at most or None, and what each of them takes of its node."""

    workers: int | None
    num_cpus: float
    num_gpus: float

    def takes(self, gpu: bool) -> dict[str, float]:
        """What one takes of its node."""
        return {"num_cpus": self.num_cpus, "num_gpus": self.num_gpus if gpu else 0}

    def room(self, nodes: Sequence[dict[str, Any]], gpu: bool) -> int:
        """How many workers the nodes have room for, whatever else they do."""
        needed = {"CPU": self.num_cpus, "GPU": self.num_gpus if gpu else 0}
        return sum(
            min(
                int(node["Resources"].get(what, 0) / count + 1e-9)
                for what, count in needed.items()
                if count
            )
            for node in nodes
        )


@contextmanager
def ray_workers(
    address: str, size: ActorSize, cache: Cache | None, progress: Progress
) -> Iterator[Workers]:
    """Workers on a cluster, whose nodes are looked at first; see :class:`Ray`."""
    cache = check_shared(cache)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a cluster of our own tells nobody
    if address == "local":
        # Who asks it anything needs this token; else Ray puts one into the user's home.
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    import ray  # which reads these variables

    ours = not ray.is_initialized()
    if ours:
        _check_address(address)
        _connect(ray, address)
    workers = _RayWorkers(ray, size, progress)
    try:
        workers.look_at_nodes(cache)
        yield workers
    finally:
        workers.dismiss()
        if ours:
            ray.shutdown()


def _check_address(address: str) -> None:
    """Refuse an address where nothing answers: Ray tries for a long time."""
    if address == "auto":
        from ray._private.services import get_ray_address_from_environment

        with suppress(ConnectionError):  # there is none, which Ray says itself
            address = get_ray_address_from_environment(address, None)
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise ConfigError(
            f"no Ray cluster answers at {address}: {error}",
            where="executor.address",
            instead="Write the address that `ray start --head` printed, or address: local",
        ) from error


def _connect(ray: Any, address: str) -> None:
    options: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    # Ray prints what happens to nodes on stdout, which is for results; it is an error or a note.
    ray._private.worker._worker_logs_enabled = False
    try:
        ray.init(address=address, log_to_driver=False, logging_level="CRITICAL", **options)
    except Exception as error:  # of many kinds
        raise ConfigError(
            f"no Ray cluster can be reached at '{address}': {short_reason(error)}",
            where="executor.address",
            instead="Start one with `ray start --head`, with the Ray and Python of this machine, "
            "or write address: local",
        ) from error


class _RayWorkers(Workers):
    spreads = True

    def __init__(self, ray: Any, size: ActorSize, progress: Progress) -> None:
        self.ray, self.size, self.progress = ray, size, progress
        self.crew: Crew | None = None

    def nodes(self) -> list[dict[str, Any]]:
        """Those that are alive, as Ray describes them."""
        return [node for node in self.ray.nodes() if node["Alive"]]

    def look_at_nodes(self, cache: Cache) -> None:
        """Refuse nodes with other versions, and those that do not reach the store."""
        nodes = [node for node in self.nodes() if self.size.room([node], gpu=False)]
        if not self.room(gpu=True):
            size = self.size
            gpus = f" and {size.num_gpus:g} GPUs" if size.num_gpus else ""
            raise ConfigError(
                f"no node of the cluster has {size.num_cpus:g} processor cores{gpus} for a worker",
                where="executor",
                instead="Ask for less, or add such a node",
            )
        look = self.ray.remote(look_at_node)
        asked = {}
        for node in nodes:
            key = secrets.token_hex(32)
            only = self.ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
                node["NodeID"], soft=False
            )
            options = {"num_cpus": 0, "max_retries": 0, "scheduling_strategy": only}
            asked[look.options(**options).remote(cache.place, key)] = (node, key)
        if not asked:  # they join when there is work for them
            return
        ready, late = self.ray.wait([*asked], num_returns=len(asked), timeout=CHECK_SECONDS)
        looked = []
        for answer in ready:
            node, key = asked[answer]
            try:
                looked.append((self.ray.get(answer), key))
            except self.ray.exceptions.RayTaskError as error:
                raise self._unfit(node, short_reason(error)) from error
            except self.ray.exceptions.TaskUnschedulableError:
                self._leave_out(node, "it has left the cluster")
            except self.ray.exceptions.RayError as error:  # it dies now
                self._leave_out(node, short_reason(error))
        for answer in late:
            raise self._unfit(asked[answer][0], f"it did not answer in {CHECK_SECONDS:g} seconds")
        check_nodes(looked, cache)

    def _leave_out(self, node: dict[str, Any], why: str) -> None:
        address = node["NodeManagerAddress"]
        self.progress.note(
            _(
                "node {node} is left out because no worker can start on it: {why}",
                node=address,
                why=why,
            )
        )

    def _unfit(self, node: dict[str, Any], why: str) -> ConfigError:
        return ConfigError(
            f"no worker can start on it: {why}",
            where=f"executor, node {node['NodeManagerAddress']}",
            instead="Install ragscore on every node, with the same extras as here",
        )

    def count(self, tasks: int, batch: int = 1) -> int:
        return min(self.room(gpu=False), tasks)

    def room(self, gpu: bool) -> int:
        """How many workers there may be now."""
        return self.size.workers or self.size.room(self.nodes(), gpu)

    def run(
        self,
        job: Job,
        tasks: Sequence[str],
        finished: Callable[[Finished], None],
        *,
        batch: int = 1,
        gpu: bool = False,
    ) -> None:
        if not tasks:
            return
        takes = self.size.takes(gpu)
        if self.crew is None or self.crew.job is not job or self.crew.takes != takes:
            self.dismiss()
            try:
                self.crew = Crew(self.ray, takes, lambda: self.room(gpu), job, self.progress)
            except (TypeError, PicklingError) as error:  # an unimportable class, or a lock
                self.progress.note(
                    _(
                        "this process does everything itself because the work cannot be sent "
                        "to another: {why}",
                        why=short_reason(error),
                    )
                )
                return
        try:
            self.crew.work(tasks, finished)
        except BaseException:
            self.dismiss()
            raise

    def dismiss(self) -> None:
        """End the actors of the last job, whatever they are at."""
        if self.crew is not None:
            self.crew.dismiss()
            self.crew = None
