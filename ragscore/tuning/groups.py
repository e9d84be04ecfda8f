"""Which queries belong together: clusters, and the strata of folds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Queries
from ragscore.errors import ConfigError, did_you_mean

UNTAGGED = "untagged"


def cluster_labels(queries: Queries, query_ids: Sequence[str], key: str) -> NDArray[np.int64]:
    """The number of each query's cluster: int64[Q]. A query without one is alone in its own.

    Args:
        queries: of the dataset.
        query_ids: which are wanted, in this order.
        key: of the metadata; or what stands before ``:`` or ``=`` in tags (``document`` for
            ``document:a12``).

    >>> from ragscore.models import Query
    >>> asked = [Query(id=name, text="?", tags=tags) for name, tags in
    ...          (("a", ["from:x"]), ("b", ["from:y"]), ("c", []), ("d", ["from:x"]))]
    >>> cluster_labels(Queries.from_rows(asked), ["a", "b", "c", "d"], "from").tolist()
    [0, 1, 2, 0]

    Raises:
        ConfigError: no query has such metadata or tags.
    """
    label_of: dict[str, str] = {}
    for row, query_id in enumerate(queries.ids):
        value = queries.metadata.get(row, {}).get(key)
        tags = [tag for tag in queries.tags.get(row, ()) if tag.startswith((f"{key}:", f"{key}="))]
        if value is not None:
            label_of[query_id] = str(value)
        elif tags:
            label_of[query_id] = "+".join(sorted({tag[len(key) + 1 :] for tag in tags}))
    if not label_of:
        names = _names(queries)
        instead = did_you_mean(key, names) if names else "The queries have neither"
        raise ConfigError(
            f"no query has metadata or tags '{key}'", where="cluster", instead=instead
        )
    numbers: dict[tuple[str, str], int] = {}
    labels = [
        ("of", label_of[query_id]) if query_id in label_of else ("alone", query_id)
        for query_id in query_ids
    ]
    return np.array([numbers.setdefault(one, len(numbers)) for one in labels], dtype=np.int64)


def first_tags(queries: Queries, query_ids: Sequence[str]) -> list[str] | None:
    """The first tag of each query; None where no query has a tag."""
    if not queries.tags:
        return None
    rows = queries.ids.rows(query_ids).tolist()
    return [next(iter(queries.tags.get(row, ())), UNTAGGED) for row in rows]


def _names(queries: Queries) -> list[str]:
    keys = dict.fromkeys(key for row in queries.metadata.values() for key in row)
    tags = (tag.replace("=", ":") for row in queries.tags.values() for tag in row)
    return list(keys | dict.fromkeys(tag.partition(":")[0] for tag in tags if ":" in tag))
