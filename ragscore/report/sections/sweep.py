"""What a sweep found: the best settings, those that are as good, and what each parameter does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ragscore.elements import Code, Details, Element, Paragraph, Section
from ragscore.elements.numbers import bytes_text
from ragscore.estimate import Estimate
from ragscore.messages import _, joined
from ragscore.report.charts.cost_chart import CostPoint, cost_chart
from ragscore.report.charts.heat_map import heat_map
from ragscore.report.charts.row_charts import effect_chart
from ragscore.report.model import Chart, chart
from ragscore.report.report import Report
from ragscore.report.sections import TITLES
from ragscore.report.sections.arrangement import named, pairs
from ragscore.results import DatasetResult
from ragscore.sweeps import SweepResult
from ragscore.sweeps.record import ScoredConfiguration
from ragscore.sweeps.text import (
    configurations_table,
    each_table,
    effects_tables,
    sweep_headline,
    sweep_notes,
    sweep_title,
)

BEST = 10
"""Configurations shown open on the page; the others are folded below."""
MAX_ROWS = 24
"""A parameter with more values than this has no chart, only a table."""
MAX_CELLS = 40
"""Values of a parameter on a heat map."""


def sweep(report: Report, panel: DatasetResult) -> Section | None:
    """A sweep: the best settings, what is within noise, each parameter, the best as YAML."""
    found = panel.sweep
    if found is None:
        return None  # a note says why, where something was swept
    # One whose own settings failed comes after all that have a run.
    numbered = list(dict.fromkeys([*report.result.retrievers, *found.swept.retrievers]))
    id, sections = named(panel, "sweep"), report.options.sections
    headed = sections is not None and "verdict" not in sections  # which begins with the headline
    shown = sweep_page(found, panel.measures, numbered, id, headed=headed)
    return Section("sweep", TITLES["sweep"], tuple(shown))


def sweep_page(
    found: SweepResult,
    measures: Sequence[str],
    numbered: Sequence[str],
    id: str = "sweep",
    *,
    headed: bool = True,
) -> Iterator[Element]:
    """What a page and a notebook show of it.

    Args:
        found: on one dataset.
        measures: whose means are shown beside that which was chosen by.
        numbered: retrievers, whose place in it gives their colour and shape.
        id: what ids of tables and charts begin with.
        headed: whether it begins with the headline.
    """
    yield Paragraph(joined([sweep_title(found), "."], ""))
    if headed:
        yield sweep_headline(found)
    for note in sweep_notes(found):
        yield Paragraph(note, "note")
    yield configurations_table(found, id=id, shown=BEST, measures=measures)
    if len(found.configurations) > BEST:
        table = configurations_table(found, id=f"{id}-all", measures=measures)
        yield Details(table.title, (table,), f"{id}-all-details")
    if len(found.by_retriever) > 1:
        yield each_table(found, id=f"{id}-retrievers")
    yield from pairs(list(_charts(found, numbered, id)))
    tables = tuple(effects_tables(found, id=f"{id}-parameters"))
    if tables:
        yield Details(_("What each parameter does"), tables, f"{id}-parameters-details")
    if found.yaml:
        yield Paragraph(joined([_("The best as YAML"), ":"], ""))
        yield Code(found.yaml, "yaml")


def _charts(found: SweepResult, numbered: Sequence[str], id: str) -> Iterator[Chart]:
    """What each parameter does, two of them as a heat map, and quality against each cost."""
    for each in found.by_retriever:
        ending = f"-{each.retriever}" if len(found.by_retriever) > 1 else ""
        chosen, heat = found[each.label].settings, each.heat_map
        shown = [effect for effect in each.effects if len(effect.values) <= MAX_ROWS]
        if shown:
            yield chart(
                effect_chart,
                shown,
                chosen,
                retriever=each.retriever,
                number=numbered.index(each.retriever),
                id=f"{id}-effects{ending}",
                label=found.label,
            )
        if heat is not None and max(len(heat.rows), len(heat.columns)) <= MAX_CELLS:
            yield chart(
                heat_map,
                heat,
                chosen,
                retriever=each.retriever,
                id=f"{id}-heat{ending}",
                label=found.label,
                lower_is_better=found.lower_is_better,
            )
    yield from _fronts(found, numbered, id)


def _fronts(found: SweepResult, numbered: Sequence[str], id: str) -> Iterator[Chart]:
    """Quality against each cost that is known and differs; a mark for each configuration."""
    by_latency = _("{label} against latency, by configuration")
    by_size = _("{label} against the size of the index")
    for name, title, axis, cost_of in (
        ("latency", by_latency, _("milliseconds per query"), _latency),
        ("bytes", by_size, _("index size in megabytes"), _size),
    ):
        known = [each for each in found.configurations if math.isfinite(cost_of(each)[0])]
        if len({cost_of(each)[0] for each in known}) < 2:
            continue
        points = []
        for each in known:
            cost, spent = cost_of(each)
            number = numbered.index(each.retriever)
            points.append(CostPoint(each.label, number, cost, Estimate(each.value), spent))
        yield chart(
            cost_chart,
            points,
            id=f"{id}-{name}",
            title=title.given(label=found.label),
            label=found.label,
            axis=axis,
            lower_is_better=found.lower_is_better,
        )


def _latency(each: ScoredConfiguration) -> tuple[float, str]:
    return each.latency_ms, ""


def _size(each: ScoredConfiguration) -> tuple[float, str]:
    return each.index_bytes / 1e6, bytes_text(each.index_bytes)
