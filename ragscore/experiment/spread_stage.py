"""A stage whose tasks workers do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from ragscore.experiment.strings import STRINGS
from ragscore.progress import STAGES, CountedStage, Progress, Stage


@contextmanager
def spread_stage(
    progress: Progress, label: str, total: int, unit: Literal["blocks", "queries"], **facts: str
) -> Iterator[Stage]:
    """Shows how many units are done; where Ctrl-C stops it, a note says that these are kept.

    Args:
        progress: is notified of both.
        label: of :data:`~ragscore.progress.STAGES`, with its facts.
        total: how many units there are.
        unit: what is counted.
    """
    counted = CountedStage()
    try:
        with progress.stage(STAGES(label, **facts), total, unit) as counted.shown:
            yield counted
    except KeyboardInterrupt:
        count = f"{counted.count:,}"
        progress.note(STRINGS(f"{unit}_so_far", count=count, n=f"{total:,}"))
        raise
