"""Where relevant passages were lost, for each retriever that builds on others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragscore.diagnose import FATES, Losses, Move
from ragscore.elements import Cell, Column, Details, Element, Facts, Paragraph, Section, Table
from ragscore.elements.cells import (
    count_cell,
    name_cell,
    number_cell,
    retriever_column,
    share_cell,
    signed_cell,
    text_cell,
)
from ragscore.elements.csv import Value
from ragscore.elements.numbers import NOTHING, count_text
from ragscore.messages import Text, _, counted
from ragscore.report.charts.stacked_bars import Bar, stacked_bars
from ragscore.report.model import Beside, Chart, Listing, chart
from ragscore.report.ranking import lower_is_better
from ragscore.report.report import Report
from ragscore.report.sections import TITLES
from ragscore.report.sections.arrangement import named, retriever_table
from ragscore.results import DatasetResult

MOST_QUERIES = 10
"""Queries shown per retriever, both of those with losses and of those with gains."""
QUERIES_FILE, MOVES_FILE = "stages-queries", "stages-passages"
"""The files that list all queries, and all their relevant passages."""
MOST_MOVES = 4
"""Relevant passages of a query whose ranks are listed."""
QUERY = 100
"""Letters of a query that are shown."""

FATE_TEXTS = {
    "kept": (
        _("Kept"),
        _("In the top {k} of an input, and still in the top {k} here."),
    ),
    "gained": (
        _("Gained"),
        _("In the top {k} here, but not in the top {k} of any input."),
    ),
    "lost": (
        _("Lost here"),
        _(
            "In the top {k} of an input, but not here: the fusion lost it, or the reranker "
            "demoted it."
        ),
    ),
    "cut": (
        _("Below {k} everywhere"),
        _("An input passed it on, but it is not in the top {k} of any input or of this retriever."),
    ),
    "nowhere": (
        _("In no input"),
        _("No input passed it on, so it cannot be found here."),
    ),
}
"""By fate: its name, and what it means."""


def stages(report: Report, panel: DatasetResult) -> Section | None:
    """Where fusions and rerankers lose and gain relevant passages, and what they could reach."""
    if not panel.losses:
        return None  # nothing is built on others, or a note says why
    return Section("stages", TITLES["stages"], tuple(_elements(report, panel)))


def _elements(report: Report, panel: DatasetResult) -> Iterator[Element]:
    found = list(panel.losses.values())
    queries = counted("1 query", "{count} queries", len(found[0].query_ids))
    facts = {"total": count_text(len(found[0].query)), "queries": queries}
    k = found[0].k
    yield Paragraph(
        _(
            "A fusion or a reranker can return only what its inputs pass on. Each of the {total} "
            "relevant passages of {queries} meets one of five fates on the way into the top {k}.",
            k=k,
            **facts,
        )
    )
    meanings = {label.given(k=k): means.given(k=k) for label, means in FATE_TEXTS.values()}
    labels = dict(zip(FATE_TEXTS, meanings, strict=True))
    yield Beside(((_chart(report, panel, found, labels),), (Facts(tuple(meanings.items())),)))
    yield _fates(panel, found, labels)
    yield Beside(((_reach(panel, found),), (_alone(panel, found),)))
    changes = {lost.retriever: _changes(panel, lost) for lost in found}
    for lost in found:
        yield from _queries(report, panel, lost, changes[lost.retriever])
    listed = _(
        "Each query links to the explorer, which shows every passage that moved. The report's CSV "
        "files list everything: {queries} by query, {passages} by relevant passage.",
        queries=f"{QUERIES_FILE}.csv",
        passages=f"{MOVES_FILE}.csv",
    )
    yield Paragraph(listed, "note")
    yield Listing(named(panel, QUERIES_FILE), partial(_all_queries, found, changes))
    yield Listing(named(panel, MOVES_FILE), partial(_all_moves, found))


def _chart(
    report: Report, panel: DatasetResult, found: Sequence[Losses], labels: Mapping[str, Text]
) -> Chart:

    def hint(bar: Bar, fate: str) -> Text:
        facts = {"n": count_text(bar.parts[fate]), "total": count_text(bar.total)}
        return _(
            "{retriever}: {fate}: {n} of {total} relevant {items}",
            retriever=bar.retriever,
            fate=labels[fate],
            **facts,
        )

    return chart(
        stacked_bars,
        [
            Bar(lost.retriever, report.number(lost.retriever), lost.counts(), len(lost.query))
            for lost in found
        ],
        labels,
        id=named(panel, "fates-chart"),
        heading=_("What became of the relevant {items}"),
        note="",
        hint=hint,
        href=lambda bar, fate: None,
    )


def _fates(panel: DatasetResult, found: Sequence[Losses], labels: Mapping[str, Text]) -> Table:
    better = {"kept": "high", "gained": "high"}
    columns = (
        *(Column(fate, labels[fate], better="high" if fate in better else "low") for fate in FATES),
        Column("relevant", _("Relevant")),
        Column(
            "deeper",
            _("Further down in an input"),
            hint=_(
                "Relevant {items} that no input passed on, but one returned further down: reading "
                "more of that input would bring them in"
            ),
        ),
        Column(
            "up",
            _("Moved up"),
            hint=_("Relevant {items} ranked higher than in their best input"),
            better="high",
        ),
        Column(
            "down",
            _("Moved down"),
            hint=_("Relevant {items} ranked lower than in their best input, or gone"),
            better="low",
        ),
    )
    cells = {
        lost.retriever: (
            *map(count_cell, lost.counts().values()),
            count_cell(len(lost.query)),
            count_cell(int(lost.deeper.sum())),
            count_cell(int(lost.up.sum())),
            count_cell(int(lost.down.sum())),
        )
        for lost in found
    }
    table = retriever_table(
        named(panel, "fates"), _("Relevant {items} by fate, and how many moved"), columns, cells
    )
    return replace(
        table,
        notes=(_("Moved up, moved down: compared with the input that ranks the {item} highest."),),
    )


def _reach(panel: DatasetResult, found: Sequence[Losses]) -> Table:
    label = panel.labels[panel.primary]
    better: Literal["low", "high"] = "low" if lower_is_better(panel.primary) else "high"
    columns = (
        Column("inputs", _("Built on"), "text"),
        Column("pool", _("Passages read"), hint=_("How many passages of each input are read")),
        Column(
            "recall",
            _("Their recall"),
            hint=_(
                "The share of the relevant {items} among the passages read; no order of these can "
                "have a higher recall"
            ),
            better="high",
        ),
        Column(panel.primary, label, better=better),
        Column(
            "best",
            _("{label} at best", label=label),
            hint=_("The value with these passages in the best order"),
        ),
    )
    cells = {}
    for lost in found:
        ceiling = panel.ceilings.get(lost.retriever)
        cells[lost.retriever] = (
            text_cell(", ".join(lost.inputs)),
            count_cell(lost.pool),
            share_cell(None if ceiling is None else ceiling.recall),
            number_cell(_mean(panel, lost.retriever)),
            number_cell(None if ceiling is None else ceiling.best),
        )
    title = _("What each could reach with the best order")
    return retriever_table(named(panel, "reach"), title, columns, cells)


def _alone(panel: DatasetResult, found: Sequence[Losses]) -> Table:
    label = panel.labels[panel.primary]
    columns = (
        retriever_column(),
        Column("input", _("Input"), "text"),
        Column(panel.primary, _("{label}, input alone", label=label)),
        Column(
            "added",
            _("Added"),
            hint=_(
                "The retriever's value minus the input's; the other sections say how certain a "
                "difference is"
            ),
        ),
    )
    rows = tuple(
        (
            name_cell(lost.retriever),
            name_cell(source),
            number_cell(_mean(panel, source)),
            signed_cell(_mean(panel, lost.retriever) - _mean(panel, source)),
        )
        for lost in found
        for source in lost.inputs
    )
    return Table(named(panel, "alone"), _("What each input reaches alone"), columns, rows)


def _mean(panel: DatasetResult, retriever: str) -> float:
    return panel.scores[retriever].mean(panel.primary)


def _queries(
    report: Report, panel: DatasetResult, lost: Losses, change: NDArray[np.float64]
) -> Iterator[Details]:
    """The queries that lost most, and those that gained most: relevant passages of the first k,
    then the primary measure against the input that is best on the query."""
    known = np.nan_to_num(change)
    net = lost.by_query[:, FATES.index("lost")] - lost.by_query[:, FATES.index("gained")]
    for kind, sign, title in (
        ("losses", 1, _("{retriever}: queries with the largest losses ({n})")),
        ("gains", -1, _("{retriever}: queries with the largest gains ({n})")),
    ):
        passages, value = sign * net, sign * known
        rows = np.flatnonzero((passages > 0) | ((passages == 0) & (value < 0)))
        rows = rows[np.lexsort((rows, value[rows], -passages[rows]))][:MOST_QUERIES]
        if len(rows):
            summary = title.given(retriever=lost.retriever, n=len(rows))
            id = named(panel, f"{kind}-{report.number(lost.retriever)}")
            yield Details(summary, (_query_table(panel, lost, rows, change, id),))


def _changes(panel: DatasetResult, lost: Losses) -> NDArray[np.float64]:
    """How much better each query is by the primary measure than with the best input: float64[Q],
    NaN if unknown."""

    def of(retriever: str) -> NDArray[np.float64]:
        values = panel.scores[retriever].per_query(panel.primary)
        return np.array([values.get(query, math.nan) for query in lost.query_ids])

    sign = -1 if lower_is_better(panel.primary) else 1
    best: NDArray[np.float64] = np.fmax.reduce([sign * of(source) for source in lost.inputs])
    return sign * of(lost.retriever) - best


def _query_table(
    panel: DatasetResult,
    lost: Losses,
    rows: NDArray[np.intp],
    change: NDArray[np.float64],
    id: str,
) -> Table:
    label = panel.labels[panel.primary]
    shown = ("lost", "gained")
    columns = (
        Column("query", _("Query"), "text"),
        *(Column(fate, FATE_TEXTS[fate][0]) for fate in shown),
        Column(
            "up",
            _("Moved up"),
            hint=_("Relevant {items} ranked higher than in their best input"),
        ),
        Column(
            "down",
            _("Moved down"),
            hint=_("Relevant {items} ranked lower than in their best input, or gone"),
        ),
        Column(
            "change",
            _("{label} against the input", label=label),
            hint=_(
                "The gain over the input that is best on this query; negative if the input is "
                "better"
            ),
        ),
        Column(
            "moves",
            _("Ranks of the relevant {items}"),
            "text",
            hint=_("The best rank in an input, then the rank here"),
        ),
    )
    cells = []
    for row in rows.tolist():
        moved = [move for move in lost.moves(lost.query_ids[row]) if move.moved]
        ways = [move.moved for move in moved]
        cells.append(
            (
                _query_cell(panel, lost.query_ids[row]),
                *(count_cell(int(lost.by_query[row, FATES.index(fate)])) for fate in shown),
                count_cell(ways.count("up")),
                count_cell(ways.count("down")),
                signed_cell(float(change[row])),
                text_cell(_moves(moved), quote=True),
            )
        )
    return Table(id, "", columns, tuple(cells))


def _query_cell(panel: DatasetResult, query: str) -> Cell:
    """The query's text, or its id if the text is unknown; links to the query."""
    text = query
    if panel.data is not None and query in panel.data.queries.ids:
        text = panel.data.queries.texts[panel.data.queries.ids.row(query)]
    short = text if len(text) <= QUERY else text[: QUERY - 1].rstrip() + "…"
    return Cell(query, short, query=query, quote=True, hint=query)


