"""What is wrong with plain data, one finding for each fault, at the path that was written.

Pydantic reports every branch of a union and counts ``"0.9"`` as a number. Here the model's
annotations are walked beside the data, so that each value has one expectation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from ragscore.errors import ConfigError, Problem
from ragscore.validation.annotations import NUMBERS, below, is_type_error, models_for
from ragscore.validation.wording import (
    CONTRADICTION,
    JSON,
    OPTIONS,
    YAML,
    Fault,
    Notation,
    wording_of,
    wrong_type,
)

KeyPath = tuple[str | int, ...]
"""The keys and list places that lead to a value."""

AnyModel = TypeVar("AnyModel", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong at a path of the data.

    Attributes:
        path: where.
        what: what was found, in one clause.
        instead: what to write instead.
        at: ``key`` or ``value``: which of the two is wrong.
        about: the text below ``path`` that is wrong, such as a name in a list.
        type: pydantic's name of the error, where pydantic found it.
    """

    path: KeyPath
    what: str
    instead: str = ""
    at: Literal["key", "value"] = "value"
    about: str = ""
    type: str = ""


def show_path(path: KeyPath) -> str:
    """A path as text: ``retrievers.bm25.k1``, ``measures[2]``, ``retrievers."bm25.v2".k1``."""
    shown = ""
    for step in path:
        if isinstance(step, int):
            shown += f"[{step}]"
        else:
            plain = re.fullmatch(r"[^\s.\[\]\"'=]+", step)
            shown += ("." if shown else "") + (step if plain else f'"{step}"')
    return shown


def carried(problem: Problem) -> PydanticCustomError:
    """A problem as a validator of pydantic raises it; it arrives as a finding with its words."""
    return PydanticCustomError(
        "ragscore",
        "{problem}",
        {"what": problem.what, "instead": problem.instead, "problem": str(problem)},
    )


def contradiction(key: str, what: str, instead: str = "") -> PydanticCustomError:
    """What a validator of a whole model raises: a value that does not go with the others.

    Args:
        key: of the value.
        what: is wrong, in one clause.
        instead: what to write instead.
    """
    facts = {"key": key, "what": what, "instead": instead}
    return PydanticCustomError(CONTRADICTION, "{key}: {what}. {instead}", facts)


def check_tokenizer(unit: str, tokenizer: str | None) -> None:
    """Check that a tokenizer is named where tokens are counted, and nowhere else."""
    if unit == "tokens" and not tokenizer:
        what = "tokens are counted by a tokenizer, and none is given"
        raise contradiction("tokenizer", what, "Name one, such as minilm, or count words")
    if unit != "tokens" and tokenizer is not None:
        what = f"a tokenizer counts nothing where the unit is {unit}"
        raise contradiction("tokenizer", what, "Count tokens, or leave the tokenizer out")


def checked(model: type[AnyModel], data: Any) -> tuple[AnyModel | None, list[Finding]]:
    """The model of plain data, and what is wrong with it: at most one finding for each path.

    The model is None if anything is wrong. There is no finding where options contradict each
    other: the model raises a ConfigError of its own for that.
    """
    made, found = None, list[Finding]()
    try:
        made = model.model_validate(data)
    except ConfigError:
        pass
    except ValidationError as error:
        found = error_findings(model, data, error)
    # Only now are all models known: a kind may be that of a package which was loaded when needed.
    scalars = list(_wrong_scalars([model], data, (), YAML))
    return (None if scalars else made), _first_of_each_path([*scalars, *found])


def error_findings(
    model: type[BaseModel], data: Any, error: ValidationError, notation: Notation = YAML
) -> list[Finding]:
    """What pydantic says of plain data, at most one finding for each path.

    Args:
        model: what the data was to be.
        data: as it was written.
        error: what pydantic raised.
        notation: the language that the data was written in.
    """
    located = [
        _located(model, data, detail)
        for detail in error.errors(include_url=False)
        if detail["type"] != "default_factory_not_called"  # it follows from another error
    ]
    # A key that is missing or contradicts says which branch of a union was meant, as what is wrong
    # below does.
    meant = [
        (*path, "") if fault.detail["type"] in ("missing", CONTRADICTION) else path
        for path, fault in located
    ]
    unknown = [path for path, fault in located if fault.detail["type"] == "extra_forbidden"]
    found = []
    for path, fault in located:
        # Pydantic reports the branches of a union that were not meant, and counts only those
        # items of a list that are right.
        doubtful = is_type_error(fault.detail) or fault.detail["type"] == "too_short"
        if doubtful and any(len(other) > len(path) and _starts(other, path) for other in meant):
            continue
        if _is_missing(fault) and _misspelt(path, fault, unknown):
            continue
        wording = wording_of(fault, notation)
        whole = (*path, wording.key) if wording.key else path
        error_type = fault.detail["type"]
        found.append(Finding(whole, wording.what, wording.instead, wording.at, type=error_type))
    return _first_of_each_path(found)


