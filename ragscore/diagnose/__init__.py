"""Why queries fail: causes that recorded runs, judgments and texts show, no more.

What they cannot tell is why a retriever ranks as it does, or whether a passage that nobody judged
is an answer all the same.
"""

from __future__ import annotations

from ragscore.diagnose.causes import CAUSES, FOUND, Causes, causes
from ragscore.diagnose.ceilings import Ceiling, ceiling
from ragscore.diagnose.losses import FATES, Losses, Move, losses
from ragscore.diagnose.duplicates import NearDuplicates, nearly_same, shingles

__all__ = [
    "CAUSES",
    "Causes",
    "Ceiling",
    "FATES",
    "FOUND",
    "Losses",
    "Move",
    "NearDuplicates",
    "causes",
    "ceiling",
    "losses",
    "nearly_same",
    "shingles",
]
