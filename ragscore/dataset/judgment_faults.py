"""Judgments that do not fit the queries and the corpus: the same faults in files and in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from ragscore.dataset.ids import Ids
from ragscore.dataset.queries import Queries
from ragscore.errors import Problem

REMEDY = {
    "query": "Add the query or drop its judgments",
    "passage": "Add the passage, drop the judgment, or set allow_missing: true",
}


def missing(
    kind: Literal["query", "passage"], ids: Sequence[str], known: Ids, where: str
) -> Iterator[tuple[int, Problem]]:
    """The place of each judged id that is not known, at its first one, with the problem.

    Args:
        kind: what the ids name.
        ids: as judgments name them.
        known: those that there are.
        where: these are, as in "among the queries".
    """
    first: dict[str, int] = {}
    for at in np.flatnonzero(known.rows(ids) < 0).tolist():
        if first.setdefault(ids[at], at) == at:
            yield at, Problem(f"the {kind} '{ids[at]}' is not {where}", instead=REMEDY[kind])


def answered(
    query_ids: Sequence[str],
    passage_ids: Sequence[str],
    grades: Sequence[float],
    queries: Queries,
) -> Iterator[tuple[int, Problem]]:
    """The place of each positive grade of a query that is marked unanswerable, with the problem."""
    unanswerable = ~np.append(queries.answerable, True)[queries.ids.rows(query_ids)]
    for at in np.flatnonzero(unanswerable & (np.asarray(grades) > 0)).tolist():
        what = (
            f"the query '{query_ids[at]}' is marked unanswerable, and the passage "
            f"'{passage_ids[at]}' has grade {grades[at]:g}"
        )
        yield at, Problem(what, instead="Remove answerable: false, or give grade 0")
