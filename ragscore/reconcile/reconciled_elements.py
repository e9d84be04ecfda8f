"""What ``ragscore reconcile`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragscore.elements import Column, Element, Facts, Lines, Table
from ragscore.elements.cells import number_cell, text_cell
from ragscore.elements.numbers import count_text, number_text
from ragscore.messages import Text, _
from ragscore.reconcile import Convention, Reconciled, meaning_of

MAX_SHOWN = 12
"""Conventions that are listed; the others are counted."""
MANY_MATCHES = 0.5
"""Where at least this many matches are expected by chance, a match says little."""
DIGITS = 6
"""Decimals: a reported number may have more than three."""


def reconciled_elements(found: Reconciled, value: str, *, duplicates: int = 0) -> Iterator[Element]:
    """The conventions that give a number, those that come near, and what they mean.

    Args:
        found: what was searched.
        value: the number as it was reported.
        duplicates: passages that are named twice for a query.
    """
    asked = found.asked
    here = number_text(asked.value, DIGITS)
    yield Lines(
        (
            _(
                "{measure} is {value} here; reported: {reported}",
                measure=asked.measure,
                value=here,
                reported=value,
            ),
        )
    )
    shown, tried = found.matches[:MAX_SHOWN], count_text(found.tried)
    title = _(
        "{count} of {tried} conventions give the reported number:",
        count=count_text(len(found.matches)),
        tried=tried,
    )
    if not shown:
        shown, title = (
            found.misses,
            _("None of {tried} conventions gives the reported number. The nearest:", tried=tried),
        )
    more = len(found.matches) - MAX_SHOWN
    yield _table(title, shown, more=more)
    if found.matches and found.misses:
        yield _table(_("The nearest others:"), found.misses)
    by_change = {change: convention for convention in shown for change in convention.changes}
    if by_change:
        meanings = (
            (change, meaning_of(change, convention.measure))
            for change, convention in by_change.items()
        )
        yield Lines((), _("What they mean:"))
        yield Facts(tuple(meanings))
    notes = []
    if found.between_ties:
        notes.append(
            _(
                "The reported number lies between tie=min and tie=max, so some order of the "
                "tied passages could give it."
            )
        )
    if found.matches and found.chance > MANY_MATCHES:
        notes.append(
            _(
                "With so few digits, about {chance} of the conventions would match any number "
                "by chance: ask for more digits before you trust a match.",
                chance=number_text(found.chance, 1),
            )
        )
    if duplicates:
        notes.append(
            _(
                "{count} passages are listed twice for a query, and only the first counts here. "
                "A tool that counts both gives a different number, which this search does not "
                "cover.",
                count=count_text(duplicates),
            )
        )
    if notes:
        yield Lines(tuple(notes))


def _table(title: Text, conventions: Sequence[Convention], *, more: int = 0) -> Table:
    columns = (
        Column("convention", _("Convention"), "text"),
        Column("value", _("Value")),
        Column("profiles", _("Profiles"), "text"),
    )
    rows = tuple(
        (
            text_cell(f"{found.measure} {', '.join(found.reading.changes())}".strip()),
            number_cell(found.value, DIGITS),
            text_cell(", ".join(found.profiles)),
        )
        for found in conventions
    )
    notes = (
        (_("and {count} more with at least as many changes", count=count_text(more)),)
        if more > 0
        else ()
    )
    return Table("conventions", title, columns, rows, notes)
