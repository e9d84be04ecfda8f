"""leaked(run, qrels, k): the forbidden passages that came back, one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Qrels
from ragscore.run import Run


@dataclass(frozen=True, eq=False)
class Leaked:
    """n forbidden passages that came back, by query and rank.

    Attributes:
        query: int64[n], rows of the judgments' queries.
        passage: int32[n], rows of the run's passages.
        rank: int64[n], from 1.
        source: int16[n], what forbids it; see :meth:`ragscore.dataset.forbidden.Forbidden.sources`.
    """

    query: NDArray[np.int64]
    passage: NDArray[np.int32]
    rank: NDArray[np.int64]
    source: NDArray[np.int16]


def leaked(run: Run, qrels: Qrels, k: int) -> Leaked:
    """What came back among the first k passages of each query, judged or not, and must not have.

    Args:
        run: over the passages of the judgments, any others behind them; where cutoffs count units,
            the first passage of each alone.
        qrels: with what is forbidden; without it nothing leaks.
    """
    query_rows = qrels.queries.rows(run.queries).astype(np.int64)
    here = np.flatnonzero(query_rows >= 0)
    rows = run.rows[here, :k]
    source = np.zeros(rows.shape, dtype=np.int16)
    if qrels.forbidding is not None:
        source = qrels.forbidding.sources(query_rows[here], qrels.places(rows))
    at, place = np.nonzero(source)
    return Leaked(query_rows[here][at], rows[at, place], place + 1, source[at, place])
