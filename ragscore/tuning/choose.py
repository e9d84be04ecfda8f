"""tune(run, judgments) -> Tuning: every k and every cut from one recorded run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import ConfigError
from ragscore.measures import F, Measure, P, R
from ragscore.run import Run
from ragscore.scoring import ProfileName
from ragscore.tuning.bands import Band, Columns
from ragscore.tuning.context import Contexts, contexts_of
from ragscore.tuning.cross_validation import (
    SAME,
    CrossValidated,
    choose_by_cross_validation,
    dealt,
)
from ragscore.tuning.cuts import Cuts, cuts_by_k, cuts_by_score
from ragscore.tuning.evidence import AnyJudgments, Evidence
from ragscore.tuning.notes import notes_on
from ragscore.tuning.options import Budget, TuneOptions
from ragscore.tuning.result import ContextCurve, Kept, Steps, Tuning
from ragscore.tuning.rules import Chooser

Taken = NDArray[np.int64]


def tune(
    run: Run,
    judged: AnyJudgments,
    options: TuneOptions | None = None,
    *,
    dataset: str | None = None,
    profile: ProfileName = "trec",
) -> Tuning:
    """How many passages to take from this retriever.

    Args:
        run: recorded to some depth; nothing deeper is recommended.
        judged: a Dataset; or judgments alone, and then there are no tags, no texts and no
            unanswerable queries.
        options: the rule and all else; by default the k with the best F1.
        dataset: a name for tables; by default the dataset's.
        profile: conventions, as for :func:`~ragscore.scoring.score`.

    >>> run = Run.from_dict({"a": ["x", "y", "z"], "b": ["x", "z", "y"]})
    >>> found = tune(run, {"a": ["x"], "b": ["z"]}, TuneOptions(rule="recall", target=0.9))
    >>> found.k, found.sentence
    (2, 'Use k = 2: recall 1.000 (CI 0.342 to 1.000); going to 3 adds 0.000 recall.')

    Raises:
        DataError: fewer than two queries are judged, nothing relevant is, or nothing came back.
        ConfigError: an option needs what is not there: texts, tags, scores, more depth.
    """
    options = options or TuneOptions()
    evidence = Evidence.of(run, judged, options, profile, dataset)
    deepest = max(options.at, default=1)
    if deepest > evidence.depth:
        raise ConfigError(
            f"k = {deepest} is beyond the {evidence.depth} passages that were recorded",
            where=evidence.run.name,
            instead=f"Ask for k up to {evidence.depth}, or retrieve again with depth: {deepest}",
        )
    if options.by == "k":
        cuts = cuts_by_k(evidence.depth)
    else:
        cuts = cuts_by_score(evidence.run, options.by)
    contexts = evidence.contexts(options.budget)
    limit = contexts.limit if contexts is not None else None
    taken = cuts.taken(evidence.run)
    if contexts is not None and limit is not None:
        taken = np.minimum(taken, contexts.fitting(limit)[:, None])

    precision, recall = evidence.family(P), evidence.family(R)
    by_f = options.rule == "best_f"
    judged_by = (
        evidence.family(F, options.beta)
        if by_f
        else precision
        if options.rule == "precision"
        else recall
    )
    kept_columns: dict[Measure, Columns] = {}
    curves: dict[Measure, Band] = {}
    steps: dict[Measure, Band] = {}
    in_contexts: dict[Measure, Band] = {}
    limits = _limits(contexts) if contexts is not None else None
    for measure in evidence.families:
        curve = evidence.curve(measure)
        values = _at(curve, taken) if options.by != "k" or limit is not None else curve
        columns = evidence.columns(measure, values)
        curves[measure] = columns.band()
        if measure not in (precision, recall, judged_by):
            continue
        kept_columns[measure] = columns
        if options.by == "k":
            steps[measure] = _differences(values, evidence, measure)
        if contexts is not None and limits is not None:
            fitting = np.stack([contexts.fitting(int(one)) for one in limits], axis=1)
            in_contexts[measure] = evidence.columns(measure, _at(curve, fitting)).band()

    returned = np.minimum(taken, evidence.run.returned[:, None])
    chooser = Chooser(options, kept_columns[judged_by], returned.astype(np.float64))
    everything = np.ones((1, len(evidence)), dtype=bool)
    choice = chooser.choose(everything)
    setting, reached = int(choice.setting[0]), bool(choice.reached[0])
    held_out = _held_out(evidence, options, chooser, kept_columns, judged_by)
    sizes = None
    if contexts is not None:
        sizes = np.take_along_axis(contexts.sizes, returned, axis=1).mean(axis=0)
    context = None
    if contexts is not None and limits is not None:
        passages = np.array([contexts.fitting(int(one)).mean() for one in limits])
        context = ContextCurve(limits, passages, in_contexts[precision], in_contexts[recall])
    last = setting == len(cuts) - 1
    at_edge = _at_edge(
        evidence, options, last, reached, returned[:, -1], kept_columns[recall].values[:, -1]
    )
    kept = _kept(evidence, cuts, returned, options.budget)
    return Tuning(
        dataset=evidence.dataset,
        retriever=evidence.run.name,
        queries=len(evidence),
        depth=evidence.depth,
        options=options,
        cuts=cuts,
        curves=curves,
        precision=precision,
        recall=recall,
        judged_by=judged_by,
        setting=setting,
        reached=reached,
        at_edge=at_edge,
        held_out=held_out,
        steps=_steps(steps, precision, recall, sizes),
        kept=kept,
        unit=contexts.unit if contexts is not None else None,
        sizes=sizes,
        context=context,
        notes=tuple(notes_on(evidence, options, held_out[judged_by], kept, at_edge)),
    )


def _at(curve: NDArray[np.float64], taken: Taken) -> NDArray[np.float64]:
    """Each query's value at its own number of passages, 0 where it gets none: float64[Q, S]."""
    values: NDArray[np.float64] = np.take_along_axis(np.pad(curve, ((0, 0), (1, 0))), taken, axis=1)
    return values


