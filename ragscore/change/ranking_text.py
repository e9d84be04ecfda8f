"""Changes of rankings as elements: the sentence first, then the tables behind it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from ragscore.change.record import (
    KINDS,
    ChangeKind,
    DatasetRankingChanges,
    QueryChange,
    RankingChanges,
    RetrieverChanges,
    ScoreShift,
    SliceOfChanges,
)
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
from ragscore.elements.tables import Columns, table
from ragscore.estimate import Estimate
from ragscore.messages import Message, Text, _, counted, joined
from ragscore.stats.units import SAME

MAX_DIGITS = 9
"""Decimals of a shift of scores; what is smaller comes from rounding."""
MAX_PASSAGES = 5
"""New passages that a line of the list names; the others are counted."""
MAX_LETTERS = 80
"""Characters of a query's text that the list shows."""
KIND_WORDS: dict[ChangeKind, tuple[Message, Message, Message]] = {
    "newly failed": (_("newly failed"), _("{n} newly failed"), _("Newly failed")),
    "newly empty": (_("newly empty"), _("{n} newly empty"), _("Newly empty")),
    "no longer failed": (_("no longer failed"), _("{n} no longer failed"), _("No longer failed")),
    "newly answered": (_("newly answered"), _("{n} newly answered"), _("Newly answered")),
    "other passages": (_("other passages"), _("{n} with other passages"), _("Other passages")),
    "other order": (
        _("other order"),
        _("{n} with the same passages in another order"),
        _("Other order"),
    ),
}
"""Of each kind: in a cell, counted in a sentence, above a column."""


def elements(found: RankingChanges, limit: int | None) -> Iterator[Element]:
    """What ``ragscore changes`` prints.

    Args:
        found: what changed.
        limit: how many changed queries of each retriever are listed; None for all.
    """
    for at, dataset in enumerate(found.datasets):
        prefix = f"d{at}-" if at else ""
        if dataset.dataset:
            queries = counted("1 query", "{count} queries", dataset.n)
            yield Paragraph(_("{dataset}: {queries}.", dataset=dataset.dataset, queries=queries))
        if dataset.retrievers:
            yield Lines(tuple(sentences(found, dataset)))
            yield change_table(found, dataset, prefix)
        yield from detail_tables(found, dataset, prefix, limit)
        if dataset.notes:
            yield Lines(tuple(notes(dataset)))


def notes(dataset: DatasetRankingChanges) -> Iterator[Message]:
    """Notes on the comparison."""
    return (_("note: {note}", note=note) for note in dataset.notes)


def sentences(found: RankingChanges, dataset: DatasetRankingChanges) -> Iterator[Text]:
    """A sentence for each retriever: for how many queries the top k changed, and how."""
    for part in dataset.retrievers:
        share, name = part.share, _name(part)
        queries = counted("1 query", "{count} queries", share.n)
        if not share.n:
            yield _("{name}: there is no query to compare.", name=name)
        elif not part.changed:
            yield _(
                "{name}: the top {k} is the same for all {queries}; with 95 % confidence "
                "it changes for at most {high} of queries like these.",
                name=name,
                k=found.k,
                queries=queries,
                high=share_text(share.high),
            )
        else:
            kinds = [
                text.given(n=count_text(part.kinds[kind]))
                for kind, (_cell, text, _head) in KIND_WORDS.items()
                if part.kinds[kind]
            ]
            yield _(
                "{name}: the top {k} changed for {share} {interval} of {queries}: {kinds}.",
                name=name,
                k=found.k,
                share=share_text(share.value),
                interval=_interval(share),
                queries=queries,
                kinds=joined(kinds, ", "),
            )


def _name(part: RetrieverChanges) -> Text:
    """The retriever's name, both where it was renamed."""
    if part.before == part.after:
        return part.after
    return _("{before} → {after}", before=part.before, after=part.after)


def _interval(share: Estimate) -> str:
    """``[12.1 %, 30.4 %]``."""
    return f"[{share_text(share.low)}, {share_text(share.high)}]"


def _share_cell(share: Estimate) -> Cell:
    if not share.n:
        return nothing()
    words = _interval(share) if share.estimable else interval_words(share)
    return replace(share_cell(share.value), low=share.low, high=share.high, interval=words)


