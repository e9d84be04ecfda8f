"""What pydantic says of a value, in plain words: what was found, and what to write instead."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from ragscore.docstrings import describe_field
from ragscore.errors import did_you_mean
from ragscore.names import shortened
from ragscore.validation.annotations import (
    expected,
    is_type_error,
    keys_of,
    kinds,
    models_for,
)
from ragscore.validation.scalars import number_in

CONTRADICTION = "contradiction"
"""The type of a :func:`~ragscore.validation.findings.contradiction`."""
MOST_DIGITS = 20


def number_text(value: float) -> str:
    """A number as it is written; a whole one of more digits than anybody reads is rounded."""
    rounded = isinstance(value, int) and abs(value) >= 10**MOST_DIGITS
    return f"{Decimal(value):.6e}" if rounded else str(value)


@dataclass(frozen=True, slots=True)
class Notation:
    """How messages name values in the language that the reader wrote them in.

    Attributes:
        nothing: no value.
        mapping: keys with values, as something that was found.
        a_mapping: the same, as something that is expected.
        key: what the name of a value is called.
    """

    nothing: str = "nothing"
    mapping: str = "keys with values"
    a_mapping: str = "a mapping of keys with values"
    key: str = "key"

    def describe(self, value: Any) -> str:
        """A value in words: ``the text 'high'``, ``the number 3``, ``a list``."""
        if value is None:
            return self.nothing
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, str):
            return f"the text {self.text(value)}"
        if isinstance(value, int | float):
            return f"the number {number_text(value)}"
        if isinstance(value, list | tuple):
            return "a list"
        return self.mapping if isinstance(value, Mapping) else f"a value of {type(value).__name__}"

    def text(self, value: str) -> str:
        """A text in quotes, cut where it is long."""
        return f"'{shortened(value)}'"

    def quoted(self, value: object) -> str:
        """How to ask for quotes around a value that is not a text."""
        return "Write it in quotes"

    def listed(self, value: str) -> str:
        """A list of one text, as it is written."""
        return f"[{value}]"


class _Python(Notation):
    def listed(self, value: str) -> str:
        return repr([value])


class _Json(Notation):
    def text(self, value: str) -> str:
        return json.dumps(shortened(value), ensure_ascii=False)

    def listed(self, value: str) -> str:
        return f"[{self.text(value)}]"

    def quoted(self, value: object) -> str:
        return f'Write "{json.dumps(value)}" in quotes'


YAML = Notation()
OPTIONS = _Python(nothing="None", key="option")
"""Keyword options of a call, and flags."""
JSON = _Json(nothing="null", mapping="an object", a_mapping="an object")


@dataclass(frozen=True, slots=True)
class Fault:
    """One of pydantic's errors, located in the data as it was written.

    Attributes:
        value: what is written there.
        candidates: the types that it may have.
        owners: the models of the mapping that holds it.
        detail: what pydantic says.
        outer: the models of the mapping around that one.
        holder: the key of that mapping in the one around it.
    """

    value: Any
    candidates: Sequence[Any]
    owners: Sequence[type[BaseModel]]
    detail: ErrorDetails
    outer: Sequence[type[BaseModel]] = ()
    holder: str = ""

    @property
    def models(self) -> list[type[BaseModel]]:
        """The models that the value may be."""
        return models_for(self.candidates, self.value)


@dataclass(frozen=True, slots=True)
class Wording:
    """What is wrong, in words.

    Attributes:
        what: what was found, in one clause.
        instead: what to write instead; may be empty.
        key: a key below the value that is missing or wrong; empty if the value itself is.
        at: ``key`` or ``value``: which of the two is wrong.
    """

    what: str
    instead: str = ""
    key: str = ""
    at: Literal["key", "value"] = "value"


def wording_of(fault: Fault, notation: Notation) -> Wording:
    """One of pydantic's errors in words."""
    value, detail = fault.value, fault.detail
    name, context = detail["type"], detail.get("ctx", {})
    if name == "extra_forbidden":
        allowed = dict.fromkeys(key for owner in fault.owners for key in keys_of(owner))
        hint = did_you_mean(str(detail["loc"][-1]), sorted(allowed, key=lambda key: key != "kind"))
        if fault.holder and any(detail["loc"][-1] in keys_of(owner) for owner in fault.outer):
            hint = f"It belongs beside '{fault.holder}', not into it. {hint}"
        return Wording(f"unknown {notation.key}", hint, at="key")
    if name == "missing":
        key = str(detail["loc"][-1])
        return Wording("missing", _description(fault.models, key), key, "key")
    if name == "union_tag_not_found":
        return Wording("missing", f"Allowed: {', '.join(kinds(fault.models))}", "kind", "key")
    if name == "union_tag_invalid":
        tag = str(context["tag"])
        hint = did_you_mean(tag, context.get("names") or kinds(fault.models))
        return Wording(f"unknown kind '{tag}'", hint, "kind")
    if name == CONTRADICTION:
        return Wording(str(context["what"]), str(context["instead"]), str(context["key"]))
    if name == "ragscore":
        return Wording(str(context["what"]), str(context["instead"]))
    if name in ("value_error", "assertion_error"):
        return Wording(str(context.get("error", detail["msg"])))
    if name == "literal_error" and isinstance(value, str):
        choices = [str(item) for leaf in fault.candidates for item in _choices(leaf)]
        return Wording(f"unknown value '{value}'", did_you_mean(value, choices))
    if is_type_error(detail):
        return wrong_type(value, fault.candidates, notation)
    return _out_of_bounds(detail, context, notation)


