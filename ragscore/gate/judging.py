"""judge_gate: every condition of a gate, judged on a result.

A drop below the baseline fails where the queries show that it is larger than the allowance, and
passes where they exclude one of that size; between the two they cannot decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Unpack, cast

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.options import CompareOptions
from ragscore.comparison.score_matrix import lies_in_0_to_1, single_retriever
from ragscore.dataset import Queries
from ragscore.dataset.labels import (
    cluster_numbers,
    clusters_of,
    label_names,
    labels,
    rows_by_value,
)
from ragscore.elements.numbers import count_text
from ragscore.errors import ConfigError, DataError
from ragscore.files import expanded
from ragscore.gate.baseline import (
    Baseline,
    BaselineRetriever,
    check_profile,
    comparable,
    parse_baseline,
    read_baseline,
)
from ragscore.gate.options import QUANTITIES, GateChanges, GateOptions
from ragscore.gate.record import (
    GateCondition,
    GateResult,
    GateVerdict,
    Kind,
    Reason,
    read_gate,
    worst,
)
from ragscore.measures import Measure, parse_measure
from ragscore.messages import Message, _
from ragscore.names import few
from ragscore.results import Result, open_result
from ragscore.results.layout import BASELINE
from ragscore.results.result_view import experiment_data
from ragscore.retrievers.call_times import CallTimes
from ragscore.scoring import RetrieverScores
from ragscore.scoring.means import aggregate
from ragscore.stats.corrections import adjust
from ragscore.stats.drops import Drop, DropTest, drop_tests
from ragscore.stats.intervals import LEVEL, MAX_QUERIES, Interval, Method, queries_to_exclude
from ragscore.stats.one_sided import ALPHA
from ragscore.stats.units import SAME
from ragscore.validation.findings import from_options

FAILED_LEFT_OUT = _(
    "{dataset}, {retriever}: {count} of {n} queries failed and are left out; only a "
    "condition on failed queries counts them."
)
FAILED_EMPTY = _(
    "{dataset}, {retriever}: {count} of {n} queries failed and score as empty answers."
)
ASKED_AGAIN = _("{dataset}, {retriever}: {count} of {n} queries were answered only after a retry.")


def gate_result(
    result: Result,
    options: GateOptions | None = None,
    *,
    baseline: Baseline | Result | str | Path | None = None,
    **changes: Unpack[GateChanges],
) -> GateResult:
    """Hold a result to conditions: PASS, FAIL or UNDECIDED, one by one and together.

    Args:
        result: what is judged.
        options: the conditions; by default those of the result's experiment.
        baseline: what drops are measured from: a baseline or the file that holds it, or an earlier
            result or its folder; by default what the options name.
        changes: single fields of :class:`~ragscore.GateOptions`:
            ``gate_result(result, max_drop={"nDCG@10": 0.02}, baseline="baseline.json")``.

    Raises:
        ConfigError: there is no condition, or an option is wrong; a drop needs a baseline.
        DataError: the baseline cannot be read, or has other data or judgments; the dataset that
            knows clusters and slices is not there.

    >>> from ragscore import evaluate, gate_result
    >>> faq = {"passages": {"p": "Rent is due."}, "queries": {"q": "When?"},
    ...        "ground_truth": {"q": ["p"]}}
    >>> result = evaluate(faq, {"mine": lambda query, k: ["p"]}, ["RR"])
    >>> gate_result(result, min={"RR": 0.5}).verdict
    'PASS'
    """
    own = _conditions(result, options, changes)
    return judge_gate(result, own, baseline_for(result, options, baseline=baseline, **changes))


def baseline_for(
    result: Result,
    options: GateOptions | None = None,
    *,
    baseline: Baseline | Result | str | Path | None = None,
    **changes: Unpack[GateChanges],
) -> Baseline | None:
    """What :func:`gate_result` measures drops from: of the experiment's own gate the copy in the
    result's folder, where it was judged; None if no drop is asked for.

    Args:
        result, options, baseline, changes: as for :func:`gate_result`.

    Raises:
        ConfigError, DataError: as for :func:`gate_result`.
    """
    own = _conditions(result, options, changes)
    if not own.max_drop:
        return None
    given = own.baseline if baseline is None else baseline
    if baseline is None and options is None and given is not None:
        if (kept := recorded_baseline(result)) is not None:
            return kept
        given = own.resolved(result.folder or Path()).baseline
    if given is None or isinstance(given, Baseline):
        return given
    measures = tuple(own.max_drop)
    if isinstance(given, Result):
        return Baseline.from_result(given, measures)
    place = expanded(given)
    if not place.is_dir():
        return read_baseline(place)
    earlier = open_result(place)
    earlier.share_datasets(result)
    return Baseline.from_result(earlier, measures).named(str(place))


def recorded_baseline(result: Result) -> Baseline | None:
    """What the gate of a result's experiment measured drops from; None if it measured none.

    Raises:
        DataError: what was recorded of it is damaged.
    """
    content = result.parts.extra_file(BASELINE)
    if content is None:
        return None
    found = parse_baseline(content, str((result.folder or Path()) / BASELINE))
    gated = read_gate(result)
    return found.named(gated.baseline) if gated is not None else found


def gate_options(result: Result) -> GateOptions | None:
    """The gate of a result's experiment; None if it has none. Its baseline is a path from the
    folder of the result.

    Raises:
        ConfigError: it is not one that this version knows.
    """
    found = experiment_data(result.experiment_text).get("gate")
    return from_options(GateOptions, found) if isinstance(found, dict) else None


def _conditions(result: Result, options: GateOptions | None, changes: GateChanges) -> GateOptions:
    own = options or gate_options(result)
    if own is not None:
        return own.changed(**changes)
    if changes:
        return from_options(GateOptions, dict(changes))
    raise ConfigError(
        "there is no condition, and the experiment has no gate",
        instead='Give one: max_drop={"nDCG@10": 0.02}',
    )


def check_baseline_named(options: GateOptions, named: object) -> None:
    """Refuse a drop that nothing is named to measure from.

    Raises:
        ConfigError: a drop is asked for, and there is no baseline.
    """
    if options.max_drop and named is None:
        raise ConfigError(
            "max_drop compares with a baseline, and none is named",
            where="gate.max_drop",
            instead="Name one: baseline: baseline.json, or --baseline baseline.json; `ragscore "
            "baseline save DIR -o baseline.json` makes it",
        )


def check_baseline(options: GateOptions, profile: str) -> None:
    """Check the baseline of a gate before anything runs, as far as that can be known then.

    Args:
        options: of the gate, with the path of its baseline from the current folder.
        profile: the conventions of the result.

    Raises:
        ConfigError: a drop is asked for, and there is no baseline.
        DataError: it cannot be read, or follows other conventions.
    """
    check_baseline_named(options, options.baseline)
    if not options.max_drop or options.baseline is None:
        return
    place = expanded(options.baseline)
    earlier = open_result(place).manifest if place.is_dir() else read_baseline(place)
    check_profile(earlier.profile, profile, str(place))


def judge_gate(result: Result, options: GateOptions, baseline: Baseline | None) -> GateResult:
    """Judge every condition of a gate.

    A drop FAILS where the queries show that it is larger than the allowance, PASSES where they
    exclude a drop of that size, and is UNDECIDED between; both one-sided at .05, each corrected by
    Holm over all drops of the gate. A condition that has no data fails.

    Args:
        result: what is judged; intervals, clusters, resamples and seed are those of its comparison.
        options: the conditions.
        baseline: what drops are measured from.

    Raises:
        ConfigError: a drop is asked for, and there is no baseline.
        DataError: the baseline has other data, judgments or conventions, or the dataset that
            knows clusters and slices is not there.
    """
    check_baseline_named(options, baseline)
    before = baseline if options.max_drop else None
    notes: list[Message] = []
    if before is not None:
        notes = list(comparable(result, before, allow_intersect=options.allow_intersect))
    judge = _Judge(result, options, before, result.view.compare.value)
    found = [each for subject in judge.subjects() for each in judge.conditions(subject)]
    drops = _with_drops(found, strict=options.strict)
    judged = tuple(judge.left_out(condition) for condition in drops)
    if not judged:
        raise DataError("there is nothing to judge: the result has no retriever")
    notes += [*_samples(result), *_without_effect(options), *_failed_queries(result, judged)]
    return GateResult(
        verdict=worst(judged),
        conditions=judged,
        options=options,
        result=result.name,
        baseline=before.name if before is not None else "",
        measured=before.measured if before is not None else "",
        notes=tuple(notes),
    )


def _samples(result: Result) -> Iterator[Message]:
    """Which datasets are samples: what holds there need not hold for the whole corpus."""
    for entry in result.manifest.datasets:
        if entry.sample is not None:
            caveat = entry.sample.caveat()
            yield _("{dataset}: {caveat}", dataset=entry.name, caveat=caveat)


def _without_effect(options: GateOptions) -> Iterator[Message]:
    """Options that change nothing, since no condition goes by them."""
    if options.strict and not options.max_drop:
        yield _("strict has no effect: it applies to drops, and the gate has no max_drop.")
    if options.confident and not options.min and all(key in QUANTITIES for key in options.max):
        yield _(
            "confident has no effect: it applies to min and to max of a measure, and the gate "
            "has neither."
        )


def _failed_queries(result: Result, judged: Sequence[GateCondition]) -> Iterator[Message]:
    """How many queries each judged retriever did not answer, and what their values are; how many it
    answered only when they were asked again."""
    queries = {entry.name: entry.queries for entry in result.manifest.datasets}
    for key in dict.fromkeys((each.dataset, each.retriever) for each in judged):
        if (stages := result.stages.get(key)) is None:
            continue
        again = stages.calls.asked_again if stages.calls is not None else None
        failed = FAILED_LEFT_OUT if stages.leaves_out else FAILED_EMPTY
        for note, count in ((failed, len(stages.failed)), (ASKED_AGAIN, again)):
            if count:
                dataset, retriever = key
                yield note.given(
                    dataset=dataset,
                    retriever=retriever,
                    count=count_text(count),
                    n=count_text(queries[dataset]),
                )


# What conditions look at.


@dataclass(frozen=True, eq=False)
class Subject:
    """One retriever on all queries or on those of a slice.

    Attributes:
        dataset, retriever: their names.
        slice: ``kind: numeric``; empty for all queries.
        entry: the scores of these queries by the gate's measures; None if there are none.
        clusters: query id to cluster; None if queries are independent.
        missing: why there is no data; mostly empty.
        detail: the error behind it.
    """

    dataset: str
    retriever: str
    slice: str = ""
    entry: RetrieverScores | None = None
    clusters: Mapping[str, str] | None = None
    missing: Reason = ""
    detail: str = ""

    def condition(self, kind: Kind, measure: Measure | str, threshold: float) -> GateCondition:
        """A condition without data, which fails; the others start from it."""
        return GateCondition(
            dataset=self.dataset,
            retriever=self.retriever,
            slice=self.slice,
            kind=kind,
            measure=str(measure),
            label=measure if isinstance(measure, str) else measure.label,
            quantity="drop" if kind == "drop" else "value",
            value=math.nan,
            threshold=threshold,
            verdict="FAIL",
            reason=self.missing,
            detail=self.detail,
        )


@dataclass(frozen=True, eq=False)
class PendingDrop:
    """A drop, which is tested and judged together with the others.

    Attributes:
        condition: with everything but what the test says.
        drop: what is tested.
    """

    condition: GateCondition
    drop: Drop


@dataclass(frozen=True, eq=False)
class _Judge:
    """A result, held to conditions one by one.

    Attributes:
        result: what is judged.
        options: the conditions.
        baseline: what drops are measured from; None if none is asked for.
        compare: how intervals are made.
    """

    result: Result
    options: GateOptions
    baseline: Baseline | None
    compare: CompareOptions

    def subjects(self) -> Iterator[Subject]:
        """All queries of each retriever, then its slices; those that are gone included."""
        result, options = self.result, self.options
        scores = result.scored(options.measures).entries if options.measures else ()
        scored = {(entry.dataset, entry.retriever): entry for entry in scores}
        own = [entry.key for entry in result.manifest.retrievers]
        keys = dict.fromkeys([*own, *(() if self.baseline is None else self.baseline.keys)])
        if options.retrievers is not None:
            datasets = dict.fromkeys(dataset for dataset, _name in own)
            keys = dict.fromkeys((each, name) for each in datasets for name in options.retrievers)
        for dataset, retriever in keys:
            entry = scored.get((dataset, retriever))
            whole = Subject(dataset, retriever, entry=entry)
            if (error := result.failures.get((dataset, retriever))) is not None:
                yield replace(whole, missing="retriever failed", detail=str(error))
            elif (dataset, retriever) not in own:
                names = dict.fromkeys(name for each, name in own if each == dataset)
                yield replace(whole, missing="no such retriever", detail=_few(names))
            elif entry is None:
                yield whole
            else:
                if self.compare.cluster is not None:
                    clusters = clusters_of(result.dataset(dataset).queries, self.compare.cluster)
                    whole = replace(whole, clusters=clusters)
                yield whole
                for key in dict.fromkeys(options.by):
                    yield from _slices(whole, entry, result.dataset(dataset).queries, key)

    def conditions(self, subject: Subject) -> Iterator[GateCondition | PendingDrop]:
        """Every condition on a subject, in the order min, max_drop, max."""
        options = self.options
        # Of a retriever that only the baseline has, its drops say all.
        drops_alone = subject.missing == "no such retriever" and options.retrievers is None
        if not drops_alone:
            for text, limit in options.min.items():
                yield self._limit(subject, "min", text, limit)
        for text, allowance in options.max_drop.items():
            yield self._drop(subject, text, allowance)
        for text, limit in {} if drops_alone else options.max.items():
            if text not in QUANTITIES:
                yield self._limit(subject, "max", text, limit)
            elif not subject.slice:
                yield self._cost(subject, text, limit)

    def _measure(self, subject: Subject, text: str) -> Measure:
        """The measure as the subject was scored by it: profiles set options of measures."""
        asked, entry = parse_measure(text), subject.entry
        if entry is None:
            return asked
        known = entry.resolved.get(asked)
        return entry.measures[self.options.measures.index(text)] if known is None else known

    def _limit(self, subject: Subject, kind: Kind, text: str, limit: float) -> GateCondition:
        """A condition on a value: by itself, or by the ends of its interval."""
        measure, entry = self._measure(subject, text), subject.entry
        empty = subject.condition(kind, measure, limit)
        if entry is None:
            return empty
        values = entry.values[entry.measures.index(measure)]
        value = aggregate(measure, values, entry.weights.get(measure))
        if math.isnan(value):
            return replace(empty, reason="undefined")
        n = int((~np.isnan(values)).sum())
        exact = measure.share_method == "clopper-pearson"
        interval = self._interval(subject, entry, measure, exact=exact)
        if measure.aggregate == "sum" and interval.estimable:
            interval = replace(interval, low=interval.low * n, high=interval.high * n)
        made = replace(empty, value=value, now=value, interval=interval, n=n)
        if not self.options.confident:
            return replace(made, verdict="PASS" if made.allows(value) else "FAIL")
        if not interval.estimable:
            return replace(made, reason="not estimable")
        if made.within_noise:
            needed = _needed(made, exact=exact, clustered=subject.clusters is not None)
            return replace(made, verdict="UNDECIDED", needed=needed)
        worst_end, best_end = made.ends
        holds = made.allows(worst_end)
        return replace(
            made,
            quantity="lower bound" if holds == (kind == "min") else "upper bound",
            value=worst_end if holds else best_end,
            verdict="PASS" if holds else "FAIL",
        )

    def _interval(
        self, subject: Subject, entry: RetrieverScores, measure: Measure, *, exact: bool
    ) -> Interval:
        compare, level = self.compare, LEVEL
        if exact:  # its ends are the one-sided bounds, as those of a drop
            compare, level = compare.model_copy(update={"interval": "default"}), 1 - 2 * ALPHA
        matrix = single_retriever(entry.by([measure]), subject.clusters)
        mean = matrix.means(compare, level=level)[0][subject.retriever]
        return Interval(mean.low, mean.high, level, cast("Method", mean.method), mean.note)

    def _drop(self, subject: Subject, text: str, allowance: float) -> GateCondition | PendingDrop:
        measure, entry = self._measure(subject, text), subject.entry
        empty = subject.condition("drop", measure, allowance)
        if entry is None or self.baseline is None:
            return empty
        earlier = self.baseline.get(subject.dataset, subject.retriever)
        if earlier is None or not earlier.has(measure):
            what = self.baseline.known_of(subject.dataset, subject.retriever)
            return replace(empty, reason="not in the baseline", detail=_few(what))
        if np.isnan(entry.values[entry.measures.index(measure)]).all():
            return replace(empty, reason="undefined")
        paired = paired_values(entry, measure, earlier)
        if not paired.query_ids:
            return replace(empty, reason="no common query")
        clusters = None
        if subject.clusters is not None:
            clusters = cluster_numbers(subject.clusters, paired.query_ids, where=subject.dataset)
        made = replace(
            empty,
            value=_mean(-paired.difference),
            now=_mean(paired.now),
            before=_mean(paired.before),
            n=len(paired.query_ids),
            worse=int((paired.difference < 0).sum()),
            better=int((paired.difference > 0).sum()),
        )
        bounded = lies_in_0_to_1(measure)
        return PendingDrop(made, Drop(paired.difference, allowance, clusters, bounded))

    def _cost(self, subject: Subject, quantity: str, limit: float) -> GateCondition:
        """A condition on what a search costs, or on how many of its queries failed."""
        empty = subject.condition("max", quantity, limit)
        stages = self.result.stages.get((subject.dataset, subject.retriever))
        if subject.missing:
            return empty
        value: float | None = None
        if stages is not None and quantity == "failed":
            queries = self.result.parts.dataset_entry(subject.dataset).queries
            value = len(stages.failed) / queries if queries else None
            empty = replace(empty, n=queries)
        elif stages is not None and (times := stages.latency or stages.calls) is not None:
            # Of a system that is asked, what whoever asked it waited for: all calls of a query.
            waited = times.whole if isinstance(times, CallTimes) else times
            value = getattr(waited, quantity, None)
            empty = replace(empty, n=times.queries)
        if value is None or math.isnan(value):
            return replace(empty, reason="not measured")
        made = replace(empty, value=value, now=value, verdict="PASS" if value <= limit else "FAIL")
        if quantity == "failed" or stages is None or stages.latency or not stages.calls:
            return made
        return replace(made, reason="times of calls", detail=count_text(stages.calls.at_once))

    def left_out(self, condition: GateCondition) -> GateCondition:
        """The condition; undecided where it holds only for the queries that were answered, and
        nothing says how many of the others may be left out: a system that answers easy queries
        alone would pass."""
        stages = self.result.stages.get((condition.dataset, condition.retriever))
        if condition.verdict != "PASS" or "failed" in self.options.max:
            return condition
        if stages is None or not stages.failed or not stages.leaves_out:
            return condition
        failed = count_text(len(stages.failed))
        return replace(condition, verdict="UNDECIDED", reason="left out", detail=failed)


def _slices(
    whole: Subject, entry: RetrieverScores, queries: Queries, key: str
) -> Iterator[Subject]:
    """The queries of each value of a key, in the order of the values; a slice whose queries all
    have no answer is left out, since no measure looks at it."""
    try:
        of_each = labels(queries, key)
    except ConfigError:
        others = _few(label_names(queries))
        yield replace(whole, slice=key, entry=None, missing="no such slice", detail=others)
        return
    everywhere = rows_by_value(of_each, queries.ids)
    scored = rows_by_value(of_each, entry.query_ids)
    for value in sorted(everywhere):
        if not queries.answerable[everywhere[value]].any():
            continue
        name, rows = f"{key}: {value}", scored.get(value)
        if rows is None:
            yield replace(whole, slice=name, entry=None, missing="no query in the slice")
            continue
        own = replace(
            entry,
            query_ids=tuple(entry.query_ids[row] for row in rows),
            values=entry.values[:, rows],
            weights={measure: each[rows] for measure, each in entry.weights.items()},
            bounds=None,
        )
        yield replace(whole, slice=name, entry=own)


def _few(names: Iterable[str]) -> str:
    """The first names, and how many more; empty if there is none."""
    listed, more = few(names)
    return f"{listed} (+{more})" if more else listed


def _needed(condition: GateCondition, *, exact: bool, clustered: bool) -> int | None:
    """About how many queries would decide a value within noise of its limit, if it stayed the same;
    None if that is not known, or would be beyond all measure."""
    value, limit = condition.value, condition.threshold
    if exact:
        return None if clustered else queries_to_exclude(limit, value, 1 - 2 * ALPHA)
    worst_end, best_end = condition.ends
    end = worst_end if condition.allows(value) else best_end
    if abs(limit - value) <= SAME:
        return None
    needed = condition.n * ((end - value) / (limit - value)) ** 2  # intervals narrow by its root
    return math.ceil(needed) if needed <= MAX_QUERIES else None


@dataclass(frozen=True, eq=False)
class PairedValues:
    """One measure of one retriever, on the queries with a value both in a result and its baseline.

    Attributes:
        query_ids: ids of the Q queries, in the order of the result.
        before, now: float64[Q].
        difference: float64[Q], now - before, signed so that + is better; 0 if only rounding
            differs.
    """

    query_ids: tuple[str, ...]
    before: NDArray[np.float64]
    now: NDArray[np.float64]
    difference: NDArray[np.float64]


def paired_values(
    entry: RetrieverScores, measure: Measure, earlier: BaselineRetriever
) -> PairedValues:
    """The values of a measure beside those of a baseline.

    Args:
        entry: the scores of the result.
        measure: one of theirs.
        earlier: what the baseline has of the retriever.
    """
    now = entry.values[entry.measures.index(measure)]
    known = earlier.per_query(measure)
    before = np.array([known.get(query, math.nan) for query in entry.query_ids])
    common = ~(np.isnan(now) | np.isnan(before))
    ids = tuple(query for query, kept in zip(entry.query_ids, common, strict=True) if kept)
    sign = -1.0 if measure.lowest_is_best else 1.0
    difference = sign * (now[common] - before[common])
    difference[np.abs(difference) <= SAME] = 0.0
    return PairedValues(ids, before[common], now[common], difference)


def _mean(values: NDArray[np.float64]) -> float:
    mean = math.fsum(values.tolist()) / len(values)
    return 0.0 if abs(mean) <= SAME else mean


# Drops are judged together: Holm over all of them, in each direction.


def _with_drops(
    conditions: Sequence[GateCondition | PendingDrop], *, strict: bool
) -> Iterator[GateCondition]:
    """The conditions in order, each drop with its verdict; ``strict`` goes by the observed ones."""
    tests = drop_tests([each.drop for each in conditions if isinstance(each, PendingDrop)])
    found = zip(
        tests,
        adjust([test.p_fail for test in tests]).tolist(),
        adjust([test.p_pass for test in tests]).tolist(),
        strict=True,
    )
    for each in conditions:
        if isinstance(each, GateCondition):
            yield each
        else:
            yield _judged(each.condition, *next(found), len(tests), strict=strict)


def _judged(
    condition: GateCondition,
    test: DropTest,
    p_fail: float,
    p_pass: float,
    count: int,
    *,
    strict: bool,
) -> GateCondition:
    tested = replace(
        condition,
        interval=test.interval,
        reason="" if test.basis == "bounded" or test.basis == "t" else test.basis,
        p_fail=test.p_fail,
        p_pass=test.p_pass,
        p_fail_adjusted=p_fail,
        p_pass_adjusted=p_pass,
    )
    if tested.reason == "unchanged":
        return replace(tested, verdict="PASS")
    if strict:
        verdict: GateVerdict = "PASS" if tested.allows(tested.value) else "FAIL"
        return replace(tested, verdict=verdict, reason="strict")
    if p_fail < ALPHA or p_pass < ALPHA:
        return replace(tested, verdict="FAIL" if p_fail < ALPHA else "PASS")
    alone = count == 1 and not tested.reason and test.interval.estimable
    return replace(
        tested,
        verdict="UNDECIDED",
        needed=test.needed(count),
        detectable=test.detectable(count),
        accepted=test.interval.high if alone else None,
    )
