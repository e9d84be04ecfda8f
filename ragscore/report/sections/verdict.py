"""The first thing that people see: the verdict, what it rests on, differences, leaderboard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ragscore.change.value_text import change_headline
from ragscore.comparison.difference_cells import family_name
from ragscore.comparison.measure_tables import difference_label, measure_table
from ragscore.comparison.printing import headline
from ragscore.elements import Element, Headline, Level, Paragraph, Section
from ragscore.messages import Text, _
from ragscore.report.charts import ForestRow, forest
from ragscore.report.model import Beside, Chart, chart
from ragscore.report.ranking import ranked
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import by_both, forest_row, named
from ragscore.report.sections.leaderboard import leaderboard
from ragscore.report.sections.trust import trust
from ragscore.results import DatasetResult

SHARES = (2, 3)
"""Shares of the width: the forest plot, the leaderboard."""


def verdict(report: Report, panel: DatasetResult) -> Section | None:
    """The verdict, the trust row, the differences as a chart, and the leaderboard."""
    changed = report.changes_on(panel)
    since = [] if changed is None else [change_headline(changed)]
    if panel.comparisons:
        compared = by_both(
            panel, lambda baseline, measure: tuple(_compared(report, panel, baseline, measure))
        )
        return Section("verdict", "", (*since, compared))
    return Section("verdict", "", (*since, *_alone(report, panel)))


def _compared(
    report: Report, panel: DatasetResult, baseline: str, measure: str
) -> Iterator[Element]:
    compared = panel.comparisons[baseline, measure]
    yield headline(compared.verdict, note=_not_the_default(panel, measure))
    if panel.scores.entries:  # a comparison alone, shown in a notebook, has none
        yield trust(report, panel, baseline, measure)
    if compared.in_context is not None:  # which the verdict is about
        table = measure_table(compared.in_context, compared, panel.options)
        yield replace(table, id=named(panel, table.id))
    yield Beside(
        (
            (_forest(report, panel, baseline, measure),),
            (leaderboard(panel, baseline, measure),),
        ),
        SHARES,
    )


def _not_the_default(panel: DatasetResult, measure: str) -> Text:
    """The verdict on the experiment's own measure, if a reader chose another: among many
    choices, one shows a clear difference by chance alone. It is the same for every baseline."""
    if measure == panel.primary:
        return ""
    default = panel.comparisons[panel.baseline, panel.primary].verdict
    return _(
        "This verdict is for the choices made on this page. On the experiment's "
        "primary measure, {measure}: {state}.",
        measure=panel.labels[panel.primary],
        state=default.lines[0].word,
    )


def _alone(report: Report, panel: DatasetResult) -> Iterator[Element]:
    """Without a comparison: the recommended k of the only retriever, if there is one."""
    if len(panel.retrievers) == 1 and panel.tunings:
        tuning = panel.tunings[panel.retrievers[0]]
        level: Level = "good" if tuning.setting is not None else "fair"
        if tuning.setting is None:
            word = _("How many passages")
        else:
            word = _("Recommended k") if tuning.thresholds.by == "k" else _("Recommended cut")
        sample = panel.entry.sample
        caveat = "" if sample is None else sample.caveat()
        yield Headline("K", word, level, tuning.sentence, note=caveat)
    elif len(panel.retrievers) == 1:
        yield Paragraph(_("There is one retriever, so nothing is compared."), "note")
    else:
        yield Paragraph(
            _("The retrievers could not be compared; the notes under Judgments say why."), "warning"
        )
    yield trust(report, panel, panel.baseline, panel.primary)
    yield leaderboard(panel, panel.baseline, panel.primary)


def _forest(report: Report, panel: DatasetResult, baseline: str, measure: str) -> Chart:
    comparison = panel.comparisons[baseline, measure]
    family, compared = comparison.family, comparison[measure]
    against = {difference.retriever: difference for difference in compared.differences}
    rows = [
        forest_row(name, report.number(name), against[name])
        if name in against
        else ForestRow(name, report.number(name), 0.0, None, None, is_baseline=True)
        for name in ranked(panel, measure)
    ]
    return chart(
        forest,
        rows,
        id=named(panel, "forest"),
        label=difference_label(measure),
        baseline=baseline,
        margin=compared.margin,
        family=family_name(family) if family.m > 1 else "",
    )
