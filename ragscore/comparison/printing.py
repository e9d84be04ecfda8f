"""What is printed of a comparison: the verdict, tables, how to read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ragscore.comparison.comparing import Comparison, DatasetComparison
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.overlap import overlap_note, overlap_table
from ragscore.comparison.slice_tables import gap_table, slice_table
from ragscore.comparison.tables import (
    CORRECTIONS,
    family_name,
    leader_table,
    margin_element,
    measure_table,
    pairs_table,
    ranking_table,
)
from ragscore.comparison.verdict_text import verdict_elements
from ragscore.elements import Element, Lines, Section
from ragscore.elements.numbers import count_text
from ragscore.messages import Message, Text, _, counted
from ragscore.stats.paired import Test

TESTS: Mapping[Test, Message] = {
    "randomization": _("randomization test (sign flips)"),
    "t": _("paired t test"),
    "wilcoxon": _("Wilcoxon signed-rank test"),
}


def brief_elements(
    comparison: DatasetComparison,
    options: CompareOptions,
    *,
    named: bool,
    latency: Mapping[str, float],
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
            elements.append(ranking_table(measure, comparison, options, latency))
            latency = {}
    if comparison.notes:
        elements.append(Lines(comparison.notes))
    return _section(comparison, elements, named=named)


def comparison_elements(
    whole: Comparison, comparison: DatasetComparison, every_measure: bool
) -> Section:
    """All that is printed of the comparison on one dataset, the verdict first.

    Args:
        whole: the comparison that it is a part of.
        comparison: on one dataset.
        every_measure: whether slices are shown by all measures, or by the primary one alone.
    """
    options, measures = whole.options, comparison.measures
    elements: list[Element] = [
        *verdict_elements(comparison.verdict),
        Lines((_queries(comparison), *comparison.notes)),
        *(
            measure_table(found, comparison, options)
            for found in (comparison.in_context, *measures)
            if found is not None
        ),
        *leader_table(comparison, options),
    ]
    for measure in measures[:1]:
        elements += margin_element(measure, comparison.baseline)
    for name, pairs in (comparison.pairs or {}).items():
        elements += pairs_table(name, pairs, comparison, options, id=f"pairs-{name}")
    for of in whole.slices:
        if of.dataset == comparison.dataset and of.slices:
            for measure in measures if every_measure else measures[:1]:
                name = measure.measure
                elements.append(slice_table(of, name, id=f"slices-{of.by}-{name}"))
                elements += gap_table(of, name, options, id=f"gaps-{of.by}-{name}")
    if overlap := whole.overlap.get(comparison.dataset):
        elements += [overlap_table(overlap, comparison.primary), overlap_note(overlap)]
    reading = tuple(how_to_read(comparison, options))
    elements.append(Lines(reading, _("How to read this")))
    return _section(comparison, elements, named=len(whole.datasets) > 1)


def _section(comparison: DatasetComparison, elements: Iterable[Element], *, named: bool) -> Section:
    made = Section("comparison", comparison.dataset if named else "", tuple(elements))
    if comparison.sample is None:
        return made
    return made.with_caveat(comparison.sample.caveat())


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
        family = _(
            "{family} on each measure, corrected by {correction}",
            family=family,
            correction=CORRECTIONS[options.correction],
        )
    if comparison.identical:
        family = _("{family}; retrievers that returned the same count as one", family=family)
    first = {"family": family, "first": comparison.measures[0].difference_label}
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
        "p: two-sided {test}. Better/worse/same: the number of queries. d_z: mean difference "
        "over the standard deviation of the differences. Visible from: the smallest true "
        "difference that this many {unit} show with 80 % power at {alpha}.",
        test=TESTS[options.test],
        unit=_("queries") if comparison.clusters is None else _("clusters of queries"),
        alpha=".05" if m <= 1 or raw else f".05/{m}",
    )
