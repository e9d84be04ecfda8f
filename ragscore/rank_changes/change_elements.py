"""Changes of rankings as elements: the sentence first, then the tables behind it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ragscore.elements import Cell, Column, Element, Lines, Paragraph, Table
from ragscore.elements.cells import (
    count_cell,
    interval_words,
    nothing,
    number_cell,
    retriever_column,
    share_cell,
    signed_cell,
    text_cell,
)
from ragscore.elements.numbers import count_text, plain_number, share_text
from ragscore.rank_changes.changed_queries import kind_key, query_table, shown_name
from ragscore.rank_changes.model import (
    KINDS,
    DatasetRankChanges,
    RetrieverChanges,
    ScoreShift,
    ShareOfQueries,
)
from ragscore.rank_changes.strings import STRINGS
from ragscore.stats.units import SAME
from ragscore.strings import Language, Strings

MOST_DIGITS = 9
"""Decimals of a shift of scores; what is smaller comes from rounding."""
MOST_QUERIES = 20
"""Changed queries of each retriever that are listed where nothing else is asked for."""


@dataclass(frozen=True)
class TopK:
    """What was looked at: the cutoff, and the persistence of the rank-biased overlap."""

    k: int
    p: float


def change_elements(
    datasets: Sequence[DatasetRankChanges],
    top: TopK,
    language: Language,
    limit: int | None = MOST_QUERIES,
) -> Iterator[Element]:
    """What ``ragscore changes`` prints.

    Args:
        datasets: what changed on each.
        top: what was looked at.
        language: of what is not a name.
        limit: how many changed queries of each retriever are listed; None for all.
    """
    strings = STRINGS.strings(language)
    for at, dataset in enumerate(datasets):
        prefix = f"d{at}-" if at else ""
        if dataset.dataset:
            queries = strings.counted("count_queries", dataset.n)
            yield Paragraph(strings("dataset", dataset=dataset.dataset, queries=queries))
        if dataset.retrievers:
            yield change_sentences(dataset, top, strings)
            yield change_table(dataset, top, strings, prefix)
        yield from detail_tables(dataset, top, strings, prefix, limit)
        if dataset.notes:
            yield change_notes(dataset, strings)


def change_sentences(dataset: DatasetRankChanges, top: TopK, strings: Strings) -> Lines:
    """A sentence for each retriever: for how many queries the top k changed, and how."""
    return Lines(tuple(_sentence(part, top.k, strings) for part in dataset.retrievers))


def change_notes(dataset: DatasetRankChanges, strings: Strings) -> Lines:
    """What a reader must know of the comparison."""
    return Lines(tuple(str(strings("note", note=strings.say(note))) for note in dataset.notes))


def detail_tables(
    dataset: DatasetRankChanges, top: TopK, strings: Strings, prefix: str, limit: int | None
) -> Iterator[Table]:
    """The tables behind the first one: shifts of scores, slices, the changed queries.

    Args:
        dataset, top, strings: as above.
        prefix: of the ids of the tables.
        limit: how many changed queries of each retriever are listed; None for all.
    """
    tables = (_shifts(dataset, strings), _slices(dataset, top, strings))
    yield from (replace(table, id=f"{prefix}{table.id}") for table in tables if table.rows)
    several = len(dataset.retrievers) > 1
    for number, part in enumerate(dataset.retrievers):
        listed = part.queries[:limit]
        if listed:
            table = query_table(part, listed, top.k, strings, several=several)
            yield replace(table, id=f"{prefix}changed-queries-{number}")


def _sentence(part: RetrieverChanges, k: int, strings: Strings) -> str:
    changed, name = part.changed, shown_name(part, strings)
    queries = strings.counted("count_queries", changed.of)
    if not changed.of:
        return strings("nothing", name=name)
    if not changed.count:
        high = share_text(changed.interval.high)
        return strings("unchanged", name=name, k=k, queries=queries, high=high)
    counts = [(kind, part.kinds[kind]) for kind in KINDS if part.kinds[kind]]
    kinds = ", ".join(strings(f"kind_{kind_key(kind)}", n=count_text(n)) for kind, n in counts)
    interval = _interval(changed)
    return strings(
        "changed",
        name=name,
        k=k,
        share=share_text(changed.share),
        interval=interval,
        queries=queries,
        kinds=kinds,
    )


def _interval(share: ShareOfQueries) -> str:
    """``[12.1 %, 30.4 %]``."""
    return f"[{share_text(share.interval.low)}, {share_text(share.interval.high)}]"


def _share_cell(share: ShareOfQueries, strings: Strings) -> Cell:
    cell = share_cell(share.share)
    if not share.of:
        return cell
    interval = share.interval
    words = _interval(share) if interval.estimable else interval_words(interval, strings)
    return replace(cell, low=interval.low, high=interval.high, interval=words)


def change_table(
    dataset: DatasetRankChanges, top: TopK, strings: Strings, prefix: str = ""
) -> Table:
    """A row for each retriever: how many top k changed in which way, and how alike they are.

    Args:
        dataset, top, strings: as above.
        prefix: of the id of the table.
    """
    k, judged = top.k, any(part.unjudged is not None for part in dataset.retrievers)
    failed = any(any(part.failed) for part in dataset.retrievers)
    kinds = [kind for kind in KINDS if failed or "failed" not in kind]
    columns = [
        retriever_column(strings),
        Column("changed", strings("column_changed"), interval=True),
        *(Column(kind_key(kind), strings(f"column_{kind_key(kind)}")) for kind in kinds),
        Column("other_first", strings("column_other_first")),
        *_likeness(top, strings),
        Column("new", strings("column_new")),
    ]
    if judged:
        hint = strings("hint_unjudged", k=k)
        columns.append(Column("unjudged", strings("column_unjudged"), hint=hint))
    rows = []
    for part in dataset.retrievers:
        name = shown_name(part, strings)
        row = [
            Cell(name, name, retriever=part.after),
            _share_cell(part.changed, strings),
            *(count_cell(part.kinds[kind]) for kind in kinds),
            count_cell(part.other_first),
            number_cell(part.overlap),
            number_cell(part.rbo),
            count_cell(part.new),
        ]
        if judged:
            row.append(nothing() if part.unjudged is None else count_cell(part.unjudged))
        rows.append(tuple(row))
    title, note = strings("table_changes", k=k), strings("note_intervals")
    return Table(f"{prefix}rank-changes", title, tuple(columns), tuple(rows), (note,))


def _likeness(top: TopK, strings: Strings) -> tuple[Column, Column]:
    k = top.k
    hint = strings("hint_overlap", k=k)
    return (
        Column(f"overlap@{k}", strings("column_overlap", k=k), hint=hint),
        Column("RBO", f"RBO({plain_number(top.p)})", hint=strings("hint_rbo")),
    )


def _shifts(dataset: DatasetRankChanges, strings: Strings) -> Table:
    columns = (
        retriever_column(strings),
        Column("of", strings("column_of"), "text"),
        Column("n", strings("column_count")),
        Column("lower", strings("column_lower")),
        Column("higher", strings("column_higher")),
        Column("p5", "5 %"),
        Column("p25", "25 %"),
        Column("median", strings("column_median")),
        Column("p75", "75 %"),
        Column("p95", "95 %"),
    )
    rows = tuple(
        (
            text_cell(shown_name(part, strings)),
            text_cell(strings(f"shift_{shift.what}")),
            count_cell(shift.n),
            count_cell(shift.lower),
            count_cell(shift.higher),
            *_quantile_cells(shift),
        )
        for part in dataset.retrievers
        for shift in part.shifts
    )
    return Table("score-shifts", strings("table_shifts"), columns, rows, (strings("note_scales"),))


def _quantile_cells(shift: ScoreShift) -> Iterator[Cell]:
    """The quantiles, with as many decimals as the largest needs to have two digits: the scores of
    a fusion of ranks are around 0.01."""
    quantiles = (shift.p5, shift.p25, shift.median, shift.p75, shift.p95)
    largest = max(map(abs, quantiles))
    digits = 1 - math.floor(math.log10(largest)) if SAME < largest < 1 else 3
    return (signed_cell(value, min(max(digits, 3), MOST_DIGITS)) for value in quantiles)


def _slices(dataset: DatasetRankChanges, top: TopK, strings: Strings) -> Table:
    columns = (
        retriever_column(strings),
        Column("key", strings("column_key"), "text"),
        Column("slice", strings("column_slice"), "text"),
        Column("queries", strings("column_queries")),
        Column("changed", strings("column_changed"), interval=True),
        *_likeness(top, strings),
    )
    rows = tuple(
        (
            text_cell(shown_name(part, strings)),
            text_cell(those.key),
            text_cell(those.value),
            count_cell(those.changed.of),
            _share_cell(those.changed, strings),
            number_cell(those.overlap),
            number_cell(those.rbo),
        )
        for part in dataset.retrievers
        if part.changed.count
        for those in part.slices
    )
    return Table("changes-by-slice", strings("table_slices"), columns, rows)
