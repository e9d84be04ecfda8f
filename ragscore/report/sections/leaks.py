"""Forbidden passages that came back: each leak with the query, the rank and what forbids it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Qrels
from ragscore.elements import Cell, Column, Details, Element, Paragraph, Section, Table
from ragscore.elements.cells import count_cell, name_cell, retriever_column, text_cell
from ragscore.elements.numbers import count_text, number_text
from ragscore.elements.tables import Columns, table
from ragscore.judge import Leaked, leaked
from ragscore.messages import _, counted, few_names
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult
from ragscore.stats.intervals import exact_bounds
from ragscore.stats.one_sided import ALPHA

OPEN = 20
"""Leaks that are listed at once; the others are folded."""
MOST = 1000
"""The most leaks that are listed, the highest ranks first."""
Place: TypeAlias = tuple[int, int, int, int]
"""A leak: its rank, the row of its query, the number of the retriever, and which of its leaks."""


def leaks(report: Report, panel: DatasetResult) -> Section | None:
    """Each forbidden passage that came back, with its rank and what forbids it."""
    qrels = panel.qrels
    if qrels is None or qrels.forbidden is None or not panel.retrievers:
        return None
    return Section("leaks", _("What must not come back"), tuple(_elements(panel, qrels)))


def _elements(panel: DatasetResult, qrels: Qrels) -> Iterator[Element]:
    forbidden = qrels.forbidden
    assert forbidden is not None
    k = _cutoff(panel)
    found = {name: leaked(panel.runs[name], qrels, k) for name in panel.retrievers}
    averaged = qrels.query_rows(panel.scores.entries[0].query_ids)
    restricted = forbidden.restricted[averaged]
    known = {"n": count_text(int(restricted.sum())), "total": count_text(len(averaged))}
    yield Paragraph(
        _(
            "{n} of the {total} averaged queries have a forbidden {ranked}. A leak is a forbidden "
            "{ranked} in the top {k}.",
            k=k,
            **known,
        )
    )
    yield _by_retriever(panel, found, averaged, k)
    clean = [name for name, of in found.items() if not np.isin(averaged, of.query).any()]
    if clean and panel.clusters is None:
        bound = float(exact_bounds(0.0, len(averaged), 1 - 2 * ALPHA)[1])
        names, total = few_names(clean), count_text(len(averaged))
        yield Paragraph(
            _(
                "{names}: no averaged query leaked. With {total} queries, a share of up to "
                "{bound} cannot be excluded (exact one-sided 95 % bound).",
                names=names,
                total=total,
                bound=number_text(bound, 4),
            ),
            "note",
        )
    yield from _listed(panel, qrels, found, averaged)


def _cutoff(panel: DatasetResult) -> int:
    """The deepest cutoff of a measure of leaks, else that of the page."""
    asked = [
        measure.cutoff
        for measure in panel.scores.measures
        if measure.reads_forbidden and isinstance(measure.cutoff, int)
    ]
    return max(asked, default=panel.k)


def _by_retriever(
    panel: DatasetResult, found: Mapping[str, Leaked], averaged: NDArray[np.int64], k: int
) -> Table:
    def queries(of: Leaked, *, inside: bool) -> Cell:
        asked = np.unique(of.query)
        return count_cell(int((np.isin(asked, averaged) == inside).sum()))

    hint = _("Queries that are unanswerable or have no judgment: Leak leaves them out")
    columns: Columns[tuple[str, Leaked]] = [
        (retriever_column(), lambda row: name_cell(row[0])),
        (
            Column("queries", _("Queries with a leak in the top {k}", k=k), better="low"),
            lambda row: queries(row[1], inside=True),
        ),
        (
            Column("passages", _("{Ranked_items} leaked"), better="low"),
            lambda row: count_cell(len(row[1].query)),
        ),
        (Column("first", _("Highest rank"), better="high"), lambda row: _first(row[1])),
        (
            Column("outside", _("Leaking queries outside the means"), hint=hint),
            lambda row: queries(row[1], inside=False),
        ),
    ]
    return table(named(panel, "leaking"), _("Leaks by retriever"), columns, found.items())


def _first(of: Leaked) -> Cell:
    return count_cell(int(of.rank.min())) if len(of.rank) else text_cell(_("none"))


def _listed(
    panel: DatasetResult, qrels: Qrels, found: Mapping[str, Leaked], averaged: NDArray[np.int64]
) -> Iterator[Element]:
    """Every leak, those of the highest ranks first. No text of a passage is shown: it must not be
    seen."""
    forbidden, inside = qrels.forbidden, set(averaged.tolist())
    assert forbidden is not None
    of_units = qrels.units is not None and qrels.units.unit.cutoff == "units"
    names, those = list(found), list(found.values())
    places = sorted(
        (int(of.rank[at]), int(of.query[at]), number, at)
        for number, of in enumerate(those)
        for at in range(len(of.rank))
    )

    def query(place: Place) -> Cell:
        id = qrels.queries[place[1]]
        return Cell(id, id, query=id if place[1] in inside else None, quote=True)

    def passage(place: Place) -> Cell:
        _rank, _query, number, at = place
        id = panel.runs[names[number]].passages[int(those[number].passage[at])]
        return text_cell(qrels.named(id) if of_units else id, quote=True)

    def rule(place: Place) -> Cell:
        _rank, _query, number, at = place
        return text_cell(
            forbidden.name(int(those[number].source[at])) or _("the query's list"), quote=True
        )

    columns: Columns[Place] = [
        (Column("query", _("Query"), "text"), query),
        (Column("passage", _("Forbidden {ranked}"), "text"), passage),
        (Column("rank", _("Rank")), lambda place: count_cell(place[0])),
        (Column("forbidden by", _("Forbidden by"), "text"), rule),
        (retriever_column(), lambda place: name_cell(names[place[2]])),
    ]
    title, id = _("Each leak"), named(panel, "more-leaks")
    if places:
        yield table(named(panel, "leaks"), title, columns, places[:OPEN])
    if more := places[OPEN:MOST]:
        summary = counted("1 more leak", "{count} more leaks", len(more))
        yield Details(summary, (table(id, title, columns, more),), f"{id}-folded")
    if len(places) > MOST:
        left = count_text(len(places) - MOST)
        yield Paragraph(_("{count} more leaks at lower ranks are not listed.", count=left), "note")
