"""What a reader must know of a tuning beside its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.measures import R
from ragscore.names import few
from ragscore.strings import Sentence
from ragscore.tuning.cross_validation import CrossValidated
from ragscore.tuning.options import TuneOptions
from ragscore.tuning.parts import PassagesKept
from ragscore.tuning.tuning_input import TuningInput

FEW = 10
"""Fewer clusters than this say little of others."""


def notes_on(
    inputs: TuningInput,
    options: TuneOptions,
    held_out: CrossValidated | None,
    kept: PassagesKept,
    at_edge: bool,
) -> Iterator[Sentence]:
    """Sentences, each only where there is something to say."""

    def note(key: str, **facts: object) -> Sentence:
        return Sentence(key, facts)

    n = len(inputs)
    clustered = inputs.units.of_query is not None
    limited = options.budget is not None and options.budget.limit is not None
    empty = round((1 - kept.answered.mean.max()) * n)
    if limited and options.by == "k" and 0 < empty < n:
        yield note("note_nothing", count=empty, n=n)
    if at_edge:
        yield note("note_edge", depth=inputs.depth)
    if inputs.missing:
        yield note("note_missing", count=inputs.missing, n=n)
    without = int((inputs.n_relevant(inputs.family(R)) == 0).sum())
    if without:
        yield note("note_without", count=without, n=n)
    if clustered and len(inputs.units) < FEW:
        yield note("note_clusters", count=len(inputs.units))
    if held_out is not None and held_out.folds < options.folds:
        yield note("note_folds_clusters" if clustered else "note_folds", folds=held_out.folds)
    if held_out is not None and held_out.merged:
        listed, more = few(held_out.merged)
        named = note("names_more", names=listed, more=more) if more else listed
        yield note("note_tags", listed=named)
    if options.by == "k" and kept.unanswerable:
        many = "note_unanswerable" if kept.unanswerable > 1 else "note_unanswerable_one"
        yield note(many, count=kept.unanswerable)
