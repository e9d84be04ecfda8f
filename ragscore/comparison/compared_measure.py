"""Per-query values of a measure, transformed so that their mean is its aggregate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.measures import Measure
from ragscore.messages import Text, _, joined
from ragscore.scoring import RetrieverScores
from ragscore.scoring.means import MIN_IN_LOG
from ragscore.stats.intervals import Interval, ShareMethod


def lies_in_0_to_1(measure: Measure) -> bool:
    """Whether what is compared of a measure lies in [0, 1]: not the logarithms of a geometric
    mean."""
    return measure.bounded and measure.aggregate != "geometric mean"


@dataclass(frozen=True)
class ComparedMeasure:
    """One measure as it is compared.

    Attributes:
        measure: as it parses.
        mean_label: as tables print its mean.
        label: as tables print it, with what must be known of the direction.
        sign: +1, or -1 where small values are good: differences are multiplied by it.
        scale: ``logarithm`` where values are natural logarithms (a geometric mean), and the
            means their exponentials.
        shares: how the interval of a mean is made, where all values of all retrievers are 0 or 1;
            None if others are among them.
        guards: it counts what must not come back, which is worse than not relevant.
        bounded: the values lie in [0, 1], so that a margin of 0.01 means something.
        notes: what a reader must know.
    """

    measure: str
    mean_label: Text
    label: Text
    sign: int
    scale: Literal["as it is", "logarithm"]
    shares: ShareMethod | None
    guards: bool
    bounded: bool
    notes: tuple[Text, ...]

    @property
    def name(self) -> Text:
        """Its name in sentences, which says so if lower is better: a lead is then a smaller
        value."""
        if self.sign < 0:
            return _("{label} (lower is better)", label=self.mean_label)
        return self.mean_label

    def inside(self, interval: Interval) -> Interval:
        """The interval of a mean, no wider than the measure's own range."""
        if not (self.bounded and interval.estimable):
            return interval
        return replace(interval, low=max(interval.low, 0.0), high=min(interval.high, 1.0))


def comparable(
    asked: tuple[Measure, tuple[Measure, ...]],
    entries: Sequence[RetrieverScores],
    rows: Sequence[NDArray[np.int64]],
) -> tuple[ComparedMeasure, NDArray[np.float64]]:
    """What is compared of one measure, and its values: float64[S, Q].

    A mean is compared by the values as they are; a sum too, as a mean per query. A geometric
    mean is compared by logarithms. A micro average, whose queries weigh differently, by its
    linearisation ``r + w (x - r) / mean(w)``: its mean is the average r, and its spread that of
    the ratio estimator (Cochran, Sampling Techniques, 1977, chapter 6).

    Args:
        asked: the measure as it was asked for, and as it is for each entry.
        entries: scores of each retriever.
        rows: where the common queries stand in each.
    """
    wanted, of_each = asked
    same = len(set(of_each)) == 1
    measure = of_each[0] if same else wanted
    notes = []
    if not same:
        pairs = zip(of_each, entries, strict=True)
        cutoffs = [
            _("{measure} for {retriever}", measure=own, retriever=entry.retriever)
            for own, entry in pairs
        ]
        notes.append(
            _(
                "the cutoff differs between retrievers: {listed}",
                listed=joined(cutoffs, ", "),
            )
        )
    values = np.stack(
        [
            _per_query(own, entry, row)
            for own, entry, row in zip(of_each, entries, rows, strict=True)
        ]
    )
    scale: Literal["as it is", "logarithm"] = "as it is"
    if measure.aggregate == "geometric mean":
        values, scale = np.log(np.maximum(values, MIN_IN_LOG)), "logarithm"
        notes.append(_("differences are on a natural log scale: +0.1 is about 10 % more"))
    if measure.aggregate == "sum":
        notes.append(_("compared as means per query, not sums"))
    if measure.weighs_queries:
        known = all(own in entry.weights for own, entry in zip(of_each, entries, strict=True))
        notes.append(
            _("queries are weighted as in the micro average (linearised)")
            if known
            else _("queries are weighted equally here: their weights were not recorded")
        )
    lower = measure.lowest_is_best
    label: Text = f"ln {measure.label}" if scale == "logarithm" else measure.label
    if lower:
        label = _("{label} (lower is better; differences: + is better)", label=label)
    defined = values[~np.isnan(values)]
    all_0_or_1 = scale == "as it is" and bool(((defined == 0) | (defined == 1)).all())
    return ComparedMeasure(
        measure=str(measure),
        mean_label=measure.label,
        label=label,
        sign=-1 if lower else 1,
        scale=scale,
        # LeakRank is about those queries alone that leaked.
        guards=measure.reads_forbidden and measure.lowest_is_best,
        bounded=lies_in_0_to_1(measure),
        shares=measure.share_method if all_0_or_1 else None,
        notes=tuple(notes),
    ), values


def _per_query(
    measure: Measure, entry: RetrieverScores, rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    values: NDArray[np.float64] = entry.values[entry.measures.index(measure), rows]
    if measure not in entry.weights:
        return values
    weights = np.where(np.isnan(values), np.nan, entry.weights[measure][rows])
    total = np.nansum(weights)
    if not total:
        return np.full(len(values), np.nan)
    average = np.nansum(weights * values) / total
    linear: NDArray[np.float64] = average + weights * (values - average) / np.nanmean(weights)
    return linear
