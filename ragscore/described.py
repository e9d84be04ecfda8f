"""Described: a pydantic base whose errors are plain words and whose fields describe themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ragscore.docstrings import describe_field
from ragscore.errors import ConfigError, RagscoreError
from ragscore.validation.findings import argument_problems

MOST_CHARACTERS = 60
MOST_ITEMS = 20


class Described(BaseModel):
    """Base of models whose JSON Schema carries the docstrings of their fields."""

    model_config = ConfigDict(defer_build=True)  # what nobody uses costs nothing at start-up
    constructor_error: ClassVar[type[RagscoreError]] = ConfigError

    if not TYPE_CHECKING:

        def __init__(self, **values: Any) -> None:
            """Check the values.

            Raises:
                ConfigError: a name or value that is not allowed; ``constructor_error``, where a
                    class has another.
            """
            try:
                super().__init__(**values)
            except ValidationError as error:
                owner = type(self).__name__
                problems = argument_problems(type(self), values, error, owner=owner)
                raise self.constructor_error(problems) from None

        # Inside another model pydantic goes on as if this were its own constructor.
        __init__.__pydantic_base_init__ = True

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """What differs from the defaults."""
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if field.is_required() or value != field.get_default(
                call_default_factory=True, validated_data=self.__dict__
            ):
                yield name, value

    def __repr__(self) -> str:
        """One line: what differs from the defaults, long values cut."""
        shown = (f"{name}={in_short(value)}" for name, value in self.__repr_args__())
        return f"{type(self).__name__}({', '.join(shown)})"

    def __str__(self) -> str:
        return repr(self)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, field in cls.model_fields.items():
            inside = properties.get(field.alias or name)
            described = describe_field(cls, name)
            if inside is not None and described:
                inside["description"] = described
        return schema


def in_short(value: object) -> str:
    """A value on one line, cut where it is long.

    >>> in_short("word " * 100)
    "'word word word word word word word word word word word wor..."
    """
    if isinstance(value, list | tuple | dict) and len(value) > MOST_ITEMS:
        kind = type(value).__name__
        return f"<{kind} of {len(value)}>"
    shown = " ".join(repr(value).splitlines())
    return shown if len(shown) <= MOST_CHARACTERS else f"{shown[: MOST_CHARACTERS - 1]}..."
