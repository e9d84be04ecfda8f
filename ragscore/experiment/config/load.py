"""load_experiment: an Experiment from a YAML file, or all that is wrong with the file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragscore.errors import ConfigError, Problem, did_you_mean
from ragscore.experiment.config.document import Document
from ragscore.experiment.config.overrides import apply_overrides
from ragscore.experiment.config.text import Mark, read_source
from ragscore.experiment.config.yaml import read_yaml
from ragscore.experiment.consistency import Parts, file_findings, findings
from ragscore.experiment.model import BOTH_DATASETS, NAME_PATTERN, Experiment, name_problem
from ragscore.validation.findings import Finding, describe, schema_findings
from ragscore.validation.findings import Path as DataPath


def load_experiment(
    path: str | Path,
    overrides: Sequence[str] = (),
    *,
    files: bool = True,
    only: Collection[str] = (),
) -> Experiment:
    """Read an experiment; relative input paths become absolute, taken from the file's folder.

    Args:
        path: the YAML file.
        overrides: ``retrievers.bm25.k1=0.9``: values that replace the file's.
        files: also check that datasets and files of retrievers are there; nothing is loaded,
            and no custom code is imported.
        only: names of the retrievers that will run; files and packages that only the others
            need are not looked for. By default all run.

    Raises:
        ConfigError: holds every problem of the file, each with its place.
    """
    path = Path(path)
    document = read_yaml(read_source(path))
    base = path.parent.resolve()
    if not isinstance(document.data, dict):
        raise ConfigError(_sorted(document, [], [_not_a_mapping(document)]))
    overriding = apply_overrides(document, overrides)
    data, found = _one_or_many(document.data)
    data.setdefault("name", _default_name(path))
    found += [
        finding
        for finding in schema_findings(Experiment, data)
        if (finding.path, finding.what) != (("datasets",), "missing")
    ]
    parts = Parts.salvaged(data)
    found += findings(parts)
    if files:
        found += file_findings(parts, base, only)
    if found or overriding or document.problems:
        raise ConfigError(_sorted(document, overriding, found))
    try:
        return Experiment.model_validate(data).resolved(base)
    except ValidationError as error:
        raise ConfigError(str(error), where=str(path)) from error


def validate_experiment(path: str | Path, overrides: Sequence[str] = ()) -> list[Problem]:
    """Everything that :func:`load_experiment` finds wrong, empty where nothing is."""
    try:
        load_experiment(path, overrides)
    except ConfigError as error:
        return list(error.problems)
    return []


def _not_a_mapping(document: Document) -> Finding:
    return Finding(
        (),
        f"{describe(document.data)} where an experiment is expected",
        "Write keys with values: dataset: ..., retrievers: ...",
    )


def _default_name(path: Path) -> str:
    """The file's name without its suffix, with '-' for what a name cannot hold."""
    kept = re.sub(NAME_PATTERN.replace("{1,64}", "+").replace("[", "[^"), "-", path.stem)[:64]
    return "experiment" if name_problem(kept) else kept


def _one_or_many(data: dict[str, Any]) -> tuple[dict[str, Any], list[Finding]]:
    """The data with ``datasets`` in the place of ``dataset``, and what is wrong with both."""
    if "dataset" in data and "datasets" in data:
        found = [Finding(("datasets",), BOTH_DATASETS.what, BOTH_DATASETS.instead, "key")]
        return {key: value for key, value in data.items() if key != "dataset"}, found
    if "dataset" in data:
        one = {key: value for key, value in data.items() if key != "dataset"}
        return {**one, "datasets": [data["dataset"]]}, []
    if "datasets" in data:
        return dict(data), []
    known = {"dataset", *Experiment.model_fields}
    if any(
        get_close_matches(str(key), ["dataset", "datasets"]) for key in data if key not in known
    ):
        return dict(data), []  # misspelt: that is said where it stands
    return dict(data), [Finding(("dataset",), "missing", "Add it: the folder of a dataset", "key")]


def _sorted(
    document: Document, overriding: Iterable[Problem], found: Iterable[Finding]
) -> list[Problem]:
    """All problems, each once, in the order of the file; those of ``--set`` come last."""
    placed: dict[DataPath, tuple[Mark, Problem]] = dict(document.problems)
    single = isinstance(document.data, dict) and "dataset" in document.data
    for finding in found:
        path = _as_written(finding.path, single and "datasets" not in document.data)
        path = _refined(document, path, finding.about)
        while path and isinstance(_value_at(document.data, path[:-1]), str):
            path = path[:-1]  # the short form of a mapping: dataset: FOLDER for its path
        what, instead = finding.what, finding.instead
        if finding.what == "unknown key" and len(path) == 1:
            instead = did_you_mean(str(path[0]), ["dataset", *Experiment.model_fields])
        slot = path if path not in placed else (*path, what)
        if path in document.problems or slot in placed:
            continue
        placed[slot] = document.problem(path, what, instead, at=finding.at)
    ordered = sorted(placed.values(), key=lambda one: one[0])
    return list(dict.fromkeys([*(problem for _, problem in ordered), *overriding]))


def _as_written(path: DataPath, single: bool) -> DataPath:
    return ("dataset", *path[2:]) if single and path[:2] == ("datasets", 0) else path


def _refined(document: Document, path: DataPath, about: str) -> DataPath:
    """The path below ``path`` at which a name or a file is written, if it is."""
    if not about:
        return path
    base = Path(document.source.name).parent.resolve()
    for inner in document.places:
        if inner[: len(path)] == path and len(inner) > len(path):
            value = _value_at(document.data, inner)
            if value == about or (isinstance(value, str) and base / value == Path(about)):
                return inner
    return path


def _value_at(data: Any, path: DataPath) -> Any:
    """The value at a path of the file, None where an override has taken its place."""
    for step in path:
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data
