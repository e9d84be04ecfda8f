"""What ``ragscore power`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragscore.comparison.model import ALPHA
from ragscore.comparison.power import DatasetPower
from ragscore.scoring.tables import aligned
from ragscore.stats.intervals import NOT_ESTIMABLE

NEEDED = (
    "queries for D: this many detect a true difference of D with 80 % power, in 4 of 5 such "
    "experiments; where the true difference is 0, a third of them still cannot say that it is "
    "smaller than D"
)
"""What the columns promise, and what they don't."""


def as_text(plans: Sequence[DatasetPower], style: str) -> str:
    """The plans for people: ``table`` or ``markdown``."""
    return "\n\n".join("\n".join(_lines(plan, style)) for plan in plans)


def _lines(plan: DatasetPower, style: str) -> Iterator[str]:
    yield _sentence(plan)
    times = "1 comparison" if plan.comparisons == 1 else f"{plan.comparisons} comparisons"
    yield (
        f"{plan.dataset}: {_counted(plan)}, {plan.measure}, {times}, "
        f"two-sided paired t at {ALPHA:g}"
        + (f"/{plan.comparisons}" if plan.comparisons > 1 else "")
    )
    if plan.spreads:
        wanted = list(plan.spreads[0].needed)
        header = ["pair", "sd", "detectable", *(f"queries for {one}" for one in wanted)]
        rows = [
            [
                spread.of,
                f"{spread.sd:.3f}",
                NOT_ESTIMABLE if spread.detectable is None else f"{spread.detectable:.3f}",
                *("too many" if n is None else f"{n:,}" for n in spread.needed.values()),
            ]
            for spread in plan.spreads
        ]
        if plan.difference is not None:
            header.insert(3, f"power for {plan.difference:g}")
            for row, spread in zip(rows, plan.spreads, strict=True):
                row.insert(3, "-" if spread.power is None else f"{100 * spread.power:.0f} %")
        yield from (
            ("", *aligned(header, rows, style))
            if style == "table"
            else aligned(header, rows, style)
        )
        yield ""
    notes = list(plan.notes)
    if plan.spreads and plan.spreads[0].needed:
        notes.insert(0, NEEDED)
    yield from (f"- {note}" if style == "markdown" else note for note in notes)


def _sentence(plan: DatasetPower) -> str:
    known = [one.detectable for one in plan.spreads if one.detectable is not None]
    if plan.queries < 2:
        return f"With {_counted(plan)} nothing can be shown: judge at least 2."
    if not known:
        return (
            "Nothing can be planned from these: no two retrievers differ on more than 5 "
            f"{'queries' if plan.clusters is None else 'clusters'}."
        )
    low, high = min(known), max(known)
    span = f"{low:.3f}" if f"{low:.3f}" == f"{high:.3f}" else f"{low:.3f} to {high:.3f}"
    depends = (
        "" if len(known) == 1 else ", depending on how much two retrievers differ query by query"
    )
    return (
        f"With {_counted(plan)} you can see a difference of {span} or more (80 % power){depends}."
    )


def _counted(plan: DatasetPower) -> str:
    judged = "1 judged query" if plan.queries == 1 else f"{plan.queries:,} judged queries"
    return judged if plan.clusters is None else f"{judged} in {plan.clusters:,} clusters"
