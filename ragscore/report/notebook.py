"""What a notebook shows of results, comparisons and tunings: the verdict, a table, charts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

from ragscore.comparison import CompareOptions, Comparison
from ragscore.elements import Element, Paragraph
from ragscore.elements.show import Shown
from ragscore.measures import parse_measure
from ragscore.names import Language
from ragscore.report.html.fragment import fragment
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.report.sections.curves import curve_elements
from ragscore.report.sections.sweep import sweep
from ragscore.report.sections.verdict import verdict
from ragscore.results import DatasetResult, Result
from ragscore.results.manifest import Manifest, RetrieverEntry
from ragscore.results.memory_parts import MemoryParts
from ragscore.results.result_view import Noted, ResultView
from ragscore.scoring import Scores
from ragscore.sweeps import SweepResult
from ragscore.tuning import TuneOptions, Tuning


@singledispatch
def html_of(shown: Shown, language: Language) -> str:
    """What a notebook shows of a record in a language."""
    return fragment(tuple(shown.brief()), _report([], language))


@html_of.register
def report_html(report: Report, language: Language) -> str:
    """A report, in short."""
    return fragment(tuple(report.elements()), report)


@html_of.register
def result_html(result: Result, language: Language) -> str:
    """A result: its scores, compared as the experiment says."""
    for part in result:
        if not part.comparisons and part.options.cluster is not None:
            return html_of(
                result.scores, language
            )  # no interval holds where clusters are not known
    report = Report(result, ReportOptions(language=language))
    return fragment(_elements(report, [_default_choice(part) for part in result]), report)


def _default_choice(part: DatasetResult) -> DatasetResult:
    """A part of which only the default baseline and measure can be chosen."""
    compared = part.comparison
    return part.holding(
        means=part.means,
        baselines=(part.baseline,),
        primaries=(part.primary,),
        comparisons={} if compared is None else {(part.baseline, part.primary): compared},
        tunings={},
    )


@html_of.register
def comparison_html(comparison: Comparison, language: Language) -> str:
    """A comparison: of each dataset the verdict, the means, and the differences as a chart."""
    parts = []
    for index, compared in enumerate(comparison.datasets):
        labels = {each.measure: parse_measure(each.measure).label for each in compared.measures}
        parts.append(
            _known(
                compared.dataset,
                index,
                compared.retrievers,
                labels=labels,
                measures=tuple(labels),
                baseline=compared.baseline,
                baselines=(compared.baseline,),
                primary=compared.primary,
                primaries=(compared.primary,),
                comparisons={(compared.baseline, compared.primary): compared},
                options=comparison.options,
                means={measure.measure: measure.means for measure in compared.measures},
            )
        )
    return _shown(parts, language)


@html_of.register
def tuning_html(tuning: Tuning, language: Language) -> str:
    """A tuning: the recommendation of its rule, if it has one, and the curves."""
    return fragment(tuple(curve_elements([tuning])), _report([], language))


@html_of.register
def sweep_html(found: SweepResult, language: Language) -> str:
    """What a sweep found, as its section has it."""
    names = tuple(dict.fromkeys(found.swept.retrievers))
    part = _known(found.dataset, 0, names, measures=(found.measure,), _sweep=Noted(found))
    report = _report([part], language)
    made = sweep(report, part)
    return fragment(made.elements if made is not None else (), report)


_NOTHING = MemoryParts(
    Manifest(schema_version=1, experiment="", created="", datasets=(), retrievers=(), files={}),
    Scores(()),
    {},
    {},
)
_VIEW = ResultView(Noted(CompareOptions()), Noted(TuneOptions()))


def _known(dataset: str, index: int, retrievers: Sequence[str], **parts: Any) -> DatasetResult:
    """A dataset of which these parts are known, and nothing else: nothing is computed."""
    nothing: dict[str, Any] = {key: {} for key in ("runs", "tunings", "latency", "failures")}
    nothing |= {"data": None, "scores": Scores(()), "retrievers": tuple(retrievers)}
    return DatasetResult(_NOTHING, _VIEW, dataset, index).holding(**(nothing | parts))


def _shown(parts: Sequence[DatasetResult], language: Language) -> str:
    report = _report(parts, language)
    return fragment(_elements(report, parts), report)


def _report(parts: Sequence[DatasetResult], language: Language) -> Report:
    """A report of these parts alone, without a result behind them."""
    names = dict.fromkeys(retriever for part in parts for retriever in part.retrievers)
    entries = [RetrieverEntry(dataset="", name=name, status="complete") for name in names]
    manifest = _NOTHING.manifest.model_copy(update={"retrievers": tuple(entries)})
    result = Result(MemoryParts(manifest, Scores(()), {}, {}), _view=_VIEW)
    result = result.holding(dataset_results=tuple(parts))
    return Report(result, ReportOptions(language=language))


def _elements(report: Report, parts: Sequence[DatasetResult]) -> list[Element]:
    elements: list[Element] = []
    for part in parts:
        if len(parts) > 1:
            elements.append(Paragraph(part.dataset))
        made = verdict(report, part)
        elements += made.elements if made is not None else ()
    return elements
