"""Changes of values as elements: the headline, what was compared with what, sentences, tables."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import isnan
from typing import Any, Literal

from ragscore.change.match import (
    ChangedFact,
    changed_settings,
    changed_versions,
    data_notes,
)
from ragscore.change.values import (
    MeasureChanges,
    MovedQuery,
    ValueChange,
    ValueChanges,
    ValueState,
)
from ragscore.comparison.differences import Family
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.tables import (
    compared_cell,
    compared_record,
    drawn,
    mark_key,
    p_label,
)
from ragscore.dataset import Queries
from ragscore.elements import (
    Axis,
    Cell,
    Column,
    Details,
    Element,
    Headline,
    Level,
    Paragraph,
    Table,
)
from ragscore.elements.cells import (
    latency_cell,
    name_cell,
    number_cell,
    p_cell,
    record_column,
    retriever_column,
    signed_cell,
    text_cell,
)
from ragscore.elements.numbers import (
    NOTHING,
    count_text,
    interval_text,
    minute,
    plain_number,
    signed_text,
)
from ragscore.elements.tables import Columns, column, table
from ragscore.errors import DataError
from ragscore.messages import Message, Text, _, _c, few_names, joined, listed
from ragscore.names import shortened
from ragscore.results import Result
from ragscore.stats.few_differ import only_differ

MAX_NAMED = 2
"""Retrievers that the headline names of each kind, where there are more than one more."""
MAX_LETTERS = 120
"""Characters of a setting's value that are shown; its hint has the whole."""
GROUPS = {
    "better": _("better: {names}"),
    "worse": _("worse: {names}"),
    "small": _("decided, but below the margin: {names}"),
    "open": _("not decided: {names}"),
    "same": _("unchanged: {names}"),
}
"""How the headline groups changes."""
DECIDED_GROUPS = ("better", "worse", "small")
"""Those that the headline names first."""
GROUP_OF = {"too few": "open", "no value": "open", "equal": "same"}
"""By state of a change, its group if that has another name."""
SENTENCES: Mapping[ValueState, Message] = {
    "no value": _("No query has a value of {M} for {A} in both results."),
    "same": _("{A} is the same as before on {M}: none of {n} queries differs."),
    "too few": _("Whether {A} changed on {M} is not decided: {few}."),
    "better": _("{A} is better than before on {M}: {d} {interval}."),
    "worse": _("{A} is worse than before on {M}: {d} {interval}."),
    "equal": _(
        "{A} is the same as before for practical purposes on {M}: {d} {interval}, inside ±{m}."
    ),
    "open": _("Whether {A} changed on {M} is not decided: {d} {interval}."),
}
"""What is said of the only retriever."""
NOT_COMPARABLE = _(
    "The numbers are not comparable: what looks like a change in a retriever may be a "
    "change in the data. Restore the dataset and run both on it."
)


def change_headline(found: ValueChanges) -> Headline:
    """Since when, and who became better or worse on the primary measure; new and gone ones."""
    word = _("Since {date}", date=minute(found.since))
    changed = found.measures.get(found.primary)
    trouble = _trouble(found) or ("" if found.comparable else NOT_COMPARABLE)
    if not trouble and changed is None:
        trouble = _("The earlier result does not have {label}.", label=found.primary)
    if trouble or changed is None:
        return Headline("SINCE", word, "poor", trouble)
    groups = _grouped(changed)
    level: Level = "good"
    if "worse" in groups:
        level = "poor"
    elif "open" in groups and "better" not in groups:
        level = "fair"
    first = [name for name in groups if name in DECIDED_GROUPS] or list(groups)
    lines = (
        (_("Not decided"), "" if "open" in first else _named(groups.get("open", ()))),
        (_("Unchanged"), "" if "same" in first else _named(groups.get("same", ()))),
        (_c("retrievers", "New"), _some(found.names.only_after)),
        (_c("retrievers", "Gone"), _some(found.names.only_before)),
    )
    shown = ((joined([kind, ":"], ""), joined([names, "."], "")) for kind, names in lines if names)
    return Headline("SINCE", word, level, change_summary(changed, first), tuple(shown))


