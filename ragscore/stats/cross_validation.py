"""Choosing by cross-validation: what a setting that was chosen is worth on other queries.

The setting that looks best on some queries looks better on them than it is: with many near-equal
settings the highest mean is partly luck. The setting that ships is chosen on all queries all the
same; what is reported beside it is the mean of the whole procedure on queries that it did not
choose on (Stone, Cross-Validatory Choice and Assessment, JRSS B 1974).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ragscore.errors import DataError
from ragscore.messages import _
from ragscore.records import MaybeNaN, Record, json_property
from ragscore.stats.bands import SettingValues, parts_means
from ragscore.stats.few_differ import TOO_FEW, differing
from ragscore.stats.folds import Folds, folds_of_units
from ragscore.stats.intervals import (
    LEVEL,
    NOT_ESTIMABLE,
    Interval,
    Method,
    ShareMethod,
    share_bounds,
)
from ragscore.stats.one_sided import ALPHA
from ragscore.stats.units import SAME, units_of

Choose = Callable[[NDArray[np.bool_]], NDArray[np.int64]]
"""Takes parts of the queries, bool[T, Q], and returns the setting that each chooses: int64[T]."""

APPROXIMATE = _("approximate: folds share the queries that they choose on")


@dataclass(frozen=True)
class CrossValidated(Record):
    """What a choice of setting is worth on queries that were not used to choose it."""

    setting: Annotated[int, Field(exclude=True)]
    """The setting that ships: chosen on all queries."""
    in_sample: MaybeNaN
    """The mean of the same choice on the queries that it was made on."""
    out_of_fold: Annotated[NDArray[np.float64], Field(exclude=True)]
    """float64[repeats, Q], each query's value under what was chosen without it."""
    weights: Annotated[NDArray[np.float64] | None, Field(exclude=True)]
    """float64[repeats, Q], 1 where a query counts and 0 if not; None: all count."""
    times: Annotated[NDArray[np.int64], Field(exclude=True)]
    """int64[settings], how often each was chosen, of folds x repeats."""
    folds: int
    """Folds of the cross-validation."""
    repeats: int
    """How often the queries were put into folds."""
    merged: tuple[str, ...]
    """Strata too small for the folds, which were merged into one."""
    clusters: Annotated[NDArray[np.int64] | None, Field(exclude=True)]
    """int64[Q], a label per query; None if each query was drawn alone."""
    unit_interval: Annotated[bool, Field(exclude=True)]
    """Values lie between 0 and 1, and so does their mean."""
    labels: Annotated[tuple[str, ...], Field(exclude=True)]
    """What each setting is called."""
    share_method: Annotated[ShareMethod, Field(exclude=True)] = "wilson"
    """Of the interval where all values are 0 or 1."""

    @json_property
    def mean(self) -> MaybeNaN:
        """The mean out-of-fold score of the procedure (not of the chosen setting); null if
        no query counts."""
        return self._found.mean

    @json_property
    def low(self) -> MaybeNaN:
        """Lower end of its 95 % interval; null if it can't be estimated."""
        return self.interval.low

    @json_property
    def high(self) -> MaybeNaN:
        """Upper end of its 95 % interval; null if it can't be estimated."""
        return self.interval.high

    @json_property
    def note(self) -> str:
        """A caution about the interval."""
        return str(APPROXIMATE)

    @json_property
    def chosen(self) -> dict[str, int]:
        """How often each setting was chosen, of folds x repeats; by its label."""
        return {self.labels[at]: int(self.times[at]) for at in np.flatnonzero(self.times).tolist()}

    @cached_property
    def interval(self) -> Interval:
        """The interval of the held-out value, with the error of repeated folds
        (:func:`repeated_mean`)."""
        return self._found.interval

    def __repr__(self) -> str:
        return f"CrossValidated({self.mean:.4g}, {self.folds} folds, {self.repeats} times)"

    @cached_property
    def _found(self) -> RepeatedMean:
        weights = None if self.weights is None else self.weights.T
        columns = SettingValues.of(
            self.out_of_fold.T,
            self.clusters,
            weights=weights,
            unit_interval=self.unit_interval,
            share_method=self.share_method,
        )
        return repeated_mean(columns, self.folds)


