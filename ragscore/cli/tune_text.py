"""A tuning for people: what to do, a small table, what it is worth on other queries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragscore.cli.tables import aligned

if TYPE_CHECKING:
    from ragscore.tuning import Tuning
    from ragscore.tuning.bands import Band
    from ragscore.tuning.cross_validation import CrossValidated

MOST_CHOICES = 5
"""Settings that are named with how often they were chosen."""
MOST_SIZES = 10
"""Rows of the table of context sizes."""


def rendered(tunings: Sequence[Tuning], style: str, *, brief: bool = False) -> str:
    """All retrievers, one after the other.

    Args:
        style: ``table`` or ``markdown``.
        brief: leave out the tables.
    """
    return "\n\n".join(_one(tuning, style, brief) for tuning in tunings)


def _one(tuning: Tuning, style: str, brief: bool) -> str:
    head = (
        f"{tuning.retriever} on {tuning.dataset}: {tuning.queries:,} queries, "
        f"{tuning.depth:,} passages recorded for each"
    )
    markdown = style == "markdown"
    lines = [f"### {head}" if markdown else head]
    lines += ["", f"**{tuning.sentence}**" if markdown else tuning.sentence]
    lines += ["", tuning.reason] if markdown else [tuning.reason]
    if not brief:
        lines += _tables(tuning, style)
    lines += ["", *_paragraphs([_held_out(tuning), *_unanswerable(tuning)], markdown)]
    notes = [f"note: {note}" for note in tuning.notes]
    return "\n".join(
        [*lines, *(["", *_paragraphs(notes, markdown)] if markdown and notes else notes)]
    )


def _tables(tuning: Tuning, style: str) -> list[str]:
    table = aligned(*_table(tuning), style)
    if style == "markdown":
        lines = [*table, "", f"\\{_caption(tuning)}"]
    else:
        lines = ["", *table, _caption(tuning)]
    if tuning.context is not None:
        context = aligned(*_contexts(tuning), style)
        lines += context if style == "markdown" else ["", *context]
    return lines


def _paragraphs(texts: list[str], markdown: bool) -> list[str]:
    return "\n\n".join(texts).split("\n") if markdown else texts


def _table(tuning: Tuning) -> tuple[list[str], list[list[str]]]:
    by_k = tuning.cuts.by == "k"
    header = [tuning.cuts.by] if by_k else [tuning.cuts.label(0).rpartition(" ")[0], "passages"]
    header += [measure.label for measure in tuning.curves]
    if tuning.steps is not None:
        header += ["k-th adds R", "to P"]
    if tuning.sizes is not None:
        header += [str(tuning.unit)]
    if not by_k and tuning.kept.refused is not None:
        header.append("refused")
    rows = []
    for at in tuning.shown():
        mark = " *" if at == tuning.setting else ""
        row = [tuning.cuts.shown(at) + mark]
        if not by_k:
            kept = tuning.kept
            row.append(f"{kept.mean[at]:.1f} ({kept.lowest[at]:.0f}-{kept.highest[at]:.0f})")
        row += [_value(band, at) for band in tuning.curves.values()]
        if tuning.steps is not None:
            row += [_signed(tuning.steps.recall.mean[at]), _signed(tuning.steps.precision.mean[at])]
        if tuning.sizes is not None:
            row.append(f"{tuning.sizes[at]:,.0f}")
        if not by_k and tuning.kept.refused is not None:
            row.append(f"{100 * tuning.kept.refused[at]:.0f} %")
        rows.append(row)
    return header, rows


def _caption(tuning: Tuning) -> str:
    parts = ["* recommended", "[ ] 95 % interval of the mean, each k alone"]
    if tuning.cuts.by != "k":
        parts[1] = "[ ] 95 % interval of the mean, each cut alone"
        parts.append("passages: mean (fewest-most)")
        if tuning.kept.refused is not None:
            unanswerable = tuning.kept.unanswerable
            parts.append(f"refused: of {unanswerable} unanswerable queries, those that get nothing")
    budget = tuning.options.budget
    if tuning.sizes is not None:
        parts.append(f"{tuning.unit}: mean size of the context")
    if budget is not None and budget.limit is not None:
        parts.append(
            f"cut where a passage no longer fits {budget.limit:,} {budget.unit}; P is then of "
            "what fits"
        )
    return "; ".join(parts)


def _contexts(tuning: Tuning) -> tuple[list[str], list[list[str]]]:
    context = tuning.context
    assert context is not None
    full = int((context.passages < context.passages[-1]).sum())
    wanted = list(range(min(full + 1, len(context.limits))))
    step = math.ceil(len(wanted) / MOST_SIZES)
    limit = tuning.options.budget.limit if tuning.options.budget is not None else None
    shown = {at for at in wanted if (len(wanted) - 1 - at) % step == 0}
    shown |= {at for at, size in enumerate(context.limits.tolist()) if size == limit}
    rows = [
        [
            f"{context.limits[at]:,}",
            f"{context.passages[at]:.1f}",
            _value(context.precision, at),
            _value(context.recall, at),
        ]
        for at in sorted(shown)
    ]
    return [f"{tuning.unit} at most", "passages", str(tuning.precision), str(tuning.recall)], rows


def _held_out(tuning: Tuning) -> str:
    measure, done = next(iter(tuning.held_out.items()))
    interval = done.interval
    around = (
        "interval not estimable"
        if math.isnan(interval.low)
        else f"approximately {interval.low:.3f} to {interval.high:.3f}"
    )
    text = (
        f"Held-out {measure}: {done.held_out:.3f} ({around}), the mean of the procedure on queries "
        f"it did not choose on ({done.folds} folds, {done.repeats} repeats); "
        f"{done.optimistic:.3f} on those it chose on."
    )
    others = [f"{other} {one.held_out:.3f}" for other, one in list(tuning.held_out.items())[1:]]
    also = f" With it {', '.join(others)}." if others else ""
    return f"{text}{also} Chosen: {_chosen(tuning, done)}."


def _chosen(tuning: Tuning, done: CrossValidated) -> str:
    often = sorted(
        ((int(count), at) for at, count in enumerate(done.times) if count),
        key=lambda pair: (-pair[0], pair[1]),
    )
    total = done.folds * done.repeats
    named = [f"{tuning.cuts.label(at)} {count} times" for count, at in often[:MOST_CHOICES]]
    rest = total - sum(count for count, _ in often[:MOST_CHOICES])
    others = [f"others {rest} times"] if rest else []
    return f"{', '.join([*named, *others])} of {total}"


def _unanswerable(tuning: Tuning) -> list[str]:
    kept, at = tuning.kept, tuning.setting
    if tuning.cuts.by == "k":
        return []
    texts = [
        f"Passages per query at {tuning.cuts.label(at)}: fewest {kept.lowest[at]:.0f}, quartiles "
        f"{kept.lower[at]:.0f}, {kept.median[at]:.0f} and {kept.upper[at]:.0f}, most "
        f"{kept.highest[at]:.0f}; {100 * kept.nothing[at]:.0f} % of the queries get nothing."
    ]
    if kept.refused is not None:
        texts.append(
            f"{100 * kept.refused[at]:.0f} % of the {kept.unanswerable} unanswerable queries get "
            "nothing; all should."
        )
    return texts


def _value(band: Band, at: int) -> str:
    low, high = float(band.low[at]), float(band.high[at])
    around = "-" if math.isnan(low) else f"{low:.3f} {high:.3f}"
    return f"{band.mean[at]:.3f} [{around}]"


def _signed(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:+.3f}"
