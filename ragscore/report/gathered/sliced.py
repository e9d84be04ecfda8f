"""Slices: by the keys that the experiment names, else by those that part the queries well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ragscore.errors import RagscoreError
from ragscore.report.data import Panel
from ragscore.report.gathered.compared import clusters_of
from ragscore.strings import Strings

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


def slice_fields(panel: Panel, words: Strings, notes: list[str]) -> dict[str, Any]:
    """The field ``slices`` of a panel.

    Args:
        panel: compared.
        words: for notes.
        notes: is notified of what is left out.
    """
    from ragscore.comparison.slices import every_slices, slices_alone
    from ragscore.dataset.labels import labels

    alone = len(panel.retrievers) == 1
    if panel.data is None or not (panel.comparisons or alone):
        return {}
    queries = panel.data.queries
    keys: tuple[str, ...] = panel.options.slices
    unasked = not keys
    if unasked:
        keys, queries, left_out = automatic_keys(queries, panel.scores.entries[0].query_ids)
        if len(keys) <= MOST_KEYS:
            notes += [words(one, least=FREQUENT) for one in left_out]
        else:
            notes.append(words("gathered_more_slices", keys=words.names(keys[MOST_KEYS:])))
            keys = keys[:MOST_KEYS]
    known = []
    for key in keys:
        try:
            labels(queries, key)
        except RagscoreError as error:
            what = error.problems[0].what  # what there is instead may be a long list
            notes.append(words("gathered_not_sliced", key=words.names([key]), error=what))
        else:
            known.append(key)
    if not known:
        return {}
    options = panel.options.model_copy(update={"slices": tuple(known)})
    try:
        clusters = clusters_of(panel)
        if alone:
            (entry,) = panel.scores.entries
            return {
                "slices": {panel.baseline: slices_alone(entry, queries, options, clusters=clusters)}
            }
        found = every_slices(
            panel.scores.entries,
            queries,
            options,
            baselines=panel.baselines,
            clusters=clusters,
            reassignments=_affordable(panel, known) if unasked else None,
        )
    except RagscoreError as error:
        notes.append(words("gathered_not_sliced", key=words.names(known), error=error))
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


def automatic_keys(
    queries: Queries, averaged: Sequence[str]
) -> tuple[tuple[str, ...], Queries, tuple[str, ...]]:
    """The tags and metadata keys that part the averaged queries well: with 2 to 12 different
    values, some of them of several queries. Of all tags those count that no other key stands for;
    where they are more, the frequent ones.

    Args:
        queries: of the dataset.
        averaged: ids of those that were averaged.

    Returns:
        The keys; the queries, of whose tags only those that count are left; and by what tags were
        left out: keys of the strings of notes.
    """
    from ragscore.dataset.labels import ALL_TAGS, label_names

    found: list[str] = []
    # Queries of one value: whatever names them, they are the same slice.
    known: set[frozenset[str]] = {frozenset(averaged)}
    names = label_names(queries)
    for name in (one for one in names if one != ALL_TAGS):
        members = _members(queries, name, averaged)
        if _parts_well(members):
            found.append(name)
            known |= set(members.values())
    tags = _members(queries, ALL_TAGS, averaged) if ALL_TAGS in names else {}
    others = {tag: those for tag, those in tags.items() if those not in known}
    left_out = []
    if len(others) > MOST:
        left_out.append("gathered_frequent_tags")
        others = {tag: those for tag, those in others.items() if len(those) >= FREQUENT}
    fewest = 1 if len(others) < len(tags) and found else FEWEST
    if not _parts_well(others, fewest):
        return tuple(found), queries, ()
    if any(those in known for those in tags.values()):
        left_out.append("gathered_same_tags")
    return (*found, ALL_TAGS), _with_tags(queries, others) if left_out else queries, tuple(left_out)


def _with_tags(queries: Queries, tags: Iterable[str]) -> Queries:
    """The queries with only some of the values of ``tags``; prefixes of tags keep theirs."""
    from ragscore.dataset.labels import ALL_TAGS, labels

    kept = set(tags)
    of_each = labels(queries, ALL_TAGS)
    metadata: dict[int, Mapping[str, Any]] = dict(queries.metadata)
    for row, query in enumerate(queries.ids):
        own = tuple(tag for tag in of_each.get(query, ()) if tag in kept)
        # Metadata stands before tags of the same name.
        metadata[row] = {**metadata.get(row, {}), ALL_TAGS: own}
    return replace(queries, metadata=metadata)


def _members(queries: Queries, name: str, averaged: Sequence[str]) -> dict[str, frozenset[str]]:
    """Which of the averaged queries have each value."""
    from ragscore.dataset.labels import labels

    try:
        of_each = labels(queries, name)
    except RagscoreError:  # a name that is empty, or whose values are all nested
        return {}
    found: dict[str, set[str]] = {}
    for query in averaged:
        for value in of_each.get(query, ()):
            found.setdefault(value, set()).add(query)
    return {value: frozenset(those) for value, those in found.items()}


def _parts_well(members: Mapping[str, frozenset[str]], fewest: int = FEWEST) -> bool:
    return fewest <= len(members) <= MOST and max(map(len, members.values())) > 1
