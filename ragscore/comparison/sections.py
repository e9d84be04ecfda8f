"""What a comparison shows to people, as sections with tables; terminal and Markdown print them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragscore.blocks.numbers import (
    BELOW_MARGIN,
    DECIDED,
    DISAGREES,
    NOTHING,
    interval_text,
    number_text,
    p_text,
    signed_text,
)
from ragscore.comparison.cells import decided_mark, withheld_text
from ragscore.comparison.model import (
    INTERVAL_LABEL,
    DatasetComparison,
    Difference,
    MeasureComparison,
)
from ragscore.comparison.wording import family_name
from ragscore.stats.intervals import NOT_ESTIMABLE, Interval

if TYPE_CHECKING:
    from ragscore.comparison.options import CompareOptions

TESTS = {
    "randomization": "randomization test (sign flips)",
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed-rank test",
}
NOT_SHOWN = "not shown"
CORRECTIONS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "BH", "none": "none"}


@dataclass(frozen=True)
class Section:
    """A heading, lines, a table of texts, and lines under it; each may be empty.

    Attributes:
        title: the heading.
        before: lines between heading and table.
        header, rows: the table.
        after: lines under the table.
        labelled: lines under the heading that each begin with a word: (the word, what follows).
    """

    title: str = ""
    before: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    after: tuple[str, ...] = ()
    labelled: tuple[tuple[str, str], ...] = ()


def verdict_section(
    comparison: DatasetComparison, options: CompareOptions, *, named: bool
) -> Section:
    """The verdict, line by line.

    Args:
        named: whether to name the dataset, where there are several.
    """
    language = options.language
    lines = (
        (line.word(language) + line.mark(), line.text(language))
        for line in comparison.verdict.lines
    )
    return Section(comparison.dataset if named else "", labelled=tuple(lines))


def sections(
    comparison: DatasetComparison, options: CompareOptions, *, named: bool
) -> Iterator[Section]:
    """Everything that one dataset's comparison says but slices and overlap, verdict first."""
    yield verdict_section(comparison, options, named=named)
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
    yield verdict_section(comparison, options, named=named)
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
        row = (name, number_text(mean.value), _interval(mean.interval))
        one = against.get(name)
        rows.append((*row, *(_difference(one) if one else _of_baseline(name == baseline))))
        if comparison.same(name, baseline):
            rows[-1] = (*row, f"same as {baseline}", *("",) * 6)
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
        after=tuple(_under(measure, comparison, options)),
    )


def margin_section(comparison: DatasetComparison, options: CompareOptions) -> Section:
    """Equivalence and non-inferiority on the primary measure."""
    measure = next(iter(comparison.measures), None)
    if measure is None or not measure.differences:
        return Section()
    if measure.margin is None:
        said = (
            f"{measure.measure} does not lie between 0 and 1, so no margin is assumed: nothing is "
            "said of equality, of being not worse, or of the queries needed. Give --margin, in its "
            "own units."
        )
        return Section(f"No margin on {measure.measure}", before=(said,))
    margin = f"{measure.margin:g}"
    return Section(
        f"Margin {margin} on {measure.label}, against {comparison.baseline}",
        header=(
            *("retriever", "90 % interval", f"inside ±{margin}", "p (TOST)"),
            *("95 % bound", "not worse", "p (not worse)", "queries for 80 % power"),
        ),
        rows=tuple(map(_within_margin, measure.differences)),
        after=(
            *_withheld(measure),
            "Two one-sided tests at .05: the 90 % interval for equality (TOST), the lower "
            f"one-sided 95 % bound for being not worse by {margin} or more; not corrected. Queries "
            f"for 80 % power: this many queries like these detect a true difference of {margin} in "
            "4 of 5 such experiments; a smaller difference is mostly missed.",
        ),
    )


def _within_margin(one: Difference) -> tuple[str, ...]:
    found = one.equivalence
    needed = NOT_ESTIMABLE if one.needed is None else f"{one.needed:,}"
    if found is None:
        nothing = (NOT_ESTIMABLE, NOT_SHOWN, NOTHING)
        return (one.retriever, *nothing, *nothing, needed)
    return (
        one.retriever,
        _interval(found.interval90, sign=True),
        _yes(found.equivalent),
        p_text(found.p_tost),
        signed_text(found.bound95),
        _yes(found.non_inferior),
        p_text(found.p_non_inferior),
        needed,
    )


def _withheld(measure: MeasureComparison) -> Iterator[str]:
    """Of whom nothing is claimed, and why."""
    reasons: dict[str, list[str]] = {}
    for one in measure.differences:
        if one.withheld:
            reasons.setdefault(withheld_text(one), []).append(one.retriever)
    for reason, names in reasons.items():
        yield f"{', '.join(names)}: {reason}, so nothing is shown or estimated"


