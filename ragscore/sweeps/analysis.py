"""analyze_sweep(swept) -> SweepFindings: plain arithmetic on the values of every configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import SampledCorpus
from ragscore.errors import DataError
from ragscore.measures import Measure, parse_measure
from ragscore.stats.bands import parts_means
from ragscore.stats.best_set import BestSet, best_set
from ragscore.stats.cross_validation import (
    CrossValidated,
    choose_by_cross_validation,
    held_out_gain,
    highest,
)
from ragscore.stats.pareto import pareto_front
from ragscore.sweeps.effects import effects_of, heat_map_of, is_number
from ragscore.sweeps.model import SweptConfigurations
from ragscore.sweeps.sentences import lines_of
from ragscore.sweeps.sweep_findings import SweepFindings
from ragscore.sweeps.sweep_records import (
    BestOfRetriever,
    Cost,
    Edge,
    GainOverConfigured,
    HeatMap,
    ParameterEffect,
    ScoredConfiguration,
)
from ragscore.sweeps.winner_yaml import configured_yaml

MIN_TRIED = 3
"""Values of a parameter below which its last one is no edge."""


def analyze_sweep(
    swept: SweptConfigurations, *, seed: int = 1234, sample: SampledCorpus | None = None
) -> SweepFindings:
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
    held_out = _held_out(values, measure, clusters, seed, swept.labels)
    effects, heat_maps = _effects(swept, values, clusters)
    in_sample = float(means[found.best])
    made = SweepFindings(
        dataset=swept.dataset,
        sample=sample,
        measure=swept.measure,
        label=measure.label,
        lines=(),
        lower_is_better=measure.lowest_is_best,
        queries=values.shape[1],
        dropped=int((~defined).sum()),
        clusters=None if clusters is None else len(np.unique(clusters)),
        best=swept.labels[found.best],
        tied=int(found.within.sum()) - 1,
        in_sample=in_sample,
        held_out=held_out,
        selection_bias=np.nan if held_out is None else sign * (in_sample - held_out.mean),
        configured=_gain_over_configured(swept, found.best, held_out, defined, sign),
        edges=tuple(_edges(swept, found.best, effects, sign)),
        configurations=tuple(_configurations(swept, found, sign * means, means)),
        by_retriever=tuple(_best_of_each(swept, values, sign * means, measure, clusters, seed)),
        effects=tuple(effects),
        heat_maps=tuple(heat_maps),
        specs=swept.specs,
        inputs=swept.inputs,
        bounds=swept.bounds,
        yaml=configured_yaml(swept, found.best),
        failures=swept.failures,
        swept=swept,
    )
    return replace(made, lines=lines_of(made))


def _held_out(
    values: NDArray[np.float64],
    measure: Measure,
    clusters: NDArray[np.int64] | None,
    seed: int,
    labels: Sequence[str],
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
    swept: SweptConfigurations,
    found: BestSet,
    quality: NDArray[np.float64],
    means: NDArray[np.float64],
) -> list[ScoredConfiguration]:
    """All configurations, the best first."""
    costs = {cost: getattr(swept, cost) for cost in get_args(Cost)}
    fronts = {cost: pareto_front(quality, spent) for cost, spent in costs.items()}
    order = np.argsort(-quality, kind="stable").tolist()
    order.remove(found.best)
    return [
        ScoredConfiguration(
            label=swept.labels[at],
            retriever=swept.retrievers[at],
            settings=swept.settings[at],
            value=float(means[at]),
            behind=float(found.difference[at]),
            low=float(found.low[at]),
            high=float(found.high[at]),
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
    ]


def _gain_over_configured(
    swept: SweptConfigurations,
    best: int,
    held_out: CrossValidated | None,
    defined: NDArray[np.bool_],
    sign: float,
) -> GainOverConfigured | None:
    """What is chosen, on held-out queries, against the settings of the file."""
    retriever = swept.retrievers[best]
    if retriever not in swept.written or held_out is None:
        return None
    written = swept.written[retriever][defined]
    if np.isnan(written).all():
        return None
    signed = replace(held_out, out_of_fold=sign * held_out.out_of_fold)
    return GainOverConfigured(
        retriever, float(np.nanmean(written)), held_out_gain(signed, sign * written)
    )


def _best_of_each(
    swept: SweptConfigurations,
    values: NDArray[np.float64],
    quality: NDArray[np.float64],
    measure: Measure,
    clusters: NDArray[np.int64] | None,
    seed: int,
) -> list[BestOfRetriever]:
    """The best configuration of each retriever, the best retriever first; empty for one."""
    places = _places(swept)
    if len(places) < 2:
        return []
    found = []
    for retriever, at in places.items():
        labels = [swept.labels[row] for row in at]
        best = int(at[int(highest(quality[None, at])[0])])
        held_out = _held_out(values[at], measure, clusters, seed, labels)
        value = float(values[best].mean())
        found.append(BestOfRetriever(retriever, swept.labels[best], len(at), value, held_out))
    sign = -1.0 if measure.lowest_is_best else 1.0
    return sorted(found, key=lambda best: -sign * best.value)


def _effects(
    swept: SweptConfigurations,
    values: NDArray[np.float64],
    clusters: NDArray[np.int64] | None,
) -> tuple[list[ParameterEffect], list[HeatMap]]:
    effects: list[ParameterEffect] = []
    maps = []
    for retriever, at in _places(swept).items():
        settings = [swept.settings[row] for row in at]
        own = effects_of(retriever, settings, values[at], clusters)
        effects += own
        if (found := heat_map_of(own, settings, values[at].mean(axis=1))) is not None:
            maps.append(found)
    return effects, maps


def _edges(
    swept: SweptConfigurations, best: int, effects: Sequence[ParameterEffect], sign: float
) -> list[Edge]:
    """Numeric parameters whose chosen value is the first or last of three or more tried, and shown
    to be better than the average of these; but for a bound of the option."""
    chosen, retriever = swept.settings[best], swept.retrievers[best]
    found = []
    for effect in effects:
        tried = [marginal.value for marginal in effect.values]
        several = len(tried) >= MIN_TRIED and all(map(is_number, tried))
        if effect.retriever != retriever or not several:
            continue
        value = chosen.get(effect.parameter)
        if value not in (tried[0], tried[-1]) or value in swept.bounds.get(effect.parameter, ()):
            continue
        marginal = effect.values[tried.index(value)]
        if sign * marginal.effect > 0 and (marginal.low > 0 or marginal.high < 0):
            end: Literal["smallest", "largest"] = "smallest" if value == tried[0] else "largest"
            found.append(Edge(effect.parameter, float(value), end))
    return found


def _places(swept: SweptConfigurations) -> dict[str, list[int]]:
    """Retriever to its configurations."""
    places: dict[str, list[int]] = {}
    for at, retriever in enumerate(swept.retrievers):
        places.setdefault(retriever, []).append(at)
    return places
