"""load_experiment: an Experiment from a YAML file, or all that is wrong with the file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from ragscore.errors import ConfigError, Problem, did_you_mean
from ragscore.experiment.config.file import read_config
from ragscore.experiment.config.overrides import apply_overrides
from ragscore.experiment.config.placed_data import EXTENSION, LAST, ConfigDocument
from ragscore.experiment.config.yaml import dump_yaml, read_yaml
from ragscore.experiment.consistency import (
    ExperimentParts,
    file_findings,
    findings,
)
from ragscore.experiment.defaults import WithDefaults, with_defaults
from ragscore.experiment.model import BOTH_DATASETS, Experiment
from ragscore.file_names import fitted_name
from ragscore.validation.findings import Finding, KeyPath, checked, show_path
from ragscore.validation.wording import CONTRADICTION, YAML

KEYS = ("dataset", *Experiment.model_fields)
"""The keys of a file: ``dataset`` is short for a list of one in ``datasets``. Keys that begin with
``x-`` are left to the user, who keeps there what anchors are put on."""


def load_experiment(
    path: str | Path,
    overrides: Sequence[str] = (),
    *,
    files: bool = True,
    only: Collection[str] = (),
) -> Experiment:
    r"""Read an experiment; relative input paths become absolute, taken from the file's folder.

    Args:
        path: the YAML file.
        overrides: ``retrievers.bm25.k1=0.9``: values that replace the file's.
        files: also check that datasets and files of retrievers exist; nothing is loaded,
            and no custom code is imported.
        only: names of the retrievers that will run; files and packages that only the others
            need are not checked. By default all run.

    Raises:
        ConfigError: holds every problem of the file, each with its place.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "first.yaml")
    ...     _ = file.write_text("dataset: faq\nretrievers: {bm25: {kind: bm25}}\n")
    ...     experiment = load_experiment(file, ["depth=50"], files=False)
    >>> experiment.name, experiment.depth, list(experiment.retrievers)
    ('first', 50, ['bm25'])
    """
    path = Path(path)
    document = read_yaml(read_config(path))
    if not isinstance(document.data, dict):
        what = f"{YAML.describe(document.data)} where an experiment is expected"
        instead = "Write keys with values: dataset: ..., retrievers: ..."
        raise ConfigError(_placed(document, WithDefaults({}), [Finding((), what, instead)]))
    wrong_overrides = apply_overrides(document, overrides)
    base = path.parent.resolve()
    data = {"name": fitted_name(path.stem, "experiment"), **document.data}
    data = {key: value for key, value in data.items() if not key.startswith(EXTENSION)}
    both = {"dataset", "datasets"} <= data.keys()
    if "dataset" in data:
        data.setdefault("datasets", [data.pop("dataset")])
    applied = with_defaults(data)
    data = applied.data
    experiment, found = checked(Experiment, data)
    if both:
        found.append(Finding(("datasets",), BOTH_DATASETS.what, BOTH_DATASETS.instead, "key"))
    parts = experiment.parts() if experiment else ExperimentParts.salvaged(data)
    found += findings(parts)
    if files:
        found += file_findings(parts, base, only)
    found = [*applied.found, *(finding for finding in found if not applied.is_found(finding.path))]
    problems = [*_placed(document, applied, found), *wrong_overrides]
    if problems:
        raise ConfigError(problems)
    read = experiment or Experiment.model_validate(data)
    return read.resolved(base).read_from(path, overrides)


def validate_experiment(path: str | Path, overrides: Sequence[str] = ()) -> list[Problem]:
    r"""All problems that :func:`load_experiment` finds; empty if there are none.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "first.yaml")
    ...     _ = file.write_text("dataset: faq\nretrievers: {bm25: {kind: bm25, k: 1}}\n")
    ...     problems = validate_experiment(file)
    >>> problems[-1].what, problems[-1].where.rpartition("/")[2]
    ('retrievers.bm25.k: unknown key', 'first.yaml:2:33')
    """
    try:
        load_experiment(path, overrides)
    except ConfigError as error:
        return list(error.problems)
    return []


def resolved_yaml(experiment: Experiment) -> str:
    """An experiment as YAML, defaults included, that ``load_experiment`` reads back equal."""
    return dump_yaml(experiment.model_dump(mode="json"))


def in_file(experiment: Experiment, problems: Iterable[Problem]) -> list[Problem]:
    """Problems of an experiment, such as ``retrievers.recent.filter, faq``, at their places in the
    file that it was read from; as they are where it was made in Python, or the file is gone."""
    problems = list(problems)
    if not experiment.source.path:
        return problems
    try:
        document = read_yaml(read_config(Path(experiment.source.path)))
    except ConfigError:
        return problems
    apply_overrides(document, experiment.source.overrides)
    shown = {show_path(path): path for path in document.places if path}
    for path in document.places:
        if path[:1] == ("dataset",):  # short for a list of one
            shown[show_path(("datasets", 0, *path[1:]))] = path
    for (name, key), origin in with_defaults(document.data).origins.items():
        shown[show_path(("retrievers", name, key))] = origin
    placed = []
    for problem in problems:
        where = problem.where
        around = [text for text in shown if f"{where}.".startswith((f"{text}.", f"{text},"))]
        if around:
            path = shown[max(around, key=len)]
            _, there = document.problem(Finding(path, problem.what, problem.instead))
            problem = replace(there, what=f"{where}: {problem.what}")
        placed.append(problem)
    return placed


def _placed(
    document: ConfigDocument, applied: WithDefaults, found: Iterable[Finding]
) -> list[Problem]:
    """All problems, each once, in the order of the file; those of ``--set`` come last."""
    unread = {misread.path for misread in document.misread if misread.unread}
    problems = [(misread.mark, misread.problem) for misread in document.misread]
    seen = set()
    for finding in found:
        written = _as_written(document, applied, finding)
        mark, problem = document.problem(written)
        # What several aliases and merges bring from one place is wrong once.
        fault = (mark, finding.what, written.instead)
        if written.path not in unread and (mark == LAST or fault not in seen):
            seen.add(fault)
            problems.append((mark, problem))
    ordered = sorted(problems, key=lambda problem: problem[0])
    return list(dict.fromkeys(problem for _, problem in ordered))


def _as_written(document: ConfigDocument, applied: WithDefaults, finding: Finding) -> Finding:
    """A finding at the path where the file has it."""
    path, instead = finding.path, finding.instead
    if applied.written(path) != path:
        # What does not go with the retriever's own options is no fault of the default.
        path = path[:-1] if finding.type == CONTRADICTION else applied.written(path)
    if path[:1] == ("datasets",) and "datasets" not in document.data:
        path = ("dataset", *path[2:])
        if finding.type == "missing" and path in (("dataset",), ("dataset", "path")):
            instead = "Add it: the folder of a dataset"
    elif finding.type == "extra_forbidden" and len(path) == 1:
        instead = did_you_mean(str(path[0]), KEYS)
    beginnings = [path, *applied.defaults_of(path)]
    return replace(finding, path=_refined(document, beginnings, finding.about), instead=instead)


def _refined(document: ConfigDocument, beginnings: Sequence[KeyPath], about: str) -> KeyPath:
    """The path below one of these at which a name or a file is written, if it is."""
    path = beginnings[0]
    if not about:
        return path
    base = Path(document.text.name).parent.resolve()
    for inner in document.places:
        if any(inner[: len(beginning)] == beginning for beginning in beginnings):
            value = document.value_at(inner)
            if value == about or (isinstance(value, str) and base / value == Path(about)):
                return inner
    return path