def _differences(values: NDArray[np.float64], evidence: Evidence, measure: Measure) -> Band:
    """What each k adds to the one before."""
    added = np.diff(values, axis=1, prepend=0.0)
    if isinstance(measure, R):
        return evidence.columns(measure, added).band()
    band = Columns.of(added, evidence.units, unit_interval=False).band()
    for column in (band.mean, band.low, band.high):
        column[0] = np.nan  # there is nothing before the first
    return band


def _steps(
    bands: dict[Measure, Band],
    precision: Measure,
    recall: Measure,
    sizes: NDArray[np.float64] | None,
) -> Steps | None:
    if not bands:
        return None
    size = None if sizes is None else np.diff(sizes, prepend=0.0)
    return Steps(bands[recall], bands[precision], size)


def _held_out(
    evidence: Evidence,
    options: TuneOptions,
    chooser: Chooser,
    columns: dict[Measure, Columns],
    judged_by: Measure,
) -> dict[Measure, CrossValidated]:
    folds = dealt(evidence.units, options.folds, options.repeats, options.seed, evidence.strata)
    return {
        measure: choose_by_cross_validation(
            columns[measure].values.T,
            folds=folds,
            clusters=evidence.units.of_query,
            choose=chooser.settings,
            unit_interval=columns[measure].unit_interval,
        )
        for measure in sorted(columns, key=lambda measure: measure != judged_by)
    }


def _limits(contexts: Contexts) -> NDArray[np.int64]:
    """Round sizes from the smallest first passage to the largest context, the limit too."""
    smallest, largest = int(contexts.sizes[:, 1].min()), int(contexts.sizes[:, -1].max())
    rounds = [step * 10**power for power in range(12) for step in (1, 2, 3, 5)]
    inside = [size for size in rounds if max(smallest, 1) <= size < largest]
    above = [size for size in rounds if size >= largest][:1]
    own = [contexts.limit] if contexts.limit is not None else []
    return np.array(sorted({*inside, *above, *own}), dtype=np.int64)


def _at_edge(
    evidence: Evidence,
    options: TuneOptions,
    last: bool,
    reached: bool,
    returned: NDArray[np.int64],
    recall: NDArray[np.float64],
) -> bool:
    """Whether the recommended setting takes all that was recorded, and more might be better.

    Args:
        evidence: the run and what is known of its queries.
        options: the rule.
        last: whether the setting is the loosest.
        reached: whether the target is.
        returned: int64[Q], passages that each query gets at the loosest setting.
        recall: float64[Q], its R there.
    """
    if evidence.corpus is not None and evidence.depth >= len(evidence.corpus):
        return False
    # A context that is full, or a run that had ended before, gets no more by searching deeper.
    open_ended = returned >= evidence.depth
    if options.rule != "precision":  # which takes all it can get, relevant or not
        open_ended &= recall < 1 - SAME
    if not open_ended.any():
        return False
    return (last and options.rule in ("best_f", "precision", "budget")) or (
        options.rule == "recall" and not reached
    )


def _kept(evidence: Evidence, cuts: Cuts, returned: Taken, budget: Budget | None) -> Kept:
    lowest, lower, median, upper, highest = np.quantile(
        returned, [0.0, 0.25, 0.5, 0.75, 1.0], axis=0, method="nearest"
    ).astype(np.float64)
    refused = None
    if evidence.refused is not None:
        got = np.minimum(cuts.taken(evidence.refused), evidence.refused.returned[:, None])
        if budget is not None and budget.limit is not None and evidence.corpus is not None:
            contexts = contexts_of(evidence.refused, evidence.corpus, budget)
            got = np.minimum(got, contexts.fitting(budget.limit)[:, None])
        refused = (got == 0).mean(axis=0)
    return Kept(
        mean=returned.mean(axis=0),
        lowest=lowest,
        lower=lower,
        median=median,
        upper=upper,
        highest=highest,
        nothing=(returned == 0).mean(axis=0),
        unanswerable=len(evidence.refused) if evidence.refused is not None else 0,
        refused=refused,
    )
