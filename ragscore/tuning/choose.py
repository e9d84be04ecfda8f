"""tune(run, judgments) -> Tuning: every k and every cut from one recorded run, and the rules that
choose among them, on all queries or on parts of them alike.

Settings stand in order, the strictest first. Where a rule's target is reached nowhere, what comes
nearest is chosen, and ``reached`` says that it falls short.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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
from ragscore.stats.cross_validation import CrossValidated, choose_by_cross_validation, highest
from ragscore.stats.folds import folds_of_units
from ragscore.stats.units import MIN_CLUSTERS, SAME
from ragscore.text.script import language_name, written_in
from ragscore.tuning.options import Budget, TuneChanges, TuneOptions
from ragscore.tuning.record import (
    ContextCurve,
    Marginal,
    Overflow,
    PassagesKept,
    PossiblePrecision,
    State,
    Tuning,
)
from ragscore.tuning.tuning_input import (
    AnyJudgments,
    Contexts,
    Thresholds,
    TokenCounter,
    TuningInput,
)


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
    by_k, thresholds = options.by == "k", Thresholds.of(inputs.run, options.by)
    contexts = inputs.contexts()
    wanted = thresholds.taken(inputs.run)
    taken = wanted if contexts is None else contexts.within(wanted)
    returned = np.minimum(taken, inputs.run.returned[:, None])
    answered = np.concatenate([returned, _refused(inputs, thresholds)]) > 0

    precision, recall = inputs.family(P), inputs.family(R)
    judged_by = precision if options.rule == "precision" else recall
    if options.rule == "best_f":
        judged_by = inputs.family(F, options.beta)
    columns: dict[Measure, SettingValues] = {}
    curves: dict[Measure, Band] = {}
    for measure in inputs.families:
        values = inputs.values(measure, None if by_k and options.limit is None else taken)
        only_answered = answered if not by_k and isinstance(measure, P) else None
        of_measure = inputs.setting_values(values, measure, counting=only_answered)
        curves[measure] = of_measure.band()
        if measure in (precision, recall, judged_by):
            columns[measure] = of_measure

    kept = _kept(inputs, returned, answered)
    choice = RuleChoice(
        options,
        columns[judged_by],
        inputs.setting_values(returned.astype(np.float64)),
        inputs.setting_values(answered.astype(np.float64)),
    )
    state, nearest = _choose(choice, curves[recall], kept)
    held_out = {}
    if state == "recommended":
        held_out = _held_out(inputs, choice, columns, judged_by, thresholds)
    sizes = None
    if contexts is not None:
        sizes = np.take_along_axis(contexts.sizes, returned, axis=1).mean(axis=0)
    all_taken = nearest == len(thresholds) - 1
    at_edge = _at_edge(inputs, state, all_taken, returned[:, -1], columns[recall].values[:, -1])
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
        marginal=_marginal(inputs, columns[recall], columns[precision], sizes) if by_k else None,
        passages=kept,
        unit=contexts.unit if contexts is not None else None,
        context=sizes,
        overflow=_overflow(inputs, contexts, wanted),
        by_context=_by_context(inputs, contexts, precision, recall),
        possible=_possible(inputs, precision, taken),
        sample=inputs.sample,
        notes=tuple(_notes(inputs, held_out.get(judged_by), kept, at_edge, contexts)),
    )


@dataclass(frozen=True, eq=False)
class ChosenSettings:
    """What parts of the queries chose: the setting int64[T], and whether it has what the rule asks
    bool[T]: the target and the coverage, where these are given."""

    setting: NDArray[np.int64]
    reached: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RuleChoice:
    """A rule over the settings' values.

    Attributes:
        options: the rule and its target.
        judged_by: the measure that the rule looks at, of every query at every setting.
        taken: passages that each query gets: the knee's other axis.
        answered: who gets a passage, 0 or 1: what a coverage is compared with.
    """

    options: TuneOptions
    judged_by: SettingValues
    taken: SettingValues
    answered: SettingValues

    def choose(self, parts: NDArray[np.bool_]) -> ChosenSettings:
        """What these parts of the queries, bool[T, Q], would choose."""
        options, rule = self.options, self.options.rule
        means = values = self.judged_by.means(parts)
        if rule == "knee":
            values = _above_the_line(self.taken.means(parts), means)
        elif options.confident:
            # Where nothing can be estimated, nothing is sure.
            values = np.nan_to_num(self.judged_by.bands(parts).low, nan=0.0)
        covering = np.ones(values.shape, dtype=bool)
        if options.coverage is not None:
            covering = self.answered.means(parts) >= options.coverage - SAME
        reached = np.any(covering, axis=1)
        # Where no setting covers as many, the loosest cut comes nearest.
        best = highest(np.where(covering, values, -np.inf))
        nearest = np.where(reached, best, values.shape[1] - 1)
        if options.target is None:
            if rule == "knee":  # before anything is found there is no knee
                reached &= np.take_along_axis(means, nearest[:, None], axis=1)[:, 0] > 0
            return ChosenSettings(nearest, reached)
        enough = covering & (values >= options.target - SAME)
        reached = np.any(enough, axis=1)
        if rule == "recall":
            found = np.argmax(enough, axis=1)
        else:
            found = enough.shape[1] - 1 - np.argmax(enough[:, ::-1], axis=1)
        return ChosenSettings(np.where(reached, found, nearest), reached)


def _above_the_line(sizes: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each point of a curve stands above the straight line between its ends, both axes
    scaled to 0..1: float64[T, S]. The knee is where that is largest.

    Source: Satopää et al., Finding a "Kneedle" in a Haystack, ICDCSW 2011, without smoothing.
    """

    def scaled(rows: NDArray[np.float64]) -> NDArray[np.float64]:
        first, last = rows[:, :1], rows[:, -1:]
        shares: NDArray[np.float64] = (rows - first) / np.where(last > first, last - first, 1.0)
        return shares

    return np.round(scaled(values) - scaled(sizes), 12)


