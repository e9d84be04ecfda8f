"""The sentence that says which k to use, by which rule, and what it costs."""

from __future__ import annotations

import math

import numpy as np

from ragscore.measures import Measure, P, R
from ragscore.scoring.tables import percent
from ragscore.tuning.result import Tuning
from ragscore.tuning.strings import Language, text


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
    return text(
        "use",
        tuning.options.language,
        cut=tuning.cuts.label(at),
        rule=rule(tuning) or "",
        found=_found(tuning, at),
        answers=_answers(tuning, at),
        handed=_handed_over(tuning, at),
        more=_more(tuning, at),
    )


def rule(tuning: Tuning) -> str | None:
    """The rule in words; None where nobody gave one."""
    options, language = tuning.options, tuning.options.language
    if options.rule is None:
        return None
    which = f"{options.rule} {'k' if tuning.cuts.by == 'k' else 'cut'}"
    looked_for = text(
        f"rule {options.rule}",
        language,
        which=text(which, language) if options.rule not in ("best_f", "knee") else "",
        name=named(tuning.judged_by, language),
        target=f"{options.target:g}" if options.target is not None else "",
    )
    confident = text("rule_confident", language) if options.confident else ""
    return looked_for + confident + _conditions(tuning)


def _conditions(tuning: Tuning, coverage: str = "rule_coverage") -> str:
    """What else the rule must keep to: a coverage, in the words of that string, and a budget."""
    options, language = tuning.options, tuning.options.language
    budget, covered, within = options.budget, "", ""
    if options.coverage is not None:
        covered = text(coverage, language, share=f"{100 * options.coverage:g} %")
    if budget is not None and budget.limit is not None:
        unit = text(budget.unit, language)
        within = text("rule_within", language, limit=f"{budget.limit:,}", unit=unit)
    return covered + within


def _found(tuning: Tuning, at: int) -> str:
    """What the rule asked for, with its interval; then what else there is."""
    language, asked = tuning.options.language, tuning.judged_by
    measures = dict.fromkeys((asked, tuning.precision, tuning.recall))
    if asked == tuning.recall and tuning.cuts.by == "k":
        measures = {asked: None}
    parts = []
    for measure in measures:
        mean = float(tuning.curves[measure].mean[at])
        value = f"{named(measure, language)} {number(mean)}"
        if measure == asked:
            value += f" {interval(tuning, at, measure)}"
        if measure == tuning.precision and tuning.cuts.by != "k":
            value += text("among_answered", language)
        parts.append(value)
    return ", ".join(parts)