def change_table(found: RankingChanges, dataset: DatasetRankingChanges, prefix: str) -> Table:
    """A row for each retriever: how many top k changed in which way, and how alike they are.

    Args:
        found: where the dataset stands.
        dataset: what changed on it.
        prefix: of the id of the table.
    """
    k, parts = found.k, dataset.retrievers
    failed = any(any(part.failed) for part in parts)
    overlap, rbo = _likeness(found)
    hint = _("New passages in the top {k} that nobody has judged for the query", k=k)
    unjudged = Column("unjudged", _("Unjudged"), hint=hint)

    def name_cell(part: RetrieverChanges) -> Cell:
        name = _name(part)
        return Cell(name, name, retriever=part.after)

    def unjudged_cell(part: RetrieverChanges) -> Cell:
        return nothing() if part.unjudged is None else count_cell(part.unjudged)

    columns: Columns[RetrieverChanges] = [
        (retriever_column(), name_cell),
        (_CHANGED, lambda part: _share_cell(part.share)),
        *(
            (Column(kind.replace(" ", "_"), KIND_WORDS[kind][2]), _kind_cell(kind))
            for kind in KINDS
            if failed or "failed" not in kind
        ),
        (Column("other_first", _("Other first")), lambda part: count_cell(part.other_first)),
        (overlap, lambda part: number_cell(part.overlap)),
        (rbo, lambda part: number_cell(part.rbo)),
        (Column("new", _("New passages")), lambda part: count_cell(part.new)),
        (unjudged, unjudged_cell) if any(part.unjudged is not None for part in parts) else None,
    ]
    title = _("What changed in the top {k}", k=k)
    note = _("Intervals: Wilson, 95 %, for the share among queries like these; not adjusted.")
    return table(f"{prefix}rank-changes", title, columns, parts, (note,))


_CHANGED = Column("changed", _("Changed"), interval=True)


def _kind_cell(kind: ChangeKind) -> Callable[[RetrieverChanges], Cell]:
    return lambda part: count_cell(part.kinds[kind])


def _likeness(found: RankingChanges) -> tuple[Column, Column]:
    overlap = _(
        "Passages in both top {k}, divided by the longer of the two; the mean over the queries "
        "that at least one run answered",
        k=found.k,
    )
    rbo = _(
        "Rank-biased overlap of the whole rankings: 1 if they are the same, 0 if they "
        "share nothing; the first ranks weigh most"
    )
    return (
        Column(f"overlap@{found.k}", _("Overlap@{k}", k=found.k), hint=overlap),
        Column("RBO", f"RBO({plain_number(found.p)})", hint=rbo),
    )


def detail_tables(
    found: RankingChanges, dataset: DatasetRankingChanges, prefix: str, limit: int | None
) -> Iterator[Table]:
    """The tables behind the first one: shifts of scores, slices, the changed queries.

    Args:
        found, dataset: as above.
        prefix: of the ids of the tables.
        limit: how many changed queries of each retriever are listed; None for all.
    """
    parts = dataset.retrievers
    if any(part.shifts for part in parts):
        yield _shifts(dataset, f"{prefix}score-shifts")
    if any(part.slices for part in parts if part.changed):
        yield _slices(found, dataset, f"{prefix}changes-by-slice")
    for number, part in enumerate(parts):
        if part.queries[:limit]:
            title: Text = _("Queries to look at or judge, the most changed first")
            if len(parts) > 1:
                title = joined([_name(part), ": ", title], "")
            id = f"{prefix}changed-queries-{number}"
            yield _queries(part, part.queries[:limit], found.k, id, title)


