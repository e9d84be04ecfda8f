"""What a reader must know of a tuning beside its numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.measures import R
from ragscore.names import few
from ragscore.tuning.cross_validation import CrossValidated
from ragscore.tuning.evidence import Evidence
from ragscore.tuning.options import TuneOptions
from ragscore.tuning.result import Kept

FEW = 10
"""Fewer clusters than this say little of others."""


def notes_on(
    evidence: Evidence,
    options: TuneOptions,
    held_out: CrossValidated,
    kept: Kept,
    at_edge: bool,
) -> Iterator[str]:
    """Sentences, each only where there is something to say."""
    clustered = evidence.units.of_query is not None
    limited = options.budget is not None and options.budget.limit is not None
    if limited and (empty := round(kept.nothing.min() * len(evidence))):
        yield (
            f"{empty} of {len(evidence)} queries get nothing: their first passage alone is over "
            "the budget, or none came back"
        )
    if at_edge:
        yield (
            f"the {evidence.depth} passages that were recorded are not the end: more might be "
            "better still; record deeper"
        )
    if evidence.missing:
        yield f"{evidence.missing} of {len(evidence)} queries are not in the run and score 0"
    without = int((evidence.n_relevant(evidence.family(R)) == 0).sum())
    if without:
        yield (
            f"{without} of {len(evidence)} queries have no relevant passage and score 0, "
            "whatever k is"
        )
    if clustered and len(evidence.units) < FEW:
        yield f"there are only {len(evidence.units)} clusters: intervals say little"
    if held_out.folds < options.folds:
        what = "clusters" if clustered else "queries"
        yield f"{held_out.folds} folds, since there are no more {what}"
    if held_out.merged:
        listed, more = few(held_out.merged)
        listed += f" and {more} more" if more else ""
        yield f"tags with too few queries for the folds were dealt out as one: {listed}"
    if options.by == "k" and kept.unanswerable:
        yield (
            f"{kept.unanswerable} unanswerable queries are left out: they get passages at every "
            "k; a score cut can refuse them"
        )
