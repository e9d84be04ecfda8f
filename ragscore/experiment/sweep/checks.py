"""What is wrong with ``sweep:``, at its places in the file, before anything runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from ragscore.dataset import Dataset
from ragscore.errors import ConfigError, MeasureError, Problem, unknown_name
from ragscore.experiment.sweep.configurations import count_configurations, grids_of
from ragscore.experiment.sweep.grid import (
    Grid,
    combinations,
    configured,
    misfits,
    size,
    unknown_parameter,
    values_of,
)
from ragscore.experiment.sweep.options import RESERVED, Sweep
from ragscore.measures import Measure
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.graph import search_order, with_inputs
from ragscore.sweeps.model import (
    MAX_CONFIGURATIONS,
    configuration_label,
    swept_measure,
    value_text,
)
from ragscore.validation.findings import Finding, KeyPath
from ragscore.validation.wording import YAML

INPUTS = ("retriever", "retrievers")
METADATA_OPTIONS = ("filter", "collapse")
"""Options that name metadata."""


def findings_in_sweep(
    sweep: Mapping[str, Any],
    retrievers: Mapping[str, RetrieverSpec],
    names: tuple[str, ...],
    measures: Mapping[int, Measure],
    depth: int | None,
) -> Iterator[Finding]:
    """What does not fit in a sweep; reads no file.

    Args:
        sweep: as it is written, or as the experiment holds it.
        retrievers: those that can be read, by name.
        names: of all retrievers.
        measures: of the experiment, by place.
        depth: of the experiment; None if it cannot be read.
    """
    parameters = {name: grid for name, grid in sweep.items() if name not in RESERVED}
    if not parameters:
        what = "no retriever to sweep"
        yield Finding(("sweep",), what, "Name one with values: bm25: {k1: [0.9, 1.2, 1.5]}", "key")
    wrong = list(_measure(sweep.get("for"), measures, depth))
    for name, grid in parameters.items():
        wrong += _retriever(name, grid, retrievers, names)
    yield from wrong
    if wrong or not parameters or not all(name in retrievers for name in names):
        return
    grids = grids_of(parameters)
    yield from _sizes(grids, retrievers, sweep.get("sample"))
    for name, values in grids.items():
        yield from _contradictions(name, parameters[name], values, retrievers[name], depth)


def findings_in_sweep_files(
    sweep: Mapping[str, Any],
    retrievers: Mapping[str, RetrieverSpec],
    base: Path,
    only: Collection[str] = (),
) -> Iterator[Finding]:
    """What configurations find wrong with their files and packages: each problem once; where
    ``only`` names retrievers, of these and of those they are built on."""
    written = {name: grid for name, grid in sweep.items() if name not in RESERVED}
    runs = with_inputs(retrievers, only or retrievers)
    for name, grid in grids_of(written).items():
        if name not in runs:
            continue
        known = {problem.what for problem in retrievers[name].resolved(base).check()}
        tried = _Tried(name, written[name], grid)
        for values in combinations(grid, MAX_CONFIGURATIONS):
            spec = configured(retrievers[name], values)
            problems = spec.resolved(base).check() if spec else ()
            tried.add(values, [_finding(found) for found in problems if found.what not in known])
        yield from tried.findings()


def check_swept_data(
    datasets: Iterable[Dataset], sweep: Sweep, retrievers: Mapping[str, RetrieverSpec]
) -> None:
    """Refuse values of a sweep that do not fit the data.

    Raises:
        ConfigError: metadata that a filter or a collapse needs is not there, or cannot be compared.
    """
    problems: dict[str, Problem] = {}
    for name, grid in grids_of(sweep.parameters).items():
        read = {key: grid[key] for key in grid if key.split(".")[0] in METADATA_OPTIONS}
        specs = [configured(retrievers[name], values) for values in combinations(read)]
        for dataset, spec in product(datasets, specs if read else ()):
            if spec is None or dataset.corpus is None:
                continue
            for problem in spec.check_data(dataset.corpus, dataset.queries):
                where = f"sweep.{name}.{problem.where}, {dataset.name}"
                problems[f"{where}: {problem.what}"] = replace(problem, where=where)
    if problems:
        raise ConfigError(list(problems.values()))


def _measure(written: Any, measures: Mapping[int, Measure], depth: int | None) -> Iterator[Finding]:
    path = ("sweep", "for") if isinstance(written, str) else ("measures", 0)
    text = written if isinstance(written, str) else str(measures[0]) if 0 in measures else None
    if text is None:
        return
    try:
        measure = swept_measure(text)
    except MeasureError:  # reported where it is written
        return
    except ConfigError as error:
        first = error.problems[0]
        if isinstance(written, str):
            yield Finding(path, first.what, first.instead)
        else:
            yield Finding(("sweep",), first.what, f"{first.instead}: write for: nDCG@10", "key")
        return
    cutoff = measure.cutoff
    if isinstance(written, str) and depth and isinstance(cutoff, int) and cutoff > depth:
        what = f"the cutoff {cutoff} is above the depth {depth}"
        yield Finding(path, what, f"Write depth: {cutoff}, or a cutoff up to {depth}")


def _retriever(
    name: str, grid: Any, retrievers: Mapping[str, RetrieverSpec], names: tuple[str, ...]
) -> Iterator[Finding]:
    path = ("sweep", name)
    if name not in names:
        unknown = unknown_name("retriever", name, [*names, *RESERVED])
        yield Finding(path, unknown.what, unknown.instead, "key")
    elif not isinstance(grid, Mapping) or not grid:
        described = "no parameter" if isinstance(grid, Mapping) else YAML.describe(grid)
        what = f"{described} where parameters with values are expected"
        yield Finding(path, what, "Write {k1: [0.9, 1.2, 1.5]}, for example")
    elif name in retrievers:
        for parameter, written in grid.items():
            at = (*path, parameter)
            found = _values(retrievers[name], parameter, written)
            yield from (replace(problem, path=(*at, *problem.path)) for problem in found)


def _values(spec: RetrieverSpec, parameter: str, written: Any) -> Iterator[Finding]:
    if parameter == "kind" or (parameter in INPUTS and hasattr(spec, parameter)):
        what = "what a retriever is built on, and its kind, cannot be swept"
        yield Finding((), what, "Write a retriever for each", "key")
        return
    unknown = unknown_parameter(spec, parameter)
    if unknown is not None:
        yield unknown
        return
    values, wrong = values_of(written)
    yield from wrong
    steps = tuple(parameter.split("."))
    earlier: dict[str, int] = {}
    ranged = isinstance(written, Mapping)  # numbers of one sort, of which the first tells enough
    for place, value in enumerate(values):
        at = () if ranged else (place,)
        made = configured(spec, {parameter: value})
        fits = made is not None and ranged and place > 0
        for found in () if fits else misfits(spec, {parameter: value}):
            if found.path[: len(steps)] != steps:
                continue  # it may fit with other values: every combination is tried below
            if ranged:
                yield replace(found, path=(), what=f"the value {value:g}: {found.what}")
                return
            yield replace(found, path=(*at, *found.path[len(steps) :]))
        settings = [made.canonical_json()] if made is not None and not ranged else []
        for same in (value_text(value), *settings):
            if (first := earlier.setdefault(same, place)) != place:
                yield _repeated(value_text(value), at, f"{parameter}[{first}]")
                break


def _repeated(shown: str, at: tuple[int, ...], first: str) -> Finding:
    """A value that is an earlier one, or that no label can tell from it."""
    if at:
        what = f"the value {shown} is {first} once more"
        return Finding(at, what, "Drop one of the two; numbers are told apart by six digits")
    what = f"two values of the range are {shown}"
    return Finding(at, what, "Write fewer steps; numbers are told apart by six digits")


def _sizes(
    grids: Mapping[str, Grid], retrievers: Mapping[str, RetrieverSpec], sample: Any
) -> Iterator[Finding]:
    try:
        search_order(retrievers)
    except ConfigError:  # reported where it is written
        return
    sample = sample if isinstance(sample, int) else None
    count = count_configurations(grids, retrievers, sample)
    if count > MAX_CONFIGURATIONS:
        what = f"{count:,} configurations, more than {MAX_CONFIGURATIONS:,}"
        yield Finding(("sweep",), what, "Write fewer values, or sample: 50", "key")


def _contradictions(
    name: str, written: Mapping[str, Any], grid: Grid, spec: RetrieverSpec, depth: int | None
) -> Iterator[Finding]:
    """Combinations of values whose options contradict each other or the depth."""
    tried = _Tried(name, written, grid)
    for values in combinations(grid, MAX_CONFIGURATIONS):
        made = configured(spec, values)
        problems = misfits(spec, values) if made is None else []
        unfit = made.check_depth(depth) if made is not None and depth else None
        tried.add(values, [*problems, *([_finding(unfit)] if unfit else [])])
    yield from tried.findings()


class _Tried:
    """Combinations of one retriever's values as they are tried, and which value is to blame for
    those that do not fit."""

    def __init__(self, name: str, written: Mapping[str, Any], grid: Grid) -> None:
        self.name, self.written, self.grid = name, written, grid
        self.fitting: dict[str, set[str]] = {parameter: set() for parameter in grid}
        self.wrong: list[tuple[dict[str, Any], Finding]] = []

    def add(self, values: dict[str, Any], problems: Sequence[Finding]) -> None:
        self.wrong += [(values, problem) for problem in problems[:1]]
        if not problems:
            for parameter, value in values.items():
                self.fitting[parameter].add(value_text(value))

    def findings(self) -> Iterator[Finding]:
        """One for each value that is to blame, at its place."""
        by_path: dict[KeyPath, list[tuple[dict[str, Any], Finding]]] = {}
        for values, problem in self.wrong:
            by_path.setdefault(self._blamed(values, problem), []).append((values, problem))
        count = min(size(self.grid), MAX_CONFIGURATIONS)
        for path, wrong in by_path.items():
            values, problem = wrong[0]
            others = f" (and {len(wrong) - 1} more of {count})" if len(wrong) > 1 else ""
            option = f"{'.'.join(map(str, problem.path))}: " if problem.path else ""
            setting = {f"{self.name}.{key}": value for key, value in values.items()}
            label = configuration_label(self.name, setting)
            yield Finding(path, f"{label}{others}: {option}{problem.what}", problem.instead)

    def _blamed(self, values: Mapping[str, Any], problem: Finding) -> KeyPath:
        """The place of the value that fits nowhere; of several, or of none, that of the one which
        the problem names, or of the last."""
        nowhere = [name for name in values if value_text(values[name]) not in self.fitting[name]]
        blamed = nowhere or list(values)
        option = re.split(r"[\s:]", ".".join(map(str, problem.path)) or problem.what)[0]
        named = [name for name in blamed if f"{option}.".startswith(f"{name}.")]
        parameter = max(named, key=len) if named else blamed[-1]
        path: KeyPath = ("sweep", self.name, parameter)
        if isinstance(self.written[parameter], Mapping):
            return path
        return (*path, self.grid[parameter].index(values[parameter]))


def _finding(problem: Problem) -> Finding:
    return Finding((problem.where,) if problem.where else (), problem.what, problem.instead)
