"""What a reader must know of the filters of retrievers."""

from __future__ import annotations

from collections.abc import Mapping

from ragscore.dataset.filter_counts import FilterCounts
from ragscore.elements.numbers import count_text
from ragscore.messages import Message, few_names
from ragscore.results.strings import STRINGS


def filter_notes(filters: Mapping[str, FilterCounts | None]) -> list[Message]:
    """Notes on queries that got too little, that got nothing, and that no filter restricted.

    Args:
        filters: by retriever; those that did the same share a note.

    >>> counts = FilterCounts(queries=50, unrestricted=0, nothing=2)
    >>> [str(note) for note in filter_notes({"bm25": counts, "minilm": counts, "plain": None})]
    ['bm25, minilm: the filter leaves no passage for 2 of 50 queries']
    """
    names: dict[tuple[str, int, int, int], list[str]] = {}
    for retriever, counts in filters.items():
        if counts is None:
            continue
        found = {
            "filter_short": (counts.short, counts.fetched),
            "filter_nothing": (counts.nothing, 0),
            "filter_unrestricted": (counts.unrestricted, 0),
        }
        for key, (count, fetched) in found.items():
            if count:
                names.setdefault((key, count, counts.queries, fetched), []).append(retriever)
    return [
        STRINGS(
            key,
            retriever=few_names(tuple(listed)),
            count=count_text(count),
            n=count_text(queries),
            fetched=count_text(fetched),
        )
        for (key, count, queries, fetched), listed in names.items()
    ]
