"""Tables of a comparison: differences on a measure, all pairs, the margin, overlap.

The report and the commands print these same tables. Each takes the texts of
``comparison.table_strings`` in the reader's language.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ragscore.blocks import Block, Cell, Column, Paragraph, Table
from ragscore.blocks.cells import (
    count_cell,
    interval_words,
    mean_cell,
    name_cell,
    nothing,
    number_cell,
    p_cell,
    record_column,
    retriever_column,
    signed_cell,
    text_cell,
    yes_cell,
)
from ragscore.blocks.numbers import (
    BELOW_MARGIN,
    DECIDED,
    DISAGREES,
    count_text,
    plain_number,
)
from ragscore.comparison.cells import (
    brief_cells,
    compared_cell,
    compared_record,
    correction_name,
    decided_mark,
    family_name,
    withheld_text,
)
from ragscore.comparison.model import (
    DatasetComparison,
    Difference,
    MeanWithInterval,
    MeasureComparison,
    PairDifference,
)
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.overlap import Overlap
from ragscore.measures import parse_measure
from ragscore.scoring.score_tables import measure_column as scored_column
from ragscore.strings import Strings


def measure_column(measure: str, strings: Strings, *, interval: bool = True) -> Column:
    """Means of a measure.

    Args:
        measure: as it parses.
        strings: of the reader's language.
        interval: whether the cells have intervals.
    """
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
    """What stands over corrected p-values."""
    if options.correction == "none":
        return strings("column_p_raw")
    return strings("column_p", correction=correction_name(options, strings))


def brief_columns(
    comparison: DatasetComparison, measure: str, options: CompareOptions, strings: Strings
) -> tuple[Column, ...]:
    """The columns of :func:`~ragscore.comparison.cells.brief_cells`."""
    family = family_name(comparison.family, strings.language)
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
            hint=strings(f"hint_p{_raw(options)}", baseline=comparison.baseline, family=family),
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
    family = family_name(comparison.family, strings.language)
    kind = _raw(options) if comparison.family.m > 1 else "_one"
    yield strings(f"note_decided{kind}", mark=DECIDED, family=family)
    yield from _margin_mark(differences, strings)
    outside = (one for one in differences if math.isnan(one.p_adjusted))
    if not all(comparison.same(one.retriever, one.baseline) for one in outside):
        yield strings("note_outside_family", family=family)


def _margin_mark(differences: Iterable[Difference], strings: Strings) -> Iterator[str]:
    margin = next((one.margin for one in differences if one.below_margin), None)
    if margin is not None:
        yield strings("note_below_margin", mark=BELOW_MARGIN, margin=plain_number(margin))


def _raw(options: CompareOptions) -> str:
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
    kind = strings("primary" if measure.primary else "secondary")
    difference, record, corrected = brief_columns(comparison, measure.measure, options, strings)
    columns = (
        retriever_column(strings),
        replace(measure_column(measure.measure, strings), label=strings("column_mean")),
        replace(difference, label=strings("column_minus", baseline=baseline)),
        Column("p", "p", better="low"),
        corrected,
        record,
        Column("d_z", "d_z", hint=strings("hint_d_z"), better="high"),
        Column("detectable", strings("column_detects"), hint=strings("hint_detectable")),
    )
    against = {one.retriever: one for one in measure.differences}
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
    title = strings("measure_title", label=difference_label(measure.measure), kind=kind)
    notes = tuple(_under(measure, comparison, options, strings))
    return Table(f"differences-{measure.measure}", title, columns, tuple(rows), notes)


def _mean(mean: MeanWithInterval, strings: Strings) -> Cell:
    return mean_cell(mean.value, mean.interval, strings, retriever=mean.retriever)


def _difference_cells(difference: Difference, strings: Strings) -> Iterator[Cell]:
    shown, record, corrected = brief_cells(difference, strings)
    yield shown
    yield p_cell(difference.test.p)
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
        one for one in measure.differences if not comparison.same(one.retriever, one.baseline)
    ]
    noted = [(one.retriever, one.interval.note) for one in differences]
    yield from _noted("note_differences", noted, strings)
    for one in differences:
        if one.disagrees:
            yield _disagreement(one, strings)
    yield from (str(strings.say(note)) for note in measure.notes)


def _noted(key: str, notes: Iterable[tuple[str, str]], strings: Strings) -> Iterator[str]:
    """A line for each note, with the names of all that it is said of."""
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
        many = "comparison_one" if difference.m == 1 else "comparisons"
        comparisons = (
            strings(many) if difference.m == 1 else strings(many, m=count_text(difference.m))
        )
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
            name_cell(one.baseline),
            replace(compared_cell(one, strings), mark=""),
            p_cell(one.test.p),
            p_cell(one.p_adjusted),
            compared_record(one),
        )
        for one in leader
    )
    label = difference_label(comparison.primary)
    title = strings("leader_title", leader=leader[0].retriever, label=label)
    notes = (strings(f"note_leader{_raw(options)}", m=count_text(leader[0].m)),)
    yield Table("leader", title, columns, rows, notes)


def pairs_table(
    measure: str,
    pairs: Sequence[Difference],
    tukey: Sequence[PairDifference],
    comparison: DatasetComparison,
    options: CompareOptions,
    strings: Strings,
    *,
    id: str = "pairs",
) -> Iterator[Table]:
    """Each pair of retrievers on one measure; none where there is no pair.

    Args:
        measure: as it parses.
        pairs: the differences; may be empty where ``tukey`` is not.
        tukey: the pairs by randomized Tukey HSD; empty where that was not asked for.
        comparison: for the family that marks come from.
        options: how all was compared.
        strings: of the reader's language.
        id: of the table.
    """
    tukey = [pair for pair in tukey if pair.measure == measure]
    by_tukey = {(pair.first, pair.second): pair.p for pair in tukey}
    marked = comparison.family.baseline is None
    columns = [
        Column("pair", strings("column_pair"), "text"),
        Column(
            "difference",
            strings("column_pair_difference"),
            interval=bool(pairs),
            better="high",
        ),
    ]
    if pairs:
        columns.append(Column("p", "p", better="low"))
        columns.append(Column("p corrected", p_label(options, strings), better="low"))
    if by_tukey:
        columns.append(Column("p Tukey", strings("column_p_tukey"), better="low"))
    columns += [record_column(strings)] if pairs else []
    columns.append(Column("queries", strings("column_queries")))
    rows: list[tuple[Cell, ...]] = []
    for one in pairs:
        cell = compared_cell(one, strings)
        row = [
            text_cell(f"{one.retriever} - {one.baseline}"),
            cell if marked else replace(cell, mark=""),
            p_cell(one.test.p),
            p_cell(one.p_adjusted),
        ]
        if by_tukey:
            row.append(p_cell(by_tukey.get((one.retriever, one.baseline))))
        rows.append((*row, compared_record(one), count_cell(one.n)))
    for pair in () if pairs else tukey:
        name = text_cell(f"{pair.first} - {pair.second}")
        rows.append((name, signed_cell(pair.value), p_cell(pair.p), count_cell(pair.n)))
    notes = list(_pair_notes(pairs, comparison, options, strings)) if pairs else []
    if by_tukey:
        permutations = count_text(options.permutations)
        notes.append(strings("note_pairs_tukey", permutations=permutations))
    if rows:
        title = strings("pairs_title", label=difference_label(measure))
        yield Table(id, title, tuple(columns), tuple(rows), tuple(notes))


def _pair_notes(
    pairs: Sequence[Difference],
    comparison: DatasetComparison,
    options: CompareOptions,
    strings: Strings,
) -> Iterator[str]:
    family = comparison.family
    if family.baseline is not None:
        named = family_name(family, strings.language)
        facts = {"pairs": len(pairs), "baseline": family.baseline, "family": named}
        yield strings("note_pairs_unmarked", **facts)
        return
    yield strings(f"note_pairs{_raw(options)}", pairs=len(pairs), mark=DECIDED)
    yield from _margin_mark(pairs, strings)


def margin_block(
    measure: MeasureComparison, baseline: str, strings: Strings, *, id: str = "margin"
) -> Iterator[Block]:
    """Equivalence and being not worse on one measure; why not, where it has no margin.

    Args:
        measure: the differences.
        baseline: what the others are compared with.
        strings: of the reader's language.
        id: of the table.
    """
    label = difference_label(measure.measure)
    if not measure.differences:
        return
    if measure.margin is None:
        yield Paragraph(strings("no_margin", label=label), "note")
        return
    margin = plain_number(measure.margin)
    reasons = any(one.withheld for one in measure.differences)
    columns = [
        retriever_column(strings),
        Column("difference 90", strings("column_interval90"), interval=True),
        Column("equal", strings("column_inside_margin", margin=margin), "text"),
        Column("p TOST", strings("column_p_tost"), better="low"),
        Column("bound 95", strings("column_bound95"), better="high"),
        Column("not worse", strings("column_not_worse"), "text"),
        Column("p not worse", strings("column_p_not_worse"), better="low"),
        Column("queries needed", strings("column_needed", margin=margin), better="low"),
    ]
    if reasons:
        columns.append(Column("withheld", strings("column_withheld"), "text"))
    rows = tuple(_margin_row(one, strings, reasons=reasons) for one in measure.differences)
    title = strings("margin_title", margin=margin, label=label, baseline=baseline)
    notes = (strings("note_margin", margin=margin),)
    yield Table(id, title, tuple(columns), rows, notes)


def _margin_row(one: Difference, strings: Strings, *, reasons: bool) -> tuple[Cell, ...]:
    """What the margin says of one difference, and where that is nothing, why."""
    found, unknown = one.equivalence, strings("not_estimable")
    needed = nothing(unknown) if one.needed is None else count_cell(one.needed)
    why = (text_cell(withheld_text(one, strings.language)),) if reasons else ()
    value = signed_cell(one.value)
    if found is None:
        not_shown = yes_cell(False, strings)
        cells = (not_shown, nothing(), nothing(unknown), not_shown, nothing())
        return (name_cell(one.retriever), replace(value, interval=unknown), *cells, needed, *why)
    interval = found.interval90
    known = not math.isnan(interval.low)
    return (
        name_cell(one.retriever),
        replace(
            value,
            low=interval.low if known else None,
            high=interval.high if known else None,
            interval=interval_words(interval, strings, sign=True),
        ),
        yes_cell(found.equivalent, strings),
        p_cell(found.p_tost),
        signed_cell(found.bound95),
        yes_cell(found.non_inferior, strings),
        p_cell(found.p_non_inferior),
        needed,
        *why,
    )


def overlap_table(
    pairs: Sequence[Overlap], measure: str, strings: Strings, *, id: str = "overlap"
) -> Table:
    """What pairs of runs find together.

    Args:
        pairs: one or more.
        measure: for the best of both, as it parses.
        strings: of the reader's language.
        id: of the table.
    """
    k, p = pairs[0].k, pairs[0].p
    label = parse_measure(measure).label
    columns = (
        Column("pair", strings("column_pair"), "text"),
        Column("R first", strings("column_r_first", k=k), better="high"),
        Column("R second", strings("column_r_second", k=k), better="high"),
        Column("R union", strings("column_r_union", k=k), better="high"),
        Column("best of", strings("column_best_of", label=label), better="high"),
        Column("RBO", f"RBO({plain_number(p)})", hint=strings("hint_rbo")),
        Column("Jaccard", f"Jaccard@{k}", hint=strings("hint_jaccard", k=k)),
    )
    rows = []
    for pair in pairs:
        best = next((best.oracle for best in pair.best_of if best.measure == measure), None)
        recalls = (pair.recall_first, pair.recall_second, pair.union_recall)
        numbers = (*recalls, best, pair.rbo, pair.jaccard)
        rows.append((text_cell(f"{pair.first} + {pair.second}"), *map(number_cell, numbers)))
    return Table(id, strings("overlap_title"), columns, tuple(rows))


def overlap_note(pairs: Sequence[Overlap], strings: Strings) -> Paragraph:
    """What union and best of both mean."""
    k = pairs[0].k
    return Paragraph(strings("overlap_says", k=k, twice=2 * k), "note")
