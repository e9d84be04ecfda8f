"""What a reader must know to trust the means of a run."""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.blocks.numbers import count_text, share_text
from ragscore.scoring.retriever_scores import RetrieverScores
from ragscore.strings import Strings


def score_notes(entry: RetrieverScores, strings: Strings) -> Iterator[str]:
    """One sentence for each thing that is out of the ordinary.

    Args:
        entry: the scores of one run.
        strings: of scoring.
    """
    counts, n = entry.counts, count_text(entry.counts.queries)

    def note(key: str, count: int, **facts: object) -> str:
        return strings(key, count=count_text(count), n=n, **facts)

    if not counts.queries:
        yield note("note_none_averaged", 0)
    if counts.queries and counts.missing == counts.queries and not counts.without_judgments:
        yield note("note_run_empty", counts.missing)
    elif counts.missing and counts.missing < counts.queries:
        yield note("note_missing", counts.missing)
    if entry.dropped:
        yield note("note_dropped", entry.dropped)
    if counts.empty:
        yield note("note_empty", counts.empty)
    if counts.without_judgments:
        yield note("note_without_judgments", counts.without_judgments)
    if counts.unanswerable:
        answered = count_text(counts.answered_unanswerable)
        yield note("note_unanswerable", counts.unanswerable, answered=answered)
    if counts.without_relevant:
        yield note("note_without_relevant", counts.without_relevant)
    if counts.duplicates:
        yield note("note_duplicates", counts.duplicates)
    yield from (sentence.text_in(strings) for sentence in counts.unreached(entry.measures))
    tied = [
        strings(
            "tied_at",
            queries=count_text(queries),
            share=share_text(queries / counts.queries),
            cutoff=cutoff,
        )
        for cutoff, queries in counts.tied.items()
        if queries
    ]
    if tied:
        yield strings("note_tied", listed=", ".join(tied))
