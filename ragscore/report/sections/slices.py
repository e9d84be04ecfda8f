"""Slices: the chosen measure by each tag or metadata key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Literal

from ragscore.blocks import Block, Cell, Column, Paragraph, Section, Table
from ragscore.blocks.cells import count_cell, mean_cell, name_cell, p_cell, signed_cell
from ragscore.comparison.model import ALPHA
from ragscore.comparison.slice_model import Slice, SliceMeasure, Slices
from ragscore.report.data import Panel, ReportData
from ragscore.report.explorer.filters import filter_of, filterable
from ragscore.report.explorer.rankings import explored
from ragscore.report.means import lower_is_better
from ragscore.report.sections.arrangement import by_both, by_measure, named
from ragscore.report.sections.table_parts import correction_label, measure_column

MOST_ROWS = 40
"""Slices of one key that are shown, the largest."""
MOST_GAPS = 10
"""Decided gaps of one key and choice that are shown, the smallest p first."""

Filters = Mapping[tuple[str, str], str]
"""By key and value of a slice: the explorer's filter for it."""


def slices(data: ReportData, panel: Panel) -> Section | None:
    """By tag or metadata: means with intervals, and where differences depend on the slice."""
    found = [one for one in panel.slices.get(panel.baseline, ()) if one.slices]
    if not found:
        return None
    filters = _filters(panel, found)
    says = "slices_says" if len(panel.retrievers) > 1 else "slices_alone_says"
    blocks: list[Block] = [Paragraph(data.words(says))]
    for at, of in enumerate(found):
        if len(panel.retrievers) == 1:
            blocks.append(_alone(data, panel, filters, of, at))
            continue
        blocks.append(by_measure(panel, partial(_means, data, panel, filters, of, at)))
        if any(gap.p is not None for one in of.slices for m in one.measures for gap in m.gaps):
            blocks.append(by_both(panel, partial(_gaps, data, panel, filters, of.by, at)))
    return Section("slices", data.words("slices"), tuple(blocks))


def _filters(panel: Panel, found: Sequence[Slices]) -> Filters:
    """What the explorer's filter for a slice is called, where it has one."""
    if panel.data is None or not panel.runs:
        return {}
    groups = filterable(panel.data.queries, explored(panel))
    named = {(of.by, one.value) for of in found for one in of.slices}
    return {one: name for one in named if (name := filter_of(groups, *one)) is not None}


def _sliced(panel: Panel, baseline: str, by: str) -> Slices | None:
    return next((one for one in panel.slices.get(baseline, ()) if one.by == by), None)


def _of(one: Slice, measure: str) -> SliceMeasure | None:
    return next((found for found in one.measures if found.measure == measure), None)


def _id(panel: Panel, kind: str, by: str, at: int) -> str:
    """A name for files: that of the key where it is plain."""
    plain = re.fullmatch(r"[A-Za-z0-9_-]{1,40}", by)
    return named(panel, f"{kind}-{by if plain else at + 1}")


def _means(
    data: ReportData, panel: Panel, filters: Filters, of: Slices, at: int, measure: str
) -> tuple[Block, ...]:
    words, label = data.words, panel.labels[measure]
    shown = of.slices[:MOST_ROWS]
    if _of(shown[0], measure) is None:
        return (Paragraph(words("slices_left_out", label=label, by=of.by), "note"),)
    names = [mean.retriever for mean in shown[0].measures[0].means]
    better: Literal["low", "high"] = "low" if lower_is_better(measure) else "high"
    columns = (
        Column("slice", of.by, "text"),
        Column("n", words("column_n")),
        *(Column(f"{measure} {name}", name, interval=True, better=better) for name in names),
        Column("order changes", words("column_order"), "text", hint=words("hint_order")),
    )
    rows = []
    for one in shown:
        here = _of(one, measure)
        assert here is not None
        swaps = ", ".join(f"{swap.ahead} > {swap.behind}" for swap in here.swaps)
        rows.append(
            (
                _value(data, one, filters.get((of.by, one.value))),
                count_cell(one.n),
                *(
                    mean_cell(mean.value, mean.interval, words, retriever=mean.retriever)
                    for mean in here.means
                ),
                Cell(swaps, swaps),
            )
        )
    title = words("slices_title", label=label, by=of.by)
    notes = tuple(_notes(data, of))
    return (Table(_id(panel, "slices", of.by, at), title, columns, tuple(rows), notes),)


