"""The first thing that people see: the verdict, what it rests on, differences, leaderboard."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ragscore.report.data import Panel, ReportData
from ragscore.report.model import Beside, Block, Figure, Headline, Level, Paragraph, Section
from ragscore.report.sections.choices import by_both, named
from ragscore.report.sections.leaderboard import leaderboard
from ragscore.report.sections.means import difference_label, ranked
from ragscore.report.sections.trust import trust

if TYPE_CHECKING:
    from ragscore.comparison.model import Verdict

LEVELS: dict[str, Level] = {
    "CHECK DATA": "poor",
    "TOO FEW": "fair",
    "SMALL": "good",
    "CLEAR": "good",
    "EQUAL": "good",
    "TIE GROUP": "fair",
    "UNDECIDED": "fair",
}
"""Good where something is decided: that two are equal for practical purposes, too."""
SHARES = (2, 3)
"""Of the width: the forest plot, the leaderboard."""


def verdict(data: ReportData, panel: Panel) -> Section | None:
    """The verdict, the trust row, the differences as a chart, and the leaderboard."""
    if panel.comparisons:
        compared = by_both(
            panel, lambda baseline, measure: tuple(_compared(data, panel, baseline, measure))
        )
        return Section("verdict", "", (compared,))
    return Section("verdict", "", tuple(_alone(data, panel)))


def _compared(data: ReportData, panel: Panel, baseline: str, measure: str) -> Iterator[Block]:
    said = panel.comparisons[baseline, measure].verdict
    yield Headline(
        said.state,
        _word(data, said),
        LEVELS[said.state],
        said.text,
        said.mixed or "",
        _not_the_default(data, panel, baseline, measure),
    )
    if panel.scores.entries:  # a comparison alone, shown in a notebook, has none
        yield trust(data, panel, baseline, measure)
    yield Beside(
        (
            (_forest(data, panel, baseline, measure),),
            (leaderboard(data, panel, baseline, measure),),
        ),
        SHARES,
    )


def _word(data: ReportData, verdict: Verdict) -> str:
    return data.words(f"state_{verdict.state.lower().replace(' ', '_')}")


def _not_the_default(data: ReportData, panel: Panel, baseline: str, measure: str) -> str:
    """What the experiment itself says, where a reader chose another measure or baseline: so many
    choices hold a clear difference by chance alone."""
    if (baseline, measure) == (panel.baseline, panel.primary):
        return ""
    default = panel.comparisons[panel.baseline, panel.primary].verdict
    return data.words(
        "verdict_chosen",
        measure=panel.labels[panel.primary],
        baseline=panel.baseline,
        state=_word(data, default),
    )


def _alone(data: ReportData, panel: Panel) -> Iterator[Block]:
    """Without a comparison: the recommended k of the only retriever, if it can be told."""
    if len(panel.retrievers) == 1 and panel.tunings:
        tuning = panel.tunings[panel.retrievers[0]]
        level: Level = "good" if tuning.reached else "fair"
        yield Headline("K", data.words("state_k"), level, tuning.sentence)
    elif len(panel.retrievers) == 1:
        yield Paragraph(data.words("nothing_to_compare"), "note")
    else:
        yield Paragraph(data.words("not_compared"), "warning")
    yield trust(data, panel, panel.baseline, panel.primary)
    yield leaderboard(data, panel, panel.baseline, panel.primary)


def _forest(data: ReportData, panel: Panel, baseline: str, measure: str) -> Figure:
    from ragscore.report.charts import ForestRow, forest

    against = {
        one.retriever: one for one in panel.comparisons[baseline, measure][measure].differences
    }
    rows = []
    for name in ranked(panel, measure):
        number = data.number(name)
        if name not in against:
            rows.append(ForestRow(name, number, 0.0, None, None, is_baseline=True))
            continue
        one = against[name]
        rows.append(
            ForestRow(name, number, one.value, one.interval.low, one.interval.high, one.decided)
        )
    return forest(
        rows,
        id=named(panel, "forest"),
        label=difference_label(panel, measure),
        baseline=baseline,
        margin=panel.options.margin,
        words=data.words,
    )
