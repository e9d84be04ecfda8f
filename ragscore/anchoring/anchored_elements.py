"""What ``ragscore anchor`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragscore.anchoring.model import AnchoredEvidence, How, QuotedPlace, uncertain
from ragscore.anchoring.strings import STRINGS
from ragscore.elements import Cell, Column, Element, Lines, Table
from ragscore.elements.cells import count_cell, number_cell, text_cell
from ragscore.elements.numbers import number_text
from ragscore.elements.plain import one_line
from ragscore.names import shortened
from ragscore.strings import Language, Strings

MAX_SHOWN = 160
"""Characters of a quote in a table; JSON has all."""


def anchored_elements(
    evidence: Sequence[AnchoredEvidence],
    counts: Mapping[How, int],
    language: Language,
    *,
    ground_truth: str,
    similarity: float,
    allow_differing: bool,
    written: str | None,
) -> Iterator[Element]:
    """How many pieces of evidence were found how, each fuzzy match, and what has no place."""
    strings = STRINGS.strings(language)
    count = strings.counted("count_evidence", len(evidence))
    least = number_text(similarity, 2)
    yield Table(
        "anchored",
        strings("anchor_title", file=ground_truth, count=count),
        (
            Column("how", strings("column_how"), "text"),
            Column("evidence", strings("column_evidence")),
            Column("meaning", strings("column_meaning"), "text"),
        ),
        tuple(
            (
                text_cell(strings(f"how_{how}")),
                count_cell(number),
                text_cell(
                    strings(f"meaning_{how}", similarity=least)
                    if how == "missing"
                    else strings(f"meaning_{how}")
                ),
            )
            for how, number in counts.items()
            if number
        ),
    )
    for how in ("differs", "fuzzy", "ambiguous", "missing", "wrong"):
        found = [one for one in evidence if one.how == how]
        if found:
            yield _table(how, found, strings)
    if written is None:
        yield Lines((strings("anchor_not_written"),))
        return
    without = uncertain(allow_differing)
    placed = sum(counts[how] for how in counts if how not in without)
    lines = [
        strings(
            "anchor_written",
            file=written,
            count=strings.counted("count_evidence", placed),
        )
    ]
    if rest := len(evidence) - placed:
        lines.append(strings.counted("anchor_rest", rest))
    yield Lines(tuple(lines))


def _table(how: str, found: list[AnchoredEvidence], strings: Strings) -> Table:
    columns = [
        Column("line", strings("column_line")),
        Column("query", strings("column_query"), "text"),
        Column("document", strings("column_document"), "text"),
        Column("quote", strings("column_quote"), "text"),
    ]
    if how in ("differs", "fuzzy", "ambiguous"):
        columns += [
            Column("found", strings("column_found"), "text"),
            Column("start", strings("column_start")),
            Column("end", strings("column_end")),
            Column("similarity", strings("column_similarity")),
        ]
    if how == "differs":
        columns.insert(4, Column("apart", strings("column_apart"), "text"))
    if how == "wrong":
        columns.append(Column("problem", strings("column_problem"), "text"))
    rows = tuple(row for evidence in found for row in _rows(evidence))
    return Table(how, strings(f"{how}_title"), tuple(columns), rows)


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
