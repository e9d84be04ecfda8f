"""Judgments that do not fit the queries and the corpus: the same faults in files and in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ragscore.dataset.forbidden import LISTED
from ragscore.dataset.ids import Ids
from ragscore.dataset.qrels import Qrels
from ragscore.dataset.queries import Queries
from ragscore.errors import Problem

REMEDY = {
    "query": "Add the query or drop its judgments",
    "passage": "Add the passage, drop the judgment, or set allow_missing: true",
    "unit": "Correct it, drop the judgment, or set allow_missing: true",
}


def missing(
    kind: Literal["query", "passage", "unit"], ids: Sequence[str], known: Ids, where: str
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


@dataclass(frozen=True)
class ForbiddenJudgment:
    """A relevant passage that a rule forbids: the ids of query and passage, and the problem."""

    pair: tuple[str, str]
    problem: Problem


def relevant_and_forbidden(qrels: Qrels) -> Iterator[ForbiddenJudgment]:
    """Each relevant passage that a rule forbids to its query. Those that a list forbids are found
    in their row."""
    forbidden = qrels.forbidden
    if forbidden is None or not forbidden.rules:
        return
    relevant = np.flatnonzero(qrels.grades > 0)
    query_rows = np.repeat(np.arange(len(qrels.queries)), qrels.judgments)[relevant]
    sources = forbidden.sources(query_rows, qrels.rows[relevant][:, None])[:, 0]
    for at in np.flatnonzero(sources > LISTED).tolist():
        passage = qrels.passages[int(qrels.rows[relevant[at]])]
        query = qrels.queries[int(query_rows[at])]
        what = (
            f"the passage '{passage}' has grade {qrels.grades[relevant[at]]:g} for the query "
            f"'{query}', and the rule {forbidden.name(int(sources[at]))} forbids it"
        )
        problem = Problem(what, instead="Correct the judgment or the rule")
        yield ForbiddenJudgment((query, passage), problem)