def _moves(moved: Sequence[Move]) -> Text:
    """``p1: 3 → 1, p2: 4 → 12``: the ranks of relevant passages, before and here."""
    listed = [
        f"{move.passage}: {move.before or NOTHING} → {move.after or NOTHING}" for move in moved
    ]
    text = ", ".join(listed[:MOST_MOVES])
    more = len(listed) - MOST_MOVES
    return text if more <= 0 else _("{moves} and {n} more", moves=text, n=more)


def _all_queries(
    found: Sequence[Losses], changes: Mapping[str, NDArray[np.float64]]
) -> dict[str, list[Value]]:
    """Every query of every retriever: how many passages have each fate and how many moved, and
    how much better the query is than with the best input."""
    columns: dict[str, list[Value]] = {
        name: [] for name in ("retriever", "query", *FATES, "up", "down", "change")
    }
    for lost in found:
        queries = len(lost.query_ids)
        columns["retriever"] += [lost.retriever] * queries
        columns["query"] += lost.query_ids
        for fate, counts in zip(FATES, lost.by_query.T, strict=True):
            columns[fate] += counts.tolist()
        for way, moved in (("up", lost.up), ("down", lost.down)):
            columns[way] += np.bincount(lost.query[moved], minlength=queries).tolist()
        columns["change"] += changes[lost.retriever].tolist()
    return columns


def _all_moves(found: Sequence[Losses]) -> dict[str, list[Value]]:
    """Every relevant passage of every query and retriever, with its ranks before and here."""
    columns: dict[str, list[Value]] = {
        name: []
        for name in ("retriever", "query", "passage", "input", "before", "after", "moved", "fate")
    }
    for lost in found:
        for move in lost.moves():
            values = (
                *(lost.retriever, move.query, move.passage, move.input or None),
                *(move.before or None, move.after or None, move.moved or None, move.fate),
            )
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
    return columns
