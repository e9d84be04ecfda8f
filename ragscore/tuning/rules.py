"""The rules by which a setting is chosen, on all queries or on parts of them alike.

Settings stand in order, the strictest first. Where a rule's target is reached nowhere, what comes
nearest is chosen, and ``reached`` says that it falls short.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragscore.stats.bands import SettingValues
from ragscore.stats.cross_validation import highest
from ragscore.stats.units import SAME
from ragscore.tuning.options import TuneOptions


@dataclass(frozen=True, eq=False)
class ChosenSettings:
    """What parts of the queries chose: the setting int64[T], and whether it has what the rule asks
    bool[T]: the target and the coverage, where these are given."""

    setting: NDArray[np.int64]
    reached: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class RuleChoice:
    """A rule over the settings' values.

    Attributes:
        options: the rule and its target.
        judged_by: the measure that the rule looks at, of every query at every setting.
        taken: passages that each query gets; the knee's other axis, None for other rules.
        answered: who gets a passage, 0 or 1, for a coverage to be compared with; None without one.
    """

    options: TuneOptions
    judged_by: SettingValues
    taken: SettingValues | None
    answered: SettingValues | None

    def choose(self, parts: NDArray[np.bool_]) -> ChosenSettings:
        """What these parts of the queries, bool[T, Q], would choose."""
        options, rule = self.options, self.options.rule
        assert rule is not None
        means = values = self.judged_by.means(parts)
        if rule == "knee":
            assert self.taken is not None
            values = _above_the_line(self.taken.means(parts), means)
        elif options.confident:
            # Where nothing can be estimated, nothing is sure.
            values = np.nan_to_num(self.judged_by.bands(parts).low, nan=0.0)
        covering = self._covering(parts)
        near = highest(np.where(covering, values, -np.inf))
        if not covering.any(axis=1).all():  # then the loosest cut comes nearest
            near = np.where(covering.any(axis=1), near, values.shape[1] - 1)
        reached = np.any(covering, axis=1)
        if options.target is None:
            if rule == "knee":  # before anything is found there is no knee
                reached &= np.take_along_axis(means, near[:, None], axis=1)[:, 0] > 0
            return ChosenSettings(near, reached)
        enough = covering & (values >= options.target - SAME)
        reached = np.any(enough, axis=1)
        if rule == "recall":
            first = np.argmax(enough, axis=1)
        else:
            first = enough.shape[1] - 1 - np.argmax(enough[:, ::-1], axis=1)
        return ChosenSettings(np.where(reached, first, near), reached)

    def _covering(self, parts: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which settings answer as many of the queries as the options ask: bool[T, S]."""
        if self.options.coverage is None:
            return np.ones((len(parts), self.judged_by.values.shape[1]), dtype=bool)
        assert self.answered is not None
        covering: NDArray[np.bool_] = self.answered.means(parts) >= self.options.coverage - SAME
        return covering

    def settings(self, parts: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The settings alone: what cross-validation asks."""
        return self.choose(parts).setting


def _above_the_line(sizes: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each point of a curve stands above the straight line between its ends, both axes
    scaled to 0..1: float64[T, S]. The knee is where that is largest.

    Source: Satopää et al., Finding a "Kneedle" in a Haystack, ICDCSW 2011, without smoothing.
    """
    return np.round(_scaled(values) - _scaled(sizes), 12)


def _scaled(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    first, last = rows[:, :1], rows[:, -1:]
    span = np.where(last > first, last - first, 1.0)
    scaled: NDArray[np.float64] = (rows - first) / span
    return scaled
