"""Pydantic's errors in plain words, one for each fault, at the path that was written.

Pydantic reports every branch of a union and counts ``"0.9"`` as a number. Here the model's
annotations are walked beside the data, so that each value has one expectation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from ragscore.docstrings import describe_field
from ragscore.errors import ConfigError, Problem, did_you_mean
from ragscore.validation.annotations import NUMBERS, below, expected, is_type, kinds, models_for
from ragscore.validation.scalars import AmbiguousError, resolve

Path = tuple[str | int, ...]
"""The keys and list places that lead to a value."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong at a path of the data.

    Attributes:
        path: where.
        what: what was found, in one clause.
        instead: what to write instead.
        at: ``key`` or ``value``: which of the two is wrong.
        about: a text somewhere below ``path`` that is meant, such as a name in a list.
    """

    path: Path
    what: str
    instead: str = ""
    at: Literal["key", "value"] = "value"
    about: str = ""


def schema_findings(model: type[BaseModel], data: Any) -> list[Finding]:
    """What of plain data a model does not take: at most one finding for each path."""
    found = {finding.path: finding for finding in _wrong_scalars([model], data, ())}
    try:
        TypeAdapter(model).validate_python(data)
    except ConfigError:
        pass  # the schema is met; what does not fit together is found, with places, elsewhere
    except ValidationError as error:
        faults = [_located(model, data, detail) for detail in error.errors()]
        for fault in faults:
            # Pydantic counts only the items that are right.
            doubtful = is_type(fault.detail) or fault.detail["type"] == "too_short"
            beside = doubtful and any(
                other.path[: len(fault.path)] == fault.path and len(other.path) > len(fault.path)
                for other in faults
            )
            if not beside:  # else it is a branch of a union that was not meant
                finding = _finding(fault)
                found.setdefault(finding.path, finding)
    return list(found.values())


def constructor_problems(
    model: type[BaseModel], data: Mapping[str, Any], error: ValidationError
) -> list[Problem]:
    """What is wrong with the arguments of a model's constructor, one problem for each.

    Args:
        model: its class.
        data: the arguments.
        error: what pydantic says of them.
    """
    found = schema_findings(model, dict(data)) or [
        Finding(tuple(detail["loc"]), str(detail["msg"])) for detail in error.errors()
    ]
    return [
        Problem(finding.what, ".".join(map(str, (model.__name__, *finding.path))), finding.instead)
        for finding in found
    ]


def describe(value: Any) -> str:
    """A value in words: ``the text 'high'``, ``the number 3``, ``a list``."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f"the text '{value if len(value) <= 40 else value[:39] + '…'}'"
    if isinstance(value, int | float):
        return f"the number {value}"
    return "a list" if isinstance(value, list | tuple) else "keys with values"


def _wrong_scalars(candidates: list[Any], value: Any, path: Path) -> Iterator[Finding]:
    """Numbers and truth values that pydantic would make of something else, and the reverse."""
    if isinstance(value, Mapping | list):
        steps: Iterable[Any] = value if isinstance(value, Mapping) else range(len(value))
        for step in steps:
            yield from _wrong_scalars(below(candidates, value, step), value[step], (*path, step))
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
        yield _wrong_type(path, plain, value)


def _wrong_type(path: Path, candidates: Sequence[Any], value: Any) -> Finding:
    wanted = expected(candidates)
    instead = ""
    if isinstance(value, str) and any(leaf in NUMBERS for leaf in candidates):
        try:
            read = resolve(value)
        except AmbiguousError:
            read = None
        if value and any(isinstance(read, leaf) for leaf in candidates if leaf in NUMBERS):
            instead = f"Write {value} without quotes"
    elif isinstance(value, int | float) and str in candidates:
        instead = "Write it in quotes"
    if allowed := kinds(models_for(candidates, None)):
        instead = f"Write {{kind: {value if value in allowed else '...'}}}"
        instead += "" if value in allowed else f" with one of {', '.join(allowed)}"
    if isinstance(value, str) and wanted == "a list":
        instead = f"Write [{value}]"
    return Finding(path, f"{describe(value)} where {wanted} is expected", instead)


