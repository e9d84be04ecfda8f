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
    NAMES_OTHERS,
    NOTHING_TO_SEE,
    ORDER,
    ConditionOutcome,
    GateFacts,
    GateVerdict,
)
from ragscore.gate.options import QUANTITIES
from ragscore.gate.strings import STRINGS
from ragscore.stats.one_sided import ALPHA
from ragscore.strings import Language, Strings

LEVELS: dict[GateVerdict, Level] = {"PASS": "good", "UNDECIDED": "fair", "FAIL": "poor"}
SHOWN = 4
"""Conditions that the verdict names; the table has them all."""
MAX_OPEN = 8
"""Conditions that hold and stand beside the others; more of them are folded."""
MAX_DIGITS = 9


def gate_elements(outcome: GateFacts, language: Language, *, id: str = "gate") -> Section:
    """What ``ragscore gate`` prints.

    Args:
        outcome: of all conditions, or of those of one dataset.
        language: of all texts.
        id: of the table.
    """
    strings = STRINGS.strings(language)
    elements: list[Element] = [gate_headline(outcome, language)]
    elements += [Paragraph(note, "warning") for note in notes_of(outcome, strings)]
    elements += _tables(outcome, strings, id)
    return Section("gate", strings("gate_title"), tuple(elements))


def short_elements(outcome: GateFacts, language: Language) -> list[Element]:
    """The verdict alone, for a place that has no room for every condition."""
    strings = STRINGS.strings(language)
    count = count_text(len(outcome.conditions))
    return [gate_headline(outcome, language), Paragraph(strings("too_many", n=count), "note")]


def gate_headline(outcome: GateFacts, language: Language) -> Headline:
    """The verdict, and the conditions that do not hold, the worst first."""
    strings = STRINGS.strings(language)
    unmet = [condition for condition in _sorted(outcome) if condition.verdict != "PASS"]
    several = _several(outcome)
    sentences = [condition_line(condition, strings, several) for condition in unmet[:SHOWN]]
    words = [strings(f"word_{condition.verdict}") for condition in unmet[:SHOWN]]
    if not unmet:
        if len(outcome.conditions) == 1:
            sentences = [condition_line(outcome.conditions[0], strings, several)]
        else:
            sentences = [strings("all_pass", n=count_text(len(outcome.conditions)))]
        words = [strings(f"word_{outcome.verdict}")]
    lines = list(zip(words[1:], sentences[1:], strict=True))
    if (more := len(unmet) - SHOWN) > 0:
        lines.append((strings("word_more"), strings("more_lines", n=count_text(more))))
    note = ""
    if outcome.verdict == "UNDECIDED" and outcome.options.undecided is not None:
        note = strings(f"mapped_{outcome.options.undecided}")
    return Headline(
        outcome.verdict, words[0], LEVELS[outcome.counts_as], sentences[0], tuple(lines), note
    )


def condition_line(condition: ConditionOutcome, strings: Strings, several: bool) -> str:
    """``nDCG@10 (bm25): drop +0.071 [+0.034, +0.108] > 0.02.``, and why.

    Args:
        condition: of a gate.
        strings: of the reader's language.
        several: whether to name the dataset.
    """
    measure = strings(
        "of_whom", measure=label_of(condition, strings), whom=_whom(condition, several)
    )
    facts = {
        "measure": measure,
        "quantity": strings(f"quantity_{condition.quantity}"),
        "threshold": _threshold(condition),
    }
    if condition.reason in NOTHING_TO_SEE:
        line = strings("condition_nothing", op=_wanted(condition), **facts)
    else:
        value = " ".join(filter(None, (value_text(condition), _interval(condition))))
        line = strings("condition", value=value, op=condition.relation, **facts)
    reason = reason_text(condition, strings)
    return strings("and_reason", line=line, reason=reason) if reason else line


