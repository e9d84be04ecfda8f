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
from ragscore.messages import Message, Text, _, counted, joined
from ragscore.rank_changes.changed_queries import query_table, shown_name
from ragscore.rank_changes.model import (
    KINDS,
    ChangeKind,
    DatasetRankChanges,
    RetrieverChanges,
    ScoreShift,
    ShareOfQueries,
)
from ragscore.stats.units import SAME

MAX_DIGITS = 9
"""Decimals of a shift of scores; what is smaller comes from rounding."""
MAX_QUERIES = 20
"""Changed queries of each retriever that are listed where nothing else is asked for."""
KINDS_COUNTED: dict[ChangeKind, Message] = {
    "newly failed": _("{n} newly failed"),
    "newly empty": _("{n} newly empty"),
    "no longer failed": _("{n} no longer failed"),
    "newly answered": _("{n} newly answered"),
    "other passages": _("{n} with other passages"),
    "other order": _("{n} with the same passages in another order"),
}
KIND_COLUMNS: dict[ChangeKind, Message] = {
    "newly failed": _("Newly failed"),
    "newly empty": _("Newly empty"),
    "no longer failed": _("No longer failed"),
    "newly answered": _("Newly answered"),
    "other passages": _("Other passages"),
    "other order": _("Other order"),
}


@dataclass(frozen=True)
class TopK:
    """What was looked at: the cutoff, and the persistence of the rank-biased overlap."""

    k: int
    p: float


def change_elements(
    datasets: Sequence[DatasetRankChanges], top: TopK, limit: int | None = MAX_QUERIES
) -> Iterator[Element]:
    """What ``ragscore changes`` prints.

    Args:
        datasets: what changed on each.
        top: what was looked at.
        limit: how many changed queries of each retriever are listed; None for all.
    """
    for at, dataset in enumerate(datasets):
        prefix = f"d{at}-" if at else ""
        if dataset.dataset:
            queries = counted("1 query", "{count} queries", dataset.n)
            yield Paragraph(_("{dataset}: {queries}.", dataset=dataset.dataset, queries=queries))
        if dataset.retrievers:
            yield change_sentences(dataset, top)
            yield change_table(dataset, top, prefix)
        yield from detail_tables(dataset, top, prefix, limit)
        if dataset.notes:
            yield change_notes(dataset)


def change_sentences(dataset: DatasetRankChanges, top: TopK) -> Lines:
    """A sentence for each retriever: for how many queries the top k changed, and how."""
    return Lines(tuple(_sentence(part, top.k) for part in dataset.retrievers))


def change_notes(dataset: DatasetRankChanges) -> Lines:
    """Notes on the comparison."""
    return Lines(tuple(_("note: {note}", note=note) for note in dataset.notes))


def detail_tables(
    dataset: DatasetRankChanges, top: TopK, prefix: str, limit: int | None
) -> Iterator[Table]:
    """The tables behind the first one: shifts of scores, slices, the changed queries.

    Args:
        dataset, top: as above.
        prefix: of the ids of the tables.
        limit: how many changed queries of each retriever are listed; None for all.
    """
    tables = (_shifts(dataset), _slices(dataset, top))
    yield from (replace(table, id=f"{prefix}{table.id}") for table in tables if table.rows)
    several = len(dataset.retrievers) > 1
    for number, part in enumerate(dataset.retrievers):
        listed = part.queries[:limit]
        if listed:
            table = query_table(part, listed, top.k, several=several)
            yield replace(table, id=f"{prefix}changed-queries-{number}")


def _sentence(part: RetrieverChanges, k: int) -> Text:
    changed, name = part.changed, shown_name(part)
    queries = counted("1 query", "{count} queries", changed.of)
    if not changed.of:
        return _("{name}: there is no query to compare.", name=name)
    if not changed.count:
        return _(
            "{name}: the top {k} is the same for all {queries}; with 95 % confidence "
            "it changes for at most {high} of queries like these.",
            name=name,
            k=k,
            queries=queries,
            high=share_text(changed.interval.high),
        )
    kinds = [
        text.given(n=count_text(part.kinds[kind]))
        for kind, text in KINDS_COUNTED.items()
        if part.kinds[kind]
    ]
    return _(
        "{name}: the top {k} changed for {share} {interval} of {queries}: {kinds}.",
        name=name,
        k=k,
        share=share_text(changed.share),
        interval=_interval(changed),
        queries=queries,
        kinds=joined(kinds, ", "),
    )


def _interval(share: ShareOfQueries) -> str:
    """``[12.1 %, 30.4 %]``."""
    return f"[{share_text(share.interval.low)}, {share_text(share.interval.high)}]"


