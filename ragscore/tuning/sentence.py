"""The sentence that says which k to use, by which rule, and what it costs."""

from __future__ import annotations

import math

import numpy as np

from ragscore.elements.numbers import count_text, number_text, plain_number, share_text
from ragscore.measures import Measure, P, R
from ragscore.messages import Message, Text, _, _c, joined
from ragscore.tuning.options import UNITS, By
from ragscore.tuning.tuned_run import TunedRun

NO_CUT: dict[By, Message] = {
    "k": _("No k"),
    "score": _("No score cut"),
    "gap": _("No gap cut"),
    "ratio": _("No ratio cut"),
}
NONE_RECOMMENDED: dict[By, Message] = {
    "k": _c("object", "No k"),
    "score": _c("object", "No score cut"),
    "gap": _c("object", "No gap cut"),
    "ratio": _c("object", "No ratio cut"),
}
"""The same before ``is recommended``, which Korean says of an object."""


def sentence(tuning: TunedRun) -> Message:
    """What to do, in one sentence; and what is possible, where a precision is asked for.

    ``Use k = 5 (smallest k with recall at least 0.9): recall 0.912 (CI 0.871 to 0.942); going to
    10 adds 0.031 recall for 412 tokens per query.`` Where nothing is recommended it says why: ``No
    k reaches recall 0.9; the best, k = 20, has 0.812.``
    """
    at = tuning.setting
    if tuning.state == "no rule":
        return _no_rule(tuning)
    if tuning.state == "not reached":
        return joined([_not_reached(tuning), _possible(tuning)], "")
    if at is None:
        return _nothing(tuning)
    used = _(
        "Use {cut} ({rule}): {found}{answers}{handed}{more}.",
        cut=tuning.thresholds.label(at),
        rule=rule(tuning) or "",
        found=_found(tuning, at),
        answers=_answers(tuning, at),
        handed=_handed_over(tuning, at),
        more=_more(tuning, at),
    )
    return joined([used, _possible(tuning)], "")


def _possible(tuning: TunedRun) -> Text:
    """How high the precision can be there, and how much is not judged; empty for other rules."""
    possible, at = tuning.possible, tuning.nearest_setting
    if possible is None or at is None:
        return ""
    says = _(
        "A query has {relevant} relevant passages on average, so precision at "
        "{cut} can be {highest} at most; {unjudged} of the top {k} is unjudged "
        "and counts as not relevant.",
        relevant=number_text(possible.relevant, 1),
        highest=number_text(possible.highest[at]),
        cut=tuning.thresholds.label(at),
        unjudged=share_text(float(possible.unjudged[at])),
        k=tuning.thresholds.shown(at),
    )
    return joined([" ", says], "")


def rule(tuning: TunedRun) -> Message | None:
    """The rule in words; None if nobody gave one."""
    options = tuning.options
    if options.rule is None:
        return None
    by_k, name = tuning.thresholds.by == "k", named(tuning.judged_by)
    which = _("smallest k") if by_k else _("strictest cut")
    if options.rule == "best_f":
        looked_for = _("highest {name}", name=name)
    elif options.rule == "knee":
        looked_for = _("knee of {name}", name=name)
    elif options.rule == "budget":
        looked_for = _("{which} with the highest {name}", which=which, name=name)
    else:
        if options.rule == "precision":
            which = _("largest k") if by_k else _("loosest cut")
        target = "" if options.target is None else plain_number(options.target)
        looked_for = _(
            "{which} with {name} at least {target}", which=which, name=name, target=target
        )
    confident = _(" at the lower end of its 95 % interval") if options.confident else ""
    covered = _(" and at least {share} of the queries answered")
    return joined([looked_for, confident, _conditions(tuning, covered)], "")


def _conditions(tuning: TunedRun, covered: Message) -> Text:
    """What else the rule must keep to: a share of the queries answered, which ``covered`` says,
    and a budget."""
    options, conditions = tuning.options, list[Text]()
    if options.coverage is not None:
        conditions.append(covered.given(share=f"{plain_number(100 * options.coverage)} %"))
    if (within := _budget(tuning)) is not None:
        conditions.append(_(" within {limit} {unit}", **within))
    return joined(conditions, "")


