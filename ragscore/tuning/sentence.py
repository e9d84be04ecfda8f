"""The sentence that says which k to use, by which rule, and what it costs."""

from __future__ import annotations

import math

import numpy as np

from ragscore.blocks.numbers import share_text
from ragscore.measures import Measure, P, R
from ragscore.strings import Strings
from ragscore.tuning.result import Tuning
from ragscore.tuning.strings import STRINGS


def sentence(tuning: Tuning) -> str:
    """What to do, in one sentence.

    ``Use k = 5 (smallest k with recall at least 0.9): recall 0.912 (CI 0.871 to 0.942); going to
    10 adds 0.031 recall for 412 tokens per query.`` Where nothing is recommended it says why: ``No
    k reaches recall 0.9; the best, k = 20, has 0.812.``
    """
    at = tuning.setting
    if tuning.state == "no rule":
        return _no_rule(tuning)
    if tuning.state == "not reached":
        return _not_reached(tuning)
    if at is None:
        return _nothing(tuning)
    return _strings(tuning)(
        "use",
        cut=tuning.cuts.label(at),
        rule=rule(tuning) or "",
        found=_found(tuning, at),
        answers=_answers(tuning, at),
        handed=_handed_over(tuning, at),
        more=_more(tuning, at),
    )


def rule(tuning: Tuning) -> str | None:
    """The rule in words; None where nobody gave one."""
    options, strings = tuning.options, _strings(tuning)
    if options.rule is None:
        return None
    which = f"{options.rule} {'k' if tuning.cuts.by == 'k' else 'cut'}"
    looked_for = strings(
        f"rule {options.rule}",
        which=strings(which) if options.rule not in ("best_f", "knee") else "",
        name=named(tuning.judged_by, strings),
        target=f"{options.target:g}" if options.target is not None else "",
    )
    confident = strings("rule_confident") if options.confident else ""
    return looked_for + confident + _conditions(tuning)


def _conditions(tuning: Tuning, coverage: str = "rule_coverage") -> str:
    """What else the rule must keep to: a coverage, in the words of that string, and a budget."""
    options, strings = tuning.options, _strings(tuning)
    budget, covered, within = options.budget, "", ""
    if options.coverage is not None:
        covered = strings(coverage, share=f"{100 * options.coverage:g} %")
    if budget is not None and budget.limit is not None:
        unit = strings(budget.unit)
        within = strings("rule_within", limit=f"{budget.limit:,}", unit=unit)
    return covered + within


def _found(tuning: Tuning, at: int) -> str:
    """What the rule asked for, with its interval; then what else there is."""
    strings, asked = _strings(tuning), tuning.judged_by
    measures = dict.fromkeys((asked, tuning.precision, tuning.recall))
    if asked == tuning.recall and tuning.cuts.by == "k":
        measures = {asked: None}
    parts = []
    for measure in measures:
        mean = float(tuning.curves[measure].mean[at])
        value = f"{named(measure, strings)} {number(mean)}"
        if measure == asked:
            value += f" {interval(tuning, at, measure)}"
        if measure == tuning.precision and tuning.cuts.by != "k":
            value += strings("among_answered")
        parts.append(value)
    return ", ".join(parts)


def _answers(tuning: Tuning, at: int) -> str:
    """How many queries a score cut answers, and with how many passages; empty where k is cut."""
    kept, strings = tuning.kept, _strings(tuning)
    if tuning.cuts.by == "k":
        return ""
    share, wrongly = float(kept.answered.mean[at]), ""
    if kept.wrongly is not None:
        wrong = round(float(kept.wrongly.mean[at]) * kept.unanswerable)
        wrongly = strings("wrongly", count=str(wrong), n=str(kept.unanswerable))
    return strings(
        "answers",
        count=f"{round(share * tuning.queries):,}",
        n=f"{tuning.queries:,}",
        share=share_text(share),
        wrongly=wrongly,
        mean=f"{kept.mean[at]:.1f}",
        lowest=f"{kept.lowest[at]:.0f}",
        highest=f"{kept.highest[at]:.0f}",
    )


def _handed_over(tuning: Tuning, at: int) -> str:
    """What a budget cuts off; empty where there is none."""
    overflow, budget = tuning.overflow, tuning.options.budget
    if overflow is None or budget is None or budget.limit is None:
        return ""
    share = float(overflow.queries[at])
    return _strings(tuning)(
        "cut_to" if share else "all_fit",
        cut=tuning.cuts.label(at),
        limit=f"{budget.limit:,}",
        unit=_strings(tuning)(budget.unit),
        size=f"{overflow.sizes[at]:,.0f}",
        share=share_text(share),
    )