def _shifts(dataset: DatasetRankingChanges, id: str) -> Table:
    columns: Columns[tuple[RetrieverChanges, ScoreShift]] = [
        (retriever_column(), lambda row: text_cell(_name(row[0]))),
        (
            Column("of", _("Scores of"), "text"),
            lambda row: text_cell(
                _("passages in both") if row[1].what == "passages" else _("first passages")
            ),
        ),
        (Column("n", _("Count")), lambda row: count_cell(row[1].n)),
        (Column("lower", _("Lower")), lambda row: count_cell(row[1].lower)),
        (Column("higher", _("Higher")), lambda row: count_cell(row[1].higher)),
        (Column("p5", "5 %"), lambda row: _shift_cell(row[1], row[1].p5)),
        (Column("p25", "25 %"), lambda row: _shift_cell(row[1], row[1].p25)),
        (Column("median", _("Median")), lambda row: _shift_cell(row[1], row[1].median)),
        (Column("p75", "75 %"), lambda row: _shift_cell(row[1], row[1].p75)),
        (Column("p95", "95 %"), lambda row: _shift_cell(row[1], row[1].p95)),
    ]
    rows = [(part, shift) for part in dataset.retrievers for shift in part.shifts]
    note = _(
        "Retrievers of different kinds or settings score on different scales. Shifts "
        "mean something only if the scale stayed the same."
    )
    return table(id, _("Shifts of scores (later minus earlier)"), columns, rows, (note,))


def _shift_cell(shift: ScoreShift, value: float) -> Cell:
    """A quantile, with as many decimals as the largest needs to have two digits: the scores of a
    fusion of ranks are around 0.01."""
    largest = max(map(abs, (shift.p5, shift.p25, shift.median, shift.p75, shift.p95)))
    digits = 1 - math.floor(math.log10(largest)) if SAME < largest < 1 else 3
    return signed_cell(value, min(max(digits, 3), MAX_DIGITS))


def _slices(found: RankingChanges, dataset: DatasetRankingChanges, id: str) -> Table:
    overlap, rbo = _likeness(found)
    columns: Columns[tuple[RetrieverChanges, SliceOfChanges]] = [
        (retriever_column(), lambda row: text_cell(_name(row[0]))),
        (Column("key", _("Key"), "text"), lambda row: text_cell(row[1].key)),
        (Column("slice", _("Slice"), "text"), lambda row: text_cell(row[1].value)),
        (Column("queries", _("Queries")), lambda row: count_cell(row[1].share.n)),
        (_CHANGED, lambda row: _share_cell(row[1].share)),
        (overlap, lambda row: number_cell(row[1].overlap)),
        (rbo, lambda row: number_cell(row[1].rbo)),
    ]
    rows = [(part, those) for part in dataset.retrievers if part.changed for those in part.slices]
    return table(id, _("By tags and metadata of the queries"), columns, rows)


def _queries(
    part: RetrieverChanges, listed: tuple[QueryChange, ...], k: int, id: str, title: Text
) -> Table:
    """The changed queries of a retriever, a row each."""
    texts = any(query.text is not None for query in listed)
    new = _("New (rank)") if part.unjudged is None else _("New (rank; ? unjudged)")
    columns: Columns[QueryChange] = [
        (
            Column("query", _("Query"), "text"),
            lambda row: Cell(row.query, row.query, query=row.query, retriever=part.after),
        ),
        (Column("text", _("Text"), "text"), _text_cell) if texts else None,
        (Column("kind", _("What changed"), "text"), lambda row: text_cell(KIND_WORDS[row.kind][0])),
        (Column(f"overlap@{k}", _("Overlap@{k}", k=k)), lambda row: number_cell(row.overlap)),
        (Column("RBO", "RBO"), lambda row: number_cell(row.rbo)),
        (Column("new", new, "text"), lambda row: text_cell(_came(row))),
    ]
    shown, count = len(listed), part.changed
    more = _(
        "{shown} of {count} changed queries; ragscore changes --limit all lists all.",
        shown=count_text(shown),
        count=count_text(count),
    )
    return table(id, title, columns, listed, (more,) if shown < count else ())


def _text_cell(query: QueryChange) -> Cell:
    text = query.text or ""
    short = text if len(text) <= MAX_LETTERS else f"{text[: MAX_LETTERS - 1]}…"
    return Cell(text, short, quote=True, hint=text if short != text else "")


def _came(query: QueryChange) -> Text:
    """The new passages with their ranks, those that nobody judged with a question mark; the error
    of a query that failed."""
    if query.kind == "newly failed" and query.error is not None:
        return query.error
    listed = ", ".join(
        f"{new.passage} ({new.rank}{'?' if new.judged is False else ''})"
        for new in query.new[:MAX_PASSAGES]
    )
    if (more := len(query.new) - MAX_PASSAGES) > 0:
        return _("{listed}, {count} more", listed=listed, count=more)
    return listed or "-"
