"""judged_ranks(runs, qrels): where the judged passages stand in runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Qrels
from ragscore.judge.lookup import Lookup
from ragscore.judge.of_units import of_units
from ragscore.run import Run


def judged_ranks(runs: Mapping[str, Run], qrels: Qrels) -> dict[str, NDArray[np.int32]]:
    """By run the rank (from 1) of each judged passage, 0 if it did not come back: int32[J].

    Args:
        runs: over the passages of the judgments, any others behind them.
        qrels: the J judgments; where they name units, ranks are those of units.
    """
    lookup = Lookup(qrels)
    ranks = {}
    for name, run in runs.items():
        query_rows = qrels.queries.rows(run.queries).astype(np.int64)
        here = np.flatnonzero(query_rows >= 0)
        rank = np.zeros(len(qrels), dtype=np.int32)
        _, place, judgment = lookup.hits(query_rows[here], of_units(run, qrels).rows[here])
        rank[judgment] = place + 1
        ranks[name] = rank
    return ranks
