"""plan: what an experiment would do, and what of it the cache has already; nothing is run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from ragscore.cache import Cache
from ragscore.dataset import SampledCorpus
from ragscore.described import in_short
from ragscore.elements import Element, Lines
from ragscore.elements.numbers import count_text
from ragscore.elements.show import Shown
from ragscore.experiment.block_tasks import BlockTasks
from ragscore.experiment.chunked_datasets import PlannedChunks, planned_chunks
from ragscore.experiment.config.load_experiment import load_experiment
from ragscore.experiment.data_checks import check_experiment_data, dataset_of, in_its_file
from ragscore.experiment.model import Experiment
from ragscore.experiment.plan_elements import plan_elements
from ragscore.experiment.planned_blocks import PlannedBlocks, PlannedCorpus
from ragscore.experiment.planned_dataset import PlannedDataset
from ragscore.experiment.planned_retriever import PlannedRetriever
from ragscore.experiment.pooled_samples import pool_of, pool_search
from ragscore.experiment.run_notes import RunNotes
from ragscore.experiment.search import Search
from ragscore.experiment.sweep.configurations import expand
from ragscore.formats.datasets.block_reader import BlockReader
from ragscore.messages import Message, Text, _, few_names
from ragscore.progress import SILENT, Progress
from ragscore.records import Record
from ragscore.scoring.many_queries import planned_queries_note


@dataclass(frozen=True)
class Plan(Record, Shown):
    """What ``ragscore run --dry-run`` prints; ``str`` is the same."""

    schema_version: Annotated[Literal[1], Field(serialization_alias="schema")] = field(
        default=1, init=False
    )
    """Version of this format."""
    experiment: str
    """Name of the experiment."""
    cache: str | None
    """The folder of the cache; null if nothing is kept."""
    free_bytes: int | None
    """How many bytes are free there; null if nothing is kept."""
    retrievers: tuple[PlannedRetriever, ...]
    """By dataset: the retrievers as they are written, then those that are swept."""
    corpora: tuple[PlannedCorpus, ...] = ()
    """Corpora that are read in blocks."""
    samples: Mapping[str, SampledCorpus] = field(default_factory=dict)
    """By dataset of which a sample is searched: what it holds."""
    notes: tuple[Text, ...] = ()
    """What is not known before something is searched, and whether fewer queries would do."""

    def __repr__(self) -> str:
        runs = sum(row.runs for row in self.retrievers)
        kept = sum(row.kept for row in self.retrievers)
        return f"Plan({in_short(self.experiment)}: {runs:,} runs, {kept:,} in the cache)"

    def elements(self) -> list[Element]:
        """What ``ragscore run --dry-run`` prints."""
        blocks = list(
            plan_elements(self.retrievers, self.corpora, self.samples, self.cache, self.free_bytes)
        )
        if self.notes:
            lines = (_("note: {note}", note=note) for note in self.notes)
            blocks.append(Lines(tuple(lines)))
        return blocks


def plan(
    experiment: Experiment | str | Path,
    *,
    only: Iterable[str] = (),
    cache: Cache | None = None,
    progress: Progress = SILENT,
) -> Plan:
    """What :func:`run_experiment` would do, and what of it is in the cache already.

    The datasets are read, but of those that are read in blocks the queries and the first block
    alone; nothing is searched, and nothing is written but counts: how many passages files have, and
    in how many passages of a corpus in blocks the queries' terms are. Where no
    earlier run says how long a retriever without a model takes, it searches some passages, and
    forgets them again.

    Args:
        experiment, only, cache: as :func:`run_experiment` takes them.
        progress: shows datasets are read.

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
    if cache is None and experiment.store is not None:
        cache = Cache.at(experiment.store)
    wanted = experiment.wanted(only)
    experiment = experiment.only(wanted)
    sweep, retrievers = experiment.sweep, experiment.retrievers
    configurations = expand(sweep, retrievers, progress) if sweep else None
    rows: list[PlannedRetriever] = []
    corpora: list[PlannedCorpus] = []
    samples: dict[str, SampledCorpus] = {}
    notes: list[Message] = []
    in_blocks, kept_in = experiment.memory is not None, cache or Cache()
    tasks: BlockTasks | None = None
    for place, spec in enumerate(experiment.datasets):
        reader = BlockReader(spec, kept_in, in_blocks=in_blocks, progress=progress)
        if reader.blocked:
            tasks = tasks or BlockTasks(experiment, kept_in, only=wanted, progress=progress)
            dataset = tasks.datasets[spec.label]
            planned = PlannedBlocks(dataset, experiment, place, configurations, wanted, kept_in)
            corpora.append(planned.corpus())
            rows += planned.rows()
            notes += _queries_notes(spec.label, planned.queries)
            continue
        pool = pool_search(experiment, place, cache, progress)
        pooled: Sequence[str] = ()
        if pool is not None:
            rows += _pool_rows(experiment, pool, cache)
            if all(map(pool.is_kept, pool.wanted)):
                pooled = pool_of(experiment, place, cache, RunNotes(SILENT)).ids
            else:
                count = count_text(len(pool.corpus))
                note = _(
                    "the pool is unknown until {names} searched the whole corpus of {count} "
                    "passages: the sample will be larger than planned here",
                    names=few_names(pool.wanted),
                    count=count,
                )
                notes.append(_("{dataset}: {note}", dataset=pool.dataset.name, note=note))
        loaded = dataset_of(experiment, place, progress, cache=cache, pooled=pooled)
        if loaded.sample is not None:
            samples[loaded.name] = loaded.sample
        with in_its_file(experiment):
            chunks = planned_chunks(loaded, retrievers, wanted, cache)
        uncut = chunks.uncut(retrievers)
        known = [name for name in wanted if name not in uncut]
        check_experiment_data(experiment, [chunks.dataset], known)
        rows += PlannedDataset(experiment, configurations, chunks, cache, wanted).rows()
        notes += _queries_notes(loaded.name, len(loaded.queries))
    lasting = cache if cache is not None and cache.persistent else None
    return Plan(
        experiment=experiment.name,
        cache=None if lasting is None else str(lasting.root),
        free_bytes=None if lasting is None else lasting.free_bytes,
        retrievers=tuple(rows),
        corpora=tuple(corpora),
        samples=samples,
        notes=tuple(notes),
    )


def _queries_notes(dataset: str, queries: int) -> list[Message]:
    """That fewer queries would do, where there are very many."""
    note = planned_queries_note(queries)
    return [] if note is None else [_("{dataset}: {note}", dataset=dataset, note=note)]


def _pool_rows(
    experiment: Experiment, pool: Search, cache: Cache | None
) -> Iterator[PlannedRetriever]:
    """What the pool of a sample takes: its retrievers over the whole corpus, as deep as they go
    there, and without anything that is done of the sample alone."""
    name = _("{dataset} (whole corpus)", dataset=pool.dataset.name)
    whole = PlannedChunks(pool.dataset)
    deep = experiment.model_copy(update={"depth": pool.depth, "latency": False, "sweep": False})
    for row in PlannedDataset(deep, None, whole, cache, pool.wanted).rows():
        if row.retriever in pool.order:
            yield replace(row, dataset=name)
