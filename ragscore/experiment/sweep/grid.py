"""The grid of one swept retriever: its parameters, their values, and specs that have them."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragscore.errors import ConfigError, did_you_mean
from ragscore.experiment.sweep.options import ValueRange
from ragscore.retrievers.base import RetrieverSpec
from ragscore.spec import Spec
from ragscore.sweeps.model import configured_options, is_number
from ragscore.validation.annotations import keys_of
from ragscore.validation.findings import Finding, checked
from ragscore.validation.wording import CONTRADICTION, YAML

Grid = Mapping[str, Sequence[Any]]
"""By parameter (``k1``, ``encoder.model``), its values."""


def values_of(written: Any) -> tuple[list[Any], list[Finding]]:
    """The values of a parameter as the file writes them, and what is wrong with them."""
    if isinstance(written, Mapping):
        made, found = checked(ValueRange, dict(written))
        if made is None:
            return [], found
        if made.first == made.last:
            what = f"a range from {made.first:g} to itself, which is one value"
            return [], [Finding(("to",), what, f"Write [{made.first:g}], or another end")]
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
    """Why a retriever has no such parameter; None if it has one."""
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


def configured(spec: RetrieverSpec, values: Mapping[str, Any]) -> RetrieverSpec | None:
    """A retriever with other values of some parameters, which it has and each of which fits; None
    if they do not fit together."""
    if _nested_in_no_options(values):
        return None
    try:
        return type(spec).model_validate(_options(spec, values))
    except (ValidationError, ConfigError):
        return None


def misfits(spec: RetrieverSpec, values: Mapping[str, Any]) -> list[Finding]:
    """What is wrong with a retriever that has these values; the path of a finding begins with the
    option, and is that of what holds them where options contradict each other."""
    if problem := _nested_in_no_options(values):
        return [problem]
    options = _options(spec, values)
    made, found = checked(type(spec), options)
    if made is None and not found:
        try:
            type(spec).model_validate(options)
        except ConfigError as error:
            return [Finding((), problem.what, problem.instead) for problem in error.problems]
    return [
        replace(finding, path=finding.path[:-1]) if finding.type == CONTRADICTION else finding
        for finding in found
    ]


def bounds(spec: RetrieverSpec, grid: Grid) -> dict[str, tuple[float, ...]]:
    """By numeric parameter, its smallest or largest value where the option allows none beyond."""
    found: dict[str, tuple[float, ...]] = {}
    for parameter, values in grid.items():
        if all(map(is_number, values)):
            ends = ((min(values), -1), (max(values), 1))
            found[parameter] = tuple(
                float(end) for end, step in ends if _is_bound(spec, parameter, end, step)
            )
    return {parameter: ends for parameter, ends in found.items() if ends}


def _is_bound(spec: RetrieverSpec, parameter: str, end: float, step: int) -> bool:
    """Whether neither the next number nor the next whole one is a value of the parameter; one
    that contradicts another option might be, beside other values of that."""
    beyond = (math.nextafter(end, step * math.inf), math.floor(end) + step)
    wrong = [misfits(spec, {parameter: value}) for value in beyond]
    return all(found and found[0].type != CONTRADICTION for found in wrong)


def _options(spec: RetrieverSpec, values: Mapping[str, Any]) -> dict[str, Any]:
    return configured_options(written_options(spec, values), values)


def _nested_in_no_options(values: Mapping[str, Any]) -> Finding | None:
    """What is wrong where an option is swept as a whole, in a short form such as ``english``, and
    its own options are swept too."""
    for parameter in values:
        for whole, value in values.items():
            if parameter.startswith(f"{whole}.") and not isinstance(value, Mapping):
                what, _ = _no_parameters(whole, value)
                instead = f"Sweep {whole} as a whole, or its parameters"
                return Finding(tuple(parameter.split(".")), what, instead)
    return None


def written_options(spec: Spec, reached: Collection[str] = ()) -> dict[str, Any]:
    """The options of a retriever as a file would have them: its kind, what was set, and the
    defaults that hold a swept option (``tokenizer`` of ``tokenizer.stem``).

    Args:
        spec: the retriever.
        reached: parameters of it that are swept.
    """
    plain = spec.model_dump(mode="json")
    written = {"kind": plain["kind"]} if "kind" in plain else {}
    for name in plain:
        value = getattr(spec, name, None)
        below = [key.removeprefix(f"{name}.") for key in reached if key.startswith(f"{name}.")]
        holds = isinstance(value, Spec) and (bool(below) or name in reached)
        if (name in spec.model_fields_set or holds) and name != "kind":
            written[name] = (
                written_options(value, below) if isinstance(value, Spec) else plain[name]
            )
    return written


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
        sample: how many are drawn at random without replacement, in the grid's order; None for all.
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
    """This many different places below ``count``, ascending. One by one, since ``random.sample``
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
    made = configured(spec, {parameter: value})
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
