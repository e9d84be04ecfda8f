"""Which queries belong together: clusters, and the strata of folds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Queries
from ragscore.dataset.labels import labels
from ragscore.errors import DataError

UNTAGGED = "untagged"


def cluster_labels(queries: Queries, query_ids: Sequence[str], key: str) -> NDArray[np.int64]:
    """The number of each query's cluster: int64[Q].

    Args:
        queries: of the dataset.
        query_ids: which are wanted, in this order.
        key: see :func:`~ragscore.dataset.labels.labels`.

    >>> from ragscore.models import Query
    >>> asked = [Query(id=name, text="?", tags=tags) for name, tags in
    ...          (("a", ["from:x"]), ("b", ["from:y"]), ("c", ["from:x"]))]
    >>> cluster_labels(Queries.from_rows(asked), ["a", "b", "c"], "from").tolist()
    [0, 1, 0]

    Raises:
        ConfigError: no query has such metadata or tags.
        DataError: some query has none.
    """
    found = labels(queries, key, where="cluster")
    lacking = [query_id for query_id in query_ids if query_id not in found]
    if lacking:
        raise DataError(
            f"{len(lacking)} of {len(query_ids)} queries have no cluster, such as '{lacking[0]}'",
            where="cluster",
            instead="Give every query one, or tune without clusters",
        )
    numbers: dict[str, int] = {}
    named = ("+".join(sorted(found[query_id])) for query_id in query_ids)
    return np.array([numbers.setdefault(one, len(numbers)) for one in named], dtype=np.int64)


def first_tags(queries: Queries, query_ids: Sequence[str]) -> list[str] | None:
    """The first tag of each query; None where no query has a tag."""
    if not queries.tags:
        return None
    rows = queries.ids.rows(query_ids).tolist()
    return [next(iter(queries.tags.get(row, ())), UNTAGGED) for row in rows]
