"""Tables of slices: means by the values of a tag or metadata key, and where differences change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from ragscore.comparison.measure_tables import measure_column, p_label
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.record import ALPHA
from ragscore.comparison.slice_model import Gap, Slice, Slices
from ragscore.elements import Cell, Column, Element, Paragraph, Table
from ragscore.elements.cells import (
    count_cell,
    mean_cell,
    name_cell,
    p_cell,
    retriever_column,
    signed_cell,
    text_cell,
)
from ragscore.elements.numbers import count_text
from ragscore.measures import parse_measure
from ragscore.messages import Text, _, few_names

Filters = Mapping[tuple[str, str], str]
"""By key and value of a slice: the filter of a page's query explorer for it."""


def slice_table(
    of: Slices,
    measure: str | None,
    *,
    id: str,
    most: int | None = None,
    filters: Filters | None = None,
) -> Element:
    """Means by slice, of every retriever on one measure; why not, where it is not a mean.

    Args:
        of: the slices, one or more.
        measure: None for the only retriever, whose measures stand side by side.
        most: how many slices are shown, the largest; by default all.
        filters: for a page with a query explorer.
        id: as in :mod:`ragscore.comparison.measure_tables`.
    """
    shown, measures = of.slices[:most], of.slices[0].measures
    label = parse_measure(measure).label if measure else next(iter(measures[0].means))
    title = _("{label} by {by}", label=label, by=of.by)
    columns = [Column("slice", of.by, "text"), Column("n", _("n"))]
    rows = [[_value(part, filters), count_cell(part.n)] for part in shown]
    notes = list(slice_notes(of, most))
    if measure is None:
        columns += [measure_column(found.measure) for found in measures]
        for part, row in zip(shown, rows, strict=True):
            means = [mean for found in part.measures for mean in found.means.values()]
            row += [mean_cell(mean.value, mean) for mean in means]
        return Table(id, title, tuple(columns), tuple(map(tuple, rows)), tuple(notes))
    better: Literal["low", "high"] = "low" if parse_measure(measure).lowest_is_best else "high"
    here = [found for part in shown for found in part.measures if found.measure == measure]
    if not here:
        return Paragraph(
            _(
                "{label} is not a mean over the queries, so it is not shown by {by}.",
                label=label,
                by=of.by,
            ),
            "note",
        )
    names = list(here[0].means)
    columns += [Column(f"{measure} {name}", name, interval=True, better=better) for name in names]
    columns.append(
        Column(
            "order changes",
            _("Order changes"),
            "text",
            hint=_("A > B: A is ahead of B in this slice, but behind it over all queries"),
        )
    )
    for found, row in zip(here, rows, strict=True):
        row += [mean_cell(mean.value, mean, retriever=name) for name, mean in found.means.items()]
        row.append(text_cell(", ".join(f"{swap.ahead} > {swap.behind}" for swap in found.swaps)))
    if any(found.swaps for found in here):
        notes.append(
            _(
                "Order changes, A > B: A is ahead of B in this slice, but behind it over all "
                "queries."
            )
        )
    return Table(id, title, tuple(columns), tuple(map(tuple, rows)), tuple(notes))


def slice_notes(of: Slices, most: int | None) -> Iterator[Text]:
    """The notes under a table of slices."""
    shown = of.slices[:most]
    yield _("In brackets: 95 % intervals, each taken alone.")
    if any(part.small for part in shown):
        yield _("(small): fewer than 10 queries or clusters; too few to conclude anything.")
    if of.overlapping:
        yield _("Some queries have several values, so the slices overlap.")
    if of.without:
        yield _(
            "{count} of {n} queries are in none of these slices.",
            count=count_text(of.without),
            n=count_text(of.n),
        )
    if len(of.slices) > len(shown):
        yield _("The {shown} largest of {all}.", shown=len(shown), all=count_text(len(of.slices)))


def gap_table(
    of: Slices,
    measure: str,
    options: CompareOptions,
    *,
    id: str,
    most: int | None = None,
    filters: Filters | None = None,
) -> Iterator[Element]:
    """The differences to the baseline inside and outside each slice; none where none was tested.

    Args:
        most: where given, only gaps that are decided are shown, and this many at most, the smallest
            p first; by default every tested gap.
        filters: for a page with a query explorer.
    """
    tested = [
        (gap.p, gap.p_adjusted, part, gap)
        for part in of.slices
        for here in part.measures
        if here.measure == measure
        for gap in here.gaps
        if gap.p is not None and gap.p_adjusted is not None
    ]
    if not tested:
        return
    shown, m = tested, tested[0][3].m
    note = _("Corrected over the {m} gap tests on this measure.", m=m)
    if most is not None:
        decided = sorted((test for test in tested if test[1] < ALPHA), key=lambda test: test[0])
        if not decided:
            yield _no_gap(of, measure, [gap for _, _, _, gap in tested])
            return
        shown = decided[:most]
        note = _(
            "Shows only decided gaps: {shown} of {all}, corrected over the {m} gap "
            "tests on this measure.",
            shown=len(shown),
            all=len(decided),
            m=m,
        )
    columns = (
        Column("slice", of.by, "text"),
        retriever_column(),
        Column("inside", _("Inside"), better="high"),
        Column("outside", _("Outside"), better="high"),
        Column("gap", _("Gap"), hint=_("Inside minus outside")),
        Column("p", "p", better="low"),
        Column("p corrected", p_label(options), better="low"),
    )
    rows = tuple((_value(part, filters), *_gap_cells(gap)) for _, _, part, gap in shown)
    facts = {"label": parse_measure(measure).label, "by": of.by, "baseline": of.baseline}
    yield Table(
        id,
        _("{label} by {by}: difference to {baseline} inside and outside each slice", **facts),
        columns,
        rows,
        (note,),
    )


def _gap_cells(gap: Gap) -> tuple[Cell, ...]:
    return (
        name_cell(gap.retriever),
        *map(signed_cell, (gap.inside, gap.outside, gap.value)),
        p_cell(gap.p, floor=gap.at_floor),
        p_cell(gap.p_adjusted, floor=gap.at_floor),
    )


def _no_gap(of: Slices, measure: str, gaps: Sequence[Gap]) -> Paragraph:
    least = min(gaps, key=lambda gap: gap.p_adjusted or 0.0)
    facts = {"by": few_names([of.by]), "baseline": few_names([of.baseline])}
    facts |= {
        "tests": count_text(len(gaps)),
        "p": p_cell(least.p_adjusted, floor=least.at_floor).text,
    }
    return Paragraph(
        _(
            "No slice of '{by}' is decided to change the difference to {baseline} on {label}: "
            "the smallest corrected p of {tests} tests is {p}.",
            label=parse_measure(measure).label,
            **facts,
        ),
        "note",
    )


def _value(part: Slice, filters: Filters | None) -> Cell:
    text = _("{value} (small)", value=part.value) if part.small else part.value
    filter = (filters or {}).get((part.by, part.value))
    return Cell(part.value, text, filter=filter, quote=True)
