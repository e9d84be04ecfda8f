"""By which tags and metadata a result is sliced, and how thoroughly its slices are tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragscore.dataset import Queries
from ragscore.dataset.labels import ALL_TAGS, label_names, labels, rows_by_value
from ragscore.errors import RagscoreError
from ragscore.messages import Message, _, few_names
from ragscore.results.result_view import Noted

MIN_VALUES, MAX_VALUES = 2, 12
"""How many different values a key has that is chosen automatically."""
MIN_QUERIES = 10
"""Where there are more tags than ``MAX_VALUES``, only those of this many queries count."""
MAX_KEYS = 6
"""Keys that are chosen automatically."""
MAX_WORK = 10**10
"""What the gap tests of slices that nobody asked for may cost, in multiplications, about a second.
With many queries they then take fewer re-assignments than the experiment's comparison."""
MIN_REASSIGNMENTS = 1000


@dataclass(frozen=True)
class SliceKeys:
    """What a dataset is sliced by.

    Attributes:
        keys: tags and metadata keys that its queries have.
        queries: of whose tags only those that count are left.
        automatic: nobody named the keys.
    """

    keys: tuple[str, ...]
    queries: Queries
    automatic: bool


def slice_keys(
    queries: Queries, asked: tuple[str, ...], averaged: Sequence[str]
) -> Noted[SliceKeys]:
    """The keys that an experiment names, as far as the queries have them; else those that split
    the queries well.

    Args:
        queries: of the dataset.
        asked: what the experiment names.
        averaged: ids of the queries that were averaged.
    """
    notes: list[Message] = []
    keys = asked
    if not asked:
        keys, queries, left_out = automatic_keys(queries, averaged)
        if len(keys) <= MAX_KEYS:
            notes += left_out
        else:
            notes.append(
                _(
                    "More slices are available with compare: slices: {keys}.",
                    keys=few_names(keys[MAX_KEYS:]),
                )
            )
            keys = keys[:MAX_KEYS]
    known = []
    for key in keys:
        try:
            labels(queries, key)
        except RagscoreError as error:
            what = error.problems[0].what  # what there is instead may be a long list
            notes.append(_("No slices by '{key}': {error}", key=few_names((key,)), error=what))
        else:
            known.append(key)
    return Noted(SliceKeys(tuple(known), queries, not asked), tuple(notes))


def affordable(queries: int, retrievers: int, measures: int, keys: int, resamples: int) -> int:
    """Re-assignments of the gap tests: the experiment's resamples, or what the work allows; never
    so few that no difference could be significant after correction."""
    slices = MAX_VALUES * keys
    tests = (retrievers - 1) * slices
    moments = retrievers * (retrievers - 1) * measures
    allowed = MAX_WORK // (queries * (slices * moments + 400))
    return min(resamples, max(MIN_REASSIGNMENTS, 40 * tests, allowed))


def automatic_keys(
    queries: Queries, averaged: Sequence[str]
) -> tuple[tuple[str, ...], Queries, tuple[Message, ...]]:
    """The tags and metadata keys that split the averaged queries well: with 2 to 12 different
    values, some of them of several queries. Of all tags those count that no other key stands for;
    where they are more, the frequent ones.

    Args:
        queries: of the dataset.
        averaged: ids of those that were averaged.

    Returns:
        The keys; the queries, of whose tags only those that count are left; and notes on
        the tags that were left out.
    """
    found: list[str] = []
    # Queries of one value: whatever names them, they are the same slice.
    known: set[frozenset[str]] = {frozenset(averaged)}
    names = label_names(queries)
    for name in (name for name in names if name != ALL_TAGS):
        members = _members(queries, name, averaged)
        if _splits_well(members):
            found.append(name)
            known |= set(members.values())
    tags = _members(queries, ALL_TAGS, averaged) if ALL_TAGS in names else {}
    others = {tag: those for tag, those in tags.items() if those not in known}
    left_out = list[Message]()
    if len(others) > MAX_VALUES:
        least = _(
            "Slices by tag show only tags that at least {least} queries have.", least=MIN_QUERIES
        )
        left_out.append(least)
        others = {tag: those for tag, those in others.items() if len(those) >= MIN_QUERIES}
    fewest = 1 if len(others) < len(tags) and found else MIN_VALUES
    if not _splits_well(others, fewest):
        return tuple(found), queries, ()
    if any(those in known for those in tags.values()):
        left_out.append(_("Tags that split the queries exactly as another key does are left out."))
    return (*found, ALL_TAGS), _with_tags(queries, others) if left_out else queries, tuple(left_out)


def _with_tags(queries: Queries, tags: Iterable[str]) -> Queries:
    """The queries with only some of the values of ``tags``; prefixes of tags keep theirs."""
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
    try:
        of_each = labels(queries, name)
    except RagscoreError:  # a name that is empty, or whose values are all nested
        return {}
    return {
        value: frozenset(averaged[row] for row in rows)
        for value, rows in rows_by_value(of_each, averaged).items()
    }


def _splits_well(members: Mapping[str, frozenset[str]], fewest: int = MIN_VALUES) -> bool:
    return fewest <= len(members) <= MAX_VALUES and max(map(len, members.values())) > 1
