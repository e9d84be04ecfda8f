"""A sweep as elements: what it says, the best configurations, what each parameter does.

The command, a notebook and the report show the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragscore.elements import (
    Cell,
    Code,
    Column,
    Element,
    Headline,
    Level,
    Lines,
    Paragraph,
    Section,
    Table,
)
from ragscore.elements.cells import (
    count_cell,
    difference_cell,
    latency_cell,
    mean_cell,
    nothing,
    number_cell,
    retriever_column,
    text_cell,
)
from ragscore.elements.numbers import DECIDED, bytes_text, count_text
from ragscore.measures import parse_measure
from ragscore.messages import Text, _, counted, few_names, joined
from ragscore.scoring.score_tables import measure_column
from ragscore.stats.units import MIN_CLUSTERS
from ragscore.sweeps.model import value_text
from ragscore.sweeps.sweep_records import BestOfRetriever, ScoredConfiguration, SweptFacts

SHOWN = 5
"""Configurations that the command shows: a sweep may have hundreds."""
FAILED_SHOWN = 3
"""Failures that are named; the others are counted."""


@dataclass(frozen=True)
class _Bounds:
    """An interval as cells read it."""

    low: float
    high: float
    note: str = ""


def sweep_elements(findings: SweptFacts) -> Section:
    """What ``ragscore run`` prints of a sweep.

    Args:
        findings: on one dataset.
    """
    elements: list[Element] = [sweep_headline(findings)]
    elements.append(configurations_table(findings, id="sweep", shown=SHOWN))
    if findings.by_retriever:
        elements.append(each_table(findings, id="sweep-retrievers"))
    if findings.yaml:
        elements.append(Code(findings.yaml, "yaml"))
    if notes := tuple(_("note: {note}", note=note) for note in notes_of(findings)):
        elements.append(Lines(notes))
    made = Section("sweep", sweep_title(findings), tuple(elements))
    if findings.sample is None:
        return made
    caveat = findings.sample.caveat()
    return replace(
        made, elements=(Paragraph(caveat, "warning"), *made.with_caveat(caveat).elements)
    )


def sweep_title(findings: SweptFacts) -> Text:
    """How many configurations of which retrievers, on which dataset."""
    return _(
        "Sweep: {configurations} of {retrievers} on {dataset} ({queries})",
        configurations=counted(
            "1 configuration", "{count} configurations", len(findings.configurations)
        ),
        retrievers=few_names(dict.fromkeys(findings.swept.retrievers)),
        dataset=findings.dataset,
        queries=counted("1 query", "{count} queries", findings.queries),
    )


def sweep_headline(findings: SweptFacts) -> Headline:
    """What it says, line by line."""
    use, *others = findings.lines
    levels: dict[str, Level] = {"clear": "good", "several": "good"}
    return Headline(
        f"SWEEP {findings.state.upper()}",
        use.word,
        levels.get(findings.state, "fair"),
        use.text,
        tuple((joined([line.word, ":"], ""), line.text) for line in others),
    )


def configurations_table(
    findings: SweptFacts, *, id: str, shown: int | None = None, measures: Sequence[str] = ()
) -> Table:
    """The configurations, the best first.

    Args:
        findings: on one dataset.
        id: of the table.
        shown: how many; None for all.
        measures: others than the one that was chosen by, as they parse, with a column each.
    """
    configurations = findings.configurations[:shown]
    timed = any(math.isfinite(found.latency_ms) for found in configurations)
    sized = any(math.isfinite(found.index_bytes) for found in configurations)
    others = [name for name in measures if name != findings.measure]
    columns = [
        Column("configuration", _("Configuration"), "text"),
        _measure(findings.measure),
        Column(
            "against the best",
            _("Against the best"),
            hint=_("Difference from the best; the intervals hold for all configurations at once"),
            interval=True,
            better="high",
        ),
        *(_measure(name) for name in others),
    ]
    if timed:
        columns.append(
            Column(
                "ms per query",
                _("Per query"),
                hint=_("Milliseconds per query"),
                unit="ms",
                better="low",
            )
        )
    if sized:
        columns.append(
            Column(
                "index bytes",
                _("Index"),
                hint=_("Size of the indexes it searches"),
                better="low",
            )
        )
    rows = [
        (
            _label_cell(found, strong=found.label == findings.best and not findings.tied),
            number_cell(found.value),
            _against_best(found, findings),
            *(number_cell(found.means.get(name)) for name in others),
            *((_latency(found.latency_ms),) if timed else ()),
            *((_size(found.index_bytes),) if sized else ()),
        )
        for found in configurations
    ]
    title = _("All {n} configurations", n=count_text(len(findings.configurations)))
    if len(configurations) < len(findings.configurations):
        title = _(
            "The best {shown} of {n} configurations",
            shown=count_text(len(configurations)),
            n=count_text(len(findings.configurations)),
        )
    note = _(
        "Intervals hold for all configurations at once; {mark} marks those that "
        "are worse than the best (max-T over all pairs, p < .05).",
        mark=DECIDED,
    )
    return Table(id, title, tuple(columns), tuple(rows), (note,))


def each_table(findings: SweptFacts, *, id: str) -> Table:
    """The best configuration of each retriever, and its worth on held-out queries."""
    label = findings.label
    columns = (
        retriever_column(),
        Column("configuration", _("Configuration"), "text"),
        Column("configurations", _("Configurations")),
        Column(
            "in sample",
            _("{label} in sample", label=label),
            hint=_("On the queries that were used to choose it"),
        ),
        Column(
            "held out",
            _("{label} held out", label=label),
            hint=_("On queries that were not used to choose it, by cross-validation"),
            interval=True,
        ),
    )
    rows = tuple(
        (
            Cell(best.retriever, best.retriever),
            text_cell(best.label),
            count_cell(best.configurations),
            number_cell(best.value),
            _held_out(best),
        )
        for best in findings.by_retriever
    )
    done = next((best.held_out for best in findings.by_retriever if best.held_out), None)
    notes: tuple[Text, ...] = ()
    if done is not None:
        notes = (
            _(
                "Held out: on queries that were not used to choose, by cross-validation "
                "({folds} folds, {repeats} times); the intervals are approximate.",
                folds=done.folds,
                repeats=done.repeats,
            ),
        )
    return Table(id, _("The best of each retriever"), columns, rows, notes)


def effects_tables(findings: SweptFacts, *, id: str) -> Iterator[Table]:
    """What each parameter does: a table for each retriever."""
    columns = (
        Column("parameter", _("Parameter"), "text"),
        Column("value", _("Value"), "text"),
        Column("configurations", _("Configurations")),
        _measure(findings.measure),
        Column(
            "effect",
            _("Against its average"),
            hint=_("The mean minus the average over all values of the parameter"),
            interval=True,
        ),
    )
    retrievers = list(dict.fromkeys(effect.retriever for effect in findings.effects))
    for retriever in retrievers:
        own = [effect for effect in findings.effects if effect.retriever == retriever]
        rows = tuple(
            (
                text_cell(effect.parameter),
                Cell(_plain(marginal.value), value_text(marginal.value)),
                count_cell(marginal.configurations),
                number_cell(marginal.mean),
                difference_cell(marginal.effect, _Bounds(marginal.low, marginal.high)),
            )
            for effect in own
            for marginal in effect.values
        )
        notes = [
            _(
                "Means over all configurations with that value. The 95 % intervals are of the "
                "difference from the parameter's average, not adjusted."
            )
        ]
        if unbalanced := [effect.parameter for effect in own if not effect.balanced]:
            notes.append(
                _(
                    "{names}: the values were tried with different settings of the other "
                    "parameters, and the means reflect these, too.",
                    names=few_names(unbalanced),
                )
            )
        name = id if len(retrievers) == 1 else f"{id}-{retriever}"
        title = _(
            "What each parameter does, over all configurations of {retriever}", retriever=retriever
        )
        yield Table(name, title, columns, rows, tuple(notes))


def notes_of(findings: SweptFacts) -> Iterator[Text]:
    """Chunks of other sizes, queries that were left out, few clusters, what failed."""
    swept = (effect.parameter.split(".")[1:] for effect in findings.effects)
    if any("chunk" in keys for keys in swept):
        yield _(
            "{measure} compares chunkings at the same k, where large chunks hand over more "
            "text. To compare them in contexts of the same size, write the best ones as "
            "retrievers of their own (section budgets).",
            measure=findings.label,
        )
    if findings.dropped:
        queries = counted("1 query", "{count} queries", findings.dropped)
        yield _(
            "Left out: {queries} on which {measure} is undefined for some configuration.",
            queries=queries,
            measure=findings.label,
        )
    if findings.clusters is not None and findings.clusters < MIN_CLUSTERS:
        yield _("Only {n} clusters: intervals are rough.", n=findings.clusters)
    failed = list(findings.failures.items())
    for label, error in failed[:FAILED_SHOWN]:
        yield _("{configuration} failed: {error}", configuration=label, error=error)
    if len(failed) > FAILED_SHOWN:
        others = counted("1 configuration", "{count} configurations", len(failed) - FAILED_SHOWN)
        yield _("Also failed: {configurations}.", configurations=others)


def _measure(name: str) -> Column:
    measure = parse_measure(name)
    return measure_column(measure, measure.label)


def _label_cell(found: ScoredConfiguration, *, strong: bool) -> Cell:
    return Cell(found.label, found.label, strong=strong)


def _against_best(found: ScoredConfiguration, findings: SweptFacts) -> Cell:
    if found.label == findings.best:
        return nothing()
    mark = "" if found.in_best_set else DECIDED
    bounds = _Bounds(-found.high, -found.low)
    return difference_cell(-found.behind, bounds, mark=mark)


def _held_out(best: BestOfRetriever) -> Cell:
    done = best.held_out
    return nothing() if done is None else mean_cell(done.mean, done.interval)


def _latency(milliseconds: float) -> Cell:
    return latency_cell(milliseconds if math.isfinite(milliseconds) else None)


def _size(count: float) -> Cell:
    return Cell(count, bytes_text(count)) if math.isfinite(count) else nothing()


def _plain(value: Any) -> float | int | str | bool:
    return value if isinstance(value, bool | int | float | str) else value_text(value)
