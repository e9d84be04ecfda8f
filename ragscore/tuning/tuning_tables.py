"""A tuning as elements: what to do, tables of settings, and what the rule gains on other queries.

The command, a notebook and the report show the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ragscore.elements import Cell, Column, Element, Lines, Paragraph, Section, Table
from ragscore.elements.cells import (
    name_cell,
    number_cell,
    retriever_column,
    share_cell,
    signed_cell,
    text_cell,
)
from ragscore.elements.numbers import count_text, number_text, plain_number
from ragscore.messages import Text, _, counted, joined
from ragscore.scoring.score_tables import measure_column
from ragscore.stats.cross_validation import CrossValidated
from ragscore.tuning.options import UNITS
from ragscore.tuning.sentence import sentence
from ragscore.tuning.setting_columns import (
    SettingColumns,
    band_cell,
    cells_at,
    context_columns,
    cut_columns,
    measure_columns,
    measure_label,
)
from ragscore.tuning.tuned_run import TunedRun

MAX_CHOICES = 5
"""Settings that are named with how often they were chosen."""
MAX_SIZES = 10
"""Rows of the table of context sizes."""
RECOMMENDED = "*"
"""Marks the recommended setting."""


def tuning_elements(tunings: Sequence[TunedRun], *, brief: bool = False) -> Iterator[Element]:
    """A section for each retriever, with its sentence, tables and notes.

    Args:
        tunings: what was read off their runs.
        brief: leave out the tables that only a reader of ``ragscore tune`` asked for.
    """
    for tuning in tunings:
        yield _section(tuning, brief=brief)
    if any(tuning.state == "no rule" for tuning in tunings):
        yield Paragraph(
            _(
                "For a recommendation, say what k is for: --rule recall --target 0.8, --rule "
                "precision --target 0.5, --rule best_f, --rule knee, or --budget 1000."
            )
        )


def _section(tuning: TunedRun, *, brief: bool) -> Section:
    title = _(
        "{retriever} on {dataset}: {queries}, {passages} recorded for each",
        retriever=tuning.retriever,
        dataset=tuning.dataset,
        queries=counted("1 query", "{count} queries", tuning.queries),
        passages=counted("1 passage", "{count} passages", tuning.depth),
    )
    elements: list[Element] = [Paragraph(sentence(tuning))]
    if tuning.state in ("no rule", "not reached"):
        elements.append(reaching_table({tuning.retriever: tuning}, named=False))
    if not brief:
        if tuning.state != "nothing fits":
            elements.append(_settings_table(tuning))
        if tuning.by_context is not None:
            elements.append(_context_table(tuning))
    lines = [*_held_out(tuning), *_answered(tuning)]
    elements += map(Paragraph, lines)
    notes = tuple(_("note: {note}", note=note) for note in tuning.remarks)
    if notes:
        elements.append(Lines(notes))
    made = Section(f"tuning-{tuning.dataset}-{tuning.retriever}", title, tuple(elements))
    if tuning.sample is None:
        return made
    caveat = tuning.sample.caveat()
    return replace(
        made, elements=(Paragraph(caveat, "warning"), *made.with_caveat(caveat).elements)
    )


def reaching_table(
    tunings: Mapping[str, TunedRun],
    *,
    id: str = "reaching",
    named: bool = True,
    notes: Sequence[Text] = (),
) -> Table:
    """Which setting reaches which recall, and what it costs.

    Args:
        tunings: by retriever, all cut by the same.
        id: of the table.
        named: whether the retrievers have a column.
        notes: under the table.
    """
    first = next(iter(tunings.values()))
    columns = {
        **cut_columns(first),
        **measure_columns(first, (first.precision, first.recall)),
        **(context_columns(first) if first.unit is not None else {}),
    }
    rows = [
        (
            *((name_cell(name),) if named else ()),
            text_cell(_("highest")) if target is None else Cell(target, plain_number(target)),
            *cells_at(columns, tuning, at),
        )
        for name, tuning in tunings.items()
        for target, at in tuning.reaching_settings()
    ]
    reaching = Column(
        "recall",
        _("Recall"),
        hint=_("The recall to reach, with the smallest k or the strictest cut that reaches it"),
    )
    return Table(
        id,
        _("Which k reaches which recall")
        if first.thresholds.by == "k"
        else _("Which cut reaches which recall"),
        (*((retriever_column(),) if named else ()), reaching, *columns),
        tuple(rows),
        tuple(notes),
    )


def _settings_table(tuning: TunedRun) -> Table:
    by_k, kept, overflow = tuning.thresholds.by == "k", tuning.passages, tuning.overflow
    (cut, cut_cell), *answered = cut_columns(tuning).items()

    def marked_cell(tuning: TunedRun, at: int) -> Cell:
        mark = RECOMMENDED if at == tuning.setting else ""
        return replace(cut_cell(tuning, at), mark=mark)

    columns: SettingColumns = {cut: marked_cell}
    if not by_k:
        columns[Column("passages", _("Passages"))] = _passages_cell
    columns |= answered
    if kept.unanswerable_answered is not None:
        wrongly = kept.unanswerable_answered.mean
        columns[Column("wrongly", _("Wrongly answered"))] = _shares(wrongly)
    columns |= measure_columns(tuning, tuning.curves)
    if tuning.marginal is not None:
        steps = (tuning.marginal.recall.mean, tuning.marginal.precision.mean)
        columns[Column("added R", _("Gain in R"))] = _differences(steps[0])
        columns[Column("added P", _("Gain in P"))] = _differences(steps[1])
    if tuning.context is not None:
        columns |= context_columns(tuning)
    if overflow is not None:
        sizes = overflow.context
        columns[Column("uncut", _("Uncut"))] = lambda _, at: number_cell(float(sizes[at]), 0)
        columns[Column("too large", _("Too large"))] = _shares(overflow.queries)
    rows = tuple(cells_at(columns, tuning, at) for at in tuning.shown())
    title = _("What each k gives") if by_k else _("What each cut gives")
    caption = joined(_caption(tuning), "; ")
    return Table("settings", title, tuple(columns), rows, (caption,))


def _shares(shares: NDArray[np.float64]) -> Callable[[TunedRun, int], Cell]:
    return lambda _, at: share_cell(float(shares[at]))


def _differences(differences: NDArray[np.float64]) -> Callable[[TunedRun, int], Cell]:
    return lambda _, at: signed_cell(float(differences[at]))


def _passages_cell(tuning: TunedRun, at: int) -> Cell:
    kept = tuning.passages
    fewest, most = (number_text(float(side[at]), 0) for side in (kept.lowest, kept.highest))
    mean = float(kept.mean[at])
    return Cell(mean, number_text(mean, 1), interval=f"({fewest}-{most})")


def _caption(tuning: TunedRun) -> Iterator[Text]:
    """What the marks and columns of the table of settings mean."""
    by_k, wrongly = tuning.thresholds.by == "k", tuning.passages.unanswerable_answered is not None
    if tuning.setting is not None:
        yield _("{mark} recommended", mark=RECOMMENDED)
    yield (
        _("[ ] 95 % interval of the mean, for each k alone")
        if by_k
        else _("[ ] 95 % interval of the mean, for each cut alone")
    )
    if not by_k:
        yield _("passages: mean (fewest-most)")
        yield _("answered: queries that get a passage")
        if wrongly:
            yield _(
                "wrongly answered: unanswerable queries (of {n}) that get a passage",
                n=count_text(tuning.passages.unanswerable),
            )
        label = measure_label(tuning, tuning.precision)
        yield (
            _("{label}: mean over the answered queries; unanswerable ones count as 0", label=label)
            if wrongly
            else _("{label}: mean over the answered queries", label=label)
        )
    if tuning.context is not None:
        yield _("context: mean size")
    budget = tuning.options.budget
    if budget is not None and budget.limit is not None:
        yield _(
            "contexts end before the first passage that does not fit into {limit} {unit}, and P "
            "counts what fits; uncut: mean size without this limit; too large: queries whose "
            "uncut context exceeds it",
            limit=count_text(budget.limit),
            unit=UNITS[budget.unit],
        )


def _context_table(tuning: TunedRun) -> Table:
    """P and R of what fits contexts of several sizes, up to that which holds all passages."""
    context = tuning.by_context
    assert context is not None
    full = int((context.passages < context.passages[-1]).sum())
    wanted = list(range(min(full + 1, len(context.limits))))
    step = math.ceil(len(wanted) / MAX_SIZES)
    limit = tuning.options.budget.limit if tuning.options.budget is not None else None
    shown = {at for at in wanted if (len(wanted) - 1 - at) % step == 0}
    shown |= {at for at, size in enumerate(context.limits.tolist()) if size == limit}
    bands = {tuning.precision: context.precision, tuning.recall: context.recall}
    columns = (
        Column("limit", _("Limit, {unit}", unit=UNITS[tuning.unit or "words"])),
        Column("passages", _("Passages")),
        *(measure_column(measure, str(measure)) for measure in bands),
    )
    rows = tuple(
        (
            Cell(int(context.limits[at]), count_text(int(context.limits[at]))),
            number_cell(float(context.passages[at]), 1),
            *(band_cell(band, at) for band in bands.values()),
        )
        for at in sorted(shown)
    )
    return Table("contexts", _("What fits into a context"), columns, rows)


def _held_out(tuning: TunedRun) -> Iterator[Text]:
    """What the rule is worth on queries that it did not choose on."""
    if not tuning.held_out:
        return
    (measure, found), *others = tuning.held_out.items()
    low, high = found.interval.low, found.interval.high
    yield _(
        "Held-out {measure}: {value} ({interval}), the mean on queries that were not used to "
        "choose ({folds} folds, {repeats} repeats); on the queries that were used, "
        "{in_sample}.{others} Chosen in {total} folds: {chosen}.",
        measure=measure_label(tuning, measure),
        value=number_text(found.mean),
        interval=_("interval not estimable")
        if math.isnan(low)
        else _("approximately {low} to {high}", low=number_text(low), high=number_text(high)),
        folds=found.folds,
        repeats=found.repeats,
        in_sample=number_text(found.in_sample),
        others=_(
            " Other held-out means: {others}.",
            others=", ".join(f"{other} {number_text(done.mean)}" for other, done in others),
        )
        if others
        else "",
        total=found.folds * found.repeats,
        chosen=_chosen(tuning, found),
    )


def _chosen(tuning: TunedRun, found: CrossValidated) -> Text:
    often = sorted(
        ((int(count), at) for at, count in enumerate(found.times) if count),
        key=lambda pair: (-pair[0], pair[1]),
    )
    named = [
        _("{cut} in {count}", cut=tuning.thresholds.label(at), count=count)
        for count, at in often[:MAX_CHOICES]
    ]
    rest = sum(count for count, at in often[MAX_CHOICES:])
    others = [_("others in {count}", count=rest)] if rest else []
    return joined([*named, *others], ", ")


def _answered(tuning: TunedRun) -> Iterator[Text]:
    """How many passages the queries get at the recommended score cut."""
    kept, at = tuning.passages, tuning.setting
    if tuning.thresholds.by == "k" or at is None:
        return
    yield _(
        "Passages per query at {cut}: minimum {lowest}, quartiles {lower}, {median} and "
        "{upper}, maximum {highest}.",
        cut=tuning.thresholds.label(at),
        lowest=number_text(float(kept.lowest[at]), 0),
        lower=number_text(float(kept.lower_quartile[at]), 0),
        median=number_text(float(kept.median[at]), 0),
        upper=number_text(float(kept.upper_quartile[at]), 0),
        highest=number_text(float(kept.highest[at]), 0),
    )
