"""Where relevant passages were lost, for each retriever that builds on others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ragscore.diagnose import Losses, Move
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
from ragscore.elements.numbers import NOTHING
from ragscore.elements.table_files import Value
from ragscore.elements.tables import table
from ragscore.messages import Message, Text, _, counted
from ragscore.report.charts.stacked_bars import Bar, stacked_bars
from ragscore.report.model import Beside, Listing, chart
from ragscore.report.ranking import lower_is_better
from ragscore.report.report import Report
from ragscore.report.sections import TITLES
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult

MOST_QUERIES = 10
"""Queries shown per retriever, both of those with losses and of those with gains."""
QUERIES_FILE, MOVES_FILE = "stages-queries", "stages-passages"
"""The files that list all queries, and all their relevant passages."""
MOST_MOVES = 4
"""Relevant passages of a query whose ranks are listed."""
QUERY = 100
"""Letters of a query that are shown."""
Labels = Mapping[str, Message]
"""By outcome, its name."""

UP, DOWN = Column("up", _("Moved up")), Column("down", _("Moved down"))


def stages(report: Report, panel: DatasetResult) -> Section | None:
    """Where fusions and rerankers lose and gain relevant passages, and what they could reach."""
    if not panel.losses:
        return None  # nothing is built on others, or a note says why
    found = list(panel.losses.values())
    return Section("stages", TITLES["stages"], tuple(_elements(report, panel, found)))


def _outcome_texts(k: int) -> dict[str, tuple[Message, Message]]:
    """By outcome, its name, and what it means."""
    return {
        "kept": (
            _("Kept"),
            _("In the top {k} of an input, and still in the top {k} here.", k=k),
        ),
        "gained": (
            _("Gained"),
            _("In the top {k} here, but not in the top {k} of any input.", k=k),
        ),
        "lost": (
            _("Lost here"),
            _(
                "In the top {k} of an input, but not here: the fusion lost it, or the reranker "
                "demoted it.",
                k=k,
            ),
        ),
        "below_k": (
            _("Below {k} everywhere", k=k),
            _(
                "An input passed it on, but it is not in the top {k} of any input or of this "
                "retriever.",
                k=k,
            ),
        ),
        "not_in_input": (
            _("In no input"),
            _("No input passed it on, so it cannot be found here."),
        ),
    }


def _elements(report: Report, panel: DatasetResult, found: Sequence[Losses]) -> Iterator[Element]:
    k = found[0].k
    yield Paragraph(
        _(
            "A fusion or a reranker can return only what its inputs pass on. Each relevant {item} "
            "of {queries} has one of five outcomes on the way into the top {k}.",
            queries=counted("1 query", "{count} queries", len(found[0].query_ids)),
            k=k,
        )
    )
    texts = _outcome_texts(k)
    labels = {outcome: label for outcome, (label, _means) in texts.items()}
    bars = chart(
        stacked_bars,
        [
            Bar(lost.retriever, report.number(lost.retriever), lost.counts(), len(lost.query))
            for lost in found
        ],
        labels,
        id=named(panel, "outcomes-chart"),
        heading=_("What became of the relevant {items}"),
        counted=_("relevant {items}"),
    )
    yield Beside(((bars,), (Facts(tuple(texts.values())),)))
    yield _outcomes(panel, found, labels)
    yield Beside(((_reach(panel, found),), (_alone(panel, found),)))
    for lost in found:
        yield from _queries(report, panel, lost, labels)
    listed = _(
        "Each query links to the explorer, which shows every passage that moved. The report's CSV "
        "files list everything: {queries} by query, {passages} by relevant passage.",
        queries=f"{QUERIES_FILE}.csv",
        passages=f"{MOVES_FILE}.csv",
    )
    yield Paragraph(listed, "note")
    yield Listing(named(panel, QUERIES_FILE), partial(_all_queries, panel, found))
    yield Listing(named(panel, MOVES_FILE), partial(_all_moves, found))


def _retriever(lost: Losses) -> Cell:
    return name_cell(lost.retriever)


def _outcomes(panel: DatasetResult, found: Sequence[Losses], labels: Labels) -> Table:
    def count(counted: str) -> Callable[[Losses], Cell]:
        return lambda lost: count_cell(int(lost.by_query[counted].sum()))

    deeper = Column(
        "deeper",
        _("Further down in an input"),
        hint=_(
            "Relevant {items} that no input passed on, but one returned further down: reading "
            "more of that input would bring them in"
        ),
    )
    return table(
        named(panel, "outcomes"),
        _("Relevant {items} by outcome, and how many moved"),
        (
            (retriever_column(), _retriever),
            *(
                (
                    Column(
                        outcome, label, better="high" if outcome in ("kept", "gained") else "low"
                    ),
                    count(outcome),
                )
                for outcome, label in labels.items()
            ),
            (Column("relevant", _("Relevant")), lambda lost: count_cell(len(lost.query))),
            (deeper, lambda lost: count_cell(int(lost.deeper.sum()))),
            (replace(UP, better="high"), count("up")),
            (replace(DOWN, better="low"), count("down")),
        ),
        found,
        [
            _(
                "Moved up, moved down: compared with the input that ranks the {item} highest; one "
                "that did not come back counts as moved down."
            )
        ],
    )


def _reach(panel: DatasetResult, found: Sequence[Losses]) -> Table:
    label, ceilings = panel.labels[panel.primary], panel.ceilings
    recall = Column(
        "recall",
        _("Their recall"),
        hint=_(
            "The share of the relevant {items} among the passages read; no order of these can "
            "have a higher recall"
        ),
        better="high",
    )
    best = Column(
        "best",
        _("{label} at best", label=label),
        hint=_("The value with these passages in the best order"),
    )
    primary = Column(
        panel.primary, label, better="low" if lower_is_better(panel.primary) else "high"
    )
    inputs = Column("inputs", _("Built on"), "text")
    pool = Column("pool", _("Passages read"), hint=_("How many passages of each input are read"))

    def reached(what: str) -> Callable[[Losses], float | None]:
        return lambda lost: getattr(ceilings.get(lost.retriever), what, None)

    share, value = reached("recall"), reached("best")
    return table(
        named(panel, "reach"),
        _("What each could reach with the best order"),
        (
            (retriever_column(), _retriever),
            (inputs, lambda lost: text_cell(", ".join(lost.inputs))),
            (pool, lambda lost: count_cell(lost.pool)),
            (recall, lambda lost: share_cell(share(lost))),
            (primary, lambda lost: number_cell(_mean(panel, lost.retriever))),
            (best, lambda lost: number_cell(value(lost))),
        ),
        found,
    )


def _alone(panel: DatasetResult, found: Sequence[Losses]) -> Table:
    added = Column(
        "added",
        _("Added"),
        hint=_(
            "The retriever's value minus the input's; the other sections say how certain a "
            "difference is"
        ),
    )
    alone = Column(panel.primary, _("{label}, input alone", label=panel.labels[panel.primary]))

    def difference(pair: tuple[str, str]) -> float:
        return _mean(panel, pair[0]) - _mean(panel, pair[1])

    return table(
        named(panel, "alone"),
        _("What each input reaches alone"),
        (
            (retriever_column(), lambda pair: name_cell(pair[0])),
            (Column("input", _("Input"), "text"), lambda pair: name_cell(pair[1])),
            (alone, lambda pair: number_cell(_mean(panel, pair[1]))),
            (added, lambda pair: signed_cell(difference(pair))),
        ),
        [(lost.retriever, source) for lost in found for source in lost.inputs],
    )


def _mean(panel: DatasetResult, retriever: str) -> float:
    return panel.scores[retriever].mean(panel.primary)


def _changes(panel: DatasetResult, lost: Losses) -> NDArray[np.float64]:
    """How much better each query is by the primary measure than with the best input: float64[Q],
    NaN if unknown."""

    def of(retriever: str) -> NDArray[np.float64]:
        values = panel.scores[retriever].per_query(panel.primary)
        return np.array([values.get(query, math.nan) for query in lost.query_ids])

    sign = -1 if lower_is_better(panel.primary) else 1
    best: NDArray[np.float64] = np.fmax.reduce([sign * of(source) for source in lost.inputs])
    return sign * of(lost.retriever) - best


def _queries(
    report: Report, panel: DatasetResult, lost: Losses, labels: Labels
) -> Iterator[Details]:
    """The queries that lost most, and those that gained most: relevant passages of the first k,
    then the primary measure against the input that is best on the query."""
    change = _changes(panel, lost)

    def query_cell(row: int) -> Cell:
        """The query's text, or its id if the text is unknown; links to the query."""
        query = text = lost.query_ids[row]
        if panel.data is not None and query in panel.data.queries.ids:
            text = panel.data.queries.texts[panel.data.queries.ids.row(query)]
        short = text if len(text) <= QUERY else text[: QUERY - 1].rstrip() + "…"
        return Cell(query, short, query=query, quote=True, hint=query)

    def count(counted: str) -> Callable[[int], Cell]:
        return lambda row: count_cell(int(lost.by_query[counted][row]))

    against = Column(
        "change",
        _("{label} against the input", label=panel.labels[panel.primary]),
        hint=_(
            "The gain over the input that is best on this query; negative if the input is better"
        ),
    )
    ranks = Column(
        "moves",
        _("Ranks of the relevant {items}"),
        "text",
        hint=_("The best rank in an input, then the rank here"),
    )
    columns = (
        (Column("query", _("Query"), "text"), query_cell),
        (Column("lost", labels["lost"]), count("lost")),
        (Column("gained", labels["gained"]), count("gained")),
        (UP, count("up")),
        (DOWN, count("down")),
        (against, lambda row: signed_cell(float(change[row]))),
        (ranks, lambda row: text_cell(_ranks(lost.moves(lost.query_ids[row])), quote=True)),
    )
    net, known = lost.by_query["lost"] - lost.by_query["gained"], np.nan_to_num(change)
    for kind, sign, title in (
        ("losses", 1, _("{retriever}: queries with the largest losses ({n})")),
        ("gains", -1, _("{retriever}: queries with the largest gains ({n})")),
    ):
        passages, value = sign * net, sign * known
        rows = np.flatnonzero((passages > 0) | ((passages == 0) & (value < 0)))
        rows = rows[np.lexsort((rows, value[rows], -passages[rows]))][:MOST_QUERIES]
        if len(rows):
            id = named(panel, f"{kind}-{report.number(lost.retriever)}")
            summary = title.given(retriever=lost.retriever, n=len(rows))
            yield Details(summary, (table(id, "", columns, rows.tolist()),))


