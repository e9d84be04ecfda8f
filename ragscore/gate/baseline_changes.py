"""What differs from a baseline: whether it can be compared with at all, and what another one would
lower."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from ragscore.errors import ConfigError, DataError
from ragscore.gate.baseline import Baseline, BaselineDataset, BaselineRetriever
from ragscore.gate.options import GateOptions
from ragscore.measures import parse_measure
from ragscore.messages import Message, _, listed
from ragscore.results.result_facts import ResultFacts

ANEW = "Save the baseline anew with `ragscore baseline update`"
SCORER = "ragscore-eval"
"""The package whose version makes the values of a run; the others make the run."""
ROUNDING = 1e-12
"""Means that differ by less are the same: their queries were added in another order."""
PARTS = {
    "passages": _("the passages"),
    "queries": _("the queries"),
    "judgments": _("the judgments"),
    "data": _("the dataset or its judgments"),
}


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


def check_profile(earlier: str, profile: str, where: str) -> None:
    """Refuse a baseline whose values follow other conventions.

    Args:
        earlier: the conventions of the baseline.
        profile: those of the result.
        where: the baseline, for messages.

    Raises:
        DataError: they differ.
    """
    if earlier != profile:
        raise DataError(
            f"its values follow the profile '{earlier}', and those of the result the profile "
            f"'{profile}'",
            where=where,
            instead=f"{ANEW}, or score the result by profile: {earlier}",
        )


def comparable(
    result: ResultFacts, baseline: Baseline, *, allow_intersect: bool
) -> Iterator[Message]:
    """What a reader must know of a comparison with a baseline.

    Args:
        result: what is judged.
        baseline: what drops are measured from.
        allow_intersect: compare on the common queries where the data are others.

    Raises:
        DataError: the baseline has other conventions, or other data without ``allow_intersect``.
    """
    manifest = result.manifest
    check_profile(baseline.profile, manifest.profile, baseline.name)
    for entry in manifest.datasets:
        known = baseline.dataset(entry.name)
        if known is None or known.digest == entry.digest:
            continue
        here = BaselineDataset.of(result, entry.name, entry.digest)
        changed = other_data(known, here)
        if changed is None:
            continue
        if entry.sample is not None:
            changed = _(
                "{changed}: the result searched {size}", changed=changed, size=entry.sample.size()
            )
        if not allow_intersect:
            raise DataError(
                str(changed),
                where=baseline.name,
                instead=f"{ANEW}, or compare on the common queries: --allow-intersect",
            )
        yield changed
        yield _("Drops are measured on the queries that both have.")
        if known.changed_parts(here) != ("passages",):
            yield _(
                "A query whose text or judgments changed may have fallen for that reason alone."
            )
    before, now = baseline.versions.get(SCORER), manifest.versions.get(SCORER)
    if before and now and before != now:
        yield _(
            "The baseline was saved by ragscore {before}; the result was scored by {now}. If a "
            "measure changed between the two, save the baseline again.",
            before=before,
            now=now,
        )


def other_data(known: BaselineDataset, here: BaselineDataset) -> Message | None:
    """What changed in a dataset since a baseline was saved; None if nothing did, as far as one
    side that was judged by a file knows.

    Args:
        known: what the baseline says of the dataset.
        here: what it is now.
    """
    if known.digest == here.digest:
        return None
    # A file of judgments has neither passages nor queries.
    only_judgments = any(side.judgments and not side.queries for side in (known, here))
    if only_judgments and known.judgments == here.judgments:
        return None
    parts = known.changed_parts(here) or ("data",)
    return _(
        "{parts} of '{dataset}' have changed since the baseline was saved",
        dataset=known.name,
        parts=listed([PARTS[part] for part in parts]),
    )


@dataclass(frozen=True)
class LoweredValue:
    """A value of a baseline that a new one lowers, or no longer has.

    Attributes:
        dataset, retriever, measure: whose value.
        before: the mean in the old baseline.
        now: the mean in the new one; NaN if it has none.
        lost: queries of the old baseline that the new one lacks, or that have no value any more,
            such as one that a system did not answer and that is left out.
    """

    dataset: str
    retriever: str
    measure: str
    before: float
    now: float
    lost: int = 0


def lowered(old: Baseline, new: Baseline) -> tuple[LoweredValue, ...]:
    """What a new baseline asks less of: values that fall, and those of retrievers, measures and
    queries that it no longer has."""
    found = []
    for entry in old.retrievers:
        after = new.get(entry.dataset, entry.retriever)
        gone = [query for query in entry.values if after is None or query not in after.values]
        for measure in entry.measures:
            before, now, lost = entry.mean(measure), math.nan, len(gone)
            if after is not None and measure in after.measures:
                now = after.mean(measure)
                lost += _undefined_since(entry, after, measure)
            if _is_worse(measure, before, now) or lost:
                found.append(
                    LoweredValue(entry.dataset, entry.retriever, measure, before, now, lost)
                )
    return tuple(found)


def _undefined_since(before: BaselineRetriever, after: BaselineRetriever, measure: str) -> int:
    """How many queries of both have a value in the first alone."""
    now = after.per_query(measure)
    return sum(
        math.isnan(now.get(query, 0.0)) and not math.isnan(value)
        for query, value in before.per_query(measure).items()
    )


def _is_worse(measure: str, before: float, now: float) -> bool:
    if math.isnan(before):
        return False
    if math.isnan(now):
        return True
    return (now - before if better_low(measure) else before - now) > ROUNDING


def better_low(measure: str) -> bool:
    """Whether a measure is better when it is lower; of one whose package is not installed here, no
    one knows, and it is taken as better when it is higher."""
    try:
        return parse_measure(measure).lowest_is_best
    except ConfigError:
        return False