@dataclass(frozen=True)
class HeldOutGain(Record):
    """How much a choice is better on queries that did not make it than something else."""

    difference: MaybeNaN
    """The mean difference; positive where the choice is better (or larger)."""
    interval: Interval
    """Its 95 % interval, approximate."""
    p: float
    """The p-value of it, by t with the same error; 1 where nothing can be estimated."""
    differing: int
    """Queries (clusters) with a difference."""
    n: int
    """Queries (clusters) compared."""

    @property
    def decided(self) -> bool:
        """P below .05, the interval excludes 0, and more than 5 queries (clusters) differ."""
        excludes = self.interval.low > 0 or self.interval.high < 0
        return self.p < ALPHA and excludes and self.differing > TOO_FEW


def choose_by_cross_validation(
    values: NDArray[np.float64],
    *,
    weights: NDArray[np.float64] | None = None,
    folds: int | Folds = 5,
    repeats: int = 10,
    seed: int = 1234,
    strata: Sequence[str] | None = None,
    clusters: NDArray[np.int64] | None = None,
    choose: Choose | None = None,
    unit_interval: bool = False,
    labels: Sequence[str] = (),
    share_method: ShareMethod = "wilson",
) -> CrossValidated:
    """Choose one of several settings, and estimate what the choice is worth on other queries.

    Args:
        values: float64[settings, Q], what each setting scores on each query.
        weights: float64[settings, Q], 1 where a query counts at a setting and 0 if not, as
            where it is not answered there; by default all count.
        folds: how many; or folds that are made already, then ``repeats``, ``seed`` and
            ``strata`` say nothing.
        repeats: how often the queries are put into folds.
        seed: of the folds.
        strata: a label per query, such as its first tag, that folds hold alike.
        clusters: int64[Q], a label per query; queries of one label stay together.
        choose: by default the highest mean, the first of equals.
        unit_interval: values lie between 0 and 1, where the interval is cut then.
        labels: what each setting is called; by default its number.
        share_method: of the interval where all values are 0 or 1.

    Raises:
        DataError: there is no setting, or fewer than two queries (clusters), or a value is NaN.

    >>> values = np.array([[0.2, 0.3, 0.1, 0.4], [0.6, 0.7, 0.5, 0.8]])
    >>> done = choose_by_cross_validation(values, folds=2)
    >>> done.setting, round(done.mean, 3), done.times.tolist()
    (1, 0.65, [0, 20])
    """
    values = np.asarray(values, dtype=np.float64)
    if values.ndim != 2 or not len(values):
        raise DataError(f"values of shape {values.shape}", instead="Expected [settings, queries]")
    if np.isnan(values).any():
        raise DataError(
            "some values are NaN", instead="Keep the queries that every setting has a value for"
        )
    queries = values.shape[1]
    made = (
        folds
        if isinstance(folds, Folds)
        else folds_of_units(queries, clusters, folds, repeats, seed, strata)
    )
    columns = np.ascontiguousarray(values.T)
    counting = np.ascontiguousarray(weights.T) if weights is not None else None
    choose = choose or (lambda parts: highest(parts_means(columns, parts, counting)))
    everything = np.ones((1, queries), dtype=bool)
    chosen = int(choose(everything)[0])

    repeats, count = len(made.test_of), int(made.test_of.max()) + 1
    testing = made.test_of[:, None, :] == np.arange(count)[:, None]  # [repeats, folds, Q]
    picked = choose(~testing.reshape(-1, queries)).reshape(repeats, count)
    of_query = np.take_along_axis(picked, made.test_of, axis=1)  # [repeats, Q]
    at_query = np.arange(queries)
    return CrossValidated(
        setting=chosen,
        in_sample=float(parts_means(columns, everything, counting)[0, chosen]),
        out_of_fold=columns[at_query, of_query],
        weights=None if counting is None else counting[at_query, of_query],
        times=np.bincount(picked.ravel(), minlength=len(values)),
        folds=count,
        repeats=repeats,
        merged=made.merged,
        clusters=clusters,
        unit_interval=unit_interval,
        labels=tuple(labels) or tuple(map(str, range(len(values)))),
        share_method=share_method,
    )