def reading(comparison: DatasetComparison, options: CompareOptions) -> Iterator[str]:
    """What the columns mean, and which comparisons form a family."""
    m, named = comparison.family.m, family_name(comparison.family, "en")
    if m <= 1:
        corrected = f"{named}, so nothing is corrected"
    elif options.correction == "none":
        corrected = f"{named} on a measure; p-values are not corrected for their number"
    else:
        corrected = f"{named} on a measure, corrected by {CORRECTIONS[options.correction]}"
    if comparison.identical:
        corrected += "; retrievers that returned the same count as one"
    first = comparison.measures[0].label if comparison.measures else comparison.primary
    chosen = (
        ""
        if comparison.family.baseline is None
        else " What the verdict says of the retriever with the best mean is corrected over all "
        "pairs, since the data chose it."
    )
    yield (
        f"Family: {corrected}. {first} was listed first: it is primary and the verdict reads it. "
        f"Every other measure is secondary, a family of its own.{chosen}"
    )
    unit = "clusters of queries" if comparison.clusters is not None else "queries"
    yield (
        f"p: two-sided {TESTS[options.test]}. W/L/T: queries on which the retriever is better, "
        "worse, the same. d_z: mean difference over the standard deviation of the differences. "
        f"detectable: the smallest true difference that this many {unit} detect with 80 % power at "
        f".05{f'/{m}' if m > 1 and options.correction != 'none' else ''}."
    )


def _queries(comparison: DatasetComparison) -> str:
    clusters = f" in {comparison.clusters:,} clusters" if comparison.clusters is not None else ""
    with_whom = f"compared with {comparison.baseline}"
    queries = "1 query" if comparison.n == 1 else f"{comparison.n:,} queries"
    return f"{comparison.dataset}: {queries}{clusters}, {with_whom}."


def _difference(one: Difference) -> tuple[str, ...]:
    return (
        signed_text(one.value) + decided_mark(one),
        _interval(one.interval, sign=True),
        p_text(one.test.p),
        p_text(one.p_adjusted) + (DISAGREES if one.disagrees else ""),
        f"{one.wins}/{one.losses}/{one.ties}",
        f"{one.effect:+.2f}" if math.isfinite(one.effect) else NOTHING,
        NOT_ESTIMABLE if one.detectable is None else f"{one.detectable:.3f}",
    )


def _of_baseline(is_baseline: bool) -> tuple[str, ...]:
    return ("baseline" if is_baseline else NOTHING, *("",) * 6)


def _under(
    measure: MeasureComparison, comparison: DatasetComparison, options: CompareOptions
) -> Iterator[str]:
    """What the table of a measure must not be read without."""
    corrected = CORRECTIONS[options.correction]
    p = "p, not corrected," if options.correction == "none" else f"p ({corrected})"
    marks = {decided_mark(one) for one in measure.differences}
    family = f"Family: {family_name(comparison.family, 'en')}."
    if DECIDED in marks:
        family += f" {DECIDED} decided: {p} below .05, and the interval excludes 0."
    if BELOW_MARGIN in marks:
        margin = f"{measure.margin:g}"
        family += f" {BELOW_MARGIN} decided, and smaller than the margin of {margin}."
    if measure.primary or marks - {""}:
        yield family
    noted: dict[str, list[str]] = {}
    for name, mean in measure.means.items():
        if mean.interval.note:
            noted.setdefault(mean.interval.note, []).append(name)
    for note, names in noted.items():
        yield f"mean of {', '.join(names)}: {note}"
    noted = {}
    differences = [
        one for one in measure.differences if not comparison.same(one.retriever, one.baseline)
    ]
    for one in differences:
        if one.interval.note:
            noted.setdefault(one.interval.note, []).append(one.retriever)
    for note, names in noted.items():
        yield f"difference of {', '.join(names)}: {note}"
    for one in differences:
        if (
            one.disagrees
            and one.p_adjusted >= one.test.p
            and one.interval.low * one.interval.high > 0
        ):
            times = "comparison" if one.m == 1 else "comparisons"
            yield (
                f"{DISAGREES} {one.retriever}: the interval excludes 0; not shown after "
                f"correction for {one.m} {times}"
            )
        elif one.disagrees:
            yield f"{DISAGREES} {one.retriever}: the interval includes 0, so nothing is decided"
    yield from measure.notes


def _leader(comparison: DatasetComparison, options: CompareOptions) -> Section:
    """The best against each other, where no other table shows it so corrected."""
    if len(comparison.leader) < 2 or comparison.leader[0].retriever == comparison.baseline:
        return Section()
    rows = tuple(
        (
            one.baseline,
            signed_text(one.value),
            _interval(one.interval, sign=True),
            p_text(one.test.p),
            p_text(one.p_adjusted),
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
        after=("Corrected over all pairs, since the data chose the best.",),
    )


def _pairs(comparison: DatasetComparison, options: CompareOptions) -> Iterator[Section]:
    for label in dict.fromkeys(pair.label for pair in comparison.pairs or ()):
        yield Section(
            f"All pairs on {label}: randomized Tukey HSD, {options.permutations:,} permutations",
            header=("pair", "difference", "p", "queries"),
            rows=tuple(
                (f"{one.first} - {one.second}", signed_text(one.value), p_text(one.p), f"{one.n:,}")
                for one in comparison.pairs or ()
                if one.label == label
            ),
            after=("p holds for all pairs of this measure together.",),
        )


def printed(found: Sequence[Section]) -> list[Section]:
    """The sections that say something."""
    return [one for one in found if one.labelled or one.before or one.rows or one.after]


def _interval(interval: Interval, *, sign: bool = False) -> str:
    return interval_text(interval.low, interval.high, sign=sign) or NOT_ESTIMABLE


def _yes(value: bool) -> str:
    return "yes" if value else NOT_SHOWN
