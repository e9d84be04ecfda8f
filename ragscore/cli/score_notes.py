"""What a reader must know to trust the means of ``ragscore score``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragscore.scoring import RetrieverScores


def id_trouble(entry: RetrieverScores) -> str:
    """What ``ragscore compare`` says of a run whose ids are not those of the judgments; nothing
    of any other run."""
    if entry.mismatch is None:
        return ""
    from ragscore.comparison.check import trouble_in
    from ragscore.comparison.wording import say

    trouble = trouble_in(entry)
    return f"CHECK DATA: {say([trouble.part], 'en')}" if trouble is not None else ""


def notes_on(entry: RetrieverScores, dropped: int) -> Iterator[str]:
    """One sentence for each thing that is out of the ordinary.

    Args:
        entry: the scores of one run.
        dropped: judged queries that were left out since the run lacks them.
    """
    wrong = id_trouble(entry)
    if wrong:
        yield wrong
    counts, of = entry.counts, f"of {entry.counts.queries:,} judged queries"
    if not counts.queries:
        yield "no query was averaged"
    if counts.queries and counts.missing == counts.queries and not counts.without_judgments:
        yield "the run is empty; all queries score 0"
    elif counts.missing and counts.missing < counts.queries:
        yield (
            f"{counts.missing:,} {of} are not in the run; they score 0 "
            "(--missing drop leaves them out)"
        )
    if dropped:
        yield (
            f"{dropped:,} judged queries are not in the run and are left out "
            "(--missing zero counts them as 0)"
        )
    if counts.empty:
        yield f"{counts.empty:,} {of} got nothing; they score 0"
    if counts.without_judgments:
        yield f"{counts.without_judgments:,} queries of the run have no judgments; ignored"
    if counts.unanswerable:
        yield (
            f"{counts.unanswerable:,} unanswerable queries are left out; "
            f"{counts.answered_unanswerable:,} of them got something"
        )
    if counts.without_relevant:
        yield f"{counts.without_relevant:,} {of} have no relevant passage; they score 0"
    if counts.duplicates:
        yield (
            f"{counts.duplicates:,} passages came back twice for a query; the first line is kept, "
            "whatever its score (--strict refuses them)"
        )
    yield from counts.unreached(entry.measures)
    tied = [
        f"{queries:,} ({100 * queries / counts.queries:.1f} %) at {cutoff}"
        for cutoff, queries in counts.tied.items()
        if queries
    ]
    if tied:
        yield f"queries with a tie across a cutoff: {', '.join(tied)}"
