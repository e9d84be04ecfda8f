"""Who does the tasks of a run: this machine or a cluster. One file per kind, and their table."""

from __future__ import annotations

from typing import Annotated, Literal

from ragscore.errors import did_you_mean
from ragscore.executors.base import ExecutorSpec as ExecutorSpec
from ragscore.executors.base import Finished as Finished
from ragscore.executors.base import Job as Job
from ragscore.executors.base import TaskWorker as TaskWorker
from ragscore.executors.base import Workers as Workers
from ragscore.executors.base import tried as tried
from ragscore.executors.local import Local as Local
from ragscore.executors.ray import Ray as Ray
from ragscore.kinds import OneOf, spec_catalogue
from ragscore.plugins import Catalogue

EXECUTORS: Catalogue[type[ExecutorSpec]] = spec_catalogue(
    "ragscore.executors", "executor", ExecutorSpec, {"local": Local, "ray": Ray}
)
"""Kind to class: every executor there is."""


def _from_short(text: str) -> dict[str, str]:
    """``ray`` is ``{kind: ray}``."""
    if text in EXECUTORS.names():
        return {"kind": text}
    raise ValueError(f"unknown executor '{text}'. {did_you_mean(text, EXECUTORS.names())}")


Executor = Annotated[ExecutorSpec, OneOf(EXECUTORS, _from_short, Literal[tuple(EXECUTORS.own)])]
"""Any executor: its options with ``kind``, or the name alone."""
