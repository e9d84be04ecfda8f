"""Forbidden passages that came back: each leak with the query, the rank and what forbids it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from ragscore.dataset import Qrels
from ragscore.elements import Cell, Column, Details, Element, Paragraph, Section, Table
from ragscore.elements.cells import count_cell, name_cell, retriever_column, text_cell
from ragscore.elements.numbers import count_text, number_text
from ragscore.judge import Leaked, leaked
from ragscore.messages import _, counted, few_names
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named, retriever_table
from ragscore.results import DatasetResult
from ragscore.stats.intervals import exact_bounds
from ragscore.stats.one_sided import ALPHA

OPEN = 20
"""Leaks that are listed at once; the others are folded."""
MOST = 1000
"""The most leaks that are listed, the highest ranks first."""


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
    panel: DatasetResult,
    found: Mapping[str, Leaked],
    averaged: NDArray[np.int64],
    k: int,
) -> Table:
    columns = (
        Column("queries", _("Queries with a leak in the top {k}", k=k), better="low"),
        Column("passages", _("{Ranked_items} leaked"), better="low"),
        Column("first", _("Highest rank"), better="high"),
        Column(
            "outside",
            _("Leaking queries outside the means"),
            hint=_("Queries that are unanswerable or have no judgment: Leak leaves them out"),
        ),
    )
    cells = {}
    for name, of in found.items():
        inside = np.isin(of.query, averaged)
        first = int(of.rank.min()) if len(of.rank) else None
        cells[name] = (
            count_cell(len(np.unique(of.query[inside]))),
            count_cell(len(of.query)),
            text_cell(_("none")) if first is None else count_cell(first),
            count_cell(len(np.unique(of.query[~inside]))),
        )
    title = _("Leaks by retriever")
    return retriever_table(named(panel, "leaking"), title, columns, cells)


def _listed(
    panel: DatasetResult,
    qrels: Qrels,
    found: Mapping[str, Leaked],
    averaged: NDArray[np.int64],
) -> Iterator[Element]:
    """Every leak, those of the highest ranks first. No text of a passage is shown: it must not be
    seen."""
    forbidden = qrels.forbidden
    assert forbidden is not None
    places = sorted(
        (int(of.rank[at]), int(of.query[at]), number, at)
        for number, of in enumerate(found.values())
        for at in range(len(of.rank))
    )
    names, runs = list(found), list(found.values())
    inside = set(averaged.tolist())
    rows = []
    for rank, query, number, at in places[:MOST]:
        source = int(runs[number].source[at])
        query_id = qrels.queries[query]
        passage = panel.runs[names[number]].passages[int(runs[number].passage[at])]
        if qrels.units is not None and qrels.units.unit.cutoff == "units":
            passage = qrels.named(passage)
        rule = forbidden.name(source) or _("the query's list")
        rows.append(
            (
                Cell(query_id, query_id, query=query_id if query in inside else None, quote=True),
                text_cell(passage, quote=True),
                count_cell(rank),
                text_cell(rule, quote=True),
                name_cell(names[number]),
            )
        )
    columns = (
        Column("query", _("Query"), "text"),
        Column("passage", _("Forbidden {ranked}"), "text"),
        Column("rank", _("Rank")),
        Column("forbidden by", _("Forbidden by"), "text"),
        retriever_column(),
    )
    if not rows:
        return
    title = _("Each leak")
    yield Table(named(panel, "leaks"), title, columns, tuple(rows[:OPEN]))
    if len(rows) > OPEN:
        summary = counted("1 more leak", "{count} more leaks", len(rows) - OPEN)
        id = named(panel, "more-leaks")
        yield Details(summary, (Table(id, title, columns, tuple(rows[OPEN:])),), f"{id}-folded")
    if len(places) > MOST:
        more = count_text(len(places) - MOST)
        yield Paragraph(_("{count} more leaks at lower ranks are not listed.", count=more), "note")
