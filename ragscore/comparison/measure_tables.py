"""Tables of a comparison: means and differences on a measure, the best against each other.

The report and the commands print these same tables. In all of them, and in those of pairs and
slices, ``measure`` is a measure as it parses, ``options`` say how all was compared, ``strings`` are
the texts in the reader's language, and ``id`` names the table.
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
from ragscore.comparison.model import (
    DatasetComparison,
    Difference,
    MeanWithInterval,
    MeasureComparison,
)
from ragscore.comparison.options import CompareOptions
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
from ragscore.scoring.score_tables import measure_column as scored_column
from ragscore.strings import Strings


def measure_column(measure: str, strings: Strings, *, interval: bool = True) -> Column:
    """Means of a measure; ``interval``: whether the cells have intervals."""
    parsed = parse_measure(measure)
    lower = parsed.lowest_is_best
    label = strings("lower_is_better", label=parsed.label) if lower else parsed.label
    return scored_column(parsed, label, strings.language, interval=interval)


def difference_label(measure: str) -> str:
    """What differences of a measure are differences of: its label, of a geometric mean ``ln`` of
    it.

    >>> difference_label("AP@10"), difference_label("GMAP")
    ('mAP@10', 'ln gmAP')
    """
    parsed = parse_measure(measure)
    return f"ln {parsed.label}" if parsed.aggregate == "geometric mean" else parsed.label


def p_label(options: CompareOptions, strings: Strings) -> str:
    """The header of corrected p-values."""
    if options.correction == "none":
        return strings("column_p_raw")
    return strings("column_p", correction=correction_name(options, strings))


def brief_columns(
    comparison: DatasetComparison, measure: str, options: CompareOptions, strings: Strings
) -> tuple[Column, ...]:
    """The columns of :func:`~ragscore.comparison.difference_cells.brief_cells`."""
    family = family_name(comparison.family, strings)
    facts = {"label": difference_label(measure), "baseline": comparison.baseline}
    return (
        Column(
            "difference",
            strings("column_difference"),
            hint=strings("hint_difference", **facts),
            interval=True,
            better="high",
        ),
        record_column(strings),
        Column(
            "p corrected",
            p_label(options, strings),
            hint=strings(
                f"hint_p{correction_suffix(options)}", baseline=comparison.baseline, family=family
            ),
            better="low",
        ),
    )


def mark_notes(
    comparison: DatasetComparison,
    differences: Sequence[Difference],
    options: CompareOptions,
    strings: Strings,
) -> Iterator[str]:
    """What the marks of differences mean, and which comparisons they are corrected over."""
    family = family_name(comparison.family, strings)
    kind = correction_suffix(options) if comparison.family.m > 1 else "_one"
    yield strings(f"note_decided{kind}", mark=DECIDED, family=family)
    yield from margin_mark(differences, strings)
    outside = (pair for pair in differences if math.isnan(pair.p_adjusted))
    if not all(comparison.same(pair.retriever, pair.baseline) for pair in outside):
        yield strings("note_outside_family", family=family)


def margin_mark(differences: Iterable[Difference], strings: Strings) -> Iterator[str]:
    """What the mark of differences below the margin means, where one has it."""
    margin = next((pair.margin for pair in differences if pair.below_margin), None)
    if margin is not None:
        yield strings("note_below_margin", mark=BELOW_MARGIN, margin=plain_number(margin))


def correction_suffix(options: CompareOptions) -> str:
    """What the keys of texts on p-values that are not corrected end with."""
    return "_raw" if options.correction == "none" else ""


def measure_table(
    measure: MeasureComparison,
    comparison: DatasetComparison,
    options: CompareOptions,
    strings: Strings,
) -> Table:
    """Means of all retrievers and their differences to the baseline on one measure."""
    baseline = comparison.baseline
    kind = "primary" if measure.primary else "secondary"
    in_context = comparison.in_context
    if measure.primary and in_context is not None and measure is not in_context:
        kind = "equal_k"
    read = comparison.primary if measure is comparison.in_context else measure.measure
    difference, record, corrected = brief_columns(comparison, read, options, strings)
    columns = (
        retriever_column(strings),
        replace(measure_column(read, strings), label=strings("column_mean")),
        replace(difference, label=strings("column_minus", baseline=baseline)),
        Column("p", "p", better="low"),
        corrected,
        record,
        Column("d_z", "d_z", hint=strings("hint_d_z"), better="high"),
        Column("detectable", strings("column_detects"), hint=strings("hint_detectable")),
    )
    against = {pair.retriever: pair for pair in measure.differences}
    rows = []
    for name in comparison.retrievers:
        row = [name_cell(name), _mean(measure.means[name], strings)]
        if comparison.same(name, baseline):
            row += [nothing(strings("same_as", baseline=baseline)), *(nothing(""),) * 5]
        elif name in against:
            row += _difference_cells(against[name], strings)
        else:
            shown = nothing(strings("baseline")) if name == baseline else nothing()
            row += [shown, *(nothing(""),) * 5]
        rows.append(tuple(row))
    label, id = difference_label(read), f"differences-{read}"
    if measure is comparison.in_context:
        label, id = str(strings.say(measure.label)), "differences-in-context"
    title = strings("measure_title", label=label, kind=strings(kind))
    notes = tuple(_under(measure, comparison, options, strings))
    return Table(id, title, columns, tuple(rows), notes)


def _mean(mean: MeanWithInterval, strings: Strings) -> Cell:
    return mean_cell(mean.value, mean.interval, strings, retriever=mean.retriever)


def _difference_cells(difference: Difference, strings: Strings) -> Iterator[Cell]:
    shown, record, corrected = brief_cells(difference, strings)
    yield shown
    yield p_cell(difference.test.p, floor=difference.test.at_floor)
    yield replace(corrected, mark=DISAGREES if difference.disagrees else "")
    yield record
    yield signed_cell(difference.effect, 2)
    detectable = difference.detectable
    yield nothing(strings("not_estimable")) if detectable is None else number_cell(detectable)


def _under(
    measure: MeasureComparison,
    comparison: DatasetComparison,
    options: CompareOptions,
    strings: Strings,
) -> Iterator[str]:
    """What the table of a measure must not be read without."""
    if measure.primary or any(map(decided_mark, measure.differences)):
        yield from mark_notes(comparison, measure.differences, options, strings)
    if measure.lower_is_better:
        yield strings("note_lower")
    means = [(name, mean.interval.note) for name, mean in measure.means.items()]
    yield from _noted("note_means", means, strings)
    differences = [
        pair for pair in measure.differences if not comparison.same(pair.retriever, pair.baseline)
    ]
    noted = [(pair.retriever, pair.interval.note) for pair in differences]
    yield from _noted("note_differences", noted, strings)
    for pair in differences:
        if pair.disagrees:
            yield _disagreement(pair, strings)
    yield from (str(strings.say(note)) for note in measure.notes)


def _noted(key: str, notes: Iterable[tuple[str, str]], strings: Strings) -> Iterator[str]:
    """A line for each note, with the names that it is about."""
    named: dict[str, list[str]] = {}
    for name, note in notes:
        if note:
            named.setdefault(str(strings.say(note)), []).append(name)
    for note, names in named.items():
        yield strings(key, names=", ".join(names), note=note)


def _disagreement(difference: Difference, strings: Strings) -> str:
    """Why p-value and interval say different things."""
    interval = difference.interval
    facts = {"mark": DISAGREES, "retriever": difference.retriever}
    if difference.p_adjusted >= difference.test.p and interval.low * interval.high > 0:
        comparisons = strings.counted("comparisons", difference.m)
        return strings("note_not_corrected", comparisons=comparisons, **facts)
    return strings("note_includes_zero", **facts)


def leader_table(
    comparison: DatasetComparison, options: CompareOptions, strings: Strings
) -> Iterator[Table]:
    """The best against each other, where no other table shows it corrected over all pairs."""
    leader = comparison.leader
    if len(leader) < 2 or leader[0].retriever == comparison.baseline:
        return
    difference, record, corrected = brief_columns(comparison, comparison.primary, options, strings)
    columns = (
        Column("against", strings("column_against"), "text"),
        replace(difference, hint=""),
        Column("p", "p", better="low"),
        replace(corrected, hint=""),
        record,
    )
    rows = tuple(
        (
            name_cell(pair.baseline),
            replace(compared_cell(pair, strings), mark=""),
            p_cell(pair.test.p, floor=pair.test.at_floor),
            p_cell(pair.p_adjusted, floor=pair.test.at_floor),
            compared_record(pair),
        )
        for pair in leader
    )
    label = difference_label(comparison.primary)
    title = strings("leader_title", leader=leader[0].retriever, label=label)
    notes = (strings(f"note_leader{correction_suffix(options)}", m=count_text(leader[0].m)),)
    yield Table("leader", title, columns, rows, notes)
