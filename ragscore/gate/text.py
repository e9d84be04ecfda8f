"""What is printed of a gate: the verdict with what to do, and every condition.

The command, a notebook and the report show the same elements.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ragscore.comparison.verdict_text import MANY_QUERIES
from ragscore.elements import (
    Cell,
    Details,
    Element,
    Headline,
    Level,
    Paragraph,
    Section,
    Table,
)
from ragscore.elements.cells import (
    count_cell,
    name_cell,
    nothing,
    number_cell,
    p_cell,
    record_cell,
    record_column,
    retriever_column,
    text_cell,
)
from ragscore.elements.numbers import (
    allowed_text,
    count_text,
    interval_text,
    latency_text,
    number_text,
    plain_number,
    share_text,
    signed_text,
)
from ragscore.elements.tables import Columns, column, table
from ragscore.estimate import Estimate
from ragscore.gate.baseline import better_low
from ragscore.gate.options import QUANTITIES
from ragscore.gate.record import NO_DATA, GateCondition, GateResult, GateVerdict, Kind, Reason
from ragscore.messages import Message, Text, _, _c, counted, joined
from ragscore.stats.one_sided import ALPHA

LEVELS: dict[GateVerdict, Level] = {"PASS": "good", "UNDECIDED": "fair", "FAIL": "poor"}
MAX_OPEN = 8
"""Conditions that hold and stand beside the others; more of them are folded."""
MAX_DIGITS = 9
WORDS: dict[GateVerdict, Message] = {
    "PASS": _("PASS"),
    "FAIL": _("FAIL"),
    "UNDECIDED": _("UNDECIDED"),
}
LABELS = {
    "p50_ms": _("p50 latency (ms)"),
    "p95_ms": _("p95 latency (ms)"),
    "p99_ms": _("p99 latency (ms)"),
    "failed": _("share of failed queries"),
}
QUANTITY_WORDS = {
    "value": _("observed"),
    "lower bound": _("lower 95 % bound"),
    "upper bound": _("upper 95 % bound"),
}
FALL, RISE = _c("gate", "fall"), _c("gate", "rise")
CONDITIONS: dict[Kind, Message] = {
    "min": _("{measure} >= {threshold}"),
    "max": _("{measure} <= {threshold}"),
    "drop": _("{measure} may {fall} by {threshold}"),
}
ALLOWED: dict[Kind, Message] = {
    "min": _("at least {threshold} is required"),
    "max": _("at most {threshold} is allowed"),
    "drop": _("a {fall} of {threshold} is allowed"),
}
WHAT_TO_DO = {
    "min": _("do not ship {retriever} until {measure} is at least {threshold}."),
    "max": _("do not ship {retriever} until {measure} is at most {threshold}."),
    "drop": _("do not ship {retriever} until {measure} is within {threshold} of {before} again."),
    "no data": _("do not ship {retriever}: this condition could not be checked."),
    "UNDECIDED": _(
        "do not ship {retriever} until this is settled, or accept the risk with the "
        "option undecided: pass."
    ),
    "counts as FAIL": _("do not ship {retriever}: it counts as FAIL (undecided: fail)."),
    "counts as PASS": _("nothing: it counts as PASS (undecided: pass)."),
    "PASS": _("nothing: the build may go on."),
}
REASONS: dict[Reason, Message] = {
    "unchanged": _("No question's value changed."),
    "few differ": _("Only {differing} of {n} questions differ, too few to show a fall."),
    "no spread": _("Every question changed by the same amount."),
    "strict": _("The observed change decides (strict)."),
    "retriever failed": _("It failed: {detail}"),
    "no such retriever": _("The result has no such retriever. It has: {detail}."),
    "not in the baseline": _("The baseline has no values for this retriever. It has: {detail}."),
    "no query in the slice": _("No judged question is in the slice."),
    "no such slice": _("No question has this tag or metadata. They have: {detail}."),
    "no common query": _("No question has a value in both the result and the baseline."),
    "undefined": _("The measure is defined for no question."),
    "not measured": _(
        "It was not measured. Run files hold no times, and `latency: false` turns timing off. "
        "Retrievers built on an external system aren't timed, nor are calls for several "
        "questions at once. Results of earlier versions don't include the time of retries."
    ),
    "times of calls": _(
        "Timed on the run's {n} questions, with retries and waits, up to {detail} at once."
    ),
    "left out": _(
        "It holds for the questions that were answered; {detail} failed and are left out. Add a "
        "condition on failed queries to say how many may fail."
    ),
    "not estimable": _("The interval can't be estimated."),
}
REASONS_ALONE: dict[Reason, Message] = {
    "no such retriever": _("The result has no such retriever, nor any other."),
    "not in the baseline": _("The baseline has no values for this retriever, or for any other."),
    "no such slice": _("No question has a tag or metadata."),
}
"""The same where there are no others to name."""


def gate_elements(result: GateResult, *, id: str = "gate") -> Section:
    """What ``ragscore gate`` prints.

    Args:
        result: of all conditions, or of those of one dataset.
        id: of the table.
    """
    elements: list[Element] = [gate_headline(result)]
    elements += [Paragraph(note, "warning") for note in result.notes]
    elements += _tables(result, id)
    return Section("gate", _("Gate"), tuple(elements))


# The verdict.


def gate_headline(result: GateResult) -> Headline:
    """The verdict with the condition that decides it, what to do, what is sure, what is open."""
    first, n = _decisive(result), count_text(len(result.conditions))
    said: list[Text] = [_("{claim}.", claim=condition_claim(first, result))]
    unmet = sum(condition.verdict != "PASS" for condition in result.conditions)
    near = sum(condition.within_noise for condition in result.conditions)
    if unmet > 1:
        others = counted(
            "One more condition doesn't hold.", "{count} more conditions don't hold.", unmet - 1
        )
        said.append(others)
    elif not unmet and len(result.conditions) > 1:
        others = _("All {n} conditions hold.", n=n)
        if near:
            others = counted(
                "All {n} conditions hold; one is within noise of its limit.",
                "All {n} conditions hold; {count} are within noise of their limits.",
                near,
                n=n,
            )
        said.append(others)
    lines = ((joined([_("What to do"), ":"], ""), _what_to_do(first, result)),)
    word, level = WORDS[result.verdict], LEVELS[result.counts_as]
    return Headline(result.verdict, word, level, joined(said), lines + _reasons(first, result))


def _decisive(result: GateResult) -> GateCondition:
    """Of the conditions that have the verdict of all, the drop that is furthest beyond what is
    allowed, one on all queries before one on a slice; else the first."""
    alike = [each for each in result.conditions if each.verdict == result.verdict]
    drops = [each for each in alike if each.kind == "drop" and each.n]
    furthest = sorted(drops, key=lambda each: (bool(each.slice), each.threshold - each.value))
    return (furthest or alike)[0]


def condition_line(condition: GateCondition, result: GateResult) -> Text:
    """A condition in one line, with the reason for its verdict, as a file for CI has it."""
    claim = _("{claim}.", claim=condition_claim(condition, result))
    return joined([claim, *map(joined, _reasons(condition, result)), *_detectable(condition)])


def condition_claim(condition: GateCondition, result: GateResult) -> Message:
    """``bm25: nDCG@10 fell from 0.553 to 0.326 since baseline.json; a fall of 0.05 is allowed``.

    Args:
        condition: of a gate.
        result: what the gate says.
    """
    facts = _facts(condition, result)
    facts["allowed"] = ALLOWED[condition.kind].given(**facts)
    if condition.reason in NO_DATA:
        return _("{whom}: no data for {measure}; {allowed}", **facts)
    if condition.kind != "drop":
        return _("{whom}: {measure} is {value} ({quantity}); {allowed}", **facts)
    if condition.verdict == "UNDECIDED":
        facts["allowed"] = _(
            "a {fall} of more than the {threshold} allowed is not ruled out", **facts
        )
    if not condition.value:
        return _("{whom}: {measure} is {now}, as in {baseline}; {allowed}", **facts)
    if condition.now < condition.before:
        return _(
            "{whom}: {measure} fell from {before} to {now} since {baseline}; {allowed}", **facts
        )
    return _("{whom}: {measure} rose from {before} to {now} since {baseline}; {allowed}", **facts)


def _facts(condition: GateCondition, result: GateResult) -> dict[str, Any]:
    """What sentences on a condition name."""
    parts = [condition.slice, condition.dataset if _several(result) else ""]
    part = ", ".join(filter(None, parts))
    return {
        **_names(condition),
        "retriever": condition.retriever,
        "whom": f"{condition.retriever} ({part})" if part else condition.retriever,
        "baseline": _baseline(result),
        "before": number_text(condition.before),
        "now": number_text(condition.now),
        "value": value_text(condition),
        "quantity": QUANTITY_WORDS.get(condition.quantity, ""),
        "ci": _interval(condition),
        "n": count_text(condition.n),
        "worse": count_text(condition.worse),
        "better": count_text(condition.better),
    }


def _names(condition: GateCondition) -> dict[str, Text]:
    """What a condition asks; of a drop, which way is worse."""
    failed = condition.measure == "failed"
    return {
        "measure": LABELS.get(condition.measure, condition.label),
        "threshold": (share_text if failed else plain_number)(condition.threshold),
        "fall": RISE if _falls_up(condition) else FALL,
    }


def _baseline(result: GateResult) -> Text:
    """What drops are measured from, and its day."""
    name = result.baseline or _("the baseline")
    return _("{name} of {date}", name=name, date=result.measured) if result.measured else name


def _what_to_do(condition: GateCondition, result: GateResult) -> Message:
    case: str = condition.kind
    if result.verdict == "UNDECIDED" != result.counts_as:
        case = f"counts as {result.counts_as}"
    elif result.verdict != "FAIL":
        case = result.verdict
    elif condition.reason in NO_DATA:
        case = "no data"
    return WHAT_TO_DO[case].given(**_facts(condition, result))


def _reasons(condition: GateCondition, result: GateResult) -> tuple[tuple[Text, Text], ...]:
    """What is behind a verdict, each with the word that it begins with."""
    facts = _facts(condition, result)
    said = (
        (_("Why"), reason_text(condition)),
        (_("Sure"), _sure_text(condition, facts)),
        (_("Open"), _open_text(condition, facts)),
        (_("To settle"), _settling_text(condition)),
    )
    return tuple((joined([word, ":"], ""), text) for word, text in said if text)


def reason_text(condition: GateCondition) -> Text:
    """Why a condition has its verdict; empty if the numbers say it."""
    if condition.reason == "unchanged" and (condition.p_pass_adjusted or 0) >= ALPHA:
        return _(
            "No question's value changed, but {n} questions are too few to rule out a rare fall.",
            n=count_text(condition.n),
        )
    if condition.reason:
        alone = None if condition.detail else REASONS_ALONE.get(condition.reason)
        return alone or REASONS[condition.reason].given(
            n=count_text(condition.n),
            differing=count_text(condition.worse + condition.better),
            detail=condition.detail,
        )
    if condition.verdict == "UNDECIDED" and condition.kind == "max" and condition.threshold <= 0:
        return _(
            "No number of questions can show that it is 0: set a maximum above 0, or leave out "
            "confident."
        )
    return ""


def _sure_text(condition: GateCondition, facts: dict[str, Any]) -> Text:
    """What the interval leaves no doubt about."""
    if condition.within_noise or condition.reason or not facts["ci"]:
        return ""
    if condition.kind != "drop":
        return _("the whole interval {ci} lies on this side of {threshold}.", **facts)
    if condition.verdict == "UNDECIDED":
        return _("nothing yet.")
    facts["so"] = _("a {fall} of more than the {threshold} allowed", **facts)
    if condition.verdict == "PASS":
        facts["so"] = _("no {fall} of more than the {threshold} allowed", **facts)
    return _(
        "the change is {value} {ci}, {so}; {worse} of {n} questions got worse, {better} better.",
        **facts,
    )


def _open_text(condition: GateCondition, facts: dict[str, Any]) -> Text:
    """What the questions cannot tell."""
    if condition.within_noise:
        return _(
            "it is within noise of {threshold} ({low} to {high}): other questions could decide the "
            "other way.",
            threshold=facts["threshold"],
            low=number_text(min(condition.ends)),
            high=number_text(max(condition.ends)),
        )
    if condition.verdict != "UNDECIDED" or condition.reason:
        return ""
    return _(
        "whether other questions would show a {fall} of more than {threshold}: on these {n} the "
        "change is {value} {ci}.",
        **facts,
    )


def _settling_text(condition: GateCondition) -> Text:
    """What would decide a condition that is undecided."""
    if condition.verdict != "UNDECIDED" or condition.reason:
        return ""
    ways: list[Text] = []
    if condition.needed is not None:
        more = condition.needed - condition.n
        facts = {"more": count_text(max(more, 1))}
        if condition.kind != "drop":
            return _("about {more} more questions would decide it if it stayed the same.", **facts)
        text = _("about {more} more questions would rule it out if nothing truly changed", **facts)
        if more <= 0:
            text = _(
                "these questions would rule it out if nothing had truly changed: the change is "
                "close to what is allowed"
            )
        if more <= MANY_QUERIES or condition.accepted is None:
            ways.append(text)
    if condition.accepted is not None:
        size = allowed_text(condition.accepted)
        ways.append(_("allow a {fall} of {size}", **_names(condition), size=size))
    if len(ways) > 1:
        return _("{first}; or {second}.", first=ways[0], second=ways[1])
    return _("{text}.", text=ways[0]) if ways else ""


def _detectable(condition: GateCondition) -> list[Text]:
    """Which change so many questions would show."""
    if condition.detectable is None:
        return []
    size = number_text(condition.detectable, 2)
    return [_("A true change of {size} would be detected 4 times in 5.", size=size)]


# Every condition.


def _tables(result: GateResult, id: str) -> Iterator[Element]:
    """Every condition, the failed ones first; of many, those that hold are folded."""
    conditions = result.worst_first
    unmet = [condition for condition in conditions if condition.verdict != "PASS"]
    hold = conditions[len(unmet) :]
    if len(hold) <= MAX_OPEN:
        yield _table(result, conditions, id, _("Every condition"))
    else:
        if unmet:
            yield _table(result, unmet, id, _("Conditions that don't hold"))
        summary = _("{n} conditions hold", n=count_text(len(hold)))
        yield Details(summary, (_table(result, hold, f"{id}-hold", ""),), f"{id}-holding")
    if any(condition.kind == "drop" for condition in conditions):
        if result.baseline:
            yield Paragraph(
                _("Drops are measured from {baseline}.", baseline=_baseline(result)), "note"
            )
        yield Paragraph(
            _(
                "FAIL: a one-sided paired test shows that the drop is larger than allowed. PASS: a "
                "second test rules out such a drop. UNDECIDED: neither test decides."
            ),
            "note",
        )


def _table(result: GateResult, conditions: Sequence[GateCondition], id: str, title: Text) -> Table:
    drops = any(each.kind == "drop" for each in result.conditions)
    sliced, several = any(each.slice for each in result.conditions), _several(result)
    needed = drops or any(each.needed for each in result.conditions)
    compared_hint = _(
        "The value that was compared (of a drop, the change since the baseline) and its interval: "
        "90 % for a drop and for Leak (its ends are the one-sided 95 % bounds), 95 % for "
        "everything else"
    )
    p_hint = _(
        "One-sided, Holm-corrected over all drops. FAIL: p of the test that the drop is larger "
        "than the allowance. PASS: of the test that it isn't. UNDECIDED: the smaller of the two"
    )
    columns: Columns[GateCondition] = (
        column("verdict", _("Verdict"), _verdict_cell, "text"),
        (retriever_column(), lambda each: name_cell(each.retriever)),
        column("dataset", _("Dataset"), lambda each: text_cell(each.dataset), "text")
        if several
        else None,
        column("slice", _("Slice"), lambda each: text_cell(each.slice or _("all")), "text")
        if sliced
        else None,
        column("condition", _("Condition"), _condition_cell, "text"),
        column("compared", _("Compared"), _value_cell, hint=compared_hint, interval=True),
        column("before", _("Before"), lambda each: number_cell(each.before)) if drops else None,
        column("now", _("Now"), _now_cell) if drops else None,
        (record_column(), _record_cell) if drops else None,
        column("p", _("p"), _p_cell, hint=p_hint, better="low") if drops else None,
        column("needed", _("Queries needed"), lambda each: known_count(each.needed))
        if needed
        else None,
        column("queries", _("Queries"), lambda each: known_count(each.n or None)),
        column("why", _("Why"), lambda each: text_cell(_why_text(each)), "text")
        if any(map(_why_text, conditions))
        else None,
    )
    return table(id, title, columns, conditions)


def _verdict_cell(condition: GateCondition) -> Cell:
    return Cell(
        condition.verdict,
        WORDS[condition.verdict],
        strong=condition.verdict != "PASS",
        level=LEVELS[condition.verdict],
    )


def _condition_cell(condition: GateCondition) -> Cell:
    return text_cell(CONDITIONS[condition.kind].given(**_names(condition)))


def _value_cell(condition: GateCondition) -> Cell:
    compared, shown = _compared(condition), value_text(condition)
    if math.isnan(compared.value):
        return nothing()
    text: Text = shown
    if condition.quantity.endswith("bound"):
        text = _("{bound} (value {value})", bound=shown, value=number_text(condition.now))
    if not compared.estimable:
        return Cell(compared.value, text)
    interval = _interval(condition)
    return Cell(compared.value, text, low=compared.low, high=compared.high, interval=interval)


def _now_cell(condition: GateCondition) -> Cell:
    return number_cell(condition.now if condition.kind == "drop" else None)


def _record_cell(condition: GateCondition) -> Cell:
    if condition.kind != "drop" or not condition.n:
        return nothing()
    ties = condition.n - condition.better - condition.worse
    return record_cell(condition.better, condition.worse, ties)


def _p_cell(condition: GateCondition) -> Cell:
    own = {
        "FAIL": [condition.p_fail_adjusted],
        "PASS": [condition.p_pass_adjusted],
        "UNDECIDED": [condition.p_fail_adjusted, condition.p_pass_adjusted],
    }[condition.verdict]
    p = min((each for each in own if each is not None), default=None)
    return p_cell(None if condition.reason in ("strict", "unchanged") else p)


def _why_text(condition: GateCondition) -> Text:
    said = [text for text in (reason_text(condition), *_detectable(condition)) if text]
    return joined(said) if said else ""


def known_count(count: int | None) -> Cell:
    """How many, where that is known."""
    return nothing() if count is None else count_cell(count)


# The number that is compared.


def _falls_up(condition: GateCondition) -> bool:
    """Whether it is a drop of a measure that is better when it is lower, which gets worse by
    rising."""
    return condition.kind == "drop" and better_low(condition.measure)


def _compared(condition: GateCondition) -> Estimate:
    """What is compared, as it is printed: of a drop the change since the baseline."""
    found, value = condition.interval, condition.value
    low, high = (math.nan, math.nan) if found is None else (found.low, found.high)
    if condition.kind == "drop" and not _falls_up(condition):
        return Estimate(0.0 - value, 0.0 - high, 0.0 - low)
    return Estimate(value, low, high)


def value_text(condition: GateCondition) -> str:
    """The number that was compared, with as many decimals as show on which side it lies."""
    if condition.measure == "failed":
        return share_text(condition.value)
    if condition.measure in QUANTITIES:
        return latency_text(condition.value)
    shown = signed_text if condition.kind == "drop" else number_text
    digits, value, threshold = 3, condition.value, condition.threshold
    while digits < MAX_DIGITS and (value > threshold, value < threshold) != (
        round(value, digits) > threshold,
        round(value, digits) < threshold,
    ):
        digits += 1
    return shown(_compared(condition).value, digits)


def _interval(condition: GateCondition) -> str:
    compared = _compared(condition)
    return interval_text(compared.low, compared.high, sign=condition.kind == "drop")


def _several(result: GateResult) -> bool:
    return len({condition.dataset for condition in result.conditions}) > 1
