"""A stage whose tasks workers do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from ragscore.messages import Message, _
from ragscore.progress import CountedStage, Progress, Stage

SO_FAR = {
    "blocks": _("{count} of {n} blocks are done and kept; run the same command again to continue"),
    "queries": _(
        "{count} of {n} queries are done and kept; run the same command again to continue"
    ),
}
"""By unit, the note where Ctrl-C stops it."""


@contextmanager
def spread_stage(
    progress: Progress, label: Message, total: int, unit: Literal["blocks", "queries"]
) -> Iterator[Stage]:
    """Shows how many units are done; where Ctrl-C stops it, a note says that these are kept.

    Args:
        progress: reports both.
        label: what the stage is called.
        total: how many units there are.
        unit: what is counted.
    """
    counted = CountedStage()
    try:
        with progress.stage(label, total, unit) as counted.shown:
            yield counted
    except KeyboardInterrupt:
        done = SO_FAR[unit]
        progress.note(done.given(count=f"{counted.count:,}", n=f"{total:,}"))
        raise