def change_summary(changed: MeasureChanges, shown: Collection[str] = tuple(GROUPS)) -> Text:
    """Who became better or worse on a measure, in a sentence.

    Args:
        changed: on the measure.
        shown: the groups of ``GROUPS`` that are named; a retriever alone always is.
    """
    if len(changed.changes) == 1:
        return change_sentence(changed.changes[0], changed)
    groups = _grouped(changed)
    who = [GROUPS[name].given(names=_named(groups[name])) for name in groups if name in shown]
    return _("On {M}, {changes}.", M=changed.measure.name, changes=joined(who, "; "))


def _grouped(changed: MeasureChanges) -> dict[str, list[ValueChange]]:
    """The changes of each group of ``GROUPS`` that has some, in its order."""
    found: dict[str, list[ValueChange]] = {name: [] for name in GROUPS}
    for change in changed.changes:
        state = "small" if change.difference.below_margin else change.state
        found[GROUP_OF.get(state, state)].append(change)
    return {name: those for name, those in found.items() if those}


def _named(changes: Sequence[ValueChange]) -> Text:
    """Who changed by how much, the largest change first."""
    ordered = sorted(
        (change.difference for change in changes),
        key=lambda each: (isnan(each.value), -abs(each.value)),
    )
    return _some(
        [each.retriever for each in ordered],
        [f" ({signed_text(each.value)})" if abs(each.value) > 0 else "" for each in ordered],
    )


def _some(names: Sequence[str], behind: Sequence[str] = ()) -> Text:
    """The first names, what stands behind each, and how many others; empty if there is none."""
    if not names:
        return ""
    shown = [shortened(name) + more for name, more in zip_longest(names, behind, fillvalue="")]
    return listed(shown, most=MAX_NAMED + (len(shown) == MAX_NAMED + 1))


def _trouble(found: ValueChanges) -> Text:
    """Why nothing is compared; empty if something is."""
    if found.trouble:
        return _("The two results could not be compared: {trouble}", trouble=found.trouble)
    if found.names.pairs:
        return ""
    return _(
        "No retriever is in both results, so nothing can be compared. Before: {before}. Now: "
        "{after}.",
        before=few_names(found.names.only_before) or "-",
        after=few_names(found.names.only_after) or "-",
    )


def compared_sentences(found: ValueChanges, labels: Mapping[str, str]) -> Iterator[Paragraph]:
    """What was compared with what, and whether the numbers are comparable at all.

    Args:
        found: what changed.
        labels: of measures, by name.
    """
    if trouble := _trouble(found):
        yield Paragraph(trouble, "warning")
        return
    yield Paragraph(
        _(
            "Compared with the result of {when} ({folder}): each retriever with itself, on the "
            "{n} queries in both.",
            when=minute(found.since),
            folder=found.folder,
            n=count_text(found.n),
        )
    )
    if cautions := list(_cautions(found)):
        yield Paragraph(joined(cautions), "warning")
    if found.data.same and found.profiles[0] == found.profiles[1]:
        same = _("Queries, judgments and passages are the same in both (same digest).")
        yield Paragraph(same, "note")
    old, new = found.names.pairs[0]
    if old != new:
        renamed = _(
            "Each result has one retriever, and their names differ: {before} "
            "(before) is compared with {after} (now).",
            before=old,
            after=new,
        )
        yield Paragraph(renamed, "note")
    if not found.clustered:
        unclustered = _(
            "The clusters of the queries are no longer known. The queries are treated as "
            "independent here, so intervals are too narrow."
        )
        yield Paragraph(unclustered, "warning")
    if gone := found.names.only_before:
        yield Paragraph(_("Only in the earlier result: {names}.", names=few_names(gone)), "note")
    if fresh := found.names.only_after:
        yield Paragraph(_("Only in this result: {names}.", names=few_names(fresh)), "note")
    if found.lacking:
        measures = few_names(labels.get(name, name) for name in found.lacking)
        lacking = _("Not in the earlier result, so not compared: {measures}.", measures=measures)
        yield Paragraph(lacking, "note")


