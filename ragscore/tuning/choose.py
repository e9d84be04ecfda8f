"""tune(run, judgments) -> Tuning: every k and every cut from one recorded run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from ragscore.elements.numbers import count_text
from ragscore.errors import ConfigError
from ragscore.measures import Complete, F, Measure, P, R, UnjudgedShare
from ragscore.messages import Message, _, counted, few_names
from ragscore.run import Run
from ragscore.scoring import ProfileName
from ragscore.stats.bands import Band, SettingValues
from ragscore.stats.cross_validation import CrossValidated, choose_by_cross_validation
from ragscore.stats.folds import folds_of_units
from ragscore.stats.units import MIN_CLUSTERS, SAME
from ragscore.text.script import language_name, written_in
from ragscore.tuning.context import Contexts, TokenCounter, contexts_of
from ragscore.tuning.options import Budget, TuneChanges, TuneOptions
from ragscore.tuning.parts import (
    ContextCurve,
    Marginal,
    PassagesKept,
    PossiblePrecision,
    State,
)
from ragscore.tuning.passages import Passages
from ragscore.tuning.rules import RuleChoice
from ragscore.tuning.thresholds import Thresholds
from ragscore.tuning.tuning_input import AnyJudgments, TuningInput, values_at
from ragscore.tuning.tuning_result import Tuning


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
    """How many passages to take from one retriever: what :func:`ragscore.tune` does with a run.

    Args:
        run: recorded to some depth; nothing deeper is recommended.
        judged, options, dataset, profile, count_tokens, changes: see there.

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
    thresholds = Thresholds.of(inputs.run, options.by)
    contexts = inputs.contexts(options.budget)
    passages = Passages.of(inputs, thresholds, contexts, options.budget)

    precision, recall = inputs.family(P), inputs.family(R)
    judged_by = recall
    if options.rule == "precision":
        judged_by = precision
    elif options.rule == "best_f":
        judged_by = inputs.family(F, options.beta)
    columns: dict[Measure, SettingValues] = {}
    curves: dict[Measure, Band] = {}
    for measure in inputs.families:
        values = inputs.curve(measure)
        if options.by != "k" or passages.taken is not passages.wanted:
            values = values_at(values, passages.taken)
        only_answered = options.by != "k" and isinstance(measure, P)
        of_measure = inputs.columns(measure, values, passages.answered if only_answered else None)
        curves[measure] = of_measure.band()
        if measure in (precision, recall, judged_by):
            columns[measure] = of_measure

    kept = passages.kept()
    got, answers = passages.returned, passages.answered[: len(inputs)]
    rule_choice = RuleChoice(
        options,
        columns[judged_by],
        inputs.of_averaged(got.astype(np.float64)) if options.rule == "knee" else None,
        inputs.of_averaged(answers.astype(np.float64)) if options.coverage else None,
    )
    state, nearest = _choice(rule_choice, curves[recall], kept)
    held_out = {}
    if state == "recommended":
        held_out = _held_out(inputs, options, rule_choice, columns, judged_by, thresholds)
    sizes = by_context = None
    if contexts is not None:
        sizes = np.take_along_axis(contexts.sizes, got, axis=1).mean(axis=0)
        by_context = _by_context(inputs, contexts, precision, recall)
    marginal = None
    if options.by == "k":
        marginal = _marginal(inputs, columns, precision, recall, sizes)
    at_edge = _at_edge(
        inputs,
        options,
        state,
        nearest == len(thresholds) - 1,
        got[:, -1],
        columns[recall].values[: len(inputs), -1],
    )
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
        marginal=marginal,
        passages=kept,
        unit=contexts.unit if contexts is not None else None,
        context=sizes,
        overflow=passages.overflow(),
        by_context=by_context,
        possible=_possible(inputs, options, precision, passages.taken),
        sample=inputs.sample,
        remarks=(
            *_remarks(inputs, options, held_out.get(judged_by), kept, at_edge),
            *_tokenizer_doubt(inputs, options.budget, contexts),
        ),
    )


def _tokenizer_doubt(
    inputs: TuningInput, budget: Budget | None, contexts: Contexts | None
) -> Iterator[Message]:
    """That a tokenizer was not made for the language: it cuts it into more than its letters."""
    corpus, run = inputs.corpus, inputs.run
    if corpus is None or contexts is None or budget is None or budget.unit != "tokens":
        return
    tokens = int(contexts.sizes[:, -1].sum())
    characters = int(contexts_of(run, corpus, Budget(unit="characters")).sizes[:, -1].sum())
    if tokens <= characters:
        return
    written = written_in(corpus.texts)
    if written is not None:
        per_100 = count_text(round(100 * tokens / characters))
        yield _(
            "the tokenizer {tokenizer} makes {tokens} tokens of 100 characters of {written} "
            "text: it was not made for this language, and one that was would need fewer",
            tokenizer=budget.tokenizer,
            tokens=per_100,
            written=language_name(written),
        )


def _choice(rule_choice: RuleChoice, recall: Band, kept: PassagesKept) -> tuple[State, int | None]:
    """The result of the rule, and where."""
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


