"""What a sweep found: the best settings, those that are as good, and what each parameter does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from ragscore.elements import Code, Details, Element, Paragraph, Section
from ragscore.elements.numbers import bytes_text
from ragscore.messages import _, joined
from ragscore.report.charts import CostPoint, cost_chart
from ragscore.report.charts.effect_chart import EffectGroup, EffectRow, effect_chart
from ragscore.report.charts.heat_map import heat_map
from ragscore.report.model import Chart, chart
from ragscore.report.report import Report
from ragscore.report.sections import TITLES
from ragscore.report.sections.arrangement import named, pairs
from ragscore.results import DatasetResult
from ragscore.sweeps.model import value_text
from ragscore.sweeps.sweep_findings import SweepFindings
from ragscore.sweeps.sweep_records import (
    HeatMap,
    ParameterEffect,
    ScoredConfiguration,
)
from ragscore.sweeps.sweep_tables import (
    configurations_table,
    each_table,
    effects_tables,
    notes_of,
    sweep_headline,
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
    return Section("sweep", TITLES["sweep"], tuple(_elements(report, panel, found)))


def _elements(report: Report, panel: DatasetResult, found: SweepFindings) -> Iterator[Element]:
    yield Paragraph(joined([sweep_title(found), "."], ""))
    yield sweep_headline(found)
    for note in notes_of(found):
        yield Paragraph(note, "note")
    measures, id = panel.measures, named(panel, "sweep")
    yield configurations_table(found, id=id, shown=BEST, measures=measures)
    if len(found.configurations) > BEST:
        table = configurations_table(found, id=f"{id}-all", measures=measures)
        yield Details(table.title, (table,), f"{id}-all-details")
    if found.by_retriever:
        yield each_table(found, id=f"{id}-retrievers")
    yield from pairs([*_figures(report, found, id), *_fronts(report, found, id)])
    tables = tuple(effects_tables(found, id=f"{id}-parameters"))
    if tables:
        yield Details(_("What each parameter does"), tables, f"{id}-parameters-details")
    if found.yaml:
        yield Paragraph(joined([_("The best as YAML"), ":"], ""))
        yield Code(found.yaml, "yaml")


def _figures(report: Report, found: SweepFindings, id: str) -> Iterator[Chart]:
    several = len({effect.retriever for effect in found.effects}) > 1
    for retriever in dict.fromkeys(effect.retriever for effect in found.effects):
        own = [effect for effect in found.effects if effect.retriever == retriever]
        ending = f"-{retriever}" if several else ""
        ranked = (each for each in found.configurations if each.retriever == retriever)
        chosen = next(ranked).settings
        groups = [_group(effect, chosen) for effect in own if len(effect.values) <= MAX_ROWS]
        if groups:
            yield chart(
                effect_chart,
                groups,
                number=_number(report, found, retriever),
                id=f"{id}-effects{ending}",
                retriever=retriever,
                label=found.label,
            )
        for heat in found.heat_maps:
            if heat.retriever == retriever and _drawable(heat):
                yield _heat_map(heat, chosen, found, f"{id}-heat{ending}")


def _fronts(report: Report, found: SweepFindings, id: str) -> Iterator[Chart]:
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
            number = _number(report, found, each.retriever)
            points.append(CostPoint(each.label, number, cost, each.value, spent=spent))
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


def _number(report: Report, found: SweepFindings, retriever: str) -> int:
    """The retriever's number; one whose own settings failed comes after all that have a run."""
    listed = [*report.result.retrievers, *found.swept.retrievers]
    return list(dict.fromkeys(listed)).index(retriever)


def _group(effect: ParameterEffect, chosen: Mapping[str, object]) -> EffectGroup:
    average = float(np.mean([marginal.mean - marginal.effect for marginal in effect.values]))
    rows = [
        EffectRow(
            value_text(marginal.value),
            marginal.mean,
            average + marginal.low,
            average + marginal.high,
            effect.parameter in chosen and chosen[effect.parameter] == marginal.value,
        )
        for marginal in effect.values
    ]
    return EffectGroup(effect.parameter, average, rows)


def _drawable(heat: HeatMap) -> bool:
    return max(len(heat.rows), len(heat.columns)) <= MAX_CELLS


def _heat_map(heat: HeatMap, chosen: Mapping[str, object], found: SweepFindings, id: str) -> Chart:
    best = None
    if heat.across in chosen and heat.down in chosen:
        down, across = (float(str(chosen[name])) for name in (heat.down, heat.across))
        best = heat.rows.index(down), heat.columns.index(across)
    return chart(
        heat_map,
        np.array(heat.means),
        columns=[value_text(value) for value in heat.columns],
        rows=[value_text(value) for value in heat.rows],
        across=heat.across,
        down=heat.down,
        chosen=best,
        id=id,
        retriever=heat.retriever,
        label=found.label,
        lower_is_better=found.lower_is_better,
    )