@dataclass(frozen=True)
class RepeatedMean:
    """The mean over repeats of cross-validation, with its interval and the p-value that it is 0."""

    mean: float
    interval: Interval
    p: float


def repeated_mean(columns: SettingValues, folds: int) -> RepeatedMean:
    """The mean of what repeats of cross-validation found, with the error that their folds give it.

    The variance is that of one repeat times ``1 / repeats + folds / (folds - 1)``: folds share the
    queries that they choose on, so repeats say less than as many samples would (Nadeau and Bengio,
    Inference for the Generalization Error, Machine Learning 52, 2003; Bouckaert and Frank, PAKDD
    2004). Without it, what choosing among many equal settings is worth has too short an interval,
    and is called better or worse than something equal in 10 to 13 of 100 samples. The interval is
    Student's t; that of a share, of that many fewer queries, where all values are 0 or 1.

    Args:
        columns: of every query under what was chosen without it, a column for each repeat.
        folds: of each repeat.
    """
    from scipy.special import stdtr, stdtrit

    found = columns.errors(np.ones((1, len(columns.values)), dtype=bool))
    factor = 1 / columns.values.shape[1] + folds / (folds - 1)
    degrees = float(found.degrees.min())
    error = float(np.sqrt(factor * np.square(np.nan_to_num(found.error)).mean()))
    weights = np.ones_like(columns.values) if columns.weights is None else columns.weights
    with np.errstate(invalid="ignore"):
        mean = float((columns.values * weights).sum() / weights.sum())
    low, high, p = np.nan, np.nan, 1.0
    method: Method = "t"
    if columns.unit_interval and columns.shares.all() and not np.isnan(mean):
        method, n = columns.share_method, columns.independent(found).mean() / factor
        low, high = map(float, share_bounds(mean, n, LEVEL, method))
    elif error > SAME:
        half = float(stdtrit(degrees, (1 + LEVEL) / 2)) * error
        low, high = mean - half, mean + half
        p = float(2 * stdtr(degrees, -abs(mean) / error))
        if columns.unit_interval:
            low, high = max(low, 0.0), min(high, 1.0)
    note = NOT_ESTIMABLE if np.isnan(low) else APPROXIMATE
    return RepeatedMean(mean, Interval(low, high, LEVEL, method, note), p)


def held_out_gain(done: CrossValidated, other: NDArray[np.float64]) -> HeldOutGain:
    """How much the choice is better on queries that did not make it than something that was not
    chosen; interval and test as in :func:`repeated_mean`.

    Args:
        done: the choice; all queries count.
        other: float64[Q], NaN if it has no value: such queries are left out.
    """
    both = ~np.isnan(other)
    differences = (done.out_of_fold - other)[:, both]
    clusters = None if done.clusters is None else done.clusters[both]
    found = repeated_mean(
        SettingValues.of(differences.T, clusters, unit_interval=False), done.folds
    )
    averaged = units_of(differences.mean(axis=0, keepdims=True), clusters)
    count = int(differing(averaged)[0])
    return HeldOutGain(found.mean, found.interval, found.p, count, averaged.count)


def highest(means: NDArray[np.float64]) -> NDArray[np.int64]:
    """The first of the highest in each row: int64[T]; NaN is below everything."""
    means = np.nan_to_num(means, nan=-np.inf, neginf=-np.inf)
    best = means.max(axis=1, keepdims=True)
    first: NDArray[np.int64] = np.argmax(means >= best - SAME, axis=1)
    return first
