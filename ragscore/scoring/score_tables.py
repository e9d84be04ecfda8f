"""Scores as tables: the means of retrievers, and the values of queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ragscore.blocks import Cell, Column, Table
from ragscore.blocks.cells import name_cell, nothing, number_cell, retriever_column, text_cell
from ragscore.blocks.numbers import interval_text, number_text
from ragscore.measures import Measure, parse_measure
from ragscore.scoring.retriever_scores import ScoreRow
from ragscore.strings import Language, Strings


def means_table(
    rows: Iterable[ScoreRow],
    strings: Strings,
    *,
    title: str = "",
    id: str = "means",
    first: Column | None = None,
) -> Table:
    """One row a retriever; a column for each measure that one of them has.

    Args:
        rows: of one dataset, or of the average over several.
        strings: of scoring.
        title: above the table.
        id: of the table.
        first: the column of names; by default that of retrievers.
    """
    means: dict[str, dict[str, ScoreRow]] = {}
    labels: dict[str, str] = {}
    for row in rows:
        means.setdefault(row.retriever, {})[row.measure] = row
        labels[row.measure] = row.label
    measures = {name: parse_measure(name) for name in labels}
    columns = (
        first or retriever_column(strings),
        *(
            measure_column(measure, labels[name], strings.language)
            for name, measure in measures.items()
        ),
    )
    cells = tuple(
        (
            name_cell(retriever),
            *(
                _mean_cell(measure, of_measure[name]) if name in of_measure else nothing()
                for name, measure in measures.items()
            ),
        )
        for retriever, of_measure in means.items()
    )
    return Table(id, title, columns, cells)


def query_table(
    title: str,
    query_ids: Sequence[str],
    measures: Sequence[Measure],
    values: NDArray[np.float64],
    strings: Strings,
) -> Table:
    """One row a query, of one retriever.

    Args:
        title: its name.
        query_ids: ids of Q queries.
        measures: M of them.
        values: float64[M, Q]; NaN where a measure is undefined.
        strings: of scoring.
    """
    columns = (
        Column("query", strings("column_query"), "text"),
        *(measure_column(measure, str(measure), strings.language) for measure in measures),
    )
    rows = tuple(
        (
            text_cell(query),
            *(value_cell(measure, value) for measure, value in zip(measures, own, strict=True)),
        )
        for query, own in zip(query_ids, values.T.tolist(), strict=True)
    )
    return Table(f"queries-{title}", title, columns, rows)


def measure_column(
    measure: Measure, label: str, language: Language, *, interval: bool = True
) -> Column:
    """Values of a measure.

    Args:
        measure: which.
        label: what people read above them.
        language: of the hint that says what the measure is.
        interval: whether cells have intervals.
    """
    return Column(
        str(measure),
        label,
        hint=measure.summary_in(language),
        interval=interval,
        better="low" if measure.lowest_is_best else "high",
    )


def value_cell(measure: Measure, value: float) -> Cell:
    """A value as people read it: three decimals; a count is whole."""
    return number_cell(value, 0 if _whole(measure, value) else 3)


def _mean_cell(measure: Measure, row: ScoreRow) -> Cell:
    if row.low is None or row.high is None or np.isnan(row.value):
        return value_cell(measure, row.value)
    outer = " outer" if row.bounds == "outer" else ""
    return Cell(
        row.value,
        number_text(row.value, 0 if _whole(measure, row.value) else 3),
        low=row.low,
        high=row.high,
        interval=interval_text(row.low, row.high) + outer,
    )


def _whole(measure: Measure, value: float) -> bool:
    return measure.aggregate == "sum" and value == round(value)
