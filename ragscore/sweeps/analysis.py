"""analyze_sweep(swept) -> SweepResult: plain arithmetic on the values of every configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import divide
from ragscore.dataset import SampledCorpus
from ragscore.errors import DataError
from ragscore.estimate import Estimate
from ragscore.measures import Measure, parse_measure
from ragscore.spec import canonical_json
from ragscore.stats.bands import SettingValues, parts_means
from ragscore.stats.best_set import BestSet, best_set
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
    BestOfRetriever,
    Cost,
    HeatMap,
    ParameterEffect,
    ScoredConfiguration,
    SweepResult,
    ValueEffect,
)

MIN_TRIED = 3
"""Values of a parameter below which its last one is no edge."""

Values = NDArray[np.float64]
Clusters = NDArray[np.int64] | None


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
    defined = np.asarray(~np.isnan(swept.values).any(axis=0), dtype=np.bool_)
    if not defined.any():
        what = f"no query has a value of {swept.measure} for every configuration"
        raise DataError(what, where=swept.dataset)
    measure = parse_measure(swept.measure)
    sign = -1.0 if measure.lowest_is_best else 1.0
    values = np.ascontiguousarray(swept.values[:, defined])
    clusters = None if swept.clusters is None else swept.clusters[defined]
    found = best_set(sign * values, seed=seed, clusters=clusters)
    means = values.mean(axis=1)
    hold_out = partial(_hold_out, measure=measure, clusters=clusters, seed=seed)
    held_out = hold_out(values, swept.labels)
    effects: list[ParameterEffect] = []
    heat_maps, by_retriever = [], []
    for retriever in dict.fromkeys(swept.retrievers):
        at = [row for row, name in enumerate(swept.retrievers) if name == retriever]
        settings, own, labels = [swept.settings[row] for row in at], values[at], swept.labels
        own_effects = _effects(retriever, settings, own, clusters)
        effects += own_effects
        heat_maps.append(_heat_map(own_effects, settings, own.mean(axis=1)))
        if len(at) < len(swept):
            best = at[int(highest(sign * means[None, at])[0])]
            tried = hold_out(own, [labels[row] for row in at])
            by_retriever.append(
                BestOfRetriever(retriever, labels[best], len(at), float(means[best]), tried)
            )
    by_retriever.sort(key=lambda best: -sign * best.value)
    configured, gain = _gain(swept, found.best, held_out, defined, sign)
    return SweepResult(
        dataset=swept.dataset,
        measure=swept.measure,
        lower_is_better=measure.lowest_is_best,
        queries=values.shape[1],
        dropped=int((~defined).sum()),
        clusters=None if clusters is None else len(np.unique(clusters)),
        held_out=held_out,
        configured=configured,
        gain=gain,
        edges=_edges(swept, found.best, effects, sign),
        configurations=_configurations(swept, found, means, sign),
        by_retriever=tuple(by_retriever),
        effects=tuple(effects),
        heat_maps=tuple(heat for heat in heat_maps if heat is not None),
        swept=swept,
        sample=sample,
    )


def _hold_out(
    values: Values, labels: Sequence[str], measure: Measure, clusters: Clusters, seed: int
) -> CrossValidated | None:
    """What choosing the best mean is worth on other queries; None if there are too few."""
    columns, sign = np.ascontiguousarray(values.T), -1.0 if measure.lowest_is_best else 1.0
    try:
        return choose_by_cross_validation(
            values,
            seed=seed,
            clusters=clusters,
            choose=lambda parts: highest(sign * parts_means(columns, parts)),
            unit_interval=measure.bounded,
            labels=labels,
            share_method=measure.share_method,
        )
    except DataError:  # one query, or one cluster
        return None


def _configurations(
    swept: SweptConfigurations, found: BestSet, means: Values, sign: float
) -> tuple[ScoredConfiguration, ...]:
    """All configurations, the best first."""
    fronts = {cost: pareto_front(sign * means, getattr(swept, cost)) for cost in get_args(Cost)}
    order = np.argsort(-sign * means, kind="stable").tolist()
    order.remove(found.best)
    # The best less each is turned around: 0.0 - x gives no zero a sign.
    value, low, high = (0.0 - side for side in (found.difference, found.high, found.low))
    return tuple(
        ScoredConfiguration(
            label=swept.labels[at],
            retriever=swept.retrievers[at],
            settings=swept.settings[at],
            value=float(means[at]),
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


def _gain(
    swept: SweptConfigurations,
    best: int,
    held_out: CrossValidated | None,
    defined: NDArray[np.bool_],
    sign: float,
) -> tuple[float, HeldOutGain | None]:
    """The mean with the settings of the file, and how much better choosing is."""
    written = swept.written.get(swept.retrievers[best])
    if written is None or np.isnan(written[defined]).all():
        return np.nan, None
    written = written[defined]
    configured = float(np.nanmean(written))
    if held_out is None:
        return configured, None
    signed = replace(held_out, out_of_fold=sign * held_out.out_of_fold)
    return configured, held_out_gain(signed, sign * written)


def _edges(
    swept: SweptConfigurations, best: int, effects: Sequence[ParameterEffect], sign: float
) -> dict[str, Literal["smallest", "largest"]]:
    """Numeric parameters whose chosen value is the first or last of three or more tried, and shown
    to be better than the average of these; but for a bound of the option."""
    found: dict[str, Literal["smallest", "largest"]] = {}
    for effect in effects:
        tried = [each.value for each in effect.values]
        several = len(tried) >= MIN_TRIED and all(map(is_number, tried))
        if effect.retriever != swept.retrievers[best] or not several:
            continue
        value = swept.settings[best].get(effect.parameter)
        if value not in (tried[0], tried[-1]) or value in swept.bounds.get(effect.parameter, ()):
            continue
        chosen = effect.values[tried.index(value)].effect
        if sign * chosen.value > 0 and (chosen.low > 0 or chosen.high < 0):
            found[effect.parameter] = "smallest" if value == tried[0] else "largest"
    return found


def _effects(
    retriever: str, settings: Sequence[Setting], values: Values, clusters: Clusters
) -> list[ParameterEffect]:
    """What each parameter of one retriever's configurations does, the largest spread first."""
    found = []
    for parameter in dict.fromkeys(name for setting in settings for name in setting):
        places = _places(settings, parameter)
        if len(places) < 2:
            continue
        means = np.stack([values[at].mean(axis=0) for at in places.values()])
        effects = means - means.mean(axis=0)
        band = SettingValues.of(effects.T, clusters, unit_interval=False).band()
        of_value = means.mean(axis=1)
        of_values = tuple(
            ValueEffect(
                value=settings[at[0]][parameter],
                configurations=len(at),
                mean=float(of_value[row]),
                effect=Estimate(float(band.mean[row]), float(band.low[row]), float(band.high[row])),
            )
            for row, at in enumerate(places.values())
        )
        balanced = _balanced(settings, parameter, places)
        spread = float(np.ptp(of_value))
        found.append(ParameterEffect(retriever, parameter, of_values, spread, balanced))
    return sorted(found, key=lambda effect: -effect.spread)


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
    return HeatMap(effects[0].retriever, across, down, columns, rows, tuple(table))
