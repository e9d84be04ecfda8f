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
from ragscore.comparison.document import DatasetComparison
from ragscore.comparison.measure_tables import (
    difference_label,
    margin_mark,
    one_comparison_note,
    p_label,
)
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.overlap import Overlap
from ragscore.comparison.record import Difference, MeasureComparison
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
from ragscore.elements.numbers import DECIDED, plain_number
from ragscore.measures import parse_measure
from ragscore.messages import Text, _


def pairs_table(
    measure: str,
    pairs: Sequence[Difference],
    comparison: DatasetComparison,
    options: CompareOptions,
    *,
    id: str = "pairs",
) -> Iterator[Table]:
    """Each pair of retrievers on one measure; none where there is no pair.

    Args:
        pairs: the differences, corrected over all pairs.
        comparison: for the family that marks come from.
        measure, options, id: as in :mod:`ragscore.comparison.measure_tables`.
    """
    if not pairs:
        return
    marked = comparison.family.m == len(pairs)
    columns = [
        Column("pair", _("Pair"), "text"),
        Column("difference", _("First minus second"), interval=True, better="high"),
        Column("p", "p", better="low"),
        Column("p corrected", p_label(options), better="low"),
    ]
    columns += [record_column(), Column("queries", _("Queries"))]
    rows = []
    for pair in pairs:
        cell = compared_cell(pair)
        p: list[tuple[float | None, bool]] = [
            (pair.test.p, pair.test.at_floor),
            (pair.p_adjusted, pair.test.at_floor),
        ]
        rows.append(
            (
                text_cell(f"{pair.retriever} - {pair.baseline}"),
                cell if marked else replace(cell, mark=""),
                *(p_cell(of, floor=floor) for of, floor in p),
                compared_record(pair),
                count_cell(pair.n),
            )
        )
    notes = list(_pair_notes(pairs, comparison, options))
    title = _("All pairs on {label}", label=difference_label(measure))
    yield Table(id, title, tuple(columns), tuple(rows), tuple(notes))


def _pair_notes(
    pairs: Sequence[Difference], comparison: DatasetComparison, options: CompareOptions
) -> Iterator[Text]:
    family = comparison.family
    if family.m < len(pairs):
        yield _(
            "Corrected over these {pairs} pairs. No marks here: the experiment "
            "compares with {baseline}, and marks are those of {family}.",
            pairs=len(pairs),
            baseline=family.baseline,
            family=family_name(family),
        )
        return
    if len(pairs) == 1:
        yield one_comparison_note()
    elif options.correction == "none":
        yield _(
            "Not corrected for the number of pairs ({pairs}). {mark} decided: p below .05, and the "
            "interval excludes 0.",
            pairs=len(pairs),
            mark=DECIDED,
        )
    else:
        yield _(
            "Corrected over these {pairs} pairs. {mark} decided: corrected p below .05, and the "
            "interval excludes 0.",
            pairs=len(pairs),
            mark=DECIDED,
        )
    yield from margin_mark(pairs)


