"""Judgments that do not fit the queries and the corpus: the same faults in files and in Python."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import ranges
from ragscore.dataset.corpus import Corpus
from ragscore.dataset.forbidden import LISTED, Forbidden
from ragscore.dataset.ids import Ids
from ragscore.dataset.judged_units import JudgedUnits
from ragscore.dataset.qrels import Qrels
from ragscore.dataset.queries import Queries
from ragscore.dataset.spellings import spelled_otherwise
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
        first.setdefault(ids[at], at)
    hints = spelled_otherwise(first, known)
    for text, at in first.items():
        hint = f"; {hints[text]}" if text in hints else ""
        yield at, Problem(f"the {kind} '{text}' is not {where}{hint}", instead=REMEDY[kind])


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
    """A relevant passage or unit that is forbidden: the ids of query and passage, and the
    problem."""

    pair: tuple[str, str]
    problem: Problem


def relevant_and_forbidden(qrels: Qrels) -> Iterator[ForbiddenJudgment]:
    """Each relevant passage that a rule forbids to its query, and each relevant unit of which a
    rule or a list forbids what cutoffs count: some passage, where they count units; all of them,
    where they count passages. Passages that a list forbids are found in their row."""
    forbidden = qrels.forbidding
    if forbidden is None or not (forbidden.rules or qrels.units):
        return
    relevant = np.flatnonzero(qrels.grades > 0)
    query_rows, rows = qrels.query_of[relevant], qrels.rows[relevant]
    if qrels.units is None or qrels.units.unit.cutoff == "units":
        sources = forbidden.sources(query_rows, rows[:, None])[:, 0]
    else:
        sources = _of_all(qrels.units, len(qrels.passages), forbidden, query_rows, rows)
    least = LISTED if qrels.units is None else 0
    for at in np.flatnonzero(sources > least).tolist():
        passage, source = qrels.passages[int(rows[at])], int(sources[at])
        query = qrels.queries[int(query_rows[at])]
        by = f"the rule {forbidden.name(source)}" if source > LISTED else "its list"
        what = (
            f"the {'passage' if qrels.units is None else 'unit'} '{passage}' has grade "
            f"{qrels.grades[relevant[at]]:g} for the query '{query}', and {by} forbids "
            f"{'it' if qrels.units is None else 'passages of it'}"
        )
        instead = "Correct the judgment or the rule" if source > LISTED else "Keep one of the two"
        yield ForbiddenJudgment((query, passage), Problem(what, instead=instead))


def _of_all(
    units: JudgedUnits,
    count: int,
    forbidden: Forbidden,
    query_rows: NDArray[np.int64],
    rows: NDArray[np.int32],
) -> NDArray[np.int16]:
    """What forbids the first passage of each unit, 0 if not all passages are forbidden."""
    members, starts = units.members(count)
    lengths = np.diff(starts)[rows]
    at = ranges(starts[rows], lengths)
    sources = forbidden.sources(np.repeat(query_rows, lengths), members[at][:, None])[:, 0]
    free = np.bincount(np.repeat(np.arange(len(rows)), lengths)[sources == 0], minlength=len(rows))
    first = np.append(sources, np.int16(0))[np.cumsum(lengths) - lengths]
    return np.where((free == 0) & (lengths > 0), first, np.int16(0))


def judgment_faults(
    qrels: Qrels,
    queries: Queries,
    corpus: Corpus | None,
    in_documents: Ids | None,
    *,
    allow_missing: bool,
) -> Iterator[tuple[int, Problem]]:
    """The place and the problem of each judgment that does not fit.

    Args:
        in_documents: the units of documents that are still to be cut; None if there are none.
    """
    yield from missing("query", qrels.queries[len(queries) :], queries.ids, "among the queries")
    if corpus is not None and not allow_missing:
        lost = qrels.unknown(corpus.ids)
        if qrels.units is None:
            yield from missing("passage", lost, corpus.ids, "in the corpus")
        else:
            known = Ids(qrels.passages[: qrels.units.count])
            where = f"the {qrels.units.unit.field} of any passage"
            yield from missing("unit", lost, known, where)
    if qrels.units is not None and in_documents is not None and not allow_missing:
        where = f"the {qrels.units.unit.field} of any document"
        yield from missing("unit", qrels.passages, in_documents, where)
    of_each = qrels.query_texts(qrels.query_of), qrels.passages.texts(qrels.rows)
    yield from answered(*of_each, qrels.grades.tolist(), queries)
    for number, found in enumerate(relevant_and_forbidden(qrels)):
        yield number, found.problem
