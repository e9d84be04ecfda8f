"""What makes a ranking worthless before any statistics: the rules of CHECK DATA, first that holds.

There is no rule on the share of judged passages: collections with one judged passage a query
(most made for RAG) have nine of ten unjudged in the top ten, and are sound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ragscore.comparison.common_queries import CommonScores
from ragscore.comparison.model import Difference
from ragscore.comparison.strings import STRINGS
from ragscore.elements.numbers import count_text
from ragscore.measures import parse_measure
from ragscore.messages import Message
from ragscore.scoring import RetrieverScores


@dataclass(frozen=True)
class Trouble:
    """One thing that is wrong with the data: what, on how many of how many, and what to do."""

    problem: Message
    count: int
    n: int
    fix: Message

    @property
    def part(self) -> Message:
        """The sentence that says all of it."""
        facts = {"count": count_text(self.count), "n": count_text(self.n)}
        return Message(
            "Do not read the ranking yet: {problem} ({count} of {n}). {fix}.",
            {"problem": self.problem, "fix": self.fix, **facts},
        )


def trouble_with(
    common: CommonScores, primary: int, leader: Sequence[Difference]
) -> Trouble | None:
    """The first rule that holds, None where the ranking can be read.

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
    return next(_troubles(common, primary, leader), None)


def trouble_in(entry: RetrieverScores) -> Trouble | None:
    """What is wrong with the ids of one run; None where nothing is."""
    mismatch, n = entry.mismatch, entry.counts.queries
    if mismatch is None:
        return None
    facts = {"run_id": mismatch.in_run, "judged_id": mismatch.in_judgments}
    fix = STRINGS.message(f"ids_{mismatch.cause}", facts)
    retriever = {"retriever": entry.retriever}
    if mismatch.differing is None or mismatch.judged is None:
        return Trouble(STRINGS.message(f"unknown_{mismatch.kind}_ids", retriever), n, n, fix)
    problem = STRINGS.message(f"differing_{mismatch.kind}_ids", retriever)
    return Trouble(problem, mismatch.differing, mismatch.judged, fix)


def _troubles(
    common: CommonScores, primary: int, leader: Sequence[Difference]
) -> Iterator[Trouble]:
    yield from filter(None, map(trouble_in, common.entries))
    shared, union = len(common.query_ids), len(common.query_ids) + common.dropped
    if 2 * shared < union:
        yield _trouble("few_common", shared, union)
    for entry in common.entries:
        counts = entry.counts
        nothing = counts.missing + counts.empty
        if counts.queries and counts.missing == counts.queries:
            yield _trouble("none_in_run", counts.missing, counts.queries, retriever=entry.retriever)
        if 2 * counts.failed > counts.queries:
            yield _trouble("most_failed", counts.failed, counts.queries, retriever=entry.retriever)
        if 2 * nothing > counts.queries:
            # What a run has, and without a passage, was asked: its ids are not the matter.
            key = "most_empty" if counts.empty > counts.missing else "most_got_nothing"
            yield _trouble(key, nothing, counts.queries, retriever=entry.retriever)
    for entry in common.entries:
        if 2 * entry.counts.without_relevant > entry.counts.queries:
            yield _trouble("nothing_relevant", entry.counts.without_relevant, entry.counts.queries)
    measure, values, n = common.measures[primary], common.values[primary], shared
    counts = common.entries[0].counts
    if any(counts.unreached([parse_measure(measure.measure)])):
        yield _trouble("grades_too_low", counts.queries, counts.queries, M=measure.name)
    # Of a measure that is best when low, 0 is good news; the logarithm of 0 is never 0.
    zero = np.all(values == 0, axis=1) & (measure.sign > 0) & (measure.scale == "as it is")
    if zero.all():
        yield _trouble("all_zero", n, n, fix="zero_fix", M=measure.name)
    for row in np.flatnonzero(zero).tolist():
        name = common.retrievers[row]
        yield _trouble("one_zero", n, n, fix="zero_fix", M=measure.name, retriever=name)
    known = int((~np.isnan(values).any(axis=0)).sum())
    failed = any(entry.counts.left_out for entry in common.entries)
    fix = "most_failed_fix" if failed else "undefined_fix"
    if 2 * known < n:
        yield _trouble("undefined", known, n, fix=fix, M=measure.name)
    if any(difference.value < 0 for difference in leader):
        yield _trouble("contradiction", known, n, fix=fix, M=measure.name)


def _trouble(key: str, count: int, n: int, *, fix: str = "", **facts: Any) -> Trouble:
    return Trouble(STRINGS.message(key, facts), count, n, STRINGS.message(fix or f"{key}_fix"))
