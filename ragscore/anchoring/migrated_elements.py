"""What ``ragscore migrate`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragscore.anchoring.migration_model import Fate, MigratedText, NewPlace
from ragscore.dataset.documents import span_id
from ragscore.elements import Cell, Column, Element, Lines, Table
from ragscore.elements.cells import count_cell, share_cell, text_cell
from ragscore.elements.numbers import share_text
from ragscore.elements.plain import one_line
from ragscore.messages import Message, _, counted, few_names
from ragscore.names import shortened

MAX_SHOWN = 100
"""Characters of a text in a table; JSON has all."""
MAX_ROWS = 20
"""Texts that a table lists; JSON has all."""
FATES: dict[Fate, tuple[Message, Message]] = {
    "mapped": (_("mapped"), _("one new place holds exactly this text")),
    "merged": (_("merged"), _("one new passage holds it with other text")),
    "repeated": (
        _("repeated"),
        _("several new places hold all of it: any of them covers the need"),
    ),
    "split": (
        _("split"),
        _("several new places hold parts of it: any of them covers the need, so check them below"),
    ),
    "lost": (
        _("lost"),
        _(
            "less than {share} of it was found, or it is short and occurs in several texts: its "
            "judgments were not carried over"
        ),
    ),
}
"""What became of a text, in a word and in a sentence."""
TITLES: dict[Fate, Message] = {"split": _("Split"), "lost": _("Lost")}
"""Of the tables of what needs a look."""


def migrated_elements(
    texts: Sequence[MigratedText],
    counts: Mapping[Fate, int],
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
    yield Table(
        "migrated",
        _("Judged texts of {old} in {new}", old=old, new=new),
        (
            Column("fate", _("Fate"), "text"),
            Column("texts", _("Texts")),
            Column("meaning", _("Meaning"), "text"),
        ),
        tuple(
            (
                text_cell(FATES[fate][0]),
                count_cell(number),
                text_cell(FATES[fate][1].given(share=share_text(coverage))),
            )
            for fate, number in counts.items()
            if number
        ),
    )
    for fate in TITLES:
        found = [text for text in texts if text.fate == fate]
        if found:
            yield _table(fate, found)
    lines = []
    if lost_needs:
        lines.append(
            counted(
                "1 need is no longer covered (query {queries}).",
                "{count} needs are no longer covered (queries {queries}).",
                len(lost_needs),
                queries=few_names(dict.fromkeys(lost_needs)),
            )
        )
    if dropped:
        lines.append(
            counted(
                "1 judgment of a passage as not relevant was dropped: it says nothing about a "
                "new passage.",
                "{count} judgments of passages as not relevant were dropped: they say nothing "
                "about new passages.",
                dropped,
            )
        )
    if forbidden_dropped:
        lines.append(
            counted(
                "1 forbidden passage was dropped: it was lost, its new passage is relevant, or "
                "documents replace passages.",
                "{count} forbidden passages were dropped: they were lost, their new passages are "
                "relevant, or documents replace passages.",
                forbidden_dropped,
            )
        )
    lines.append(
        _("Nothing was written: -o FILE writes the new ground truth.")
        if written is None
        else _("Written: {file}", file=written)
    )
    yield Lines(tuple(lines))


def _table(fate: Fate, found: Sequence[MigratedText]) -> Table:
    columns = (
        Column("id", _("Old"), "text"),
        Column("queries", _("Queries")),
        Column("held", _("Found")),
        Column("places", _("New"), "text"),
        Column("text", _("Text"), "text"),
    )
    rows = tuple(_row(text) for text in found[:MAX_ROWS])
    more = len(found) - MAX_ROWS
    notes = (_("{count} more; --format json lists all", count=f"{more:,}"),) if more > 0 else ()
    return Table(fate, TITLES[fate], columns, rows, notes)


def _row(text: MigratedText) -> tuple[Cell, ...]:
    return (
        text_cell(text.id),
        count_cell(text.queries),
        share_cell(text.held),
        text_cell(few_names(map(_place, text.places))),
        text_cell(shortened(one_line(text.text), MAX_SHOWN), quote=True),
    )


def _place(place: NewPlace) -> str:
    if place.start is None or place.end is None:
        return place.id
    return span_id(place.id, place.start, place.end)
