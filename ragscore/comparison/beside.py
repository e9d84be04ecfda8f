"""Slices and overlap as sections: what stands beside the comparison itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ragscore.blocks.numbers import NOTHING, number_text, p_text, signed_text
from ragscore.comparison.sections import CORRECTIONS, Section, _interval

if TYPE_CHECKING:
    from ragscore.comparison.options import CompareOptions
    from ragscore.comparison.overlap import Overlap
    from ragscore.comparison.slice_model import Slice, SliceMeasure, Slices


def slice_sections(
    found: Iterable[Slices], options: CompareOptions, *, measures: Sequence[str] | None = None
) -> Iterator[Section]:
    """Means and gaps of each slice.

    Args:
        measures: which, as they parse; by default all.
    """
    for one in found:
        listed = one.slices[0].measures if one.slices else ()
        if one.left_out:
            yield Section(before=(f"not by {one.by}: {', '.join(one.left_out)}",))
        for at, measure in enumerate(listed):
            if measures is not None and measure.measure not in measures:
                continue
            yield _means(one, at, measure.label)
            yield _gaps(one, at, measure.label, options)


def _means(of: Slices, at: int, label: str) -> Section:
    names = [mean.retriever for mean in of.slices[0].measures[at].means]
    rows = []
    for one in of.slices:
        cells = (
            f"{number_text(mean.value)} {_interval(mean.interval)}" if mean.n else NOTHING
            for mean in one.measures[at].means
        )
        rows.append((_value(one), f"{one.n:,}", *cells, _swaps(one.measures[at])))
    after = []
    if any(one.small for one in of.slices):
        after.append("(small): fewer than 10 queries or clusters; too few to conclude anything.")
    if any(one.measures[at].swaps for one in of.slices):
        after.append("order changes: A > B: A is ahead of B here, and behind it over all queries.")
    if of.overlapping:
        after.append("Some queries have several values, so the slices overlap.")
    if of.without:
        after.append(f"{of.without:,} of {of.n:,} queries have no '{of.by}' and are in no slice.")
    return Section(
        f"{label} by {of.by} (intervals 95 %, not adjusted)",
        header=(of.by, "n", *names, "order changes"),
        rows=tuple(rows),
        after=tuple(after),
    )


def _gaps(of: Slices, at: int, label: str, options: CompareOptions) -> Section:
    tested = [(one, gap) for one in of.slices for gap in one.measures[at].gaps if gap.p is not None]
    if not tested:
        return Section()
    rows = tuple(
        (
            _value(one),
            gap.retriever,
            signed_text(gap.inside),
            signed_text(gap.outside),
            signed_text(gap.value),
            _p(gap.p),
            _p(gap.p_adjusted),
        )
        for one, gap in tested
    )
    corrected = CORRECTIONS[options.correction]
    return Section(
        f"{label} by {of.by}: difference to {of.baseline} inside and outside each slice",
        header=(of.by, "retriever", "inside", "outside", "gap", "p", f"p ({corrected})"),
        rows=rows,
        after=(f"Corrected over the {tested[0][1].m} gap tests on this measure.",),
    )


def overlap_section(found: Sequence[Overlap], measure: str) -> Section:
    """How each pair of runs relates.

    Args:
        measure: for the best-of oracle, as it parses.
    """
    if not found:
        return Section()
    rows, label = [], measure
    for one in found:
        best = next((best for best in one.best_of if best.measure == measure), None)
        label = best.label if best is not None else label
        rows.append(
            (
                f"{one.first} + {one.second}",
                _share(one.recall_first),
                _share(one.recall_second),
                _share(one.union_recall),
                _share(best.oracle if best is not None else None),
                _share(one.rbo),
                _share(one.jaccard),
            )
        )
    k = found[0].k
    return Section(
        "What pairs find together",
        header=(
            *("pair", f"R@{k} first", f"R@{k} second", f"R@{k} union"),
            *(f"best of, {label}", f"RBO({found[0].p:g})", f"Jaccard@{k}"),
        ),
        rows=tuple(rows),
        after=(
            f"union: the two top {k} together, up to {2 * k} passages. best of: the better of the "
            "two for each query, which no system knows beforehand. RBO: rank-biased overlap, 1 for "
            "equal rankings.",
        ),
    )


def _value(one: Slice) -> str:
    return f"{one.value} (small)" if one.small else one.value


def _swaps(measure: SliceMeasure) -> str:
    return ", ".join(f"{swap.ahead} > {swap.behind}" for swap in measure.swaps)


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.3f}"


def _p(value: float | None) -> str:
    return NOTHING if value is None else p_text(value)
