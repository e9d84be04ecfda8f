"""What the manifest of a result says of datasets, retrievers and how they were searched."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from ragscore.comparison import CompareOptions
from ragscore.dataset import Dataset
from ragscore.experiment.model import Experiment
from ragscore.experiment.scored_runs import Scored
from ragscore.formats import DatasetSpec
from ragscore.results.folder_writing import machine
from ragscore.results.manifest import (
    Added,
    DatasetEntry,
    Manifest,
    RetrieverEntry,
    now,
)
from ragscore.results.stages import package_versions
from ragscore.retrievers import RetrieverObject
from ragscore.retrievers.base import RetrieverSpec
from ragscore.scoring import ProfileName


def dataset_entry(dataset: Dataset, spec: DatasetSpec | None, seconds: float) -> DatasetEntry:
    """What the manifest says of a dataset.

    Args:
        dataset: what is searched.
        spec: how it was read; None if it was given in Python.
        seconds: how long reading it took.
    """
    return DatasetEntry.of(
        dataset,
        path=spec.path if spec is not None else "",
        spec=spec.model_dump(mode="json") if spec is not None else None,
        load_seconds=seconds,
    )


def experiment_manifest(
    experiment: Experiment,
    only: tuple[str, ...] | None,
    datasets: Sequence[DatasetEntry],
    scored: Scored,
) -> Manifest:
    """The manifest of an experiment's result; seconds, notes and files come later.

    Args:
        experiment: as it was run.
        only: the names that were chosen of a longer experiment, None if all of it was run.
        datasets: what was searched.
        scored: the runs and scores.
    """
    return _manifest(
        experiment.retrievers,
        datasets,
        scored,
        experiment=experiment.name,
        only=only,
        command=tuple(sys.argv),
        config_digest=experiment.digest(),
        profile=experiment.profile,
        compare=experiment.compare.model_dump(mode="json") if experiment.compare else None,
        report=experiment.report.model_dump(mode="json") if experiment.report else None,
    )


def evaluation_manifest(
    retrievers: Mapping[str, Any], profile: ProfileName, dataset: DatasetEntry, scored: Scored
) -> Manifest:
    """The manifest of what ``evaluate`` found: it has no digest of an experiment file.

    Args:
        retrievers: specs, or Python functions, objects and classes, by name.
        profile: the conventions of the scores.
        dataset: what was searched.
        scored: the runs and scores.
    """
    return _manifest(
        retrievers,
        [dataset],
        scored,
        experiment=dataset.name,
        config_digest=None,
        profile=profile,
        compare=CompareOptions().model_dump(mode="json"),
    )


def _manifest(
    retrievers: Mapping[str, Any],
    datasets: Sequence[DatasetEntry],
    scored: Scored,
    *,
    profile: ProfileName,
    **recorded: Any,
) -> Manifest:
    added = Added.by(scored.scores.measures, profile)
    return Manifest(
        **({} if added is None else {"added": added}),
        **recorded,
        schema_version=1,
        created=now(),
        seconds=0.0,
        profile=profile,
        datasets=tuple(datasets),
        retrievers=_retriever_entries(retrievers, scored),
        notes=(),
        versions=package_versions(),
        machine=machine(),
        files={},
    )


def _retriever_entries(retrievers: Mapping[str, Any], scored: Scored) -> tuple[RetrieverEntry, ...]:
    entries = []
    for key in [*scored.runs, *scored.failures]:
        dataset, name = key
        named: dict[str, Any] = {"dataset": dataset, "name": name, "spec": _spec(retrievers[name])}
        if key in scored.failures:
            error = str(scored.failures[key])
            entries.append(RetrieverEntry(**named, status="failed", error=error))
        else:
            depth, costs = scored.runs[key].depth, vars(scored.stages[key])
            named |= _built_on(retrievers[name], depth)
            if chunkers := scored.chunkers[key]:
                named["chunkers"] = chunkers
            entries.append(RetrieverEntry(**named, status="complete", depth=depth, **costs))
    return tuple(entries)


def _built_on(retriever: Any, depth: int) -> dict[str, Any]:
    """The inputs of a retriever that has any, and how many passages of each it reads."""
    if not isinstance(retriever, RetrieverSpec) or not retriever.inputs():
        return {}
    return {"inputs": retriever.inputs(), "pool": retriever.search_depth(depth)}


def _spec(retriever: Any) -> dict[str, Any]:
    """The settings of a retriever; of a function, object or class in Python its name."""
    if isinstance(retriever, RetrieverSpec):
        return retriever.model_dump(mode="json")
    options = {}
    if isinstance(retriever, RetrieverObject):
        options = retriever.calls.model_dump(mode="json", exclude_defaults=True)
        retriever = retriever.thing
    kind = retriever if hasattr(retriever, "__qualname__") else type(retriever)
    return {"kind": "python", "use": f"{kind.__module__}:{kind.__qualname__}", **options}
