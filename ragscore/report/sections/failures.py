"""Why queries fail: what each retriever does not find within k, by cause."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ragscore.diagnose import Causes
from ragscore.elements import Cell, Element, Facts, Paragraph, Section
from ragscore.elements.cells import name_cell, retriever_column
from ragscore.elements.numbers import count_text, plain_number, share_text
from ragscore.elements.tables import column, table
from ragscore.messages import Message, _, counted
from ragscore.report.charts.stacked_bars import Bar, stacked_bars
from ragscore.report.model import Beside, chart, explorer_link
from ragscore.report.report import Report
from ragscore.report.sections import TITLES
from ragscore.report.sections.arrangement import named
from ragscore.results import DatasetResult


def failures(report: Report, panel: DatasetResult) -> Section | None:
    """Why queries fail, retriever by retriever, and what each cause means."""
    causes = panel.causes
    if causes is None:
        return None  # a note says why
    return Section("failures", TITLES["failures"], tuple(_elements(report, panel, causes)))


def cause_texts(k: int) -> dict[str, tuple[Message, Message]]:
    """By cause, its name, and what it means and what helps: first what a larger k cures, then what
    no retriever here finds, or could; last, no answer."""
    return {
        "below_k": (
            _("Returned below rank {k}", k=k),
            _("A larger k or a reranker can reach it."),
        ),
        "duplicate": (
            _("Below a near-duplicate"),
            _(
                "A passage with nearly the same text ranks above the relevant one and is not "
                "judged relevant. Remove duplicates, or judge them alike."
            ),
        ),
        "not_returned": (
            _("Not returned"),
            _("Another retriever returned a relevant {item}. Fusing the two can reach it."),
        ),
        "nowhere": (
            _("Returned by no retriever"),
            _("Compare the wording of the query and the passage, and check the judgment."),
        ),
        "cut": (
            _("Cut by the chunker"),
            _(
                "No chunk that this retriever searches holds enough of the evidence, because its "
                "chunker split it. Larger chunks, an overlap or another chunker can fix that; no "
                "retriever can."
            ),
        ),
        "failed": (
            _("Did not answer"),
            _(
                "The system, or one it builds on, did not answer the query or did not return a "
                "ranking. This says nothing about how well it retrieves: look at its errors and "
                "retry these queries."
            ),
        ),
    }


def _elements(report: Report, panel: DatasetResult, causes: Causes) -> Iterator[Element]:
    total = len(causes.query_ids)
    counts = {}
    for name in panel.retrievers:
        if name in causes.of:
            failed = causes.counts(name)
            counts[name] = {"found": total - sum(failed.values()), **failed}
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
    texts = cause_texts(causes.k)
    found = _("Found in the first {k}", k=causes.k)

    def bar(name: str) -> Bar:
        links = {cause: explorer_link(panel.index, cause=cause, retriever=name) for cause in texts}
        return Bar(name, report.number(name), counts[name], total, links)

    bars = chart(
        stacked_bars,
        list(map(bar, counts)),
        {"found": found, **{cause: label for cause, (label, _means) in texts.items()}},
        id=named(panel, "causes"),
        heading=_("Where queries find what they need")
        if causes.needs
        else _("Where the first relevant {item} is"),
        counted=_("queries"),
        note=_("Select a part of a bar to see its queries."),
    )
    # Most retrievers answer all queries: what cannot happen to them is no column.
    for rare in ("cut", "failed"):
        if not any(of_cause[rare] for of_cause in counts.values()):
            del texts[rare]
    yield Beside(((bars,), (Facts(tuple(texts.values())),)))

    def part(cause: str) -> Callable[[str], Cell]:
        """How many queries have a cause, with their share; failures link to their queries."""

        def cell(name: str) -> Cell:
            count = counts[name][cause]
            share = f" ({share_text(count / total)})" if total else ""
            text = f"{count_text(count)}{share}"
            if cause == "found" or not count:
                return Cell(count, text)
            return Cell(count, text, retriever=name, cause=cause)

        return cell

    yield table(
        named(panel, "failures"),
        _("Queries found and not found in the first {k}", k=causes.k),
        (
            (retriever_column(), name_cell),
            column("found", found, part("found"), better="high"),
            *(
                column(cause, label, part(cause), better="low")
                for cause, (label, _means) in texts.items()
            ),
        ),
        counts,
    )