def margin_element(
    measure: MeasureComparison, baseline: str, *, id: str = "margin"
) -> Iterator[Element]:
    """Equivalence and being not worse on one measure, compared with a baseline; why not, where it
    has no margin."""
    label = difference_label(measure.measure)
    if not measure.differences:
        return
    if measure.margin is None:
        yield Paragraph(
            _(
                "{label} does not lie between 0 and 1, so no margin is assumed, and "
                'equality, "not worse" and the queries needed are left out. Give a '
                "margin in its own units to see these.",
                label=label,
            ),
            "note",
        )
        return
    margin = plain_number(measure.margin)
    reasons = any(difference.withheld for difference in measure.differences)
    columns = [
        retriever_column(),
        Column("difference 90", _("Difference, 90 % interval"), interval=True),
        Column("equal", _("Inside ±{margin}", margin=margin), "text"),
        Column("p TOST", _("p (TOST)"), better="low"),
        Column("bound 95", _("95 % bound"), better="high"),
        Column("not worse", _("Not worse"), "text"),
        Column("p not worse", _("p (not worse)"), better="low"),
        Column(
            "queries needed", _("Queries for {margin}, 80 % power", margin=margin), better="low"
        ),
    ]
    if reasons:
        columns.append(Column("withheld", _("Reason"), "text"))
    rows = tuple(_margin_row(difference, reasons=reasons) for difference in measure.differences)
    title = _(
        "Margin {margin} on {label}, against {baseline}",
        margin=margin,
        label=label,
        baseline=baseline,
    )
    notes = (
        _(
            "Two one-sided tests at .05, not corrected. Equality (TOST) is decided by the 90 % "
            "interval, not being worse by {margin} or more by the lower one-sided bound. Queries "
            "for 80 % power: with this many queries like these, 4 of 5 such experiments detect a "
            "true difference of {margin}; smaller differences are mostly missed.",
            margin=margin,
        ),
    )
    yield Table(id, title, tuple(columns), rows, notes)


def _margin_row(difference: Difference, *, reasons: bool) -> tuple[Cell, ...]:
    """What the margin says about one difference, or why it says nothing."""
    found, unknown = difference.equivalence, _("not estimable")
    needed = nothing(unknown) if difference.needed is None else count_cell(difference.needed)
    why = (text_cell(withheld_text(difference)),) if reasons else ()
    name, value = name_cell(difference.retriever), signed_cell(difference.value)
    if found is None:
        not_decided = yes_cell(False)
        cells = (not_decided, nothing(), nothing(unknown), not_decided, nothing())
        return (name, replace(value, interval=unknown), *cells, needed, *why)
    interval = found.interval90
    return (
        name,
        replace(
            value,
            low=interval.low if interval.estimable else None,
            high=interval.high if interval.estimable else None,
            interval=interval_words(interval, sign=True),
        ),
        yes_cell(found.equivalent),
        p_cell(found.p_tost),
        signed_cell(found.bound95),
        yes_cell(found.non_inferior),
        p_cell(found.p_non_inferior),
        needed,
        *why,
    )


def overlap_table(pairs: Sequence[Overlap], measure: str, *, id: str = "overlap") -> Table:
    """What pairs of runs find together; ``measure`` is that of the best of both."""
    k, p = pairs[0].k, pairs[0].p
    label = parse_measure(measure).label
    columns = (
        Column("pair", _("Pair"), "text"),
        Column("R first", _("R@{k} first", k=k), better="high"),
        Column("R second", _("R@{k} second", k=k), better="high"),
        Column("R union", _("R@{k} union", k=k), better="high"),
        Column("best of", _("Best of both, {label}", label=label), better="high"),
        Column(
            "RBO",
            f"RBO({plain_number(p)})",
            hint=_("How similar the rankings are, weighted towards the top; 1 if they are equal"),
        ),
        Column(
            "Jaccard",
            f"Jaccard@{k}",
            hint=_("Share of the {ranked_items} in either top {k} that are in both", k=k),
        ),
    )
    rows = []
    for pair in pairs:
        best = next((best.oracle for best in pair.best_of if best.measure == measure), None)
        recalls = (pair.recall_first, pair.recall_second, pair.union_recall)
        numbers = (*recalls, best, pair.rbo, pair.jaccard)
        rows.append((text_cell(f"{pair.first} + {pair.second}"), *map(number_cell, numbers)))
    return Table(id, _("What pairs find together"), columns, tuple(rows))


def overlap_note(pairs: Sequence[Overlap]) -> Paragraph:
    """What union and best of both mean."""
    k = pairs[0].k
    return Paragraph(
        _(
            "Union: the two top {k} together, up to {twice} {ranked_items}. Best of "
            "both: the better value for each query, which no system knows in "
            "advance. Where both are far above the single retrievers, fusing them "
            "may pay off. RBO: rank-biased overlap, 1 for equal rankings.",
            k=k,
            twice=2 * k,
        ),
        "note",
    )
