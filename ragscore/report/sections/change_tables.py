"""Tables of the section "changes"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from ragscore.comparison.difference_cells import compared_cell, compared_record
from ragscore.comparison.measure_tables import p_label
from ragscore.comparison.paired_changes import Change, MeasureChanges, Moved
from ragscore.elements import Cell, Column, Level, Table
from ragscore.elements.cells import (
    RECORD,
    latency_cell,
    number_cell,
    p_cell,
    signed_cell,
    text_cell,
)
from ragscore.elements.numbers import NOTHING
from ragscore.messages import Text, _
from ragscore.report.changes import Changes
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult
from ragscore.results.manifest import Manifest
from ragscore.results.settings import ChangedSetting

MOST_TEXT = 120
"""Characters of a setting's value that are shown; its hint has the whole."""
KINDS = {"added": _("added"), "removed": _("removed"), "changed": _("changed")}
"""What happened to a setting."""


def change_table(panel: DatasetResult, found: Changes, changes: MeasureChanges) -> Table:
    """Every pair on one measure: before, now, difference, corrected p, what it costs."""
    better: Literal["low", "high"] = "low" if changes.measure.sign < 0 else "high"
    timed = any(pair.milliseconds != (None, None) for pair in found.pairs)
    columns = [
        Column("retriever", _("Retriever"), "text"),
        Column("before", _("Before"), better=better),
        Column("now", _("Now"), better=better),
        Column("difference", _("Difference"), interval=True, better="high"),
        Column("p", p_label(panel.options), better="low"),
        Column(
            "W/L/T",
            _("W/L/T"),
            "text",
            hint=_("Queries on which it is better, worse, the same"),
            parts=RECORD,
        ),
    ]
    if timed:
        hint = _("Median time of a single query; each result was timed on the machine that made it")
        columns += [
            Column("p50_before", _("p50 before"), unit="ms", hint=hint, better="low"),
            Column("p50_now", _("p50 now"), unit="ms", hint=hint, better="low"),
        ]
    columns.append(Column("settings", _("Own settings"), "text"))
    rows = tuple(tuple(_change_cells(change, timed=timed)) for change in changes.changes)
    title = _("What changed on {label}", label=changes.measure.label)
    return Table(
        "changes",
        title,
        tuple(columns),
        rows,
        (
            _(
                "Differences are now - before, on the queries with a value in both; + is better. "
                "95 % intervals, not adjusted. p is corrected over the retrievers. Bold and * "
                "mark decided changes."
            ),
            *(note for note in changes.measure.notes),
        ),
    )


def _change_cells(change: Change, *, timed: bool) -> Iterator[Cell]:
    pair, difference = change.pair, change.difference
    who = pair.after
    name = who if who == pair.before else f"{pair.before} → {who}"
    yield Cell(name, name, retriever=who)
    yield number_cell(change.before)
    yield number_cell(change.after)
    level: Level = "plain" if not difference.decided else "good" if difference.value > 0 else "poor"
    cell = compared_cell(difference, retriever=who)
    yield replace(cell, strong=difference.decided, level=level)
    yield p_cell(difference.p_adjusted, floor=difference.test.at_floor)
    yield compared_record(difference)
    if timed:
        yield from map(latency_cell, pair.milliseconds)
    yield text_cell(_("changed") if pair.settings_changed else _("same"))


def movers_table(
    panel: DatasetResult, id: str, title: Text, changes: MeasureChanges, moved: Sequence[Moved]
) -> Table:
    """Queries that moved, each leading to the explorer."""
    several = len(changes.changes) > 1
    columns = [Column("query", _("Query"), "text")]
    if panel.data is not None:
        columns.append(Column("text", _("Text"), "text"))
    if several:
        columns.append(Column("retriever", _("Retriever"), "text"))
    columns += [
        Column("before", _("Before")),
        Column("now", _("Now")),
        Column("difference", _("Difference"), better="high"),
    ]
    rows = tuple(tuple(_mover_cells(found, panel, several=several)) for found in moved)
    notes = (
        (_("Each query is listed once, with the retriever for which it changed most."),)
        if several
        else ()
    )
    return Table(named(panel, id), title, tuple(columns), rows, notes)


def _mover_cells(found: Moved, panel: DatasetResult, *, several: bool) -> Iterator[Cell]:
    who = found.retriever
    yield Cell(found.query, found.query, query=found.query, retriever=who)
    if panel.data is not None:
        queries = panel.data.queries
        yield text_cell(queries.texts[queries.ids.row(found.query)], quote=True)
    if several:
        yield Cell(who, who, retriever=who)
    yield number_cell(found.before)
    yield number_cell(found.after)
    yield signed_cell(found.by)


def settings_table(panel: DatasetResult, settings: Sequence[ChangedSetting]) -> Table:
    """What changed in the config, path by path."""
    columns = (
        Column("path", _("Path"), "text"),
        Column("kind", _("Change"), "text"),
        *_both(),
    )
    rows = tuple(
        (
            Cell(setting.path, setting.path),
            Cell(setting.kind, KINDS[setting.kind]),
            _value(setting.before),
            _value(setting.after),
        )
        for setting in settings
    )
    return Table(named(panel, "changes-config"), _("What changed in the config"), columns, rows)


def versions_table(panel: DatasetResult, before: Manifest, after: Manifest) -> Table:
    """Versions of packages and facts of the machine that differ between two manifests."""
    rows = []
    for old, new in (before.versions, after.versions), (before.machine, after.machine):
        for name in dict.fromkeys([*new, *old]):
            if old.get(name) != new.get(name):
                values = (listed.get(name) for listed in (old, new))
                texts = ("" if value is None else str(value) for value in values)
                rows.append((Cell(name, name), *map(_value, texts)))
    columns = (Column("name", _("Name"), "text"), *_both())
    return Table(
        named(panel, "changes-versions"),
        _("Differences in versions and machine"),
        columns,
        tuple(rows),
    )


def _both() -> tuple[Column, Column]:
    return (
        Column("before", _("Before"), "text"),
        Column("now", _("Now"), "text"),
    )


def _value(text: str) -> Cell:
    if len(text) <= MOST_TEXT:
        return Cell(text or None, text or NOTHING)
    return Cell(text, f"{text[: MOST_TEXT - 1]}…", hint=text)
