"""What a comparison shows to people, as sections with tables; terminal and Markdown print them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragscore.comparison.cells import (
    NOTHING,
    interval_text,
    mean_cell,
    p_cell,
    signed_cell,
    yes_cell,
)
from ragscore.comparison.model import (
    INTERVAL_LABEL,
    DatasetComparison,
    Difference,
    MeasureComparison,
)

if TYPE_CHECKING:
    from ragscore.comparison.options import CompareOptions

TESTS = {
    "randomization": "randomization test (sign flips)",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
}
CORRECTIONS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "BH", "none": "none"}


@dataclass(frozen=True)
class Section:
    """A heading, lines, a table of texts, and lines under it; each may be empty.

    Attributes:
        title: the heading.
        before: lines between heading and table.
        header, rows: the table.
        after: lines under the table.
    """

    title: str = ""
    before: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    after: tuple[str, ...] = ()


def verdict_section(comparison: DatasetComparison, *, named: bool) -> Section:
    """The verdict: its state in large words, then its sentences.

    Args:
        named: say whose verdict it is, where there are several datasets.
    """
    verdict = comparison.verdict
    first = f"{verdict.state}: {verdict.text}"
    title = comparison.dataset if named else ""
    return Section(title, before=(first, verdict.mixed) if verdict.mixed else (first,))


def sections(
    comparison: DatasetComparison, options: CompareOptions, *, named: bool
) -> Iterator[Section]:
    """Everything that one dataset's comparison says but slices and overlap, verdict first."""
    yield verdict_section(comparison, named=named)
    yield Section(before=(_queries(comparison),), after=comparison.notes)
    for measure in comparison.measures:
        yield measure_section(measure, comparison, options)
    yield _leader(comparison, options)
    yield margin_section(comparison, options)
    yield from _pairs(comparison, options)
    yield Section("How to read this", before=tuple(reading(comparison, options)))


def brief(
    comparison: DatasetComparison, options: CompareOptions, *, named: bool
) -> Iterator[Section]:
    """The verdict and the differences on the primary measure."""
    yield verdict_section(comparison, named=named)
    if comparison.measures:
        yield measure_section(comparison.measures[0], comparison, options)
    if comparison.notes:
        yield Section(before=comparison.notes)


def measure_section(
    measure: MeasureComparison, comparison: DatasetComparison, options: CompareOptions
) -> Section:
    """Means and differences to the baseline on one measure."""
    baseline = comparison.baseline
    kind = "primary" if measure.primary else "secondary"
    against = {one.retriever: one for one in measure.differences}
    rows = []
    for name in comparison.retrievers:
        mean = measure.means[name]
        row = (name, mean_cell(mean.value), interval_text(mean.interval))
        one = against.get(name)
        rows.append((*row, *(_difference(one) if one else _of_baseline(name == baseline))))
    corrected = CORRECTIONS[options.correction]
    header = (
        *("retriever", "mean", "95 %", f"minus {baseline}", "95 %", "p"),
        *(f"p ({corrected})" if options.correction != "none" else "p, not corrected",),
        *("W/L/T", "d_z", "detectable"),
    )
    return Section(
        f"{measure.label} ({kind}; intervals {INTERVAL_LABEL})",
        header=header,
        rows=tuple(rows),
        after=tuple(_under(measure)),
    )


def margin_section(comparison: DatasetComparison, options: CompareOptions) -> Section:
    """Equivalence and non-inferiority on the primary measure."""
    measure = next(iter(comparison.measures), None)
    found = measure.differences if measure else ()
    rows = tuple(
        (
            one.retriever,
            interval_text(one.equivalence.interval90, sign=True),
            yes_cell(one.equivalence.equivalent),
            p_cell(one.equivalence.p_tost),
            signed_cell(one.equivalence.bound95),
            yes_cell(one.equivalence.non_inferior),
            p_cell(one.equivalence.p_non_inferior),
            NOTHING if one.needed is None else f"{one.needed:,}",
        )
        for one in found
        if one.equivalence is not None
    )
    if measure is None or not rows:
        return Section()
    margin = f"{options.margin:g}"
    return Section(
        f"Margin {margin} on {measure.label}, against {comparison.baseline}",
        header=(
            *("retriever", "90 % interval", f"inside ±{margin}", "p (TOST)"),
            *("95 % bound", "not worse", "p (not worse)", "queries needed"),
        ),
        rows=rows,
        after=(
            "Paired t at .05 each: the 90 % interval for equality (TOST), the lower one-sided "
            f"95 % bound for being not worse by {margin} or more; not corrected. Queries needed: "
            f"to see a true difference of {margin} with 80 % power.",
        ),
    )


