"""Conditions on the metadata of passages, as an experiment writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from ragscore.dataset.metadata import sort_of
from ragscore.described import in_short
from ragscore.spec import Spec
from ragscore.validation.findings import contradiction

Op = Literal["=", "!=", "<", "<=", ">", ">=", "in", "not in", "contains", "any"]
OF_LIST: frozenset[Op] = frozenset({"in", "not in", "any"})
"""What takes a list of values."""
OF_QUERY = "query."
"""What a value begins with that is taken from each query's metadata."""

Value = bool | int | float | str


class Condition(Spec):
    """What the metadata of a passage must be for a query to get it.

    A passage without the field never fulfils a condition, ``!=`` and ``not in`` included. A query
    without the key that ``value`` names is not restricted by it.

    >>> Condition(field="year", op=">=", value="query.year").key
    'year'
    """

    field: Annotated[str, Field(min_length=1)]
    """A key of the passages' metadata."""
    op: Op = "="
    """How the passage's value is compared: `=`, `!=`, `<`, `<=`, `>`, `>=`; `in`, `not in`: it is
    one of a list, or none of it; `contains`: it is a list with the value, or a text in which the
    value occurs; `any`: it is a list with any value of a list."""
    value: Value | tuple[Value, ...]
    """A constant (for `in`, `not in` and `any` a list), or `query.KEY`: what the query has under
    this metadata key."""

    @model_validator(mode="after")
    def _value_fits(self) -> Self:
        if self.value == OF_QUERY:
            raise contradiction("value", "'query.' names no key", "Write query.KEY")
        if self.value == ():
            does = "restricts nothing" if self.op == "not in" else "allows no passage"
            what = f"an empty list {does}"
            raise contradiction("value", what, "Name what is allowed")
        if self.key is None and (self.op in OF_LIST) != isinstance(self.value, tuple):
            shown = in_short(list(self.value) if isinstance(self.value, tuple) else self.value)
            several = self.op in OF_LIST
            wanted = "a list" if several else "one value"
            instead = f"Write [{shown}]" if several else "A list goes with op: in, not in or any"
            raise contradiction("value", f"{shown}, and op: {self.op} takes {wanted}", instead)
        return self

    @property
    def key(self) -> str | None:
        """The key of the queries' metadata that ``value`` names; None for a constant."""
        if isinstance(self.value, str) and self.value.startswith(OF_QUERY):
            return self.value[len(OF_QUERY) :]
        return None

    def wanted(self, metadata: Mapping[str, Any]) -> Any:
        """What the passages' values are compared with for a query; None if it has no such key,
        and is not restricted."""
        found = self.value if self.key is None else metadata.get(self.key)
        return None if sort_of(found) is None else found


Conditions = Condition | tuple[Condition, ...]
"""One condition, or several that must all hold."""


def conditions_of(
    given: Conditions | Mapping[str, Any] | Sequence[Mapping[str, Any] | Condition] | None,
) -> Conditions | None:
    """Conditions as Python gives them: made ones, or their options."""
    if given is None or isinstance(given, Condition):
        return given
    if isinstance(given, Mapping):
        return Condition(**given)
    return tuple(each if isinstance(each, Condition) else Condition(**each) for each in given)


def listed(conditions: Conditions | None) -> tuple[Condition, ...]:
    """The conditions of a filter, none where there is no filter."""
    if conditions is None:
        return ()
    return (conditions,) if isinstance(conditions, Condition) else conditions