def _budget(tuning: TunedRun) -> dict[str, Text] | None:
    """The limit of the contexts and its unit, None without one."""
    budget = tuning.options.budget
    if budget is None or budget.limit is None:
        return None
    return {"limit": count_text(budget.limit), "unit": UNITS[budget.unit]}


def _found(tuning: TunedRun, at: int) -> Text:
    """What the rule asked for, with its interval; then what else there is."""
    asked = tuning.judged_by
    measures = dict.fromkeys((asked, tuning.precision, tuning.recall))
    if asked == tuning.recall and tuning.thresholds.by == "k":
        measures = {asked: None}
    parts = []
    for measure in measures:
        mean = float(tuning.curves[measure].mean[at])
        value: list[Text] = [named(measure), f" {number_text(mean)}"]
        if measure == asked:
            value += [" ", interval(tuning, at, measure)]
        if measure == tuning.precision and tuning.thresholds.by != "k":
            value.append(_(" among the answered"))
        parts.append(joined(value, ""))
    return joined(parts, ", ")


def _answers(tuning: TunedRun, at: int) -> Text:
    """How many queries a score cut answers, and with how many passages; empty if k is cut."""
    kept = tuning.passages
    if tuning.thresholds.by == "k":
        return ""
    share = float(kept.answered.mean[at])
    wrongly: Text = ""
    if kept.unanswerable_answered is not None:
        wrong = round(float(kept.unanswerable_answered.mean[at]) * kept.unanswerable)
        wrongly = _(
            " and, wrongly, {count} of {n} unanswerable ones",
            count=str(wrong),
            n=str(kept.unanswerable),
        )
    return _(
        "; {count} of {n} queries are answered ({share}){wrongly}, with {mean} "
        "passages per query ({lowest} to {highest})",
        count=count_text(round(share * tuning.queries)),
        n=count_text(tuning.queries),
        share=share_text(share),
        wrongly=wrongly,
        mean=number_text(kept.mean[at], 1),
        lowest=number_text(kept.lowest[at], 0),
        highest=number_text(kept.highest[at], 0),
    )


def _handed_over(tuning: TunedRun, at: int) -> Text:
    """What the budget cuts off; empty without a budget."""
    overflow, budget = tuning.overflow, _budget(tuning)
    if overflow is None or budget is None:
        return ""
    facts = {
        "cut": tuning.thresholds.label(at),
        "size": number_text(overflow.context[at], 0),
        **budget,
    }
    if share := float(overflow.queries[at]):
        return _(
            "; contexts are cut to {limit} {unit}: without the limit, {cut} holds {size} {unit} "
            "on average, and {share} of queries exceed {limit}",
            share=share_text(share),
            **facts,
        )
    return _("; {cut} holds {size} {unit} on average, and no query exceeds {limit}", **facts)


def _more(tuning: TunedRun, at: int) -> Text:
    """What going further adds, and what it takes up; empty if there is nothing further."""
    recall = tuning.curves[tuning.recall]
    further = tuning.further()
    if tuning.context is not None and (
        further is None or tuning.context[further] == tuning.context[at]
    ):
        return _larger_budget(tuning, at)
    if tuning.options.rule == "budget":  # within it, nothing further has more
        return _larger_budget(tuning, at)
    if further is None:
        return ""
    added = number_text(recall.mean[further] - recall.mean[at])
    by_k = tuning.thresholds.by == "k"
    goal = tuning.thresholds.shown(further) if by_k else tuning.thresholds.label(further)
    if tuning.context is not None and tuning.unit is not None:
        size = number_text(tuning.context[further] - tuning.context[at], 0)
        unit = UNITS[tuning.unit]
    elif not by_k:
        size = number_text(tuning.passages.mean[further] - tuning.passages.mean[at], 1)
        unit = _("passages")
    else:
        return _("; going to {goal} adds {dr} recall", goal=goal, dr=added)
    return _(
        "; going to {goal} adds {dr} recall for {dt} {unit} per query",
        goal=goal,
        dr=added,
        dt=size,
        unit=unit,
    )


