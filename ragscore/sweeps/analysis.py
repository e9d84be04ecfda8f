"""analyze_sweep(swept) -> SweepResult: plain arithmetic on the values of every configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import divide
from ragscore.dataset import SampledCorpus
from ragscore.errors import DataError
from ragscore.estimate import Estimate
from ragscore.measures import parse_measure
from ragscore.spec import canonical_json
from ragscore.stats.bands import SettingValues, parts_means
from ragscore.stats.best_set import best_set
from ragscore.stats.cross_validation import (
    CrossValidated,
    HeldOutGain,
    choose_by_cross_validation,
    held_out_gain,
    highest,
)
from ragscore.stats.pareto import pareto_front
from ragscore.sweeps.model import Setting, SweptConfigurations, is_number
from ragscore.sweeps.record import (
    Cost,
    End,
    HeatMap,
    ParameterEffect,
    ScoredConfiguration,
    SweepResult,
    SweptRetriever,
    ValueEffect,
)

MIN_TRIED = 3
"""Values of a parameter below which its last one is no edge."""

Values = NDArray[np.float64]


def analyze_sweep(
    swept: SweptConfigurations, *, seed: int = 1234, sample: SampledCorpus | None = None
) -> SweepResult:
    """What a sweep found.

    Args:
        swept: the values of every configuration.
        seed: of the signs and the folds.
        sample: what the corpus that was searched is a sample of.

    Raises:
        DataError: there is no configuration, or no query that all have a value for.
    """
    if not len(swept):
        failed = next(iter(swept.failures.values()), "none was tried")
        raise DataError(f"no configuration has values: {failed}", where=swept.dataset)
    if np.isnan(swept.values).any(axis=0).all():
        what = f"no query has a value of {swept.measure} for every configuration"
        raise DataError(what, where=swept.dataset)
    return _Analysis(swept, seed).result(sample)


class _Analysis:
    """Configurations on the queries that all of them have a value for.

    Attributes:
        defined: bool[Q], these queries.
        values: float64[C, queries].
        means: float64[C].
        sign: -1 where low values are good.
        found: all against the best.
    """

    def __init__(self, swept: SweptConfigurations, seed: int) -> None:
        self.swept, self.seed = swept, seed
        self.measure = parse_measure(swept.measure)
        self.sign = -1.0 if self.measure.lowest_is_best else 1.0
        self.defined = np.asarray(~np.isnan(swept.values).any(axis=0), dtype=np.bool_)
        self.values = np.ascontiguousarray(swept.values[:, self.defined])
        self.means = self.values.mean(axis=1)
        self.clusters = None if swept.clusters is None else swept.clusters[self.defined]
        self.found = best_set(self.sign * self.values, seed=seed, clusters=self.clusters)

    def result(self, sample: SampledCorpus | None) -> SweepResult:
        """All of it."""
        held_out = self.held_out(range(len(self.swept)))
        configured, gain = self.gain(held_out)
        each = [self.retriever(name, held_out) for name in dict.fromkeys(self.swept.retrievers)]
        return SweepResult(
            dataset=self.swept.dataset,
            measure=self.swept.measure,
            lower_is_better=self.measure.lowest_is_best,
            queries=self.values.shape[1],
            dropped=int((~self.defined).sum()),
            clusters=None if self.clusters is None else len(np.unique(self.clusters)),
            held_out=held_out,
            configured=configured,
            gain=gain,
            edges=self.edges(each),
            configurations=self.configurations(),
            by_retriever=tuple(sorted(each, key=lambda found: -self.sign * found.value)),
            swept=self.swept,
            sample=sample,
        )

    def held_out(self, at: Sequence[int]) -> CrossValidated | None:
        """What choosing the best mean of some is worth on other queries; None if there are too
        few."""
        values = self.values[at]
        columns = np.ascontiguousarray(values.T)
        try:
            return choose_by_cross_validation(
                values,
                seed=self.seed,
                clusters=self.clusters,
                choose=lambda parts: highest(self.sign * parts_means(columns, parts)),
                unit_interval=self.measure.bounded,
                labels=[self.swept.labels[row] for row in at],
                share_method=self.measure.share_method,
            )
        except DataError:  # one query, or one cluster
            return None

    def gain(self, held_out: CrossValidated | None) -> tuple[float, HeldOutGain | None]:
        """The mean with the settings of the file, and how much better choosing is."""
        written = self.swept.written.get(self.swept.retrievers[self.found.best])
        if written is None or np.isnan(written[self.defined]).all():
            return np.nan, None
        written = written[self.defined]
        configured = float(np.nanmean(written))
        if held_out is None:
            return configured, None
        signed = replace(held_out, out_of_fold=self.sign * held_out.out_of_fold)
        return configured, held_out_gain(signed, self.sign * written)

    def configurations(self) -> tuple[ScoredConfiguration, ...]:
        """All, the best first."""
        swept, found, good = self.swept, self.found, self.sign * self.means
        fronts = {cost: pareto_front(good, getattr(swept, cost)) for cost in get_args(Cost)}
        order = np.argsort(-good, kind="stable").tolist()
        order.remove(found.best)
        # The best less each is turned around: 0.0 - x gives no zero a sign.
        value, low, high = (0.0 - side for side in (found.difference, found.high, found.low))
        return tuple(
            ScoredConfiguration(
                label=swept.labels[at],
                retriever=swept.retrievers[at],
                settings=swept.settings[at],
                value=float(self.means[at]),
                against_best=Estimate(float(value[at]), float(low[at]), float(high[at])),
                p=float(found.p[at]),
                differing=int(found.differing[at]),
                in_best_set=bool(found.within[at]),
                means={name: float(of_each[at]) for name, of_each in swept.means.items()},
                latency_ms=float(swept.latency_ms[at]),
                index_bytes=float(swept.index_bytes[at]),
                place=at,
                front=tuple(cost for cost, front in fronts.items() if front[at]),
            )
            for at in (found.best, *order)
        )

    def retriever(self, name: str, held_out: CrossValidated | None) -> SweptRetriever:
        """What was found of one swept retriever.

        Args:
            name: of the retriever.
            held_out: what choosing among all configurations is worth.
        """
        at = [row for row, retriever in enumerate(self.swept.retrievers) if retriever == name]
        best = at[int(highest(self.sign * self.means[None, at])[0])]
        settings = [self.swept.settings[row] for row in at]
        effects = self.effects(settings, self.values[at])
        return SweptRetriever(
            retriever=name,
            label=self.swept.labels[best],
            configurations=len(at),
            value=float(self.means[best]),
            held_out=held_out if len(at) == len(self.swept) else self.held_out(at),
            effects=tuple(effects),
            heat_map=_heat_map(effects, settings, self.means[at]),
        )

    def effects(self, settings: Sequence[Setting], values: Values) -> list[ParameterEffect]:
        """What each parameter of one retriever's configurations does, the largest spread first."""
        found = []
        for parameter in dict.fromkeys(name for setting in settings for name in setting):
            places = _places(settings, parameter)
            if len(places) < 2:
                continue
            means = np.stack([values[at].mean(axis=0) for at in places.values()])
            against = (means - means.mean(axis=0)).T
            band = SettingValues.of(against, self.clusters, unit_interval=False).band()
            of_value = means.mean(axis=1)
            of_values = tuple(
                ValueEffect(settings[at[0]][parameter], len(at), float(of_value[row]), band.at(row))
                for row, at in enumerate(places.values())
            )
            spread, balanced = float(np.ptp(of_value)), _balanced(settings, parameter, places)
            found.append(ParameterEffect(parameter, of_values, spread, balanced))
        return sorted(found, key=lambda effect: -effect.spread)

    def edges(self, each: Sequence[SweptRetriever]) -> dict[str, End]:
        """Numeric parameters whose chosen value is the first or last of three or more tried, and
        shown to be better than the average of these; but for a bound of the option."""
        found: dict[str, End] = {}
        best = self.found.best
        (own,) = (one for one in each if one.retriever == self.swept.retrievers[best])
        for effect in own.effects:
            name, tried = effect.parameter, [each.value for each in effect.values]
            value, bounds = self.swept.settings[best].get(name), self.swept.bounds.get(name, ())
            if len(tried) < MIN_TRIED or not all(map(is_number, tried)):
                continue
            if value not in (tried[0], tried[-1]) or value in bounds:
                continue
            chosen = effect.values[tried.index(value)].effect
            if self.sign * chosen.value > 0 and (chosen.low > 0 or chosen.high < 0):
                found[name] = "smallest" if value == tried[0] else "largest"
        return found


