"""Spec: the frozen pydantic base of everything that can be configured.

``BM25(k1=0.9)`` in Python and ``{kind: bm25, k1: 0.9}`` in YAML are the same object. Its
canonical JSON, defaults included, is what caches and manifests are keyed by.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Self

from pydantic import ConfigDict, ValidationError, model_validator
from pydantic_core import InitErrorDetails

from ragscore.described import Described
from ragscore.errors import Problem
from ragscore.validation.findings import KeyPath, carried, from_options
from ragscore.validation.wording import number_text

MAX_WHOLE = 2**63 - 1
"""The largest whole number, as in the files of a result: a larger one could not be read back."""


class Spec(Described):
    """A frozen, strict description without state; equal specs have equal digests."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        protected_namespaces=(),
        validate_default=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _whole_numbers_fit(cls, data: Any) -> Any:
        found = [
            InitErrorDetails(type=carried(_too_large(number)), loc=path, input=number)
            for path, number in _large_numbers(data, ())
        ]
        if found:
            raise ValidationError.from_exception_data(cls.__name__, found)
        return data

    def canonical_json(self) -> str:
        """All fields, defaults included, as JSON with sorted keys and no spaces."""
        return canonical_json(self.model_dump(mode="json"))

    def changed(self, **options: Any) -> Self:
        """The same description with single options changed.

        Raises:
            ConfigError: a name or value that is not allowed, at the option's name.
        """
        given = {name: getattr(self, name) for name in self.model_fields_set}
        return from_options(type(self), {**given, **options}) if options else self

    def digest(self) -> str:
        """SHA-256 of the class's kind or name and :meth:`canonical_json`: 64 hex digits."""
        return digest_text(f"{type(self).__name__}{self.canonical_json()}")


def _large_numbers(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, int]]:
    """The whole numbers in plain data that no result can hold, with their paths."""
    if isinstance(value, int):
        if abs(value) > MAX_WHOLE:
            yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _large_numbers(inner, (*path, key))
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            yield from _large_numbers(inner, (*path, place))


def _too_large(number: int) -> Problem:
    size = "large" if number > 0 else "small"
    return Problem(
        f"the whole number {number_text(number)} is too {size}",
        instead=f"Whole numbers may have 64 bits: up to {MAX_WHOLE}",
    )


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest_text(text: str) -> str:
    """SHA-256 of a text in UTF-8: 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
