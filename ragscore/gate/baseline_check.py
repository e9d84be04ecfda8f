"""Whether a baseline can be compared with: its conventions, its data, its version."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from ragscore.errors import ConfigError, DataError
from ragscore.gate.baseline import Baseline, BaselineDataset, described
from ragscore.gate.options import GateOptions
from ragscore.messages import Message, _, listed

ANEW = "Save the baseline anew with `ragscore baseline update`"
SCORER = "ragscore-eval"
"""The package whose version makes the values of a run; the others make the run."""

PARTS = {
    "passages": _("the passages"),
    "queries": _("the queries"),
    "judgments": _("the judgments"),
    "data": _("the dataset or its judgments"),
}


class CheckedResult(Protocol):
    """What is asked of a result that is held against a baseline."""

    @property
    def manifest(self) -> Any:
        """What it says of itself: profile, datasets, versions."""
        ...


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
    result: CheckedResult, baseline: Baseline, *, allow_intersect: bool
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
        here = described(result, entry.name, entry.digest)
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
    if _only_judgments(known, here) and known.judgments == here.judgments:
        return None
    parts = known.changed_parts(here) or ("data",)
    return _(
        "{parts} of '{dataset}' have changed since the baseline was saved",
        dataset=known.name,
        parts=listed([PARTS[part] for part in parts]),
    )


def _only_judgments(known: BaselineDataset, here: BaselineDataset) -> bool:
    """Whether one side was judged by a file, which has neither passages nor queries."""
    return any(side.judgments and not side.queries for side in (known, here))
