"""Why queries fail: causes that recorded runs, judgments and texts show, no more.

What they cannot tell is why a retriever ranks as it does, or whether a passage that nobody judged
is an answer all the same.
"""

from __future__ import annotations

from ragscore.diagnose.causes import CAUSES, FOUND, Causes, causes
from ragscore.diagnose.duplicates import nearly_same
from ragscore.diagnose.stage_outcomes import (
    STAGE_OUTCOMES,
    Ceiling,
    Losses,
    Move,
    StageOutcome,
    ceiling,
    losses,
)

__all__ = [
    "CAUSES",
    "Causes",
    "Ceiling",
    "FOUND",
    "Losses",
    "Move",
    "STAGE_OUTCOMES",
    "StageOutcome",
    "causes",
    "ceiling",
    "losses",
    "nearly_same",
]
