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
from ragscore.scoring.score_tables import measure_column
from ragscore.stats.units import MIN_CLUSTERS
from ragscore.strings import Language, Strings
from ragscore.sweeps.model import value_text
from ragscore.sweeps.strings import STRINGS
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


def sweep_elements(findings: SweptFacts, language: Language) -> Section:
    """What ``ragscore run`` prints of a sweep.

    Args:
        findings: on one dataset.
        language: of all texts.
    """
    strings = STRINGS.strings(language)
    elements: list[Element] = [sweep_headline(findings, language)]
    elements.append(configurations_table(findings, strings, id="sweep", shown=SHOWN))
    if findings.by_retriever:
        elements.append(each_table(findings, strings, id="sweep-retrievers"))
    if findings.yaml:
        elements.append(Code(findings.yaml, "yaml"))
    if notes := tuple(strings("note", note=note) for note in notes_of(findings, strings)):
        elements.append(Lines(notes))
    made = Section("sweep", sweep_title(findings, strings), tuple(elements))
    if findings.sample is None:
        return made
    caveat = findings.sample.caveat().text_in(strings)
    return replace(
        made, elements=(Paragraph(caveat, "warning"), *made.with_caveat(caveat).elements)
    )


def sweep_title(findings: SweptFacts, strings: Strings) -> str:
    """How many configurations of which retrievers, on which dataset."""
    return strings(
        "sweep_title",
        configurations=strings.counted("count_configurations", len(findings.configurations)),
        retrievers=strings.names(dict.fromkeys(findings.swept.retrievers)),
        dataset=findings.dataset,
        queries=strings.counted("count_queries", findings.queries),
    )


def sweep_headline(findings: SweptFacts, language: Language) -> Headline:
    """What it says, line by line."""
    use, *others = findings.lines
    levels: dict[str, Level] = {"clear": "good", "several": "good"}
    return Headline(
        f"SWEEP {findings.state.upper()}",
        use.word(language),
        levels.get(findings.state, "fair"),
        use.text(language),
        tuple((f"{line.word(language)}:", line.text(language)) for line in others),
    )


def configurations_table(
    findings: SweptFacts,
    strings: Strings,
    *,
    id: str,
    shown: int | None = None,
    measures: Sequence[str] = (),
) -> Table:
    """The configurations, the best first.

    Args:
        findings: on one dataset.
        strings: of the reader's language.
        id: of the table.
        shown: how many; None for all.
        measures: others than the one that was chosen by, as they parse, with a column each.
    """
    configurations = findings.configurations[:shown]
    timed = any(math.isfinite(found.latency_ms) for found in configurations)
    sized = any(math.isfinite(found.index_bytes) for found in configurations)
    others = [name for name in measures if name != findings.measure]
    columns = [
        Column("configuration", strings("column_configuration"), "text"),
        _measure(findings.measure, strings),
        Column(
            "against the best",
            strings("column_against_best"),
            hint=strings("hint_against_best"),
            interval=True,
            better="high",
        ),
        *(_measure(name, strings) for name in others),
    ]
    if timed:
        columns.append(
            Column(
                "ms per query",
                strings("column_per_query"),
                hint=strings("hint_per_query"),
                unit="ms",
                better="low",
            )
        )
    if sized:
        columns.append(
            Column(
                "index bytes",
                strings("column_index_size"),
                hint=strings("hint_index_size"),
                better="low",
            )
        )
    rows = [
        (
            _label_cell(found, strong=found.label == findings.best and not findings.within),
            number_cell(found.value),
            _against_best(found, findings, strings),
            *(number_cell(found.means.get(name)) for name in others),
            *((_latency(found.latency_ms),) if timed else ()),
            *((_size(found.index_bytes),) if sized else ()),
        )
        for found in configurations
    ]
    n, count = count_text(len(findings.configurations)), count_text(len(configurations))
    whole = len(configurations) == len(findings.configurations)
    title = strings("sweep_all_title" if whole else "sweep_best_title", n=n, shown=count)
    note = strings("note_against_best", mark=DECIDED)
    return Table(id, title, tuple(columns), tuple(rows), (note,))


