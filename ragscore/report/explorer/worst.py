"""worst_queries(data, panel): the queries that do worst, for readers without a script."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ragscore.comparison.cells import NOTHING
from ragscore.dataset import Ids
from ragscore.report.explorer.rankings import Rankings, rankings
from ragscore.report.model import Block, Cell, Column, Details, Facts, Paragraph, Table

if TYPE_CHECKING:
    from ragscore.dataset import Dataset
    from ragscore.report.data import Panel, ReportData
    from ragscore.report.words import Words

TOP = 3
"""Passages of each retriever that are told."""
BEGINNING = 160
"""Characters of a passage that are told."""
MOST_MISSING = 5
"""Missing passages of a query that are told."""


def worst_queries(data: ReportData, panel: Panel, count: int = 20) -> tuple[Block, ...]:
    """The queries with the lowest mean of the primary measure over the retrievers.

    Args:
        data: the report.
        panel: of it.
        count: how many; of equal ones those that come first in the dataset.
    """
    made = rankings(panel)
    means = _means(panel, made.queries)
    order = np.argsort(means, kind="stable")
    rows = [row for row in order[:count].tolist() if not math.isnan(means[row])]
    blocks: list[Block] = [
        Details(
            summary=_summary(panel, made, row, float(means[row])),
            blocks=_query(data, panel, made, row, number),
        )
        for number, row in enumerate(rows, start=1)
    ]
    return tuple(blocks)


def _means(panel: Panel, queries: Ids) -> NDArray[np.float64]:
    """Mean of the primary measure over the retrievers that have a value: float64[Q]."""
    sums, counts = np.zeros(len(queries)), np.zeros(len(queries))
    for entry in panel.scores.entries:
        values = entry.per_query(panel.primary)
        known = np.array([values.get(query_id, math.nan) for query_id in queries])
        sums += np.nan_to_num(known)
        counts += ~np.isnan(known)
    means = np.full(len(queries), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def _summary(panel: Panel, made: Rankings, row: int, mean: float) -> str:
    query_id = made.queries[row]
    label = panel.labels.get(panel.primary, panel.primary)
    text = ""
    if panel.data is not None and query_id in panel.data.queries.ids:
        text = _beginning(panel.data.queries.texts[panel.data.queries.ids.row(query_id)])
    return (
        f"{query_id}: {text} ({label} {mean:.3f})" if text else f"{query_id} ({label} {mean:.3f})"
    )


def _query(
    data: ReportData, panel: Panel, made: Rankings, row: int, number: int
) -> tuple[Block, ...]:
    words = data.words
    here = slice(int(made.indptr[row]), int(made.indptr[row + 1]))
    grades = dict(zip(made.passages[here].tolist(), made.grades[here].tolist(), strict=True))
    relevant = dict(zip(made.passages[here].tolist(), made.relevant[here].tolist(), strict=True))
    cells = []
    for name, run in made.runs.items():
        for place, passage in enumerate(run.rows[row, :TOP].tolist()):
            if passage < 0:
                break
            grade = grades.get(passage)
            cells.append(
                (
                    Cell(name, name, retriever=name),
                    Cell(place + 1, str(place + 1)),
                    Cell(made.vocabulary[passage], made.vocabulary[passage], quote=True),
                    _grade_cell(words, grade, relevant.get(passage, False)),
                    Cell(_text(panel.data, passage), _text(panel.data, passage), quote=True),
                )
            )
    table = Table(
        id=f"worst-{panel.index}-{number}",
        title=words("explorer_top", n=TOP),
        columns=(
            Column("retriever", words("explorer_retriever"), kind="text"),
            Column("rank", words("explorer_rank")),
            Column("passage", words("explorer_passage"), kind="text"),
            Column("grade", words("explorer_grade"), kind="text"),
            Column("text", words("explorer_text"), kind="text"),
        ),
        rows=tuple(cells),
    )
    if panel.data is None:
        return (table,)
    missing = _missing(data, panel, made, here)
    return (table, *missing)


def _grade_cell(words: Words, grade: float | None, relevant: bool) -> Cell:
    if grade is None:
        return Cell(None, words("explorer_unjudged"))
    key = "explorer_relevant" if relevant else "explorer_judged"
    return Cell(grade, words(key, grade=f"{grade:g}"), level="good" if relevant else "plain")


def _missing(data: ReportData, panel: Panel, made: Rankings, here: slice) -> tuple[Block, ...]:
    """The relevant passages that some retriever did not return within k."""
    words = data.words
    facts = []
    for at in np.flatnonzero(made.relevant[here]) + here.start:
        ranks = {name: int(rank[at]) for name, rank in made.ranks.items()}
        if all(0 < rank <= panel.k for rank in ranks.values()):
            continue
        passage = int(made.passages[at])
        where = ", ".join(f"{name} {rank or NOTHING}" for name, rank in ranks.items())
        if not any(ranks.values()):
            where = words("explorer_nowhere")
        facts.append((made.vocabulary[passage], f"{where}. {_text(panel.data, passage)}".strip()))
    if not facts:
        return ()
    left = len(facts) - MOST_MISSING
    shown = facts[:MOST_MISSING]
    title = Paragraph(words("explorer_missing", k=panel.k), kind="note")
    more = (Paragraph(words("explorer_more_missing", n=left), kind="note"),) if left > 0 else ()
    return (title, Facts(tuple(shown)), *more)


def _text(dataset: Dataset | None, passage: int) -> str:
    """The title and the beginning of a passage, empty where it is not known."""
    corpus = dataset.corpus if dataset is not None else None
    if corpus is None or passage >= len(corpus):
        return ""
    title = corpus.titles[passage] if corpus.titles is not None else ""
    text = corpus.texts[passage]
    return _beginning(f"{title}: {text[: 2 * BEGINNING]}" if title else text)


def _beginning(text: str) -> str:
    line = " ".join(text[: 4 * BEGINNING].split())
    return line if len(line) <= BEGINNING else f"{line[:BEGINNING].rstrip()} …"
