"""What a reader must know of the filters of retrievers."""

from __future__ import annotations

from collections.abc import Mapping

from ragscore.dataset.filter_counts import FilterCounts
from ragscore.elements.numbers import count_text
from ragscore.messages import Message, _, few_names

SHORT = _(
    "{retriever}: {count} of {n} queries got fewer passages than their filter allows: "
    "{fetched} are fetched for each before it is applied (overfetch sets how many)"
)
NOTHING = _("{retriever}: the filter leaves no passage for {count} of {n} queries")
UNRESTRICTED = _(
    "{retriever}: {count} of {n} queries lack metadata that the filter reads; conditions "
    "that need it do not restrict them"
)


def filter_notes(filters: Mapping[str, FilterCounts | None]) -> list[Message]:
    """Notes on queries that got too little, that got nothing, and that no filter restricted.

    Args:
        filters: by retriever; those that did the same share a note.

    >>> counts = FilterCounts(queries=50, unrestricted=0, nothing=2)
    >>> [str(note) for note in filter_notes({"bm25": counts, "minilm": counts, "plain": None})]
    ['bm25, minilm: the filter leaves no passage for 2 of 50 queries']
    """
    names: dict[tuple[Message, int, int, int], list[str]] = {}
    for retriever, counts in filters.items():
        if counts is None:
            continue
        found = {
            SHORT: (counts.short, counts.fetched),
            NOTHING: (counts.nothing, 0),
            UNRESTRICTED: (counts.unrestricted, 0),
        }
        for note, (count, fetched) in found.items():
            if count:
                names.setdefault((note, count, counts.queries, fetched), []).append(retriever)
    return [
        note.given(
            retriever=few_names(tuple(listed)),
            count=count_text(count),
            n=count_text(queries),
            fetched=count_text(fetched),
        )
        for (note, count, queries, fetched), listed in names.items()
    ]
