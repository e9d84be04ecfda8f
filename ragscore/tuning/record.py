"""A tuning as plain data: what --format json prints and tuning.json holds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragscore.tuning.bands import LEVEL, Band
from ragscore.tuning.cross_validation import APPROXIMATE, CrossValidated
from ragscore.tuning.result import Tuning


def as_dict(tuning: Tuning) -> dict[str, Any]:
    """Every number unrounded; NaN is None."""
    kept, steps, context, overflow = tuning.kept, tuning.steps, tuning.context, tuning.overflow
    return {
        "dataset": tuning.dataset,
        "retriever": tuning.retriever,
        "queries": tuning.queries,
        "depth": tuning.depth,
        "options": tuning.options.model_dump(mode="json"),
        "level": LEVEL,
        "recommended": {
            "state": tuning.state,
            "rule": tuning.rule,
            "sentence": tuning.sentence,
            "by": tuning.cuts.by,
            "at_edge": tuning.at_edge,
            **_at(tuning, tuning.setting),
        },
        "nearest": _at(tuning, tuning.nearest) if tuning.state == "not reached" else None,
        "reaching": [{"recall": target, **_at(tuning, at)} for target, at in tuning.reaching()],
        "held_out": {
            str(measure): _held_out(tuning, done) for measure, done in tuning.held_out.items()
        },
        "unit": tuning.unit,
        "settings": _numbers(tuning.cuts.values),
        "curves": {str(measure): _band(band) for measure, band in tuning.curves.items()},
        "context": _numbers(tuning.sizes) if tuning.sizes is not None else None,
        "passages": {
            "mean": _numbers(kept.mean),
            "lowest": _numbers(kept.lowest),
            "lower_quartile": _numbers(kept.lower),
            "median": _numbers(kept.median),
            "upper_quartile": _numbers(kept.upper),
            "highest": _numbers(kept.highest),
            "answered": _band(kept.answered),
            "unanswerable": kept.unanswerable,
            "unanswerable_answered": _band(kept.wrongly) if kept.wrongly is not None else None,
        },
        "overflow": None
        if overflow is None
        else {
            "context": _numbers(overflow.sizes),
            "queries": _numbers(overflow.queries),
            "shortest": overflow.shortest,
        },
        "marginal": None
        if steps is None
        else {
            "recall": _band(steps.recall),
            "precision": _band(steps.precision),
            "context": _numbers(steps.size) if steps.size is not None else None,
        },
        "by_context": None
        if context is None
        else {
            "limits": _numbers(context.limits),
            "passages": _numbers(context.passages),
            "P": _band(context.precision),
            "R": _band(context.recall),
        },
        "notes": list(tuning.notes),
    }


def _at(tuning: Tuning, at: int | None) -> dict[str, Any]:
    """What one setting has; None everywhere where there is none."""
    cut = None if at is None else float(tuning.cuts.values[at])
    return {
        "value": int(cut) if cut is not None and tuning.cuts.by == "k" else cut,
        "label": None if at is None else tuning.cuts.label(at),
        "measures": None
        if at is None
        else {
            str(measure): {
                "mean": _number(band.mean[at]),
                "low": _number(band.low[at]),
                "high": _number(band.high[at]),
            }
            for measure, band in tuning.curves.items()
        },
        "passages": None if at is None else _number(tuning.kept.mean[at]),
        "answered": None if at is None else _number(tuning.kept.answered.mean[at]),
        "context": None if at is None or tuning.sizes is None else _number(tuning.sizes[at]),
    }


def rows(tuning: Tuning) -> Iterator[dict[str, str | float | int | None]]:
    """The curves as rows of a table: one for each setting and measure; ``passages``, ``context``
    and what the k-th adds are rows too."""

    def row(at: int, measure: str, mean: float, low: float, high: float) -> dict[str, Any]:
        return {
            "dataset": tuning.dataset,
            "retriever": tuning.retriever,
            "by": tuning.cuts.by,
            "cut": float(tuning.cuts.values[at]),
            "measure": measure,
            "mean": _number(mean),
            "low": _number(low),
            "high": _number(high),
        }

    bands = {str(measure): band for measure, band in tuning.curves.items()}
    if tuning.steps is not None:
        bands |= {"added R": tuning.steps.recall, "added P": tuning.steps.precision}
    if tuning.cuts.by != "k":
        bands["answered"] = tuning.kept.answered
        if tuning.kept.wrongly is not None:
            bands["unanswerable answered"] = tuning.kept.wrongly
    plain = {"passages": tuning.kept.mean}
    if tuning.sizes is not None:
        plain[f"context {tuning.unit}"] = tuning.sizes
    for at in range(len(tuning.cuts)):
        for name, band in bands.items():
            yield row(at, name, band.mean[at], band.low[at], band.high[at])
        for name, values in plain.items():
            yield row(at, name, values[at], math.nan, math.nan)


def _held_out(tuning: Tuning, done: CrossValidated) -> dict[str, Any]:
    return {
        "held_out": _number(done.held_out),
        "low": _number(done.interval.low),
        "high": _number(done.interval.high),
        "note": APPROXIMATE,
        "optimistic": _number(done.optimistic),
        "folds": done.folds,
        "repeats": done.repeats,
        "merged": list(done.merged),
        "chosen": {
            tuning.cuts.label(int(at)): int(done.times[at]) for at in np.flatnonzero(done.times)
        },
    }


def _band(band: Band) -> dict[str, list[float | None]]:
    return {"mean": _numbers(band.mean), "low": _numbers(band.low), "high": _numbers(band.high)}


def _numbers(values: NDArray[Any]) -> list[float | None]:
    return [_number(value) for value in values.tolist()]


def _number(value: float) -> float | None:
    return None if math.isnan(value) else float(value) if not isinstance(value, int) else value
