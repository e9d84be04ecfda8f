"""Every chart of the report, with retrievers of any name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ragscore.estimate import Estimate
from ragscore.messages import Text, text_of, translated
from ragscore.report.charts.cost_chart import CostPoint, cost_chart
from ragscore.report.charts.difference_chart import differences
from ragscore.report.charts.heat_map import heat_map
from ragscore.report.charts.line_chart import Line
from ragscore.report.charts.row_charts import ChartRow, effect_chart, forest
from ragscore.report.charts.stacked_bars import Bar, stacked_bars
from ragscore.report.index.history import HistoryLine, history
from ragscore.report.model import Figure
from ragscore.report.sections.curves import (
    against_k,
    k_axis,
    precision_by_coverage,
    precision_recall,
    recall_by_context,
)
from ragscore.sweeps.record import HeatMap, ParameterEffect, ValueEffect

NAN = float("nan")
NOTHING = Estimate(NAN)
HOSTILE = (
    "<script>alert(1)</script>",
    "\"quoted\" & 'single'",
    "</title><svg onload=alert(1)>",
    "x" * 64,
    "한국어 검색기 이름이 아주 길 때에도 잘립니다",
    "\u202ereversed\x00nul\ud800",
    "javascript:alert(1)",
    "bm25 ünïcode",
    "{braces} %s",
    "-",
    "i" * 64,
    "W" * 64,
)


OF_PARAMETERS = {"e", "h3", "h40"}
"""Ids of the charts that show settings of one retriever, not retrievers."""


def every_figure(names: tuple[str, ...], language: str, *, empty: bool = False) -> list[Figure]:
    """Each chart with these retrievers; ``empty``: with no number at all."""
    k = np.arange(1, 101)
    number = {name: n for n, name in enumerate(names)}
    nothing = np.full(100, NAN)

    def line(name: str) -> Line:
        mean = nothing if empty else 0.2 + 0.05 * number[name] % 1 + k / 400
        return Line(name, number[name], k * 1.0, mean, mean - 0.05, mean + 0.05, 4)

    rows = [
        ChartRow(name, n, NOTHING if empty else Estimate(n / 50, n / 50 - 0.03, n / 50 + 0.03))
        for name, n in number.items()
    ]
    curves = [*map(line, names)]
    trades = [
        Line(name, n, *((nothing, nothing) if empty else (k / 100, 1 / k)), ring=4)
        for name, n in number.items()
    ]
    over_time = [
        HistoryLine(
            name,
            n,
            [
                ("2026-02-01T10:00:00+00:00", Estimate(NAN if empty else 0.4), "a/report.html"),
                ("2026-01-01", Estimate(NAN if empty else 0.5), "javascript:alert(1)"),
            ],
        )
        for name, n in number.items()
    ]
    priced = [
        CostPoint(name, n, NAN, Estimate(NAN))
        if empty
        else CostPoint(name, n, 3.0**n, Estimate(0.3 + n / 40, 0.2, 0.4 + n / 40))
        for name, n in number.items()
    ]
    causes = {"found": 13, "below_k": 3, "duplicate": 1, "not_returned": 2, "nowhere": 1}
    if empty:
        causes = dict.fromkeys(causes, 0)
    of_queries = [] if empty else [0.5, 0.25, 0.0, -0.5]
    first, second = names[-1], names[0]

    def say(text: Text) -> str:
        return text_of(text, language)

    figures = [
        cost_chart(say, priced, id="c", title=names[-1], label=names[-1], axis=names[0]),
        forest(
            say, rows, id="f", heading=names[-1], label=names[-1], baseline=names[0], margin=0.01
        ),
        against_k(curves, k_axis(curves), id="c-P", label=names[-1]),
        precision_recall(trades, id="t"),
        recall_by_context(curves, id="x", unit="words"),
        precision_by_coverage(
            [replace(line(name), x=np.linspace(0, 1, 100)) for name in names],
            id="v",
        ),
        differences(
            say,
            of_queries,
            first=first,
            second=second,
            numbers=(number[first], 0),
            label=names[-1],
            id="d",
        ),
        stacked_bars(
            say,
            [
                Bar(name, number[name], causes, 0 if empty else 20, dict.fromkeys(causes, "#d=1"))
                for name in names
            ],
            {part: part for part in causes},
            id="k",
            heading="Where the first relevant passage is",
            counted="queries",
            note="Select a part of a bar to see its queries.",
        ),
        effect_chart(
            say,
            [
                ParameterEffect(
                    name,
                    (
                        ValueEffect(name, 1, NAN if empty else 0.5, Estimate(0.0, -0.1, 0.2)),
                        ValueEffect(0.9, 1, NAN if empty else 0.6, Estimate(0.1, 0.0, 0.2)),
                    ),
                    spread=0.1,
                    balanced=True,
                )
                for name in names
            ],
            dict.fromkeys(names, 0.9),
            retriever=names[-1],
            number=3,
            id="e",
            label=names[0],
        ),
        *(
            heat_map(
                say,
                HeatMap(
                    across=names[-1],
                    down=names[0],
                    columns=tuple(map(float, range(columns))),
                    rows=tuple(map(float, range(len(names)))),
                    means=tuple(
                        np.full(columns, NAN)
                        if empty
                        else np.arange(row * columns, (row + 1) * columns) / 400
                        for row in range(len(names))
                    ),
                ),
                {names[0]: 0, names[-1]: 2 if len(names) > 1 else 0},
                retriever=names[-1],
                id=f"h{columns}",
                label=names[0],
            )
            for columns in (3, 40)
        ),
        history(say, over_time, id="h", label=names[-1]),
    ]
    drawn: list[Figure] = translated(figures, language)
    return drawn