def _more(tuning: Tuning, at: int) -> str:
    """What going further adds, and what it takes up; empty where there is nothing further."""
    strings, recall = _strings(tuning), tuning.curves[tuning.recall]
    further = tuning.further()
    if tuning.sizes is not None and (further is None or tuning.sizes[further] == tuning.sizes[at]):
        return _larger_budget(tuning, at)
    if tuning.options.rule == "budget":  # within it, nothing further has more
        return _larger_budget(tuning, at)
    if further is None:
        return ""
    added = f"{recall.mean[further] - recall.mean[at]:.3f}"
    by_k = tuning.cuts.by == "k"
    goal = tuning.cuts.shown(further) if by_k else tuning.cuts.label(further)
    if tuning.sizes is not None and tuning.unit is not None:
        size = f"{tuning.sizes[further] - tuning.sizes[at]:,.0f}"
        unit = strings(tuning.unit)
    elif not by_k:
        size = f"{tuning.kept.mean[further] - tuning.kept.mean[at]:.1f}"
        unit = strings("passages_unit")
    else:
        return strings("going", goal=goal, dr=added)
    return strings("going_for", goal=goal, dr=added, dt=size, unit=unit)


def _larger_budget(tuning: Tuning, at: int) -> str:
    """What about twice the budget adds; empty where there is none, or no more to be had."""
    context, budget, strings = tuning.context, tuning.options.budget, _strings(tuning)
    if context is None or budget is None or budget.limit is None:
        return ""
    larger = np.flatnonzero(context.limits >= 1.5 * budget.limit)
    if not len(larger):
        return ""
    added = context.recall.mean[larger[0]] - tuning.curves[tuning.recall].mean[at]
    return strings(
        "larger_budget",
        limit=f"{int(context.limits[larger[0]]):,}",
        unit=strings(budget.unit),
        dr=f"{added:.3f}",
    )


def _no_rule(tuning: Tuning) -> str:
    strings, cuts = _strings(tuning), tuning.cuts
    *targets, (_, best) = tuning.reaching()
    reached = [
        strings("takes" if listed else "takes_first", cut=cuts.label(at), target=f"{target:g}")
        for listed, (target, at) in enumerate(targets)
    ]
    return strings(
        "no_rule",
        no_cut=strings(f"none {cuts.by}"),
        reached=", ".join(reached) + ("; " if reached else ""),
        cut=cuts.label(best),
        r=number(float(tuning.curves[tuning.recall].mean[best])),
    )


def _not_reached(tuning: Tuning) -> str:
    at, options, strings = tuning.nearest, tuning.options, _strings(tuning)
    assert at is not None
    if options.coverage is not None and tuning.kept.answered.mean[at] < options.coverage:
        return strings(
            "none_covers",
            no_cut=strings(f"no {tuning.cuts.by}"),
            asked=f"{100 * options.coverage:g} %",
            cut=tuning.cuts.label(at),
            share=share_text(float(tuning.kept.answered.mean[at])),
        )
    if options.target is None:
        return strings("no_knee")
    return strings(
        "none_confident" if options.confident else "none",
        no_cut=strings(f"no {tuning.cuts.by}"),
        name=named(tuning.judged_by, strings),
        target=f"{options.target:g}",
        conditions=_conditions(tuning, "none_coverage"),
        cut=tuning.cuts.label(at),
        r=number(float(tuning.curves[tuning.judged_by].mean[at])),
        ci=interval(tuning, at, tuning.judged_by),
    )


def _nothing(tuning: Tuning) -> str:
    """Why no k can be recommended: nothing fits, or nothing relevant is there."""
    overflow, budget, strings = tuning.overflow, tuning.options.budget, _strings(tuning)
    if overflow is None or budget is None or budget.limit is None:
        return strings("nothing_found", depth=f"{tuning.depth:,}")
    return strings(
        tuning.state.replace(" ", "_") + ("" if tuning.state == "nothing fits" else "_within"),
        limit=f"{budget.limit:,}",
        unit=strings(budget.unit),
        shortest=f"{overflow.shortest:,}",
    )


def named(measure: Measure, strings: Strings) -> str:
    """A measure as a sentence names it."""
    if isinstance(measure, P | R):
        return strings("precision" if isinstance(measure, P) else "recall")
    return measure.label


def number(value: float) -> str:
    """Three decimals; a dash where there is none."""
    return "-" if math.isnan(value) else f"{value:.3f}"


def interval(tuning: Tuning, at: int, measure: Measure) -> str:
    """``(CI 0.871 to 0.942)`` of a measure at a setting."""
    band, strings = tuning.curves[measure], _strings(tuning)
    low, high = float(band.low[at]), float(band.high[at])
    if math.isnan(low):
        return strings("no_ci")
    return strings("ci", lo=f"{low:.3f}", hi=f"{high:.3f}")


def _strings(tuning: Tuning) -> Strings:
    return STRINGS.strings(tuning.options.language)
