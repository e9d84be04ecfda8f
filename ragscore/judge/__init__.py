"""judge(run, qrels) -> Judged: the only place where ids of a run meet those of judgments.

A run in memory is looked up; one that is being read is joined by text, a piece at a time. What
comes out of both is :class:`Blocks`: matrices of grades. Measures read them and nothing else.
"""

from __future__ import annotations

from ragscore.judge.covered import ANY_GRADE, CoveredNeeds
from ragscore.judge.found import Found, Ranked
from ragscore.judge.ids_apart import IdsApart, ids_apart
from ragscore.judge.join import JoinTo
from ragscore.judge.joined_part import JoinedPart, SplitQueryError
from ragscore.judge.joined_run import JoinedRun, PartGaps
from ragscore.judge.judged import Judged
from ragscore.judge.leaked import Leaked, leaked
from ragscore.judge.of_units import in_units, named_units, of_units
from ragscore.judge.pool import JUDGED, OUTSIDE, PAD, UNJUDGED, Pool
from ragscore.judge.query_blocks import (
    BLOCK,
    Blocks,
    LeftOut,
    QueryCounts,
    judge,
    judged_queries,
)
from ragscore.judge.ranks import judged_ranks
from ragscore.judge.retrieved import numbered_alike
from ragscore.judge.ties import ties_across

__all__ = [
    "QueryCounts",
    "ANY_GRADE",
    "BLOCK",
    "Blocks",
    "CoveredNeeds",
    "Found",
    "IdsApart",
    "JUDGED",
    "JoinTo",
    "JoinedPart",
    "JoinedRun",
    "Judged",
    "Leaked",
    "LeftOut",
    "OUTSIDE",
    "PAD",
    "PartGaps",
    "Pool",
    "Ranked",
    "SplitQueryError",
    "UNJUDGED",
    "ids_apart",
    "in_units",
    "judge",
    "judged_queries",
    "judged_ranks",
    "leaked",
    "named_units",
    "numbered_alike",
    "of_units",
    "ties_across",
]
