"""Why queries fail: what each retriever does not find within k, by cause."""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.elements import Cell, Column, Element, Facts, Paragraph, Section
from ragscore.elements.cells import count_cell
from ragscore.elements.numbers import count_text, plain_number, share_text
from ragscore.messages import _, counted
from ragscore.report.charts import causes_bars
from ragscore.report.charts.cause_chart import CAUSE_LABELS, FAILED
from ragscore.report.model import Beside, chart
from ragscore.report.report import Report
from ragscore.report.sections import TITLES
from ragscore.report.sections.arrangement import named, retriever_table
from ragscore.results import DatasetResult

MEANINGS = {
    "below_k": _(
        "A relevant {item} came back, but below rank {k}. A larger k or a reranker can reach it."
    ),
    "duplicate": _(
        "A passage with nearly the same text ranks above the relevant one and is not judged "
        "relevant. Remove duplicates, or judge them alike."
    ),
    "not_returned": _(
        "This retriever did not return a relevant {item} at any rank, but another one did. Fusing "
        "the two can reach it."
    ),
    "nowhere": _(
        "No retriever returned a relevant {item} at any rank. Compare the wording of the query "
        "and the passage, and check the judgment."
    ),
    "cut": _(
        "No chunk that this retriever searches holds enough of the evidence, because its chunker "
        "split it. Larger chunks, an overlap or another chunker can fix that; no retriever can."
    ),
    "failed": _(
        "The system, or one it builds on, did not answer the query or did not return a ranking. "
        "This says nothing about how well it retrieves: look at its errors and retry these "
        "queries."
    ),
}
"""What each cause means, and what helps."""


def failures(report: Report, panel: DatasetResult) -> Section | None:
    """Why queries fail, retriever by retriever, and what each cause means."""
    if panel.causes is None:
        return None  # a note says why
    return Section("failures", TITLES["failures"], tuple(_elements(report, panel)))


def _elements(report: Report, panel: DatasetResult) -> Iterator[Element]:
    causes = panel.causes
    assert causes is not None
    counts = {name: causes.counts(name) for name in panel.retrievers if name in causes.of}
    total = len(causes.query_ids)
    # Most retrievers answer all queries: what cannot happen to them is no column.
    rare = {cause for cause in ("cut", "failed") if not any(of[cause] for of in counts.values())}
    shown = [cause for cause in FAILED if cause not in rare]
    if causes.needs:
        says = _(
            "A query fails for a retriever if the top {k} has no relevant {item}. A query with "
            "several needs fails if the top {k} leaves a need uncovered. Its relevant {items} are "
            "then those that cover that need; if several are uncovered, one of them decides the "
            "cause. Each of the {total} queries with a relevant {item} counts once for each "
            "retriever."
        )
    else:
        says = _(
            "A query fails for a retriever if none of its relevant {items} is in the top {k}. "
            "Each of the {total} queries with a relevant {item} counts once for each retriever."
        )
    yield Paragraph(says.given(k=causes.k, total=count_text(total)))
    if panel.relevant_from != 1:
        yield Paragraph(
            _(
                "A {item} is relevant here from grade {grade} on, as in the primary measure.",
                grade=plain_number(panel.relevant_from),
            ),
            "note",
        )
    if causes.without_relevant:
        text = counted(
            "1 query has no {item} judged relevant and is not counted here.",
            "{count} queries have no {item} judged relevant and are not counted here.",
            causes.without_relevant,
        )
        yield Paragraph(text, "note")
    if not causes.texts:
        yield Paragraph(
            _("The texts of the passages are not known, so near-duplicates cannot be detected."),
            "note",
        )
    bars = chart(
        causes_bars,
        counts,
        numbers={name: report.number(name) for name in counts},
        total=total,
        id=named(panel, "causes"),
        k=causes.k,
        needs=causes.needs,
        panel=panel.index,
    )
    labels = {cause: CAUSE_LABELS[cause].given(k=causes.k) for cause in shown}
    meanings = tuple((labels[cause], MEANINGS[cause].given(k=causes.k)) for cause in shown)
    yield Beside(((bars,), (Facts(meanings),)))
    columns = (
        Column("found", _("Found in the first {k}", k=causes.k), better="high"),
        *(Column(cause, labels[cause], better="low") for cause in shown),
        Column("queries", _("Queries")),
    )
    cells = {}
    for name, of_cause in counts.items():
        failed = [of_cause.get(cause, 0) for cause in shown]
        linked = (
            _part(count, total, name, cause) for cause, count in zip(shown, failed, strict=True)
        )
        found = _part(total - sum(failed), total)
        cells[name] = (found, *linked, count_cell(total))
    title = _("Queries found and not found in the first {k}", k=causes.k)
    yield retriever_table(named(panel, "failures"), title, columns, cells)


def _part(count: int, total: int, retriever: str | None = None, cause: str | None = None) -> Cell:
    """How many, with their share; failures link to their queries."""
    text = count_text(count)
    if total:
        text = f"{text} ({share_text(count / total)})"
    return Cell(count, text, retriever=retriever, cause=cause) if count else Cell(count, text)
