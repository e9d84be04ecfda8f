"""Record: a frozen dataclass that is its own JSON, and describes it.

What a user holds, what a file says and what a JSON Schema describes are one class. Its fields are
described by the docstrings below them. A number that does not exist (NaN, infinite) is null in
JSON, and NaN equals NaN in a record; both happen here and nowhere else.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Mean(Record):
...     value: MaybeNaN
>>> Mean(float("nan")).to_dict()
{'value': None}
>>> Mean(float("nan")) == Mean(float("nan"))
True
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Self,
    TypeVar,
    get_args,
    get_type_hints,
)

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    PlainSerializer,
    TypeAdapter,
    WithJsonSchema,
    computed_field,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ragscore.docstrings import field_docstring

T = TypeVar("T")

DIALECT = "https://json-schema.org/draft/2020-12/schema"
"""What our JSON Schemas are written in."""

MaybeNaN = Annotated[
    float,
    BeforeValidator(lambda value: math.nan if value is None else value),
    WithJsonSchema({"anyOf": [{"type": "number"}, {"type": "null"}]}),
]
"""A number that may not exist: NaN in memory, null in JSON."""

FloatArray = Annotated[
    NDArray[Any],
    PlainSerializer(lambda values: values.tolist(), return_type=list[MaybeNaN]),
]
"""Numbers along one axis: an array in memory, a list in JSON."""
CountArray = Annotated[
    NDArray[Any],
    PlainSerializer(lambda values: values.tolist(), return_type=list[int]),
]
"""The same of whole numbers."""


if TYPE_CHECKING:
    json_property = property
else:

    def json_property(method):
        """A property of a record that is written to JSON, too."""
        return computed_field(property(method))


class Record:
    """Base of frozen dataclasses that are written as JSON.

    Unknown keys are refused, so that the schema and the files cannot drift apart. Records of one
    class are equal where their fields are, arrays by shape and values, and NaN equals NaN.
    """

    __slots__ = ()
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(
        arbitrary_types_allowed=True,
        extra="forbid",
        json_schema_serialization_defaults_required=True,
    )

    def __init_subclass__(cls) -> None:
        """Keeps the decorator from writing methods of its own, by which NaN differs from NaN."""
        super().__init_subclass__()
        for name in ("__eq__", "__hash__"):
            setattr(cls, name, Record.__dict__[name])

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self is other or bool(_comparable(self) == _comparable(other))

    def __hash__(self) -> int:
        return hash(_comparable(self))

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON, in full precision; a number that does not exist is null."""
        document: dict[str, Any] = json.loads(adapter(type(self)).dump_json(self, by_alias=True))
        return document

    @classmethod
    def from_dict(cls, document: Any) -> Self:
        """What :meth:`to_dict` gave, but for what it leaves out.

        Raises:
            pydantic.ValidationError: the document is not of this class.
        """
        return adapter(cls).validate_python(document)

    @classmethod
    def json_schema(cls, title: str) -> dict[str, Any]:
        """JSON Schema (draft 2020-12) of what :meth:`to_dict` gives, under this title."""
        schema = adapter(cls).json_schema(mode="serialization", by_alias=True)
        return {"$schema": DIALECT, **schema, "title": title}

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, hint in get_type_hints(cls, include_extras=True).items():
            inside = properties.get(_key(name, hint))
            described = field_docstring(cls, name)
            if inside is None:
                continue
            inside.pop("default", None)  # of Python; in JSON every field is written
            if described:
                inside["description"] = described
        return schema


class _Items(dict[Any, Any]):
    """A dict that hashes by its keys, since not all that stands in one can."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self))


def _comparable(value: Any) -> Any:
    """What is equal, and hashes alike, for equal values: containers take one NaN for itself."""
    if isinstance(value, (float, np.floating)):
        return math.nan if math.isnan(value) else value
    if is_dataclass(value) and not isinstance(value, type):
        compared = (getattr(value, field.name) for field in fields(value) if field.compare)
        return (type(value), *map(_comparable, compared))
    if isinstance(value, (tuple, list)):
        return (type(value), *map(_comparable, value))
    if isinstance(value, np.ndarray):
        return (np.ndarray, value.shape, *map(_comparable, value.ravel().tolist()))
    if isinstance(value, Mapping):
        return _Items((key, _comparable(inside)) for key, inside in value.items())
    return frozenset(map(_comparable, value)) if isinstance(value, AbstractSet) else value


def _key(name: str, hint: Any) -> str:
    """What a field is called in JSON."""
    aliases = (getattr(extra, "serialization_alias", None) for extra in get_args(hint)[1:])
    return next(filter(None, aliases), name)


_ADAPTERS: dict[type[Any], TypeAdapter[Any]] = {}


def adapter(kind: type[T]) -> TypeAdapter[T]:
    """What reads, writes and describes a class; made once, which takes a while."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
