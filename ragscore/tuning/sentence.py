"""The sentence that says which k to use, by which rule, and what it costs."""

from __future__ import annotations

import math

import numpy as np

from ragscore.elements.numbers import count_text, number_text, plain_number, share_text
from ragscore.measures import Measure, P, R
from ragscore.strings import Strings
from ragscore.tuning.options import TARGETED
from ragscore.tuning.tuned_run import TunedRun


def sentence(tuning: TunedRun, strings: Strings) -> str:
    """What to do, in one sentence; and what is possible, where a precision is asked for.

    ``Use k = 5 (smallest k with recall at least 0.9): recall 0.912 (CI 0.871 to 0.942); going to
    10 adds 0.031 recall for 412 tokens per query.`` Where nothing is recommended it says why: ``No
    k reaches recall 0.9; the best, k = 20, has 0.812.``
    """
    at = tuning.setting
    if tuning.state == "no rule":
        return _no_rule(tuning, strings)
    if tuning.state == "not reached":
        return _not_reached(tuning, strings) + _possible(tuning, strings)
    if at is None:
        return _nothing(tuning, strings)
    used = strings(
        "use",
        cut=tuning.thresholds.label(at),
        rule=rule(tuning, strings) or "",
        found=_found(tuning, at, strings),
        answers=_answers(tuning, at, strings),
        handed=_handed_over(tuning, at, strings),
        more=_more(tuning, at, strings),
    )
    return used + _possible(tuning, strings)


def _possible(tuning: TunedRun, strings: Strings) -> str:
    """How high the precision can be there, and how much is not judged; empty for other rules."""
    possible, at = tuning.possible, tuning.nearest_setting
    if possible is None or at is None:
        return ""
    return " " + strings(
        "possible",
        relevant=number_text(possible.relevant, 1),
        highest=number_text(possible.highest[at]),
        cut=tuning.thresholds.label(at),
        unjudged=share_text(float(possible.unjudged[at])),
        k=tuning.thresholds.shown(at),
    )


def rule(tuning: TunedRun, strings: Strings) -> str | None:
    """The rule in words; None where nobody gave one."""
    options = tuning.options
    if options.rule is None:
        return None
    end = "largest" if options.rule == "precision" else "smallest"
    looked_for = strings(
        "rule target" if options.rule in TARGETED else f"rule {options.rule}",
        which=strings(f"{end} {'k' if tuning.thresholds.by == 'k' else 'cut'}"),
        name=named(tuning.judged_by, strings),
        target=plain_number(options.target) if options.target is not None else "",
    )
    confident = strings("rule_confident") if options.confident else ""
    return looked_for + confident + _conditions(tuning, strings)


def _conditions(tuning: TunedRun, strings: Strings, coverage: str = "rule_coverage") -> str:
    """What else the rule must keep to: a coverage, in the words of that string, and a budget."""
    options = tuning.options
    budget, covered, within = options.budget, "", ""
    if options.coverage is not None:
        covered = strings(coverage, share=f"{plain_number(100 * options.coverage)} %")
    if budget is not None and budget.limit is not None:
        unit = strings(budget.unit)
        within = strings("rule_within", limit=count_text(budget.limit), unit=unit)
    return covered + within


def _found(tuning: TunedRun, at: int, strings: Strings) -> str:
    """What the rule asked for, with its interval; then what else there is."""
    asked = tuning.judged_by
    measures = dict.fromkeys((asked, tuning.precision, tuning.recall))
    if asked == tuning.recall and tuning.thresholds.by == "k":
        measures = {asked: None}
    parts = []
    for measure in measures:
        mean = float(tuning.curves[measure].mean[at])
        value = f"{named(measure, strings)} {number_text(mean)}"
        if measure == asked:
            value += f" {interval(tuning, at, measure, strings)}"
        if measure == tuning.precision and tuning.thresholds.by != "k":
            value += strings("among_answered")
        parts.append(value)
    return ", ".join(parts)


def _answers(tuning: TunedRun, at: int, strings: Strings) -> str:
    """How many queries a score cut answers, and with how many passages; empty where k is cut."""
    kept = tuning.passages
    if tuning.thresholds.by == "k":
        return ""
    share, wrongly = float(kept.answered.mean[at]), ""
    if kept.unanswerable_answered is not None:
        wrong = round(float(kept.unanswerable_answered.mean[at]) * kept.unanswerable)
        wrongly = strings("wrongly", count=str(wrong), n=str(kept.unanswerable))
    return strings(
        "answers",
        count=count_text(round(share * tuning.queries)),
        n=count_text(tuning.queries),
        share=share_text(share),
        wrongly=wrongly,
        mean=number_text(kept.mean[at], 1),
        lowest=number_text(kept.lowest[at], 0),
        highest=number_text(kept.highest[at], 0),
    )


