"""run_experiment and evaluate: load, check, search, score, record."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragscore.cache import Cache
from ragscore.dataset import Dataset
from ragscore.errors import ConfigError, DataError, DiskError, RagscoreError
from ragscore.experiment.chunked_datasets import chunked
from ragscore.experiment.config.load_experiment import load_experiment, resolved_yaml
from ragscore.experiment.consistency import ExperimentParts, check_parts
from ragscore.experiment.data_checks import (
    check_data,
    check_experiment_data,
    check_measures,
    dataset_of,
    in_its_file,
    with_counted_tokens,
)
from ragscore.experiment.earlier_runs import Retry
from ragscore.experiment.gating import judge_own_gate
from ragscore.experiment.journal import Journal
from ragscore.experiment.latency import Latency
from ragscore.experiment.manifests import (
    dataset_entry,
    evaluation_manifest,
    experiment_manifest,
)
from ragscore.experiment.model import Experiment
from ragscore.experiment.pooled_samples import pool_of
from ragscore.experiment.report_writing import check_report, with_report
from ragscore.experiment.run_notes import RunNotes, note_comparison, used_memory
from ragscore.experiment.scored_runs import Scored, search_and_score
from ragscore.experiment.spread_queries import SpreadQueries
from ragscore.experiment.tuning_runs import note_tuning
from ragscore.file_names import name_problem
from ragscore.formats import DatasetSpec
from ragscore.formats.datasets.dataset_loading import dataset_from
from ragscore.measures import DEFAULT_MEASURES, Measure, load_named, parse_measures
from ragscore.messages import _
from ragscore.progress import SILENT, Progress
from ragscore.results import Result
from ragscore.results.folder_writing import UNCHANGED, check_output, new_folder
from ragscore.results.manifest import DatasetEntry, Key, Manifest
from ragscore.results.memory_parts import MemoryParts
from ragscore.results.stages import WholeCorpus
from ragscore.retrievers.base import RetrieverSpec
from ragscore.scoring import ProfileName
from ragscore.scratch import sweep


def run_experiment(
    experiment: Experiment | str | Path | None = None,
    *,
    output: str | Path | None = None,
    overwrite: bool = False,
    only: Iterable[str] = (),
    retry_failed: str | Path | None = None,
    ask_anew: bool = False,
    cache: Cache | None = None,
    progress: Progress = SILENT,
) -> Result:
    r"""Run an experiment and write its result folder.

    Args:
        experiment: from :func:`load_experiment`, made in Python, or the path of a YAML file.
        output: the folder to write; by default a new one, ``results/NAME/YYYYMMDD-HHMMSS``.
        overwrite: replace a result at ``output``.
        only: names of retrievers to run; by default all. The ones they are built on run too.
        retry_failed: the folder of a result in place of ``experiment``: its experiment is run
            again, but only the queries that failed are asked, and retrievers that failed searched.
        ask_anew: do not go on from what systems answered in a run that ended early.
        cache: where vectors, indexes and runs are kept; by default in the experiment's store, and
            nowhere if it names none.
        progress: reports stages and notes.

    Returns:
        The result; where nothing failed in ``retry_failed`` that one, and at ``output``, if it is
        named, a copy. ``failures`` names the retrievers that failed, the others are scored. Its
        ``report`` is the page, unless the experiment wants none or a note says why there is none.

    Raises:
        ConfigError: a name in ``only`` is unknown, the output folder exists, or ``retry_failed`` is
            given together with ``experiment`` or ``only``.
        MissingPackageError: the report should have its charts as PNG, and a package is missing.
        DataError: a dataset cannot be loaded, or is not what ``retry_failed`` searched.
        DiskError: the result folder cannot be written, or the store not be used.

    >>> import tempfile
    >>> files = {
    ...     "faq/passages.jsonl": '{"id": "p1", "text": "Rent is due on the first."}',
    ...     "faq/queries.jsonl": '{"id": "q1", "text": "When is rent due?"}',
    ...     "faq/ground_truth.jsonl": '{"query_id": "q1", "passages": {"p1": 1}}',
    ...     "first.yaml": "dataset: faq\nretrievers: {bm25: {kind: bm25}}\nmeasures: [RR]\n"
    ...                   "report: false\n",
    ... }
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "faq").mkdir()
    ...     for name, text in files.items():
    ...         _ = Path(folder, name).write_text(text)
    ...     result = run_experiment(Path(folder, "first.yaml"), output=Path(folder, "result"))
    >>> result.to_dict()
    {'faq': {'bm25': {'RR': 1.0}}}
    """
    notes = RunNotes(progress)
    retry = None
    if retry_failed is not None:
        if experiment is not None or only:
            given = "an experiment" if experiment is not None else "`only`"
            what = f"{given} is given too, and the experiment is that of the result"
            raise ConfigError(what, where="retry_failed", instead="Leave one of them out")
        retry = Retry(retry_failed)
        if not retry.failed:
            return _copied(retry, str(retry_failed), output, notes, overwrite=overwrite)
        experiment, only = retry.experiment, retry.only
    if experiment is None:
        raise ConfigError(
            "no experiment is given",
            where="experiment",
            instead="Give the path of a YAML file, or a result as retry_failed",
        )
    if not isinstance(experiment, Experiment):
        experiment = load_experiment(experiment)
    if output is None:
        sweep(Path(experiment.output), depth=2)  # killed while it wrote a result, or its report
        output = new_folder(Path(experiment.output), experiment.name)
    folder = Path(output)
    check_output(folder, overwrite=overwrite)
    only = tuple(only)
    wanted = experiment.wanted(only)
    if experiment.report:
        check_report(experiment.report)
    experiment = experiment.only(wanted)
    if cache is None and experiment.store is not None:
        cache = Cache.usable(notes, experiment.store)
    configurations = None
    if experiment.sweep:
        from ragscore.experiment.sweep.configurations import expand

        configurations = expand(experiment.sweep, experiment.retrievers, notes)
        # They share what is kept in the cache; one of their own goes when this call ends.
        cache = cache or Cache()
    began = time.perf_counter()
    datasets, entries = list[Dataset](), list[DatasetEntry]()
    measures = parse_measures(experiment.measures)
    reached: dict[str, dict[str, WholeCorpus]] = {}
    with (
        experiment.executor.open(cache, notes) as workers,
        Journal(cache, anew=ask_anew) as journal,
    ):
        for place, spec in enumerate(experiment.datasets):
            started = time.perf_counter()
            pool = pool_of(experiment, place, cache, notes)
            dataset = dataset_of(experiment, place, notes, cache=cache, pooled=pool.ids)
            reached[dataset.name] = pool.reached(
                measures, experiment.profile, dataset.reachable_depth(experiment.depth)
            )
            dataset = with_counted_tokens(dataset, experiment.all_measures(), cache)
            with in_its_file(experiment):
                dataset = chunked(dataset, experiment.retrievers, wanted, cache, progress=notes)
            datasets.append(dataset)
            entries.append(dataset_entry(dataset, spec, time.perf_counter() - started))
        check_experiment_data(experiment, datasets, wanted)
        failed, spread = dict[Key, RagscoreError](), None
        if workers.spreads and cache is not None and retry is None:
            from ragscore.experiment.spread_blocks import fill_store

            spread = SpreadQueries(experiment, workers, cache, notes)
            failed = fill_store(experiment, wanted, datasets, cache, workers, notes)
        scored = search_and_score(
            datasets,
            experiment.retrievers,
            measures,
            depth=experiment.depth,
            wanted=wanted,
            latency=experiment.latency or None,
            cache=cache,
            strict=experiment.strict,
            profile=experiment.profile,
            bounds=experiment.bounds,
            notes=notes,
            journal=journal,
            retry=retry,
            failed=failed,
            spread=spread,
            reached=reached,
        )
        manifest = experiment_manifest(experiment, wanted if only else None, entries, scored)
        if retry is not None:
            manifest = manifest.model_copy(update={"retried": retry.recorded(scored.runs)})
        parts = _parts(manifest, datasets, scored, resolved_yaml(experiment))
        result = Result(parts).viewed(choices=bool(experiment.report))
        if experiment.compare:
            note_comparison(result, notes)
        if configurations is not None and cache is not None:
            from ragscore.experiment.sweep.sweeping import run_sweep

            parts.held_sweeps = run_sweep(
                experiment, configurations, datasets, scored.runs, cache, notes, journal, workers
            )
        if experiment.tune:
            note_tuning(result, parts, experiment.tune, notes)
        if experiment.gate:
            judge_own_gate(result, parts, experiment, experiment.gate, folder, notes)
        update: dict[str, object] = {"seconds": time.perf_counter() - began}
        if experiment.memory is not None:
            update["memory"] = used_memory(experiment.memory, notes)
        parts.manifest = manifest.model_copy(update={**update, "notes": tuple(notes.kept)})
        kept = UNCHANGED
        if cache is not None and cache.persistent and cache.failure is None:
            kept += f", and what was searched is in {cache.root}: the next run goes on from it"
        result = result.written(folder, overwrite=overwrite, progress=notes, kept=kept, cache=cache)
        journal.forget()
    if cache is not None and cache.store is not None:
        try:
            cache.store.put_left()
        except DiskError as error:
            progress.note(str(error))
    if experiment.report and result.runs:
        result = with_report(result, experiment.report, notes)
    return result


def _parts(
    manifest: Manifest, datasets: Iterable[Dataset], scored: Scored, text: str = ""
) -> MemoryParts:
    return MemoryParts(
        manifest,
        scored.scores,
        scored.runs,
        {
            dataset.name: replace(dataset, returned=scored.texts.get(dataset.name, {}))
            for dataset in datasets
        },
        errors=scored.failures,
        text=text,
    )


def _copied(
    retry: Retry, named: str, output: str | Path | None, notes: RunNotes, *, overwrite: bool
) -> Result:
    """A result in which nothing failed, and a copy of it where a folder is asked for."""
    if output is None or Path(output).resolve() == retry.folder.resolve():
        notes.note(
            _(
                "nothing failed in {folder}, so nothing is asked again and no new result "
                "is written",
                folder=named,
            )
        )
        return retry.result
    experiment = load_experiment(retry.experiment)
    if experiment.report:
        check_report(experiment.report)
    result = retry.result.save(output, overwrite=overwrite, progress=notes)
    if experiment.report and result.runs:
        result = with_report(result, experiment.report, notes)
    notes.note(
        _(
            "nothing failed in {folder}, so nothing is asked again; {copy} is a copy of it",
            folder=named,
            copy=str(output),
        )
    )
    return result


def evaluate(
    dataset: Dataset | str | Path | DatasetSpec | Mapping[str, Any],
    retrievers: Mapping[str, Any],
    measures: Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    depth: int = 100,
    cache: Cache | None = None,
    latency_queries: int = 0,
    latency_concurrency: Iterable[int] = (1,),
    strict: bool = False,
    profile: ProfileName = "trec",
    bounds: bool = False,
    progress: Progress = SILENT,
) -> Result:
    """Score retrievers on a dataset in one call; only the cache is written.
    ``result.save(folder)`` saves the result, and ``result.report()`` shows it.

    Args:
        dataset: a Dataset, or the path of one; or ``{"passages": ..., "queries": ...,
            "ground_truth": ...}``, the arguments of :meth:`Dataset.from_rows`.
        retrievers: by name: ``BM25()`` and the like; a function ``(query, k) -> ids or
            (id, score) pairs``, sync or async; or an object or class with
            ``retrieve(queries, k)`` and perhaps ``index(corpus)``; or a retriever of LangChain,
            LlamaIndex, Haystack or DSPy, alone or as a ``RetrieverObject``.
        measures: what to score.
        depth: how many passages to record per query.
        cache: where vectors, indexes and runs are kept, such as ``Cache.default()``.
        latency_queries: how many queries to time one at a time; 0 for none.
        latency_concurrency: how many clients ask at once, timed for each number; 1 among them.
        strict: a passage returned twice for a query is an error.
        profile: score as this tool does; see :func:`~ragscore.scoring.score`.
        bounds: also compute the lowest and highest value that each measure could have if the
            unjudged among the returned passages were judged.
        progress: reports stages and notes.

    Raises:
        ConfigError: a measure cannot be parsed, its cutoff is above the depth, a retriever reads
            more of another one than the depth, or latency cannot be timed so.
        DataError: the dataset cannot be loaded, or has no queries or passages.
        RetrieverError: a retriever failed and none is left to score.

    >>> from ragscore import BM25
    >>> faq = {
    ...     "passages": {"p1": "Rent is due on the first.", "p2": "Pets are welcome."},
    ...     "queries": {"q1": "When is rent due?"},
    ...     "ground_truth": {"q1": ["p1"]},
    ... }
    >>> result = evaluate(faq, {"bm25": BM25(), "mine": lambda query, k: ["p2", "p1"]}, ["RR"])
    >>> result.to_dict()
    {'dataset': {'bm25': {'RR': 1.0}, 'mine': {'RR': 0.5}}}
    """
    if not isinstance(retrievers, Mapping) or not retrievers:
        raise ConfigError(
            "retrievers are given as a mapping of name to retriever, with at least one",
            instead='Write {"bm25": BM25()}',
        )
    asked = parse_measures(load_named(measures))
    if depth < 1:
        raise ConfigError(f"the depth is {depth}", instead="It is a whole number of 1 or more")
    latency = None
    if latency_queries:
        latency = Latency(queries=latency_queries, concurrency=tuple(latency_concurrency))
    specs = {name: spec for name, spec in retrievers.items() if isinstance(spec, RetrieverSpec)}
    check_parts(ExperimentParts({}, tuple(retrievers), specs, dict(enumerate(asked)), depth))
    began = time.perf_counter()
    loaded = with_counted_tokens(dataset_from(dataset, progress), asked, cache)
    loaded = chunked(loaded, retrievers, cache=cache, progress=progress)
    if problem := name_problem(loaded.name):
        raise ConfigError(problem.what, where="the dataset's name", instead=problem.instead)
    described = dataset_entry(loaded, _spec_of(dataset), time.perf_counter() - began)
    for columns, what in ((loaded.queries, "queries"), (loaded.corpus, "passages")):
        if columns is not None and not len(columns):
            raise DataError(f"there are no {what}", where=f"dataset '{loaded.name}'")
    check_data([loaded], retrievers, retrievers)
    check_measures([loaded], [("measures", measure) for measure in asked])
    notes = RunNotes(progress)
    with Journal(cache) as journal:
        scored = search_and_score(
            [loaded],
            retrievers,
            asked,
            depth=depth,
            wanted=tuple(retrievers),
            latency=latency,
            cache=cache,
            strict=strict,
            profile=profile,
            bounds=bounds,
            notes=notes,
            journal=journal,
        )
        journal.forget()
    if scored.failures and not scored.runs:
        raise next(iter(scored.failures.values()))
    manifest = evaluation_manifest(retrievers, profile, described, scored)
    update = {"seconds": time.perf_counter() - began, "notes": tuple(notes.kept)}
    return Result(_parts(manifest.model_copy(update=update), [loaded], scored))


def _spec_of(given: object) -> DatasetSpec | None:
    """How a dataset was read; None if its rows were given in Python."""
    if isinstance(given, str | Path):
        given = DatasetSpec(path=str(given))
    return given.resolved(Path.cwd()) if isinstance(given, DatasetSpec) else None
