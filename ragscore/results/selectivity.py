"""Slices by selectivity: the share of all passages that a filter allows a query, in four groups."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from ragscore.dataset import Corpus, Dataset
from ragscore.dataset.conditions import Conditions, listed
from ragscore.dataset.metadata_filter import MetadataFilter
from ragscore.elements.numbers import share_text
from ragscore.errors import RagscoreError

KEY = "selectivity"
"""The name of the slices; ``selectivity.NAME`` where retrievers have different filters."""
GROUPS = 4


def with_selectivity(
    dataset: Dataset, specs: Mapping[str, Mapping[str, Any]], asked: Collection[str] = ()
) -> Dataset:
    """The dataset whose queries have the group of their selectivity as metadata, for each filter
    of its retrievers; itself where none has a filter. Metadata of that name is left as it is.

    Args:
        dataset: what was searched.
        specs: the settings of each retriever, as a manifest records them.
        asked: names that are asked for; of retrievers with one filter only the first has its own
            otherwise.
    """
    filters = {name: spec["filter"] for name, spec in specs.items() if spec.get("filter")}
    if dataset.corpus is None or not filters:
        return dataset
    shares: list[tuple[str, NDArray[np.float64]]] = []
    for name, recorded in filters.items():
        found = _shares(recorded, dataset, dataset.corpus)
        if found is not None:
            shares.append((name, found))
    if not shares:
        return dataset
    different = {found.tobytes(): name for name, found in reversed(shares)}
    keys = {
        f"{KEY}.{name}": found
        for name, found in shares
        if f"{KEY}.{name}" in asked or (len(different) > 1 and name in different.values())
    }
    if len(different) == 1:
        keys[KEY] = shares[0][1]
    metadata: dict[int, Mapping[str, Any]] = dict(dataset.queries.metadata)
    taken = {key for of_query in metadata.values() for key in of_query}
    for key, found in keys.items():
        if key not in taken:
            for row, label in enumerate(_labels(found)):
                metadata[row] = {**metadata.get(row, {}), key: label}
    return replace(dataset, queries=replace(dataset.queries, metadata=metadata))


def _shares(recorded: Any, dataset: Dataset, corpus: Corpus) -> NDArray[np.float64] | None:
    """The share of the passages that each query may get, float64[Q]; None if the filter does
    not fit the data."""
    try:
        conditions = listed(TypeAdapter(Conditions).validate_python(recorded))
    except (ValidationError, RagscoreError):  # a manifest may be anybody's
        return None
    allowing = MetadataFilter.over(conditions, corpus)
    if allowing.problems or allowing.unfit_values(dataset.queries):
        return None
    return allowing.shares(dataset.queries)


def _labels(shares: NDArray[np.float64]) -> list[str]:
    """The quantile group of each query, named by the lowest and highest share in it.

    >>> _labels(np.array([0.1, 0.5, 0.1, 0.25, 1.0]))
    ['10.0 %', '50.0 %', '10.0 %', '25.0 %', '100 %']
    """
    different = np.unique(shares)
    if len(different) <= GROUPS:
        return [share_text(share) for share in shares.tolist()]
    edges = np.quantile(shares, np.arange(1, GROUPS) / GROUPS)
    group = np.searchsorted(edges, shares, side="left")
    names = {}
    for number in np.unique(group).tolist():
        low, high = (share_text(of(shares[group == number])) for of in (np.min, np.max))
        names[number] = low if low == high else f"{low} - {high}"
    return [names[number] for number in group.tolist()]
