"""What is compared of a measure: numbers per query whose mean the measure's own aggregate reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.strings import STRINGS
from ragscore.measures import Measure
from ragscore.scoring import RetrieverScores
from ragscore.scoring.means import MIN_IN_LOG
from ragscore.stats.intervals import Interval, ShareMethod
from ragscore.strings import Joined, Sentence, Strings


def lies_in_0_to_1(measure: Measure) -> bool:
    """Whether what is compared of a measure lies in [0, 1]: not the logarithms of a geometric
    mean."""
    return measure.bounded and measure.aggregate != "geometric mean"


@dataclass(frozen=True)
class MeasureName:
    """A measure as sentences name it.

    Attributes:
        label: as tables print its mean.
        lower_is_better: stated behind it, since a lead is then a smaller value.
    """

    label: str | Sentence
    lower_is_better: bool

    def text_in(self, strings: Strings, /) -> str:
        """The name, with its direction where that is not the usual one."""
        if self.lower_is_better:
            return strings("lower_is_better", label=self.label)
        return str(strings.say(self.label))


@dataclass(frozen=True)
class ComparedMeasure:
    """One measure as it is compared.

    Attributes:
        measure: as it parses.
        name: as sentences name it.
        label: as tables print it, with what must be known of the direction.
        sign: +1, or -1 where small values are good: differences are multiplied by it.
        scale: ``logarithm`` where values are natural logarithms (a geometric mean), and the
            means their exponentials.
        shares: how the interval of a mean is made, where all values of all retrievers are 0 or 1;
            None where others are among them.
        guards: it counts what must not come back, which is worse than not relevant.
        bounded: the values lie in [0, 1], so that a margin of 0.01 means something.
        notes: what a reader must know.
    """

    measure: str
    name: MeasureName
    label: str
    sign: int
    scale: Literal["as it is", "logarithm"]
    shares: ShareMethod | None
    guards: bool
    bounded: bool
    notes: tuple[str, ...]

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
            Sentence("cutoff_of", {"measure": own, "retriever": entry.retriever})
            for own, entry in pairs
        ]
        notes.append(STRINGS.note("note_cutoffs", listed=Joined(tuple(cutoffs))))
    values = np.stack(
        [
            _per_query(own, entry, row)
            for own, entry, row in zip(of_each, entries, rows, strict=True)
        ]
    )
    scale: Literal["as it is", "logarithm"] = "as it is"
    if measure.aggregate == "geometric mean":
        values, scale = np.log(np.maximum(values, MIN_IN_LOG)), "logarithm"
        notes.append(STRINGS.note("note_logarithms"))
    if measure.aggregate == "sum":
        notes.append(STRINGS.note("note_per_query"))
    if measure.weighs_queries:
        known = all(own in entry.weights for own, entry in zip(of_each, entries, strict=True))
        notes.append(STRINGS.note("note_micro" if known else "note_weights_unknown"))
    lower = measure.lowest_is_best
    label = f"ln {measure.label}" if scale == "logarithm" else measure.label
    if lower:
        label = STRINGS.note("lower_label", label=label)
    defined = values[~np.isnan(values)]
    all_0_or_1 = scale == "as it is" and bool(((defined == 0) | (defined == 1)).all())
    return ComparedMeasure(
        measure=str(measure),
        name=MeasureName(measure.label, lower),
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