def _cautions(found: ValueChanges) -> Iterator[Text]:
    """What differs in data and conventions, and what that means for the numbers."""
    yield from data_notes(found.data, found.dropped - len(found.data.reworded))
    if found.profiles[0] != found.profiles[1]:
        yield _(
            "The two results follow different conventions (profile {before} before, {after} now).",
            before=found.profiles[0],
            after=found.profiles[1],
        )
    if not found.comparable:
        yield NOT_COMPARABLE
    elif found.judged_otherwise:
        yield _(
            "So the earlier runs were measured again with the judgments and conventions of "
            "the later result. The numbers below are comparable; those in the earlier report "
            "are not."
        )


def change_sentence(change: ValueChange, changed: MeasureChanges) -> Text:
    """How one retriever changed on one measure."""
    difference = change.difference
    margin = difference.margin
    facts: dict[str, Any] = {
        "A": difference.retriever,
        "M": changed.measure.name,
        "n": count_text(difference.n),
        "d": signed_text(difference.value),
        "interval": interval_text(*difference.bounds, sign=True) or _("(CI not estimable)"),
        "m": "" if margin is None else plain_number(margin),
        "few": only_differ(
            difference.differing,
            difference.test.n,
            "queries" if difference.clusters is None else "clusters",
        ),
    }
    sentence = SENTENCES[change.state].given(**facts)
    nearest = min(difference.bounds, key=abs)
    more: Text = ""
    if difference.below_margin:
        more = _("The change is real, but below the margin of {m}.", m=facts["m"])
    elif difference.decided and margin is not None and abs(nearest) >= margin:
        more = _("It is at least the margin of {m}.", m=facts["m"])
    elif difference.decided and margin is not None:
        more = _(
            "It may be as small as {lo}; the margin is {m}.", lo=signed_text(nearest), m=facts["m"]
        )
    elif difference.disagrees and change.state in ("equal", "open"):
        more = compared_cell(difference).hint
    return joined([sentence, more]) if more else sentence


def change_table(changed: MeasureChanges, options: CompareOptions) -> Table:
    """Every retriever on one measure: before, now, the difference drawn. What it costs and p are
    there where a reader asks for them."""
    measure, differences = changed.measure, [change.difference for change in changed.changes]
    better: Literal["low", "high"] = "low" if measure.sign < 0 else "high"
    margin = options.margin_on(bounded=measure.bounded)
    difference = Column(
        "difference",
        _("Difference"),
        interval=True,
        better="high",
        axis=Axis.over(map(drawn, differences), margin),
    )
    timed = any(change.milliseconds != (None, None) for change in changed.changes)
    p50 = Column(
        "p50",
        "",
        hint=_("Median time of a single query; each result was timed on the machine that made it"),
        unit="ms",
        better="low",
        extra=True,
    )
    p50_before = replace(p50, name="p50_before", label=_("p50 before"))
    p50_now = replace(p50, name="p50_now", label=_("p50 now"))
    columns: Columns[ValueChange] = [
        (retriever_column(), _name_cell),
        column("before", _("Before"), lambda row: number_cell(row.before), better=better),
        column("now", _("Now"), lambda row: number_cell(row.after), better=better),
        (difference, _difference_cell),
        (record_column(), lambda row: compared_record(row.difference)),
        (Column("settings", _("Own settings"), "text", extra=True), _settings_cell),
        (Column("p", p_label(options), better="low", extra=True), _p_cell),
        (p50_before, lambda row: latency_cell(row.milliseconds[0])) if timed else None,
        (p50_now, lambda row: latency_cell(row.milliseconds[1])) if timed else None,
    ]
    note = _(
        "Differences are now - before, on the queries with a value in both; + is better. "
        "95 % intervals, not adjusted; what is decided is corrected over the retrievers."
    )
    title = _("What changed on {label}", label=measure.label)
    made = table("changes", title, columns, changed.changes, (note, *measure.notes))
    return replace(made, key=tuple(mark_key(Family(baseline=None, m=1), margin, differences)))


