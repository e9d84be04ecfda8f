"""The conditions of one retriever on some queries: min and max are judged here, drops prepared."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.options import CompareOptions
from ragscore.comparison.score_matrix import lies_in_0_to_1, single_retriever
from ragscore.dataset.labels import cluster_numbers
from ragscore.elements.numbers import count_text
from ragscore.gate.model import Compared, ConditionOutcome, Reason
from ragscore.gate.options import QUANTITIES, GateOptions
from ragscore.gate.paired_values import paired_values
from ragscore.measures import Measure, parse_measure
from ragscore.names import few
from ragscore.retrievers.call_times import CallTimes
from ragscore.scoring import RetrieverScores
from ragscore.scoring.means import aggregate
from ragscore.stats.drops import Drop
from ragscore.stats.intervals import LEVEL, Interval, Method, queries_to_exclude
from ragscore.stats.one_sided import ALPHA
from ragscore.stats.units import SAME


@dataclass(frozen=True, eq=False)
class Part:
    """What a condition looks at: one retriever on all queries or on those of a slice.

    Attributes:
        dataset, retriever: their names.
        slice: ``kind: numeric``; empty for all queries.
        entry: the scores of these queries by the gate's measures; None if there are none.
        clusters: query id to cluster; None if queries are independent.
        missing: why there is nothing to look at; mostly empty.
        detail: the error behind it.
    """

    dataset: str
    retriever: str
    slice: str = ""
    entry: RetrieverScores | None = None
    clusters: Mapping[str, str] | None = None
    missing: Reason = ""
    detail: str = ""

    def outcome(
        self, kind: Compared, measure: Measure | str, threshold: float, reason: Reason = ""
    ) -> ConditionOutcome:
        """A condition with nothing to look at, which fails; the others start from it."""
        return ConditionOutcome(
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
            reason=reason or self.missing,
            detail=self.detail,
        )


@dataclass(frozen=True, eq=False)
class UntestedDrop:
    """A drop, which is tested and judged together with the others.

    Attributes:
        outcome: with everything but what the test says.
        drop: what is tested.
    """

    outcome: ConditionOutcome
    drop: Drop
    kind: Compared = "drop"


@dataclass(frozen=True)
class Judge:
    """The options of a gate and of the comparison that it goes by."""

    options: GateOptions
    compare: CompareOptions

    def conditions(
        self, part: Part, baseline: Any, result: Any
    ) -> Iterator[ConditionOutcome | UntestedDrop]:
        """Every condition on a part, in the order min, max_drop, max.

        Args:
            part: what is looked at.
            baseline: an ``EarlierValues``; None if no drop is asked for.
            result: a ``ResultToJudge``.
        """
        options = self.options
        for text, limit in options.min.items():
            yield self._limit(part, "min", text, limit)
        for text, allowance in options.max_drop.items():
            yield self._drop(part, text, allowance, baseline)
        for text, limit in options.max.items():
            if text not in QUANTITIES:
                yield self._limit(part, "max", text, limit)
            elif not part.slice:
                yield _cost(part, text, limit, result)

    def _measure(self, part: Part, text: str) -> Measure:
        """The measure as the part was scored by it: profiles set options of measures."""
        entry = part.entry
        if entry is None:
            return parse_measure(text)
        asked = parse_measure(text)
        if asked in entry.resolved:
            return entry.resolved[asked]
        at = self.options.measures.index(text)
        return entry.measures[at]

    def _limit(self, part: Part, kind: Compared, text: str, limit: float) -> ConditionOutcome:
        measure, entry = self._measure(part, text), part.entry
        empty = part.outcome(kind, measure, limit)
        if part.missing or entry is None:
            return empty
        at = entry.measures.index(measure)
        value = aggregate(measure, entry.values[at], entry.weights.get(measure))
        if math.isnan(value):
            return replace(empty, reason="undefined")
        defined = int((~np.isnan(entry.values[at])).sum())
        compare, level = self.compare, LEVEL
        exact = measure.share_method == "clopper-pearson"
        if exact:  # its ends are the one-sided bounds, as those of a drop
            compare, level = compare.model_copy(update={"interval": "default"}), 1 - 2 * ALPHA
        [found] = single_retriever(entry.by([measure]), part.clusters).means(compare, level=level)
        mean = found[part.retriever]
        interval = Interval(mean.low, mean.high, level, cast("Method", mean.method), mean.note)
        if measure.aggregate == "sum" and interval.estimable:
            low, high = interval.low * defined, interval.high * defined
            interval = replace(interval, low=low, high=high)
        made = replace(empty, value=value, now=value, interval=interval, n=defined)
        if self.options.confident:
            made = replace(
                made,
                quantity="lower bound" if kind == "min" else "upper bound",
                value=interval.low if kind == "min" else interval.high,
            )
            if not interval.estimable:
                return replace(made, reason="not estimable")
            if kind == "max" and exact:
                return _share(made, part.clusters is not None)
        apart = made.value - limit if kind == "min" else limit - made.value
        return replace(made, verdict="PASS" if apart >= -SAME else "FAIL")

    def _drop(
        self, part: Part, text: str, allowance: float, baseline: Any
    ) -> ConditionOutcome | UntestedDrop:
        measure, entry = self._measure(part, text), part.entry
        empty = part.outcome("drop", measure, allowance)
        if part.missing or entry is None:
            return empty
        earlier = baseline.values(part.dataset, part.retriever, str(measure))
        if earlier is None:
            what = baseline.known_of(part.dataset, part.retriever)
            return replace(empty, reason="not in the baseline", detail=in_place_of(what))
        if np.isnan(entry.values[entry.measures.index(measure)]).all():
            return replace(empty, reason="undefined")
        paired = paired_values(entry, measure, earlier)
        if not paired.query_ids:
            return replace(empty, reason="no common query")
        clusters = None
        if part.clusters is not None:
            clusters = cluster_numbers(part.clusters, paired.query_ids, where=part.dataset)
        made = replace(
            empty,
            value=_mean(-paired.by),
            now=_mean(paired.now),
            before=_mean(paired.before),
            n=len(paired.query_ids),
            worse=int((paired.by < 0).sum()),
            better=int((paired.by > 0).sum()),
        )
        return UntestedDrop(made, Drop(paired.by, allowance, clusters, lies_in_0_to_1(measure)))


def _share(outcome: ConditionOutcome, clustered: bool) -> ConditionOutcome:
    """A share that is to be small: undecided where it is, and the queries allow a larger one."""
    if outcome.value <= outcome.threshold + SAME:
        return replace(outcome, verdict="PASS")
    if outcome.now > outcome.threshold + SAME:
        return outcome
    needed = queries_to_exclude(outcome.threshold, outcome.now, 1 - 2 * ALPHA)
    return replace(outcome, verdict="UNDECIDED", needed=None if clustered else needed)


def in_place_of(names: Iterable[str]) -> str:
    """What there is in place of what was asked for: the first names, and how many more;
    empty if there is nothing."""
    listed, more = few(names)
    return f"{listed} (+{more})" if more else listed


def _mean(values: NDArray[np.float64]) -> float:
    mean = math.fsum(values.tolist()) / len(values)
    return 0.0 if abs(mean) <= SAME else mean


def _cost(part: Part, quantity: str, limit: float, result: Any) -> ConditionOutcome:
    """A condition on what a search costs, or on how many of its queries failed."""
    empty = part.outcome("max", quantity, limit)
    if part.missing:
        return empty
    stages = result.stages.get((part.dataset, part.retriever))
    value: float | None = None
    if stages is not None and quantity == "failed":
        [queries] = [each.queries for each in result.manifest.datasets if each.name == part.dataset]
        value = len(stages.failed) / queries if queries else None
        empty = replace(empty, n=queries)
    elif stages is not None and (times := stages.latency or stages.calls) is not None:
        # Of a system that is asked, what whoever asked it waited for: all the calls of a query.
        waited = times.whole if isinstance(times, CallTimes) else times
        value = getattr(waited, quantity, None)
        empty = replace(empty, n=times.queries)
    if value is None or math.isnan(value):
        return replace(empty, reason="not measured")
    made = replace(empty, value=value, now=value, verdict="PASS" if value <= limit else "FAIL")
    if quantity == "failed" or stages is None or stages.latency or not stages.calls:
        return made
    return replace(made, reason="times of calls", detail=count_text(stages.calls.at_once))
