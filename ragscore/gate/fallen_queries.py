"""The queries that fell most below the baseline: where to look first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ragscore.dataset import Ids
from ragscore.elements import Cell, Column, Details, Element, Table
from ragscore.elements.cells import nothing, number_cell, signed_cell, text_cell
from ragscore.errors import RagscoreError
from ragscore.gate.baseline import Baseline, BaselineRetriever
from ragscore.gate.model import ORDER, ConditionOutcome, GateFacts
from ragscore.gate.paired_values import paired_values
from ragscore.measures import parse_measure
from ragscore.messages import _, _c, few_names
from ragscore.names import shortened
from ragscore.scoring import Scores
from ragscore.stats.units import largest_moves

CONDITIONS = 5
"""Conditions whose queries are shown, the worst first."""
MAX_FALLEN = 10
"""Queries shown of each."""
LONGEST_TEXT = 300
"""Characters of a query that are shown."""


def fallen_elements(
    outcome: GateFacts, result: Any, baseline: Baseline, *, texts: bool = True
) -> Iterator[Element]:
    """The ten queries that fell most, folded, for each condition on a drop over all queries; with
    the relevant passages that each lost where the baseline knows passages.

    Args:
        outcome: of the gate.
        result: what was judged.
        baseline: what drops are measured from.
        texts: whether texts of queries and ids of passages are shown.
    """
    scores = result.scored(outcome.options.measures)
    drops = [each for each in outcome.conditions if each.kind == "drop" and not each.slice]
    shown = sorted(
        (drop for drop in drops if drop.worse), key=lambda drop: ORDER.index(drop.verdict)
    )
    for at, condition in enumerate(shown[:CONDITIONS]):
        rows = _fallen(condition, scores, baseline)
        queries = [query for query, _, _ in rows]
        known = _texts(result, condition.dataset, queries) if texts else {}
        entry = baseline.get(condition.dataset, condition.retriever)
        lost = _lost(result, entry, queries) if texts and entry is not None else {}
        columns = [Column("query", _("Query"), "text")]
        if known:
            columns.append(Column("text", _("Text"), "text"))
        columns += [
            Column("before", _c("gate", "Baseline")),
            Column("now", _("Now")),
            Column("change", _("Change")),
        ]
        if lost:
            hint = _("Passages that the baseline lists: their rank then and now")
            columns.append(Column("lost", _("Relevant passages lost"), "text", hint=hint))
        cells = tuple(
            (
                text_cell(query, quote=True),
                *([text_cell(known.get(query, ""), quote=True)] if known else []),
                number_cell(before),
                number_cell(now),
                signed_cell(now - before),
                *([lost.get(query, nothing())] if lost else []),
            )
            for query, before, now in rows
        )
        facts = {"retriever": condition.retriever, "measure": condition.label}
        summary = _(
            "The queries that fell most: {retriever}, {measure} ({count})", count=len(rows), **facts
        )
        yield Details(summary, (Table(f"fallen-{at}", "", tuple(columns), cells),))


def _fallen(
    condition: ConditionOutcome, scores: Scores, baseline: Baseline
) -> list[tuple[str, float, float]]:
    """Query, value before, value now: the largest drop first."""
    measure = parse_measure(condition.measure)
    before = baseline.values(condition.dataset, condition.retriever, condition.measure) or {}
    entry = scores[condition.dataset, condition.retriever]
    paired = paired_values(entry, entry.resolved.get(measure, measure), before)
    rows = largest_moves(paired.by, -1, MAX_FALLEN).tolist()
    return [
        (paired.query_ids[row], float(paired.before[row]), float(paired.now[row])) for row in rows
    ]


def _texts(result: Any, dataset: str, queries: Sequence[str]) -> Mapping[str, str]:
    """Query id to its text; empty if the dataset is gone."""
    with suppress(RagscoreError):
        known = result.dataset(dataset).queries
        return {
            query: shortened(known.texts[known.ids.row(query)], LONGEST_TEXT) for query in queries
        }
    return {}


def _lost(result: Any, entry: BaselineRetriever, queries: Sequence[str]) -> dict[str, Cell]:
    """Query id to the relevant passages of the baseline's first ranks that no longer stand there,
    each with its rank then and now; empty if the baseline knows no passages."""
    if not entry.passages:
        return {}
    try:
        qrels = result.qrels(entry.dataset)
        relevant = qrels.to_dict()
    except RagscoreError:
        return {}
    first = max(map(len, entry.passages))
    before = dict(zip(entry.query_ids, entry.passages, strict=True))
    now = result.run(entry.dataset, entry.retriever).for_queries(Ids(queries)).to_dict()
    found = {}
    for query in queries:
        ranks = {passage: rank for rank, passage in enumerate(now.get(query, ()), 1)}
        gone = [
            f"{shortened(passage)} ({rank} → {ranks.get(passage, '-')})"
            for rank, passage in enumerate(before[query], 1)
            if relevant.get(query, {}).get(qrels.named(passage), 0) > 0
            and ranks.get(passage, first + 1) > first
        ]
        found[query] = text_cell(few_names(gone)) if gone else nothing()
    return found
