"""The grid of one swept retriever: its parameters, their values, and specs that have them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

from ragscore.errors import ConfigError, did_you_mean
from ragscore.experiment.sweep.options import ValueRange
from ragscore.retrievers.base import RetrieverSpec
from ragscore.spec import Spec
from ragscore.validation.annotations import keys_of
from ragscore.validation.findings import Finding, checked
from ragscore.validation.wording import YAML

Grid = Mapping[str, Sequence[Any]]
"""By parameter (``k1``, ``encoder.model``), its values."""


def values_of(written: Any) -> tuple[list[Any], list[Finding]]:
    """The values of a parameter as the file writes them, and what is wrong with them."""
    if isinstance(written, Mapping):
        made, found = checked(ValueRange, dict(written))
        if made is None:
            return [], found
        if made.log and (made.first <= 0 or made.last <= 0):
            what = "equal ratios between values that are not all above 0"
            return [], [Finding(("from",), what, "Leave log out, or begin above 0")]
        return made.values(), []
    if isinstance(written, list | tuple):
        if written:
            return list(written), []
        return [], [Finding((), "an empty grid: no value to try", "List one value or more")]
    what = f"{YAML.describe(written)} where the values to try are expected"
    return [], [Finding((), what, "Write a list, or {from: 0.6, to: 2.0, steps: 8}")]


def unknown_parameter(spec: RetrieverSpec, parameter: str) -> Finding | None:
    """Why a retriever has no such parameter; None where it has one."""
    holder: Any = spec
    steps = parameter.split(".")
    for at, step in enumerate(steps):
        if isinstance(holder, Mapping):
            return None
        before = ".".join(steps[:at])
        if not isinstance(holder, Spec):
            return Finding((), *_no_parameters(before, holder), "key")
        allowed = [key for key in keys_of(type(holder)) if key != "kind"]
        if step not in allowed:
            what = f"{'it' if not at else before} has no parameter '{step}'"
            return Finding((), what, did_you_mean(step, allowed), "key")
        holder = getattr(holder, step)
    return None


def configured(
    spec: RetrieverSpec, values: Mapping[str, Any]
) -> tuple[RetrieverSpec | None, list[Finding]]:
    """A retriever with other values of some parameters, or what is wrong with them.

    Args:
        spec: as it is written.
        values: by parameter that it has.

    Returns:
        The retriever, None where something is wrong; a finding's path begins with the parameter,
        and is empty where options contradict each other.
    """
    return _with(spec, {tuple(name.split(".")): value for name, value in values.items()})


def _with(spec: Any, values: Mapping[tuple[str, ...], Any]) -> tuple[Any, list[Finding]]:
    data = {name: getattr(spec, name) for name in spec.model_fields_set}
    inner: dict[str, dict[tuple[str, ...], Any]] = {}
    for steps, value in values.items():
        if len(steps) == 1:
            data[steps[0]] = value
        else:
            inner.setdefault(steps[0], {})[steps[1:]] = value
    for step, below in inner.items():
        holder = data[step] if step in data else getattr(spec, step)
        if isinstance(holder, Mapping):
            data[step] = {**holder, **{".".join(steps): value for steps, value in below.items()}}
            continue
        if not isinstance(holder, Spec):  # it is swept itself too, in a short form: `english`
            what, _ = _no_parameters(step, holder)
            return None, [Finding((), what, f"Sweep {step} as a whole, or its parameters")]
        made, found = _with(holder, below)
        if made is None:
            return None, [replace(finding, path=(step, *finding.path)) for finding in found]
        data[step] = made
    return _made(type(spec), data)


def _made(kind: type[Any], data: Mapping[str, Any]) -> tuple[Any, list[Finding]]:
    try:
        made, found = checked(kind, data)
        return made or (None if found else kind.model_validate(data)), found
    except ConfigError as error:
        return None, [Finding((), p.what, p.instead) for p in error.problems]


def _no_parameters(option: str, value: Any) -> tuple[str, str]:
    """What is wrong with sweeping a part of an option that has none, and what to do instead."""
    if value is None:
        what = f"{option} is not set, so it has no parameters"
        return what, f"Set it, or sweep {option} itself"
    return f"{option} is {YAML.describe(value)}, which has no parameters", f"Sweep {option} itself"


def size(grid: Grid) -> int:
    """How many combinations a grid has."""
    return prod(map(len, grid.values()))


def combinations(
    grid: Grid, sample: int | None = None, seed: object = 0
) -> Iterator[dict[str, Any]]:
    """The combinations of a grid, the last parameter's values changing first.

    Args:
        grid: by parameter, its values.
        sample: so many of them at random without replacement, in the grid's order; None is all.
        seed: of the sample.

    >>> [tuple(values.values()) for values in combinations({"k1": [1, 2], "b": [0.5, 0.7]})]
    [(1, 0.5), (1, 0.7), (2, 0.5), (2, 0.7)]
    """
    count = size(grid)
    places: Sequence[int] = range(count)
    if sample is not None and sample < count:
        places = _drawn(count, sample, seed)
    for place in places:
        chosen = []
        for values in reversed(list(grid.values())):
            place, at = divmod(place, len(values))
            chosen.append(values[at])
        yield dict(zip(grid, reversed(chosen), strict=True))


def _drawn(count: int, sample: int, seed: object) -> list[int]:
    """So many different places below ``count``, ascending. One by one, since ``random.sample``
    takes no range of more than 64 bits, which seven parameters of 2,000 values have."""
    source, drawn = random.Random(str(seed)), set[int]()
    while len(drawn) < sample:
        drawn.add(source.randrange(count))
    return sorted(drawn)


def resolved_values(
    spec: RetrieverSpec, parameter: str, written: Any, base: Path
) -> Mapping[str, Any] | list[Any]:
    """The values of a parameter with paths that are relative to ``base`` made absolute; a value
    without a path stays as it is written."""
    if isinstance(written, Mapping):
        return written
    return [_resolved(spec, parameter, value, base) for value in written]


def _resolved(spec: RetrieverSpec, parameter: str, value: Any, base: Path) -> Any:
    made, _ = configured(spec, {parameter: value})
    if made is None:  # it fits only beside other values
        return value
    before, after = _at(made, parameter), _at(made.resolved(base), parameter)
    if before == after:
        return value
    return after.model_dump(mode="json") if isinstance(after, Spec) else after


def _at(holder: Any, parameter: str) -> Any:
    for step in parameter.split("."):
        holder = holder[step] if isinstance(holder, Mapping) else getattr(holder, step)
    return holder
