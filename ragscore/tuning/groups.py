"""The strata of folds."""

from __future__ import annotations

from collections.abc import Sequence

from ragscore.dataset import Queries

UNTAGGED = "untagged"
UNANSWERABLE = "unanswerable"


def strata_of(queries: Queries, query_ids: Sequence[str]) -> list[str] | None:
    """The first tag of each query, or that it has no answer; None where there is neither."""
    refused = queries.unanswerable.intersection(query_ids)
    if not queries.tags and not refused:
        return None
    rows = queries.ids.rows(query_ids).tolist()
    return [
        UNANSWERABLE if query in refused else next(iter(queries.tags.get(row, ())), UNTAGGED)
        for query, row in zip(query_ids, rows, strict=True)
    ]
