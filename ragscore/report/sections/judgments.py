"""What the numbers rest on: missing judgments, ties, queries without results, failures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from ragscore.elements import Cell, Column, Element, Paragraph, Section, Table
from ragscore.elements.cells import count_cell, share_cell, text_cell
from ragscore.messages import Message, Text, _, few_names, joined
from ragscore.report.model import Beside
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import named, retriever_table
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
        yield retriever_table(
            named(panel, "failed"),
            _("Retrievers that failed"),
            [Column("error", _("Error"), "text")],
            {name: [text_cell(error)] for name, error in panel.failures.items()},
        )
    if not panel.retrievers:
        return
    counts = {name: panel.scores[name].counts for name in panel.retrievers}
    beside: list[tuple[Element, ...]] = []
    if any(found.unjudged for found in counts.values()):
        unjudged = {name: found.unjudged for name, found in counts.items()}
        table = retriever_table(
            named(panel, "unjudged"),
            _("Share of returned {ranked_items} that are unjudged"),
            *_at_cutoffs("unjudged", _("Top {k}"), unjudged, share_cell),
        )
        beside.append(
            (
                table,
                Paragraph(
                    _(
                        "Unjudged {ranked_items} count as not relevant. If the shares differ, the "
                        "retriever with the larger one is at a disadvantage."
                    ),
                    "note",
                ),
            )
        )
    if any(queries for found in counts.values() for queries in found.tied.values()):
        tied = {name: found.tied for name, found in counts.items()}
        table = retriever_table(
            named(panel, "ties"),
            _("Queries with a tie across a cutoff"),
            *_at_cutoffs("tied", _("Ties at {k}"), tied, lambda queries: count_cell(queries or 0)),
        )
        beside.append(
            (
                table,
                Paragraph(
                    _(
                        "{Ranked_items} with the same score are ordered by id, so the same run "
                        "always gives the same numbers."
                    ),
                    "note",
                ),
            )
        )
    else:
        beside.append((Paragraph(_("No query has a tie across a cutoff.")),))
    yield Beside(tuple(beside))
    yield _counts(panel, counts)
    for name, found in counts.items():
        for sentence in found.unreached(panel.scores[name].measures):
            yield Paragraph(joined([few_names([name]), sentence], ": "), "warning")


def _at_cutoffs(
    name: str,
    label: Message,
    values: Mapping[str, Mapping[int, T]],
    cell: Callable[[T | None], Cell],
) -> tuple[list[Column], dict[str, list[Cell]]]:
    """What was counted at each cutoff: columns, and cells by retriever."""
    cutoffs = sorted({cutoff for at_cutoff in values.values() for cutoff in at_cutoff})
    return (
        [Column(f"{name}@{k}", label.given(k=k), better="low") for k in cutoffs],
        {
            retriever: [cell(at_cutoff.get(k)) for k in cutoffs]
            for retriever, at_cutoff in values.items()
        },
    )


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
    # The columns are named as the counts are.
    cells = {
        name: [count_cell(getattr(found, column.name.replace(" ", "_"))) for column in columns]
        for name, found in counts.items()
    }
    title = _("How many queries the means rest on")
    note = _(
        "Queries that are missing, got no passage or have no relevant judgment score 0, unless a "
        "measure says otherwise (MR, empty=skip). Unanswerable and unjudged queries are left out "
        "of all means."
    )
    return retriever_table(named(panel, "counts"), title, columns, cells, [note])
