"""Scores as elements: the means of retrievers, the values of queries, and notes for the user."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ragscore.elements import Cell, Column, Table
from ragscore.elements.cells import name_cell, nothing, number_cell, retriever_column, text_cell
from ragscore.elements.numbers import count_text, interval_text, number_text, share_text
from ragscore.measures import Measure, parse_measure
from ragscore.messages import Message, Text, _, counted, joined
from ragscore.plugins import summary_of
from ragscore.scoring.many_queries import many_queries_note
from ragscore.scoring.retriever_scores import RetrieverScores, ScoreRow

GOT_NOTHING = _("{count} of {n} judged queries got nothing; they score 0")
WITHOUT_RELEVANT = _("{count} of {n} judged queries have no relevant passage; they score 0")


def duplicates_note(count: int) -> Message:
    """What is done with passages that were returned twice."""
    return counted(
        "1 passage was returned twice for a query; the first is kept, whatever its score "
        "(--strict refuses it)",
        "{count} passages were returned twice for a query; the first is kept, whatever its score "
        "(--strict refuses them)",
        count,
    )


def scored_tables(entries: Sequence[RetrieverScores], *, per_query: bool) -> list[Table]:
    """What ``ragscore score`` prints: the values of each query, where they are asked for, then the
    means."""
    tables = [query_table(entry) for entry in (entries if per_query else ())]
    queries = sorted({entry.counts.queries for entry in entries})
    fewest, most = count_text(queries[0]), count_text(queries[-1])
    if fewest == most:
        title = counted(
            "{dataset}: 1 query averaged",
            "{dataset}: {count} queries averaged",
            queries[0],
            dataset=entries[0].dataset,
        )
    else:
        title = _(
            "{dataset}: {fewest} to {most} queries averaged",
            dataset=entries[0].dataset,
            fewest=fewest,
            most=most,
        )
    rows = [row for entry in entries for row in entry.rows()]
    run = Column("run", _("run"), "text")
    return [*tables, means_table(rows, title=title, first=run)]


def means_table(
    rows: Iterable[ScoreRow],
    *,
    title: Text = "",
    id: str = "means",
    first: Column | None = None,
    columns: Sequence[Column] | None = None,
    notes: Iterable[Text] = (),
    caveat: Text = "",
) -> Table:
    """One row a retriever.

    Args:
        rows: of one dataset, or of the average over several.
        title, id, notes, caveat: of the table.
        first: the column of names; by default that of retrievers.
        columns: one for each measure, by its name; by default one for each measure in the rows.
    """
    means: dict[str, dict[str, ScoreRow]] = {}
    labels: dict[str, str] = {}
    for row in rows:
        means.setdefault(row.retriever, {})[row.measure] = row
        labels[row.measure] = row.label
    if columns is None:
        columns = [measure_column(parse_measure(name), label) for name, label in labels.items()]
    measures = {column.name: parse_measure(column.name) for column in columns}
    cells = tuple(
        (
            name_cell(retriever),
            *(
                _mean_cell(measure, of_measure[name])
                if name in of_measure
                else nothing(retriever=retriever)
                for name, measure in measures.items()
            ),
        )
        for retriever, of_measure in means.items()
    )
    heads = (first or retriever_column(), *columns)
    return Table(id, title, heads, cells, tuple(notes), caveat)


def query_table(entry: RetrieverScores) -> Table:
    """One row a query, of one retriever."""
    columns = (
        Column("query", _("query"), "text"),
        *(measure_column(measure, str(measure)) for measure in entry.measures),
    )
    rows = tuple(
        (text_cell(query), *map(value_cell, entry.measures, values))
        for query, values in zip(entry.query_ids, entry.values.T.tolist(), strict=True)
    )
    return Table(f"queries-{entry.retriever}", entry.retriever, columns, rows)


def measure_column(measure: Measure, label: Text, *, interval: bool = True) -> Column:
    """Values of a measure.

    Args:
        measure: which.
        label: what people read above them.
        interval: whether cells have intervals.
    """
    return Column(
        str(measure),
        label,
        hint=summary_of(measure),
        interval=interval,
        better="low" if measure.lowest_is_best else "high",
    )


def value_cell(measure: Measure, value: float) -> Cell:
    """A value as people read it: three decimals; a count is whole."""
    return number_cell(value, 0 if _whole(measure, value) else 3)


def _mean_cell(measure: Measure, row: ScoreRow) -> Cell:
    if row.low is None or row.high is None or math.isnan(row.value):
        return replace(value_cell(measure, row.value), retriever=row.retriever)
    outer = " outer" if row.bounds == "outer" else ""
    return Cell(
        row.value,
        number_text(row.value, 0 if _whole(measure, row.value) else 3),
        low=row.low,
        high=row.high,
        interval=interval_text(row.low, row.high) + outer,
        retriever=row.retriever,
    )


def _whole(measure: Measure, value: float) -> bool:
    return measure.aggregate == "sum" and value.is_integer()


def score_notes(entry: RetrieverScores) -> Iterator[Text]:
    """One sentence for each thing that is out of the ordinary.

    Args:
        entry: the scores of one run.
    """
    counts, n = entry.counts, count_text(entry.counts.queries)

    gaps = entry.gaps
    if gaps.missing:
        yield _(
            "parts of the run that are missing, by the numbers in the file names: {count} "
            "({names})",
            count=count_text(gaps.missing),
            names=_part_names(gaps.missing_names, gaps.missing),
        )
    if gaps.empty:
        yield _(
            "empty parts of the run: {count} ({names})",
            count=count_text(gaps.empty),
            names=_part_names(gaps.empty_names, gaps.empty),
        )
    if not counts.queries:
        yield _("no query was averaged")
    if counts.queries and counts.missing == counts.queries and not counts.without_judgments:
        yield _("the run is empty; all queries score 0")
    elif counts.missing and counts.missing < counts.queries:
        yield _(
            "{count} of {n} judged queries are not in the run; they score 0 (--missing drop "
            "leaves them out)",
            count=count_text(counts.missing),
            n=n,
        )
    if entry.dropped:
        yield counted(
            "1 judged query is not in the run and is left out (--missing zero counts it as 0)",
            "{count} judged queries are not in the run and are left out (--missing zero counts "
            "them as 0)",
            entry.dropped,
        )
    if counts.empty:
        yield GOT_NOTHING.given(count=count_text(counts.empty), n=n)
    if counts.without_judgments:
        yield counted(
            "1 query of the run has no judgments and is ignored",
            "{count} queries of the run have no judgments and are ignored",
            counts.without_judgments,
        )
    if counts.unanswerable:
        yield _(
            "{count} unanswerable queries are left out; {answered} of them got results",
            count=count_text(counts.unanswerable),
            answered=count_text(counts.answered_unanswerable),
        )
    if counts.without_relevant:
        yield WITHOUT_RELEVANT.given(count=count_text(counts.without_relevant), n=n)
    if counts.duplicates:
        yield duplicates_note(counts.duplicates)
    yield from (sentence for sentence in counts.unreached(entry.measures))
    if (many := many_queries_note(entry)) is not None:
        yield many
    tied = [
        _(
            "{queries} ({share}) at {cutoff}",
            queries=count_text(queries),
            share=share_text(queries / counts.queries),
            cutoff=cutoff,
        )
        for cutoff, queries in counts.tied.items()
        if queries
    ]
    if tied:
        yield _("queries with a tie across a cutoff: {listed}", listed=joined(tied, ", "))


def _part_names(names: Sequence[str], count: int) -> str:
    return ", ".join(names) + (", ..." if count > len(names) else "")
