"""A process that searches and scores some configurations of a sweep for another one.

It reads what to do from its input, and writes a line for each configuration that is done; what
configurations score goes through the cache. Run by :mod:`ragscore.experiment.sweep_workers`.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ragscore.cache import Cache
from ragscore.dataset import Dataset, SharedQueries
from ragscore.experiment.search import as_failure
from ragscore.experiment.sweep_outcome import Scoring
from ragscore.experiment.sweep_search import SweepSearch
from ragscore.progress import SILENT
from ragscore.retrievers.base import RetrieverSpec


@dataclass(frozen=True, eq=False)
class Work:
    """What a process needs to know.

    Attributes:
        dataset, specs, depth, strict, scoring: as :class:`SweepSearch` takes them.
        root: the folder of the cache.
    """

    dataset: Dataset
    specs: dict[str, RetrieverSpec]
    depth: int
    strict: bool
    scoring: Scoring
    root: Path

    def search(self) -> SweepSearch:
        """The configurations, over queries that share what is computed of them."""
        from dataclasses import replace

        dataset = replace(self.dataset, queries=SharedQueries.of(self.dataset.queries))
        return SweepSearch(
            dataset,
            self.specs,
            self.depth,
            tuple(self.specs),
            None,
            Cache(self.root),
            self.strict,
            SILENT,
            self.scoring,
        )


def answer(reading: BinaryIO, writing: BinaryIO) -> None:
    """Do what is asked until the input ends: first the work, pickled by the process that began
    this one, then a line of labels at a time."""
    work: Work = pickle.load(reading)
    search = work.search()
    for line in reading:
        for label in json.loads(line):
            error: Any = None
            try:
                search.outcome(label)
            except Exception as raised:
                error = str(as_failure(label, raised))
            writing.write(json.dumps([label, error]).encode() + b"\n")
            writing.flush()
        search.forget()


def main() -> None:
    """Answer on the standard streams, which nothing else may write to."""
    writing = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    answer(sys.stdin.buffer, writing)