def _places(settings: Sequence[Setting], parameter: str) -> dict[str, list[int]]:
    """By value as canonical JSON, the configurations that have it: numbers ascending, else as they
    first appear."""
    places: dict[str, list[int]] = {}
    for at, setting in enumerate(settings):
        if parameter in setting:
            places.setdefault(canonical_json(setting[parameter]), []).append(at)
    if all(is_number(settings[at[0]][parameter]) for at in places.values()):
        places = dict(sorted(places.items(), key=lambda item: settings[item[1][0]][parameter]))
    return places


def _balanced(
    settings: Sequence[Setting], parameter: str, places: Mapping[str, Sequence[int]]
) -> bool:
    """Whether each value meets the same settings of all else."""

    def rest(setting: Setting) -> str:
        return canonical_json({name: value for name, value in setting.items() if name != parameter})

    met = [sorted(rest(settings[at]) for at in of_value) for of_value in places.values()]
    return all(one == other for one, other in pairwise(met))


def _heat_map(
    effects: Sequence[ParameterEffect], settings: Sequence[Setting], means: Values
) -> HeatMap | None:
    """The two numeric parameters that matter most; None if there are not two, or where most
    pairs of their values were not tried.

    Args:
        effects: of one retriever's configurations, the largest spread first.
        settings: of these configurations.
        means: float64[C], of each.
    """
    numeric = [effect for effect in effects if all(is_number(each.value) for each in effect.values)]
    if len(numeric) < 2:
        return None
    across, down = (effect.parameter for effect in numeric[:2])
    columns, rows = (tuple(float(each.value) for each in effect.values) for effect in numeric[:2])
    totals, counts = np.zeros((len(rows), len(columns))), np.zeros((len(rows), len(columns)))
    for setting, mean in zip(settings, means.tolist(), strict=True):
        if across in setting and down in setting:
            place = rows.index(float(setting[down])), columns.index(float(setting[across]))
            totals[place] += mean
            counts[place] += 1
    if 2 * np.count_nonzero(counts) < counts.size:
        return None
    table = divide(totals, counts, np.nan)
    return HeatMap(across, down, columns, rows, tuple(table))
