"""judge_gate: every condition of a gate, judged on a result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ragscore.comparison.options import CompareOptions
from ragscore.dataset import Dataset
from ragscore.dataset.labels import clusters_of
from ragscore.elements.numbers import count_text
from ragscore.errors import DataError, RagscoreError
from ragscore.gate.baseline import Baseline
from ragscore.gate.baseline_check import check_baseline_named, comparable
from ragscore.gate.condition_judging import Judge, Part, UntestedDrop, in_place_of
from ragscore.gate.drop_verdicts import judged_drops
from ragscore.gate.gate_outcome import GateOutcome
from ragscore.gate.model import ConditionOutcome, worst
from ragscore.gate.options import QUANTITIES, GateOptions
from ragscore.gate.slices import slices_of
from ragscore.messages import Message, _
from ragscore.scoring import RetrieverScores, Scores

Key = tuple[str, str]
"""(dataset, retriever)."""
FAILED_LEFT_OUT = _(
    "{dataset}, {retriever}: {count} of {n} queries failed and are left out; only a "
    "condition on failed queries counts them."
)
FAILED_EMPTY = _(
    "{dataset}, {retriever}: {count} of {n} queries failed and score as empty answers."
)
ASKED_AGAIN = _("{dataset}, {retriever}: {count} of {n} queries were answered only after a retry.")


class ResultToJudge(Protocol):
    """What the gate asks of a result."""

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def manifest(self) -> Any:
        """What it says of itself: its datasets and retrievers."""
        ...

    @property
    def stages(self) -> Mapping[Key, Any]:
        """What each search cost."""
        ...

    @property
    def failures(self) -> Mapping[Key, RagscoreError]:
        """The retrievers without a run."""
        ...

    def scored(self, measures: Sequence[str]) -> Scores:
        """The scores by these measures."""
        ...

    def dataset(self, name: str) -> Dataset:
        """A dataset; a DataError where it is gone."""
        ...


def judge_gate(
    result: ResultToJudge,
    options: GateOptions,
    baseline: Baseline | None = None,
    *,
    compare: CompareOptions | None = None,
) -> GateOutcome:
    """Judge every condition of a gate.

    A drop FAILS where the queries show that it is larger than the allowance, PASSES where they
    exclude a drop of that size, and is UNDECIDED between; both one-sided at .05, each corrected by
    Holm over all drops of the gate. A condition that has nothing to look at fails.

    Args:
        result: what is judged.
        options: the conditions.
        baseline: what drops are measured from.
        compare: intervals, clusters, resamples and seed; by default those of
            :class:`~ragscore.CompareOptions`.

    Raises:
        ConfigError: a drop is asked for, and there is no baseline.
        DataError: the baseline has other data, judgments or conventions, or the dataset that
            knows clusters and slices is not there.
    """
    check_baseline_named(options, baseline)
    notes: list[Message] = []
    if baseline is not None and options.max_drop:
        notes = list(comparable(result, baseline, allow_intersect=options.allow_intersect))
    judge = Judge(options, compare or CompareOptions())
    conditions: list[ConditionOutcome | UntestedDrop] = []
    for part in _parts(result, options, baseline, judge.compare):
        found = judge.conditions(part, baseline, result)
        # Of a retriever that only the baseline has, its drops say all.
        drops = part.missing == "no such retriever" and options.retrievers is None
        conditions += (condition for condition in found if not drops or condition.kind == "drop")
    judged = tuple(
        _with_left_out(condition, result, options)
        for condition in judged_drops(conditions, strict=options.strict)
    )
    if not judged:
        raise DataError("there is nothing to judge: the result has no retriever")
    notes += [*_samples(result), *_without_effect(options), *_failed_queries(result, judged)]
    return GateOutcome(
        verdict=worst(condition.verdict for condition in judged),
        conditions=judged,
        options=options,
        result=result.name,
        baseline=baseline.name if baseline is not None and options.max_drop else "",
        notes=tuple(notes),
    )


def _with_left_out(
    condition: ConditionOutcome, result: ResultToJudge, options: GateOptions
) -> ConditionOutcome:
    """The condition; undecided where it holds only for the queries that were answered, and nothing
    says how many of the others may be left out: a system that answers easy queries alone would
    pass."""
    stages = result.stages.get((condition.dataset, condition.retriever))
    if stages is None or not (stages.failed and stages.leaves_out) or "failed" in options.max:
        return condition
    if condition.verdict != "PASS":
        return condition
    return replace(
        condition, verdict="UNDECIDED", reason="left out", detail=count_text(len(stages.failed))
    )


def _samples(result: ResultToJudge) -> Iterator[Message]:
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


def _failed_queries(result: ResultToJudge, judged: Sequence[ConditionOutcome]) -> Iterator[Message]:
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


def _parts(
    result: ResultToJudge, options: GateOptions, baseline: Baseline | None, compare: CompareOptions
) -> Iterator[Part]:
    """What the conditions look at: all queries of each retriever, then its slices."""
    scores = result.scored(options.measures) if options.measures else None
    scored: Mapping[Key, RetrieverScores] = {
        (entry.dataset, entry.retriever): entry for entry in (scores.entries if scores else ())
    }
    for dataset, retriever in _keys(result, options, baseline):
        error = result.failures.get((dataset, retriever))
        entry = scored.get((dataset, retriever))
        whole = Part(dataset, retriever, entry=entry)
        known = [each.key for each in result.manifest.retrievers]
        if error is not None:
            yield replace(whole, missing="retriever failed", detail=str(error))
            continue
        if (dataset, retriever) not in known:
            names = dict.fromkeys(name for own, name in known if own == dataset)
            yield replace(whole, missing="no such retriever", detail=in_place_of(names))
            continue
        if entry is None:
            yield whole
            continue
        clusters = None
        if compare.cluster is not None:
            clusters = clusters_of(result.dataset(dataset).queries, compare.cluster)
        whole = replace(whole, clusters=clusters)
        yield whole
        if options.by:
            yield from slices_of(whole, result.dataset(dataset).queries, options.by)


def _keys(result: ResultToJudge, options: GateOptions, baseline: Baseline | None) -> Iterator[Key]:
    """Every retriever that has to keep the conditions, those that are gone included."""
    own = [entry.key for entry in result.manifest.retrievers]
    before = list(baseline.keys) if baseline is not None and options.max_drop else []
    if options.retrievers is None:
        yield from dict.fromkeys([*own, *before])
        return
    datasets = dict.fromkeys(dataset for dataset, _name in own)
    yield from ((dataset, name) for dataset in datasets for name in options.retrievers)