def _handed_over(tuning: TunedRun, at: int, strings: Strings) -> str:
    """What the budget cuts off; empty without a budget."""
    overflow, budget = tuning.overflow, tuning.options.budget
    if overflow is None or budget is None or budget.limit is None:
        return ""
    share = float(overflow.queries[at])
    return strings(
        "cut_to" if share else "all_fit",
        cut=tuning.thresholds.label(at),
        limit=count_text(budget.limit),
        unit=strings(budget.unit),
        size=number_text(overflow.context[at], 0),
        share=share_text(share),
    )


def _more(tuning: TunedRun, at: int, strings: Strings) -> str:
    """What going further adds, and what it takes up; empty where there is nothing further."""
    recall = tuning.curves[tuning.recall]
    further = tuning.further()
    if tuning.context is not None and (
        further is None or tuning.context[further] == tuning.context[at]
    ):
        return _larger_budget(tuning, at, strings)
    if tuning.options.rule == "budget":  # within it, nothing further has more
        return _larger_budget(tuning, at, strings)
    if further is None:
        return ""
    added = number_text(recall.mean[further] - recall.mean[at])
    by_k = tuning.thresholds.by == "k"
    goal = tuning.thresholds.shown(further) if by_k else tuning.thresholds.label(further)
    if tuning.context is not None and tuning.unit is not None:
        size = number_text(tuning.context[further] - tuning.context[at], 0)
        unit = strings(tuning.unit)
    elif not by_k:
        size = number_text(tuning.passages.mean[further] - tuning.passages.mean[at], 1)
        unit = strings("passages_unit")
    else:
        return strings("going", goal=goal, dr=added)
    return strings("going_for", goal=goal, dr=added, dt=size, unit=unit)


def _larger_budget(tuning: TunedRun, at: int, strings: Strings) -> str:
    """What about twice the budget adds; empty without a budget, or where nothing is larger."""
    context, budget = tuning.by_context, tuning.options.budget
    if context is None or budget is None or budget.limit is None:
        return ""
    larger = np.flatnonzero(context.limits >= 1.5 * budget.limit)
    if not len(larger):
        return ""
    added = context.recall.mean[larger[0]] - tuning.curves[tuning.recall].mean[at]
    return strings(
        "larger_budget",
        limit=count_text(int(context.limits[larger[0]])),
        unit=strings(budget.unit),
        dr=number_text(added),
    )


def _no_rule(tuning: TunedRun, strings: Strings) -> str:
    thresholds = tuning.thresholds
    *targets, (_, best) = tuning.reaching_settings()
    reached = [
        strings(
            "takes" if listed else "takes_first",
            cut=thresholds.label(at),
            target=plain_number(target),
        )
        for listed, (target, at) in enumerate(targets)
        if target is not None
    ]
    return strings(
        "no_rule",
        no_cut=strings(f"none {thresholds.by}"),
        reached=", ".join(reached) + ("; " if reached else ""),
        cut=thresholds.label(best),
        r=number_text(tuning.curves[tuning.recall].mean[best]),
    )


def _not_reached(tuning: TunedRun, strings: Strings) -> str:
    at, options = tuning.nearest_setting, tuning.options
    assert at is not None
    if options.coverage is not None and tuning.passages.answered.mean[at] < options.coverage:
        return strings(
            "none_covers",
            no_cut=strings(f"no {tuning.thresholds.by}"),
            asked=f"{plain_number(100 * options.coverage)} %",
            cut=tuning.thresholds.label(at),
            share=share_text(float(tuning.passages.answered.mean[at])),
        )
    if options.target is None:
        return strings("no_knee")
    return strings(
        "none_confident" if options.confident else "none",
        no_cut=strings(f"no {tuning.thresholds.by}"),
        name=named(tuning.judged_by, strings),
        target=plain_number(options.target),
        conditions=_conditions(tuning, strings, "none_coverage"),
        cut=tuning.thresholds.label(at),
        r=number_text(tuning.curves[tuning.judged_by].mean[at]),
        ci=interval(tuning, at, tuning.judged_by, strings),
    )


def _nothing(tuning: TunedRun, strings: Strings) -> str:
    """Why no k can be recommended: nothing fits, or nothing relevant is there."""
    overflow, budget = tuning.overflow, tuning.options.budget
    if overflow is None or budget is None or budget.limit is None:
        return strings("nothing_found", depth=count_text(tuning.depth))
    return strings(
        tuning.state.replace(" ", "_") + ("" if tuning.state == "nothing fits" else "_within"),
        limit=count_text(budget.limit),
        unit=strings(budget.unit),
        shortest=count_text(overflow.shortest),
    )


def named(measure: Measure, strings: Strings) -> str:
    """A measure as a sentence names it."""
    if isinstance(measure, P | R):
        return strings("precision" if isinstance(measure, P) else "recall")
    return measure.label


def interval(tuning: TunedRun, at: int, measure: Measure, strings: Strings) -> str:
    """``(CI 0.871 to 0.942)`` of a measure at a setting."""
    band = tuning.curves[measure]
    low, high = float(band.low[at]), float(band.high[at])
    if math.isnan(low):
        return strings("no_ci")
    return strings("ci", lo=number_text(low), hi=number_text(high))