def reason_text(condition: ConditionOutcome, strings: Strings, *, in_table: bool = False) -> str:
    """Why a condition has its verdict; empty where the numbers say it.

    Args:
        condition: of a gate.
        strings: of the reader's language.
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
        found.append(strings("reason_unchanged_few", **facts))
    elif condition.reason:
        none = "_none" if condition.reason in NAMES_OTHERS and not condition.detail else ""
        found.append(strings(f"reason_{condition.reason}{none}", **facts))
    if condition.verdict == "UNDECIDED" and condition.kind != "drop" and not condition.reason:
        found.append(strings("open_share", **facts))
        if condition.needed is not None:
            found.append(strings("open_share_needed", needed=count_text(condition.needed)))
        elif condition.threshold <= 0:
            found.append(strings("open_share_never"))
    elif condition.verdict == "UNDECIDED" and not in_table:
        if not condition.reason:
            found.append(strings("open", **facts))
        if condition.needed is not None:
            key = "open_near" if condition.needed <= condition.n else "open_needed"
            found.append(strings(key, needed=count_text(condition.needed)))
        if condition.detectable is not None:
            found.append(strings("open_detectable", drop=number_text(condition.detectable, 2)))
    return " ".join(found)


def notes_of(outcome: GateFacts, strings: Strings) -> Iterator[str]:
    """What a reader must know of the whole."""
    for note in outcome.notes:
        yield str(strings.say(note))


def _tables(outcome: GateFacts, strings: Strings, id: str) -> Iterator[Element]:
    """Every condition, the failed ones first; of many, those that hold are folded."""
    conditions = _sorted(outcome)
    unmet = [condition for condition in conditions if condition.verdict != "PASS"]
    hold = conditions[len(unmet) :]
    if len(hold) <= MAX_OPEN:
        yield _table(outcome, conditions, strings, id, strings("gate_table"))
    else:
        if unmet:
            yield _table(outcome, unmet, strings, id, strings("gate_table_unmet"))
        summary = strings("gate_table_hold", n=count_text(len(hold)))
        yield Details(summary, (_table(outcome, hold, strings, f"{id}-hold", ""),), f"{id}-holding")
    if any(condition.kind == "drop" for condition in conditions):
        if outcome.baseline:
            yield Paragraph(strings("note_against", baseline=outcome.baseline), "note")
        yield Paragraph(strings("note_tests"), "note")


def _table(
    outcome: GateFacts, conditions: list[ConditionOutcome], strings: Strings, id: str, title: str
) -> Table:
    several = _several(outcome)
    sliced = any(condition.slice for condition in outcome.conditions)
    drops = any(condition.kind == "drop" for condition in conditions)
    columns = [Column("verdict", strings("column_verdict"), "text"), retriever_column(strings)]
    columns += [Column("dataset", strings("column_dataset"), "text")] if several else []
    columns += [Column("slice", strings("column_slice"), "text")] if sliced else []
    columns += [
        Column("condition", strings("column_condition"), "text"),
        Column(
            "compared", strings("column_compared"), hint=strings("hint_compared"), interval=True
        ),
    ]
    if drops:
        columns += [
            Column("before", strings("column_before")),
            Column("now", strings("column_now")),
            record_column(strings),
            Column("p", strings("column_p"), hint=strings("hint_p"), better="low"),
            Column("needed", strings("column_needed")),
        ]
    columns.append(Column("queries", strings("column_queries")))
    reasons = [reason_text(condition, strings, in_table=True) for condition in conditions]
    columns += [Column("why", strings("column_reason"), "text")] if any(reasons) else []
    rows = []
    for condition, reason in zip(conditions, reasons, strict=True):
        cells = [
            Cell(
                condition.verdict,
                strings(f"word_{condition.verdict}"),
                strong=condition.verdict != "PASS",
                level=LEVELS[condition.verdict],
            ),
            name_cell(condition.retriever),
        ]
        cells += [text_cell(condition.dataset)] if several else []
        cells += [text_cell(condition.slice or strings("slice_all"))] if sliced else []
        facts = {"measure": label_of(condition, strings), "threshold": _threshold(condition)}
        cells += [
            text_cell(strings(f"condition_{condition.kind}", **facts)),
            _value_cell(condition, strings),
        ]
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


def _value_cell(condition: ConditionOutcome, strings: Strings) -> Cell:
    interval = condition.interval
    if condition.value != condition.value:
        return nothing()
    shown = value_text(condition)
    if condition.quantity.endswith("bound"):
        shown = strings("bound_of_value", bound=shown, value=number_text(condition.now))
    if interval is None or not interval.estimable:
        return Cell(condition.value, shown)
    return Cell(
        condition.value,
        shown,
        low=interval.low,
        high=interval.high,
        interval=_interval(condition),
    )


def label_of(condition: ConditionOutcome, strings: Strings) -> str:
    """The measure as tables print it, or the quantity in words."""
    quantity = condition.measure in QUANTITIES
    return strings(f"label_{condition.measure}") if quantity else condition.label


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
