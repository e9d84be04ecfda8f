"""What a notebook shows of a record, a result or a report: the verdict, tables, charts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

from ragscore.comparison import Comparison, DatasetComparison
from ragscore.comparison.tables import measure_table
from ragscore.elements import Details, Element, Paragraph
from ragscore.elements.show import Shown
from ragscore.messages import _
from ragscore.names import Language
from ragscore.report.charts.row_charts import difference_row, forest
from ragscore.report.html.fragment import fragment
from ragscore.report.html.render import Reader
from ragscore.report.model import Chart, chart
from ragscore.report.options import ReportOptions
from ragscore.report.report import Report
from ragscore.report.sections.curves import curve_elements
from ragscore.report.sections.sweep import sweep_page
from ragscore.report.sections.verdict import default_verdict
from ragscore.results import Result
from ragscore.sweeps import SweepResult
from ragscore.tuning import Tuning


@singledispatch
def html_of(shown: Shown, language: Language) -> str:
    """What a notebook shows of a record in a language."""
    return fragment(shown.brief(), Reader(language))


@html_of.register
def report_html(report: Report, language: Language) -> str:
    """A report, in short."""
    return fragment(report.elements(), Reader.of(report))


@html_of.register
def result_html(result: Result, language: Language) -> str:
    """A result: its scores, compared as the experiment says."""
    for part in result:
        if not part.comparisons and part.options.cluster is not None:
            # No interval holds where clusters are not known.
            return html_of(result.scores, language)
    report = Report(result, ReportOptions(language=language))
    elements: list[Element] = []
    for part in result:
        elements += [Paragraph(part.dataset)] if len(list(result)) > 1 else []
        elements += default_verdict(report, part)
    return fragment(elements, Reader.of(report))


@html_of.register
def comparison_html(comparison: Comparison, language: Language) -> str:
    """A comparison: of each dataset the verdict and the differences."""
    retrievers = (name for each in comparison.datasets for name in each.retrievers)
    return fragment(_compared(comparison), Reader(language, tuple(dict.fromkeys(retrievers))))


def _compared(comparison: Comparison) -> Iterator[Element]:
    yield from comparison.brief()
    options, several = comparison.options, len(comparison.datasets) > 1
    for compared in comparison.datasets:
        if several:
            yield Paragraph(compared.dataset)
        if compared.measures:
            yield _forest(compared)
        others = compared.measures[1:]
        if tables := tuple(measure_table(measure, compared, options) for measure in others):
            yield Details(_("The other measures"), tables)


def _forest(compared: DatasetComparison) -> Chart:
    main, numbers = compared.measures[0], compared.retrievers.index
    label = main.difference_label
    return chart(
        forest,
        [
            difference_row(each.retriever, numbers(each.retriever), each)
            for each in main.differences
        ],
        id="forest",
        label=label,
        baseline=compared.baseline,
        margin=main.margin,
        heading=_("Difference in {label} from {baseline}", label=label, baseline=compared.baseline),
    )


@html_of.register
def tuning_html(tuning: Tuning, language: Language) -> str:
    """A tuning: the recommendation of its rule, if it has one, and the curves."""
    return fragment(curve_elements([tuning]), Reader(language, (tuning.retriever,)))


@html_of.register
def sweep_html(found: SweepResult, language: Language) -> str:
    """What a sweep found, as its section has it."""
    names = tuple(dict.fromkeys(found.swept.retrievers))
    return fragment(sweep_page(found, (found.measure,), names), Reader(language, names))
