"""Thresholds: the settings that are tried, strictest first, and how many passages each keeps."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log10

import numpy as np
from numpy.typing import NDArray

from ragscore.errors import ConfigError
from ragscore.run import Run
from ragscore.tuning.options import By

SETTINGS = 100
"""How many score cuts are tried at quantiles of all scores, and as many of the first passages'."""
GRAIN = 1_000
"""Cuts are rounded to a step, of which the range of the scores has this many: the cut that is
printed is the cut that was tried."""


@dataclass(frozen=True, eq=False)
class Thresholds:
    """The settings.

    Attributes:
        by: what is cut.
        values: float64[S], the k, or the score, gap or ratio at the cut; strictest first.
        decimals: of a value as it is printed.
    """

    by: By
    values: NDArray[np.float64]
    decimals: int = 0

    @classmethod
    def of(cls, run: Run, by: By) -> Thresholds:
        """Every k up to the run's depth, or cuts of its scores.

        Raises:
            ConfigError: the run has no scores, or (ratio) some that are not above 0.
        """
        if by != "k":
            return _score_cuts(run, by)
        return cls("k", np.arange(1, run.depth + 1, dtype=np.float64))

    def __len__(self) -> int:
        return len(self.values)

    def label(self, at: int) -> str:
        """``k = 5``, ``score >= 0.41``, ``gap <= 0.2``, ``ratio >= 0.8``."""
        relation = {"k": "=", "score": ">=", "gap": "<=", "ratio": ">="}[self.by]
        return f"{self.by} {relation} {self.shown(at)}"

    def shown(self, at: int) -> str:
        """The value alone."""
        return f"{self.values[at]:.{self.decimals}f}"

    def taken(self, run: Run) -> NDArray[np.int64]:
        """How many passages each query gets at each setting: int64[Q, S]. A k counts also where
        fewer came back; a score cut only what came back."""
        if self.by == "k":
            everyone = np.arange(1, len(self) + 1)
            return np.broadcast_to(everyone, (len(run), len(self)))
        heights = _heights(run, self.by)
        # NaN behind the last passage is above no cut.
        limits = -self.values if self.by == "gap" else self.values
        passing = [(heights >= limit).sum(axis=1) for limit in limits]
        return np.stack(passing, axis=1).astype(np.int64)


def _score_cuts(run: Run, by: By) -> Thresholds:
    """Cuts at quantiles of what the run's scores, gaps or ratios are; of scores also at quantiles
    of the first passages' alone, which decide how many queries are answered."""
    if run.scores is None:
        raise ConfigError(
            "the run has no scores, only an order", where=run.name, instead="Cut by k"
        )
    heights = _heights(run, by)
    seen = heights[~np.isnan(heights)]
    if not len(seen):
        raise ConfigError("the run is empty", where=run.name)
    lowest, highest = float(seen.min()), float(seen.max())
    spread = highest - lowest
    decimals = max(0, ceil(log10(GRAIN / spread))) if spread > 0 else 6
    scale = 10.0**decimals
    at = np.linspace(0.0, 1.0, SETTINGS)
    quantiles = np.quantile(seen, at, method="lower")
    if by == "score":
        firsts = heights[:, 0][~np.isnan(heights[:, 0])]
        quantiles = np.concatenate([quantiles, np.quantile(firsts, at, method="lower")])
    values = np.unique(np.floor(quantiles * scale) / scale)[::-1]
    return Thresholds(by, np.abs(values) if by == "gap" else values, decimals)


def _heights(run: Run, by: By) -> NDArray[np.float64]:
    """What must be at or above a cut: float64[Q, depth], falling, NaN behind the last."""
    scores = run.scores
    assert scores is not None
    if by == "score" or not scores.shape[1]:
        return scores
    first = scores[:, :1]
    if by == "gap":
        return scores - first
    if (first <= 0).any():
        raise ConfigError(
            "a ratio needs scores above 0, and the first of some queries is not",
            where=run.name,
            instead="Cut by gap",
        )
    return scores / first