def _marginal(
    inputs: TuningInput,
    columns: dict[Measure, SettingValues],
    precision: Measure,
    recall: Measure,
    sizes: NDArray[np.float64] | None,
) -> Marginal:
    """What each k adds to the one before."""
    added_recall, added_precision = (
        np.diff(columns[measure].values, axis=1, prepend=0.0) for measure in (recall, precision)
    )
    of_precision = inputs.of_averaged(added_precision, unit_interval=False).band()
    for side in (of_precision.mean, of_precision.low, of_precision.high):
        side[0] = np.nan  # there is nothing before the first
    size = None if sizes is None else np.diff(sizes, prepend=0.0)
    return Marginal(inputs.columns(recall, added_recall).band(), of_precision, size)


def _possible(
    inputs: TuningInput, options: TuneOptions, precision: Measure, taken: NDArray[np.int64]
) -> PossiblePrecision | None:
    """How high P can be, where a rule asks for it of every k alike."""
    plain = isinstance(precision, P) and precision.denominator == "k"
    if options.rule != "precision" or options.by != "k" or not plain:
        return None
    relevant = inputs.n_relevant(precision)
    highest = np.minimum(relevant[:, None], taken) / np.maximum(taken, 1)
    unjudged = values_at(inputs.curve(UnjudgedShare()), taken)
    return PossiblePrecision(float(relevant.mean()), highest.mean(axis=0), unjudged.mean(axis=0))


def _by_context(
    inputs: TuningInput, contexts: Contexts, precision: Measure, recall: Measure
) -> ContextCurve:
    """P, R and Complete of what fits contexts of round sizes."""
    limits = contexts.limits
    fitting = np.stack([contexts.fitting(limit) for limit in limits.tolist()], axis=1)
    complete = Complete(relevant_from=recall.threshold or 1.0)
    bands = [
        inputs.columns(measure, values_at(inputs.curve(measure), fitting)).band()
        for measure in (precision, recall, complete)
    ]
    return ContextCurve(limits, fitting.mean(axis=0), *bands)


def _held_out(
    inputs: TuningInput,
    options: TuneOptions,
    rule_choice: RuleChoice,
    columns: dict[Measure, SettingValues],
    judged_by: Measure,
    thresholds: Thresholds,
) -> dict[Measure, CrossValidated]:
    folds = folds_of_units(
        len(inputs) + inputs.unanswerable,
        inputs.clusters,
        options.folds,
        options.repeats,
        options.seed,
        inputs.strata,
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
            clusters=inputs.clusters,
            choose=choose,
            unit_interval=of_measure.unit_interval,
            labels=labels,
            share_method=of_measure.share_method,
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


def _remarks(
    inputs: TuningInput,
    options: TuneOptions,
    held_out: CrossValidated | None,
    kept: PassagesKept,
    at_edge: bool,
) -> Iterator[Message]:
    """Notes for the reader."""
    n = len(inputs)
    clusters = None if inputs.clusters is None else len(np.unique(inputs.clusters))
    limited = options.budget is not None and options.budget.limit is not None
    empty = round((1 - kept.answered.mean.max()) * n)
    if limited and options.by == "k" and 0 < empty < n:
        yield _(
            "{count} of {n} queries get nothing: their first passage alone exceeds the budget, "
            "or nothing was returned",
            count=empty,
            n=n,
        )
    if at_edge:
        yield _(
            "the best value is at the last of the {depth} recorded passages, so more passages "
            "might give a better one: record with a larger depth",
            depth=inputs.depth,
        )
    if inputs.missing:
        yield _("{count} of {n} queries are not in the run and score 0", count=inputs.missing, n=n)
    if inputs.failed:
        yield _(
            "{count} of {n} queries failed and are scored as if nothing was returned",
            count=inputs.failed,
            n=n,
        )
    if inputs.left_out:
        yield _(
            "{count} of {n} queries failed and are left out",
            count=inputs.left_out,
            n=n + inputs.left_out,
        )
    without = int((inputs.n_relevant(inputs.family(R)) == 0).sum())
    if without:
        yield _(
            "{count} of {n} queries have no relevant passage and score 0, whatever k is",
            count=without,
            n=n,
        )
    if clusters is not None and clusters < MIN_CLUSTERS:
        yield _("there are only {count} clusters, so intervals are rough", count=clusters)
    if held_out is not None and held_out.folds < options.folds:
        few = (
            _("only {folds} folds, since there are no more queries")
            if clusters is None
            else _("only {folds} folds, since there are no more clusters")
        )
        yield few.given(folds=held_out.folds)
    if held_out is not None and held_out.merged:
        yield _(
            "tags with too few queries for the folds were merged into one: {listed}",
            listed=few_names(held_out.merged),
        )
    if options.by == "k" and kept.unanswerable:
        yield counted(
            "1 unanswerable query is left out: every k returns passages for it, but a score cut "
            "can refuse it",
            "{count} unanswerable queries are left out: every k returns passages for them, but "
            "a score cut can refuse them",
            kept.unanswerable,
        )