def _share_cell(share: ShareOfQueries) -> Cell:
    cell = share_cell(share.share)
    if not share.of:
        return cell
    interval = share.interval
    words = _interval(share) if interval.estimable else interval_words(interval)
    return replace(cell, low=interval.low, high=interval.high, interval=words)


def change_table(dataset: DatasetRankChanges, top: TopK, prefix: str = "") -> Table:
    """A row for each retriever: how many top k changed in which way, and how alike they are.

    Args:
        dataset, top: as above.
        prefix: of the id of the table.
    """
    k, judged = top.k, any(part.unjudged is not None for part in dataset.retrievers)
    failed = any(any(part.failed) for part in dataset.retrievers)
    kinds = [kind for kind in KINDS if failed or "failed" not in kind]
    columns = [
        retriever_column(),
        Column("changed", _("Changed"), interval=True),
        *(Column(kind.replace(" ", "_"), KIND_COLUMNS[kind]) for kind in kinds),
        Column("other_first", _("Other first")),
        *_likeness(top),
        Column("new", _("New passages")),
    ]
    if judged:
        hint = _("New passages in the top {k} that nobody has judged for the query", k=k)
        columns.append(Column("unjudged", _("Unjudged"), hint=hint))
    rows = []
    for part in dataset.retrievers:
        name = shown_name(part)
        row = [
            Cell(name, name, retriever=part.after),
            _share_cell(part.changed),
            *(count_cell(part.kinds[kind]) for kind in kinds),
            count_cell(part.other_first),
            number_cell(part.overlap),
            number_cell(part.rbo),
            count_cell(part.new),
        ]
        if judged:
            row.append(nothing() if part.unjudged is None else count_cell(part.unjudged))
        rows.append(tuple(row))
    title = _("What changed in the top {k}", k=k)
    note = _("Intervals: Wilson, 95 %, for the share among queries like these; not adjusted.")
    return Table(f"{prefix}rank-changes", title, tuple(columns), tuple(rows), (note,))


def _likeness(top: TopK) -> tuple[Column, Column]:
    k = top.k
    hint = _(
        "Passages in both top {k}, divided by the longer of the two; the mean over the queries "
        "that at least one run answered",
        k=k,
    )
    return (
        Column(f"overlap@{k}", _("Overlap@{k}", k=k), hint=hint),
        Column(
            "RBO",
            f"RBO({plain_number(top.p)})",
            hint=_(
                "Rank-biased overlap of the whole rankings: 1 if they are the same, 0 if they "
                "share nothing; the first ranks weigh most"
            ),
        ),
    )


def _shifts(dataset: DatasetRankChanges) -> Table:
    columns = (
        retriever_column(),
        Column("of", _("Scores of"), "text"),
        Column("n", _("Count")),
        Column("lower", _("Lower")),
        Column("higher", _("Higher")),
        Column("p5", "5 %"),
        Column("p25", "25 %"),
        Column("median", _("Median")),
        Column("p75", "75 %"),
        Column("p95", "95 %"),
    )
    rows = tuple(
        (
            text_cell(shown_name(part)),
            text_cell(_("passages in both") if shift.what == "passages" else _("first passages")),
            count_cell(shift.n),
            count_cell(shift.lower),
            count_cell(shift.higher),
            *_quantile_cells(shift),
        )
        for part in dataset.retrievers
        for shift in part.shifts
    )
    return Table(
        "score-shifts",
        _("Shifts of scores (later minus earlier)"),
        columns,
        rows,
        (
            _(
                "Retrievers of different kinds or settings score on different scales. Shifts "
                "mean something only if the scale stayed the same."
            ),
        ),
    )


def _quantile_cells(shift: ScoreShift) -> Iterator[Cell]:
    """The quantiles, with as many decimals as the largest needs to have two digits: the scores of
    a fusion of ranks are around 0.01."""
    quantiles = (shift.p5, shift.p25, shift.median, shift.p75, shift.p95)
    largest = max(map(abs, quantiles))
    digits = 1 - math.floor(math.log10(largest)) if SAME < largest < 1 else 3
    return (signed_cell(value, min(max(digits, 3), MAX_DIGITS)) for value in quantiles)


def _slices(dataset: DatasetRankChanges, top: TopK) -> Table:
    columns = (
        retriever_column(),
        Column("key", _("Key"), "text"),
        Column("slice", _("Slice"), "text"),
        Column("queries", _("Queries")),
        Column("changed", _("Changed"), interval=True),
        *_likeness(top),
    )
    rows = tuple(
        (
            text_cell(shown_name(part)),
            text_cell(those.key),
            text_cell(those.value),
            count_cell(those.changed.of),
            _share_cell(those.changed),
            number_cell(those.overlap),
            number_cell(those.rbo),
        )
        for part in dataset.retrievers
        if part.changed.count
        for those in part.slices
    )
    return Table("changes-by-slice", _("By tags and metadata of the queries"), columns, rows)