def _ranks(moves: Sequence[Move]) -> Text:
    """``p1: 3 → 1, p2: 4 → 12``: the ranks of the passages that moved, before and here."""
    listed = [
        f"{move.passage}: {move.before or NOTHING} → {move.after or NOTHING}"
        for move in moves
        if move.moved
    ]
    text = ", ".join(listed[:MOST_MOVES])
    more = len(listed) - MOST_MOVES
    return text if more <= 0 else _("{moves} and {n} more", moves=text, n=more)


def _all_queries(panel: DatasetResult, found: Sequence[Losses]) -> dict[str, list[Value]]:
    """Every query of every retriever: how many passages have each outcome and how many moved, and
    how much better the query is than with the best input."""
    columns: dict[str, list[Value]] = {}
    for lost in found:
        values: dict[str, Sequence[Value]] = {
            "retriever": [lost.retriever] * len(lost.query_ids),
            "query": lost.query_ids,
            **{name: counts.tolist() for name, counts in lost.by_query.items()},
            "change": _changes(panel, lost).tolist(),
        }
        for name, column in values.items():
            columns.setdefault(name, []).extend(column)
    return columns


def _all_moves(found: Sequence[Losses]) -> dict[str, list[Value]]:
    """Every relevant passage of every query and retriever, with its ranks before and here."""
    moves = [(lost.retriever, move) for lost in found for move in lost.moves()]
    columns: dict[str, list[Value]] = {"retriever": [retriever for retriever, _move in moves]}
    for name in ("query", "passage", "input", "before", "after", "moved", "outcome"):
        columns[name] = [getattr(move, name) or None for _retriever, move in moves]
    return columns
