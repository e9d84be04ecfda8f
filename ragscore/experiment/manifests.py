"""What the manifest of a result says of datasets, retrievers and how they were searched."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragscore.comparison import CompareOptions
from ragscore.dataset import Dataset
from ragscore.errors import RagscoreError
from ragscore.experiment.model import Experiment
from ragscore.formats import DatasetSpec
from ragscore.results.manifest import Added, DatasetEntry, Key, Manifest, RetrieverEntry
from ragscore.results.placing import machine
from ragscore.results.stages import Stages, package_versions
from ragscore.retrievers.base import RetrieverSpec
from ragscore.run import Run
from ragscore.scoring import ProfileName, Scores


@dataclass(frozen=True, eq=False)
class Loaded:
    """A dataset, the spec it was loaded from, None where it was given in Python, and how many
    seconds that took."""

    dataset: Dataset
    spec: DatasetSpec | None
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Scored:
    """What was searched and scored, by (dataset, retriever)."""

    runs: dict[Key, Run] = field(default_factory=dict)
    stages: dict[Key, Stages] = field(default_factory=dict)
    failures: dict[Key, RagscoreError] = field(default_factory=dict)
    scores: list[Scores] = field(default_factory=list)


def experiment_manifest(
    experiment: Experiment, only: tuple[str, ...] | None, datasets: Iterable[Loaded], scored: Scored
) -> Manifest:
    """The manifest of an experiment's result; seconds, notes and files come later.

    Args:
        experiment: as it was run.
        only: the names that were chosen of a longer experiment, None where all of it was run.
        datasets: what was searched.
        scored: what was found.
    """
    return Manifest(
        **_added(scored, experiment.profile),
        schema_version=1,
        experiment=experiment.name,
        only=only,
        created=_now(),
        seconds=0.0,
        command=tuple(sys.argv),
        config_digest=experiment.digest(),
        profile=experiment.profile,
        compare=experiment.compare.model_dump(mode="json") if experiment.compare else None,
        report=experiment.report.model_dump(mode="json") if experiment.report else None,
        datasets=tuple(map(_dataset_entry, datasets)),
        retrievers=_retriever_entries(experiment.retrievers, scored),
        notes=(),
        versions=package_versions(),
        machine=machine(),
        files={},
    )


def evaluation_manifest(
    retrievers: Mapping[str, Any], profile: ProfileName, loaded: Loaded, scored: Scored
) -> Manifest:
    """The manifest of what ``evaluate`` found: no experiment file was run, so it has no digest of
    one.

    Args:
        retrievers: specs, or Python functions, objects and classes, by name.
        profile: the conventions of the scores.
        loaded: what was searched.
        scored: what was found.
    """
    return Manifest(
        **_added(scored, profile),
        schema_version=1,
        experiment=loaded.dataset.name,
        created=_now(),
        seconds=0.0,
        config_digest=None,
        profile=profile,
        compare=CompareOptions().model_dump(mode="json"),
        datasets=(_dataset_entry(loaded),),
        retrievers=_retriever_entries(retrievers, scored),
        notes=(),
        versions=package_versions(),
        machine=machine(),
        files={},
    )


def _added(scored: Scored, profile: ProfileName) -> dict[str, Added]:
    added = Added.by(Scores.joined(scored.scores).measures, profile)
    return {} if added is None else {"added": added}


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _dataset_entry(loaded: Loaded) -> DatasetEntry:
    dataset, spec = loaded.dataset, loaded.spec
    return DatasetEntry(
        name=dataset.name,
        path=spec.path if spec is not None else "",
        spec=spec.model_dump(mode="json") if spec is not None else None,
        digest=dataset.digest,
        passages=len(dataset.corpus) if dataset.corpus else None,
        queries=len(dataset.queries),
        judgments=len(dataset.qrels),
        counts=dict(dataset.counts),
        load_seconds=loaded.seconds,
    )


def _retriever_entries(retrievers: Mapping[str, Any], scored: Scored) -> tuple[RetrieverEntry, ...]:
    entries = []
    for key in [*scored.runs, *scored.failures]:
        named: dict[str, Any] = {"dataset": key[0], "name": key[1]}
        named["spec"] = _spec(retrievers[key[1]])
        if key in scored.failures:
            error = str(scored.failures[key])
            entries.append(RetrieverEntry(**named, status="failed", error=error))
        else:
            depth, costs = scored.runs[key].depth, vars(scored.stages[key])
            entries.append(RetrieverEntry(**named, status="complete", depth=depth, **costs))
    return tuple(entries)


def _spec(retriever: Any) -> dict[str, Any]:
    """The settings of a retriever; of a function, object or class in Python its name."""
    if isinstance(retriever, RetrieverSpec):
        return retriever.model_dump(mode="json")
    kind = retriever if hasattr(retriever, "__qualname__") else type(retriever)
    return {"kind": "python", "use": f"{kind.__module__}:{kind.__qualname__}"}
