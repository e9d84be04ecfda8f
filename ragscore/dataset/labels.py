"""What a query is called: the values of a tag prefix or metadata key, by query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset.queries import Queries
from ragscore.errors import ConfigError, DataError, did_you_mean

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


def rows_by_value(
    of_each: Mapping[str, Sequence[str]], query_ids: Sequence[str]
) -> dict[str, NDArray[np.int64]]:
    """By value, the rows of the queries that have it, ascending; in the order of appearance.

    Args:
        of_each: query id to its values, as :func:`labels` gives them.
        query_ids: ids of the queries, of which each row is one.

    >>> rows_by_value({"a": ("x",), "c": ("x", "y")}, ["a", "b", "c"])["x"].tolist()
    [0, 2]
    """
    found: dict[str, list[int]] = {}
    for row, query in enumerate(query_ids):
        for value in of_each.get(query, ()):
            found.setdefault(value, []).append(row)
    return {value: np.array(rows, dtype=np.int64) for value, rows in found.items()}


def clusters_of(queries: Queries, name: str) -> dict[str, str]:
    """Query id to its cluster; where a query has several values they are taken together.

    Args:
        queries, name: see :func:`labels`.

    Raises:
        ConfigError: no query has such a tag or metadata.
    """
    found = labels(queries, name, where="cluster")
    return {query_id: "+".join(sorted(values)) for query_id, values in found.items()}


def cluster_numbers(
    clusters: Mapping[str, str], query_ids: Sequence[str], *, where: str
) -> NDArray[np.int64]:
    """The number of each query's cluster, in order of appearance: int64[Q].

    Args:
        clusters: query id to the name of its cluster.
        query_ids: those wanted.
        where: what asks, for the error.

    >>> cluster_numbers({"a": "x", "b": "y", "c": "x"}, ["a", "b", "c"], where="").tolist()
    [0, 1, 0]

    Raises:
        DataError: some query has none.
    """
    lacking = [query_id for query_id in query_ids if query_id not in clusters]
    if lacking:
        raise DataError(
            f"{len(lacking)} of {len(query_ids)} queries have no cluster, such as '{lacking[0]}'",
            where=where,
            instead="Give each query one, or do without clusters",
        )
    numbers: dict[str, int] = {}
    named = [clusters[query_id] for query_id in query_ids]
    return np.array([numbers.setdefault(name, len(numbers)) for name in named], dtype=np.int64)


def label_names(queries: Queries) -> list[str]:
    """Every name that :func:`labels` understands here: metadata keys, tag prefixes, ``tags``."""
    keys = [key for metadata in queries.metadata.values() for key in metadata]
    tags = [tag for several in queries.tags.values() for tag in several]
    prefixes = [tag.replace("=", ":").split(":")[0] for tag in tags if ":" in tag or "=" in tag]
    return list(dict.fromkeys([*keys, *prefixes, *([ALL_TAGS] if tags else [])]))


def _texts(value: Any) -> tuple[str, ...]:
    """A metadata value as texts; several where it is a list; none where it is null or nested."""
    items: Iterable[Any] = value if isinstance(value, list | tuple | set) else [value]
    return tuple(
        str(item).lower() if isinstance(item, bool) else str(item)
        for item in items
        if isinstance(item, str | int | float)
    )


def _allowed(name: str, names: list[str]) -> str:
    if not names:
        return "The queries have neither tags nor metadata"
    return did_you_mean(name, names)
