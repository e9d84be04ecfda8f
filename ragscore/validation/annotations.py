"""What a model's annotations allow at each place of plain data."""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

NUMBERS = {int: "a whole number", float: "a number", bool: "true or false"}
_NAMES: dict[type, str] = {**NUMBERS, str: "text"}


def leaves(*annotations: Any) -> list[Any]:
    """The types that annotations allow, unions and aliases opened."""
    found: list[Any] = []
    for annotation in annotations:
        origin = get_origin(annotation)
        if origin is Annotated:
            inside, *metadata = get_args(annotation)
            tables = [item for item in metadata if hasattr(item, "models")]
            found += tables[0].models() if tables else leaves(inside)
        elif origin in (Union, types.UnionType):
            found += leaves(*get_args(annotation))
        elif hasattr(annotation, "__value__"):
            found += leaves(annotation.__value__)
        else:
            found.append(annotation)
    return found


def keys_of(model: type[BaseModel]) -> list[str]:
    """The keys of a model as they are written (a field's alias where it has one): ``kind``, those
    of its own class, those of its bases, the nearest first."""

    def distance(name: str) -> int:
        owners = (name in vars(base).get("__annotations__", {}) for base in model.__mro__)
        return -1 if name == "kind" else next(at for at, owns in enumerate(owners) if owns)

    names = sorted(model.model_fields, key=distance)
    return [model.model_fields[name].alias or name for name in names]


def models_for(candidates: Sequence[Any], value: Any) -> list[type[BaseModel]]:
    """The models among the candidates that a mapping can mean, going by its ``kind``."""
    models = [leaf for leaf in candidates if isinstance(leaf, type) and issubclass(leaf, BaseModel)]
    kind = value.get("kind") if isinstance(value, Mapping) else None
    named = [model for model in models if kind in kinds([model])]
    return named or models


def kinds(models: Iterable[type[BaseModel]]) -> list[str]:
    """The values of ``kind`` by which the models are told apart."""
    return [
        kind
        for model in models
        if "kind" in model.model_fields
        for kind in get_args(model.model_fields["kind"].annotation)
    ]


def below(candidates: Sequence[Any], value: Any, step: str | int) -> list[Any]:
    """What is allowed one step below a value of the candidates."""
    found: list[Any] = []
    for model in models_for(candidates, value):
        for name, field in model.model_fields.items():
            if step == (field.alias or name):
                found += leaves(Annotated[(field.annotation, None, *field.metadata)])
    for leaf in candidates:
        if is_dataclass(leaf):
            hint = get_type_hints(leaf, include_extras=True).get(str(step))
            found += [] if hint is None else leaves(hint)
        arguments = get_args(leaf)
        if not arguments or get_origin(leaf) is Literal:
            continue
        if isinstance(value, Mapping) and issubclass(get_origin(leaf) or object, Mapping):
            found += leaves(arguments[1])
        elif isinstance(value, list | tuple) and not issubclass(
            get_origin(leaf) or object, Mapping
        ):
            position = step if isinstance(step, int) and Ellipsis not in arguments else 0
            found += leaves(arguments[min(position, len(arguments) - 1)])
    return found


def expected(candidates: Sequence[Any], a_mapping: str) -> str:
    """What the candidates allow, in words: ``a number or true or false``."""
    names: list[str] = []
    for leaf in candidates:
        origin = get_origin(leaf) or leaf
        if origin is Literal:
            allowed = [
                str(item).lower() if isinstance(item, bool) else str(item)
                for item in get_args(leaf)
            ]
            names.append(allowed[0] if len(allowed) == 1 else "one of " + ", ".join(allowed))
        elif origin in _NAMES:
            names.append(_NAMES[origin])
        elif isinstance(origin, type) and origin is not type(None):
            if _takes_text(origin):
                names.append("text")
            is_list = issubclass(origin, Sequence)
            names.append("a list" if is_list else a_mapping)
    return " or ".join(dict.fromkeys(names)) or "something else"


def _takes_text(origin: type) -> bool:
    """True for a model that has a short form: text in the place of its keys."""
    if not issubclass(origin, BaseModel):
        return False
    try:
        origin.model_validate("text")
    except ValidationError as error:
        return not any(is_type_error(detail) for detail in error.errors())
    return True


def is_type_error(detail: ErrorDetails) -> bool:
    """True if pydantic says that a value is of the wrong type."""
    name = detail["type"]
    return name.endswith(("_type", "_parsing", "_from_float")) or name in (
        "literal_error",
        "none_required",
        "is_instance_of",
        "model_attributes_type",
    )
