"""What is wrong with ``sweep:``, at its places in the file, before anything runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ragscore.errors import ConfigError, MeasureError, unknown_name
from ragscore.experiment.sweep.configurations import count_configurations, grids_of
from ragscore.experiment.sweep.grid import (
    Grid,
    combinations,
    configured,
    size,
    unknown_parameter,
    values_of,
)
from ragscore.experiment.sweep.options import RESERVED
from ragscore.measures import Measure
from ragscore.retrievers.base import RetrieverSpec
from ragscore.retrievers.graph import beyond_depth, search_order, with_inputs
from ragscore.sweeps.model import MAX_CONFIGURATIONS, configuration_label, swept_measure
from ragscore.validation.findings import Finding
from ragscore.validation.wording import YAML

INPUTS = ("retriever", "retrievers")


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
        depth: of the experiment; None where it cannot be read.
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
    yield from _sizes(grids_of(parameters), retrievers, sweep.get("sample"))
    grids = grids_of(parameters)
    for name, values in grids.items():
        yield from _contradictions(name, values, retrievers[name], depth)


def findings_in_sweep_files(
    sweep: Mapping[str, Any],
    retrievers: Mapping[str, RetrieverSpec],
    base: Path,
    only: Collection[str] = (),
) -> Iterator[Finding]:
    """What configurations find wrong with their files and packages: each problem once; where
    ``only`` names retrievers, of these and of those they are built on."""
    grids = grids_of({name: grid for name, grid in sweep.items() if name not in RESERVED})
    runs = with_inputs(retrievers, only or retrievers)
    for name, grid in grids.items():
        if name not in runs:
            continue
        written = {problem.what for problem in retrievers[name].resolved(base).check()}
        for values in combinations(grid, MAX_CONFIGURATIONS):
            spec, _ = configured(retrievers[name], values)
            for problem in spec.resolved(base).check() if spec else ():
                if problem.what not in written:
                    written.add(problem.what)
                    what = f"{_label(name, values)}: {problem.what}"
                    yield Finding(("sweep", name), what, problem.instead)


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
    for place, value in enumerate(values):
        for found in configured(spec, {parameter: value})[1]:
            if found.path[: len(steps)] != steps:
                continue  # it may fit with other values: every combination is tried below
            if isinstance(written, Mapping):
                yield replace(found, path=(), what=f"the value {value:g}: {found.what}")
                return
            yield replace(found, path=(place, *found.path[len(steps) :]))


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
    name: str, grid: Grid, spec: RetrieverSpec, depth: int | None
) -> Iterator[Finding]:
    """The first combination of values whose options contradict each other or the depth."""
    wrong: list[tuple[dict[str, Any], Finding]] = []
    for values in combinations(grid, MAX_CONFIGURATIONS):
        made, problems = configured(spec, values)
        beyond = beyond_depth(made, depth) if made is not None and depth else None
        if beyond is not None:
            problems = [*problems, Finding((), beyond.what, beyond.instead)]
        wrong += [(values, found) for found in problems[:1]]
    if wrong:
        (values, found), tried = wrong[0], min(size(grid), MAX_CONFIGURATIONS)
        others = f" (and {len(wrong) - 1} more of {tried})" if len(wrong) > 1 else ""
        place = "".join(f"{step}: " for step in [".".join(map(str, found.path))] if step)
        what = f"{_label(name, values)}{others}: {place}{found.what}"
        yield Finding(("sweep", name), what, found.instead)


def _label(name: str, values: Mapping[str, Any]) -> str:
    return configuration_label(name, {f"{name}.{key}": value for key, value in values.items()})
