"""plan: what an experiment would do, and what of it the cache has already; nothing is run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from ragscore.blocks import Block, as_text
from ragscore.cache import Cache
from ragscore.described import in_short
from ragscore.experiment.chunked_datasets import planned_chunks
from ragscore.experiment.config.load_experiment import load_experiment
from ragscore.experiment.data_checks import check_experiment_data, dataset_of, in_its_file
from ragscore.experiment.model import Experiment
from ragscore.experiment.plan_blocks import plan_blocks
from ragscore.experiment.planned_dataset import PlannedDataset, PlannedRetriever
from ragscore.experiment.sweep.configurations import expand
from ragscore.progress import SILENT, Progress
from ragscore.records import Record
from ragscore.retrievers.graph import with_inputs
from ragscore.strings import Language


@dataclass(frozen=True)
class Plan(Record):
    """What ``ragscore run --dry-run`` prints; ``str`` is the same."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    experiment: str
    """Name of the experiment."""
    cache: str | None
    """The folder of the cache; null where nothing is kept."""
    retrievers: tuple[PlannedRetriever, ...]
    """By dataset: the retrievers as they are written, then those that are swept."""

    def __repr__(self) -> str:
        runs = sum(row.runs for row in self.retrievers)
        kept = sum(row.kept for row in self.retrievers)
        return f"Plan({in_short(self.experiment)}: {runs:,} runs, {kept:,} in the cache)"

    def __str__(self) -> str:
        return as_text(self.blocks())

    def blocks(self, language: Language = "en") -> list[Block]:
        """What ``ragscore run --dry-run`` prints."""
        return list(plan_blocks(self.retrievers, self.cache, language))


def plan(
    experiment: Experiment | str | Path,
    *,
    only: Iterable[str] = (),
    cache: Cache | None = None,
    progress: Progress = SILENT,
) -> Plan:
    """What :func:`run_experiment` would do, and what of it is in the cache already.

    The datasets are read; nothing is searched, and nothing is written. Where no earlier run says
    how long a retriever without a model takes, it searches some passages, and forgets them again.

    Args:
        experiment, only, cache: as :func:`run_experiment` takes them.
        progress: is notified while datasets are read.

    Raises:
        ConfigError: a name in ``only`` is unknown, or what is written does not fit the data.
        DataError: a dataset cannot be loaded.

    >>> import tempfile
    >>> files = {
    ...     "passages.jsonl": '{"id": "p1", "text": "Rent is due on the first."}',
    ...     "queries.jsonl": '{"id": "q1", "text": "When is rent due?"}',
    ...     "ground_truth.jsonl": '{"query_id": "q1", "passages": {"p1": 1}}',
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in files.items():
    ...         _ = Path(folder, name).write_text(text)
    ...     swept = Experiment(
    ...         dataset=folder,
    ...         retrievers={"bm25": {"kind": "bm25"}},
    ...         sweep={"bm25": {"k1": [0.9, 1.2, 1.5]}},
    ...     )
    ...     found = plan(swept)
    >>> [(row.retriever, row.runs, row.kept, row.made) for row in found.retrievers]
    [('bm25', 1, 0, ('tokens',)), ('bm25', 3, 0, ())]
    """
    if not isinstance(experiment, Experiment):
        experiment = load_experiment(experiment)
    wanted = experiment.wanted(only)
    experiment = experiment.reduced(with_inputs(experiment.retrievers, wanted))
    sweep, retrievers = experiment.sweep, experiment.retrievers
    configurations = expand(sweep, retrievers, progress) if sweep else None
    rows: list[PlannedRetriever] = []
    for place in range(len(experiment.datasets)):
        loaded = dataset_of(experiment, place, progress)
        with in_its_file(experiment):
            chunks = planned_chunks(loaded, retrievers, wanted, cache)
        uncut = chunks.uncut(retrievers)
        known = [name for name in wanted if name not in uncut]
        check_experiment_data(experiment, [chunks.dataset], known)
        rows += PlannedDataset(experiment, configurations, chunks, cache, wanted).rows()
    root = str(cache.root) if cache is not None and cache.persistent else None
    return Plan(experiment=experiment.name, cache=root, retrievers=tuple(rows))
