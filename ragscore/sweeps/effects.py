"""What each parameter does: the mean over all configurations with a value, and two at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import divide
from ragscore.spec import canonical_json
from ragscore.stats.bands import SettingValues
from ragscore.sweeps.model import Setting
from ragscore.sweeps.sweep_records import HeatMap, MarginalMean, ParameterEffect

Places = dict[str, list[int]]
"""By value as canonical JSON: the configurations that have it."""


def effects_of(
    retriever: str,
    settings: Sequence[Setting],
    values: NDArray[np.float64],
    clusters: NDArray[np.int64] | None,
) -> list[ParameterEffect]:
    """What each parameter of one retriever's configurations does, the largest spread first.

    Args:
        retriever: its name.
        settings: of its C configurations.
        values: float64[C, Q], defined everywhere.
        clusters: int64[Q], a label per query; None: each alone.
    """
    found = []
    for parameter in dict.fromkeys(name for setting in settings for name in setting):
        places = _places(settings, parameter)
        if len(places) < 2:
            continue
        means = np.stack([values[at].mean(axis=0) for at in places.values()])
        effects = means - means.mean(axis=0)
        band = SettingValues.of(effects.T, clusters, unit_interval=False).band()
        of_value = means.mean(axis=1)
        marginals = tuple(
            MarginalMean(
                value=settings[at[0]][parameter],
                configurations=len(at),
                mean=float(of_value[row]),
                effect=float(band.mean[row]),
                low=float(band.low[row]),
                high=float(band.high[row]),
            )
            for row, at in enumerate(places.values())
        )
        balanced = _balanced(settings, parameter, places)
        spread = float(np.ptp(of_value))
        found.append(ParameterEffect(retriever, parameter, marginals, spread, balanced))
    return sorted(found, key=lambda effect: -effect.spread)


def heat_map_of(
    effects: Sequence[ParameterEffect], settings: Sequence[Setting], means: NDArray[np.float64]
) -> HeatMap | None:
    """The two numeric parameters that matter most; None if there are not two, or where most
    pairs of their values were not tried.

    Args:
        effects: of one retriever's configurations, the largest spread first.
        settings: of these configurations.
        means: float64[C], of each.
    """
    numeric = [
        effect for effect in effects if all(is_number(marginal.value) for marginal in effect.values)
    ]
    if len(numeric) < 2:
        return None
    across, down = (effect.parameter for effect in numeric[:2])
    columns, rows = (
        tuple(float(marginal.value) for marginal in effect.values) for effect in numeric[:2]
    )
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


def is_number(value: Any) -> bool:
    """Whether a value of a parameter is a number, and not true or false."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _places(settings: Sequence[Setting], parameter: str) -> Places:
    """The configurations of each value: numbers ascending, else as they first appear."""
    places: Places = {}
    for at, setting in enumerate(settings):
        if parameter in setting:
            places.setdefault(canonical_json(setting[parameter]), []).append(at)
    if all(is_number(settings[at[0]][parameter]) for at in places.values()):
        places = dict(sorted(places.items(), key=lambda item: settings[item[1][0]][parameter]))
    return places


def _balanced(settings: Sequence[Setting], parameter: str, places: Places) -> bool:
    """Whether each value meets the same settings of all else."""

    def rest(setting: Mapping[str, Any]) -> str:
        return canonical_json({name: value for name, value in setting.items() if name != parameter})

    met = [sorted(rest(settings[at]) for at in of_value) for of_value in places.values()]
    return all(one == other for one, other in pairwise(met))
