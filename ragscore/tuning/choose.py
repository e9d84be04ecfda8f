"""tune(run, judgments) -> Tuning: every k and every cut from one recorded run."""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import ConfigError
from ragscore.measures import F, Measure, P, R
from ragscore.run import Run
from ragscore.scoring import ProfileName
from ragscore.stats.bands import Band, SettingValues
from ragscore.tuning.context import TokenCounter
from ragscore.tuning.cross_validation import (
    SAME,
    CrossValidated,
    choose_by_cross_validation,
    folds_of_units,
)
from ragscore.tuning.notes import notes_on
from ragscore.tuning.options import TuneChanges, TuneOptions
from ragscore.tuning.parts import ContextCurve, Marginal, PassagesKept, State
from ragscore.tuning.passages import Passages, limits_of
from ragscore.tuning.result import Tuning
from ragscore.tuning.rules import RuleChoice
from ragscore.tuning.thresholds import Thresholds, thresholds_by_k, thresholds_by_score
from ragscore.tuning.tuning_input import AnyJudgments, TuningInput

Taken = NDArray[np.int64]


def tune(
    run: Run,
    judged: AnyJudgments,
    options: TuneOptions | None = None,
    *,
    dataset: str | None = None,
    profile: ProfileName = "trec",
    count_tokens: TokenCounter | None = None,
    **changes: Unpack[TuneChanges],
) -> Tuning:
    """How many passages to take from this retriever.

    Args:
        run: recorded to some depth; nothing deeper is recommended.
        judged: a Dataset; or judgments alone, and then there are no tags, no texts and no
            unanswerable queries.
        options: the rule and all else; without a rule nothing is recommended.
        dataset: a name for tables; by default the dataset's.
        profile: conventions, as for :func:`~ragscore.scoring.score`.
        count_tokens: for a budget of tokens: what counts them, such as
            ``ragscore.token_counter("my_module:count")``, which runs that code. The name
            in the options alone imports nothing.
        changes: single options: ``tune(run, qrels, rule="recall", target=0.9)``.

    >>> run = Run.from_dict({"a": ["x", "y", "z"], "b": ["x", "z", "y"]})
    >>> found = tune(run, {"a": ["x"], "b": ["z"]}, rule="recall", target=0.9)
    >>> found.k, found.rule
    (2, 'smallest k with recall at least 0.9')
    >>> found.sentence.partition("; ")[0]
    'Use k = 2 (smallest k with recall at least 0.9): recall 1.000 (CI 0.342 to 1.000)'

    Raises:
        DataError: fewer than two queries are judged, nothing relevant is, or nothing came back.
        ConfigError: an option needs what is not there: texts, tags, scores, more depth.
    """
    options = (options or TuneOptions()).changed(**changes)
    inputs = TuningInput.of(run, judged, options, profile, dataset, count_tokens)
    deepest = max(options.at, default=1)
    if deepest > inputs.depth:
        raise ConfigError(
            f"k = {deepest} is beyond the {inputs.depth} passages that were recorded",
            where=inputs.run.name,
            instead=f"Ask for k up to {inputs.depth}, or retrieve again with depth: {deepest}",
        )
    if options.by == "k":
        thresholds = thresholds_by_k(inputs.depth)
    else:
        thresholds = thresholds_by_score(inputs.run, options.by)
    contexts = inputs.contexts(options.budget)
    passages = Passages.of(inputs, thresholds, contexts, options.budget)

    precision, recall = inputs.family(P), inputs.family(R)
    judged_by = {
        "best_f": inputs.family(F, options.beta) if options.rule == "best_f" else recall,
        "precision": precision,
    }.get(options.rule or "", recall)
    kept_columns: dict[Measure, SettingValues] = {}
    curves: dict[Measure, Band] = {}
    steps: dict[Measure, Band] = {}
    in_contexts: dict[Measure, Band] = {}
    limits = limits_of(contexts) if contexts is not None else None
    for measure in inputs.families:
        curve = inputs.curve(measure)
        values = curve if passages.whole else _at(curve, passages.taken)
        only_answered = options.by != "k" and isinstance(measure, P)
        columns = inputs.columns(measure, values, passages.answered if only_answered else None)
        curves[measure] = columns.band()
        if measure not in (precision, recall, judged_by):
            continue
        kept_columns[measure] = columns
        if options.by == "k":
            steps[measure] = _differences(values, inputs, measure)
        if contexts is not None and limits is not None:
            fitting = np.stack([contexts.fitting(int(limit)) for limit in limits], axis=1)
            in_contexts[measure] = inputs.columns(measure, _at(curve, fitting)).band()

    kept = passages.kept()
    got, answers = passages.returned, passages.answered[: len(inputs)]
    rule_choice = RuleChoice(
        options,
        kept_columns[judged_by],
        inputs.of_averaged(got.astype(np.float64)) if options.rule == "knee" else None,
        inputs.of_averaged(answers.astype(np.float64)) if options.coverage else None,
    )
    state, nearest = _choice(rule_choice, curves[recall], kept)
    held_out = {}
    if state == "recommended":
        held_out = _held_out(inputs, options, rule_choice, kept_columns, judged_by, thresholds)
    sizes = None
    if contexts is not None:
        sizes = np.take_along_axis(contexts.sizes, passages.returned, axis=1).mean(axis=0)
    by_context = None
    if contexts is not None and limits is not None:
        fit = np.array([contexts.fitting(int(limit)).mean() for limit in limits])
        by_context = ContextCurve(limits, fit, in_contexts[precision], in_contexts[recall])
    at_edge = _at_edge(
        inputs,
        options,
        state,
        nearest == len(thresholds) - 1,
        passages.returned[:, -1],
        kept_columns[recall].values[: len(inputs), -1],
    )
    merged = next(iter(held_out.values())) if held_out else None
    return Tuning(
        dataset=inputs.dataset,
        retriever=inputs.run.name,
        queries=len(inputs),
        depth=inputs.depth,
        options=options,
        thresholds=thresholds,
        curves=curves,
        precision=precision,
        recall=recall,
        judged_by=judged_by,
        state=state,
        nearest_setting=nearest,
        at_edge=at_edge,
        held_out=held_out,
        marginal=_marginal(steps, precision, recall, sizes),
        passages=kept,
        unit=contexts.unit if contexts is not None else None,
        context=sizes,
        overflow=passages.overflow(),
        by_context=by_context,
        remarks=tuple(notes_on(inputs, options, merged, kept, at_edge)),
    )


