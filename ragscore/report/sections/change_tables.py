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
from ragscore.report.changes import Changes
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult
from ragscore.results.manifest import Manifest
from ragscore.results.settings import ChangedSetting
from ragscore.strings import Strings

MOST_TEXT = 120
"""Characters of a setting's value that are shown; its hint has the whole."""


def change_table(
    report: Report, panel: DatasetResult, found: Changes, changes: MeasureChanges
) -> Table:
    """Every pair on one measure: before, now, difference, corrected p, what it costs."""
    strings = report.strings
    better: Literal["low", "high"] = "low" if changes.measure.sign < 0 else "high"
    timed = any(pair.milliseconds != (None, None) for pair in found.pairs)
    columns = [
        Column("retriever", strings("column_retriever"), "text"),
        Column("before", strings("changes_before"), better=better),
        Column("now", strings("changes_now"), better=better),
        Column("difference", strings("column_difference"), interval=True, better="high"),
        Column("p", p_label(panel.options, strings), better="low"),
        Column(
            "W/L/T", strings("column_record"), "text", hint=strings("hint_record"), parts=RECORD
        ),
    ]
    if timed:
        hint = strings("changes_ms_hint")
        columns += [
            Column("p50_before", strings("changes_ms_before"), unit="ms", hint=hint, better="low"),
            Column("p50_now", strings("changes_ms_now"), unit="ms", hint=hint, better="low"),
        ]
    columns.append(Column("settings", strings("changes_settings"), "text"))
    rows = tuple(tuple(_change_cells(change, strings, timed=timed)) for change in changes.changes)
    title = strings("changes_table", label=changes.measure.label)
    return Table(
        "changes",
        title,
        tuple(columns),
        rows,
        (strings("changes_note"), *(str(strings.say(note)) for note in changes.measure.notes)),
    )


def _change_cells(change: Change, strings: Strings, *, timed: bool) -> Iterator[Cell]:
    pair, difference = change.pair, change.difference
    who = pair.after
    name = who if who == pair.before else f"{pair.before} → {who}"
    yield Cell(name, name, retriever=who)
    yield number_cell(change.before)
    yield number_cell(change.after)
    level: Level = "plain" if not difference.decided else "good" if difference.value > 0 else "poor"
    cell = compared_cell(difference, strings, retriever=who)
    yield replace(cell, strong=difference.decided, level=level)
    yield p_cell(difference.p_adjusted, floor=difference.test.at_floor)
    yield compared_record(difference)
    if timed:
        yield from map(latency_cell, pair.milliseconds)
    yield text_cell(
        strings("changes_settings_other" if pair.settings_changed else "changes_settings_same")
    )


def movers_table(
    report: Report, panel: DatasetResult, id: str, changes: MeasureChanges, moved: Sequence[Moved]
) -> Table:
    """Queries that moved, each leading to the explorer.

    Args:
        id: ``changes-risen`` or ``changes-fallen``.
    """
    strings, several = report.strings, len(changes.changes) > 1
    columns = [Column("query", strings("column_one_query"), "text")]
    if panel.data is not None:
        columns.append(Column("text", strings("changes_text"), "text"))
    if several:
        columns.append(Column("retriever", strings("column_retriever"), "text"))
    columns += [
        Column("before", strings("changes_before")),
        Column("now", strings("changes_now")),
        Column("difference", strings("column_difference"), better="high"),
    ]
    rows = tuple(tuple(_mover_cells(found, panel, several=several)) for found in moved)
    title = strings(id.replace("-", "_"), label=changes.measure.label)
    notes = (strings("changes_moved_note"),) if several else ()
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


def settings_table(
    panel: DatasetResult, settings: Sequence[ChangedSetting], strings: Strings
) -> Table:
    """What changed in the config, path by path."""
    columns = (
        Column("path", strings("changes_path"), "text"),
        Column("kind", strings("changes_kind"), "text"),
        *_both(strings),
    )
    rows = tuple(
        (
            Cell(setting.path, setting.path),
            Cell(setting.kind, strings(f"changes_kind_{setting.kind}")),
            _value(setting.before),
            _value(setting.after),
        )
        for setting in settings
    )
    return Table(named(panel, "changes-config"), strings("changes_config"), columns, rows)


def versions_table(
    panel: DatasetResult, before: Manifest, after: Manifest, strings: Strings
) -> Table:
    """Versions of packages and facts of the machine that differ between two manifests."""
    rows = []
    for old, new in (before.versions, after.versions), (before.machine, after.machine):
        for name in dict.fromkeys([*new, *old]):
            if old.get(name) != new.get(name):
                values = (listed.get(name) for listed in (old, new))
                texts = ("" if value is None else str(value) for value in values)
                rows.append((Cell(name, name), *map(_value, texts)))
    columns = (Column("name", strings("changes_name"), "text"), *_both(strings))
    return Table(
        named(panel, "changes-versions"), strings("changes_versions"), columns, tuple(rows)
    )


def _both(strings: Strings) -> tuple[Column, Column]:
    return (
        Column("before", strings("changes_before"), "text"),
        Column("now", strings("changes_now"), "text"),
    )


def _value(text: str) -> Cell:
    if len(text) <= MOST_TEXT:
        return Cell(text or None, text or NOTHING)
    return Cell(text, f"{text[: MOST_TEXT - 1]}…", hint=text)