def _answers(tuning: Tuning, at: int) -> str:
    """How many queries a score cut answers, and with how many passages; empty where k is cut."""
    kept, language = tuning.kept, tuning.options.language
    if tuning.cuts.by == "k":
        return ""
    share, wrongly = float(kept.answered.mean[at]), ""
    if kept.wrongly is not None:
        wrong = round(float(kept.wrongly.mean[at]) * kept.unanswerable)
        wrongly = text("wrongly", language, count=str(wrong), n=str(kept.unanswerable))
    return text(
        "answers",
        language,
        count=f"{round(share * tuning.queries):,}",
        n=f"{tuning.queries:,}",
        share=percent(share),
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
    return text(
        "cut_to" if share else "all_fit",
        tuning.options.language,
        cut=tuning.cuts.label(at),
        limit=f"{budget.limit:,}",
        unit=text(budget.unit, tuning.options.language),
        size=f"{overflow.sizes[at]:,.0f}",
        share=percent(share),
    )


def _more(tuning: Tuning, at: int) -> str:
    """What going further adds, and what it takes up; empty where there is nothing further."""
    language, recall = tuning.options.language, tuning.curves[tuning.recall]
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
        unit = text(tuning.unit, language)
    elif not by_k:
        size = f"{tuning.kept.mean[further] - tuning.kept.mean[at]:.1f}"
        unit = text("passages_unit", language)
    else:
        return text("going", language, goal=goal, dr=added)
    return text("going_for", language, goal=goal, dr=added, dt=size, unit=unit)


def _larger_budget(tuning: Tuning, at: int) -> str:
    """What about twice the budget adds; empty where there is none, or no more to be had."""
    context, budget, language = tuning.context, tuning.options.budget, tuning.options.language
    if context is None or budget is None or budget.limit is None:
        return ""
    larger = np.flatnonzero(context.limits >= 1.5 * budget.limit)
    if not len(larger):
        return ""
    added = context.recall.mean[larger[0]] - tuning.curves[tuning.recall].mean[at]
    return text(
        "larger_budget",
        language,
        limit=f"{int(context.limits[larger[0]]):,}",
        unit=text(budget.unit, language),
        dr=f"{added:.3f}",
    )


def _no_rule(tuning: Tuning) -> str:
    language, cuts = tuning.options.language, tuning.cuts
    *targets, (_, best) = tuning.reaching()
    reached = [
        text(
            "takes" if listed else "takes_first", language, cut=cuts.label(at), target=f"{target:g}"
        )
        for listed, (target, at) in enumerate(targets)
    ]
    return text(
        "no_rule",
        language,
        no_cut=text(f"none {cuts.by}", language),
        reached=", ".join(reached) + ("; " if reached else ""),
        cut=cuts.label(best),
        r=number(float(tuning.curves[tuning.recall].mean[best])),
    )


def _not_reached(tuning: Tuning) -> str:
    at, options, language = tuning.nearest, tuning.options, tuning.options.language
    assert at is not None
    if options.coverage is not None and tuning.kept.answered.mean[at] < options.coverage:
        return text(
            "none_covers",
            language,
            no_cut=text(f"no {tuning.cuts.by}", language),
            asked=f"{100 * options.coverage:g} %",
            cut=tuning.cuts.label(at),
            share=percent(float(tuning.kept.answered.mean[at])),
        )
    if options.target is None:
        return text("no_knee", language)
    return text(
        "none_confident" if options.confident else "none",
        language,
        no_cut=text(f"no {tuning.cuts.by}", language),
        name=named(tuning.judged_by, language),
        target=f"{options.target:g}",
        conditions=_conditions(tuning, "none_coverage"),
        cut=tuning.cuts.label(at),
        r=number(float(tuning.curves[tuning.judged_by].mean[at])),
        ci=interval(tuning, at, tuning.judged_by),
    )


def _nothing(tuning: Tuning) -> str:
    """Why no k can be recommended: nothing fits, or nothing relevant is there."""
    overflow, budget, language = tuning.overflow, tuning.options.budget, tuning.options.language
    if overflow is None or budget is None or budget.limit is None:
        return text("nothing_found", language, depth=f"{tuning.depth:,}")
    return text(
        tuning.state.replace(" ", "_") + ("" if tuning.state == "nothing fits" else "_within"),
        language,
        limit=f"{budget.limit:,}",
        unit=text(budget.unit, language),
        shortest=f"{overflow.shortest:,}",
    )


def named(measure: Measure, language: Language) -> str:
    """A measure as a sentence names it."""
    if isinstance(measure, P | R):
        return text("precision" if isinstance(measure, P) else "recall", language)
    return measure.label


def number(value: float) -> str:
    """Three decimals; a dash where there is none."""
    return "-" if math.isnan(value) else f"{value:.3f}"


def interval(tuning: Tuning, at: int, measure: Measure) -> str:
    """``(CI 0.871 to 0.942)`` of a measure at a setting."""
    band, language = tuning.curves[measure], tuning.options.language
    low, high = float(band.low[at]), float(band.high[at])
    if math.isnan(low):
        return text("no_ci", language)
    return text("ci", language, lo=f"{low:.3f}", hi=f"{high:.3f}")
