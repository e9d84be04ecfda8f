"""The slices of a gate: queries that share a tag or metadata value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragscore.dataset import Queries
from ragscore.dataset.labels import label_names, labels, rows_by_value
from ragscore.errors import ConfigError
from ragscore.gate.condition_judging import Part, in_place_of


def slices_of(whole: Part, queries: Queries, keys: Sequence[str]) -> Iterator[Part]:
    """The part of each value of each key, in the order of the values; a slice whose queries all
    have no answer is left out, since no measure looks at it.

    Args:
        whole: all queries of a retriever, with its scores.
        queries: of the dataset.
        keys: tags and metadata keys.
    """
    entry = whole.entry
    if entry is None:
        return
    for key in dict.fromkeys(keys):
        try:
            of_each = labels(queries, key)
        except ConfigError:
            others = in_place_of(label_names(queries))
            yield replace(whole, slice=key, entry=None, missing="no such slice", detail=others)
            continue
        everywhere = rows_by_value(of_each, queries.ids)
        scored = rows_by_value(of_each, entry.query_ids)
        for value in sorted(everywhere):
            if not queries.answerable[everywhere[value]].any():
                continue
            name, rows = f"{key}: {value}", scored.get(value)
            if rows is None:
                yield replace(whole, slice=name, entry=None, missing="no query in the slice")
                continue
            ids = tuple(entry.query_ids[row] for row in rows)
            weights = {measure: own[rows] for measure, own in entry.weights.items()}
            own = replace(
                entry, query_ids=ids, values=entry.values[:, rows], weights=weights, bounds=None
            )
            yield replace(whole, slice=name, entry=own)
