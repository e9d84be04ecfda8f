"""What a new baseline would lower: values that fall, or that it no longer has."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ragscore.elements import Column, Element, Table
from ragscore.elements.cells import (
    count_cell,
    name_cell,
    nothing,
    number_cell,
    signed_cell,
    text_cell,
)
from ragscore.errors import ConfigError
from ragscore.gate.baseline import Baseline
from ragscore.measures import parse_measure
from ragscore.messages import _, _c

ROUNDING = 1e-12
"""Means that differ by less are the same: their queries were added in another order."""


@dataclass(frozen=True)
class LoweredValue:
    """A value of a baseline that a new one lowers, or no longer has.

    Attributes:
        dataset, retriever, measure: whose value.
        before: the mean in the old baseline.
        now: the mean in the new one; NaN if it has none.
        lost: queries of the old baseline that the new one lacks, or that have no value any more,
            such as one that a system did not answer and that is left out.
    """

    dataset: str
    retriever: str
    measure: str
    before: float
    now: float
    lost: int = 0


def lowered(old: Baseline, new: Baseline) -> tuple[LoweredValue, ...]:
    """What a new baseline asks less of: values that fall, and those of retrievers, measures and
    queries that it no longer has."""
    found = []
    for entry in old.entries:
        after = new.get(entry.dataset, entry.retriever)
        places = {query: at for at, query in enumerate(after.query_ids if after else ())}
        rows = np.array([places.get(query, -1) for query in entry.query_ids], dtype=np.int64)
        gone = rows < 0
        for at, (measure, before) in enumerate(
            zip(entry.measures, entry.means.tolist(), strict=True)
        ):
            now, lost = math.nan, int(gone.sum())
            if after is not None and measure in after.measures:
                own = after.measures.index(measure)
                now = float(after.means[own])
                had = ~np.isnan(entry.values[at, ~gone])
                lost += int((had & np.isnan(after.values[own, rows[~gone]])).sum())
            if _is_worse(measure, before, now) or lost:
                found.append(
                    LoweredValue(entry.dataset, entry.retriever, measure, before, now, lost)
                )
    return tuple(found)


def _is_worse(measure: str, before: float, now: float) -> bool:
    if math.isnan(before):
        return False
    if math.isnan(now):
        return True
    try:
        falls = before - now if not parse_measure(measure).lowest_is_best else now - before
    except ConfigError:  # of a package that is not installed here
        falls = before - now
    return falls > ROUNDING


def lowered_elements(values: Iterable[LoweredValue], *, accepted: bool) -> list[Element]:
    """A table of the values that fall.

    Args:
        values: of :func:`lowered`.
        accepted: whether the new baseline was written all the same.
    """
    columns = (
        Column("dataset", _("Dataset"), "text"),
        Column("retriever", _("Retriever"), "text"),
        Column("measure", _("Measure"), "text"),
        Column("before", _c("gate", "Baseline")),
        Column("now", _("Now")),
        Column("change", _("Change")),
        Column("lost", _("Queries lost")),
    )
    rows = tuple(
        (
            text_cell(value.dataset),
            name_cell(value.retriever),
            text_cell(value.measure),
            number_cell(value.before),
            number_cell(value.now),
            signed_cell(value.now - value.before),
            count_cell(value.lost) if value.lost else nothing(),
        )
        for value in values
    )
    title = _("These values fell") if accepted else _("These values would fall")
    notes = () if accepted else (_("Add --accept to write it anyway."),)
    return [Table("lowered", title, columns, rows, notes)]
