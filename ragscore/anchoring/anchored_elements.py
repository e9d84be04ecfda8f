"""What ``ragscore anchor`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragscore.anchoring.model import AnchoredEvidence, How, QuotedPlace, uncertain
from ragscore.anchoring.strings import STRINGS
from ragscore.elements import Cell, Column, Element, Lines, Table
from ragscore.elements.cells import count_cell, number_cell, text_cell
from ragscore.elements.numbers import number_text
from ragscore.elements.plain import one_line
from ragscore.messages import _, _c, counted
from ragscore.names import shortened

MAX_SHOWN = 160
"""Characters of a quote in a table; JSON has all."""


def anchored_elements(
    evidence: Sequence[AnchoredEvidence],
    counts: Mapping[How, int],
    *,
    ground_truth: str,
    similarity: float,
    allow_differing: bool,
    written: str | None,
) -> Iterator[Element]:
    """How many pieces of evidence were found how, each fuzzy match, and what has no place."""
    count = counted("1 piece", "{count} pieces", len(evidence))
    least = number_text(similarity, 2)
    yield Table(
        "anchored",
        _("Evidence of {file}: {count}", file=ground_truth, count=count),
        (
            Column("how", _c("way", "Found"), "text"),
            Column("evidence", _("Evidence")),
            Column("meaning", _("Meaning"), "text"),
        ),
        tuple(
            (
                text_cell(STRINGS(f"how_{how}")),
                count_cell(number),
                text_cell(
                    STRINGS(f"meaning_{how}", similarity=least)
                    if how == "missing"
                    else STRINGS(f"meaning_{how}")
                ),
            )
            for how, number in counts.items()
            if number
        ),
    )
    for how in ("differs", "fuzzy", "ambiguous", "missing", "wrong"):
        found = [one for one in evidence if one.how == how]
        if found:
            yield _table(how, found)
    if written is None:
        yield Lines((_("Nothing was written: -o FILE writes the ground truth with offsets."),))
        return
    without = uncertain(allow_differing)
    placed = sum(counts[how] for how in counts if how not in without)
    lines = [
        _(
            "{file} has the offsets of {count}.",
            file=written,
            count=counted("1 piece", "{count} pieces", placed),
        )
    ]
    if rest := len(evidence) - placed:
        lines.append(
            counted(
                "1 piece kept as in the ground truth: it has no certain place.",
                "{count} pieces kept as in the ground truth: they have no certain place.",
                rest,
            )
        )
    yield Lines(tuple(lines))


def _table(how: str, found: list[AnchoredEvidence]) -> Table:
    columns = [
        Column("line", _("Line")),
        Column("query", _("Query"), "text"),
        Column("document", _("Document"), "text"),
        Column("quote", _("Quote"), "text"),
    ]
    if how in ("differs", "fuzzy", "ambiguous"):
        columns += [
            Column("found", _("Text found"), "text"),
            Column("start", _("Start")),
            Column("end", _("End")),
            Column("similarity", _("Similarity")),
        ]
    if how == "differs":
        columns.insert(4, Column("apart", _("Differs"), "text"))
    if how == "wrong":
        columns.append(Column("problem", _("Problem"), "text"))
    rows = tuple(row for evidence in found for row in _rows(evidence))
    return Table(how, STRINGS(f"{how}_title"), tuple(columns), rows)


def _rows(evidence: AnchoredEvidence) -> Iterator[tuple[Cell, ...]]:
    named = (
        count_cell(evidence.line),
        text_cell(evidence.query),
        text_cell(evidence.document),
        text_cell(shortened(one_line(evidence.quote or ""), MAX_SHOWN), quote=True),
    )
    if evidence.how == "wrong":
        yield (*named, text_cell(evidence.problem or ""))
        return
    places = evidence.places or ((evidence.place,) if evidence.place is not None else ())
    apart = (text_cell("; ".join(evidence.apart)),) if evidence.apart else ()
    for place in places:
        yield (*named, *apart, *_place(place))
    if not places:
        yield named


def _place(place: QuotedPlace) -> tuple[Cell, ...]:
    return (
        text_cell(shortened(one_line(place.text), MAX_SHOWN), quote=True),
        count_cell(place.start),
        count_cell(place.end),
        number_cell(place.similarity),
    )