def each_table(findings: SweptFacts, strings: Strings, *, id: str) -> Table:
    """The best configuration of each retriever, with what choosing it is worth elsewhere."""
    label = findings.label
    columns = (
        retriever_column(strings),
        Column("configuration", strings("column_configuration"), "text"),
        Column("configurations", strings("column_configurations")),
        Column(
            "when chosen",
            strings("column_chosen_value", label=label),
            hint=strings("hint_chosen_value"),
        ),
        Column(
            "elsewhere",
            strings("column_elsewhere", label=label),
            hint=strings("hint_elsewhere"),
            interval=True,
        ),
    )
    rows = tuple(
        (
            Cell(best.retriever, best.retriever),
            text_cell(best.label),
            count_cell(best.configurations),
            number_cell(best.value),
            _elsewhere(best, strings),
        )
        for best in findings.by_retriever
    )
    done = next((best.elsewhere for best in findings.by_retriever if best.elsewhere), None)
    notes: tuple[str, ...] = ()
    if done is not None:
        notes = (strings("note_held_out_each", folds=done.folds, repeats=done.repeats),)
    return Table(id, strings("sweep_each_title"), columns, rows, notes)


def effects_tables(findings: SweptFacts, strings: Strings, *, id: str) -> Iterator[Table]:
    """What each parameter does: a table for each retriever."""
    columns = (
        Column("parameter", strings("column_parameter"), "text"),
        Column("value", strings("column_value"), "text"),
        Column("configurations", strings("column_configurations")),
        _measure(findings.measure, strings),
        Column(
            "effect",
            strings("column_effect"),
            hint=strings("hint_effect"),
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
                difference_cell(marginal.effect, _Bounds(marginal.low, marginal.high), strings),
            )
            for effect in own
            for marginal in effect.values
        )
        notes = [strings("note_effects")]
        if unbalanced := [effect.parameter for effect in own if not effect.balanced]:
            notes.append(strings("note_unbalanced", names=strings.names(unbalanced)))
        name = id if len(retrievers) == 1 else f"{id}-{retriever}"
        title = strings("effects_title", retriever=retriever)
        yield Table(name, title, columns, rows, tuple(notes))


def notes_of(findings: SweptFacts, strings: Strings) -> Iterator[str]:
    """Chunks of other sizes, queries that were left out, few clusters, what failed."""
    swept = (effect.parameter.split(".")[1:] for effect in findings.effects)
    if any("chunk" in keys for keys in swept):
        yield strings("note_sweep_chunks", M=findings.label)
    if findings.dropped:
        queries = strings.counted("count_queries", findings.dropped)
        yield strings("note_dropped", queries=queries, M=findings.label)
    if findings.clusters is not None and findings.clusters < MIN_CLUSTERS:
        yield strings("note_sweep_clusters", n=findings.clusters)
    failed = list(findings.failures.items())
    for label, error in failed[:FAILED_SHOWN]:
        yield strings("note_configuration_failed", configuration=label, error=error)
    if len(failed) > FAILED_SHOWN:
        others = strings.counted("count_configurations", len(failed) - FAILED_SHOWN)
        yield strings("note_more_failed", configurations=others)


def _measure(name: str, strings: Strings) -> Column:
    measure = parse_measure(name)
    return measure_column(measure, measure.label, strings.language)


def _label_cell(found: ScoredConfiguration, *, strong: bool) -> Cell:
    return Cell(found.label, found.label, strong=strong)


def _against_best(found: ScoredConfiguration, findings: SweptFacts, strings: Strings) -> Cell:
    if found.label == findings.best:
        return nothing()
    mark = "" if found.within else DECIDED
    bounds = _Bounds(-found.high, -found.low)
    return difference_cell(-found.behind, bounds, strings, mark=mark)


def _elsewhere(best: BestOfRetriever, strings: Strings) -> Cell:
    done = best.elsewhere
    return nothing() if done is None else mean_cell(done.held_out, done.interval, strings)


def _latency(milliseconds: float) -> Cell:
    return latency_cell(milliseconds if math.isfinite(milliseconds) else None)


def _size(count: float) -> Cell:
    return Cell(count, bytes_text(count)) if math.isfinite(count) else nothing()


def _plain(value: Any) -> float | int | str | bool:
    return value if isinstance(value, bool | int | float | str) else value_text(value)