def _name_cell(change: ValueChange) -> Cell:
    detail = _("settings changed") if change.settings_changed else ""
    return Cell(change.name, change.name, retriever=change.difference.retriever, detail=detail)


def _difference_cell(change: ValueChange) -> Cell:
    difference = change.difference
    level: Level = "plain" if not difference.decided else "good" if difference.value > 0 else "poor"
    cell = compared_cell(difference, retriever=difference.retriever)
    return replace(cell, strong=difference.decided, level=level, bar=drawn(difference))


def _p_cell(change: ValueChange) -> Cell:
    return p_cell(change.difference.p_adjusted, floor=change.difference.test.at_floor)


def _settings_cell(change: ValueChange) -> Cell:
    return text_cell(_("changed") if change.settings_changed else _("same"))


def moved_tables(
    changed: MeasureChanges, queries: Queries | None, prefix: str
) -> tuple[Table, Table]:
    """Queries that gained and lost most, each leading to the explorer.

    Args:
        changed: on a measure.
        queries: of the dataset; None if it is gone.
        prefix: of the ids of the tables.
    """
    several = len(changed.changes) > 1

    def query_cell(row: MovedQuery) -> Cell:
        return Cell(row.query, row.query, query=row.query, retriever=row.retriever)

    def query_text_cell(row: MovedQuery) -> Cell:
        text = "" if queries is None else queries.texts[queries.ids.row(row.query)]
        return text_cell(text, quote=True)

    columns: Columns[MovedQuery] = [
        column("query", _("Query"), query_cell, "text"),
        None if queries is None else column("text", _("Text"), query_text_cell, "text"),
        (retriever_column(), lambda row: name_cell(row.retriever)) if several else None,
        column("before", _("Before"), lambda row: number_cell(row.before)),
        column("now", _("Now"), lambda row: number_cell(row.after)),
        column("difference", _("Difference"), lambda row: signed_cell(row.change), better="high"),
    ]
    once = _("Each query is listed once, with the retriever for which it changed most.")
    notes = (once,) * several
    label = changed.measure.label
    risen = _("Queries that gained most on {label}", label=label)
    fallen = _("Queries that lost most on {label}", label=label)
    return (
        table(f"{prefix}changes-risen", risen, columns, changed.risen, notes),
        table(f"{prefix}changes-fallen", fallen, columns, changed.fallen, notes),
    )


def fact_elements(before: Result, after: Result, prefix: str) -> Iterator[Element]:
    """What may explain the change: config, versions, machine.

    Args:
        before, after: the two results.
        prefix: of the ids of the tables.
    """
    kinds = {"added": _("added"), "removed": _("removed"), "changed": _("changed")}
    values: Columns[ChangedFact] = [
        column("before", _("Before"), lambda fact: _value(fact.before), "text"),
        column("now", _("Now"), lambda fact: _value(fact.after), "text"),
    ]
    try:
        settings = changed_settings(before.experiment_text, after.experiment_text)
    except DataError as error:
        text = _("The configs could not be compared: {trouble}", trouble=str(error))
        yield Paragraph(text, "warning")
    else:
        columns: Columns[ChangedFact] = [
            column("path", _("Path"), lambda fact: text_cell(fact.path), "text"),
            column("kind", _("Change"), lambda fact: Cell(fact.kind, kinds[fact.kind]), "text"),
            *values,
        ]
        title = _("What changed in the config")
        if settings:
            yield table(f"{prefix}changes-config", title, columns, settings)
        else:
            yield Paragraph(_("The two results have the same config."), "note")
    columns = [column("name", _("Name"), lambda fact: text_cell(fact.path), "text"), *values]
    title = _("Differences in versions and machine")
    if versions := tuple(changed_versions(before.manifest, after.manifest)):
        yield Details(title, (table(f"{prefix}changes-versions", title, columns, versions),))
    else:
        yield Paragraph(_("Versions of all packages and the machine are the same."), "note")


def _value(text: str) -> Cell:
    short = shortened(text, MAX_LETTERS)
    return Cell(text or None, short or NOTHING, hint=text if short != text else "")
