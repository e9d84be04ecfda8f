"""The same place for each choice of baseline and primary measure."""

from __future__ import annotations

from collections.abc import Callable

from ragscore.blocks import Block
from ragscore.report.data import Panel
from ragscore.report.model import Choice, Swap

Blocks = tuple[Block, ...]


def by_both(panel: Panel, make: Callable[[str, str], Blocks]) -> Swap:
    """What depends on the baseline and on the measure; ``make(baseline, measure)``."""
    return Swap(
        {
            Choice(baseline, measure): make(baseline, measure)
            for baseline, measure in panel.comparisons
        },
        Choice(panel.baseline, panel.primary),
    )


def by_measure(panel: Panel, make: Callable[[str], Blocks]) -> Swap:
    """What depends on the measure alone."""
    return Swap(
        {Choice(measure=measure): make(measure) for measure in panel.primaries},
        Choice(measure=panel.primary),
    )


def named(panel: Panel, name: str) -> str:
    """The id of a table or chart: its name, unique in a report of several datasets.

    The first dataset's have no prefix, as their sections have none.
    """
    return name if panel.index == 0 else f"d{panel.index}-{name}"
