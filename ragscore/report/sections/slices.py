"""Slices: the chosen measure by each tag or metadata key."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from ragscore.comparison.query_slices import Slices
from ragscore.comparison.slice_tables import Filters, gap_table, slice_table
from ragscore.elements import Element, Paragraph, Section
from ragscore.messages import _
from ragscore.report.explorer.filters import filter_of, filterable
from ragscore.report.explorer.rankings import explored
from ragscore.report.report import Report
from ragscore.report.sections import TITLES
from ragscore.report.sections.arrangement import by_both, by_measure, named
from ragscore.results import DatasetResult

MOST_ROWS = 40
"""Slices of one key that are shown, the largest."""
MOST_GAPS = 10
"""Decided gaps of one key and choice that are shown, the smallest p first."""


def slices(report: Report, panel: DatasetResult) -> Section | None:
    """By tag or metadata: means with intervals, and where differences depend on the slice."""
    found = [sliced for sliced in panel.slices.get(panel.baseline, ()) if sliced.slices]
    if not found:
        return None
    filters = _filters(panel, found)
    if len(panel.retrievers) > 1:
        says = _(
            "The same measures for one kind of query at a time. In a small slice, a different "
            "order alone says little; the tests show where a difference really depends on the "
            "slice."
        )
    else:
        says = _("The same measures for one kind of query at a time.")
    elements: list[Element] = [Paragraph(says)]
    for at, of in enumerate(found):
        if len(panel.retrievers) == 1:
            id = _id(panel, "slices", of.by, at)
            elements.append(slice_table(of, None, id=id, most=MOST_ROWS, filters=filters))
            continue
        elements.append(by_measure(panel, partial(_means, panel, filters, of, at)))
        if any(gap.p is not None for part in of.slices for m in part.measures for gap in m.gaps):
            elements.append(by_both(panel, partial(_gaps, panel, filters, of.by, at)))
    return Section("slices", TITLES["slices"], tuple(elements))


def _filters(panel: DatasetResult, found: Sequence[Slices]) -> Filters:
    """What the explorer's filter for a slice is called, where it has one."""
    if panel.data is None or not panel.runs:
        return {}
    groups = filterable(panel.data.queries, explored(panel))
    named = {(of.by, part.value) for of in found for part in of.slices}
    return {part: name for part in named if (name := filter_of(groups, *part)) is not None}


def _sliced(panel: DatasetResult, baseline: str, by: str) -> Slices | None:
    return next((of for of in panel.slices.get(baseline, ()) if of.by == by), None)


def _id(panel: DatasetResult, kind: str, by: str, at: int) -> str:
    """A name for files: that of the key where it is plain."""
    plain = re.fullmatch(r"[A-Za-z0-9_-]{1,40}", by)
    return named(panel, f"{kind}-{by if plain else at + 1}")


def _means(
    panel: DatasetResult, filters: Filters, of: Slices, at: int, measure: str
) -> tuple[Element, ...]:
    id = _id(panel, "slices", of.by, at)
    return (slice_table(of, measure, id=id, most=MOST_ROWS, filters=filters),)


def _gaps(
    panel: DatasetResult,
    filters: Filters,
    by: str,
    at: int,
    baseline: str,
    measure: str,
) -> tuple[Element, ...]:
    of = _sliced(panel, baseline, by)
    if of is None:
        return ()
    id, options = _id(panel, "gaps", by, at), panel.options
    return tuple(gap_table(of, measure, options, id=id, most=MOST_GAPS, filters=filters))
