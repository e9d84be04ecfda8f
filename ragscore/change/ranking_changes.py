"""RankingChanges: which rankings changed between two results, as a record, JSON and elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from ragscore.change.match import both_names
from ragscore.described import in_short
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
from ragscore.elements.show import Shown
from ragscore.elements.table_files import csv_rows
from ragscore.elements.tables import Columns, column, table
from ragscore.estimate import Estimate
from ragscore.messages import Message, Text, _, counted, joined
from ragscore.names import shortened
from ragscore.records import MaybeNaN, Record
from ragscore.stats.units import SAME

MAX_QUERIES = 20
"""Changed queries of each retriever that are listed where nothing else is asked for."""
ChangeKind = Literal[
    "newly failed",
    "newly empty",
    "no longer failed",
    "newly answered",
    "other passages",
    "other order",
]
KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)
"""How the top k of a query changes; each query counts once, by the first that applies."""
MOST_SENTENCES = 6
"""With more retrievers than this, the table says in which way their top k changed."""
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
LikenessColumn = tuple[Column, Callable[["RetrieverChanges | SliceOfChanges"], Cell]]
CHANGED = Column("changed", _("Changed"), interval=True)


@dataclass(frozen=True)
class ScoreShift(Record):
    """How scores shifted: the later minus the earlier, in the units of the scores."""

    what: Literal["passages", "first"]
    """``passages``: each passage that both returned for a query; ``first``: the highest score of
    each query that both answered, whichever passage has it."""
    n: int
    """How many shifts."""
    lower: int
    """How many scores are lower than before."""
    higher: int
    """How many are higher."""
    p5: MaybeNaN
    """5 % of the shifts are at most this."""
    p25: MaybeNaN
    """A quarter is at most this."""
    median: MaybeNaN
    """Half are at most this."""
    p75: MaybeNaN
    """Three quarters are at most this."""
    p95: MaybeNaN
    """95 % are at most this."""


@dataclass(frozen=True)
class SliceOfChanges(Record):
    """The queries that share a tag or a value of metadata."""

    key: str
    """The tag prefix or metadata key."""
    value: str
    """Its value."""
    changed: int
    """Queries of the slice whose top k changed."""
    share: Estimate
    """Of the queries of the slice."""
    overlap: MaybeNaN
    """Mean overlap@k of its queries."""
    rbo: MaybeNaN
    """Mean rank-biased overlap of its queries."""


@dataclass(frozen=True)
class NewPassage(Record):
    """A passage in the later top k that is not in the earlier top k."""

    passage: str
    """Its id."""
    rank: int
    """Its rank in the later run, from 1."""
    judged: bool | None
    """Whether someone judged it for this query; null if no judgments are known."""


@dataclass(frozen=True)
class QueryChange(Record):
    """One query whose top k changed."""

    query: str
    """Its id."""
    text: str | None
    """Its text; null if no dataset is known."""
    kind: ChangeKind
    """How it changed."""
    overlap: float
    """Overlap@k."""
    rbo: float
    """Rank-biased overlap."""
    new: tuple[NewPassage, ...]
    """What came into the top k, in the order of the later run."""
    gone: tuple[str, ...]
    """Ids of what left it, in the order of the earlier run."""
    error: str | None = None
    """Why the system did not answer it, in the later run, else in the earlier one; null if it
    answered both times."""


@dataclass(frozen=True)
class RetrieverChanges(Record):
    """What changed in the rankings of one retriever."""

    before: str
    """Its name in the earlier result."""
    after: str
    """Its name in the later one."""
    depths: tuple[int, int]
    """How many passages a query each run recorded."""
    changed: int
    """Queries whose top k changed: in its passages or in their order."""
    share: Estimate
    """Of all queries; Wilson's interval takes them as a sample of those to come."""
    kinds: dict[ChangeKind, int]
    """How many of these changed in which way; each counts once."""
    unanswered: int
    """Queries for which neither run returned anything; overlap and RBO leave them out."""
    failed: tuple[int, int]
    """Queries that the system did not answer at all, in each run; they count as queries that got
    nothing."""
    other_first: int
    """Queries that both answered, with another first passage."""
    overlap: MaybeNaN
    """Mean overlap@k: passages in both top k, over the longer of the two."""
    rbo: MaybeNaN
    """Mean extrapolated rank-biased overlap."""
    new: int
    """Passages in the later top k that are not in the earlier top k, over all queries."""
    unjudged: int | None
    """Of these, how many nobody judged for their query; null if no judgments are known."""
    returned: tuple[int, int]
    """Different passages that each run returned, over all queries."""
    shared: int
    """Of these, how many both returned."""
    shifts: tuple[ScoreShift, ...]
    """Shifts of scores; empty if a run has none."""
    slices: tuple[SliceOfChanges, ...]
    """By tags and metadata of the queries."""
    queries: tuple[QueryChange, ...]
    """Changed queries, most changed first: those newly failed, newly empty, newly answered, then
    by overlap@k and RBO, the lowest first."""

    @property
    def name(self) -> str:
        """Its name; both where it was renamed."""
        return both_names(self.before, self.after)


