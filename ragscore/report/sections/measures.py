"""All measures of all retrievers, their average over the datasets, all pairs, the margin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ragscore.blocks import Block, Cell, Column, Paragraph, Section, Table
from ragscore.blocks.cells import (
    RECORD,
    count_cell,
    interval_words,
    mean_cell,
    name_cell,
    nothing,
    p_cell,
    signed_cell,
    text_cell,
)
from ragscore.blocks.numbers import BELOW_MARGIN, DECIDED
from ragscore.comparison.cells import withheld_text
from ragscore.comparison.model import Difference
from ragscore.comparison.wording import family_name
from ragscore.report.data import Panel, ReportData
from ragscore.report.means import decided_best, difference_label, measure_notes
from ragscore.report.sections.arrangement import by_both, by_measure, named
from ragscore.report.sections.table_parts import (
    compared_cell,
    compared_record,
    correction_label,
    measure_column,
    retriever_column,
)
from ragscore.scoring import Scores
from ragscore.stats.intervals import Interval
from ragscore.strings import Strings


def measures(data: ReportData, panel: Panel) -> Section | None:
    """All means with intervals, the differences of all pairs, and what the margin says."""
    if not panel.retrievers:
        return None
    blocks: list[Block] = [_means(data, panel), *_average(data, panel)]
    if panel.comparisons:
        blocks.append(by_measure(panel, lambda measure: _pairs(data, panel, measure)))
        blocks.append(
            by_both(panel, lambda baseline, measure: _margin(data, panel, baseline, measure))
        )
    return Section("measures", data.words("measures"), tuple(blocks))


def _means(data: ReportData, panel: Panel) -> Table:
    words = data.words
    best = {one: decided_best(panel, panel.baseline, one) for one in panel.measures}
    rows = tuple(
        (
            name_cell(name),
            *(
                mean_cell(
                    (mean := panel.means[one][name]).value,
                    mean.interval,
                    words,
                    strong=best[one] == name,
                    retriever=name,
                )
                for one in panel.measures
            ),
        )
        for name in panel.retrievers
    )
    columns = (
        retriever_column(data),
        *(measure_column(one, panel.labels[one], words) for one in panel.measures),
    )
    notes = [words("note_intervals")]
    if any(best.values()):
        notes.append(words("note_bold"))
    if panel.comparisons:
        notes += measure_notes(next(iter(panel.comparisons.values())), panel.measures)
    return Table(named(panel, "measures"), words("measures_title"), columns, rows, tuple(notes))


def _average(data: ReportData, panel: Panel) -> Iterator[Table]:
    """The unweighted average over the datasets, as ``run`` prints it; none where there is one."""
    words = data.words
    scores = Scores.joined(one.scores for one in data.panels)
    means: dict[str, dict[str, float]] = {}
    labels: dict[str, str] = {}
    for row in scores.averages():
        means.setdefault(row.retriever, {})[row.measure] = row.value
        labels[row.measure] = row.label
    if not means:
        return
    shown = [one for one in panel.measures if one in labels]
    shown += [one for one in labels if one not in shown]
    columns = (
        retriever_column(data),
        *(measure_column(one, labels[one], words, interval=False) for one in shown),
    )
    rows = tuple(
        (
            name_cell(name),
            *(mean_cell(of.get(one, math.nan), None, words, retriever=name) for one in shown),
        )
        for name, of in means.items()
    )
    title = words("average_title", datasets=len(scores.datasets))
    yield Table(named(panel, "average"), title, columns, rows, (words("note_average"),))


def _pairs(data: ReportData, panel: Panel, measure: str) -> tuple[Block, ...]:
    words, label = data.words, difference_label(panel, measure)
    pairs = panel.pairs.get(measure, ())
    if not pairs:
        return ()
    by_tukey = _tukey(panel, measure)
    family = next(iter(panel.comparisons.values())).family
    rows = []
    for one in pairs:
        difference = compared_cell(one, words)
        row = [
            text_cell(f"{one.retriever} - {one.baseline}"),
            difference if family.baseline is None else replace(difference, mark=""),
            p_cell(one.test.p),
            p_cell(one.p_adjusted),
        ]
        if by_tukey:
            row.append(p_cell(by_tukey.get((one.retriever, one.baseline), math.nan)))
        rows.append((*row, compared_record(one), count_cell(one.n)))
    columns = [
        Column("pair", words("column_pair"), "text"),
        Column("difference", words("column_pair_difference"), interval=True, better="high"),
        Column("p", "p", better="low"),
        Column("p corrected", correction_label(data, panel), better="low"),
    ]
    raw = "" if panel.options.correction != "none" else "_raw"
    notes = [words(f"note_pairs{raw}", pairs=len(rows), mark=DECIDED)]
    if family.baseline is not None:
        named_family = family_name(family, words.language)
        facts = {"pairs": len(rows), "baseline": family.baseline, "family": named_family}
        notes = [words("note_pairs_unmarked", **facts)]
    elif any(one.below_margin for one in pairs):
        margin = f"{pairs[0].margin:g}"
        notes.append(words("note_below_margin", mark=BELOW_MARGIN, margin=margin))
    if by_tukey:
        columns.append(Column("p Tukey", words("column_p_tukey"), better="low"))
        notes.append(words("note_pairs_tukey"))
    columns += [
        Column("W/L/T", words("column_record"), "text", words("hint_record"), parts=RECORD),
        Column("queries", words("column_queries")),
    ]
    title = words("pairs_title", label=label)
    return (Table(named(panel, "pairs"), title, tuple(columns), tuple(rows), tuple(notes)),)


def _tukey(panel: Panel, measure: str) -> dict[tuple[str, str], float]:
    """By pair: the p-value of the randomized Tukey HSD; empty where it was not asked for."""
    for comparison in panel.comparisons.values():
        made = (one for one in comparison.pairs or () if one.measure == measure)
        return {(one.first, one.second): one.p for one in made}
    return {}


def _margin(data: ReportData, panel: Panel, baseline: str, measure: str) -> tuple[Block, ...]:
    words, label = data.words, difference_label(panel, measure)
    compared = panel.comparisons[baseline, measure][measure]
    if not compared.differences:
        return ()
    if compared.margin is None:
        return (Paragraph(words("no_margin", label=label), "note"),)
    margin = f"{compared.margin:g}"
    reasons = any(one.withheld for one in compared.differences)
    rows = tuple(_margin_row(one, words, reasons=reasons) for one in compared.differences)
    columns = [
        retriever_column(data),
        Column("difference 90", words("column_interval90"), interval=True),
        Column("equal", words("column_inside_margin", margin=margin), "text"),
        Column("p TOST", words("column_p_tost"), better="low"),
        Column("bound 95", words("column_bound95"), better="high"),
        Column("not worse", words("column_not_worse"), "text"),
        Column("p not worse", words("column_p_not_worse"), better="low"),
        Column("queries needed", words("column_needed", margin=margin), better="low"),
    ]
    if reasons:
        columns.append(Column("withheld", words("column_withheld"), "text"))
    title = words("margin_title", margin=margin, label=label, baseline=baseline)
    notes = (words("note_margin", margin=margin),)
    return (Table(named(panel, "margin"), title, tuple(columns), rows, notes),)


def _margin_row(one: Difference, words: Strings, *, reasons: bool) -> tuple[Cell, ...]:
    """What the margin says of one difference, and where that is nothing, why."""
    found, unknown = one.equivalence, words("not_estimable")
    needed = nothing(unknown) if one.needed is None else count_cell(one.needed)
    why = (text_cell(withheld_text(one, words.language)),) if reasons else ()
    if found is None:
        not_shown = text_cell(words("not_shown"))
        value = replace(signed_cell(one.value), interval=unknown)
        bound = (nothing(unknown), not_shown, nothing())
        return (name_cell(one.retriever), value, not_shown, nothing(), *bound, needed, *why)
    return (
        name_cell(one.retriever),
        _signed(one.value, found.interval90, words),
        text_cell(words("yes") if found.equivalent else words("not_shown")),
        p_cell(found.p_tost),
        signed_cell(found.bound95),
        text_cell(words("yes") if found.non_inferior else words("not_shown")),
        p_cell(found.p_non_inferior),
        needed,
        *why,
    )


def _signed(value: float, interval: Interval, words: Strings) -> Cell:
    """A difference with another interval than its own."""
    bounds = (None, None) if math.isnan(interval.low) else (interval.low, interval.high)
    shown = interval_words(interval, words, sign=True)
    return replace(signed_cell(value), low=bounds[0], high=bounds[1], interval=shown)
