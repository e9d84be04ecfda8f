"""Pydantic's errors in plain words, one for each fault, at the path that was written.

Pydantic reports every branch of a union and counts ``"0.9"`` as a number. Here the model's
annotations are walked beside the data, so that each value has one expectation.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from ragscore.errors import did_you_mean
from ragscore.experiment.scalars import AmbiguousError, resolve
from ragscore.experiment.yaml import Path

_NUMBERS = {int: "a whole number", float: "a number", bool: "true or false"}
_NAMES: dict[type, str] = {**_NUMBERS, str: "text"}


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
    except ValidationError as error:
        faults = [_located(model, data, detail) for detail in error.errors()]
        for fault in faults:
            beside = _is_type(fault.detail) and any(
                other.path[: len(fault.path)] == fault.path and len(other.path) > len(fault.path)
                for other in faults
            )
            if not beside:  # else it is a branch of a union that was not meant
                finding = _finding(fault)
                found.setdefault(finding.path, finding)
    return list(found.values())


def leaves(*annotations: Any) -> list[Any]:
    """The types that annotations allow, unions and aliases opened."""
    found: list[Any] = []
    for annotation in annotations:
        origin = get_origin(annotation)
        if origin is Annotated:
            found += leaves(get_args(annotation)[0])
        elif origin in (Union, types.UnionType):
            found += leaves(*get_args(annotation))
        elif hasattr(annotation, "__value__"):
            found += leaves(annotation.__value__)
        else:
            found.append(annotation)
    return found


def models_for(candidates: Sequence[Any], value: Any) -> list[type[BaseModel]]:
    """The models among the candidates that a mapping can mean, going by its ``kind``."""
    models = [leaf for leaf in candidates if isinstance(leaf, type) and issubclass(leaf, BaseModel)]
    kind = value.get("kind") if isinstance(value, Mapping) else None
    named = [model for model in models if kind in kinds([model])]
    return named or models


def kinds(models: Iterable[type[BaseModel]]) -> list[str]:
    """The values of ``kind`` that tell the models apart."""
    return [
        kind
        for model in models
        if "kind" in model.model_fields
        for kind in get_args(model.model_fields["kind"].annotation)
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


def _below(candidates: Sequence[Any], value: Any, step: str | int) -> list[Any]:
    """What is allowed one step below a value of the candidates."""
    found: list[Any] = []
    for model in models_for(candidates, value):
        if step in model.model_fields:
            found += leaves(model.model_fields[str(step)].annotation)
    for leaf in candidates:
        arguments = get_args(leaf)
        if not arguments or get_origin(leaf) is Literal:
            continue
        if isinstance(value, Mapping) and issubclass(get_origin(leaf) or object, Mapping):
            found += leaves(arguments[1])
        elif isinstance(value, list) and not issubclass(get_origin(leaf) or object, Mapping):
            position = step if isinstance(step, int) and Ellipsis not in arguments else 0
            found += leaves(arguments[min(position, len(arguments) - 1)])
    return found


def _wrong_scalars(candidates: list[Any], value: Any, path: Path) -> Iterator[Finding]:
    """Numbers and truth values that pydantic would make of something else, and the reverse."""
    if isinstance(value, Mapping | list):
        steps: Iterable[Any] = value if isinstance(value, Mapping) else range(len(value))
        for step in steps:
            yield from _wrong_scalars(_below(candidates, value, step), value[step], (*path, step))
        return
    plain = [leaf for leaf in candidates if leaf is not type(None)]
    if value is None or not plain or not all(leaf in _NUMBERS for leaf in plain):
        return
    fits = {
        bool: isinstance(value, bool),
        int: isinstance(value, int) and not isinstance(value, bool),
        float: isinstance(value, int | float) and not isinstance(value, bool),
    }
    if not any(fits[leaf] for leaf in plain):
        yield _wrong_type(path, plain, value)


def _wrong_type(path: Path, candidates: Sequence[Any], value: Any) -> Finding:
    expected = _expected(candidates)
    instead = ""
    if isinstance(value, str) and any(leaf in _NUMBERS for leaf in candidates):
        try:
            read = resolve(value)
        except AmbiguousError:
            read = None
        if value and any(isinstance(read, leaf) for leaf in candidates if leaf in _NUMBERS):
            instead = f"Write {value} without quotes"
    elif isinstance(value, int | float) and str in candidates:
        instead = "Write it in quotes"
    if models := models_for(candidates, None):
        if isinstance(value, str) and value in kinds(models):
            instead = f"Write {{kind: {value}}}"
    return Finding(path, f"{describe(value)} where {expected} is expected", instead)


def _expected(candidates: Sequence[Any]) -> str:
    names: list[str] = []
    for leaf in candidates:
        origin = get_origin(leaf) or leaf
        if origin is Literal:
            allowed = [str(item).lower() if isinstance(item, bool) else str(item)
                       for item in get_args(leaf)]
            names.append(allowed[0] if len(allowed) == 1 else "one of " + ", ".join(allowed))
        elif origin in _NAMES:
            names.append(_NAMES[origin])
        elif isinstance(origin, type) and origin is not type(None):
            is_list = issubclass(origin, Sequence)
            names.append("a list" if is_list else "a mapping of keys with values")
    return " or ".join(dict.fromkeys(names)) or "something else"


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
        is_tag = fresh and isinstance(value, Mapping) and step == value.get("kind") and not (
            last and detail["type"] in ("missing", "extra_forbidden")
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
            candidates = _below(candidates, value, step)
            value, path, fresh = value[step], (*path, step), True
    return _Fault(path, value, candidates, models_for(candidates, value), owners, detail)


def _is_type(detail: ErrorDetails) -> bool:
    name = detail["type"]
    return name.endswith(("_type", "_parsing", "_from_float")) or name in (
        "literal_error", "none_required", "is_instance_of", "model_attributes_type"
    )


def _finding(fault: _Fault) -> Finding:
    path, value, detail = fault.path, fault.value, fault.detail
    name, context = detail["type"], detail.get("ctx", {})
    if name == "extra_forbidden":
        allowed = list(dict.fromkeys(key for owner in fault.owners for key in owner.model_fields))
        return Finding(path, "unknown key", did_you_mean(str(path[-1]), allowed), "key")
    if name == "missing":
        return _missing(path, fault.models, str(detail["loc"][-1]))
    if name == "union_tag_not_found":
        return Finding(path, "kind is missing", f"Allowed: {', '.join(kinds(fault.models))}", "key")
    if name == "union_tag_invalid":
        tag = str(context["tag"])
        hint = did_you_mean(tag, kinds(fault.models))
        return Finding((*path, "kind"), f"unknown kind '{tag}'", hint)
    if name == "ragscore":
        return Finding(path, str(context["what"]), str(context["instead"]))
    if name in ("value_error", "assertion_error"):
        return Finding(path, str(context.get("error", detail["msg"])))
    if name == "literal_error" and isinstance(value, str):
        choices = [str(item) for leaf in fault.candidates if get_origin(leaf) is Literal
                   for item in get_args(leaf)]
        return Finding(path, f"unknown value '{value}'", did_you_mean(value, choices))
    if _is_type(detail):
        return _wrong_type(path, fault.candidates, value)
    return Finding(path, *_bound(name, context, value, detail["msg"]))


def _missing(path: Path, models: list[type[BaseModel]], key: str) -> Finding:
    field = next((model.model_fields[key] for model in models if key in model.model_fields), None)
    description = (field.description or "") if field else ""
    return Finding(path, f"{key} is missing", f"Add {key}: {description}" if description else "",
                   "key")


def _bound(name: str, context: Mapping[str, Any], value: Any, message: str) -> tuple[str, str]:
    """What and what instead of a value of the right type that is out of bounds."""
    bounds = {
        "greater_than": ("too small", "It must be more than {gt}"),
        "greater_than_equal": ("too small", "It must be at least {ge}"),
        "less_than": ("too large", "It must be less than {lt}"),
        "less_than_equal": ("too large", "It must be at most {le}"),
    }
    if name in bounds:
        what, instead = bounds[name]
        return f"{describe(value)} is {what}", instead.format(**context)
    if name in ("too_short", "string_too_short") and not value:
        return "empty", "At least one is needed" if name == "too_short" else "Write a text"
    if name == "finite_number":
        return f"{describe(value)}, which is not finite", "Write a finite number"
    if name == "string_pattern_mismatch":
        return f"{describe(value)} does not have its form", f"It must match {context['pattern']}"
    plain = message.replace("Input should be ", "must be ").replace("Input ", "")
    return f"{describe(value)}: {plain}", ""
