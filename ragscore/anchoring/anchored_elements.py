"""What ``ragscore anchor`` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ragscore.anchoring.model import AnchoredEvidence, How, QuotedPlace, uncertain
from ragscore.elements import Cell, Column, Element, Lines, Table
from ragscore.elements.cells import count_cell, number_cell, text_cell
from ragscore.elements.numbers import number_text
from ragscore.elements.plain import one_line
from ragscore.messages import Message, _, _c, counted
from ragscore.names import shortened

MAX_SHOWN = 160
"""Characters of a quote in a table; JSON has all."""
HOW: dict[How, tuple[Message, Message]] = {
    "differs": (
        _("differs"),
        _(
            "a similar text occurs once, but a number or a negation differs: correct the quote, "
            "or write start and end"
        ),
    ),
    "offsets": (_("offsets"), _("its offsets agree with the document")),
    "exact": (_("exact"), _("the quote occurs once in the document")),
    "normal": (
        _("normal form"),
        _("the quote occurs once, apart from white space, quotation marks, dashes or Unicode form"),
    ),
    "fuzzy": (
        _("fuzzy"),
        _("a similar text occurs once: compare the old and the found text below"),
    ),
    "ambiguous": (
        _("ambiguous"),
        _("the quote fits several places: write start and end, or a longer quote"),
    ),
    "missing": (
        _("not found"),
        _("nothing in the document is similar enough ({similarity} or more)"),
    ),
    "wrong": (_("wrong"), _("its document, offsets or quote must be wrong")),
}
"""How a piece of evidence was found, in a word and in a sentence."""
TITLES: dict[How, Message] = {
    "differs": _("A number or a negation differs: the quote / the document"),
    "fuzzy": _("Fuzzy matches: the quotes are replaced by the text found"),
    "ambiguous": _("Ambiguous quotes: the places"),
    "missing": _("Not found"),
    "wrong": _("Wrong"),
}
"""Of the tables of what needs a look."""


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
                text_cell(HOW[how][0]),
                count_cell(number),
                text_cell(HOW[how][1].given(similarity=least)),
            )
            for how, number in counts.items()
            if number
        ),
    )
    for how in TITLES:
        found = [each for each in evidence if each.how == how]
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
                "1 piece was left as it is: its place is uncertain.",
                "{count} pieces were left as they are: their places are uncertain.",
                rest,
            )
        )
    yield Lines(tuple(lines))


def _table(how: How, found: list[AnchoredEvidence]) -> Table:
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
    return Table(how, TITLES[how], tuple(columns), rows)


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
