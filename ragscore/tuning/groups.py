"""The strata of folds."""

from __future__ import annotations

from collections.abc import Sequence

from ragscore.dataset import Queries

UNTAGGED = "untagged"


def first_tags(queries: Queries, query_ids: Sequence[str]) -> list[str] | None:
    """The first tag of each query; None where no query has a tag."""
    if not queries.tags:
        return None
    rows = queries.ids.rows(query_ids).tolist()
    return [next(iter(queries.tags.get(row, ())), UNTAGGED) for row in rows]
