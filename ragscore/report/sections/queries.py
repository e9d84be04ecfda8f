"""The queries one by one: the explorer on the page, the worst ones everywhere else."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragscore.arrays import divide
from ragscore.dataset import Dataset, Ids
from ragscore.elements import Cell, Column, Details, Element, Paragraph, Section, Table
from ragscore.elements.numbers import NOTHING, count_text, number_text, plain_number
from ragscore.elements.plain import beginning_of
from ragscore.messages import Message, Text, _, joined
from ragscore.report.explorer.rankings import Rankings, rankings
from ragscore.report.model import Explorer, WithoutScript
from ragscore.report.ranking import lower_is_better
from ragscore.report.report import Report
from ragscore.results import DatasetResult

TOP = 3
"""Passages of each retriever that are listed."""
QUERY, PASSAGE = 160, 110
"""Letters of a query and of a passage that are shown; those of double width count twice."""
MOST_MISSING = 5
"""Missing passages of a query that are listed."""

WORST, WORST_ROWS = 20, 120
"""The most queries that replace the explorer, and the most rows of retrievers in all of them."""


def queries(report: Report, panel: DatasetResult) -> Section | None:
    """The explorer of queries; on paper and in other formats the worst queries."""
    if not panel.runs:
        return None
    count = max(5, min(WORST, WORST_ROWS // len(panel.retrievers)))
    worst = WithoutScript(worst_queries(panel, count))
    units = None if panel.qrels is None else panel.qrels.units
    notes: tuple[Element, ...] = ()
    if units is not None:
        if units.unit.cutoff == "units":
            text = _(
                "The judgments name units, so each {unit} is ranked and judged here, at the rank "
                "of its first passage among the units. The texts are those of the returned "
                "passages, each after its id."
            )
        else:
            text = _(
                "The judgments name units, so each {unit} is judged here, at the rank of its "
                "first passage among the passages. Its later passages are listed under their own "
                "ids and do not count. The texts are those of the returned passages, each after "
                "its id."
            )
        notes = (Paragraph(text.given(unit=units.unit.field), "note"),)
    return Section("queries", _("Queries one by one"), (*notes, Explorer(panel.index), worst))


def worst_queries(panel: DatasetResult, count: int = WORST) -> tuple[Element, ...]:
    """The queries with the worst mean of the primary measure over the retrievers.

    Args:
        panel: the dataset.
        count: how many; of equal ones those that come first in the dataset.

    Returns:
        What they are, then the passages of each; nothing if no query has a value.
    """
    made = rankings(panel)
    means, undefined = _means(panel, made.queries)
    key = -means if lower_is_better(panel.primary) else means
    order = np.lexsort((key, -undefined))
    known = ~np.isnan(means) | (undefined > 0)
    rows = [row for row in order.tolist() if known[row]][:count]
    if not rows:
        return ()
    label = panel.labels.get(panel.primary, panel.primary)
    total = count_text(len(made.queries))
    text = _(
        "The {n} of {total} queries with the worst {label}, averaged over the retrievers. Each "
        "lists the {ranked_items} in the top {top} of any retriever, with their ranks.",
        n=len(rows),
        total=total,
        label=label,
        top=TOP,
    )
    texts = [text]
    if undefined.any():
        texts.append(
            _(
                "For a retriever that found nothing relevant, {label} is not defined; "
                "such queries come first.",
                label=label,
            )
        )
    if made.searched:
        texts.append(_("A cell is empty if the retriever does not search that chunk."))
    elements: list[Element] = [Paragraph(joined(texts), "note")]
    for number, row in enumerate(rows, start=1):
        summary = _summary(panel, made, row, float(means[row]))
        elements.append(Details(summary, _query(panel, made, row, number)))
    return tuple(elements)


def _means(panel: DatasetResult, queries: Ids) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Mean of the primary measure over the retrievers with a value: float64[Q]; and for how many
    it is undefined, which is worst: int64[Q]. A rank is undefined if nothing was found."""
    sums, counts = np.zeros(len(queries)), np.zeros(len(queries))
    undefined = np.zeros(len(queries), dtype=np.int64)
    lower = lower_is_better(panel.primary)
    for entry in panel.scores.entries:
        values = entry.per_query(panel.primary)
        known = np.array([values.get(query_id, math.nan) for query_id in queries])
        sums += np.nan_to_num(known)
        counts += ~np.isnan(known)
        if lower:
            averaged = np.array([query_id in values for query_id in queries], dtype=bool)
            undefined += averaged & np.isnan(known)
    return divide(sums, counts, np.nan), undefined


def _summary(panel: DatasetResult, made: Rankings, row: int, mean: float) -> str:
    query_id = made.queries[row]
    label = panel.labels.get(panel.primary, panel.primary)
    text = ""
    if panel.data is not None and query_id in panel.data.queries.ids:
        text = beginning_of(panel.data.queries.texts[panel.data.queries.ids.row(query_id)], QUERY)
    value = number_text(mean)
    return f"{query_id}: {text} ({label} {value})" if text else f"{query_id} ({label} {value})"


