"""What is printed of a gate: the verdict, every condition, the queries that fell most.

The command, a notebook and the report show the same elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ragscore.comparison.verdict_text import MANY_QUERIES
from ragscore.dataset import Ids
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
    signed_cell,
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
from ragscore.elements.tables import table
from ragscore.errors import RagscoreError
from ragscore.gate.baseline import Baseline, BaselineRetriever
from ragscore.gate.baseline_changes import LoweredValue, better_low
from ragscore.gate.judging import PairedValues, paired_values
from ragscore.gate.options import QUANTITIES
from ragscore.gate.record import NO_DATA, GateCondition, GateResult, GateVerdict, Reason
from ragscore.measures import parse_measure
from ragscore.messages import Message, Text, _, _c, counted, few_names, joined
from ragscore.names import shortened
from ragscore.results import Result
from ragscore.stats.one_sided import ALPHA
from ragscore.stats.units import largest_moves

LEVELS: dict[GateVerdict, Level] = {"PASS": "good", "UNDECIDED": "fair", "FAIL": "poor"}
MAX_OPEN = 8
"""Conditions that hold and stand beside the others; more of them are folded."""
MAX_DIGITS = 9
MAX_FALLEN = 5
"""Conditions whose fallen queries are shown, the worst first."""
MAX_QUERIES = 10
"""Queries shown of each."""
LONGEST_TEXT = 300
"""Characters of a query that are shown."""
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
CONDITIONS = {
    "min": _("{measure} >= {threshold}"),
    "max": _("{measure} <= {threshold}"),
    "fall": _("{measure} falls by {threshold} at most"),
    "rise": _("{measure} rises by {threshold} at most"),
}
ALLOWED = {
    "min": _("at least {threshold} is required"),
    "max": _("at most {threshold} is allowed"),
    "fall": _("a fall of {threshold} is allowed"),
    "rise": _("a rise of {threshold} is allowed"),
}
ALLOW = {"fall": _("allow a fall of {size}"), "rise": _("allow a rise of {size}")}
WHAT_TO_DO = {
    "min": _("do not ship {retriever} until {measure} is at least {threshold}."),
    "max": _("do not ship {retriever} until {measure} is at most {threshold}."),
    "drop": _("do not ship {retriever} until {measure} is within {threshold} of {before} again."),
    "no data": _("do not ship {retriever}: this condition could not be checked."),
    "UNDECIDED": _(
        "do not ship {retriever} until this is settled, or accept the risk (undecided: pass)."
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


def printed_gate(
    gated: GateResult, result: Result, baseline: Baseline | None, *, texts: bool = True
) -> list[Element]:
    """What the command and a failing test print: the verdict, every condition, and the ten queries
    that fell most, folded.

    Args:
        gated: what the gate says.
        result: what was judged.
        baseline: what drops were measured from.
        texts: whether texts of queries and ids of passages are shown.
    """
    elements: list[Element] = [gate_elements(gated if texts else gated.without_texts())]
    if baseline is not None:
        elements += _fallen_elements(gated, result, baseline, texts=texts)
    return elements


def short_elements(result: GateResult) -> list[Element]:
    """The verdict alone, for a place that has no room for every condition."""
    note = _(
        "The table of all {n} conditions is too long to show here; it is in gate.json in "
        "the result's folder.",
        n=count_text(len(result.conditions)),
    )
    return [gate_headline(result), Paragraph(note, "note")]


# The verdict.


def gate_headline(result: GateResult) -> Headline:
    """The verdict with the condition that decides it, what to do, what is sure, what is open."""
    first, n = _decisive(result), len(result.conditions)
    said: list[Text] = [_("{claim}.", claim=condition_claim(first, result))]
    unmet = sum(condition.verdict != "PASS" for condition in result.conditions)
    near = sum(condition.within_noise for condition in result.conditions)
    if unmet > 1:
        said.append(
            counted(
                "One more condition doesn't hold.",
                "{count} more conditions don't hold.",
                unmet - 1,
            )
        )
    elif not unmet and n > 1 and near:
        said.append(
            counted(
                "All {n} conditions hold; one is within noise of its limit.",
                "All {n} conditions hold; {count} are within noise of their limits.",
                near,
                n=count_text(n),
            )
        )
    elif not unmet and n > 1:
        said.append(_("All {n} conditions hold.", n=count_text(n)))
    lines = (
        (joined([_("What to do"), ":"], ""), _what_to_do(first, result)),
        *_reasons(first, result),
    )
    word, level = WORDS[result.verdict], LEVELS[result.counts_as]
    return Headline(result.verdict, word, level, joined(said), lines)


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
    facts["allowed"] = ALLOWED[_way(condition)].given(**facts)
    if condition.reason in NO_DATA:
        return _("{whom}: no data for {measure}; {allowed}", **facts)
    if condition.kind != "drop":
        return _("{whom}: {measure} is {value} ({quantity}); {allowed}", **facts)
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
        "retriever": condition.retriever,
        "whom": f"{condition.retriever} ({part})" if part else condition.retriever,
        "measure": _label(condition),
        "threshold": _threshold(condition),
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


def _baseline(result: GateResult) -> Text:
    """What drops are measured from, and its day."""
    name = result.baseline or _("the baseline")
    return _("{name} of {date}", name=name, date=result.measured) if result.measured else name


def _way(condition: GateCondition) -> str:
    """The kind of the condition; of a drop, which way is worse."""
    if condition.kind != "drop":
        return condition.kind
    return "rise" if better_low(condition.measure) else "fall"


def _what_to_do(condition: GateCondition, result: GateResult) -> Message:
    case: str = condition.kind
    if result.verdict == "UNDECIDED" != result.counts_as:
        case = f"counts as {result.counts_as}"
    elif result.verdict != "FAIL":
        case = result.verdict
    elif condition.reason in NO_DATA:
        case = "no data"
    return WHAT_TO_DO[case].given(**_facts(condition, result))


def _reasons(condition: GateCondition, result: GateResult) -> tuple[tuple[Message, Text], ...]:
    """What is behind a verdict, each with the word that it begins with."""
    said = (
        (_("Why"), reason_text(condition)),
        (_("Sure"), _sure_text(condition, result)),
        (_("Open"), _open_text(condition, result)),
        (_("To settle"), _settling_text(condition, result)),
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


def _sure_text(condition: GateCondition, result: GateResult) -> Text:
    """What the interval leaves no doubt about."""
    facts = _facts(condition, result)
    if condition.within_noise or condition.reason or not facts["ci"]:
        return ""
    if condition.kind != "drop":
        return _("the whole interval {ci} lies on this side of {threshold}.", **facts)
    if condition.verdict == "UNDECIDED":
        return _("nothing yet.")
    compared = _("more than the {threshold} allowed", **facts)
    if condition.verdict == "PASS":
        compared = _("not more than the {threshold} allowed", **facts)
    return _(
        "the change is {value} {ci}, {compared}; {worse} of {n} questions got worse, {better} "
        "better.",
        **facts,
        compared=compared,
    )


def _open_text(condition: GateCondition, result: GateResult) -> Text:
    """What the questions cannot tell."""
    facts = _facts(condition, result)
    if condition.within_noise:
        low, high = sorted(condition.ends)
        return _(
            "it is within noise of {threshold} ({low} to {high}): other questions could decide the "
            "other way.",
            **facts,
            low=number_text(low),
            high=number_text(high),
        )
    if condition.verdict != "UNDECIDED" or condition.reason:
        return ""
    if _way(condition) == "rise":
        text = _("{n} questions neither show nor rule out a rise of more than {threshold}", **facts)
    else:
        text = _("{n} questions neither show nor rule out a fall of more than {threshold}", **facts)
    return _("{text}: the change is {value} {ci}.", **facts, text=text)


def _settling_text(condition: GateCondition, result: GateResult) -> Text:
    """What would decide a condition that is undecided."""
    if condition.verdict != "UNDECIDED" or condition.reason:
        return ""
    more = None if condition.needed is None else condition.needed - condition.n
    count = count_text(more or 0)
    if condition.kind != "drop":
        text = _("about {more} more questions would decide it if it stayed the same.", more=count)
        return "" if more is None else text
    ways: list[Text] = []
    if more is not None and more <= 0:
        ways.append(
            _(
                "these questions would rule it out if nothing had truly changed: the change is "
                "close to what is allowed"
            )
        )
    elif more is not None:
        ways.append(
            _("about {more} more questions would rule it out if nothing truly changed", more=count)
        )
    interval, drops = (
        condition.interval,
        [each for each in result.conditions if each.p_fail is not None],
    )
    # The interval is not adjusted: it bounds a drop that is the only one.
    if interval is not None and interval.estimable and len(drops) == 1:
        size = allowed_text(interval.high)
        ways.append(ALLOW[_way(condition)].given(size=size))
    if len(ways) > 1 and more is not None and more > MANY_QUERIES:
        ways = ways[1:]
    if len(ways) > 1:
        return _("{first}; or {second}.", first=ways[0], second=ways[1])
    return _("{text}.", text=ways[0]) if ways else ""


def _detectable(condition: GateCondition) -> list[Text]:
    """Which change so many questions would show."""
    if condition.detectable is None:
        return []
    size = number_text(condition.detectable, 2)
    return [_("A true change of {size} would be detected 4 times in 5.", size=size)]


def _why_text(condition: GateCondition) -> Text:
    """The last cell of a row."""
    reason = reason_text(condition)
    said = [*([reason] if reason else []), *_detectable(condition)]
    return joined(said) if said else ""


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
    columns = (
        (Column("verdict", _("Verdict"), "text"), _verdict_cell),
        (retriever_column(), lambda each: name_cell(each.retriever)),
        (Column("dataset", _("Dataset"), "text"), lambda each: text_cell(each.dataset))
        if _several(result)
        else None,
        (Column("slice", _("Slice"), "text"), lambda each: text_cell(each.slice or _("all")))
        if any(each.slice for each in result.conditions)
        else None,
        (Column("condition", _("Condition"), "text"), _condition_cell),
        (
            Column(
                "compared",
                _("Compared"),
                hint=_(
                    "The value that was compared (of a drop, the change since the baseline) and "
                    "its interval: 90 % for a drop and for Leak (its ends are the one-sided 95 % "
                    "bounds), 95 % for everything else"
                ),
                interval=True,
            ),
            _value_cell,
        ),
        *(_drop_columns() if drops else ()),
        (Column("needed", _("Queries needed")), lambda each: _count(each.needed))
        if drops or any(each.needed for each in result.conditions)
        else None,
        (Column("queries", _("Queries")), lambda each: _count(each.n or None)),
        (Column("why", _("Why"), "text"), lambda each: text_cell(_why_text(each)))
        if any(map(_why_text, conditions))
        else None,
    )
    return table(id, title, columns, conditions)


def _drop_columns() -> Iterator[tuple[Column, Callable[[GateCondition], Cell]]]:
    """What only drops have; other conditions have nothing there."""
    hint = _(
        "One-sided, Holm-corrected over all drops. FAIL: p of the test that the drop is larger "
        "than the allowance. PASS: of the test that it isn't. UNDECIDED: the smaller of the two"
    )
    columns: tuple[tuple[Column, Callable[[GateCondition], Cell]], ...] = (
        (Column("before", _("Before")), lambda each: number_cell(each.before)),
        (Column("now", _("Now")), lambda each: number_cell(each.now)),
        (record_column(), _record_cell),
        (Column("p", _("p"), hint=hint, better="low"), _p_cell),
    )
    for column, cell in columns:
        yield column, _of_drops(cell)


def _of_drops(cell: Callable[[GateCondition], Cell]) -> Callable[[GateCondition], Cell]:
    return lambda each: cell(each) if each.kind == "drop" and each.n else nothing()


def _verdict_cell(condition: GateCondition) -> Cell:
    return Cell(
        condition.verdict,
        WORDS[condition.verdict],
        strong=condition.verdict != "PASS",
        level=LEVELS[condition.verdict],
    )


def _condition_cell(condition: GateCondition) -> Cell:
    facts = {"measure": _label(condition), "threshold": _threshold(condition)}
    return text_cell(CONDITIONS[_way(condition)].given(**facts))


def _value_cell(condition: GateCondition) -> Cell:
    interval, sign = condition.interval, _sign(condition)
    if condition.value != condition.value:
        return nothing()
    shown: Text = value_text(condition)
    if condition.quantity.endswith("bound"):
        shown = _("{bound} (value {value})", bound=shown, value=number_text(condition.now))
    if interval is None or not interval.estimable:
        return Cell(sign * condition.value, shown)
    low, high = sorted((sign * interval.low, sign * interval.high))
    return Cell(sign * condition.value, shown, low=low, high=high, interval=_interval(condition))


def _record_cell(condition: GateCondition) -> Cell:
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


def _count(count: int | None) -> Cell:
    return nothing() if count is None else count_cell(count)


def _label(condition: GateCondition) -> Text:
    """The measure as tables print it, or the quantity in words."""
    return LABELS.get(condition.measure, condition.label)


def _sign(condition: GateCondition) -> int:
    """A drop is printed as the change since the baseline: below 0 where the measure fell."""
    return -1 if _way(condition) == "fall" else 1


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
    return shown(_sign(condition) * value, digits)


def _interval(condition: GateCondition) -> str:
    interval, sign = condition.interval, _sign(condition)
    if interval is None:
        return ""
    low, high = sorted((sign * interval.low, sign * interval.high))
    return interval_text(low, high, sign=condition.kind == "drop")


def _threshold(condition: GateCondition) -> str:
    if condition.measure == "failed":
        return share_text(condition.threshold)
    return plain_number(condition.threshold)


def _several(result: GateResult) -> bool:
    return len({condition.dataset for condition in result.conditions}) > 1


# The queries that fell most below the baseline: where to look first.


def _fallen_elements(
    gated: GateResult, result: Result, baseline: Baseline, *, texts: bool
) -> Iterator[Element]:
    """Of each condition on a drop over all queries the ten that fell most, folded; with the
    relevant passages that each lost where the baseline knows passages."""
    scores = result.scored(gated.options.measures)
    drops = [each for each in gated.worst_first if each.kind == "drop" and not each.slice]
    for at, condition in enumerate([drop for drop in drops if drop.worse][:MAX_FALLEN]):
        kept = baseline.get(condition.dataset, condition.retriever)
        if kept is None:
            continue
        entry, measure = scores[condition.dataset, condition.retriever], condition.measure
        asked = parse_measure(measure)
        paired = paired_values(entry, entry.resolved.get(asked, asked), kept)
        rows = largest_moves(paired.difference, -1, MAX_QUERIES).tolist()
        queries = [paired.query_ids[row] for row in rows]
        facts = {"retriever": condition.retriever, "measure": condition.label}
        summary = _(
            "The queries that fell most: {retriever}, {measure} ({count})", count=len(rows), **facts
        )
        known = _texts(result, condition.dataset, queries) if texts else {}
        lost = _lost(result, kept, queries) if texts else {}
        yield Details(summary, (_fallen_table(f"fallen-{at}", paired, rows, known, lost),))


def _fallen_table(
    id: str,
    paired: PairedValues,
    rows: Iterable[int],
    known: Mapping[str, str],
    lost: Mapping[str, Cell],
) -> Table:
    def query(row: int) -> str:
        return paired.query_ids[row]

    def change(row: int) -> Cell:
        return signed_cell(float(paired.now[row]) - float(paired.before[row]))

    hint = _("Passages that the baseline lists: their rank then and now")
    columns = (
        (Column("query", _("Query"), "text"), lambda row: text_cell(query(row), quote=True)),
        (
            Column("text", _("Text"), "text"),
            lambda row: text_cell(known.get(query(row), ""), quote=True),
        )
        if known
        else None,
        (
            Column("before", _c("gate", "Baseline")),
            lambda row: number_cell(float(paired.before[row])),
        ),
        (Column("now", _("Now")), lambda row: number_cell(float(paired.now[row]))),
        (Column("change", _("Change")), change),
        (
            Column("lost", _("Relevant passages lost"), "text", hint=hint),
            lambda row: lost.get(query(row), nothing()),
        )
        if lost
        else None,
    )
    return table(id, "", columns, rows)


def _texts(result: Result, dataset: str, queries: Sequence[str]) -> Mapping[str, str]:
    """Query id to its text; empty if the dataset is gone."""
    with suppress(RagscoreError):
        known = result.dataset(dataset).queries
        return {
            query: shortened(known.texts[known.ids.row(query)], LONGEST_TEXT) for query in queries
        }
    return {}


def _lost(result: Result, entry: BaselineRetriever, queries: Sequence[str]) -> dict[str, Cell]:
    """Query id to the relevant passages of the baseline's first ranks that no longer stand there,
    each with its rank then and now; empty if the baseline knows no passages."""
    if not entry.passages:
        return {}
    try:
        qrels = result.qrels(entry.dataset)
        relevant = qrels.to_dict()
    except RagscoreError:
        return {}
    first = max(map(len, entry.passages.values()))
    now = result.run(entry.dataset, entry.retriever).for_queries(Ids(queries)).to_dict()
    found = {}
    for query in queries:
        ranks = {passage: rank for rank, passage in enumerate(now.get(query, ()), 1)}
        gone = [
            f"{shortened(passage)} ({rank} → {ranks.get(passage, '-')})"
            for rank, passage in enumerate(entry.passages.get(query, ()), 1)
            if relevant.get(query, {}).get(qrels.named(passage), 0) > 0
            and ranks.get(passage, first + 1) > first
        ]
        found[query] = text_cell(few_names(gone)) if gone else nothing()
    return found


# What another baseline would lower.


def lowered_elements(values: Iterable[LoweredValue], *, accepted: bool) -> list[Element]:
    """A table of the values that fall.

    Args:
        values: of :func:`ragscore.gate.baseline_changes.lowered`.
        accepted: whether the new baseline was written all the same.
    """
    columns = (
        (Column("dataset", _("Dataset"), "text"), lambda value: text_cell(value.dataset)),
        (Column("retriever", _("Retriever"), "text"), lambda value: name_cell(value.retriever)),
        (Column("measure", _("Measure"), "text"), lambda value: text_cell(value.measure)),
        (Column("before", _c("gate", "Baseline")), lambda value: number_cell(value.before)),
        (Column("now", _("Now")), lambda value: number_cell(value.now)),
        (Column("change", _("Change")), lambda value: signed_cell(value.now - value.before)),
        (Column("lost", _("Queries lost")), lambda value: _count(value.lost or None)),
    )
    title = _("These values fell") if accepted else _("These values would fall")
    notes = () if accepted else (_("Add --accept to write it anyway."),)
    return [table("lowered", title, columns, values, notes)]
