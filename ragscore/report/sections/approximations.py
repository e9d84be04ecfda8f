"""What a sample of the corpus or an approximate index changes in the scores, where the whole was
searched beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, TypeAlias

from ragscore.elements import Cell, Column, Element, Paragraph
from ragscore.elements.cells import (
    name_cell,
    nothing,
    number_cell,
    retriever_column,
    share_cell,
    signed_cell,
)
from ragscore.elements.tables import table
from ragscore.messages import Text, _, joined
from ragscore.report.model import TrustItem
from ragscore.report.ranking import lower_is_better
from ragscore.report.sections.arrangement import named
from ragscore.report.sections.trust_items import trust_item
from ragscore.results import DatasetResult
from ragscore.results.stages import ExactSearch

MAX_MEASURES = 3
"""Measures that a table shows; `whole` and `exact` of a retriever in the manifest have them all."""
Means: TypeAlias = Mapping[str, Mapping[str, float]]
"""By retriever and measure."""
NameColumn: TypeAlias = tuple[Column, Callable[[str], Cell]]
"""A column, and its cell for a retriever's name."""


def sampled(panel: DatasetResult) -> TrustItem | None:
    """How much of the corpus was searched, and the effect on scores; None if all of it was."""
    sample = panel.entry.sample
    if sample is None:
        return None
    value = _("{passages} of {of} passages", **sample.facts)
    detail = (*_bias(panel), Paragraph(joined([sample.note(), "."], "")))
    return trust_item(panel, "sample", _("Sample of the corpus"), value, "poor", *detail)


def _bias(panel: DatasetResult) -> Iterator[Element]:
    """The pool retrievers' values on the sample and on the whole corpus."""
    entries = {name: panel.entries[name].whole for name in panel.retrievers}
    whole = {name: found.means for name, found in entries.items() if found is not None}
    shown = [name for name in panel.measures if all(name in means for means in whole.values())]
    columns: list[NameColumn] = [(retriever_column(), name_cell)]
    for measure in shown[:MAX_MEASURES]:
        label = panel.labels[measure]
        heads = _("{measure}, sample", measure=label), _("{measure}, whole corpus", measure=label)
        difference = Column(f"difference {measure}", _("Difference"))
        columns += _beside(panel, measure, whole, f"whole {measure}", heads, difference)
    title = _("The retrievers of the pool on the sample and on the whole corpus")
    note = _(
        "The difference is the sample's bias for these retrievers, whose best passages it keeps. "
        "For other retrievers the bias is unknown, and usually larger."
    )
    if whole and shown:
        yield table(named(panel, "sample"), title, columns, whole, (note,))


def exact_search(panel: DatasetResult) -> Iterator[Element]:
    """How close each approximate index comes to exact search, and what it loses; nothing if
    every index is exact."""
    entries = {name: panel.entries[name].exact for name in panel.retrievers}
    found = {name: exact for name, exact in entries.items() if exact is not None}
    if not found:
        return
    exact = {name: of.means for name, of in found.items()}
    columns: list[NameColumn] = [(retriever_column(), name_cell)]
    columns += [
        _overlap(found, k) for k in sorted({k for of in found.values() for k in of.overlap})
    ]
    others = [measure for measure in panel.measures if measure != panel.primary]
    for measure in (panel.primary, *others)[:MAX_MEASURES]:
        label = panel.labels[measure]
        hint = _("Gain in {measure} over exact search; negative is worse", measure=label)
        difference = Column(f"difference {measure}", _("Difference"), hint=hint, better="high")
        heads = label, _("{measure}, exact", measure=label)
        columns += _beside(panel, measure, exact, f"exact {measure}", heads, difference)
    title = _("Approximate indexes and candidate pools against exact search")
    note = _(
        "Exact search compares each query with all of the same vectors. What it misses is due to "
        "the encoder; the difference is due to the index or to the pool of candidates."
    )
    yield table(named(panel, "exact"), title, columns, found, (note,))


def _overlap(found: Mapping[str, ExactSearch], k: int) -> NameColumn:
    hint = _(
        "Share of exact search's top {k} that is also in the top {k} here, averaged over the "
        "queries",
        k=k,
    )
    column = Column(f"overlap@{k}", _("Top {k} found", k=k), hint=hint, better="high")
    return column, lambda name: share_cell(found[name].overlap.get(k))


def _beside(
    panel: DatasetResult,
    measure: str,
    whole: Means,
    other: str,
    heads: tuple[Text, Text],
    difference: Column,
) -> list[NameColumn]:
    """The mean here, that of the whole, and the difference; where more is better in its column, it
    is signed so that + is.

    Args:
        panel: the dataset.
        measure: of the means.
        whole: what the means are held against.
        other, heads: the name of the second column, and the labels of both.
        difference: the third column.
    """
    better: Literal["low", "high"] = "low" if lower_is_better(measure) else "high"
    sign = -1 if difference.better and better == "low" else 1

    def here(name: str) -> float:
        return panel.scores[name].mean(measure)

    def there(name: str) -> float | None:
        return whole[name].get(measure)

    def changed(name: str) -> Cell:
        reference = there(name)
        return nothing() if reference is None else signed_cell(sign * (here(name) - reference))

    return [
        (Column(measure, heads[0], better=better), lambda name: number_cell(here(name))),
        (
            Column(other, heads[1], better=better),
            lambda name: number_cell(there(name)),
        ),
        (difference, changed),
    ]
