"""The sentence that says which k to use; VERDICTS.md, template K."""

from __future__ import annotations

import math

import numpy as np

from ragscore.measures import P
from ragscore.tuning.result import Tuning
from ragscore.tuning.strings import Language, text


def sentence(tuning: Tuning) -> str:
    """What to do, in one sentence.

    ``Use k = 5: recall 0.912 (CI 0.871 to 0.942); going to 10 adds 0.031 recall for 412 tokens
    per query.`` or ``No k reaches recall 0.9; the best, k = 20, has 0.812.``
    """
    if not tuning.reached:
        return _not_reached(tuning)
    at, kept, language = tuning.setting, tuning.kept, tuning.options.language
    passages = ""
    if tuning.cuts.by != "k":
        passages = text(
            "passages",
            language,
            mean=f"{kept.mean[at]:.1f}",
            lowest=f"{kept.lowest[at]:.0f}",
            highest=f"{kept.highest[at]:.0f}",
        )
    return text(
        "use",
        language,
        cut=tuning.cuts.label(at),
        r=f"{tuning.curves[tuning.recall].mean[at]:.3f}",
        ci=interval(tuning, at, language=language),
        passages=passages,
        more=_more(tuning),
    )


def _more(tuning: Tuning) -> str:
    """What going further adds, and what it takes up; empty where there is nothing further."""
    at, language, recall = tuning.setting, tuning.options.language, tuning.curves[tuning.recall]
    further = tuning.further()
    if tuning.sizes is not None and (further is None or tuning.sizes[further] == tuning.sizes[at]):
        return _larger_budget(tuning)
    if tuning.options.rule == "budget":  # within it, nothing further has more
        return _larger_budget(tuning)
    if further is None:
        return ""
    added = f"{recall.mean[further] - recall.mean[at]:.3f}"
    by_k = tuning.cuts.by == "k"
    goal = tuning.cuts.shown(further) if by_k else tuning.cuts.label(further)
    if tuning.sizes is not None and tuning.unit is not None:
        size = f"{tuning.sizes[further] - tuning.sizes[at]:,.0f}"
        unit = text(tuning.unit, language)
    elif not by_k:
        size = f"{tuning.kept.mean[further] - tuning.kept.mean[at]:.1f}"
        unit = text("passages_unit", language)
    else:
        return text("going", language, goal=goal, dr=added)
    return text("going_for", language, goal=goal, dr=added, dt=size, unit=unit)


def _larger_budget(tuning: Tuning) -> str:
    """What about twice the budget adds; empty where there is none, or no more to be had."""
    context, budget, language = tuning.context, tuning.options.budget, tuning.options.language
    if context is None or budget is None or budget.limit is None:
        return ""
    larger = np.flatnonzero(context.limits >= 1.5 * budget.limit)
    if not len(larger):
        return ""
    added = context.recall.mean[larger[0]] - tuning.curves[tuning.recall].mean[tuning.setting]
    return text(
        "larger_budget",
        language,
        limit=f"{int(context.limits[larger[0]]):,}",
        unit=text(budget.unit, language),
        dr=f"{added:.3f}",
    )


def _not_reached(tuning: Tuning) -> str:
    at, language = tuning.setting, tuning.options.language
    return text(
        "none_confident" if tuning.options.confident else "none",
        language,
        no_cut=text(f"no {tuning.cuts.by}", language),
        name=text("precision" if isinstance(tuning.judged_by, P) else "recall", language),
        target=f"{tuning.options.target:g}",
        cut=tuning.cuts.label(at),
        r=f"{tuning.curves[tuning.judged_by].mean[at]:.3f}",
        ci=interval(tuning, at, judged_by=True, language=language),
    )


def reason(tuning: Tuning) -> str:
    """What the rule found there."""
    options, at = tuning.options, tuning.setting
    value = tuning.curves[tuning.judged_by].mean[at]
    found = f"{value:.3f} {interval(tuning, at, judged_by=True)}"
    by_k = tuning.cuts.by == "k"
    one, small, large = ("k", "smallest", "largest") if by_k else ("cut", "strictest", "loosest")
    within = ""
    if options.budget is not None and options.budget.limit is not None:
        within = f" in {options.budget.limit:,} {options.budget.unit}"
    if not tuning.reached:
        which = small if options.rule == "recall" else large
        return f"Rule: {which} {one} that reaches it{within}."
    bound = "a lower bound of " if options.confident else ""
    if options.rule == "best_f":
        return f"Rule: highest {tuning.judged_by}{within}, {found}."
    if options.rule == "precision":
        asked = f"{bound}precision{within} at least {options.target:g}"
        return f"Rule: {large} {one} with {asked}; it is {found}."
    if options.rule == "recall":
        asked = f"{bound}recall{within} at least {options.target:g}"
        return f"Rule: {small} {one} with {asked}."
    if options.rule == "budget":
        return f"Rule: {small} {one} with the highest recall{within}."
    return (
        f"Rule: knee of recall{within}, furthest above the line from the first {one} to the last."
    )


def interval(tuning: Tuning, at: int, *, judged_by: bool = False, language: Language = "en") -> str:
    """``(CI 0.871 to 0.942)`` of recall, or of what the rule looks at."""
    band = tuning.curves[tuning.judged_by if judged_by else tuning.recall]
    low, high = float(band.low[at]), float(band.high[at])
    if math.isnan(low):
        return text("no_ci", language)
    return text("ci", language, lo=f"{low:.3f}", hi=f"{high:.3f}")
