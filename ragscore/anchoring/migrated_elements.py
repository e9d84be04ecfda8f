"""What ``ragscore migrate`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragscore.anchoring.migration_model import Fate, MigratedText, NewPlace
from ragscore.anchoring.strings import STRINGS
from ragscore.dataset.documents import span_id
from ragscore.elements import Cell, Column, Element, Lines, Table
from ragscore.elements.cells import count_cell, share_cell, text_cell
from ragscore.elements.numbers import share_text
from ragscore.elements.plain import one_line
from ragscore.names import shortened
from ragscore.strings import Language, Strings

MAX_SHOWN = 100
"""Characters of a text in a table; JSON has all."""
MAX_ROWS = 20
"""Texts that a table lists; JSON has all."""


def migrated_elements(
    texts: Sequence[MigratedText],
    counts: Mapping[Fate, int],
    language: Language,
    *,
    old: str,
    new: str,
    coverage: float,
    lost_needs: Sequence[str],
    dropped: int,
    forbidden_dropped: int,
    written: str | None,
) -> Iterator[Element]:
    """How many texts have each fate, those that were split or lost, and what was left out."""
    strings = STRINGS.strings(language)
    yield Table(
        "migrated",
        strings("migrate_title", old=old, new=new),
        (
            Column("fate", strings("column_fate"), "text"),
            Column("texts", strings("column_texts")),
            Column("meaning", strings("column_meaning"), "text"),
        ),
        tuple(
            (
                text_cell(strings(f"fate_{fate}")),
                count_cell(number),
                text_cell(_meaning(fate, coverage, strings)),
            )
            for fate, number in counts.items()
            if number
        ),
    )
    fates: tuple[Fate, ...] = ("split", "lost")
    for fate in fates:
        found = [text for text in texts if text.fate == fate]
        if found:
            yield _table(fate, found, strings)
    lines = []
    if lost_needs:
        names = strings.names(dict.fromkeys(lost_needs))
        key = "migrate_lost_needs_one" if len(lost_needs) == 1 else "migrate_lost_needs"
        lines.append(strings(key, count=f"{len(lost_needs):,}", queries=names))
    if dropped:
        lines.append(strings.counted("migrate_dropped", dropped))
    if forbidden_dropped:
        lines.append(strings.counted("migrate_forbidden", forbidden_dropped))
    lines.append(
        strings("migrate_not_written")
        if written is None
        else strings("migrate_written", file=written)
    )
    yield Lines(tuple(lines))


def _meaning(fate: Fate, coverage: float, strings: Strings) -> str:
    if fate == "lost":
        return strings("meaning_lost", share=share_text(coverage))
    return strings(f"meaning_{fate}")


def _table(fate: Fate, found: Sequence[MigratedText], strings: Strings) -> Table:
    columns = (
        Column("id", strings("column_old"), "text"),
        Column("queries", strings("column_queries")),
        Column("held", strings("column_held")),
        Column("places", strings("column_new"), "text"),
        Column("text", strings("column_text"), "text"),
    )
    rows = tuple(_row(text, strings) for text in found[:MAX_ROWS])
    more = len(found) - MAX_ROWS
    notes = (strings("migrate_more", count=f"{more:,}"),) if more > 0 else ()
    return Table(fate, strings(f"{fate}_title"), columns, rows, notes)


def _row(text: MigratedText, strings: Strings) -> tuple[Cell, ...]:
    return (
        text_cell(text.id),
        count_cell(text.queries),
        share_cell(text.held),
        text_cell(strings.names(map(_place, text.places))),
        text_cell(shortened(one_line(text.text), MAX_SHOWN), quote=True),
    )


def _place(place: NewPlace) -> str:
    if place.start is None or place.end is None:
        return place.id
    return span_id(place.id, place.start, place.end)
