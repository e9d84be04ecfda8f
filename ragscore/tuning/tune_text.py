"""A tuning for people: what to do, a small table, what it is worth on other queries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragscore.blocks.numbers import share_text
from ragscore.scoring.tables import aligned
from ragscore.tuning.sentence import number

if TYPE_CHECKING:
    from ragscore.tuning import Tuning
    from ragscore.tuning.bands import Band
    from ragscore.tuning.cross_validation import CrossValidated

RULES = (
    "Say what k is for with --rule: recall --target 0.8, precision --target 0.5, best_f, knee, or "
    "--budget 1000."
)
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
    blocks = [_one(tuning, style, brief) for tuning in tunings]
    if any(tuning.state == "no rule" for tuning in tunings):
        blocks.append(RULES)
    return "\n\n".join(blocks)


def _one(tuning: Tuning, style: str, brief: bool) -> str:
    head = (
        f"{tuning.retriever} on {tuning.dataset}: {tuning.queries:,} queries, "
        f"{tuning.depth:,} passages recorded for each"
    )
    markdown = style == "markdown"
    lines = [f"### {head}" if markdown else head]
    lines += ["", f"**{tuning.sentence}**" if markdown else tuning.sentence]
    if tuning.state in ("no rule", "not reached"):
        lines += ["", *aligned(*_reaching(tuning), style)]
    if not brief:
        lines += _tables(tuning, style)
    if said := [*_held_out(tuning), *_answered(tuning)]:
        lines += ["", *_paragraphs(said, markdown)]
    notes = [f"note: {note}" for note in tuning.notes]
    return "\n".join(
        [*lines, *(["", *_paragraphs(notes, markdown)] if markdown and notes else notes)]
    )


def _reaching(tuning: Tuning) -> tuple[list[str], list[list[str]]]:
    """Which k reaches which recall, and what it costs."""
    by_k = tuning.cuts.by == "k"
    header = ["recall", _cut(tuning), *([] if by_k else ["answered"]), _precision(tuning), "R"]
    header += [str(tuning.unit)] if tuning.sizes is not None else []
    rows = []
    for target, at in tuning.reaching():
        row = ["highest" if target is None else f"{target:g}", tuning.cuts.shown(at)]
        if not by_k:
            row.append(share_text(float(tuning.kept.answered.mean[at])))
        row += [_value(tuning.curves[one], at) for one in (tuning.precision, tuning.recall)]
        row += [f"{tuning.sizes[at]:,.0f}"] if tuning.sizes is not None else []
        rows.append(row)
    return header, rows


def _cut(tuning: Tuning) -> str:
    return "k" if tuning.cuts.by == "k" else tuning.cuts.label(0).rpartition(" ")[0]


def _precision(tuning: Tuning) -> str:
    label = tuning.precision.label
    return label if tuning.cuts.by == "k" else f"{label} answered"


def _tables(tuning: Tuning, style: str) -> list[str]:
    table = aligned(*_table(tuning), style) if tuning.state != "nothing fits" else []
    if not table:
        lines = []
    elif style == "markdown":
        lines = ["", *table, "", f"\\{_caption(tuning)}"]
    else:
        lines = ["", *table, _caption(tuning)]
    if tuning.context is not None:
        context = aligned(*_contexts(tuning), style)
        lines += ["", *context]
    return lines


def _paragraphs(texts: list[str], markdown: bool) -> list[str]:
    return "\n\n".join(texts).split("\n") if markdown else texts


def _table(tuning: Tuning) -> tuple[list[str], list[list[str]]]:
    by_k, kept, overflow = tuning.cuts.by == "k", tuning.kept, tuning.overflow
    header = [_cut(tuning), *([] if by_k else ["passages", "answered"])]
    if kept.wrongly is not None:
        header.append("wrongly")
    header += [
        measure.label
        if by_k or not isinstance(measure, type(tuning.precision))
        else f"{measure.label} answered"
        for measure in tuning.curves
    ]
    if tuning.steps is not None:
        header += ["k-th adds R", "to P"]
    if tuning.sizes is not None:
        header += [str(tuning.unit)]
    if overflow is not None:
        header += ["uncut", "too large"]
    rows = []
    for at in tuning.shown():
        row = [tuning.cuts.shown(at) + (" *" if at == tuning.setting else "")]
        if not by_k:
            row.append(f"{kept.mean[at]:.1f} ({kept.lowest[at]:.0f}-{kept.highest[at]:.0f})")
            row.append(share_text(float(kept.answered.mean[at])))
        if kept.wrongly is not None:
            row.append(share_text(float(kept.wrongly.mean[at])))
        row += [_value(band, at) for band in tuning.curves.values()]
        if tuning.steps is not None:
            row += [_signed(tuning.steps.recall.mean[at]), _signed(tuning.steps.precision.mean[at])]
        if tuning.sizes is not None:
            row.append(f"{tuning.sizes[at]:,.0f}")
        if overflow is not None:
            row += [f"{overflow.sizes[at]:,.0f}", share_text(float(overflow.queries[at]))]
        rows.append(row)
    return header, rows


def _caption(tuning: Tuning) -> str:
    parts = ["* recommended"] if tuning.setting is not None else []
    each = "k" if tuning.cuts.by == "k" else "cut"
    parts.append(f"[ ] 95 % interval of the mean, each {each} alone")
    if tuning.cuts.by != "k":
        parts.append("passages: mean (fewest-most)")
        parts.append("answered: queries that get a passage")
        if tuning.kept.wrongly is not None:
            parts.append(
                f"wrongly: of {tuning.kept.unanswerable} unanswerable queries, those that get one"
            )
        wrong = ", the unanswerable with 0" if tuning.kept.wrongly is not None else ""
        parts.append(f"{_precision(tuning)}: mean over the answered{wrong}")
    budget = tuning.options.budget
    if tuning.sizes is not None:
        parts.append(f"{tuning.unit}: mean size of the context")
    if budget is not None and budget.limit is not None:
        parts.append(
            f"cut where a passage no longer fits {budget.limit:,} {budget.unit}; P is then of "
            f"what fits; uncut: the mean size without cutting; too large: queries whose uncut "
            "context exceeds the budget"
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


def _held_out(tuning: Tuning) -> list[str]:
    if not tuning.held_out:
        return []
    measure, done = next(iter(tuning.held_out.items()))
    interval = done.interval
    around = (
        "interval not estimable"
        if math.isnan(interval.low)
        else f"approximately {interval.low:.3f} to {interval.high:.3f}"
    )
    answered = measure == tuning.precision and tuning.cuts.by != "k"
    text = (
        f"Held-out {measure}{' of the answered' if answered else ''}: {number(done.held_out)} "
        f"({around}), the mean of the procedure on queries it did not choose on ({done.folds} "
        f"folds, {done.repeats} repeats); {number(done.optimistic)} on those it chose on."
    )
    others = [f"{other} {number(one.held_out)}" for other, one in list(tuning.held_out.items())[1:]]
    also = f" With it {', '.join(others)}." if others else ""
    return [f"{text}{also} Chosen: {_chosen(tuning, done)}."]


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


def _answered(tuning: Tuning) -> list[str]:
    kept, at = tuning.kept, tuning.setting
    if tuning.cuts.by == "k" or at is None:
        return []
    return [
        f"Passages per query at {tuning.cuts.label(at)}: fewest {kept.lowest[at]:.0f}, quartiles "
        f"{kept.lower[at]:.0f}, {kept.median[at]:.0f} and {kept.upper[at]:.0f}, most "
        f"{kept.highest[at]:.0f}."
    ]


def _value(band: Band, at: int) -> str:
    low, high = float(band.low[at]), float(band.high[at])
    around = "-" if math.isnan(low) else f"{low:.3f} {high:.3f}"
    return f"{number(float(band.mean[at]))} [{around}]"


def _signed(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:+.3f}"
