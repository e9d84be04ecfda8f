"""judge(run, qrels) -> Judged: the only place where a returned passage meets a judgment.

What comes out is a matrix of grades. Measures read it and nothing else.
"""

from __future__ import annotations

from ragscore.judge.blocks import BLOCK, Asked, Blocks, judge
from ragscore.judge.judged import JUDGED, OUTSIDE, PAD, UNJUDGED, Judged

__all__ = ["BLOCK", "JUDGED", "OUTSIDE", "PAD", "UNJUDGED", "Asked", "Blocks", "Judged", "judge"]