def _larger_budget(tuning: TunedRun, at: int) -> Text:
    """What about twice the budget adds; empty without a budget, or where nothing is larger."""
    context, budget = tuning.by_context, tuning.options.budget
    if context is None or budget is None or budget.limit is None:
        return ""
    larger = np.flatnonzero(context.limits >= 1.5 * budget.limit)
    if not len(larger):
        return ""
    added = context.recall.mean[larger[0]] - tuning.curves[tuning.recall].mean[at]
    return _(
        "; a budget of {limit} {unit} adds {dr} recall",
        limit=count_text(int(context.limits[larger[0]])),
        unit=UNITS[budget.unit],
        dr=number_text(added),
    )


def _no_rule(tuning: TunedRun) -> Message:
    thresholds = tuning.thresholds
    *targets, (_target, best) = tuning.reaching_settings()
    reached = [
        (_("{target} takes {cut}") if place else _("recall {target} takes {cut}")).given(
            cut=thresholds.label(at), target=plain_number(target)
        )
        for place, (target, at) in enumerate(targets)
        if target is not None
    ]
    return _(
        "{no_cut} is recommended, since no rule was given: {reached}the highest "
        "recall, {r}, takes {cut}.",
        no_cut=NONE_RECOMMENDED[thresholds.by],
        reached=joined([joined(reached, ", "), "; "], "") if reached else "",
        cut=thresholds.label(best),
        r=number_text(tuning.curves[tuning.recall].mean[best]),
    )


def _not_reached(tuning: TunedRun) -> Message:
    at, options = tuning.nearest_setting, tuning.options
    assert at is not None
    if options.coverage is not None and tuning.passages.answered.mean[at] < options.coverage:
        return _(
            "{no_cut} answers {asked} of the queries; the loosest, {cut}, answers {share}.",
            no_cut=NO_CUT[tuning.thresholds.by],
            asked=f"{plain_number(100 * options.coverage)} %",
            cut=tuning.thresholds.label(at),
            share=share_text(float(tuning.passages.answered.mean[at])),
        )
    if options.target is None:
        return _("Recall has no knee: it never rises above the straight line between its ends.")
    facts = {
        "no_cut": NO_CUT[tuning.thresholds.by],
        "name": named(tuning.judged_by),
        "target": plain_number(options.target),
        "conditions": _conditions(tuning, _(" and answers {share} of the queries")),
        "cut": tuning.thresholds.label(at),
        "r": number_text(tuning.curves[tuning.judged_by].mean[at]),
    }
    if options.confident:
        return _(
            "{no_cut} reaches {name} {target} with the lower end of its 95 % "
            "interval{conditions}; the best, {cut}, has {r} {ci}.",
            ci=interval(tuning, at, tuning.judged_by),
            **facts,
        )
    return _("{no_cut} reaches {name} {target}{conditions}; the best, {cut}, has {r}.", **facts)


def _nothing(tuning: TunedRun) -> Message:
    """Why no k can be recommended: nothing fits, or nothing relevant is there."""
    overflow, budget = tuning.overflow, _budget(tuning)
    if overflow is None or budget is None:
        return _(
            "Nothing is recommended: of the {depth} passages recorded for each "
            "query, none is relevant.",
            depth=count_text(tuning.depth),
        )
    shortest = count_text(overflow.shortest)
    if tuning.state == "nothing fits":
        return _(
            "Nothing fits {limit} {unit}: every query's first passage alone is larger; the "
            "smallest has {shortest}.",
            shortest=shortest,
            **budget,
        )
    return _(
        "Nothing is recommended: nothing that fits {limit} {unit} is relevant; the smallest "
        "first passage has {shortest}.",
        shortest=shortest,
        **budget,
    )


def named(measure: Measure) -> Text:
    """A measure as a sentence names it."""
    if isinstance(measure, P | R):
        return _("precision") if isinstance(measure, P) else _("recall")
    return measure.label


def interval(tuning: TunedRun, at: int, measure: Measure) -> Text:
    """``(CI 0.871 to 0.942)`` of a measure at a setting."""
    band = tuning.curves[measure]
    low, high = float(band.low[at]), float(band.high[at])
    if math.isnan(low):
        return _("(CI not estimable)")
    return _("(CI {lo} to {hi})", lo=number_text(low), hi=number_text(high))
