"""Specs that differ by ``kind``: tables of them, and fields that take any spec of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    SerializationInfo,
    SerializerFunctionWrapHandler,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from ragscore.errors import ConfigError, Problem, did_you_mean
from ragscore.messages import Text
from ragscore.plugins import Catalogue
from ragscore.spec import Spec
from ragscore.validation.findings import carried
from ragscore.version import installed_version

AnyKind = TypeVar("AnyKind", bound="KindSpec")


class KindSpec(Spec):
    """Base of the specs of a table: a subclass gives its ``kind`` a literal, and adds options."""

    packages: ClassVar[tuple[str, ...]] = ()
    """Distributions of which another version may do something else with the same options."""

    kind: str

    def resolved(self, base: Path) -> Self:
        """The same description with paths that are relative to ``base``, the folder of the
        experiment file, made absolute; itself where it names no file."""
        return self

    def check(self) -> list[Problem]:
        """What can be found wrong before anything is built or loaded: files, packages, options that
        do not fit. Cheap, imports no code of the user's, and is called after :meth:`resolved`."""
        return []

    def doubt(self, written: str) -> Text | None:
        """Why it suits texts in a language badly, and what suits them better; None if nothing is
        known against it.

        Args:
            written: what :func:`~ragscore.text.script.written_in` says of the passages.
        """
        return None

    def versions(self) -> dict[str, str | None]:
        """The installed versions of its packages and those of the specs among its options; None
        for one that is not installed."""
        found = {package: installed_version(package) for package in self.packages}
        for name in type(self).model_fields:
            option = getattr(self, name)
            if isinstance(option, KindSpec):
                found |= option.versions()
        return found


def spec_catalogue(
    group: str, noun: str, base: type[Any], own: Mapping[str, type[AnyKind]]
) -> Catalogue[type[AnyKind]]:
    """A table of specs that have a ``kind``: that of the class is its name in the table."""

    def fits(name: str, thing: Any) -> bool:
        if not isinstance(thing, type) or not issubclass(thing, base):
            return False
        spec: type[KindSpec] = thing
        return bool(spec.model_fields["kind"].default == name)

    wanted = f"a subclass of {base.__module__}.{base.__name__} of this kind"
    return Catalogue(group, noun, own, wanted=wanted, fits=fits)


class OneOf:
    """Annotates a field that takes any spec of a table: ``Annotated[Base, OneOf(TABLE)]``.

    Ragscore's own are a union that the JSON Schema shows, discriminated by ``kind``. A kind that an
    installed package adds is loaded when a mapping names it.

    Args:
        table: kind to class.
        short: what a text stands for, as a mapping; a ValueError where it stands for nothing.
        texts: the texts that the JSON Schema shows.
    """

    def __init__(
        self,
        table: Catalogue[Any],
        short: Callable[[str], Mapping[str, Any]] | None = None,
        texts: Any = None,
    ) -> None:
        self.table = table
        self._short, self._texts = short, texts

    def models(self) -> list[type[KindSpec]]:
        """The specs that a value may be: ragscore's own and those that were loaded."""
        return list(self.table.values())

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        kinds: Any = reduce(or_, (self.table[kind] for kind in self.table.own))
        own = Annotated[kinds, Field(discriminator="kind")]
        schema = handler.generate_schema(own)
        shown = schema if self._texts is None else handler.generate_schema(self._texts | own)
        return core_schema.no_info_wrap_validator_function(
            self._validated,
            schema,
            json_schema_input_schema=shown,
            serialization=core_schema.wrap_serializer_function_ser_schema(
                self._serialized, info_arg=True, schema=schema
            ),
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        added = [name for name in self.table.names() if name not in self.table.own]
        if not added:
            return handler(schema)
        kind = {"type": "object", "properties": {"kind": {"enum": added}}, "required": ["kind"]}
        texts = [] if self._texts is None else [{"enum": added}]
        return {"anyOf": [handler(schema), kind, *texts]}

    def _validated(self, value: Any, handler: Callable[[Any], Any]) -> Any:
        if isinstance(value, str) and self._short is not None:
            value = self._short(value)
        own = self.table.own
        if isinstance(value, Spec):
            return (
                value
                if self.table.fits(getattr(value, "kind", ""), type(value))
                else handler(value)
            )
        kind = value.get("kind") if isinstance(value, Mapping) else None
        if not isinstance(kind, str) or kind in own:
            return handler(value)
        names = self.table.names()
        if kind not in names:
            raise PydanticCustomError(
                "union_tag_invalid", "unknown kind", {"tag": kind, "names": names}
            )
        try:
            added = self.table.load(kind)
        except ConfigError as error:  # it has a place in the file as every other problem
            raise carried(error.problems[0]) from error
        return added.model_validate(value)

    def _serialized(
        self, value: Any, handler: SerializerFunctionWrapHandler, info: SerializationInfo
    ) -> Any:
        if value.kind in self.table.own:
            return handler(value)
        return value.model_dump(mode=info.mode)


class NameOf:
    """Annotates a text that names a thing of a table: ``Annotated[str, NameOf(TABLE)]``.

    Names of installed packages are allowed; nothing is imported before the thing is used.

    Args:
        table: name to thing.
        also: other texts that are allowed, before the names.
    """

    def __init__(self, table: Catalogue[Any], also: tuple[str, ...] = ()) -> None:
        self.table, self.also = table, also

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "enum": [*self.also, *self.table.names()]}

    def _checked(self, name: str) -> str:
        if name in self.also or name in self.table:
            return name
        names = [*self.also, *self.table.names()]
        if name in names:
            return name
        raise carried(Problem(f"unknown {self.table.noun} '{name}'", "", did_you_mean(name, names)))
