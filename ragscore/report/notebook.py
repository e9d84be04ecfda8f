"""What a notebook shows of results, comparisons and tunings: the verdict, a table, charts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch

from pydantic import ValidationError

from ragscore.blocks import Block, Paragraph
from ragscore.comparison import (
    CompareOptions,
    Comparison,
    DatasetComparison,
    MeanWithInterval,
    compare,
)
from ragscore.comparison.every import means_alone
from ragscore.comparison.identical import identical_runs
from ragscore.comparison.model import Identical
from ragscore.dataset import Queries
from ragscore.dataset.labels import clusters_of
from ragscore.errors import RagscoreError
from ragscore.report.build import Report
from ragscore.report.data import Panel, ReportData
from ragscore.report.gather import USUAL_K
from ragscore.report.html.fragment import fragment
from ragscore.report.options import ReportOptions
from ragscore.report.sections.curves import curves
from ragscore.report.sections.verdict import verdict
from ragscore.report.strings import STRINGS
from ragscore.results import RecordedResult
from ragscore.scoring import Scores, profile_named
from ragscore.strings import Language
from ragscore.tuning import Tuning

Latency = Callable[[str, str], float | None]
"""(dataset, retriever) to half of the single queries' time in milliseconds."""
SHOWN = ("verdict", "changes", "curves")
"""The sections of a report that a notebook shows; the others stand on its page."""


@singledispatch
def html_of(shown: object) -> str:
    """What a notebook shows of a result, a comparison, a tuning or a report."""
    raise TypeError(f"a {type(shown).__name__} has no HTML")


@html_of.register
def report_html(report: Report) -> str:
    """A report, in short."""
    several = len(report.panels) > 1
    blocks: list[Block] = []
    for panel in report.panels:
        blocks += [Paragraph(panel.dataset)] if several else []
        for section in panel.sections:
            blocks += section.blocks if section.id in SHOWN else ()
    return fragment(tuple(blocks), report.data)


def scores_html(
    scores: Scores,
    *,
    name: str,
    options: CompareOptions | None = None,
    comparison: Comparison | None = None,
    queries: Callable[[str], Queries] | None = None,
    latency: Latency = lambda dataset, retriever: None,
    failures: Mapping[tuple[str, str], str] | None = None,
    identical: Callable[[str], Sequence[Identical]] = lambda dataset: (),
) -> str:
    """Scores: of each dataset the verdict, the leaderboard, and the differences as a chart.

    Args:
        scores: of any retrievers.
        name: of the experiment.
        options: how they are compared; by default as an experiment does.
        comparison: where they were compared already.
        queries: by dataset, where the options cluster them.
        latency: what each retriever takes.
        failures: by (dataset, retriever) without a run: the error.
        identical: by dataset, retrievers that returned the same passages for every query.
    """
    options = options or CompareOptions()
    held = {one.dataset: one for one in comparison.datasets} if comparison is not None else {}
    panels: list[Panel] = []
    for dataset in scores.datasets:
        part = Scores(tuple(one for one in scores.entries if one.dataset == dataset))
        compared = held.get(dataset)
        timed = {one: latency(dataset, one) for one in part.retrievers}
        known = {one: value for one, value in timed.items() if value is not None}
        if compared is None:
            compared = _compared(part, options, queries, known, identical)
        if compared is None and options.cluster is not None:
            return means_html(scores)  # no interval holds where the clusters are not known
        panel = _panel(
            len(panels),
            dataset,
            part.retrievers,
            {str(measure): measure.label for measure in part.measures},
            compared,
            options,
            scores=part,
            latency=known,
            failures={r: error for (at, r), error in (failures or {}).items() if at == dataset},
        )
        panels.append(panel)
    return _shown(name, panels, options.language)


@html_of.register
def means_html(scores: Scores) -> str:
    """Scores alone: their means."""
    return fragment(scores.blocks(), _data("", (), "en"))


@html_of.register
def recorded_html(result: RecordedResult) -> str:
    """A result folder: its scores, compared as the experiment says."""
    try:
        options = CompareOptions.model_validate(result.manifest.compare or {})
    except ValidationError:  # written by another version
        options = CompareOptions()
    return scores_html(
        result.scores,
        name=result.name,
        options=options,
        queries=lambda dataset: result.dataset(dataset).queries,
        latency=result.latency_ms,
        failures=result.failures,
        identical=lambda dataset: _identical(result, dataset),
    )


