"""What the numbers rest on: missing judgments, ties, queries without results, failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from ragscore.elements import Cell, Column, Element, Paragraph, Section, Table
from ragscore.elements.cells import (
    count_cell,
    name_cell,
    retriever_column,
    share_cell,
    text_cell,
)
from ragscore.elements.tables import table
from ragscore.messages import Message, Text, _, few_names, joined
from ragscore.report.model import Beside
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult
from ragscore.scoring.counts import Counts

T = TypeVar("T", int, float)


def judgments(report: Report, panel: DatasetResult) -> Section | None:
    """Unjudged passages, ties across cutoffs, and the counts behind the means."""
    return Section(
        "judgments", _("Judgments, ties, missing queries"), tuple(_elements(report, panel))
    )


def _elements(report: Report, panel: DatasetResult) -> Iterator[Element]:
    notes: tuple[Text, ...] = (*report.unsearched, *panel.notes)
    for note in notes:
        yield Paragraph(note, "warning")
    if panel.failures:
        error = Column("error", _("Error"), "text")
        yield table(
            named(panel, "failed"),
            _("Retrievers that failed"),
            (
                (retriever_column(), name_cell),
                (error, lambda name: text_cell(panel.failures[name])),
            ),
            panel.failures,
        )
    if not panel.retrievers:
        return
    counts = {name: panel.scores[name].counts for name in panel.retrievers}
    beside: list[tuple[Element, ...]] = []
    if any(found.unjudged for found in counts.values()):
        shares = _at_cutoffs(
            named(panel, "unjudged"),
            _("Share of returned {ranked_items} that are unjudged"),
            ("unjudged", _("Top {k}")),
            {name: found.unjudged for name, found in counts.items()},
            share_cell,
        )
        means = _(
            "Unjudged {ranked_items} count as not relevant. If the shares differ, the retriever "
            "with the larger one is at a disadvantage."
        )
        beside.append((shares, Paragraph(means, "note")))
    if any(queries for found in counts.values() for queries in found.tied.values()):
        ties = _at_cutoffs(
            named(panel, "ties"),
            _("Queries with a tie across a cutoff"),
            ("tied", _("Ties at {k}")),
            {name: found.tied for name, found in counts.items()},
            lambda queries: count_cell(queries or 0),
        )
        means = _(
            "{Ranked_items} with the same score are ordered by id, so the same run always gives "
            "the same numbers."
        )
        beside.append((ties, Paragraph(means, "note")))
    else:
        beside.append((Paragraph(_("No query has a tie across a cutoff.")),))
    yield Beside(tuple(beside))
    yield _counts(panel, counts)
    for name, found in counts.items():
        for sentence in found.unreached(panel.scores[name].measures):
            yield Paragraph(joined([few_names([name]), sentence], ": "), "warning")


def _at_cutoffs(
    id: str,
    title: Text,
    column: tuple[str, Message],
    values: Mapping[str, Mapping[int, T]],
    cell: Callable[[T | None], Cell],
) -> Table:
    """What was counted of each retriever, with a column for each cutoff."""
    cutoffs: list[int] = sorted({cutoff for at_cutoff in values.values() for cutoff in at_cutoff})
    name, label = column

    def at(k: int) -> tuple[Column, Callable[[str], Cell]]:
        head = Column(f"{name}@{k}", label.given(k=k), better="low")
        return head, lambda retriever: cell(values[retriever].get(k))

    return table(id, title, ((retriever_column(), name_cell), *map(at, cutoffs)), values)


def _counts(panel: DatasetResult, counts: Mapping[str, Counts]) -> Table:
    columns = (
        Column("queries", _("Queries averaged"), hint=_("Queries that are judged and answerable")),
        Column("missing", _("Not in the run"), better="low"),
        Column("empty", _("Nothing returned"), better="low"),
        Column("without relevant", _("No relevant judgment")),
        Column("unanswerable", _("Unanswerable")),
        Column(
            "answered unanswerable",
            _("Unanswerable, answered"),
            hint=_("Unanswerable queries that got passages anyway"),
        ),
        Column("without judgments", _("Not judged at all")),
        Column("returned", _("{Ranked_items} returned")),
        Column("duplicates", _("Duplicates dropped"), better="low"),
    )

    def count(column: Column) -> Callable[[str], Cell]:
        field = column.name.replace(" ", "_")  # the columns are named as the counts are
        return lambda name: count_cell(getattr(counts[name], field))

    note = _(
        "Queries that are missing, got no passage or have no relevant judgment score 0, unless a "
        "measure says otherwise (MR, empty=skip). Unanswerable and unjudged queries are left out "
        "of all means."
    )
    return table(
        named(panel, "counts"),
        _("How many queries the means rest on"),
        ((retriever_column(), name_cell), *((column, count(column)) for column in columns)),
        counts,
        [note],
    )
