"""What the filter of a retriever did to the queries of a dataset."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import NonNegativeInt


@dataclass(frozen=True)
class FilterCounts:
    """How many queries a filter restricted, and how many it left with too little.

    Attributes:
        queries: how many were searched.
        unrestricted: how many lack a metadata key that a condition names; that condition does not
            restrict them.
        nothing: how many may get no passage at all.
        fetched: how many passages were fetched for each query before the filter was applied; 0
            where it was applied before the search.
        short: how many got fewer passages than were asked for although more are allowed, since no
            more were fetched.
    """

    queries: NonNegativeInt
    unrestricted: NonNegativeInt
    nothing: NonNegativeInt
    fetched: NonNegativeInt = 0
    short: NonNegativeInt = 0
