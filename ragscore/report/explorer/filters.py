"""filterable(queries): the tags and the metadata by which the explorer filters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ragscore.dataset import Ids, Queries
from ragscore.dataset.labels import ALL_TAGS, label_names, labels
from ragscore.errors import ConfigError

MOST_VALUES = 60
"""A key with more values than this names queries rather than groups of them."""
MOST_TAGS = 300
"""Tags name groups, however many there are; of more than this the most frequent."""


def filterable(queries: Queries, shown: Ids) -> list[dict[str, Any]]:
    """What queries can be filtered by: a list of key, its values, and which queries have each.

    A tag such as ``kind:exact`` stands under its key, any other under ``tags``; a metadata key
    under its own name. Left out is a metadata key with more than 60 values or with nearly as many
    values as queries, and a value that every query has.

    Args:
        queries: of the dataset.
        shown: the queries of the explorer; numbers are rows of these, as steps.
    """
    groups = []
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
        if key == ALL_TAGS:
            most = sorted(rows, key=lambda value: -len(rows[value]))[:MOST_TAGS]
            rows = {value: rows[value] for value in most}
        elif len(rows) > min(MOST_VALUES, max(2, len(shown) // 2)):
            continue
        if not rows:
            continue
        listed = sorted(rows)
        steps = [np.diff(sorted(rows[value]), prepend=0).tolist() for value in listed]
        groups.append({"key": key, "values": listed, "queries": steps})
    return groups


def _plain(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(tag for tag in tags if ":" not in tag and "=" not in tag)
