"""All measures of all retrievers, their average over the datasets, all pairs, the margin."""

from __future__ import annotations

from collections.abc import Iterator

from ragscore.comparison.tables import margin_element, measure_column, pairs_table
from ragscore.elements import Element, Section, Table
from ragscore.elements.cells import mean_cell
from ragscore.messages import Text, _
from ragscore.report.ranking import decided_best, measure_notes
from ragscore.report.report import Report
from ragscore.report.sections import TITLES
from ragscore.report.sections.arrangement import by_both, by_measure, named, retriever_table
from ragscore.results import DatasetResult
from ragscore.scoring import Scores
from ragscore.scoring.score_tables import means_table


def measures(report: Report, panel: DatasetResult) -> Section | None:
    """All means with intervals, the differences of all pairs, and equality within the margin."""
    if not panel.retrievers:
        return None
    elements: list[Element] = [_means(panel), *_average(report, panel)]
    if panel.comparisons:
        elements.append(by_measure(panel, lambda measure: _pairs(panel, measure)))
        elements.append(by_both(panel, lambda baseline, measure: _margin(panel, baseline, measure)))
    return Section("measures", TITLES["measures"], tuple(elements))


def _means(panel: DatasetResult) -> Table:
    comparison = panel.comparisons.get((panel.baseline, panel.primary))
    best = {name: decided_best(comparison, name) for name in panel.measures}
    cells = {
        name: [
            mean_cell(
                (mean := panel.means[measure][name]).value,
                mean,
                strong=best[measure] == name,
                retriever=name,
            )
            for measure in panel.measures
        ]
        for name in panel.retrievers
    }
    columns = [measure_column(measure) for measure in panel.measures]
    notes: list[Text] = [_("In brackets: 95 % intervals, each taken alone.")]
    if any(best.values()):
        notes.append(_("Bold: better than every other retriever, each difference decided."))
    if panel.comparisons:
        notes += measure_notes(next(iter(panel.comparisons.values())), panel.measures)
    title = _("All measures")
    return retriever_table(named(panel, "measures"), title, columns, cells, notes)


def _average(report: Report, panel: DatasetResult) -> Iterator[Table]:
    """The unweighted average over the datasets, as ``run`` prints it; nothing for a single
    dataset."""
    scores = Scores.joined(panel.scores for panel in report.result)
    rows = list(scores.averages())
    if not rows:
        return
    found = dict.fromkeys(row.measure for row in rows)
    shown = [measure for measure in panel.measures if measure in found]
    shown += [measure for measure in found if measure not in shown]
    yield means_table(
        rows,
        title=_("Average of {datasets} datasets, unweighted", datasets=len(scores.datasets)),
        id=named(panel, "average"),
        columns=[measure_column(measure, interval=False) for measure in shown],
        notes=[
            _(
                "Each dataset counts the same, however many queries it has. A measure "
                "without a value on one of them has no average."
            )
        ],
    )


def _pairs(panel: DatasetResult, measure: str) -> tuple[Element, ...]:
    comparison = next(iter(panel.comparisons.values()))
    pairs, id = comparison.all_pairs(measure), named(panel, "pairs")
    return tuple(pairs_table(measure, pairs, comparison, panel.options, id=id))


def _margin(panel: DatasetResult, baseline: str, measure: str) -> tuple[Element, ...]:
    compared = panel.comparisons[baseline, measure][measure]
    return tuple(margin_element(compared, baseline, id=named(panel, "margin")))
