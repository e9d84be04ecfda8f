"""What ``ragscore reconcile`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragscore.elements import Column, Element, Facts, Lines, Table
from ragscore.elements.cells import number_cell, text_cell
from ragscore.elements.numbers import count_text, number_text
from ragscore.reconcile import Convention, Reconciled, meaning_of
from ragscore.reconcile.strings import STRINGS
from ragscore.strings import Language, Strings

MAX_SHOWN = 12
"""Conventions that are listed; the others are counted."""
MANY_MATCHES = 0.5
"""Where at least this many matches are expected by chance, a match says little."""
DIGITS = 6
"""Decimals: a reported number may have more than three."""


def reconciled_elements(
    found: Reconciled, value: str, language: Language, *, duplicates: int = 0
) -> Iterator[Element]:
    """The conventions that give a number, those that come near, and what they mean.

    Args:
        found: what was searched.
        value: the number as it was reported.
        language: of all texts.
        duplicates: passages that are named twice for a query.
    """
    strings = STRINGS.strings(language)
    asked = found.asked
    here = number_text(asked.value, DIGITS)
    yield Lines((strings("reconcile_here", measure=asked.measure, value=here, reported=value),))
    shown, tried = found.matches[:MAX_SHOWN], count_text(found.tried)
    title = strings("reconcile_matches", count=count_text(len(found.matches)), tried=tried)
    if not shown:
        shown, title = found.misses, strings("reconcile_nothing", tried=tried)
    more = len(found.matches) - MAX_SHOWN
    yield _table(title, shown, strings, more=more)
    if found.matches and found.misses:
        yield _table(strings("reconcile_others"), found.misses, strings)
    by_change = {change: convention for convention in shown for change in convention.changes}
    if by_change:
        meanings = (
            (change, meaning_of(change, convention.measure, language))
            for change, convention in by_change.items()
        )
        yield Lines((), strings("reconcile_meanings"))
        yield Facts(tuple(meanings))
    notes = []
    if found.between_ties:
        notes.append(strings("reconcile_ties"))
    if found.matches and found.chance > MANY_MATCHES:
        notes.append(strings("reconcile_chance", chance=number_text(found.chance, 1)))
    if duplicates:
        notes.append(strings("reconcile_twice", count=count_text(duplicates)))
    if notes:
        yield Lines(tuple(notes))


def _table(
    title: str, conventions: Sequence[Convention], strings: Strings, *, more: int = 0
) -> Table:
    columns = (
        Column("convention", strings("column_convention"), "text"),
        Column("value", strings("column_value")),
        Column("profiles", strings("column_profiles"), "text"),
    )
    rows = tuple(
        (
            text_cell(f"{found.measure} {', '.join(found.reading.changes())}".strip()),
            number_cell(found.value, DIGITS),
            text_cell(", ".join(found.profiles)),
        )
        for found in conventions
    )
    notes = (strings("reconcile_more", count=count_text(more)),) if more > 0 else ()
    return Table("conventions", title, columns, rows, notes)