def _alone(data: ReportData, panel: Panel, filters: Filters, of: Slices, at: int) -> Table:
    """The means of the only retriever: measures stand side by side, and nothing is chosen."""
    words = data.words
    of_measures = of.slices[0].measures
    columns = (
        Column("slice", of.by, "text"),
        Column("n", words("column_n")),
        *(
            measure_column(one.measure, panel.labels[one.measure], data.words)
            for one in of_measures
        ),
    )
    rows = []
    for one in of.slices[:MOST_ROWS]:
        means = [here.means[0] for here in one.measures]
        cells = (mean_cell(mean.value, mean.interval, words) for mean in means)
        value = _value(data, one, filters.get((of.by, one.value)))
        rows.append((value, count_cell(one.n), *cells))
    name = panel.retrievers[0]
    title = words("slices_title", label=name, by=of.by)
    notes = tuple(_notes(data, of))
    return Table(_id(panel, "slices", of.by, at), title, columns, tuple(rows), notes)


def _notes(data: ReportData, of: Slices) -> Iterator[str]:
    words, shown = data.words, of.slices[:MOST_ROWS]
    yield words("note_intervals")
    if any(one.small for one in shown):
        yield words("note_small")
    if of.overlapping:
        yield words("note_overlapping")
    if of.without:
        yield words("note_without", count=f"{of.without:,}", n=f"{of.n:,}")
    if len(of.slices) > len(shown):
        yield words("slices_largest", shown=len(shown), all=f"{len(of.slices):,}")


def _gaps(
    data: ReportData,
    panel: Panel,
    filters: Filters,
    by: str,
    at: int,
    baseline: str,
    measure: str,
) -> tuple[Block, ...]:
    words, label = data.words, panel.labels[measure]
    of = _sliced(panel, baseline, by)
    tested = [
        (gap.p, gap.p_adjusted, one, gap)
        for one in (of.slices if of is not None else ())
        if (here := _of(one, measure)) is not None
        for gap in here.gaps
        if gap.p is not None and gap.p_adjusted is not None
    ]
    if not tested:
        return ()
    decided = sorted((test for test in tested if test[1] < ALPHA), key=lambda test: test[0])
    if not decided:
        least = p_cell(min(p_adjusted for _, p_adjusted, _, _ in tested)).text
        facts = {"label": label, "by": words.names([by]), "baseline": words.names([baseline])}
        facts |= {"tests": f"{len(tested):,}", "p": least}
        return (Paragraph(words("no_gap", **facts), "note"),)
    columns = (
        Column("slice", by, "text"),
        Column("retriever", words("column_retriever"), "text"),
        Column("inside", words("column_inside"), better="high"),
        Column("outside", words("column_outside"), better="high"),
        Column("gap", words("column_gap"), hint=words("hint_gap")),
        Column("p", "p", better="low"),
        Column("p corrected", correction_label(data, panel), better="low"),
    )
    rows = tuple(
        (
            _value(data, one, filters.get((by, one.value))),
            name_cell(gap.retriever),
            signed_cell(gap.inside),
            signed_cell(gap.outside),
            signed_cell(gap.value),
            p_cell(p),
            p_cell(p_adjusted),
        )
        for p, p_adjusted, one, gap in decided[:MOST_GAPS]
    )
    title = words("gaps_title", label=label, by=by, baseline=baseline)
    notes = [words("note_gaps", shown=len(rows), all=len(decided), m=tested[0][3].m)]
    return (Table(_id(panel, "gaps", by, at), title, columns, rows, tuple(notes)),)


def _value(data: ReportData, one: Slice, filter: str | None) -> Cell:
    text = data.words("small", value=one.value) if one.small else one.value
    return Cell(one.value, text, filter=filter, quote=True)
