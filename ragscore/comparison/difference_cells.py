"""Cells, signs and a few words on one difference."""

from __future__ import annotations

from collections.abc import Mapping

from ragscore.comparison.options import CompareOptions
from ragscore.comparison.record import ALPHA, Difference, Family
from ragscore.elements import Cell
from ragscore.elements.cells import difference_cell, p_cell, record_cell
from ragscore.elements.numbers import BELOW_MARGIN, DECIDED, count_text
from ragscore.messages import Text, _
from ragscore.stats.corrections import Correction
from ragscore.stats.few_differ import only_differ

CORRECTIONS: Mapping[Correction, Text] = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "BH",
    "none": _("none"),
}


def decided_mark(difference: Difference) -> str:
    """The mark behind a difference; none where nothing is decided, or outside the family."""
    if not difference.decided:
        return ""
    return BELOW_MARGIN if difference.below_margin else DECIDED


def compared_cell(difference: Difference, *, retriever: str | None = None) -> Cell:
    """A difference with its sign, its interval, and a mark where it is decided.

    Args:
        difference: of two retrievers on one measure.
        retriever: whose row it stands in.
    """
    hint = difference.interval.note
    if difference.disagrees:
        hint = _("The interval excludes 0, but the test does not decide the difference.")
        if difference.p_adjusted < ALPHA:
            hint = _("The interval includes 0, so nothing is decided.")
        elif difference.test.p < ALPHA:
            hint = _("The interval excludes 0, but the difference is not decided after correction.")
    return difference_cell(
        difference.value,
        difference.interval,
        mark=decided_mark(difference),
        retriever=retriever,
        hint=hint,
    )


def compared_record(difference: Difference) -> Cell:
    """Queries on which a retriever is better, worse, the same."""
    return record_cell(difference.wins, difference.losses, difference.ties)


def brief_cells(difference: Difference) -> tuple[Cell, ...]:
    """What every table of differences has: the difference, W/L/T and the corrected p."""
    return (
        compared_cell(difference, retriever=difference.retriever),
        compared_record(difference),
        p_cell(difference.p_adjusted, floor=difference.test.at_floor),
    )


def withheld_text(difference: Difference) -> Text:
    """Why nothing is claimed of a difference; empty if something is.

    >>> from types import SimpleNamespace as Some
    >>> one = Some(withheld="few differ", differing=2, n=100, clusters=None)
    >>> str(withheld_text(one))
    'only 2 of 100 queries differ'
    """
    if not difference.withheld:
        return ""
    if difference.withheld == "no margin":
        return _("no margin on this measure")
    clusters = difference.clusters
    several = "queries" if clusters is None else "clusters"
    if difference.withheld == "few differ":
        units = difference.n if clusters is None else clusters
        return only_differ(difference.differing, units, several)
    if difference.withheld == "one unit":
        if clusters is None:
            return _("fewer than two queries")
        return _("fewer than two clusters")
    if clusters is None:
        return _("every query differs by the same amount")
    return _("every cluster differs by the same amount")


def family_name(family: Family) -> Text:
    """Which comparisons are corrected together: ``all 3 pairs``."""
    count, baseline = count_text(family.m), family.baseline
    if baseline is None:
        return _("all {count} pairs", count=count) if family.m > 1 else _("the only pair")
    if family.m > 1:
        return _("the {count} comparisons with {baseline}", count=count, baseline=baseline)
    return _("the comparison with {baseline}", baseline=baseline)


def correction_name(options: CompareOptions) -> Text:
    """The method that corrects p-values, as tables and sentences name it."""
    return CORRECTIONS[options.correction]
