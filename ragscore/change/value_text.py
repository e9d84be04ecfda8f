"""Changes of values as elements: the headline, what was compared with what, sentences, tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from typing import Any, Literal

from ragscore.change.match import changed_settings, changed_versions, data_notes
from ragscore.change.record import (
    ChangedFact,
    MeasureChanges,
    MovedQuery,
    ValueChange,
    ValueChanges,
    ValueState,
)
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.tables import compared_cell, compared_record, p_label
from ragscore.dataset import Queries
from ragscore.elements import Cell, Column, Details, Element, Headline, Level, Paragraph, Table
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
from ragscore.elements.tables import Columns, table
from ragscore.errors import DataError
from ragscore.messages import Message, Text, _, few_names, joined, listed
from ragscore.names import shortened
from ragscore.results import Result
from ragscore.stats.few_differ import only_differ

MAX_NAMED = 2
"""Retrievers that the headline names of each kind, where there are more than one more."""
MAX_LETTERS = 120
"""Characters of a setting's value that are shown; its hint has the whole."""
KINDS = {"added": _("added"), "removed": _("removed"), "changed": _("changed")}
"""What happened to a setting."""
GROUPS = {
    "better": _("better: {names}"),
    "worse": _("worse: {names}"),
    "small": _("decided, but below the margin: {names}"),
    "open": _("not decided: {names}"),
    "same": _("unchanged: {names}"),
}
"""How the headline groups changes."""
GROUP_OF = {"too few": "open", "no value": "open", "equal": "same"}
"""By state of a change, its group if that has another name."""
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
    only = [
        text.given(names=_some([shortened(name) for name in names]))
        for text, names in (
            (_("New: {names}."), found.only_after),
            (_("Gone: {names}."), found.only_before),
        )
        if names
    ]
    groups = _grouped(changed)
    level: Level = "fair" if "open" in groups and "better" not in groups else "good"
    level = "poor" if "worse" in groups else level
    return Headline("SINCE", word, level, joined([change_summary(changed), *only]))


def change_summary(changed: MeasureChanges) -> Text:
    """Who became better or worse on a measure, in a sentence."""
    if len(changed.changes) == 1:
        return change_sentence(changed.changes[0], changed)
    who = [GROUPS[name].given(names=_named(those)) for name, those in _grouped(changed).items()]
    return _("On {M}, {changes}.", M=changed.measure.name, changes=joined(who, "; "))


def _grouped(changed: MeasureChanges) -> dict[str, list[ValueChange]]:
    """The changes of each group of ``GROUPS`` that has some, in its order."""
    found: dict[str, list[ValueChange]] = {name: [] for name in GROUPS}
    for change in changed.changes:
        state = "small" if change.difference.below_margin else change.state
        found[GROUP_OF.get(state, state)].append(change)
    return {name: those for name, those in found.items() if those}


def _named(changes: Iterable[ValueChange]) -> Text:
    """Who changed by how much, the largest change first."""
    moves = [(change.difference.value, shortened(change.pair.after)) for change in changes]
    moves.sort(key=lambda move: (isnan(move[0]), -abs(move[0])))
    return _some([f"{name} ({signed_text(by)})" if abs(by) > 0 else name for by, name in moves])


def _some(names: Sequence[str]) -> Text:
    """The first names, and how many others."""
    if len(names) <= MAX_NAMED + 1:
        return listed(names)
    shown, more = ", ".join(names[:MAX_NAMED]), count_text(len(names) - MAX_NAMED)
    return _("{names} and {more} others", names=shown, more=more)


