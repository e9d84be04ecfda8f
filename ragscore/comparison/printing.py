"""What is printed of a comparison, as elements: verdict, tables, how to read them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ragscore.comparison.document import DatasetComparison
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.overlap import Overlap, overlap_note, overlap_table
from ragscore.comparison.query_slices import Slices
from ragscore.comparison.record import MeasureComparison
from ragscore.comparison.slice_tables import gap_table, slice_table
from ragscore.comparison.tables import (
    correction_name,
    difference_label,
    family_name,
    leader_table,
    margin_element,
    measure_table,
    pairs_table,
)
from ragscore.comparison.verdict_text import verdict_elements
from ragscore.elements import Element, Lines, Section, Table
from ragscore.elements.cells import latency_column, latency_range_cell
from ragscore.elements.numbers import count_text
from ragscore.messages import Text, _, counted

TESTS = {
    "randomization": _("randomization test (sign flips)"),
    "t": _("paired t test"),
    "wilcoxon": _("Wilcoxon signed-rank test"),
}


def brief_elements(
    comparison: DatasetComparison,
    options: CompareOptions,
    *,
    named: bool,
    latency: Mapping[str, float] = MappingProxyType({}),
) -> Section:
    """The verdict and the differences on the primary measure, the best first.

    Args:
        comparison: on one dataset.
        options: how it was made.
        named: whether to name the dataset, where there are several.
        latency: milliseconds a query by retriever, where known.
    """
    elements: list[Element] = [*verdict_elements(comparison.verdict)]
    for measure in (comparison.in_context, *comparison.measures[:1]):
        if measure is not None:
            elements.append(_ranking_table(measure, comparison, options, latency))
            latency = {}
    if comparison.notes:
        elements.append(Lines(comparison.notes))
    return _section(comparison, elements, named=named)


def _ranking_table(
    measure: MeasureComparison,
    comparison: DatasetComparison,
    options: CompareOptions,
    latency: Mapping[str, float],
) -> Table:
    """The table of a measure, the best first: the mean, the difference, the time of a query and on
    how many queries each is better. What else the table has, CSV has."""
    full, sign = measure_table(measure, comparison, options), 1 if measure.lower_is_better else -1
    rows = dict(zip(comparison.retrievers, full.rows, strict=True))
    order = sorted(
        rows, key=lambda name: (math.isnan(value := measure.means[name].value), sign * value)
    )
    columns = [
        replace(column, label=_("Better/worse/same"))
        if column.name == "W/L/T"
        else replace(column, extra=at > 2)
        for at, column in enumerate(full.columns)
    ]
    made = [
        [replace(cell, interval="") if at == 1 else cell for at, cell in enumerate(rows[name])]
        for name in order
    ]
    if latency:
        columns.insert(3, replace(latency_column(), unit=""))
        for name, row in zip(order, made, strict=True):
            row.insert(3, latency_range_cell(latency.get(name)))
    return replace(full, columns=tuple(columns), rows=tuple(map(tuple, made)))


def comparison_elements(
    comparison: DatasetComparison,
    options: CompareOptions,
    *,
    named: bool,
    slices: Iterable[Slices] = (),
    overlap: Sequence[Overlap] = (),
    every_measure: bool = True,
) -> Section:
    """All that is printed of the comparison on one dataset, the verdict first.

    Args:
        comparison: on one dataset.
        options: how it was made.
        named: whether to name the dataset, where there are several.
        slices: of its queries.
        overlap: of each pair of runs.
        every_measure: whether slices are shown by all measures, or by the primary one alone.
    """
    measures = [measure.measure for measure in comparison.measures]
    elements: list[Element] = [
        *verdict_elements(comparison.verdict),
        Lines((_queries(comparison), *comparison.notes)),
        *(
            measure_table(found, comparison, options)
            for found in (comparison.in_context, *comparison.measures)
            if found is not None
        ),
        *leader_table(comparison, options),
    ]
    for measure in comparison.measures[:1]:
        elements += margin_element(measure, comparison.baseline)
    for name, pairs in (comparison.pairs or {}).items():
        elements += pairs_table(name, pairs, comparison, options, id=f"pairs-{name}")
    for of in slices:
        for name in measures if every_measure else [comparison.primary]:
            elements += _slices(of, name, options)
    if overlap:
        elements.append(overlap_table(overlap, comparison.primary))
        elements.append(overlap_note(overlap))
    reading = tuple(how_to_read(comparison, options))
    elements.append(Lines(reading, _("How to read this")))
    return _section(comparison, elements, named=named)


def _section(comparison: DatasetComparison, elements: Iterable[Element], *, named: bool) -> Section:
    made = Section("comparison", comparison.dataset if named else "", tuple(elements))
    if comparison.sample is None:
        return made
    return made.with_caveat(comparison.sample.caveat())


def _slices(of: Slices, measure: str, options: CompareOptions) -> Iterator[Element]:
    if of.slices:
        yield slice_table(of, measure, id=f"slices-{of.by}-{measure}")
        yield from gap_table(of, measure, options, id=f"gaps-{of.by}-{measure}")


def _queries(comparison: DatasetComparison) -> Text:
    queries = counted("1 query", "{count} queries", comparison.n)
    if comparison.clusters is not None:
        clusters = count_text(comparison.clusters)
        queries = _("{queries} in {clusters} clusters", queries=queries, clusters=clusters)
    facts = {"dataset": comparison.dataset, "baseline": comparison.baseline}
    return _("{dataset}: {queries}, compared with {baseline}.", queries=queries, **facts)


def how_to_read(comparison: DatasetComparison, options: CompareOptions) -> Iterator[Text]:
    """What the columns mean, and which comparisons form a family."""
    m, family = comparison.family.m, family_name(comparison.family)
    raw = options.correction == "none"
    if m <= 1:
        family = _("{family}, so nothing is corrected", family=family)
    elif raw:
        family = _(
            "{family} on each measure; p-values are not corrected for their number", family=family
        )
    else:
        correction = correction_name(options)
        family = _(
            "{family} on each measure, corrected by {correction}",
            family=family,
            correction=correction,
        )
    if comparison.identical:
        family = _("{family}; retrievers that returned the same count as one", family=family)
    first = {"family": family, "first": difference_label(comparison.primary)}
    if (context := comparison.in_context) is None:
        yield _(
            "Family: {family}. {first} was listed first, so it is primary and "
            "decides the verdict. Each other measure is secondary and a family of "
            "its own.",
            **first,
        )
    else:
        yield _(
            "Family: {family}. {first} was listed first, so it is primary; "
            "retrievers search different chunks, so {label} decides the verdict. "
            "Each other measure is secondary and a family of its own.",
            **first,
            label=context.label,
        )
    yield _(
        "p: two-sided {test}. W/L/T: queries on which the retriever is better, "
        "worse, the same. d_z: mean difference over the standard deviation of "
        "the differences. Detectable: the smallest true difference that this "
        "many {unit} detect with 80 % power at {alpha}.",
        test=TESTS[options.test],
        unit=_("queries") if comparison.clusters is None else _("clusters of queries"),
        alpha=".05" if m <= 1 or raw else f".05/{m}",
    )
