"""judge(run, qrels) -> Judged: the only place where a returned passage meets a judgment.

What comes out is a matrix of grades. Measures read it and nothing else.
"""

from __future__ import annotations

from ragscore.judge.blocks import BLOCK, Asked, Blocks, judge
from ragscore.judge.found import Found, Ranked
from ragscore.judge.judged import Judged, ties_across
from ragscore.judge.pool import JUDGED, OUTSIDE, PAD, UNJUDGED, Pool

__all__ = [
    "Asked",
    "BLOCK",
    "Blocks",
    "Found",
    "JUDGED",
    "Judged",
    "OUTSIDE",
    "PAD",
    "Pool",
    "Ranked",
    "UNJUDGED",
    "judge",
    "ties_across",
]
