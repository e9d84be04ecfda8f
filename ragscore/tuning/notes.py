"""What a reader must know of a tuning beside its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.measures import R
from ragscore.names import few
from ragscore.strings import Sentence
from ragscore.tuning.cross_validation import CrossValidated
from ragscore.tuning.evidence import Evidence
from ragscore.tuning.options import TuneOptions
from ragscore.tuning.result import Kept

FEW = 10
"""Fewer clusters than this say little of others."""


def notes_on(
    evidence: Evidence,
    options: TuneOptions,
    held_out: CrossValidated | None,
    kept: Kept,
    at_edge: bool,
) -> Iterator[Sentence]:
    """Sentences, each only where there is something to say."""

    def note(key: str, **facts: object) -> Sentence:
        return Sentence(key, facts)

    n = len(evidence)
    clustered = evidence.units.of_query is not None
    limited = options.budget is not None and options.budget.limit is not None
    empty = round((1 - kept.answered.mean.max()) * n)
    if limited and options.by == "k" and 0 < empty < n:
        yield note("note_nothing", count=empty, n=n)
    if at_edge:
        yield note("note_edge", depth=evidence.depth)
    if evidence.missing:
        yield note("note_missing", count=evidence.missing, n=n)
    without = int((evidence.n_relevant(evidence.family(R)) == 0).sum())
    if without:
        yield note("note_without", count=without, n=n)
    if clustered and len(evidence.units) < FEW:
        yield note("note_clusters", count=len(evidence.units))
    if held_out is not None and held_out.folds < options.folds:
        yield note("note_folds_clusters" if clustered else "note_folds", folds=held_out.folds)
    if held_out is not None and held_out.merged:
        listed, more = few(held_out.merged)
        named = note("names_more", names=listed, more=more) if more else listed
        yield note("note_tags", listed=named)
    if options.by == "k" and kept.unanswerable:
        many = "note_unanswerable" if kept.unanswerable > 1 else "note_unanswerable_one"
        yield note(many, count=kept.unanswerable)
