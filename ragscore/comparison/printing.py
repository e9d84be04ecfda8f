"""What is printed of a comparison, as elements: verdict, tables, how to read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ragscore.comparison.difference_cells import correction_name, family_name
from ragscore.comparison.measure_tables import difference_label, leader_table, measure_table
from ragscore.comparison.model import DatasetComparison, Verdict
from ragscore.comparison.options import CompareOptions
from ragscore.comparison.overlap import Overlap
from ragscore.comparison.pair_tables import margin_element, overlap_note, overlap_table, pairs_table
from ragscore.comparison.slice_model import Slices
from ragscore.comparison.slice_tables import gap_table, slice_table
from ragscore.comparison.strings import STRINGS
from ragscore.elements import Element, Headline, Level, Lines, Section
from ragscore.elements.numbers import count_text
from ragscore.strings import Language, Strings

LEVELS: dict[str, Level] = {
    "CHECK DATA": "poor",
    "TOO FEW": "fair",
    "SAME": "fair",
    "MIXED": "fair",
    "LEAKS": "good",
    "SMALL": "good",
    "CLEAR": "good",
    "EQUAL": "good",
    "TIE": "fair",
}
"""Good where something is decided: that two are equal for practical purposes, too."""


def headline(verdict: Verdict, language: Language, *, note: str = "") -> Headline:
    """The verdict.

    Args:
        verdict: its lines.
        language: of its sentences.
        note: a line under it.
    """
    use, *others = verdict.lines
    return Headline(
        verdict.state,
        use.word(language),
        LEVELS[verdict.state],
        use.text(language),
        tuple((line.word(language) + line.mark(), line.text(language)) for line in others),
        note,
    )


def brief_elements(
    comparison: DatasetComparison,
    options: CompareOptions,
    *,
    named: bool,
    language: Language | None = None,
) -> Section:
    """The verdict and the differences on the primary measure.

    Args:
        comparison: on one dataset.
        options: how it was made.
        named: whether to name the dataset, where there are several.
        language: of all texts; by default that of the options.
    """
    strings = STRINGS.strings(language or options.language)
    elements: list[Element] = [headline(comparison.verdict, strings.language)]
    if comparison.in_context is not None:
        elements.append(measure_table(comparison.in_context, comparison, options, strings))
    if comparison.measures:
        elements.append(measure_table(comparison.measures[0], comparison, options, strings))
    if comparison.notes:
        elements.append(Lines(tuple(_said(comparison.notes, strings))))
    return _section(comparison, elements, strings, named=named)


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
        options: how it was made; their language is that of the texts.
        named: whether to name the dataset, where there are several.
        slices: of its queries.
        overlap: of each pair of runs.
        every_measure: whether slices are shown by all measures, or by the primary one alone.
    """
    strings = STRINGS.strings(options.language)
    measures = [measure.measure for measure in comparison.measures]
    elements: list[Element] = [
        headline(comparison.verdict, options.language),
        Lines((_queries(comparison, strings), *_said(comparison.notes, strings))),
        *(
            measure_table(found, comparison, options, strings)
            for found in (comparison.in_context, *comparison.measures)
            if found is not None
        ),
        *leader_table(comparison, options, strings),
    ]
    for measure in comparison.measures[:1]:
        elements += margin_element(measure, comparison.baseline, strings)
    for name, pairs in (comparison.pairs or {}).items():
        elements += pairs_table(name, pairs, comparison, options, strings, id=f"pairs-{name}")
    for of in slices:
        for name in measures if every_measure else [comparison.primary]:
            elements += _slices(of, name, options, strings)
    if overlap:
        elements.append(overlap_table(overlap, comparison.primary, strings))
        elements.append(overlap_note(overlap, strings))
    reading = tuple(how_to_read(comparison, options, strings))
    elements.append(Lines(reading, strings("how_to_read")))
    return _section(comparison, elements, strings, named=named)


def _section(
    comparison: DatasetComparison, elements: Iterable[Element], strings: Strings, *, named: bool
) -> Section:
    made = Section("comparison", comparison.dataset if named else "", tuple(elements))
    if comparison.sample is None:
        return made
    return made.with_caveat(comparison.sample.caveat().text_in(strings))


def _slices(
    of: Slices, measure: str, options: CompareOptions, strings: Strings
) -> Iterator[Element]:
    if of.slices:
        yield slice_table(of, measure, strings, id=f"slices-{of.by}-{measure}")
        yield from gap_table(of, measure, options, strings, id=f"gaps-{of.by}-{measure}")


def _said(notes: Iterable[str], strings: Strings) -> Iterator[str]:
    return (str(strings.say(note)) for note in notes)


def _queries(comparison: DatasetComparison, strings: Strings) -> str:
    queries = strings.counted("count_queries", comparison.n)
    if comparison.clusters is not None:
        clusters = count_text(comparison.clusters)
        queries = strings("queries_clusters", queries=queries, clusters=clusters)
    facts = {"dataset": comparison.dataset, "baseline": comparison.baseline}
    return strings("compared", queries=queries, **facts)


def how_to_read(
    comparison: DatasetComparison, options: CompareOptions, strings: Strings
) -> Iterator[str]:
    """What the columns mean, and which comparisons form a family."""
    m, family = comparison.family.m, family_name(comparison.family, strings)
    raw = options.correction == "none"
    if m <= 1:
        family = strings("reading_alone", family=family)
    elif raw:
        family = strings("reading_raw", family=family)
    else:
        correction = correction_name(options, strings)
        family = strings("reading_corrected", family=family, correction=correction)
    if comparison.identical:
        family = strings("reading_identical", family=family)
    first = {"family": family, "first": difference_label(comparison.primary)}
    if (context := comparison.in_context) is None:
        sentences = [strings("reading_family", **first)]
    else:
        label = str(strings.say(context.label))
        sentences = [strings("reading_family_in_context", **first, label=label)]
    if comparison.family.baseline is not None:
        sentences.append(strings("reading_leader"))
    yield " ".join(sentences)
    yield strings(
        "reading_columns",
        test=strings(f"reading_{options.test}"),
        unit=strings("reading_queries" if comparison.clusters is None else "reading_clusters"),
        alpha=".05" if m <= 1 or raw else f".05/{m}",
    )
