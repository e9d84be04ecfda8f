"""CHECK DATA: the problems of data that make a ranking worthless, whatever the statistics say.

There is no rule on the share of judged passages: collections with one judged passage a query
(most made for RAG) have nine of ten unjudged in the top ten, and are sound.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.differences import Difference
from ragscore.comparison.score_matrix import ContextSize, ScoreMatrix
from ragscore.elements.numbers import count_text
from ragscore.encoders.truncation import Truncation
from ragscore.messages import KeptText, Message, _, listed
from ragscore.records import Record
from ragscore.scoring import RetrieverScores
from ragscore.scoring.mismatch import Cause

ProblemKind = Literal[
    "no query id",
    "no passage id",
    "some query ids",
    "some passage ids",
    "few common queries",
    "no judged query",
    "most failed",
    "most returned nothing",
    "most found nothing",
    "nothing relevant",
    "grades too low",
    "all zero",
    "one zero",
    "few values",
    "order changes",
    "search failed",
    "outage",
]
DIFFERENT_IDS: Mapping[Cause, Message] = {
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
PROBLEMS: Mapping[ProblemKind, Message] = {
    "no query id": _("No query id in the run of {names} is in the judgments"),
    "no passage id": _("No passage id in the run of {names} is in the judgments"),
    "some query ids": _("Judged queries have different ids in the run of {names}"),
    "some passage ids": _("Judged passages have different ids in the run of {names}"),
    "few common queries": _("Too few queries were scored for every retriever"),
    "no judged query": _("No judged query is in the run of {names}"),
    "most failed": _("{names} did not answer most queries"),
    "most returned nothing": _("{names} returned nothing for most queries"),
    # What a run has, and without a passage, was asked: its ids are not the matter.
    "most found nothing": _("{names} found nothing for most queries"),
    "nothing relevant": _("Most queries have no passage judged relevant"),
    "grades too low": _("No grade is high enough to count as relevant for {M}"),
    "all zero": _("{M} is 0 for every retriever on every query"),
    "one zero": _("{M} is 0 for {names} on every query"),
    "few values": _("Too few queries have a value of {M} for every retriever"),
    "order changes": _(
        "The order on {M} changes if only the queries with a value for every retriever are compared"
    ),
    "search failed": _("{names} failed"),
    "outage": _("The ranking changes without the queries that {names} did not answer"),
}
"""By kind: what is wrong."""
ASK_AGAIN = _(
    "See the errors of the failed queries, and search them again once the system responds"
)
OTHER_MEASURE = _("List another measure first, one that has a value for every query")
SAME_PASSAGE_IDS = _("Check that the run and the judgments use the same passage ids")
FIXES: Mapping[ProblemKind, Message] = {
    "few common queries": _("Search all queries with every retriever"),
    "no judged query": _("Check that the run and the judgments use the same query ids"),
    "most failed": ASK_AGAIN,
    "most returned nothing": _(
        "Check that the run is complete and uses the query ids of the judgments"
    ),
    "most found nothing": _(
        "Check that its filter, if it has one, leaves passages for these queries, and that its "
        "tokenizer or encoder handles their language"
    ),
    "nothing relevant": _("Judge them, or leave them out"),
    "grades too low": _("Lower relevant_from, or check the grades"),
    "all zero": SAME_PASSAGE_IDS,
    "one zero": SAME_PASSAGE_IDS,
    "few values": OTHER_MEASURE,
    "order changes": OTHER_MEASURE,
    "search failed": _("Fix it and run again: finished searches are kept"),
    "outage": ASK_AGAIN,
}
"""What to do, where the ids are not the matter."""


@dataclass(frozen=True)
class DataProblem(Record):
    """What is wrong with the data."""

    kind: ProblemKind
    """What it is."""
    count: int
    """How many queries, ids or retrievers have it."""
    n: int
    """Of how many."""
    retrievers: tuple[str, ...] = ()
    """Whom it is about; empty if it is about all."""
    measure: KeptText = ""
    """Which measure it is about, as it is printed; mostly empty."""
    cause: Cause | None = None
    """How ids differ, where that is the problem."""
    run_id: str = ""
    """One such id in the run."""
    judged_id: str = ""
    """And in the judgments."""
    error: str = ""
    """What the first retriever that failed said."""

    @property
    def sentence(self) -> Message:
        """The problem, its counts and what to do, as CHECK DATA prints them."""
        if self.cause is not None:
            fix = DIFFERENT_IDS[self.cause].given(run_id=self.run_id, judged_id=self.judged_id)
        elif self.retrievers and FIXES[self.kind] is OTHER_MEASURE:
            fix = ASK_AGAIN  # undefined where they failed
        else:
            fix = FIXES[self.kind]
        names = listed(self.retrievers) if self.retrievers else ""
        facts = {
            "problem": PROBLEMS[self.kind].given(names=names, M=self.measure),
            "fix": fix,
            "count": count_text(self.count),
            "n": count_text(self.n),
        }
        if not self.error:
            return _("{problem} ({count} of {n}). {fix}.", **facts)
        return _(
            "{problem} ({count} of {n} retrievers): {error}. {fix}.", **facts, error=self.error
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
    query = mismatch.kind == "query"
    names, ids = (entry.retriever,), (mismatch.cause, mismatch.in_run, mismatch.in_judgments)
    if mismatch.differing is None or mismatch.judged is None:
        return DataProblem("no query id" if query else "no passage id", n, n, names, "", *ids)
    some: ProblemKind = "some query ids" if query else "some passage ids"
    return DataProblem(some, mismatch.differing, mismatch.judged, names, "", *ids)


def _problems(
    common: ScoreMatrix, primary: int, leader: Sequence[Difference]
) -> Iterator[DataProblem]:
    yield from filter(None, map(id_problem, common.entries))
    shared, union = len(common.queries), len(common.queries) + common.dropped
    if 2 * shared < union:
        yield DataProblem("few common queries", shared, union)
    for entry in common.entries:
        yield from _unanswered(entry)
    for entry in common.entries:
        counts = entry.counts
        if 2 * counts.without_relevant > counts.queries:
            yield DataProblem("nothing relevant", counts.without_relevant, counts.queries)
    measure, values = common.measures[primary], common.values[primary]
    counts, label = common.entries[0].counts, measure.name
    if any(counts.unreached([measure.parsed])):
        yield DataProblem("grades too low", counts.queries, counts.queries, measure=label)
    # Of a measure that is best when low, 0 is good news; the logarithm of 0 is never 0.
    zero = np.all(values == 0, axis=1) & (measure.sign > 0) & (not measure.logarithm)
    if zero.all():
        yield DataProblem("all zero", shared, shared, measure=label)
    for row in np.flatnonzero(zero).tolist():
        yield DataProblem("one zero", shared, shared, (common.retrievers[row],), label)
    known = int((~np.isnan(values).any(axis=0)).sum())
    if 2 * known < shared:
        yield DataProblem("few values", known, shared, _left_out(common), label)
    if any(difference.value < 0 for difference in leader):
        yield DataProblem("order changes", known, shared, _left_out(common), label)


def _unanswered(entry: RetrieverScores) -> Iterator[DataProblem]:
    """The problems of a run that lacks judged queries, or that has nothing for most of them."""
    counts, names = entry.counts, (entry.retriever,)
    nothing, n = counts.missing + counts.empty, counts.queries
    if n and counts.missing == n:
        yield DataProblem("no judged query", counts.missing, n, names)
    if 2 * counts.failed > n:
        yield DataProblem("most failed", counts.failed, n, names)
    if 2 * nothing > n:
        found = counts.empty > counts.missing
        kind: ProblemKind = "most found nothing" if found else "most returned nothing"
        yield DataProblem(kind, nothing, n, names)


def _left_out(common: ScoreMatrix) -> tuple[str, ...]:
    """The retrievers whose failed queries are left out of their means."""
    return tuple(entry.retriever for entry in common.entries if entry.counts.left_out)


@dataclass(frozen=True, eq=False)
class ChunkSizes:
    """How much text retrievers return that search the chunks of different chunkers.

    Attributes:
        characters: by retriever, the mean over its queries of what its first 1, 2, ... passages
            hold: float64[depth]; empty if the chunks are not known any more.
        context: the context that decides; None if texts are not known, or no context that is
            shown is filled by all.
        entries: the scores of each retriever in it, by measures without cutoffs.
    """

    characters: Mapping[str, NDArray[np.float64]]
    context: ContextSize | None = None
    entries: tuple[RetrieverScores, ...] = ()


@dataclass(frozen=True)
class QueryCost:
    """What a query costs, what a retriever is built on included.

    Attributes:
        price: in ``currency``; None if it is not known.
        currency: such as ``USD``; empty if nothing is paid.
        requests: to other systems; None if that is not known.
        p50: the median time of a query in milliseconds; None if it was not measured.
        search: milliseconds a query over the whole run; None if that is not known.
    """

    price: float | None = None
    currency: str = ""
    requests: float | None = None
    p50: float | None = None
    search: float | None = None


@dataclass(frozen=True, eq=False)
class SearchFacts:
    """What is known of the searches, and may turn a verdict around.

    Attributes:
        chunk_sizes: where retrievers search different chunks, how large these are.
        failed: the retrievers without a run, which are not compared, with their errors.
        unanswered: by retriever, the queries that failed and count as empty.
        english: the retrievers whose encoder was trained on English, or whose inputs' was, where
            the texts are in another language.
        written: that language, or its script.
        truncations: what encoders did not read.
        costs: by retriever, what a query costs.
    """

    chunk_sizes: ChunkSizes | None = None
    failed: Mapping[str, str] = field(default_factory=dict)
    unanswered: Mapping[str, Collection[str]] = field(default_factory=dict)
    english: tuple[str, ...] = ()
    written: str = ""
    truncations: tuple[Truncation, ...] = ()
    costs: Mapping[str, QueryCost] = field(default_factory=dict)