def _identical(result: RecordedResult, dataset: str) -> tuple[Identical, ...]:
    """Retrievers of a recorded result that returned the same passages for every query."""
    read = profile_named(result.profile).run
    entries = [one for one in result.scores.entries if one.dataset == dataset]
    try:
        corpus = result.dataset(dataset).corpus
    except RagscoreError:
        corpus = None
    return identical_runs(
        {one.retriever: read(result.run(dataset, one.retriever)) for one in entries},
        entries,
        settings={one.name: one.spec for one in result.manifest.retrievers},
        titled=None if corpus is None else corpus.titled,
    )


@html_of.register
def comparison_html(comparison: Comparison) -> str:
    """A comparison: of each dataset the verdict, the means, and the differences as a chart."""
    panels = [
        _panel(
            at,
            one.dataset,
            one.retrievers,
            {measure.measure: measure.label for measure in one.measures},
            one,
            comparison.options,
        )
        for at, one in enumerate(comparison.datasets)
    ]
    return _shown("", panels, comparison.options.language)


@html_of.register
def tuning_html(tuning: Tuning) -> str:
    """A tuning: what is recommended by its rule, if it has one, and the curves."""
    panel = _panel(0, tuning.dataset, (tuning.retriever,), {}, None, CompareOptions())
    of = {tuning.retriever: tuning}
    panel = replace(panel, tunings=of, curves=of if tuning.thresholds.by == "k" else {})
    return _shown("", [panel], tuning.options.language)


def _compared(
    scores: Scores,
    options: CompareOptions,
    queries: Callable[[str], Queries] | None,
    latency: Mapping[str, float],
    identical: Callable[[str], Sequence[Identical]],
) -> DatasetComparison | None:
    """The comparison of one dataset's scores; None where it cannot be made."""
    if len(scores.retrievers) < 2:
        return None
    if options.baseline not in scores.retrievers:
        options = options.model_copy(update={"baseline": None})
    clusters = None
    try:
        if options.cluster is not None and queries is not None:
            clusters = clusters_of(queries(scores.datasets[0]), options.cluster)
        (dataset,) = scores.datasets
        same = {dataset: identical(dataset)}
        return compare(
            scores, options, clusters=clusters, latency=latency, identical=same
        ).datasets[0]
    except RagscoreError:
        return None


def _means(
    scores: Scores | None, comparison: DatasetComparison | None, options: CompareOptions
) -> dict[str, dict[str, MeanWithInterval]]:
    """By measure and retriever; each alone where nothing was compared."""
    if comparison is not None:
        return {measure.measure: dict(measure.means) for measure in comparison.measures}
    means: dict[str, dict[str, MeanWithInterval]] = {}
    for entry in scores.entries if scores is not None else ():
        for measure, mean in means_alone(entry, options).items():
            means.setdefault(measure, {})[entry.retriever] = mean
    return means


def _panel(
    index: int,
    dataset: str,
    retrievers: Sequence[str],
    labels: Mapping[str, str],
    comparison: DatasetComparison | None,
    options: CompareOptions,
    *,
    scores: Scores | None = None,
    latency: Mapping[str, float] | None = None,
    failures: Mapping[str, str] | None = None,
) -> Panel:
    """A panel of what is known without the result's folder."""
    measures = tuple(labels)
    primary = comparison.primary if comparison is not None else next(iter(measures), "")
    baseline = comparison.baseline if comparison is not None else retrievers[0]
    return Panel(
        index=index,
        dataset=dataset,
        retrievers=tuple(retrievers),
        measures=measures,
        labels=labels,
        scores=scores if scores is not None else Scores(()),
        baseline=baseline,
        primary=primary,
        baselines=(baseline,),
        primaries=(primary,),
        comparisons={(baseline, primary): comparison} if comparison is not None else {},
        options=options,
        slices={},
        overlap=(),
        tunings={},
        k=USUAL_K,
        causes=None,
        runs={},
        data=None,
        latency=latency or {},
        failures=failures or {},
        entry={},
        entries={},
        means=_means(scores, comparison, options),
    )


def _shown(name: str, panels: Sequence[Panel], language: Language) -> str:
    data = _data(name, panels, language)
    blocks: list[Block] = []
    for panel in panels:
        if len(panels) > 1:
            blocks.append(Paragraph(panel.dataset))
        made = curves(data, panel) if panel.tunings else verdict(data, panel)
        blocks += made.blocks if made is not None else ()
    return fragment(blocks, data)


def _data(name: str, panels: Sequence[Panel], language: Language) -> ReportData:
    names = dict.fromkeys(retriever for panel in panels for retriever in panel.retrievers)
    return ReportData(
        name=name,
        description="",
        folder="",
        manifest={},
        experiment="",
        retrievers=tuple(names),
        panels=tuple(panels),
        options=ReportOptions(language=language),
        words=STRINGS.strings(language),
    )