def _trouble(found: ValueChanges) -> Text:
    """Why nothing is compared; empty if something is."""
    if found.trouble:
        return _("The two results could not be compared: {trouble}", trouble=found.trouble)
    if found.pairs:
        return ""
    before, after = (few_names(names) or "-" for names in (found.only_before, found.only_after))
    return _(
        "No retriever is in both results, so nothing can be compared. Before: {before}. Now: "
        "{after}.",
        before=before,
        after=after,
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
    renamed = found.pairs[0]
    if renamed.before != renamed.after:
        yield Paragraph(
            _(
                "Each result has one retriever, and their names differ: {before} "
                "(before) is compared with {after} (now).",
                before=renamed.before,
                after=renamed.after,
            ),
            "note",
        )
    if not found.clustered:
        yield Paragraph(
            _(
                "The clusters of the queries are no longer known. The queries are treated as "
                "independent here, so intervals are too narrow."
            ),
            "warning",
        )
    for only, names in (
        (_("Only in the earlier result: {names}."), found.only_before),
        (_("Only in this result: {names}."), found.only_after),
    ):
        if names:
            yield Paragraph(only.given(names=few_names(names)), "note")
    if found.lacking:
        measures = few_names(labels.get(name, name) for name in found.lacking)
        lacking = _("Not in the earlier result, so not compared: {measures}.", measures=measures)
        yield Paragraph(lacking, "note")


def _cautions(found: ValueChanges) -> Iterator[Text]:
    """What differs in data and conventions, and what that means for the numbers."""
    names, dropped = (found.before, found.dataset), found.dropped - len(found.data.reworded)
    yield from data_notes(names, found.data, dropped)
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


def change_sentence(change: ValueChange, changed: MeasureChanges) -> Text:
    """How one retriever changed on one measure."""
    difference = change.difference
    facts: dict[str, Any] = {
        "A": change.pair.after,
        "M": changed.measure.name,
        "n": count_text(difference.n),
        "d": signed_text(difference.value),
        "interval": interval_text(*difference.bounds, sign=True) or _("(CI not estimable)"),
        "m": "" if difference.margin is None else plain_number(difference.margin),
        "few": only_differ(
            difference.differing,
            difference.test.n,
            "queries" if difference.clusters is None else "clusters",
        ),
    }
    parts: list[Text] = [SENTENCES[change.state].given(**facts)]
    if difference.below_margin:
        parts.append(_("The change is real, but below the margin of {m}.", m=facts["m"]))
    elif difference.decided and difference.margin is not None:
        nearest = min(difference.bounds, key=abs)
        if abs(nearest) >= difference.margin:
            parts.append(_("It is at least the margin of {m}.", m=facts["m"]))
        else:
            least = signed_text(nearest)
            parts.append(
                _("It may be as small as {lo}; the margin is {m}.", lo=least, m=facts["m"])
            )
    elif difference.disagrees and change.state in ("equal", "open"):
        parts.append(compared_cell(difference).hint)
    return joined(parts) if len(parts) > 1 else parts[0]


def change_table(changed: MeasureChanges, options: CompareOptions) -> Table:
    """Every pair on one measure: before, now, difference, corrected p, what it costs."""
    measure = changed.measure
    better: Literal["low", "high"] = "low" if measure.sign < 0 else "high"
    timed = any(change.pair.milliseconds != (None, None) for change in changed.changes)
    hint = _("Median time of a single query; each result was timed on the machine that made it")
    p50_before = Column("p50_before", _("p50 before"), unit="ms", hint=hint, better="low")
    p50_now = Column("p50_now", _("p50 now"), unit="ms", hint=hint, better="low")
    columns: Columns[ValueChange] = [
        (retriever_column(), _name_cell),
        (Column("before", _("Before"), better=better), lambda row: number_cell(row.before)),
        (Column("now", _("Now"), better=better), lambda row: number_cell(row.after)),
        (Column("difference", _("Difference"), interval=True, better="high"), _difference_cell),
        (Column("p", p_label(options), better="low"), _p_cell),
        (record_column(), lambda row: compared_record(row.difference)),
        (p50_before, lambda row: latency_cell(row.pair.milliseconds[0])) if timed else None,
        (p50_now, lambda row: latency_cell(row.pair.milliseconds[1])) if timed else None,
        (Column("settings", _("Own settings"), "text"), _settings_cell),
    ]
    note = _(
        "Differences are now - before, on the queries with a value in both; + is better. "
        "95 % intervals, not adjusted. p is corrected over the retrievers. Bold and * "
        "mark decided changes."
    )
    title = _("What changed on {label}", label=measure.label)
    return table("changes", title, columns, changed.changes, (note, *measure.notes))


def _name_cell(change: ValueChange) -> Cell:
    return Cell(change.pair.name, change.pair.name, retriever=change.pair.after)


def _difference_cell(change: ValueChange) -> Cell:
    difference = change.difference
    level: Level = "plain" if not difference.decided else "good" if difference.value > 0 else "poor"
    cell = compared_cell(difference, retriever=change.pair.after)
    return replace(cell, strong=difference.decided, level=level)


def _p_cell(change: ValueChange) -> Cell:
    return p_cell(change.difference.p_adjusted, floor=change.difference.test.at_floor)


def _settings_cell(change: ValueChange) -> Cell:
    return text_cell(_("changed") if change.pair.settings_changed else _("same"))


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
    columns: Columns[MovedQuery] = [
        (
            Column("query", _("Query"), "text"),
            lambda row: Cell(row.query, row.query, query=row.query, retriever=row.retriever),
        ),
        None if queries is None else (Column("text", _("Text"), "text"), _text_of(queries)),
        (retriever_column(), lambda row: name_cell(row.retriever)) if several else None,
        (Column("before", _("Before")), lambda row: number_cell(row.before)),
        (Column("now", _("Now")), lambda row: number_cell(row.after)),
        (Column("difference", _("Difference"), better="high"), lambda row: signed_cell(row.change)),
    ]
    once = _("Each query is listed once, with the retriever for which it changed most.")
    notes = (once,) if several else ()
    label = changed.measure.label
    risen = _("Queries that gained most on {label}", label=label)
    fallen = _("Queries that lost most on {label}", label=label)
    return (
        table(f"{prefix}changes-risen", risen, columns, changed.risen, notes),
        table(f"{prefix}changes-fallen", fallen, columns, changed.fallen, notes),
    )


def _text_of(queries: Queries) -> Callable[[MovedQuery], Cell]:
    return lambda row: text_cell(queries.texts[queries.ids.row(row.query)], quote=True)


def fact_elements(before: Result, after: Result, prefix: str) -> Iterator[Element]:
    """What may explain the change: config, versions, machine.

    Args:
        before, after: the two results.
        prefix: of the ids of the tables.
    """
    try:
        facts = changed_settings(before.experiment_text, after.experiment_text)
    except DataError as error:
        text = _("The configs could not be compared: {trouble}", trouble=str(error))
        yield Paragraph(text, "warning")
    else:
        path, kind = Column("path", _("Path"), "text"), Column("kind", _("Change"), "text")
        columns: Columns[ChangedFact] = [
            (path, lambda fact: text_cell(fact.path)),
            (kind, lambda fact: Cell(fact.kind, KINDS[fact.kind])),
            *_BEFORE_AND_NOW,
        ]
        if facts:
            yield table(f"{prefix}changes-config", _("What changed in the config"), columns, facts)
        else:
            yield Paragraph(_("The two results have the same config."), "note")
    name = Column("name", _("Name"), "text")
    columns = [(name, lambda fact: text_cell(fact.path)), *_BEFORE_AND_NOW]
    title = _("Differences in versions and machine")
    facts = tuple(changed_versions(before.manifest, after.manifest))
    if facts:
        yield Details(title, (table(f"{prefix}changes-versions", title, columns, facts),))
    else:
        yield Paragraph(_("Versions of all packages and the machine are the same."), "note")


def _value(text: str) -> Cell:
    if len(text) <= MAX_LETTERS:
        return Cell(text or None, text or NOTHING)
    return Cell(text, f"{text[: MAX_LETTERS - 1]}…", hint=text)


_BEFORE_AND_NOW: Columns[ChangedFact] = [
    (Column("before", _("Before"), "text"), lambda fact: _value(fact.before)),
    (Column("now", _("Now"), "text"), lambda fact: _value(fact.after)),
]