def reading(comparison: DatasetComparison, options: CompareOptions) -> Iterator[str]:
    """What the columns mean, and which comparisons form a family."""
    m = len(comparison.retrievers) - 1
    if m == 1:
        corrected = f"1 comparison with {comparison.baseline}, so nothing is corrected"
    elif options.correction == "none":
        corrected = f"p-values are not corrected for the {m} comparisons with {comparison.baseline}"
    else:
        corrected = (
            f"p-values are corrected by {CORRECTIONS[options.correction]} over the {m} comparisons "
            f"with {comparison.baseline} on a measure"
        )
    first = comparison.measures[0].label if comparison.measures else comparison.primary
    yield (
        f"Family: {corrected}. {first} was listed first: it is primary and the verdict reads it. "
        "Every other measure is secondary, a family of its own."
    )
    unit = "clusters of queries" if comparison.clusters is not None else "queries"
    yield (
        f"p: two-sided {TESTS[options.test]}. W/L/T: queries on which the retriever is better, "
        "worse, the same. d_z: mean difference over the standard deviation of the differences. "
        f"detectable: the smallest true difference that so many {unit} show with 80 % power at "
        f".05{f'/{m}' if m > 1 and options.correction != 'none' else ''}."
    )


def _queries(comparison: DatasetComparison) -> str:
    clusters = f" in {comparison.clusters:,} clusters" if comparison.clusters is not None else ""
    with_whom = f"compared with {comparison.baseline}"
    queries = "1 query" if comparison.n == 1 else f"{comparison.n:,} queries"
    return f"{comparison.dataset}: {queries}{clusters}, {with_whom}."


def _difference(one: Difference) -> tuple[str, ...]:
    return (
        signed_cell(one.value),
        interval_text(one.interval, sign=True),
        p_cell(one.test.p),
        p_cell(one.p_adjusted) + ("*" if one.disagrees else ""),
        f"{one.wins}/{one.losses}/{one.ties}",
        f"{one.effect:+.2f}" if math.isfinite(one.effect) else NOTHING,
        NOTHING if one.detectable is None else f"{one.detectable:.3f}",
    )


def _of_baseline(is_baseline: bool) -> tuple[str, ...]:
    return ("baseline" if is_baseline else NOTHING, *("",) * 6)


def _under(measure: MeasureComparison) -> Iterator[str]:
    """What the table of a measure must not be read without."""
    noted: dict[str, list[str]] = {}
    for name, mean in measure.means.items():
        if mean.interval.note:
            noted.setdefault(mean.interval.note, []).append(name)
    for note, names in noted.items():
        yield f"mean of {', '.join(names)}: {note}"
    noted = {}
    for one in measure.differences:
        if one.interval.note:
            noted.setdefault(one.interval.note, []).append(one.retriever)
    for note, names in noted.items():
        yield f"difference of {', '.join(names)}: {note}"
    for one in measure.differences:
        if (
            one.disagrees
            and one.p_adjusted >= one.test.p
            and one.interval.low * one.interval.high > 0
        ):
            times = "comparison" if one.m == 1 else "comparisons"
            yield (
                f"* {one.retriever}: the interval excludes 0; not shown after correction for "
                f"{one.m} {times}"
            )
        elif one.disagrees:
            yield f"* {one.retriever}: the interval includes 0, so nothing is decided"
    yield from measure.notes


def _leader(comparison: DatasetComparison, options: CompareOptions) -> Section:
    """The best against each other, where the baseline's column does not say it already."""
    if not comparison.leader or comparison.leader[0].retriever == comparison.baseline:
        return Section()
    if len(comparison.retrievers) < 3:
        return Section()
    rows = tuple(
        (
            one.baseline,
            signed_cell(one.value),
            interval_text(one.interval, sign=True),
            p_cell(one.test.p),
            p_cell(one.p_adjusted),
            f"{one.m}",
            f"{one.wins}/{one.losses}/{one.ties}",
        )
        for one in comparison.leader
    )
    label = comparison.measures[0].label
    corrected = CORRECTIONS[options.correction]
    return Section(
        f"{comparison.leader[0].retriever}, the best mean on {label}, against each other retriever",
        header=("against", "difference", "95 %", "p", f"p ({corrected})", "of m", "W/L/T"),
        rows=rows,
        after=(
            "m: against the baseline, the comparisons with it; else all pairs, since the data "
            "chose the best.",
        ),
    )


def _pairs(comparison: DatasetComparison, options: CompareOptions) -> Iterator[Section]:
    for label in dict.fromkeys(pair.label for pair in comparison.pairs or ()):
        yield Section(
            f"All pairs on {label}: randomized Tukey HSD, {options.permutations:,} permutations",
            header=("pair", "difference", "p", "queries"),
            rows=tuple(
                (f"{one.first} - {one.second}", signed_cell(one.value), p_cell(one.p), f"{one.n:,}")
                for one in comparison.pairs or ()
                if one.label == label
            ),
            after=("p holds for all pairs of this measure together.",),
        )


def printed(found: Sequence[Section]) -> list[Section]:
    """The sections that say something."""
    return [one for one in found if one.before or one.rows or one.after]