@dataclass(frozen=True, slots=True)
class _Fault:
    """One of pydantic's errors, found in the data as written.

    Attributes:
        path: where; without the steps by which pydantic names the branch of a union.
        value: what is written there.
        candidates: the types that it may have.
        models: the models that it may be.
        owners: the models of the mapping that holds it.
        detail: what pydantic says.
    """

    path: Path
    value: Any
    candidates: list[Any]
    models: list[type[BaseModel]]
    owners: list[type[BaseModel]]
    detail: ErrorDetails


def _located(model: type[BaseModel], data: Any, detail: ErrorDetails) -> _Fault:
    path: Path = ()
    candidates: list[Any] = [model]
    owners: list[type[BaseModel]] = []
    value = data
    fresh = True
    for position, step in enumerate(detail["loc"]):
        last = position == len(detail["loc"]) - 1
        is_tag = (
            fresh
            and isinstance(value, Mapping)
            and step == value.get("kind")
            and not (last and detail["type"] in ("missing", "extra_forbidden"))
        )
        fresh = False
        if is_tag:
            continue
        if isinstance(value, Mapping):
            inside = isinstance(step, str) and step in value
        else:
            inside = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if inside:
            owners = models_for(candidates, value)
            candidates = below(candidates, value, step)
            value, path, fresh = value[step], (*path, step), True
    return _Fault(path, value, candidates, models_for(candidates, value), owners, detail)


def _finding(fault: _Fault) -> Finding:
    path, value, detail = fault.path, fault.value, fault.detail
    name, context = detail["type"], detail.get("ctx", {})
    if name == "extra_forbidden":
        keys = dict.fromkeys(key for owner in fault.owners for key in owner.model_fields)
        allowed = sorted(keys, key=lambda key: key != "kind")
        return Finding(path, "unknown key", did_you_mean(str(path[-1]), allowed), "key")
    if name == "missing":
        return _missing(path, fault.models, str(detail["loc"][-1]))
    if name == "union_tag_not_found":
        allowed = kinds(fault.models)
        return Finding((*path, "kind"), "missing", f"Allowed: {', '.join(allowed)}", "key")
    if name == "union_tag_invalid":
        tag = str(context["tag"])
        hint = did_you_mean(tag, kinds(fault.models))
        return Finding((*path, "kind"), f"unknown kind '{tag}'", hint)
    if name == "ragscore":
        return Finding(path, str(context["what"]), str(context["instead"]))
    if name in ("value_error", "assertion_error"):
        return Finding(path, str(context.get("error", detail["msg"])))
    if name == "literal_error" and isinstance(value, str):
        choices = [
            str(item)
            for leaf in fault.candidates
            if get_origin(leaf) is Literal
            for item in get_args(leaf)
        ]
        return Finding(path, f"unknown value '{value}'", did_you_mean(value, choices))
    if is_type(detail):
        return _wrong_type(path, fault.candidates, value)
    return Finding(path, *_bound(name, context, value, detail["msg"]))


def _missing(path: Path, models: list[type[BaseModel]], key: str) -> Finding:
    described = (describe_field(model, key) for model in models if key in model.model_fields)
    description = next(described, "")
    return Finding((*path, key), "missing", f"Add it: {description}" if description else "", "key")


def _bound(name: str, context: Mapping[str, Any], value: Any, message: str) -> tuple[str, str]:
    """What and what instead of a value of the right type that is out of bounds."""
    bounds = {
        "greater_than": ("too small", "It must be more than {gt:g}"),
        "greater_than_equal": ("too small", "It must be at least {ge:g}"),
        "less_than": ("too large", "It must be less than {lt:g}"),
        "less_than_equal": ("too large", "It must be at most {le:g}"),
    }
    if name in bounds:
        what, instead = bounds[name]
        return f"{describe(value)} is {what}", instead.format(**context)
    if name in ("too_short", "string_too_short") and not value:
        return "empty", "At least one is needed" if name == "too_short" else "Write a text"
    if name == "too_short":
        return f"only {context['actual_length']}", f"At least {context['min_length']} are needed"
    if name == "finite_number":
        return f"{describe(value)}, which is not finite", "Write a finite number"
    if name == "string_pattern_mismatch":
        return f"{describe(value)} does not have its form", f"It must match {context['pattern']}"
    plain = message.replace("Input should be ", "must be ").replace("Input ", "")
    return f"{describe(value)}: {plain}", ""
