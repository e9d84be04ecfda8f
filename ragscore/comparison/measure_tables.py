"""Tables of a comparison: means and differences on a measure, the best against every other.

The report and the commands print these same tables. In all of them, and in those of pairs and
slices, ``measure`` is a measure as it parses, ``options`` say how all was compared, and ``id``
names the table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ragscore.comparison.difference_cells import (
    brief_cells,
    compared_cell,
    compared_record,
    correction_name,
    decided_mark,
    family_name,
)
from ragscore.comparison.document import DatasetComparison
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.record import Difference, MeasureComparison
from ragscore.elements import Cell, Column, Table
from ragscore.elements.cells import (
    mean_cell,
    name_cell,
    nothing,
    number_cell,
    p_cell,
    record_column,
    retriever_column,
    signed_cell,
)
from ragscore.elements.numbers import BELOW_MARGIN, DECIDED, DISAGREES, count_text, plain_number
from ragscore.measures import parse_measure
from ragscore.messages import Message, Text, _, counted, joined
from ragscore.scoring.score_tables import measure_column as scored_column


def measure_column(measure: str, *, interval: bool = True) -> Column:
    """Means of a measure; ``interval``: whether the cells have intervals."""
    parsed = parse_measure(measure)
    lower = parsed.lowest_is_best
    label = _("{label} (lower is better)", label=parsed.label) if lower else parsed.label
    return scored_column(parsed, label, interval=interval)


def difference_label(measure: str) -> str:
    """What differences of a measure are differences of: its label, of a geometric mean ``ln`` of
    it.

    >>> difference_label("AP@10"), difference_label("GMAP")
    ('mAP@10', 'ln gmAP')
    """
    parsed = parse_measure(measure)
    return f"ln {parsed.label}" if parsed.aggregate == "geometric mean" else parsed.label


def p_label(options: CompareOptions) -> Text:
    """The header of corrected p-values."""
    if options.correction == "none":
        return _("p, not corrected")
    return _("p ({correction})", correction=correction_name(options))


def brief_columns(
    comparison: DatasetComparison, measure: str, options: CompareOptions
) -> tuple[Column, ...]:
    """The columns of :func:`~ragscore.comparison.difference_cells.brief_cells`."""
    facts = {"label": difference_label(measure), "baseline": comparison.baseline}
    hint = _("p-value of the difference to {baseline}, corrected over {family}")
    if options.correction == "none":
        hint = _("p-value of the difference to {baseline}, not corrected for {family}")
    return (
        Column(
            "difference",
            _("Difference"),
            hint=_(
                "Mean difference to {baseline} on {label}, query by query; + is better", **facts
            ),
            interval=True,
            better="high",
        ),
        record_column(),
        Column(
            "p corrected",
            p_label(options),
            hint=hint.given(baseline=comparison.baseline, family=family_name(comparison.family)),
            better="low",
        ),
    )


def mark_notes(
    comparison: DatasetComparison, differences: Sequence[Difference], options: CompareOptions
) -> Iterator[Text]:
    """What the marks of differences mean, and which comparisons they are corrected over."""
    family = family_name(comparison.family)
    if comparison.family.m <= 1:
        yield one_comparison_note()
    elif options.correction == "none":
        yield _(
            "{mark} decided among {family}: p, not corrected, below .05, and the interval excludes "
            "0.",
            mark=DECIDED,
            family=family,
        )
    else:
        yield _(
            "{mark} decided: p corrected over {family} below .05, and the interval excludes 0.",
            mark=DECIDED,
            family=family,
        )
    yield from margin_mark(differences)
    outside = (pair for pair in differences if math.isnan(pair.p_adjusted))
    if not all(comparison.same(pair.retriever, pair.baseline) for pair in outside):
        yield _(
            "Rows without a corrected p have no mark: they are not among {family}, which the "
            "experiment compares.",
            family=family,
        )


def margin_mark(differences: Iterable[Difference]) -> Iterator[Text]:
    """What the mark of differences below the margin means, where one has it."""
    margin = next((pair.margin for pair in differences if pair.below_margin), None)
    if margin is not None:
        yield _(
            "{mark} decided, and smaller than the margin of {margin}.",
            mark=BELOW_MARGIN,
            margin=plain_number(margin),
        )


def one_comparison_note() -> Message:
    """What the mark of a decided difference means if there is only one comparison."""
    return _("{mark} decided: p below .05, and the interval excludes 0.", mark=DECIDED)


def measure_table(
    measure: MeasureComparison, comparison: DatasetComparison, options: CompareOptions
) -> Table:
    """Means of all retrievers and their differences to the baseline on one measure."""
    baseline = comparison.baseline
    kind = _("primary") if measure.primary else _("secondary")
    in_context = comparison.in_context
    if measure.primary and in_context is not None and measure is not in_context:
        kind = _("at equal k")
    read = comparison.primary if measure is comparison.in_context else measure.measure
    difference, record, corrected = brief_columns(comparison, read, options)
    columns = (
        retriever_column(),
        replace(measure_column(read), label=_("Mean")),
        replace(difference, label=_("Minus {baseline}", baseline=baseline)),
        Column("p", "p", better="low"),
        corrected,
        record,
        Column(
            "d_z",
            "d_z",
            hint=_("Mean difference over the standard deviation of the differences"),
            better="high",
        ),
        Column(
            "detectable",
            _("Detectable"),
            hint=_("The smallest true difference that this many queries detect with 80 % power"),
        ),
    )
    against = {pair.retriever: pair for pair in measure.differences}
    rows = []
    for name in comparison.retrievers:
        mean = measure.means[name]
        row = [name_cell(name), mean_cell(mean.value, mean, retriever=name)]
        if comparison.same(name, baseline):
            row += [nothing(_("same as {baseline}", baseline=baseline)), *(nothing(""),) * 5]
        elif name in against:
            row += _difference_cells(against[name])
        else:
            shown = nothing(_("baseline")) if name == baseline else nothing()
            row += [shown, *(nothing(""),) * 5]
        rows.append(tuple(row))
    label: Text = difference_label(read)
    id = f"differences-{read}"
    if measure is comparison.in_context:
        label, id = measure.label, "differences-in-context"
    title = _("{label} ({kind}; intervals 95 %, not adjusted)", label=label, kind=kind)
    notes = tuple(_under(measure, comparison, options))
    return Table(id, title, columns, tuple(rows), notes)


def _difference_cells(difference: Difference) -> Iterator[Cell]:
    shown, record, corrected = brief_cells(difference)
    yield shown
    yield p_cell(difference.test.p, floor=difference.test.at_floor)
    yield replace(corrected, mark=DISAGREES if difference.disagrees else "")
    yield record
    yield signed_cell(difference.effect, 2)
    detectable = difference.detectable
    yield nothing(_("not estimable")) if detectable is None else number_cell(detectable)


def _under(
    measure: MeasureComparison, comparison: DatasetComparison, options: CompareOptions
) -> Iterator[Text]:
    """The notes under the table of a measure."""
    if measure.primary or any(map(decided_mark, measure.differences)):
        yield from mark_notes(comparison, measure.differences, options)
    if measure.lower_is_better:
        yield _("Lower is better; the differences are signed so that + is better.")
    means = [(name, mean.note) for name, mean in measure.means.items()]
    yield from _noted(_("mean of {names}: {note}"), means)
    differences = [
        pair for pair in measure.differences if not comparison.same(pair.retriever, pair.baseline)
    ]
    noted = [(pair.retriever, pair.interval.note) for pair in differences]
    yield from _noted(_("difference of {names}: {note}"), noted)
    for pair in differences:
        if pair.disagrees:
            yield _disagreement(pair)
    yield from measure.notes


def _noted(line: Message, notes: Iterable[tuple[Text, Text]]) -> Iterator[Text]:
    """A line for each note, with the names that it is about."""
    named: dict[Text, list[Text]] = {}
    for name, note in notes:
        if note:
            named.setdefault(note, []).append(name)
    for note, names in named.items():
        yield line.given(names=joined(names, ", "), note=note)


def _disagreement(difference: Difference) -> Text:
    """Why p-value and interval say different things."""
    interval = difference.interval
    facts = {"mark": DISAGREES, "retriever": difference.retriever}
    if difference.p_adjusted >= difference.test.p and interval.low * interval.high > 0:
        comparisons = counted("1 comparison", "{count} comparisons", difference.m)
        return _(
            "{mark} {retriever}: the interval excludes 0; not decided after "
            "correction for {comparisons}",
            comparisons=comparisons,
            **facts,
        )
    return _("{mark} {retriever}: the interval includes 0, so nothing is decided", **facts)


def leader_table(comparison: DatasetComparison, options: CompareOptions) -> Iterator[Table]:
    """The best against every other, if no other table shows it corrected over all pairs."""
    leader = comparison.leader
    if len(leader) < 2 or leader[0].retriever == comparison.baseline:
        return
    difference, record, corrected = brief_columns(comparison, comparison.primary, options)
    columns = (
        Column("against", _("Against"), "text"),
        replace(difference, hint=""),
        Column("p", "p", better="low"),
        replace(corrected, hint=""),
        record,
    )
    rows = tuple(
        (
            name_cell(pair.baseline),
            replace(compared_cell(pair), mark=""),
            p_cell(pair.test.p, floor=pair.test.at_floor),
            p_cell(pair.p_adjusted, floor=pair.test.at_floor),
            compared_record(pair),
        )
        for pair in leader
    )
    label = difference_label(comparison.primary)
    title = _(
        "{leader}, which has the best mean on {label}, against every other retriever",
        leader=leader[0].retriever,
        label=label,
    )
    note = _("Corrected over all {m} pairs, since the data chose the best.")
    if options.correction == "none":
        note = _("Not corrected over all {m} pairs, though the data chose the best.")
    notes = (note.given(m=count_text(leader[0].m)),)
    yield Table("leader", title, columns, rows, notes)
