"""CHECK DATA: the problems of data that make a ranking worthless, whatever the statistics say.

There is no rule on the share of judged passages: collections with one judged passage a query
(most made for RAG) have nine of ten unjudged in the top ten, and are sound.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragscore.comparison.record import Difference
from ragscore.comparison.score_matrix import ScoreMatrix
from ragscore.elements.numbers import count_text
from ragscore.measures import parse_measure
from ragscore.messages import Message, _
from ragscore.scoring import RetrieverScores
from ragscore.scoring.mismatch import Cause

IDS: Mapping[Cause, Message] = {
    "case": _(
        "Upper and lower case differ: '{run_id}' in the run, '{judged_id}' in the judgments. "
        "Spell the ids the same way in both"
    ),
    "unicode": _(
        "The same characters are encoded in two ways (Unicode NFC and NFD): '{run_id}'. Normalise "
        "the ids of both to NFC"
    ),
    "blanks": _(
        "Whitespace differs: '{run_id}' in the run, '{judged_id}' in the judgments. Spell the "
        "ids the same way in both"
    ),
    "suffix": _(
        "Only one side has a file suffix: '{run_id}' in the run, '{judged_id}' in the judgments. "
        "Spell the ids the same way in both"
    ),
    "folder": _(
        "Only one side has a folder: '{run_id}' in the run, '{judged_id}' in the judgments. "
        "Spell the ids the same way in both"
    ),
    "decimal": _(
        "Whole numbers became decimals on one side: '{run_id}' in the run, '{judged_id}' in the "
        "judgments. Write ids as text"
    ),
    "zeros": _(
        "Leading zeros differ: '{run_id}' in the run, '{judged_id}' in the judgments. Write ids as "
        "text"
    ),
    "letters": _(
        "The letters before the number differ: '{run_id}' in the run, '{judged_id}' in the "
        "judgments. Spell the ids the same way in both"
    ),
    "unknown": _(
        "The ids have nothing in common: '{run_id}' in the run, '{judged_id}' in the judgments. "
        "Check that both belong to the same collection"
    ),
}
"""What to do, by how the ids of a run differ from those of the judgments."""
NO_ID = {
    "query": _("no query id in the run of {retriever} is in the judgments"),
    "passage": _("no passage id in the run of {retriever} is in the judgments"),
}
SOME_IDS = {
    "query": _("judged queries have different ids in the run of {retriever}"),
    "passage": _("judged passages have different ids in the run of {retriever}"),
}
ASK_AGAIN = _(
    "See the errors of the failed queries, and search them again once the system responds"
)


@dataclass(frozen=True)
class DataProblem:
    """What is wrong with the data, with how many of how many queries or ids, and what to do."""

    what: Message
    count: int
    n: int
    fix: Message

    @property
    def sentence(self) -> Message:
        """The problem, its counts and what to do, as CHECK DATA prints them."""
        return _(
            "Do not read the ranking yet: {problem} ({count} of {n}). {fix}.",
            problem=self.what,
            fix=self.fix,
            count=count_text(self.count),
            n=count_text(self.n),
        )


def find_data_problem(
    common: ScoreMatrix, primary: int, leader: Sequence[Difference]
) -> DataProblem | None:
    """The first problem that the data have; None if the ranking can be read.

    In this order: ids of a run are not those of the judgments; fewer than half of the
    queries are common to all; a run lacks every judged query; a run got nothing for more than
    half; more than half have nothing relevant judged; no grade is high enough for the primary
    measure; it is 0 for every retriever, or for one, on every query; it is undefined, for one
    retriever or another, on more than half; who leads on the queries that all share loses on those
    that a pair shares, so that no order means anything.

    Args:
        common: the scores.
        primary: number of the primary measure.
        leader: its best retriever against each other.
    """
    return next(_problems(common, primary, leader), None)


def id_problem(entry: RetrieverScores) -> DataProblem | None:
    """What is wrong with the ids of one run; None if nothing is."""
    mismatch, n = entry.mismatch, entry.counts.queries
    if mismatch is None:
        return None
    fix = IDS[mismatch.cause].given(run_id=mismatch.in_run, judged_id=mismatch.in_judgments)
    if mismatch.differing is None or mismatch.judged is None:
        return DataProblem(NO_ID[mismatch.kind].given(retriever=entry.retriever), n, n, fix)
    problem = SOME_IDS[mismatch.kind].given(retriever=entry.retriever)
    return DataProblem(problem, mismatch.differing, mismatch.judged, fix)


def _problems(
    common: ScoreMatrix, primary: int, leader: Sequence[Difference]
) -> Iterator[DataProblem]:
    yield from filter(None, map(id_problem, common.entries))
    shared, union = len(common.queries), len(common.queries) + common.dropped
    if 2 * shared < union:
        few = _("too few queries were scored for every retriever")
        yield DataProblem(few, shared, union, _("Search all queries with every retriever"))
    for entry in common.entries:
        yield from _unanswered(entry)
    for entry in common.entries:
        counts = entry.counts
        if 2 * counts.without_relevant > counts.queries:
            problem = _("most queries have no passage judged relevant")
            fix = _("Judge them, or leave them out")
            yield DataProblem(problem, counts.without_relevant, counts.queries, fix)
    measure, values = common.measures[primary], common.values[primary]
    counts = common.entries[0].counts
    if any(counts.unreached([parse_measure(measure.measure)])):
        problem = _("no grade is high enough to count as relevant for {M}", M=measure.name)
        fix = _("Lower relevant_from, or check the grades")
        yield DataProblem(problem, counts.queries, counts.queries, fix)
    # Of a measure that is best when low, 0 is good news; the logarithm of 0 is never 0.
    zero = np.all(values == 0, axis=1) & (measure.sign > 0) & (not measure.logarithm)
    fix = _("Check that the run and the judgments use the same passage ids")
    if zero.all():
        problem = _("{M} is 0 for every retriever on every query", M=measure.name)
        yield DataProblem(problem, shared, shared, fix)
    for row in np.flatnonzero(zero).tolist():
        name = common.retrievers[row]
        problem = _("{M} is 0 for {retriever} on every query", M=measure.name, retriever=name)
        yield DataProblem(problem, shared, shared, fix)
    known = int((~np.isnan(values).any(axis=0)).sum())
    failed = any(entry.counts.left_out for entry in common.entries)
    fix = ASK_AGAIN
    if not failed:
        fix = _("List another measure first, one that has a value for every query")
    if 2 * known < shared:
        problem = _("too few queries have a value of {M} for every retriever", M=measure.name)
        yield DataProblem(problem, known, shared, fix)
    if any(difference.value < 0 for difference in leader):
        problem = _(
            "the order on {M} changes if only the queries with a value for every retriever are "
            "compared",
            M=measure.name,
        )
        yield DataProblem(problem, known, shared, fix)


def _unanswered(entry: RetrieverScores) -> Iterator[DataProblem]:
    """The problems of a run that lacks judged queries, or that has nothing for most of them."""
    counts, retriever = entry.counts, entry.retriever
    nothing = counts.missing + counts.empty
    if counts.queries and counts.missing == counts.queries:
        problem = _("no judged query is in the run of {retriever}", retriever=retriever)
        fix = _("Check that the run and the judgments use the same query ids")
        yield DataProblem(problem, counts.missing, counts.queries, fix)
    if 2 * counts.failed > counts.queries:
        problem = _("{retriever} did not answer most queries", retriever=retriever)
        yield DataProblem(problem, counts.failed, counts.queries, ASK_AGAIN)
    if 2 * nothing > counts.queries:
        problem = _("{retriever} returned nothing for most queries", retriever=retriever)
        fix = _("Check that the run is complete and uses the query ids of the judgments")
        # What a run has, and without a passage, was asked: its ids are not the matter.
        if counts.empty > counts.missing:
            problem = _("{retriever} found nothing for most queries", retriever=retriever)
            fix = _(
                "Check that its filter, if it has one, leaves passages for these queries, and "
                "that its tokenizer or encoder handles their language"
            )
        yield DataProblem(problem, nothing, counts.queries, fix)