@dataclass(frozen=True)
class DatasetRankingChanges(Record):
    """What changed on the queries of one dataset."""

    dataset: str
    """Its name in the later result; empty for run files without one."""
    before: str
    """Its name in the earlier result."""
    n: int
    """Queries compared."""
    left_out: int
    """Queries that only one side has, or whose text is another."""
    retrievers: tuple[RetrieverChanges, ...]
    """Those that both sides have, in the order of the later one."""
    only_before: tuple[str, ...]
    """Retrievers that only the earlier result has."""
    only_after: tuple[str, ...]
    """Retrievers that only the later result has."""
    notes: tuple[Text, ...]
    """Notes on the comparison."""


@dataclass(frozen=True)
class RankingChanges(Record, Shown):
    """What changed in the rankings of two results, without a judgment of which is right; ``str`` is
    what ``ragscore changes`` prints."""

    schema_version: Annotated[Literal[2], Field(serialization_alias="schema")] = field(
        default=2, init=False
    )
    """Version of this format."""
    k: int
    """The cutoff of the top k."""
    p: float
    """Persistence of the rank-biased overlap."""
    before: str
    """The earlier result, as it was named."""
    after: str
    """The later one."""
    datasets: tuple[DatasetRankingChanges, ...]
    """One for each dataset of both."""

    def __repr__(self) -> str:
        return f"RankingChanges({in_short(self.before)} and {in_short(self.after)}, top {self.k})"

    def elements(self, limit: int | None = MAX_QUERIES) -> list[Element]:
        """What ``ragscore changes`` prints.

        Args:
            limit: how many changed queries of each retriever are listed; None for all.
        """
        return list(elements(self, limit))

    def to_csv(self) -> str:
        """The changed queries of all retrievers, a line each; blanks part passages."""
        head = ("dataset", "before", "after", "query", "text", "kind", "overlap", "rbo")
        lists = ("new", "unjudged", "gone")
        rows = (
            (
                dataset.dataset,
                part.before,
                part.after,
                query.query,
                query.text,
                query.kind,
                query.overlap,
                query.rbo,
                " ".join(new.passage for new in query.new),
                " ".join(new.passage for new in query.new if new.judged is False),
                " ".join(query.gone),
                query.error,
            )
            for dataset in self.datasets
            for part in dataset.retrievers
            for query in part.queries
        )
        return csv_rows(((*head, *lists, "error"), *rows))