def _choose(choice: RuleChoice, recall: Band, kept: PassagesKept) -> tuple[State, int | None]:
    """The result of the rule, and where."""
    if recall.mean.max() <= 0:
        return ("nothing found" if kept.answered.mean.any() else "nothing fits"), None
    if choice.options.rule is None:
        return "no rule", None
    chosen = choice.choose(np.ones((1, len(choice.judged_by.values)), dtype=bool))
    at = int(chosen.setting[0])
    if not chosen.reached[0]:
        return "not reached", at
    if choice.options.limit is not None:
        # Contexts that are full stay the same: the first setting that fills them is enough.
        at = int(np.argmax(kept.mean >= kept.mean[at]))
    return "recommended", at


def _held_out(
    inputs: TuningInput,
    choice: RuleChoice,
    columns: Mapping[Measure, SettingValues],
    judged_by: Measure,
    thresholds: Thresholds,
) -> dict[Measure, CrossValidated]:
    """What the rule is worth on queries that it did not choose on; its own measure first."""
    options = inputs.options
    folds = folds_of_units(
        len(inputs.averaged),
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
            chosen[key] = choice.choose(parts).setting
        return chosen[key]

    held_out = {}
    for measure in sorted(columns, key=lambda measure: measure != judged_by):
        values = columns[measure]
        held_out[measure] = choose_by_cross_validation(
            values.values.T,
            weights=None if values.weights is None else values.weights.T,
            folds=folds,
            clusters=inputs.clusters,
            choose=choose,
            unit_interval=values.unit_interval,
            labels=[thresholds.label(at) for at in range(len(thresholds))],
            share_method=values.share_method,
        )
    return held_out


def _refused(inputs: TuningInput, thresholds: Thresholds) -> NDArray[np.int64]:
    """How many passages the unanswerable queries get: int64[U, S]."""
    run = inputs.refused
    refused = np.minimum(thresholds.taken(run), run.returned[:, None])
    contexts = None if inputs.options.limit is None else inputs.contexts(run)
    return refused if contexts is None else contexts.within(refused)


def _kept(
    inputs: TuningInput, returned: NDArray[np.int64], answered: NDArray[np.bool_]
) -> PassagesKept:
    """Counts over the queries, int64[Q, S], and the shares of them, bool[Q + U, S], that get a
    passage."""
    lowest, lower, median, upper, highest = np.quantile(
        returned, [0.0, 0.25, 0.5, 0.75, 1.0], axis=0, method="nearest"
    ).astype(np.float64)
    shares, wrongly = answered.astype(np.float64), None
    if len(inputs.refused):
        counting = np.broadcast_to(~inputs.averaged[:, None], shares.shape)
        wrongly = inputs.setting_values(shares, counting=counting).band()
    return PassagesKept(
        mean=returned.mean(axis=0),
        lowest=lowest,
        lower_quartile=lower,
        median=median,
        upper_quartile=upper,
        highest=highest,
        answered=inputs.setting_values(shares).band(),
        unanswerable=inputs.unanswerable,
        unanswerable_answered=wrongly,
    )


def _overflow(
    inputs: TuningInput, contexts: Contexts | None, wanted: NDArray[np.int64]
) -> Overflow | None:
    """What the budget cuts off; None if it has no limit."""
    if contexts is None or contexts.limit is None:
        return None
    uncut = np.minimum(wanted, inputs.run.returned[:, None])
    sizes = np.take_along_axis(contexts.sizes, uncut, axis=1)
    return Overflow(
        context=sizes.mean(axis=0),
        queries=(sizes > contexts.limit).mean(axis=0),
        shortest=int(contexts.sizes[inputs.run.returned > 0, 1].min()),
    )


def _marginal(
    inputs: TuningInput,
    recall: SettingValues,
    precision: SettingValues,
    sizes: NDArray[np.float64] | None,
) -> Marginal:
    """What each k adds to the one before."""
    added_recall, added_precision = (
        np.diff(values.values, axis=1, prepend=0.0) for values in (recall, precision)
    )
    of_precision = inputs.setting_values(added_precision, bounded=False).band()
    for side in (of_precision.mean, of_precision.low, of_precision.high):
        side[0] = np.nan  # there is nothing before the first
    size = None if sizes is None else np.diff(sizes, prepend=0.0)
    return Marginal(
        inputs.setting_values(added_recall, inputs.family(R)).band(), of_precision, size
    )


def _possible(
    inputs: TuningInput, precision: Measure, taken: NDArray[np.int64]
) -> PossiblePrecision | None:
    """How high P can be, where a rule asks for it of every k alike."""
    plain = isinstance(precision, P) and precision.denominator == "k"
    if inputs.options.rule != "precision" or inputs.options.by != "k" or not plain:
        return None
    relevant = inputs.n_relevant(precision)
    highest = np.minimum(relevant[:, None], taken) / np.maximum(taken, 1)
    unjudged = inputs.values(UnjudgedShare(), taken)
    return PossiblePrecision(float(relevant.mean()), highest.mean(axis=0), unjudged.mean(axis=0))


def _by_context(
    inputs: TuningInput, contexts: Contexts | None, precision: Measure, recall: Measure
) -> ContextCurve | None:
    """P, R and Complete of what fits contexts of round sizes; None if texts are not known."""
    if contexts is None:
        return None
    limits = contexts.limits
    fitting = np.stack([contexts.fitting(limit) for limit in limits.tolist()], axis=1)
    complete = Complete(relevant_from=recall.threshold or 1.0)
    bands = (
        inputs.setting_values(inputs.values(measure, fitting), measure).band()
        for measure in (precision, recall, complete)
    )
    return ContextCurve(limits, fitting.mean(axis=0), *bands)


def _at_edge(
    inputs: TuningInput,
    state: State,
    all_taken: bool,
    returned: NDArray[np.int64],
    recall: NDArray[np.float64],
) -> bool:
    """Whether the recommended setting takes all that was recorded, and more might be better.

    Args:
        inputs: the run and what is known of its queries.
        state: the result of the rule.
        all_taken: whether the setting is the loosest.
        returned: int64[Q], passages that each query gets at the loosest setting.
        recall: float64[Q + U], the R there.
    """
    if inputs.corpus is not None and inputs.depth >= len(inputs.corpus):
        return False
    rule = inputs.options.rule
    # A context that is full, or a run that had ended before, gets no more by searching deeper.
    open_ended = returned >= inputs.depth
    if rule != "precision":  # which takes all it can get, relevant or not
        open_ended &= recall[: len(inputs)] < 1 - SAME
    too_little = state == "nothing found" or (state == "not reached" and rule == "recall")
    takes_all = all_taken and rule in ("best_f", "precision", "budget")
    return (too_little or takes_all) and bool(open_ended.any())


def _notes(
    inputs: TuningInput,
    held_out: CrossValidated | None,
    kept: PassagesKept,
    at_edge: bool,
    contexts: Contexts | None,
) -> Iterator[Message]:
    """Notes for the reader."""
    n, options = len(inputs), inputs.options
    empty = round((1 - kept.answered.mean.max()) * n)
    if options.limit is not None and options.by == "k" and 0 < empty < n:
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
    for count, of, says in (
        (inputs.missing, n, _("{count} of {n} queries are not in the run and score 0")),
        (
            inputs.failed,
            n,
            _("{count} of {n} queries failed and are scored as if nothing was returned"),
        ),
        (
            inputs.left_out,
            n + inputs.left_out,
            _("{count} of {n} queries failed and are left out"),
        ),
        (
            int((inputs.n_relevant(inputs.family(R)) == 0).sum()),
            n,
            _("{count} of {n} queries have no relevant passage and score 0, whatever k is"),
        ),
    ):
        if count:
            yield says.given(count=count, n=of)
    clusters = None if inputs.clusters is None else len(np.unique(inputs.clusters))
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
    if contexts is not None and contexts.unit == "tokens":
        yield from _tokenizer_doubt(inputs, contexts)


def _tokenizer_doubt(inputs: TuningInput, contexts: Contexts) -> Iterator[Message]:
    """That a tokenizer was not made for the language: it cuts it into more than its letters."""
    corpus, budget = inputs.corpus, inputs.options.budget
    assert corpus is not None
    assert budget is not None
    tokens = int(contexts.sizes[:, -1].sum())
    in_characters = Contexts.of(inputs.run, corpus, Budget(unit="characters"))
    characters = int(in_characters.sizes[:, -1].sum())
    written = written_in(corpus.texts) if tokens > characters else None
    if written is not None:
        yield _(
            "the tokenizer {tokenizer} makes {tokens} tokens of 100 characters of {written} "
            "text: it was not made for this language, and one that was would need fewer",
            tokenizer=budget.tokenizer,
            tokens=count_text(round(100 * tokens / characters)),
            written=language_name(written),
        )
