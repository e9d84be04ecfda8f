"""Tables of slices: means by the values of a tag or metadata key, and where differences change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Literal

from ragscore.comparison.differences import ALPHA
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.query_slices import Gap, Slice, Slices
from ragscore.comparison.tables import measure_column, p_label
from ragscore.elements import Cell, Column, Element, Paragraph
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
from ragscore.elements.tables import column, table
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
        id: as in :mod:`ragscore.comparison.tables`.
    """
    shown, measures = of.slices[:most], of.slices[0].measures
    notes = list(_slice_notes(of, shown))
    columns: list[tuple[Column, Callable[[Slice], Cell]]] = [
        column("slice", of.by, partial(_value, filters=filters), "text"),
        column("n", _("n"), lambda part: count_cell(part.n)),
    ]
    if measure is None:
        (label,) = measures[0].means
        columns += [
            (measure_column(found.measure), partial(_mean, found.measure, label, alone=True))
            for found in measures
        ]
        return table(id, _("{label} by {by}", label=label, by=of.by), columns, shown, notes)
    parsed = parse_measure(measure)
    facts = {"label": parsed.label, "by": of.by}
    own = next((found for found in measures if found.measure == measure), None)
    if own is None:
        text = _("{label} is not a mean over the queries, so it is not shown by {by}.", **facts)
        return Paragraph(text, "note")
    better: Literal["low", "high"] = "low" if parsed.lowest_is_best else "high"
    for name in own.means:
        cell = partial(_mean, measure, name)
        columns.append(column(f"{measure} {name}", name, cell, interval=True, better=better))
    sense = _("A > B: A is ahead of B in this slice, but behind it over all queries")
    changes = partial(_order_changes, measure=measure)
    columns.append(column("order changes", _("Order changes"), changes, "text", hint=sense))
    if any(part[measure].swaps for part in shown):
        notes.append(
            _(
                "Order changes, A > B: A is ahead of B in this slice, but behind it over all "
                "queries."
            )
        )
    return table(id, _("{label} by {by}", **facts), columns, shown, notes)


def _value(part: Slice, filters: Filters | None) -> Cell:
    text = _("{value} (small)", value=part.value) if part.small else part.value
    filter = (filters or {}).get((part.by, part.value))
    return Cell(part.value, text, filter=filter, quote=True)


def _mean(measure: str, retriever: str, part: Slice, *, alone: bool = False) -> Cell:
    mean = part[measure].means[retriever]
    return mean_cell(mean.value, mean, retriever=None if alone else retriever)


def _order_changes(part: Slice, measure: str) -> Cell:
    return text_cell(", ".join(f"{swap.ahead} > {swap.behind}" for swap in part[measure].swaps))


def _slice_notes(of: Slices, shown: Sequence[Slice]) -> Iterator[Text]:
    """The notes under a table of slices."""
    yield _("In brackets: 95 % intervals, each taken alone.")
    if any(part.small for part in shown):
        yield _("(small): fewer than 10 queries or clusters; too few to conclude anything.")
    if of.overlapping:
        yield _("Some queries have several values, so the slices overlap.")
    if of.without:
        without, n = count_text(of.without), count_text(of.n)
        yield _("{count} of {n} queries are in none of these slices.", count=without, n=n)
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
        (part, gap)
        for part in of.slices
        for found in part.measures
        for gap in found.gaps
        if found.measure == measure and gap.p is not None
    ]
    if not tested:
        return
    shown, m, label = tested, tested[0][1].m, parse_measure(measure).label
    note = _("Corrected over the {m} gap tests on this measure.", m=m)
    if most is not None:
        decided = [test for test in tested if (test[1].p_adjusted or 0.0) < ALPHA]
        if not decided:
            least = min((gap for _part, gap in tested), key=lambda gap: gap.p_adjusted or 0.0)
            text = _(
                "No slice of '{by}' is decided to change the difference to {baseline} on {label}: "
                "the smallest corrected p of {tests} tests is {p}.",
                label=label,
                by=few_names([of.by]),
                baseline=few_names([of.baseline]),
                tests=count_text(len(tested)),
                p=_p_cell(least, least.p_adjusted).text,
            )
            yield Paragraph(text, "note")
            return
        shown = sorted(decided, key=lambda test: test[1].p or 0.0)[:most]
        note = _(
            "Shows only decided gaps: {shown} of {all}, corrected over the {m} gap "
            "tests on this measure.",
            shown=len(shown),
            all=len(decided),
            m=m,
        )
    meant, p = _("Inside minus outside"), p_label(options)
    columns: list[tuple[Column, Callable[[tuple[Slice, Gap]], Cell]]] = [
        column("slice", of.by, lambda test: _value(test[0], filters), "text"),
        (retriever_column(), lambda test: name_cell(test[1].retriever)),
        column("inside", _("Inside"), lambda test: signed_cell(test[1].inside), better="high"),
        column("outside", _("Outside"), lambda test: signed_cell(test[1].outside), better="high"),
        column("gap", _("Gap"), lambda test: signed_cell(test[1].value), hint=meant),
        column("p", "p", lambda test: _p_cell(test[1], test[1].p), better="low"),
        column("p corrected", p, lambda test: _p_cell(test[1], test[1].p_adjusted), better="low"),
    ]
    title = _(
        "{label} by {by}: difference to {baseline} inside and outside each slice",
        label=label,
        by=of.by,
        baseline=of.baseline,
    )
    yield table(id, title, columns, shown, (note,))


def _p_cell(gap: Gap, p: float | None) -> Cell:
    return p_cell(p, floor=gap.at_floor)
