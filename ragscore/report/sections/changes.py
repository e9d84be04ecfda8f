"""Section "changes": before and after, right behind the verdict where another result is given."""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.change import ranking_changes, value_text
from ragscore.change.between import changes_on_dataset
from ragscore.change.values import ValueChanges, value_changes
from ragscore.elements import Details, Element, Headline, Paragraph, Section
from ragscore.errors import RagscoreError
from ragscore.measures import parse_measure
from ragscore.messages import _
from ragscore.report.model import Beside
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import by_measure, named
from ragscore.results import DatasetResult, Result

K = 10
"""The cutoff of changed rankings where the primary measure has none."""
MOST_QUERIES = 10
"""Changed queries of each retriever that are listed."""


def changes(report: Report, panel: DatasetResult) -> Section | None:
    """With an earlier result: what changed since, and what effect that had."""
    before = report.before
    if before is None:
        return None
    return Section("changes", _("Before and after"), tuple(_elements(report, before, panel)))


def since(report: Report, panel: DatasetResult) -> Iterator[Headline]:
    """The headline: who became better or worse since an earlier result that has the dataset."""
    found = None if report.before is None else _found(report, report.before, panel)
    if found is not None:
        yield value_text.change_headline(found)


def _found(report: Report, before: Result, panel: DatasetResult) -> ValueChanges | None:
    """What changed; None if the earlier result lacks the dataset."""
    key = f"changes of {panel.dataset}"
    if key not in report.shared:
        report.shared[key] = value_changes(before, report.result, panel)
    found: ValueChanges | None = report.shared[key]
    return found


def _elements(report: Report, before: Result, panel: DatasetResult) -> Iterator[Element]:
    found = _found(report, before, panel)
    if found is None:
        text = _(
            "The earlier result ({folder}) does not include {dataset}, so there is nothing to "
            "compare.",
            folder=before.parts.where,
            dataset=panel.dataset,
        )
        yield Paragraph(text, "warning")
    else:
        yield from value_text.compared_sentences(found, panel.labels)
        if found.names.pairs and not found.trouble:
            yield by_measure(panel, lambda name: tuple(_on_measure(panel, found, name)))
        if found.names.pairs:
            yield from _rankings(before, report.result, panel, found)
    yield from value_text.fact_elements(before, report.result, named(panel, ""))


def _on_measure(panel: DatasetResult, found: ValueChanges, measure: str) -> Iterator[Element]:
    label = panel.labels.get(measure, measure)
    changed = found.measures.get(measure)
    if changed is None:
        yield Paragraph(_("The earlier result does not have {label}.", label=label), "warning")
        return
    yield Paragraph(value_text.change_summary(changed))
    yield value_text.change_table(changed, found.options)
    if changed.risen or changed.fallen:
        queries = None if panel.data is None else panel.data.queries
        risen, fallen = value_text.moved_tables(changed, queries, named(panel, ""))
        yield Beside(((risen,), (fallen,)))
    else:
        yield Paragraph(_("No query gained or lost on {label}.", label=label), "note")


def _rankings(
    before: Result, after: Result, panel: DatasetResult, values: ValueChanges
) -> Iterator[Element]:
    """Which top k changed, at the cutoff of the primary measure, and how; unjudged queries are
    included."""
    cutoff = parse_measure(panel.primary).cutoff
    k = cutoff if isinstance(cutoff, int) else K
    try:
        found = changes_on_dataset(before, after, values.data.names, k=k)
    except RagscoreError as error:
        text = _("The rankings could not be compared: {trouble}", trouble=str(error))
        yield Paragraph(text, "warning")
        return
    (dataset,), prefix = found.datasets, named(panel, "")
    yield from map(Paragraph, ranking_changes.sentences(found, dataset))
    yield ranking_changes.change_table(found, dataset, prefix)
    yield from (Paragraph(note, "note") for note in ranking_changes.notes(dataset))
    if details := tuple(ranking_changes.detail_tables(found, dataset, prefix, MOST_QUERIES)):
        summary = _("How the rankings changed: scores, slices, the queries to look at")
        yield Details(summary, details)
