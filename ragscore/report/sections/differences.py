"""Where retrievers differ: query by query against the baseline, and what pairs find together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.overlap import overlap_note, overlap_table
from ragscore.elements import Element, Paragraph, Section
from ragscore.messages import _
from ragscore.report.charts.difference_chart import differences as drawn
from ragscore.report.model import Chart, chart
from ragscore.report.ranking import ranked
from ragscore.report.report import Report
from ragscore.report.sections import TITLES
from ragscore.report.sections.arrangement import by_both, by_measure, named, pairs
from ragscore.results import DatasetResult

MOST_FIGURES = 80
"""Charts in the whole section, all choices together: each takes some kilobytes of the page."""


def differences(report: Report, panel: DatasetResult) -> Section | None:
    """Query by query, the others against the baseline; what pairs of retrievers find together."""
    if len(panel.retrievers) < 2:
        return None
    elements: list[Element] = []
    if panel.comparisons:
        elements.append(
            by_both(panel, lambda baseline, measure: _figures(report, panel, baseline, measure))
        )
    if panel.overlap:
        id = named(panel, "overlap")
        elements.append(by_measure(panel, lambda m: (overlap_table(panel.overlap, m, id=id),)))
        elements.append(overlap_note(panel.overlap))
    return Section("differences", TITLES["differences"], tuple(elements)) if elements else None


def _figures(
    report: Report, panel: DatasetResult, baseline: str, measure: str
) -> tuple[Element, ...]:
    others = [name for name in ranked(panel, measure) if name != baseline]
    most = max(1, MOST_FIGURES // len(panel.comparisons))
    figures: list[Chart] = []
    values = {name: per_query(panel, name, baseline, measure) for name in others[:most]}
    every = np.concatenate([np.zeros(1), *values.values()])
    # One scale for all of them: charts that stand side by side are read against each other.
    reach = (float(np.nanmin(every)), float(np.nanmax(every)))
    for name, of_queries in values.items():
        figures.append(
            chart(
                drawn,
                of_queries,
                first=name,
                second=baseline,
                numbers=(report.number(name), report.number(baseline)),
                label=panel.comparisons[baseline, measure][measure].difference_label,
                id=named(panel, f"differences-{report.number(name)}"),
                reach=reach,
            )
        )
    elements: list[Element] = [*pairs(figures)]
    if len(others) > most:
        text = _(
            "Charts show the {shown} best other retrievers on {label}; tables show all.",
            shown=most,
            label=panel.labels[measure],
        )
        elements.append(Paragraph(text, "note"))
    return tuple(elements)


def per_query(panel: DatasetResult, first: str, second: str, measure: str) -> NDArray[np.float64]:
    """Differences of the queries that both were scored on, positive where ``first`` is better:
    what the comparison of the two averages, so of logarithms for a geometric mean."""
    assert panel.comparison is not None
    return panel.comparison.per_query(measure, first, second)
