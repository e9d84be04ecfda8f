"""A gate's outcome as elements: the verdict, then every condition.

The command, a notebook and the report show the same ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.elements import (
    Cell,
    Column,
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
    count_text,
    interval_text,
    latency_text,
    number_text,
    plain_number,
    share_text,
    signed_text,
)
from ragscore.gate.model import (
    NOTHING_TO_SEE,
    ORDER,
    ConditionOutcome,
    GateFacts,
    GateVerdict,
    Reason,
)
from ragscore.gate.options import QUANTITIES
from ragscore.messages import Message, Text, _, joined
from ragscore.stats.one_sided import ALPHA

LEVELS: dict[GateVerdict, Level] = {"PASS": "good", "UNDECIDED": "fair", "FAIL": "poor"}
SHOWN = 4
"""Conditions that the verdict names; the table has them all."""
MAX_OPEN = 8
"""Conditions that hold and stand beside the others; more of them are folded."""
MAX_DIGITS = 9
WORDS: dict[GateVerdict, Message] = {
    "PASS": _("PASS"),
    "FAIL": _("FAIL"),
    "UNDECIDED": _("UNDECIDED"),
}
COUNTS_AS = {
    "pass": _("Counts as PASS: undecided is set to pass."),
    "fail": _("Counts as FAIL: undecided is set to fail."),
}
LABELS = {
    "p50_ms": _("p50 latency (ms)"),
    "p95_ms": _("p95 latency (ms)"),
    "p99_ms": _("p99 latency (ms)"),
    "failed": _("failed queries"),
}
QUANTITY_WORDS = {
    "value": _("value"),
    "lower bound": _("lower 95 % bound"),
    "upper bound": _("upper 95 % bound"),
    "drop": _("drop"),
}
CONDITIONS = {
    "min": _("{measure} >= {threshold}"),
    "max": _("{measure} <= {threshold}"),
    "drop": _("{measure} drop <= {threshold}"),
}
REASONS: dict[Reason, Message] = {
    "unchanged": _("No query's value changed."),
    "few differ": _("Only {differing} of {n} queries differ, too few to show a drop."),
    "no spread": _("Every query changed by the same amount."),
    "strict": _("The observed drop decides (strict)."),
    "retriever failed": _("It failed: {detail}"),
    "no such retriever": _("The result has no such retriever. It has: {detail}."),
    "not in the baseline": _("The baseline has no values for it. It has: {detail}."),
    "no query in the slice": _("No judged query is in the slice."),
    "no such slice": _("No query has this tag or metadata. They have: {detail}."),
    "no common query": _("No query has a value in both the result and the baseline."),
    "undefined": _("The measure is defined for no query."),
    "not measured": _(
        "It was not measured. Run files hold no times, and `latency: false` turns timing off. "
        "Retrievers built on an external system aren't timed, nor are calls for several queries "
        "at once. Results of earlier versions don't include the time of retries."
    ),
    "times of calls": _(
        "Timed on the run's {n} queries, with retries and waits, up to {detail} of them at once."
    ),
    "left out": _(
        "It holds for the queries that were answered; {detail} failed and are left out. Add a "
        "condition on failed queries to say how many may fail."
    ),
    "not estimable": _("The interval can't be estimated."),
}
REASONS_ALONE: dict[Reason, Message] = {
    "no such retriever": _("The result has no such retriever, nor any other."),
    "not in the baseline": _("The baseline has no values for it, nor for any other."),
    "no such slice": _("No query has a tag or metadata."),
}
"""The same where there are no others to name."""


def gate_elements(outcome: GateFacts, *, id: str = "gate") -> Section:
    """What ``ragscore gate`` prints.

    Args:
        outcome: of all conditions, or of those of one dataset.
        id: of the table.
    """
    elements: list[Element] = [gate_headline(outcome)]
    elements += [Paragraph(note, "warning") for note in outcome.notes]
    elements += _tables(outcome, id)
    return Section("gate", _("Gate"), tuple(elements))


def short_elements(outcome: GateFacts) -> list[Element]:
    """The verdict alone, for a place that has no room for every condition."""
    count = count_text(len(outcome.conditions))
    return [
        gate_headline(outcome),
        Paragraph(
            _(
                "The table of all {n} conditions is too long to show here; it is in gate.json in "
                "the result's folder.",
                n=count,
            ),
            "note",
        ),
    ]


def gate_headline(outcome: GateFacts) -> Headline:
    """The verdict, and the conditions that do not hold, the worst first."""
    unmet = [condition for condition in _sorted(outcome) if condition.verdict != "PASS"]
    several = _several(outcome)
    sentences = [condition_line(condition, several) for condition in unmet[:SHOWN]]
    words = [WORDS[condition.verdict] for condition in unmet[:SHOWN]]
    if not unmet:
        if len(outcome.conditions) == 1:
            sentences = [condition_line(outcome.conditions[0], several)]
        else:
            sentences = [_("All {n} conditions hold.", n=count_text(len(outcome.conditions)))]
        words = [WORDS[outcome.verdict]]
    lines = list(zip(words[1:], sentences[1:], strict=True))
    if (more := len(unmet) - SHOWN) > 0:
        lines.append((_("…"), _("and {n} more, in the table below.", n=count_text(more))))
    note: Text = ""
    if outcome.verdict == "UNDECIDED" and outcome.options.undecided is not None:
        note = COUNTS_AS[outcome.options.undecided]
    return Headline(
        outcome.verdict, words[0], LEVELS[outcome.counts_as], sentences[0], tuple(lines), note
    )


def condition_line(condition: ConditionOutcome, several: bool) -> Message:
    """``nDCG@10 (bm25): drop +0.071 [+0.034, +0.108] > 0.02.``, and why.

    Args:
        condition: of a gate.
        several: whether to name the dataset.
    """
    measure = _("{measure} ({whom})", measure=label_of(condition), whom=_whom(condition, several))
    facts = {
        "measure": measure,
        "quantity": QUANTITY_WORDS[condition.quantity],
        "threshold": _threshold(condition),
    }
    if condition.reason in NOTHING_TO_SEE:
        line = _(
            "{measure}: there was nothing to check ({quantity} {op} {threshold}).",
            op=_wanted(condition),
            **facts,
        )
    else:
        value = " ".join(filter(None, (value_text(condition), _interval(condition))))
        line = _(
            "{measure}: {quantity} {value} {op} {threshold}.",
            value=value,
            op=condition.relation,
            **facts,
        )
    reason = reason_text(condition)
    return _("{line} {reason}", line=line, reason=reason) if reason else line


def reason_text(condition: ConditionOutcome, *, in_table: bool = False) -> Text:
    """Why a condition has its verdict; empty if the numbers say it.

    Args:
        condition: of a gate.
        in_table: leave out what columns say.
    """
    facts = {
        "n": count_text(condition.n),
        "worse": count_text(condition.worse),
        "differing": count_text(condition.worse + condition.better),
        "threshold": _threshold(condition),
        "detail": condition.detail,
    }
    found = []
    if condition.reason == "unchanged" and (condition.p_pass_adjusted or 0) >= ALPHA:
        found.append(
            _(
                "No query's value changed, but {n} queries are too few to rule out a rare drop.",
                **facts,
            )
        )
    elif condition.reason:
        alone = None if condition.detail else REASONS_ALONE.get(condition.reason)
        found.append(alone or REASONS[condition.reason].given(**facts))
    if condition.verdict == "UNDECIDED" and condition.kind != "drop" and not condition.reason:
        found.append(_("{n} queries can't rule out a share above {threshold}.", **facts))
        if condition.needed is not None:
            found.append(
                _(
                    "{needed} queries with the same share would.",
                    needed=count_text(condition.needed),
                )
            )
        elif condition.threshold <= 0:
            found.append(
                _("No number of queries could: set a maximum above 0, or leave out confident.")
            )
    elif condition.verdict == "UNDECIDED" and not in_table:
        if not condition.reason:
            found.append(
                _("{n} queries neither show nor rule out a drop of more than {threshold}.", **facts)
            )
        if condition.needed is not None:
            if condition.needed <= condition.n:
                found.append(
                    _(
                        "They would rule it out if nothing had changed: the drop is close to the "
                        "allowance."
                    )
                )
            else:
                found.append(
                    _(
                        "About {needed} queries like these would rule it out if nothing had "
                        "changed.",
                        needed=count_text(condition.needed),
                    )
                )
        if condition.detectable is not None:
            found.append(
                _(
                    "A true drop of {drop} would be detected 4 times in 5.",
                    drop=number_text(condition.detectable, 2),
                )
            )
    return joined(found) if found else ""


def _tables(outcome: GateFacts, id: str) -> Iterator[Element]:
    """Every condition, the failed ones first; of many, those that hold are folded."""
    conditions = _sorted(outcome)
    unmet = [condition for condition in conditions if condition.verdict != "PASS"]
    hold = conditions[len(unmet) :]
    if len(hold) <= MAX_OPEN:
        yield _table(outcome, conditions, id, _("Every condition"))
    else:
        if unmet:
            yield _table(outcome, unmet, id, _("Conditions that don't hold"))
        summary = _("{n} conditions hold", n=count_text(len(hold)))
        yield Details(summary, (_table(outcome, hold, f"{id}-hold", ""),), f"{id}-holding")
    if any(condition.kind == "drop" for condition in conditions):
        if outcome.baseline:
            yield Paragraph(
                _("Drops are measured from {baseline}.", baseline=outcome.baseline), "note"
            )
        yield Paragraph(
            _(
                "FAIL: a one-sided paired test shows that the drop is larger than allowed. PASS: a "
                "second test rules out such a drop. UNDECIDED: neither test decides."
            ),
            "note",
        )


def _table(outcome: GateFacts, conditions: list[ConditionOutcome], id: str, title: Text) -> Table:
    several = _several(outcome)
    sliced = any(condition.slice for condition in outcome.conditions)
    drops = any(condition.kind == "drop" for condition in conditions)
    columns = [Column("verdict", _("Verdict"), "text"), retriever_column()]
    columns += [Column("dataset", _("Dataset"), "text")] if several else []
    columns += [Column("slice", _("Slice"), "text")] if sliced else []
    columns += [
        Column("condition", _("Condition"), "text"),
        Column(
            "compared",
            _("Compared"),
            hint=_(
                "The value that was compared, with its interval: 90 % for a drop and for Leak "
                "(its ends are the one-sided 95 % bounds), 95 % for everything else"
            ),
            interval=True,
        ),
    ]
    if drops:
        columns += [
            Column("before", _("Before")),
            Column("now", _("Now")),
            record_column(),
            Column(
                "p",
                _("p"),
                hint=_(
                    "One-sided, Holm-corrected over all drops. FAIL: p of the test that the drop "
                    "is larger than the allowance. PASS: of the test that it isn't. UNDECIDED: "
                    "the smaller of the two"
                ),
                better="low",
            ),
            Column("needed", _("Queries needed")),
        ]
    columns.append(Column("queries", _("Queries")))
    reasons = [reason_text(condition, in_table=True) for condition in conditions]
    columns += [Column("why", _("Why"), "text")] if any(reasons) else []
    rows = []
    for condition, reason in zip(conditions, reasons, strict=True):
        cells = [
            Cell(
                condition.verdict,
                WORDS[condition.verdict],
                strong=condition.verdict != "PASS",
                level=LEVELS[condition.verdict],
            ),
            name_cell(condition.retriever),
        ]
        cells += [text_cell(condition.dataset)] if several else []
        cells += [text_cell(condition.slice or _("all"))] if sliced else []
        asked = CONDITIONS[condition.kind].given(
            measure=label_of(condition), threshold=_threshold(condition)
        )
        cells += [text_cell(asked), _value_cell(condition)]
        if drops:
            cells += _drop_cells(condition)
        cells.append(count_cell(condition.n) if condition.n else nothing())
        cells += [text_cell(reason)] if any(reasons) else []
        rows.append(tuple(cells))
    return Table(id, title, tuple(columns), tuple(rows))


def _drop_cells(condition: ConditionOutcome) -> list[Cell]:
    if condition.kind != "drop" or not condition.n:
        return [nothing()] * 5
    ties = condition.n - condition.better - condition.worse
    own = {
        "FAIL": [condition.p_fail_adjusted],
        "PASS": [condition.p_pass_adjusted],
        "UNDECIDED": [condition.p_fail_adjusted, condition.p_pass_adjusted],
    }[condition.verdict]
    p = min((each for each in own if each is not None), default=None)
    return [
        number_cell(condition.before),
        number_cell(condition.now),
        record_cell(condition.better, condition.worse, ties),
        p_cell(None if condition.reason in ("strict", "unchanged") else p),
        nothing() if condition.needed is None else count_cell(condition.needed),
    ]


def _value_cell(condition: ConditionOutcome) -> Cell:
    interval = condition.interval
    if condition.value != condition.value:
        return nothing()
    shown: Text = value_text(condition)
    if condition.quantity.endswith("bound"):
        shown = _("{bound} (value {value})", bound=shown, value=number_text(condition.now))
    if interval is None or not interval.estimable:
        return Cell(condition.value, shown)
    return Cell(
        condition.value,
        shown,
        low=interval.low,
        high=interval.high,
        interval=_interval(condition),
    )


def label_of(condition: ConditionOutcome) -> Text:
    """The measure as tables print it, or the quantity in words."""
    return LABELS.get(condition.measure, condition.label)


def value_text(condition: ConditionOutcome) -> str:
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
    return shown(value, digits)


def _interval(condition: ConditionOutcome) -> str:
    interval = condition.interval
    if interval is None:
        return ""
    return interval_text(interval.low, interval.high, sign=condition.kind == "drop")


def _threshold(condition: ConditionOutcome) -> str:
    if condition.measure == "failed":
        return share_text(condition.threshold)
    return plain_number(condition.threshold)


def _wanted(condition: ConditionOutcome) -> str:
    return ">=" if condition.kind == "min" else "<="


def _whom(condition: ConditionOutcome, several: bool) -> str:
    named = [condition.retriever, condition.slice, condition.dataset if several else ""]
    return ", ".join(filter(None, named))


def _several(outcome: GateFacts) -> bool:
    return len({condition.dataset for condition in outcome.conditions}) > 1


def _sorted(outcome: GateFacts) -> list[ConditionOutcome]:
    return sorted(outcome.conditions, key=lambda condition: ORDER.index(condition.verdict))
