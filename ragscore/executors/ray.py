"""A Ray cluster: its nodes share blocks of a corpus, pairs of a reranker, settings of a sweep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Literal

from pydantic import Field, field_validator

from ragscore.cache import Cache
from ragscore.errors import MissingPackageError, Problem
from ragscore.executors.base import ExecutorSpec, Workers
from ragscore.executors.ray_cluster import ActorSize, ray_workers
from ragscore.progress import Progress
from ragscore.validation.findings import carried

AUTO, OWN = "auto", "local"


class Ray(ExecutorSpec):
    """The nodes of a Ray cluster, with the same packages, which reach the store (extra `ray`)."""

    kind: Literal["ray"] = "ray"
    address: str = AUTO
    """The cluster: `auto` is the one that RAY_ADDRESS names or that this machine is a node of,
    `HOST:PORT` another one by its head node, and `local` one of this machine alone, which begins
    and ends with the run."""
    workers: int | None = Field(None, ge=1)
    """How many workers there are, at most; by default as many as the nodes have room for, also
    those that join later. A cluster that grows with what is asked of it needs a number."""
    num_cpus: float = Field(1, gt=0)
    """The processor cores of a worker."""
    num_gpus: float = Field(0, ge=0)
    """The GPUs of a worker that encodes or runs a cross-encoder: 1, or 0.5 where two share one."""

    @field_validator("address")
    @classmethod
    def _is_an_address(cls, address: str) -> str:
        if address in (AUTO, OWN) or re.fullmatch(r"[^\s/]+:\d{1,5}", address):
            return address
        if address.startswith("ray://"):
            what = "ray:// leads to a Ray client, which cannot see the nodes"
            instead = (
                "Run the command on a node of the cluster, or by `ray job submit`, with "
                f"address: {AUTO}"
            )
        else:
            what = f"'{address}' is not the address of a cluster"
            instead = f"Write {AUTO}, {OWN}, or HOST:PORT of its head node: 10.0.0.1:6379"
        raise carried(Problem(what, "", instead))

    @field_validator("num_cpus", "num_gpus")
    @classmethod
    def _whole_above_one(cls, count: float) -> float:
        if count > 1 and count != int(count):
            raise carried(Problem(f"{count:g} is not whole", "", "Parts are possible below 1 only"))
        return count

    def check(self) -> list[Problem]:
        """Whether Ray is installed here."""
        return [] if find_spec("ray") else [*missing_ray().problems]

    @contextmanager
    def open(self, cache: Cache | None, progress: Progress) -> Iterator[Workers]:
        """Workers on the nodes of the cluster, which have all been looked at.

        Raises:
            ConfigError: no cluster answers; the cache is not kept, or a node cannot reach it; or a
                node has other versions than this machine.
        """
        if not find_spec("ray"):
            raise missing_ray()
        size = ActorSize(self.workers, self.num_cpus, self.num_gpus)
        with ray_workers(self.address, size, cache, progress) as workers:
            yield workers


def missing_ray() -> MissingPackageError:
    """Ray is not installed."""
    return MissingPackageError("ray", "executor 'ray'", "ray")
