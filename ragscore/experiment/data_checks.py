"""What can only be said once the data is there, and before anything is built or searched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypedDict, Unpack

import numpy as np

from ragscore.cache import Cache
from ragscore.dataset import Chunkings, Chunks, Corpus, Dataset, Documents, Qrels
from ragscore.dataset.labels import labels
from ragscore.errors import ConfigError, MeasureError, Problem
from ragscore.experiment.chunked_datasets import chunk_problems, chunkers_of
from ragscore.experiment.config.load_experiment import in_file
from ragscore.experiment.memory import memory_problems
from ragscore.experiment.model import Experiment
from ragscore.formats import DatasetSpec, load_dataset
from ragscore.measures import Measure, parse_measure
from ragscore.measures.covered_characters import no_evidence
from ragscore.measures.leaks import nothing_forbidden
from ragscore.progress import SILENT, Progress
from ragscore.results.selectivity import with_selectivity
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.corpus_retriever import CorpusRetriever
from ragscore.retrievers.graph import with_inputs
from ragscore.tokens import with_tokens
from ragscore.validation.findings import show_path


def check_data(
    datasets: Iterable[Dataset], retrievers: Mapping[str, Any], wanted: Iterable[str]
) -> None:
    """Refuse what retrievers find wrong with the data.

    Args:
        datasets: what is to be searched.
        retrievers: specs, or Python functions, objects and classes, by name.
        wanted: names of those that are to run; what they are built on runs too.

    Raises:
        ConfigError: documents cannot be cut as the retrievers ask; metadata that a filter or a
            collapse needs is not there, or cannot be compared; or a collapse leaves nothing that
            was judged relevant.
    """
    specs = {name: spec for name, spec in retrievers.items() if isinstance(spec, RetrieverSpec)}
    datasets, wanted = list(datasets), tuple(wanted)
    needed, chunkers = with_inputs(specs, wanted), chunkers_of(retrievers)
    problems = [
        problem for dataset in datasets for problem in chunk_problems(dataset, retrievers, wanted)
    ]
    problems += [
        replace(
            problem,
            where=f"{show_path(('retrievers', name))}.{problem.where}, {dataset.name}",
        )
        for dataset in datasets
        for name, spec in needed.items()
        if dataset.corpus is not None or not spec.needs_corpus
        for part in [dataset.part(chunkers[name])]
        for corpus in [part.corpus or Corpus.of_ids(part.qrels.vocabulary)]
        for problem in spec.check_data(corpus, dataset.queries)
        or _judged_in_vain(spec, corpus, part.qrels)
    ]
    problems += [
        replace(problem, where=f"{show_path(('retrievers', name))}.{problem.where}, {dataset.name}")
        for dataset in datasets
        if dataset.corpus is None and dataset.documents is not None
        for corpus in [_as_passages(dataset.documents)]
        for name, spec in needed.items()
        if isinstance(spec, CorpusRetriever) and spec.chunk is not None
        # Parents would be chunks, which are not known yet.
        for problem in spec.changed(collapse=None).check_data(corpus, dataset.queries)
    ]
    if problems:
        raise ConfigError(problems)


@contextmanager
def in_its_file(experiment: Experiment) -> Iterator[None]:
    """Options that are wrong are named at their places in the experiment's file.

    Raises:
        ConfigError: one was raised inside.
    """
    try:
        yield
    except ConfigError as error:
        raise ConfigError(in_file(experiment, error.problems)) from None


def with_counted_tokens(
    dataset: Dataset, measures: Iterable[Measure], cache: Cache | None
) -> Dataset:
    """The dataset, which knows where the tokens begin that measures count."""
    return with_tokens(
        dataset, filter(None, (measure.counts_tokens_of for measure in measures)), cache
    )


def _as_passages(documents: Documents) -> Corpus:
    """Each document as one passage: however it is cut, its chunks have the same metadata."""
    columns = (np.arange(len(documents)), np.zeros(len(documents), np.int64), documents.lengths)
    return Chunkings.of(documents, {"document": Chunks.of(*columns)}).corpus


def _judged_in_vain(spec: RetrieverSpec, corpus: Corpus, qrels: Qrels) -> list[Problem]:
    """That no relevant passage can be returned, whatever the query is: every score would be 0."""
    returnable = spec.returnable(corpus)
    relevant = np.unique(qrels.rows[qrels.grades > 0])
    if returnable is None or not len(relevant):
        return []
    named = returnable if qrels.units is None else qrels.units.of[returnable]
    if np.isin(relevant, named).any():
        return []
    first = qrels.passages[int(relevant[0])]
    if qrels.units is not None:
        what = f"it returns parents, and none is of a unit judged relevant, such as '{first}'"
        return [Problem(what, "collapse", "Give the parents the unit's field, or leave it out")]
    none = (
        f"none of the {len(relevant):,} passages judged relevant is one, such as '{first}'"
        if len(relevant) > 1
        else f"the only passage judged relevant is not one: '{first}'"
    )
    what = f"it returns parents, and {none}"
    return [Problem(what, "collapse", "Judge the parents, or leave collapse out")]


def dataset_of(
    experiment: Experiment,
    place: int,
    progress: Progress = SILENT,
    *,
    cache: Cache | None = None,
    pooled: Iterable[str] = (),
) -> Dataset:
    """One of the datasets of an experiment, read; in blocks where it says how much memory there is.

    Args:
        place: in the experiment's list.
        progress: reports the bytes read, for large files.
        cache: where the passages are kept, where they are read in blocks.
        pooled: ids of the passages that the pool of a sampled corpus keeps.

    Raises:
        DataError: its files have problems.
        ConfigError: a rule of what is forbidden does not fit its metadata; it names the place in
            the experiment's file.
    """
    spec, in_blocks = experiment.datasets[place], experiment.memory is not None
    options: _LoadOptions = {"cache": cache, "in_blocks": in_blocks, "pooled": pooled}
    return read_spec(experiment, place, spec, progress, **options)


class _LoadOptions(TypedDict, total=False):
    cache: Cache | None
    in_blocks: bool
    pooled: Iterable[str] | None


def read_spec(
    experiment: Experiment,
    place: int,
    spec: DatasetSpec,
    progress: Progress = SILENT,
    **options: Unpack[_LoadOptions],
) -> Dataset:
    """A dataset of an experiment, read as :func:`~ragscore.load_dataset` does.

    Args:
        experiment: in whose file problems are named.
        place: of the dataset in the experiment's list.
        spec: how it is read, which need not be what the experiment says.
        progress: reports the bytes read, for large files.
        options: see :func:`~ragscore.load_dataset`.

    Raises:
        DataError, ConfigError: as :func:`dataset_of`.
    """
    try:
        return load_dataset(spec, progress=progress, **options)
    except ConfigError as error:
        within = show_path(("datasets", place))
        placed = [replace(each, where=f"{within}.{each.where}") for each in error.problems]
        raise ConfigError(in_file(experiment, placed)) from None


def check_measures(datasets: Iterable[Dataset], asked: Iterable[tuple[str, str | Measure]]) -> None:
    """Refuse measures that are not defined on a dataset.

    Args:
        asked: where each measure is named, and the measure.

    Raises:
        MeasureError: one needs forbidden passages, or evidence in documents, and a dataset has
            none; or passages share needs in a way that one knows nothing of.
    """
    parsed = [(where, parse_measure(str(measure))) for where, measure in asked]
    problems = [
        replace(problem, where=f"{where}, {dataset.name}")
        for dataset in datasets
        for where, measure in parsed
        for lacking in _lacking(dataset, measure)
        for problem in lacking.problems
    ]
    if problems:
        raise MeasureError(problems)


def _lacking(dataset: Dataset, measure: Measure) -> Iterator[MeasureError]:
    if measure.reads_forbidden and dataset.qrels.forbidden is None:
        yield nothing_forbidden(measure)
    if measure.needs_spans and dataset.evidence is None:
        yield no_evidence(measure)
    needs = dataset.qrels.shared_needs
    if needs is not None or dataset.together:
        joint = dataset.together or (needs is not None and needs.joint)
        if undefined := measure.undefined_for_needs(joint=joint, together=dataset.together):
            yield undefined


def check_experiment_data(
    experiment: Experiment, datasets: Sequence[Dataset], wanted: Iterable[str]
) -> None:
    """Refuse retrievers, values of a sweep, clusters and slices that do not fit the data.

    Raises:
        ConfigError: as :func:`check_data`; or no query has the tag or metadata that queries are
            clustered or sliced by, in the comparison or the gate. It names the place in the
            experiment's file.
    """
    with in_its_file(experiment):
        _check(experiment, datasets, wanted)


def _check(experiment: Experiment, datasets: Sequence[Dataset], wanted: Iterable[str]) -> None:
    wanted = tuple(wanted)
    check_data(datasets, experiment.retrievers, wanted)
    if experiment.memory is not None:
        needed = with_inputs(experiment.retrievers, wanted)
        problems = [
            problem
            for dataset in datasets
            if dataset.corpus is not None
            for problem in memory_problems(
                experiment.memory,
                dataset.name,
                len(dataset.corpus),
                len(dataset.queries),
                needed,
                experiment.depth,
            )
        ]
        if problems:
            raise ConfigError(problems)
    asked = [(f"measures[{at}]", text) for at, text in enumerate(experiment.measures)]
    asked += [("gate", text) for text in (experiment.gate.measures if experiment.gate else ())]
    check_measures(datasets, asked)
    if experiment.sweep:
        from ragscore.experiment.sweep.checks import check_swept_data

        check_swept_data(datasets, experiment.sweep, experiment.retrievers)
    if experiment.gate:
        for dataset in datasets:
            for key in experiment.gate.by:
                labels(dataset.queries, key, where=f"gate.by, {dataset.name}")
    if experiment.compare:
        specs = {name: spec.model_dump(mode="json") for name, spec in experiment.retrievers.items()}
        for dataset in datasets:
            filtered = with_selectivity(dataset, specs, experiment.compare.slices)
            experiment.compare.check_keys(filtered, within="compare.")