def wrong_type(value: Any, candidates: Sequence[Any], notation: Notation) -> Wording:
    """What to say of a value of a type that the candidates do not allow."""
    wanted = expected(candidates, notation.a_mapping)
    kinds_allowed = kinds(models_for(candidates, None))
    instead = ""
    if isinstance(value, str) and wanted == "a list":
        instead = f"Write {notation.listed(value)}"
    elif value in kinds_allowed:
        instead = f"Write {{kind: {value}}}"
    elif kinds_allowed:
        instead = f"Write {{kind: ...}} with one of {', '.join(kinds_allowed)}"
    elif isinstance(value, str) and _fits(number_in(value), candidates):
        instead = f"Write {value} without quotes"
    elif isinstance(value, int | float) and str in candidates:
        instead = notation.quoted(value)
    elif value is None and wanted == "text":
        instead = 'Write "" for an empty text'
    return Wording(f"{notation.describe(value)} where {wanted} is expected", instead)


def _fits(number: float | None, candidates: Sequence[Any]) -> bool:
    """Whether one of the candidates is the type of a number, or of true and false."""
    if isinstance(number, bool):
        return bool in candidates
    return number is not None and (
        float in candidates or (isinstance(number, int) and int in candidates)
    )


def _choices(leaf: Any) -> tuple[Any, ...]:
    return get_args(leaf) if get_origin(leaf) is Literal else ()


def _description(models: Sequence[type[BaseModel]], key: str) -> str:
    """What a missing key is for, as a remedy."""
    described = (describe_field(model, key) for model in models if key in model.model_fields)
    description = " ".join(next(described, "").split())
    return f"Add it: {description}" if description else ""


def _out_of_bounds(detail: ErrorDetails, context: Mapping[str, Any], notation: Notation) -> Wording:
    """The message for a value of the right type that is not allowed."""
    name, value = detail["type"], detail["input"]
    bounds = {
        "greater_than": ("too small", "It must be more than {gt:g}"),
        "greater_than_equal": ("too small", "It must be at least {ge:g}"),
        "less_than": ("too large", "It must be less than {lt:g}"),
        "less_than_equal": ("too large", "It must be at most {le:g}"),
    }
    # Options of a measure are numbers written as text.
    number = number_in(value) if isinstance(value, str) else value
    found = notation.describe(value if number is None else number)
    if name in bounds:
        what, instead = bounds[name]
        return Wording(f"{found} is {what}", instead.format(**context))
    if name == "finite_number":
        return Wording(f"{found}, which is not finite", "Write a finite number")
    if name == "string_too_short" and not value:
        return Wording("empty", "Write a text")
    if name == "too_short":
        count, least = context["actual_length"], context["min_length"]
        needed = "At least one is needed" if least == 1 else f"At least {least} are needed"
        return Wording(f"only {count}" if count else "empty", needed)
    if name == "string_pattern_mismatch":
        return Wording(f"{found} does not have its form", f"It must match {context['pattern']}")
    plain = detail["msg"].replace("Input should be ", "must be ").replace("Input ", "")
    return Wording(f"{found}: {plain}")
