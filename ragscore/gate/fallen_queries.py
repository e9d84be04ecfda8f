"""The queries that fell most below the baseline: where to look first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragscore.blocks import Block, Column, Details, Table
from ragscore.blocks.cells import number_cell, signed_cell, text_cell
from ragscore.errors import DataError
from ragscore.gate.baseline import Baseline
from ragscore.gate.baseline_strings import BASELINE_STRINGS
from ragscore.gate.model import ORDER, ConditionOutcome, GateFacts
from ragscore.measures import parse_measure
from ragscore.scoring import Scores
from ragscore.strings import Language

SHOWN = 10
"""Queries of each condition."""
CONDITIONS = 5
"""Conditions whose queries are shown, the worst first."""


def fallen_blocks(
    outcome: GateFacts,
    scores: Scores,
    baseline: Baseline,
    texts: Mapping[str, Mapping[str, str]],
    language: Language = "en",
) -> Iterator[Block]:
    """The ten queries that fell most, folded, for each condition on a drop over all queries.

    Args:
        outcome: of the gate.
        scores: of the result, by the measures of the gate.
        baseline: what drops are measured from.
        texts: by dataset: query id to its text; empty to show ids alone.
        language: of what is not a name.
    """
    strings = BASELINE_STRINGS.strings(language)
    drops = [one for one in outcome.conditions if one.kind == "drop" and not one.slice]
    shown = sorted((one for one in drops if one.worse), key=lambda one: ORDER.index(one.verdict))
    for at, condition in enumerate(shown[:CONDITIONS]):
        known = texts.get(condition.dataset, {})
        columns = [Column("query", strings("baseline_column_query"), "text")]
        if known:
            columns.append(Column("text", strings("baseline_column_text"), "text"))
        columns += [
            Column("before", strings("baseline_column_before")),
            Column("now", strings("baseline_column_now")),
            Column("change", strings("baseline_column_change")),
        ]
        rows = tuple(
            (
                text_cell(query, quote=True),
                *([text_cell(known.get(query, ""), quote=True)] if known else []),
                number_cell(before),
                number_cell(now),
                signed_cell(now - before),
            )
            for query, before, now in _fallen(condition, scores, baseline)
        )
        facts = {"retriever": condition.retriever, "measure": condition.label}
        summary = strings("baseline_fallen", count=len(rows), **facts)
        yield Details(summary, (Table(f"fallen-{at}", "", tuple(columns), rows),))


def query_texts(result: Any) -> dict[str, dict[str, str]]:
    """By dataset that is still there: query id to its text."""
    found = {}
    for name in result.datasets:
        try:
            queries = result.dataset(name).queries
        except DataError:
            continue
        found[name] = dict(zip(queries.ids, queries.texts, strict=True))
    return found


def _fallen(
    condition: ConditionOutcome, scores: Scores, baseline: Baseline
) -> list[tuple[str, float, float]]:
    """Query, value before, value now: the largest drop first, equal ones by id."""
    measure = parse_measure(condition.measure)
    before = baseline.values(condition.dataset, condition.retriever, condition.measure) or {}
    entry = scores[condition.dataset, condition.retriever]
    now = entry.per_query(measure)
    sign = 1 if measure.lowest_is_best else -1
    changes = [
        (sign * (now[query] - before[query]), query)
        for query in now.keys() & before.keys()
        if sign * (now[query] - before[query]) > 1e-12
    ]
    changes.sort(key=lambda change: (-change[0], change[1]))
    return [(query, before[query], now[query]) for _, query in changes[:SHOWN]]