def _query(panel: DatasetResult, made: Rankings, row: int, number: int) -> tuple[Element, ...]:
    """One row for each passage among the first of some retriever, and what is missing."""
    here = slice(int(made.indptr[row]), int(made.indptr[row + 1]))
    judged = made.passages[here].tolist()
    grades = dict(zip(judged, made.grades[here].tolist(), strict=True))
    relevant = dict(zip(judged, made.relevant[here].tolist(), strict=True))
    needs = {passage: made.needs_of(here.start + at) for at, passage in enumerate(judged)}
    returned = {
        name: {passage: place for place, passage in enumerate(run.rows[row].tolist(), start=1)}
        for name, run in made.runs.items()
    }
    top = {
        passage
        for ranks in returned.values()
        for passage, rank in ranks.items()
        if passage >= 0 and rank <= TOP
    }

    def ranks_of(passage: int) -> list[int]:
        return [ranks.get(passage, 0) for ranks in returned.values()]

    def best_first(passage: int) -> tuple[int, int, int]:
        ranks = [rank for rank in ranks_of(passage) if rank]
        return min(ranks), -len(ranks), sum(ranks)

    rows = tuple(
        (
            *(
                _rank_cell(made, name, passage, rank)
                for name, rank in zip(returned, ranks_of(passage), strict=True)
            ),
            _grade_cell(grades.get(passage), relevant.get(passage, False), needs.get(passage, [])),
            _quoted(made.vocabulary[passage]),
            _quoted(_text(panel.data, passage, made)),
        )
        for passage in sorted(sorted(top), key=best_first)
    )
    units = None if panel.qrels is None else panel.qrels.units
    unit = "" if units is None else units.unit.field
    columns = (
        *(Column(f"rank {name}", name, better="low") for name in returned),
        Column("grade", _("Judgment"), kind="text"),
        Column("passage", unit or _("Passage"), kind="text"),
        Column("text", _("Text"), kind="text"),
    )
    table = Table(f"worst-{panel.index}-{number}", "", columns, rows)
    return (table, *_missing(panel, made, row, top))


def _rank_cell(made: Rankings, retriever: str, passage: int, rank: int) -> Cell:
    """The rank of a passage; empty if the retriever searches other chunks."""
    text = str(rank or NOTHING) if made.searches(retriever, passage) else ""
    return Cell(rank or None, text, retriever=retriever)


def _quoted(text: str) -> Cell:
    return Cell(text, text, quote=True)


def _grade_cell(grade: float | None, relevant: bool, needs: Sequence[int]) -> Cell:
    if grade is None:
        return Cell(None, _("unjudged"))
    text = _("relevant ({grade})") if relevant else _("not relevant ({grade})")
    text = text.given(grade=plain_number(grade))
    if needs:
        text = joined([text, _needs(needs)], ", ")
    return Cell(grade, text, level="good" if relevant else "plain")


def _needs(needs: Sequence[int]) -> Message:
    """Which needs a passage covers, numbered from 1."""
    numbers = ", ".join(str(need + 1) for need in needs)
    return (_("need {needs}") if len(needs) == 1 else _("needs {needs}")).given(needs=numbers)


def _missing(
    panel: DatasetResult, made: Rankings, row: int, shown: set[int]
) -> tuple[Element, ...]:
    """In one line, the relevant passages outside the table that some retriever missed within k,
    along with every other passage for the same needs."""
    found = []
    first = int(made.indptr[row])
    for at in (np.flatnonzero(made.relevant[first : made.indptr[row + 1]]) + first).tolist():
        passage = int(made.passages[at])
        ranks = {
            name: int(rank[at]) for name, rank in made.ranks.items() if made.searches(name, passage)
        }
        if passage in shown or not any(made.lacks(name, at, row, panel.k) for name in ranks):
            continue
        where: Text = ", ".join(f"{name} {rank or NOTHING}" for name, rank in ranks.items())
        if not any(ranks.values()):
            where = _("no retriever returned it")
        if needs := made.needs_of(at):
            where = joined([_needs(needs), where], "; ")
        found.append(joined([made.vocabulary[passage], joined(["(", where, ")"], "")]))
    if not found:
        return ()
    line = joined(found[:MOST_MISSING], "; ")
    if len(found) > MOST_MISSING:
        line = _("{passages}; and {n} more", passages=line, n=len(found) - MOST_MISSING)
    return (
        Paragraph(
            _(
                "Also relevant, but not in the top {k} of every retriever: {passages}",
                k=panel.k,
                passages=line,
            ),
            "note",
        ),
    )


def _text(dataset: Dataset | None, passage: int, made: Rankings) -> str:
    """The title and the beginning of a passage, or of a unit's first returned passage with its
    id; empty if unknown."""
    if dataset is None:
        return ""
    corpus = dataset.corpus
    if corpus is None:
        return beginning_of(dataset.returned.get(made.vocabulary[passage], ""), PASSAGE)
    row = next(iter(made.texts_of(passage)), len(corpus))
    if row >= len(corpus):
        return ""
    if made.returned is not None:
        return beginning_of(f"[{corpus.ids[row]}] {corpus.texts[row][: 4 * PASSAGE]}", PASSAGE)
    title = corpus.titles[passage] if corpus.titles is not None else ""
    text = corpus.texts[passage]
    return beginning_of(f"{title}: {text[: 4 * PASSAGE]}" if title else text, PASSAGE)