def first_fault(model: type[BaseModel], data: Any, error: ValidationError) -> str:
    """The first thing that pydantic says of a file's JSON, in one clause with its place. The others
    are not looked at: there may be millions where the file is a stranger's."""
    path, fault = _located(model, data, error.errors(include_url=False)[0])
    wording = wording_of(fault, JSON)
    place = show_path((*path, wording.key) if wording.key else path)
    return f"{place}: {wording.what}" if place else wording.what


def argument_problems(
    model: type[BaseModel],
    data: Mapping[str, Any],
    error: ValidationError,
    *,
    owner: str = "",
    notation: Notation = YAML,
) -> list[Problem]:
    """What is wrong with the arguments of a call, one problem for each, at the argument's name.

    Args:
        model: what the arguments were to be.
        data: the arguments.
        error: what pydantic raised.
        owner: what the names are put behind, such as the class.
        notation: how messages name values.
    """
    found = _first_of_each_path(
        [
            *_wrong_scalars([model], dict(data), (), notation),
            *error_findings(model, dict(data), error, notation),
        ]
    )
    prefix = (owner,) if owner else ()
    return [
        Problem(finding.what, show_path((*prefix, *finding.path)), finding.instead)
        for finding in found
    ]


def from_options(model: type[AnyModel], options: Mapping[str, Any]) -> AnyModel:
    """The model of keyword options, or of flags.

    Raises:
        ConfigError: a name or value that is not allowed, at the option's name.
    """
    try:
        return model.model_validate(dict(options))
    except ValidationError as error:
        raise ConfigError(argument_problems(model, options, error, notation=OPTIONS)) from None


def _first_of_each_path(found: Iterable[Finding]) -> list[Finding]:
    first: dict[KeyPath, Finding] = {}
    for finding in found:
        first.setdefault(finding.path, finding)
    return list(first.values())


def _is_missing(fault: Fault) -> bool:
    return fault.detail["type"] == "missing"


def _misspelt(path: KeyPath, fault: Fault, unknown: Sequence[KeyPath]) -> bool:
    """True if the key that a mapping lacks is there, misspelt."""
    written = [str(other[-1]) for other in unknown if other[:-1] == path]
    return bool(get_close_matches(str(fault.detail["loc"][-1]), written))


def _starts(path: KeyPath, beginning: KeyPath) -> bool:
    return path[: len(beginning)] == beginning


def _wrong_scalars(
    candidates: Sequence[Any], value: Any, path: KeyPath, notation: Notation
) -> Iterator[Finding]:
    """Numbers and truth values that pydantic would make of something else, and the reverse."""
    if isinstance(value, Mapping | list):
        steps: Iterable[Any] = value if isinstance(value, Mapping) else range(len(value))
        for step in steps:
            inner = below(candidates, value, step)
            yield from _wrong_scalars(inner, value[step], (*path, step), notation)
        return
    plain = [leaf for leaf in candidates if leaf is not type(None)]
    if value is None or not plain or not all(leaf in NUMBERS for leaf in plain):
        return
    fits = {
        bool: isinstance(value, bool),
        int: isinstance(value, int) and not isinstance(value, bool),
        float: isinstance(value, int | float) and not isinstance(value, bool),
    }
    if not any(fits[leaf] for leaf in plain):
        wording = wrong_type(value, plain, notation)
        yield Finding(path, wording.what, wording.instead)


def _located(model: type[BaseModel], data: Any, detail: ErrorDetails) -> tuple[KeyPath, Fault]:
    """The path of an error without the steps by which pydantic names the branch of a union, and
    what stands there."""
    path: KeyPath = ()
    candidates: list[Any] = [model]
    owners: list[type[BaseModel]] = []
    outer: list[type[BaseModel]] = []
    value = data
    entered = True
    steps = detail["loc"]
    for position, step in enumerate(steps):
        last = position == len(steps) - 1
        is_tag = (
            entered
            and isinstance(value, Mapping)
            and step == value.get("kind")
            and not (last and detail["type"] in ("missing", "extra_forbidden"))
        )
        entered = False
        if is_tag:
            continue
        if isinstance(value, Mapping):
            inside = isinstance(step, str) and step in value
        else:
            inside = isinstance(value, list | tuple) and isinstance(step, int) and step < len(value)
        if inside:
            outer, owners = owners, models_for(candidates, value)
            candidates = below(candidates, value, step)
            value, path, entered = value[step], (*path, step), True
        elif isinstance(value, str) and isinstance(step, int):  # a validator made a list of a text
            candidates, value = below(candidates, [], step), detail["input"]
    holder = path[-2] if len(path) > 1 else ""
    return path, Fault(value, candidates, owners, detail, outer, str(holder))
