"""Section "changes": before and after, right behind the verdict where another result is given."""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.comparison.paired_changes import MeasureChanges
from ragscore.elements import Details, Element, Paragraph, Section
from ragscore.errors import DataError
from ragscore.messages import _
from ragscore.report.changes import Changes, changes_on
from ragscore.report.charts import forest
from ragscore.report.model import Beside, Chart, chart
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import by_measure, forest_row, named
from ragscore.report.sections.change_tables import (
    change_table,
    movers_table,
    settings_table,
    versions_table,
)
from ragscore.report.sections.change_texts import change_sentence, data_sentences
from ragscore.report.sections.changed_rankings import changed_rankings
from ragscore.results import DatasetResult
from ragscore.results.settings import changed_settings

MOST_SENTENCES = 6
"""With more retrievers than this, only decided changes have their sentences outside a summary."""


def changes(report: Report, panel: DatasetResult) -> Section | None:
    """With an earlier result: what changed since, and what effect that had."""
    if report.before is None:
        return None
    found = changes_on(report.before, report.result, panel)
    elements = [*_compared(report, panel, found)]
    if found is not None and found.pairs:
        elements += changed_rankings(report, panel, found)
    elements += _described(report, panel)
    return Section("changes", _("Before and after"), tuple(elements))


def _compared(report: Report, panel: DatasetResult, found: Changes | None) -> Iterator[Element]:
    assert report.before is not None
    if found is None:
        facts = {"folder": report.before.parts.where, "dataset": panel.dataset}
        yield Paragraph(
            _(
                "The earlier result ({folder}) does not include {dataset}, so there is nothing to "
                "compare.",
                **facts,
            ),
            "warning",
        )
        return
    yield from data_sentences(report, panel, found)
    if found.trouble or not found.pairs:
        return
    yield by_measure(panel, lambda measure: tuple(_on_measure(report, panel, found, measure)))


def _on_measure(
    report: Report, panel: DatasetResult, found: Changes, measure: str
) -> Iterator[Element]:
    changed = (found.measures or {}).get(measure)
    if changed is None:
        label = panel.labels.get(measure, measure)
        yield Paragraph(_("The earlier result does not have {label}.", label=label), "warning")
        return
    sentences = [
        (change, change_sentence(change, changed.measure, found)) for change in changed.changes
    ]
    few = len(sentences) <= MOST_SENTENCES
    shown = [text for change, text in sentences if few or change.difference.decided]
    yield from (Paragraph(text) for text in shown)
    if not few:
        rest = tuple(Paragraph(text) for change, text in sentences if not change.difference.decided)
        if rest:
            summary = _(
                "{count} more retrievers with no decided change on {label}",
                count=len(rest),
                label=changed.measure.label,
            )
            yield Details(summary, rest)
    table = change_table(panel, found, changed)
    yield Beside(((_forest(report, panel, changed, found),), (table,)), (2, 3))
    if not (changed.risen or changed.fallen):
        yield Paragraph(
            _("No query gained or lost on {label}.", label=changed.measure.label), "note"
        )
        return
    risen = _("Queries that gained most on {label}", label=changed.measure.label)
    fallen = _("Queries that lost most on {label}", label=changed.measure.label)
    yield Beside(
        (
            (movers_table(panel, "changes-risen", risen, changed, changed.risen),),
            (movers_table(panel, "changes-fallen", fallen, changed, changed.fallen),),
        )
    )


def _forest(report: Report, panel: DatasetResult, changed: MeasureChanges, found: Changes) -> Chart:
    rows = [
        forest_row(change.pair.after, report.number(change.pair.after), change.difference)
        for change in changed.changes
    ]
    label = changed.measure.label
    return chart(
        forest,
        rows,
        id=named(panel, "changes-forest"),
        label=label,
        baseline=_("before"),
        heading=_("Change in {label} of each retriever since the earlier result", label=label),
        margin=found.options.margin_on(bounded=changed.measure.bounded),
    )


def _described(report: Report, panel: DatasetResult) -> Iterator[Element]:
    """What may explain the change: config, versions, machine."""
    before = report.before
    assert before is not None
    try:
        settings = changed_settings(before.experiment_text, report.result.experiment_text)
    except DataError as error:
        yield Paragraph(
            _("The configs could not be compared: {trouble}", trouble=str(error)), "warning"
        )
    else:
        if settings:
            yield settings_table(panel, settings)
        else:
            yield Paragraph(_("The two results have the same config."), "note")
    versions = versions_table(panel, before.manifest, report.result.manifest)
    if versions.rows:
        yield Details(versions.title, (versions,))
    else:
        yield Paragraph(_("Versions of all packages and the machine are the same."), "note")
