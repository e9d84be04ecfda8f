"""How search latency is sampled."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from ragscore.results.stages import MAX_LEVELS
from ragscore.spec import Spec
from ragscore.validation.findings import contradiction

MAX_CLIENTS = 256
"""Threads of one process that may ask at once."""


class Latency(Spec):
    """How search latency is sampled: apart from the recorded search, each query on its own.

    >>> Latency(queries=500, concurrency=[1, 4]).concurrency
    (1, 4)
    """

    queries: int = Field(50, ge=1, le=100_000)
    """How many queries are timed, spread evenly over the dataset's."""
    concurrency: tuple[Annotated[int, Field(ge=1, le=MAX_CLIENTS)], ...] = Field(
        (1,), min_length=1, max_length=MAX_LEVELS
    )
    """How many clients ask at once, each of them one query at a time; each number is timed on its
    own, 1 always among them."""

    @model_validator(mode="after")
    def _can_be_timed(self) -> Self:
        listed = ", ".join(map(str, self.concurrency))
        if len(set(self.concurrency)) < len(self.concurrency):
            what = f"[{listed}] names a number of clients twice"
            raise contradiction("concurrency", what, "Name each once")
        if 1 not in self.concurrency:
            what = f"[{listed}] lacks 1: the tables show what a query takes alone"
            raise contradiction("concurrency", what, f"Write [1, {listed}]")
        if max(self.concurrency) > self.queries:
            most = max(self.concurrency)
            what = f"{most} clients would share {self.queries} queries"
            instead = f"Raise queries to {most} or more: ten for each client say something"
            raise contradiction("concurrency", what, instead)
        return self
