"""The rules by which a setting is chosen, on all queries or on parts of them alike.

Settings stand in order, the strictest first. Where a rule's target is reached nowhere, what comes
nearest is chosen, and said to be so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.tuning.bands import Columns
from ragscore.tuning.cross_validation import SAME, highest, parts_means
from ragscore.tuning.options import TuneOptions


@dataclass(frozen=True, eq=False)
class Choice:
    """What parts of the queries chose: the setting int64[T], and whether the target was reached
    there bool[T] (true where the rule has none)."""

    setting: NDArray[np.int64]
    reached: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Chooser:
    """A rule over the settings' values.

    Attributes:
        options: the rule and its target.
        judged_by: the measure that the rule looks at, of every query at every setting.
        taken: float64[Q, S], passages that each query gets; the knee's other axis.
    """

    options: TuneOptions
    judged_by: Columns
    taken: NDArray[np.float64]

    def choose(self, parts: NDArray[np.bool_]) -> Choice:
        """What these parts of the queries, bool[T, Q], would choose."""
        rule = self.options.rule
        means = self.judged_by.means(parts)
        reached = np.ones(len(parts), dtype=bool)
        if rule in ("best_f", "budget"):
            return Choice(highest(means), reached)
        if rule == "knee":
            return Choice(knees(parts_means(self.taken, parts), means), reached)
        assert self.options.target is not None
        if self.options.confident:
            # Where nothing can be estimated, nothing is sure.
            means = np.nan_to_num(self.judged_by.bands(parts).low, nan=0.0)
        enough = means >= self.options.target - SAME
        reached = np.any(enough, axis=1)
        if rule == "recall":
            first = np.argmax(enough, axis=1)
        else:
            first = enough.shape[1] - 1 - np.argmax(enough[:, ::-1], axis=1)
        return Choice(np.where(reached, first, highest(means)), reached)

    def settings(self, parts: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The settings alone: what cross-validation asks."""
        return self.choose(parts).setting


def knees(sizes: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Where each curve stands furthest above the straight line between its ends, both axes scaled
    to 0..1: int64[T] from float64[T, S] each; the first setting where none is above it.

    Source: Satopää et al., Finding a "Kneedle" in a Haystack, ICDCSW 2011, without smoothing.
    """
    across, up = _scaled(sizes), _scaled(values)
    knee: NDArray[np.int64] = np.argmax(np.round(up - across, 12), axis=1)
    return knee


def _scaled(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    first, last = rows[:, :1], rows[:, -1:]
    span = np.where(last > first, last - first, 1.0)
    scaled: NDArray[np.float64] = (rows - first) / span
    return scaled
