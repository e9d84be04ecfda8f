"""Slices: by the keys that the experiment names, else by those that part the queries well."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragscore.errors import RagscoreError
from ragscore.report.data import Panel
from ragscore.report.gathered.compared import clusters_of
from ragscore.report.words import Words

if TYPE_CHECKING:
    from ragscore.dataset import Queries

FEWEST, MOST = 2, 12
"""Different values of a key that is sliced by unasked."""
FREQUENT = 10
"""Where there are more tags than that, only those of so many queries count."""
MOST_KEYS = 6
"""Keys that are sliced by unasked."""
WORK = 10**10
"""What the gap tests of slices that nobody asked for may cost, in multiplications, about a second.
With many queries they then take fewer re-assignments than the experiment's comparison."""
FEWEST_REASSIGNMENTS = 1000


def told(panel: Panel, words: Words, notes: list[str]) -> dict[str, Any]:
    """The field ``slices`` of a panel.

    Args:
        panel: compared.
        words: for notes.
        notes: told of what is left out.
    """
    from ragscore.comparison.slices import every_slices
    from ragscore.dataset.labels import labels

    if panel.data is None or not panel.comparisons:
        return {}
    queries = panel.data.queries
    keys: tuple[str, ...] = panel.options.slices
    unasked = not keys
    if unasked:
        keys, queries = automatic_keys(queries, panel.scores.entries[0].query_ids)
        if queries is not panel.data.queries:
            notes.append(words("gathered_frequent_tags", least=FREQUENT))
        if len(keys) > MOST_KEYS:
            notes.append(words("gathered_more_slices", keys=", ".join(keys[MOST_KEYS:])))
            keys = keys[:MOST_KEYS]
    known = []
    for key in keys:
        try:
            labels(queries, key)
        except RagscoreError as error:
            notes.append(words("gathered_not_sliced", key=key, error=error))
        else:
            known.append(key)
    if not known:
        return {}
    try:
        found = every_slices(
            panel.scores.entries,
            queries,
            panel.options.model_copy(update={"slices": tuple(known)}),
            baselines=panel.baselines,
            clusters=clusters_of(panel),
            reassignments=_affordable(panel, known) if unasked else None,
        )
    except RagscoreError as error:
        notes.append(words("gathered_not_sliced", key=", ".join(known), error=error))
        return {}
    return {"slices": found}


def _affordable(panel: Panel, keys: list[str]) -> int:
    """Re-assignments of the gap tests: the experiment's resamples, or what the work allows; never
    so few that no difference could be significant after correction."""
    queries, count = len(panel.scores.entries[0].query_ids), len(panel.retrievers)
    slices = MOST * len(keys)
    tests = (count - 1) * slices
    moments = count * (count - 1) * len(panel.measures)
    affordable = WORK // (queries * (slices * moments + 400))
    return min(panel.options.resamples, max(FEWEST_REASSIGNMENTS, 40 * tests, affordable))


def automatic_keys(queries: Queries, averaged: Sequence[str]) -> tuple[tuple[str, ...], Queries]:
    """The tags and metadata keys that part the averaged queries well: with 2 to 12 different
    values, some of them of several queries. Where there are more tags, the frequent ones.

    Args:
        queries: of the dataset.
        averaged: ids of those that were averaged.

    Returns:
        The keys, and the queries; without their rare tags where only the frequent ones count.
    """
    from ragscore.dataset.labels import ALL_TAGS, label_names

    found: list[str] = []
    for name in label_names(queries):
        counts = _counts(queries, name, averaged)
        if name != ALL_TAGS:
            if _parts_well(counts):
                found.append(name)
            continue
        prefixed = tuple(f"{key}{sign}" for key in found for sign in ":=")
        if all(tag.startswith(prefixed) for tag in counts):
            continue  # these keys say the same
        if _parts_well(counts):
            found.append(name)
            continue
        frequent = {tag: count for tag, count in counts.items() if count >= FREQUENT}
        if _parts_well(frequent):
            found.append(name)
            kept = {
                row: tuple(tag for tag in tags if tag in frequent or tag.startswith(prefixed))
                for row, tags in queries.tags.items()
            }
            queries = replace(queries, tags=kept)
    return tuple(found), queries


def _counts(queries: Queries, name: str, averaged: Sequence[str]) -> dict[str, int]:
    """How many of the averaged queries have each value."""
    from ragscore.dataset.labels import labels

    try:
        of_each = labels(queries, name)
    except RagscoreError:  # a name that is empty, or whose values are all nested
        return {}
    return Counter(value for query in averaged for value in of_each.get(query, ()))


def _parts_well(counts: Mapping[str, int]) -> bool:
    return FEWEST <= len(counts) <= MOST and max(counts.values()) > 1
