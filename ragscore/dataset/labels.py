"""What a query is called: the values of a tag prefix or metadata key, by query."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ragscore.dataset.queries import Queries
from ragscore.errors import ConfigError, did_you_mean

ALL_TAGS = "tags"


def labels(queries: Queries, name: str, *, where: str = "slices") -> dict[str, tuple[str, ...]]:
    """Query id to its values under a name; queries that have none are left out.

    Args:
        queries: whose tags and metadata.
        name: a metadata key (a list is several values); or what stands before ``:`` or ``=`` in
            tags such as ``kind:numeric``; or ``tags``: every tag is a value of its own. The
            first of these that any query has.
        where: what asks, for the error.

    >>> from ragscore.models import Query
    >>> asked = Queries.from_rows([
    ...     Query(id="q1", text="?", tags=["kind:numeric", "rent"], metadata={"language": "en"}),
    ...     Query(id="q2", text="?", tags=["kind:exact"])])
    >>> labels(asked, "kind"), labels(asked, "language")
    ({'q1': ('numeric',), 'q2': ('exact',)}, {'q1': ('en',)})
    >>> labels(asked, "tags")
    {'q1': ('kind:numeric', 'rent'), 'q2': ('kind:exact',)}

    Raises:
        ConfigError: no query has such a tag or metadata.
    """
    found = {
        row: _texts(metadata[name])
        for row, metadata in queries.metadata.items()
        if name in metadata
    }
    if not any(found.values()):
        key = name.rstrip(":=")
        found = {
            row: tuple(
                tag[len(key) + 1 :] for tag in tags if tag.startswith((f"{key}:", f"{key}="))
            )
            for row, tags in queries.tags.items()
        }
    if not any(found.values()) and name == ALL_TAGS:
        found = dict(queries.tags)
    if not any(found.values()):
        raise ConfigError(
            f"no query has a tag or metadata '{name}'",
            where=where,
            instead=_allowed(name, label_names(queries)),
        )
    return {
        queries.ids[row]: tuple(dict.fromkeys(values)) for row, values in found.items() if values
    }


def label_names(queries: Queries) -> list[str]:
    """Every name that :func:`labels` understands here: metadata keys, tag prefixes, ``tags``."""
    keys = [key for metadata in queries.metadata.values() for key in metadata]
    tags = [tag for several in queries.tags.values() for tag in several]
    prefixes = [tag.replace("=", ":").split(":")[0] for tag in tags if ":" in tag or "=" in tag]
    return list(dict.fromkeys([*keys, *prefixes, *([ALL_TAGS] if tags else [])]))


def _texts(value: Any) -> tuple[str, ...]:
    """A metadata value as texts; several where it is a list; none where it is null or nested."""
    several: Iterable[Any] = value if isinstance(value, list | tuple | set) else [value]
    return tuple(
        {True: "true", False: "false"}[one] if isinstance(one, bool) else str(one)
        for one in several
        if isinstance(one, str | int | float)
    )


def _allowed(name: str, names: list[str]) -> str:
    if not names:
        return "The queries have neither tags nor metadata"
    return did_you_mean(name, names)