def _choice(rule_choice: RuleChoice, recall: Band, kept: PassagesKept) -> tuple[State, int | None]:
    """What came of the rule, and where."""
    if recall.mean.max() <= 0:
        return ("nothing found" if kept.answered.mean.any() else "nothing fits"), None
    if rule_choice.options.rule is None:
        return "no rule", None
    everything = np.ones((1, len(rule_choice.judged_by.values)), dtype=bool)
    choice = rule_choice.choose(everything)
    at, budget = int(choice.setting[0]), rule_choice.options.budget
    if not choice.reached[0]:
        return "not reached", at
    if budget is not None and budget.limit is not None:
        # Contexts that are full stay the same: the first setting that fills them is enough.
        at = int(np.argmax(kept.mean >= kept.mean[at]))
    return "recommended", at


def _at(curve: NDArray[np.float64], taken: Taken) -> NDArray[np.float64]:
    """Each query's value at its own number of passages, 0 where it gets none: float64[Q, S]."""
    values: NDArray[np.float64] = np.take_along_axis(np.pad(curve, ((0, 0), (1, 0))), taken, axis=1)
    return values


def _differences(values: NDArray[np.float64], inputs: TuningInput, measure: Measure) -> Band:
    """What each k adds to the one before."""
    added = np.diff(values, axis=1, prepend=0.0)
    if isinstance(measure, R):
        return inputs.columns(measure, added).band()
    band = inputs.of_averaged(added, unit_interval=False).band()
    for column in (band.mean, band.low, band.high):
        column[0] = np.nan  # there is nothing before the first
    return band


def _marginal(
    bands: dict[Measure, Band],
    precision: Measure,
    recall: Measure,
    sizes: NDArray[np.float64] | None,
) -> Marginal | None:
    if not bands:
        return None
    size = None if sizes is None else np.diff(sizes, prepend=0.0)
    return Marginal(bands[recall], bands[precision], size)


def _held_out(
    inputs: TuningInput,
    options: TuneOptions,
    rule_choice: RuleChoice,
    columns: dict[Measure, SettingValues],
    judged_by: Measure,
    thresholds: Thresholds,
) -> dict[Measure, CrossValidated]:
    folds = folds_of_units(
        inputs.units, options.folds, options.repeats, options.seed, inputs.strata
    )
    chosen: dict[bytes, NDArray[np.int64]] = {}

    def choose(parts: NDArray[np.bool_]) -> NDArray[np.int64]:
        """What the rule chooses is the same whichever measure is then read there."""
        key = parts.tobytes()
        if key not in chosen:
            chosen[key] = rule_choice.settings(parts)
        return chosen[key]

    held_out = {}
    labels = [thresholds.label(at) for at in range(len(thresholds))]
    for measure in sorted(columns, key=lambda measure: measure != judged_by):
        of_measure = columns[measure]
        held_out[measure] = choose_by_cross_validation(
            of_measure.values.T,
            weights=None if of_measure.weights is None else of_measure.weights.T,
            folds=folds,
            clusters=inputs.units.of_query,
            choose=choose,
            unit_interval=of_measure.unit_interval,
            labels=labels,
        )
    return held_out


def _at_edge(
    inputs: TuningInput,
    options: TuneOptions,
    state: State,
    last: bool,
    returned: NDArray[np.int64],
    recall: NDArray[np.float64],
) -> bool:
    """Whether the recommended setting takes all that was recorded, and more might be better.

    Args:
        inputs: the run and what is known of its queries.
        options: the rule.
        state: the result of the rule.
        last: whether the setting is the loosest.
        returned: int64[Q], passages that each query gets at the loosest setting.
        recall: float64[Q], its R there.
    """
    if inputs.corpus is not None and inputs.depth >= len(inputs.corpus):
        return False
    # A context that is full, or a run that had ended before, gets no more by searching deeper.
    open_ended = returned >= inputs.depth
    if options.rule != "precision":  # which takes all it can get, relevant or not
        open_ended &= recall < 1 - SAME
    if not open_ended.any():
        return False
    if state == "nothing found" or (state == "not reached" and options.rule == "recall"):
        return True
    return last and options.rule in ("best_f", "precision", "budget")
