"""filterable(queries): the tags and the metadata by which the explorer filters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ragscore.dataset import Ids, Queries
from ragscore.dataset.labels import ALL_TAGS, label_names, labels
from ragscore.errors import ConfigError

MAX_VALUES = 60
"""The most values that are offered of a key. One with more, or with nearly as many as there are
queries, names single queries rather than groups."""
MIN_QUERIES = 2
"""Of such a key, only values of at least this many queries are offered, the most frequent ones."""

Groups = list[dict[str, Any]]


def filterable(queries: Queries, shown: Ids) -> Groups:
    """What queries can be filtered by: a list of key, its values, and which queries have each.

    A tag such as ``kind:exact`` stands under its key, any other under ``tags``; a metadata key
    under its own name. Left out is a value that every query has; of a key with very many values
    the rare ones; and a tag that says the same of the same queries as a value of another key.

    Args:
        queries: of the dataset.
        shown: the queries of the explorer; numbers are rows of these, as steps.
    """
    groups: Groups = []
    said: set[tuple[str, tuple[int, ...]]] = set()
    for key in label_names(queries):
        try:
            found = labels(queries, key)
        except ConfigError:  # nothing but nulls and nested values
            continue
        if key == ALL_TAGS:
            found = {query_id: _plain(tags) for query_id, tags in found.items()}
        rows: dict[str, list[int]] = {}
        for query_id, values in found.items():
            row = shown.row(query_id)
            for value in values if row >= 0 else ():
                rows.setdefault(value, []).append(row)
        rows = {value: at for value, at in rows.items() if len(at) < len(shown)}
        if key == ALL_TAGS:  # it comes last
            rows = {value: at for value, at in rows.items() if _once(value, at) not in said}
        if len(rows) > min(MAX_VALUES, max(2, len(shown) // 2)):
            several = [value for value, at in rows.items() if len(at) >= MIN_QUERIES]
            most = sorted(several, key=lambda value: -len(rows[value]))[:MAX_VALUES]
            rows = {value: rows[value] for value in most}
        if not rows:
            continue
        said.update(_once(value, at) for value, at in rows.items())
        listed = sorted(rows)
        steps = [np.diff(sorted(rows[value]), prepend=0).tolist() for value in listed]
        groups.append({"key": key, "values": listed, "queries": steps})
    return groups


def filter_of(groups: Groups, key: str, value: str) -> str | None:
    """What a link to the explorer names so that only queries of a slice are left.

    Args:
        groups: what can be filtered by.
        key, value: of the slice.

    Returns:
        ``key:value`` or a tag; None if the explorer has no filter for it.

    >>> groups = [{"key": "kind", "values": ["exact"]}, {"key": "tags", "values": ["rent"]}]
    >>> [filter_of(groups, "kind", "exact"), filter_of(groups, "tags", "rent")]
    ['kind:exact', 'rent']
    >>> filter_of(groups, "tags", "no")
    """
    names = {(group["key"], known) for group in groups for known in group["values"]}
    if (key, value) in names:
        return value if key == ALL_TAGS else f"{key}:{value}"
    if key != ALL_TAGS:
        return None
    # Another key says it: the tag has its prefix, or was left out for it.
    same = (
        f"{prefix}:{known}"
        for prefix, known in sorted(names)
        if value in (known, f"{prefix}:{known}", f"{prefix}={known}")
    )
    return next(same, None)


def _once(value: str, rows: Iterable[int]) -> tuple[str, tuple[int, ...]]:
    return value, tuple(sorted(rows))


def _plain(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(tag for tag in tags if ":" not in tag and "=" not in tag)