def ranking_changes_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of what ``ragscore changes --format json`` prints."""
    return RankingChanges.json_schema("ragscore changes")


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
        if said := tuple(sentences(found, dataset)):
            yield Lines(said)
        yield change_table(found, dataset, prefix)
        yield from detail_tables(found, dataset, prefix, limit)
        if dataset.notes:
            yield Lines(tuple(notes(dataset)))


def notes(dataset: DatasetRankingChanges) -> Iterator[Message]:
    """Notes on the comparison."""
    return (_("note: {note}", note=note) for note in dataset.notes)


def sentences(found: RankingChanges, dataset: DatasetRankingChanges) -> Iterator[Text]:
    """A sentence for each retriever: for how many queries the top k changed, and how; none where
    there are many."""
    parts = dataset.retrievers
    for part in parts if len(parts) <= MOST_SENTENCES else ():
        facts = {"name": part.name, "k": found.k}
        queries = counted("1 query", "{count} queries", part.share.n)
        if not part.share.n:
            yield _("{name}: there is no query to compare.", **facts)
        elif not part.changed:
            yield _(
                "{name}: the top {k} is the same for all {queries}; with 95 % confidence "
                "it changes for at most {high} of queries like these.",
                queries=queries,
                high=share_text(part.share.high),
                **facts,
            )
        else:
            kinds = [
                KIND_WORDS[kind][1].given(n=count_text(count))
                for kind, count in part.kinds.items()
                if count
            ]
            yield _(
                "{name}: the top {k} changed for {share} {interval} of {queries}: {kinds}.",
                share=share_text(part.share.value),
                interval=_interval(part.share),
                queries=queries,
                kinds=joined(kinds, ", "),
                **facts,
            )


def _interval(share: Estimate) -> str:
    """``[12.1 %, 30.4 %]``."""
    return f"[{share_text(share.low)}, {share_text(share.high)}]"


def _changed_cell(part: RetrieverChanges | SliceOfChanges) -> Cell:
    share = part.share
    words = _interval(share) if share.estimable else interval_words(share)
    cell = replace(share_cell(share.value), low=share.low, high=share.high, interval=words)
    return cell if share.n else nothing()


def change_table(found: RankingChanges, dataset: DatasetRankingChanges, prefix: str) -> Table:
    """A row for each retriever: how many top k changed in which way, and how alike they are.

    Args:
        found: where the dataset stands.
        dataset: what changed on it.
        prefix: of the id of the table.
    """
    k, parts = found.k, dataset.retrievers
    failed = any(any(part.failed) for part in parts)
    judged = any(part.unjudged is not None for part in parts)
    hint = _("New passages in the top {k} that nobody has judged for the query", k=k)
    unjudged = Column("unjudged", _("Unjudged"), hint=hint)

    def name_cell(part: RetrieverChanges) -> Cell:
        return Cell(part.name, part.name, retriever=part.after)

    def kind_column(kind: ChangeKind) -> tuple[Column, Callable[[RetrieverChanges], Cell]]:
        name, head = kind.replace(" ", "_"), KIND_WORDS[kind][2]
        said = len(parts) <= MOST_SENTENCES
        return Column(name, head, extra=said), lambda part: count_cell(part.kinds[kind])

    columns: Columns[RetrieverChanges] = [
        (retriever_column(), name_cell),
        (CHANGED, _changed_cell),
        *(kind_column(kind) for kind in KINDS if failed or "failed" not in kind),
        column("other_first", _("Other first"), lambda part: count_cell(part.other_first)),
        *_likeness(found),
        column("new", _("New passages"), lambda part: count_cell(part.new)),
        (unjudged, lambda part: count_cell(part.unjudged)) if judged else None,
    ]
    title = _("What changed in the top {k}", k=k)
    note = _("Intervals: Wilson, 95 %, for the share among queries like these; not adjusted.")
    return table(f"{prefix}rank-changes", title, columns, parts, (note,))


def _likeness(found: RankingChanges) -> tuple[LikenessColumn, LikenessColumn]:
    """How alike the rankings are."""
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
        column(
            f"overlap@{found.k}",
            _("Overlap@{k}", k=found.k),
            lambda part: number_cell(part.overlap),
            hint=overlap,
        ),
        column(
            "RBO", f"RBO({plain_number(found.p)})", lambda part: number_cell(part.rbo), hint=rbo
        ),
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
    if shifts := [(part.name, shift) for part in parts for shift in part.shifts]:
        yield _shift_table(f"{prefix}score-shifts", shifts)
    slices = [(part.name, those) for part in parts if part.changed for those in part.slices]
    if slices:
        yield _slice_table(f"{prefix}changes-by-slice", slices, found)
    for number, part in enumerate(parts):
        if part.queries[:limit]:
            title: Text = _("Queries to look at or judge, the most changed first")
            if len(parts) > 1:
                title = joined([part.name, ": ", title], "")
            yield _query_table(f"{prefix}changed-queries-{number}", title, part, found.k, limit)


def _shift_table(id: str, rows: list[tuple[str, ScoreShift]]) -> Table:
    of = {"passages": _("passages in both"), "first": _("first passages")}
    columns: Columns[tuple[str, ScoreShift]] = [
        (retriever_column(), lambda row: text_cell(row[0])),
        column("of", _("Scores of"), lambda row: text_cell(of[row[1].what]), "text"),
        column("n", _("Count"), lambda row: count_cell(row[1].n)),
        column("lower", _("Lower"), lambda row: count_cell(row[1].lower)),
        column("higher", _("Higher"), lambda row: count_cell(row[1].higher)),
        column("p5", "5 %", lambda row: _shift_cell(row[1], row[1].p5)),
        column("p25", "25 %", lambda row: _shift_cell(row[1], row[1].p25)),
        column("median", _("Median"), lambda row: _shift_cell(row[1], row[1].median)),
        column("p75", "75 %", lambda row: _shift_cell(row[1], row[1].p75)),
        column("p95", "95 %", lambda row: _shift_cell(row[1], row[1].p95)),
    ]
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


def _slice_table(id: str, rows: list[tuple[str, SliceOfChanges]], found: RankingChanges) -> Table:
    (overlap, _overlap), (rbo, _rbo) = _likeness(found)
    columns: Columns[tuple[str, SliceOfChanges]] = [
        (retriever_column(), lambda row: text_cell(row[0])),
        column("key", _("Key"), lambda row: text_cell(row[1].key), "text"),
        column("slice", _("Slice"), lambda row: text_cell(row[1].value), "text"),
        column("queries", _("Queries"), lambda row: count_cell(row[1].share.n)),
        (CHANGED, lambda row: _changed_cell(row[1])),
        (overlap, lambda row: number_cell(row[1].overlap)),
        (rbo, lambda row: number_cell(row[1].rbo)),
    ]
    return table(id, _("By tags and metadata of the queries"), columns, rows)


def _query_table(id: str, title: Text, part: RetrieverChanges, k: int, limit: int | None) -> Table:
    """The changed queries of a retriever, a row each."""
    listed = part.queries[:limit]

    def query_cell(row: QueryChange) -> Cell:
        return Cell(row.query, row.query, query=row.query, retriever=part.after)

    def query_text_cell(row: QueryChange) -> Cell:
        text = row.text or ""
        short = shortened(text, MAX_LETTERS)
        return Cell(text, short, quote=True, hint=text if short != text else "")

    texts = any(query.text is not None for query in listed)
    new = _("New (rank)") if part.unjudged is None else _("New (rank; ? unjudged)")
    columns: Columns[QueryChange] = [
        column("query", _("Query"), query_cell, "text"),
        column("text", _("Text"), query_text_cell, "text") if texts else None,
        column("kind", _("What changed"), lambda row: text_cell(KIND_WORDS[row.kind][0]), "text"),
        column(f"overlap@{k}", _("Overlap@{k}", k=k), lambda row: number_cell(row.overlap)),
        column("RBO", "RBO", lambda row: number_cell(row.rbo)),
        column("new", new, lambda row: text_cell(_came(row)), "text"),
    ]
    more = _(
        "{shown} of {count} changed queries; ragscore changes --limit all lists all.",
        shown=count_text(len(listed)),
        count=count_text(part.changed),
    )
    return table(id, title, columns, listed, (more,) * (len(listed) < part.changed))


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
