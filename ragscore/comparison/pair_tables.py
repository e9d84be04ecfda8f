"""Tables of pairs of retrievers: all pairs on a measure, what the margin says, what two find
together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ragscore.comparison.difference_cells import (
    compared_cell,
    compared_record,
    family_name,
    withheld_text,
)
from ragscore.comparison.measure_tables import (
    correction_suffix,
    difference_label,
    margin_mark,
    p_label,
)
from ragscore.comparison.model import (
    DatasetComparison,
    Difference,
    MeasureComparison,
)
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.overlap import Overlap
from ragscore.elements import Cell, Column, Element, Paragraph, Table
from ragscore.elements.cells import (
    count_cell,
    interval_words,
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
from ragscore.elements.numbers import DECIDED, count_text, plain_number
from ragscore.measures import parse_measure
from ragscore.stats.resampling import at_floor
from ragscore.strings import Strings


def pairs_table(
    measure: str,
    pairs: Sequence[Difference],
    comparison: DatasetComparison,
    options: CompareOptions,
    strings: Strings,
    *,
    id: str = "pairs",
) -> Iterator[Table]:
    """Each pair of retrievers on one measure; none where there is no pair.

    Args:
        pairs: the differences, corrected over all pairs.
        comparison: for the family that marks come from.
        measure, options, strings, id: as in :mod:`ragscore.comparison.measure_tables`.
    """
    if not pairs:
        return
    tukey = any(pair.p_tukey is not None for pair in pairs)
    marked = comparison.family.m == len(pairs)
    columns = [
        Column("pair", strings("column_pair"), "text"),
        Column("difference", strings("column_pair_difference"), interval=True, better="high"),
        Column("p", "p", better="low"),
        Column("p corrected", p_label(options, strings), better="low"),
    ]
    if tukey:
        columns.append(Column("p Tukey", strings("column_p_tukey"), better="low"))
    columns += [record_column(strings), Column("queries", strings("column_queries"))]
    rows = []
    for pair in pairs:
        cell = compared_cell(pair, strings)
        p: list[tuple[float | None, bool]] = [
            (pair.test.p, pair.test.at_floor),
            (pair.p_adjusted, pair.test.at_floor),
        ]
        if tukey:
            p.append((pair.p_tukey, at_floor(pair.p_tukey or 1.0, options.permutations)))
        rows.append(
            (
                text_cell(f"{pair.retriever} - {pair.baseline}"),
                cell if marked else replace(cell, mark=""),
                *(p_cell(of, floor=floor) for of, floor in p),
                compared_record(pair),
                count_cell(pair.n),
            )
        )
    notes = list(_pair_notes(pairs, comparison, options, strings))
    if tukey:
        permutations = count_text(options.permutations)
        notes.append(strings("note_pairs_tukey", permutations=permutations))
    title = strings("pairs_title", label=difference_label(measure))
    yield Table(id, title, tuple(columns), tuple(rows), tuple(notes))


def _pair_notes(
    pairs: Sequence[Difference],
    comparison: DatasetComparison,
    options: CompareOptions,
    strings: Strings,
) -> Iterator[str]:
    family = comparison.family
    if family.m < len(pairs):
        facts = {"baseline": family.baseline, "family": family_name(family, strings)}
        yield strings("note_pairs_unmarked", pairs=len(pairs), **facts)
        return
    key = f"note_pairs{correction_suffix(options)}" if len(pairs) > 1 else "note_decided_one"
    yield strings(key, pairs=len(pairs), mark=DECIDED)
    yield from margin_mark(pairs, strings)


def margin_element(
    measure: MeasureComparison, baseline: str, strings: Strings, *, id: str = "margin"
) -> Iterator[Element]:
    """Equivalence and being not worse on one measure, compared with a baseline; why not, where it
    has no margin."""
    label = difference_label(measure.measure)
    if not measure.differences:
        return
    if measure.margin is None:
        yield Paragraph(strings("no_margin", label=label), "note")
        return
    margin = plain_number(measure.margin)
    reasons = any(difference.withheld for difference in measure.differences)
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
    rows = tuple(
        _margin_row(difference, strings, reasons=reasons) for difference in measure.differences
    )
    title = strings("margin_title", margin=margin, label=label, baseline=baseline)
    notes = (strings("note_margin", margin=margin),)
    yield Table(id, title, tuple(columns), rows, notes)


def _margin_row(difference: Difference, strings: Strings, *, reasons: bool) -> tuple[Cell, ...]:
    """What the margin says of one difference, and where that is nothing, why."""
    found, unknown = difference.equivalence, strings("not_estimable")
    needed = nothing(unknown) if difference.needed is None else count_cell(difference.needed)
    why = (text_cell(withheld_text(difference, strings)),) if reasons else ()
    name, value = name_cell(difference.retriever), signed_cell(difference.value)
    if found is None:
        not_decided = yes_cell(False, strings)
        cells = (not_decided, nothing(), nothing(unknown), not_decided, nothing())
        return (name, replace(value, interval=unknown), *cells, needed, *why)
    interval = found.interval90
    return (
        name,
        replace(
            value,
            low=interval.low if interval.estimable else None,
            high=interval.high if interval.estimable else None,
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
    """What pairs of runs find together; ``measure`` is that of the best of both."""
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
