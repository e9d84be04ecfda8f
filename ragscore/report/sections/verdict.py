"""The first view: the card with the verdict, what it rests on, and the table of the retrievers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ragscore.comparison import DatasetComparison, Difference, MeasureComparison
from ragscore.comparison.across import shortened
from ragscore.comparison.tables import (
    compared_cell,
    compared_record,
    difference_words,
    drawn,
    family_name,
    mark_key,
    measure_column,
    p_label,
)
from ragscore.comparison.verdict_text import STATES, verdict_elements
from ragscore.elements import (
    Axis,
    Cell,
    Column,
    Element,
    Headline,
    Level,
    Paragraph,
    Section,
    Table,
)
from ragscore.elements.cells import (
    latency_column,
    latency_range_cell,
    mean_cell,
    name_cell,
    nothing,
    p_cell,
    record_column,
    retriever_column,
)
from ragscore.elements.numbers import EARLIER, latency_range_text
from ragscore.elements.tables import table
from ragscore.messages import Text, _, joined
from ragscore.report.headlines import headlines
from ragscore.report.panels import failure
from ragscore.report.ranking import measure_notes, ranked, timed_earlier
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import by_both, by_measure, named
from ragscore.report.sections.gate import gate_on
from ragscore.report.sections.trust import trust
from ragscore.results import DatasetResult

SETTINGS, LONGEST_SETTING = 3, 30
"""Settings behind a retriever's name, and the characters of one."""


def verdict(report: Report, panel: DatasetResult) -> Section | None:
    """The verdict, what it rests on, and the retrievers, the best first."""
    elements = [*_asked_first(report, panel)]
    if panel.comparisons:
        elements.append(by_measure(panel, lambda measure: _verdict(panel, measure)))
    else:
        elements.append(_without_comparison(panel))
    elements.append(trust(report, panel))
    if panel.comparisons:
        elements.append(by_both(panel, lambda *choice: (ranking_table(panel, *choice),)))
    else:
        elements.append(ranking_table(panel, panel.baseline, panel.primary))
    return Section("verdict", "", tuple(elements))


def default_verdict(report: Report, panel: DatasetResult) -> Iterator[Element]:
    """The same for the experiment's own baseline and measure alone, as a notebook shows it."""
    yield from _asked_first(report, panel)
    if panel.comparisons:
        yield from _verdict(panel, panel.primary)
    else:
        yield _without_comparison(panel)
    yield trust(report, panel)
    yield ranking_table(panel, panel.baseline, panel.primary)


def _asked_first(report: Report, panel: DatasetResult) -> tuple[Element, ...]:
    """What the gate, a sweep and an earlier result ask comes before which is the best."""
    changed: Iterator[Element] = iter(())
    if report.before is not None:
        from ragscore.report.sections.changes import since

        changed = since(report, panel)
    swept = panel.sweep if panel.has_sweep else None
    shown = () if swept is None else (swept,)
    return headlines(gate_on(report, panel), shown, changed, ranked=bool(panel.comparisons))


def _verdict(panel: DatasetResult, measure: str) -> tuple[Element, ...]:
    """The verdict on a measure. Beside one that a reader chose stands that on the experiment's own:
    among many choices, one shows a clear difference by chance alone."""
    found = panel.comparisons[panel.baseline, measure].verdict
    if measure == panel.primary:
        return verdict_elements(found)
    default = panel.comparisons[panel.baseline, panel.primary].verdict
    note = _(
        "This verdict is for the choices made on this page. On the experiment's "
        "primary measure, {measure}: {state}.",
        measure=panel.labels[panel.primary],
        state=STATES[default.state][0],
    )
    return verdict_elements(found, note=note)


def _without_comparison(panel: DatasetResult) -> Element:
    """The recommended k of the only retriever, if there is one."""
    if len(panel.retrievers) == 1 and panel.tunings:
        tuning = panel.tunings[panel.retrievers[0]]
        level: Level = "good" if tuning.setting is not None else "fair"
        if tuning.setting is None:
            word = _("How many passages")
        else:
            word = _("Recommended k") if tuning.thresholds.by == "k" else _("Recommended cut")
        sample = panel.entry.sample
        caveat = "" if sample is None else sample.caveat()
        return Headline("K", word, level, tuning.sentence, note=caveat)
    if len(panel.retrievers) == 1:
        return Paragraph(_("There is one retriever, so nothing is compared."), "note")
    return Paragraph(
        _("The retrievers could not be compared; the notes under Judgments say why."), "warning"
    )


def ranking_table(panel: DatasetResult, baseline: str, measure: str) -> Table:
    """The retrievers, the best first: the mean on a measure, the difference to the baseline drawn,
    the time of a query, on how many queries it is better or worse. Other measures and p are there
    where a reader asks for them.

    Where retrievers search different chunks, what the same context holds comes first.
    """
    comparison = panel.comparisons.get((baseline, measure))
    main = None
    if comparison is not None:
        main = comparison.in_context or comparison[measure]
    columns: Columns = [
        (retriever_column(), _names(panel)),
        *_measured(panel, comparison, main, measure),
        *([(_time_column(panel), _time(panel))] if panel.latency else []),
    ]
    extra = [_mean(panel, comparison, name) for name in panel.measures if name != measure]
    if comparison is not None and main is not None:
        columns += _compared(panel, comparison, main)
        if main is comparison.in_context:
            extra.insert(0, _mean(panel, comparison, measure))
    names = ranked(panel, measure)
    if main is not None and comparison is not None and main is comparison.in_context:
        names.sort(key=lambda name: -main.means[name].value)
    title = _(
        "Retrievers by {measure}", measure=panel.labels[measure] if main is None else main.label
    )
    made = table(named(panel, "leaderboard"), title, [*columns, *extra], names)
    failed = [
        (
            name_cell(name, hint=error),
            Cell(None, _("failed"), hint=error, level="poor"),
            *(nothing(""),) * (len(made.columns) - 2),
        )
        for name, error in panel.failures.items()
    ]
    key: Iterable[tuple[str, Text]] = ()
    if comparison is not None and main is not None:
        apart = [x for x in main.differences if not comparison.same(x.retriever, x.baseline)]
        key = mark_key(comparison.family, main.margin, apart)
    made = replace(
        made,
        rows=(*made.rows, *failed),
        notes=tuple(_notes(panel, comparison, main, measure)),
        key=tuple(key),
    )
    return shortened(made, names, baseline)


Columns = list[tuple[Column, Callable[[str], Cell]]]


def _names(panel: DatasetResult) -> Callable[[str], Cell]:
    apart = settings_apart({name: entry.spec for name, entry in panel.entries.items()})
    return lambda name: replace(name_cell(name), detail=apart.get(name, ""))


def settings_apart(specs: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """By retriever, the settings that most others of its kind do not have.

    >>> settings_apart({"a": {"kind": "bm25", "k1": 1.5}, "b": {"kind": "bm25", "k1": 1.5},
    ...                 "c": {"kind": "bm25", "k1": 0.0}})
    {'a': '', 'b': '', 'c': 'k1 0'}
    """
    flat = {
        name: {key: value for key, value in _flat(spec) if key == "kind" or value != name}
        for name, spec in specs.items()
    }
    made = {}
    for name, own in flat.items():
        alike = [other for other in flat.values() if other.get("kind") == own.get("kind")]
        having = {key: sum(other.get(key) == own[key] for other in alike) for key in own}
        keys = [key for key, count in having.items() if 2 * count <= len(alike) and len(alike) > 1]
        texts = [f"{key} {own[key]}" for key in keys[:SETTINGS]]
        made[name] = ", ".join(texts + [f"+{len(keys) - SETTINGS}"] * (len(keys) > SETTINGS))
    return made


def _flat(settings: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in settings.items():
        path = before if key == "kind" and before else key
        if isinstance(value, Mapping):
            yield from _flat(value, key)
            continue
        text = f"{value:g}" if isinstance(value, float) else str(value)
        if isinstance(value, list):
            text = "+".join(str(one) for one in value if not isinstance(one, Mapping))
        if value is not None and "/" not in text and len(text) <= LONGEST_SETTING:
            yield path, text  # a path says less than the name


def _measured(
    panel: DatasetResult,
    comparison: DatasetComparison | None,
    main: MeasureComparison | None,
    measure: str,
) -> Columns:
    """The mean that the table is sorted by, its interval under the pointer and in CSV, and the
    difference to the baseline."""
    if comparison is None or main is None:
        return [_mean(panel, None, measure, extra=False)]
    column, _own = _mean(panel, comparison, measure, extra=False)
    if main is comparison.in_context:
        column = replace(column, name=main.measure, label=main.label)

    def brief(name: str) -> Cell:
        mean = main.means[name]
        shown = mean_cell(mean.value, mean, strong=main.best == name, retriever=name)
        known = shown.hint or _("95 % interval, taken alone: {interval}", interval=shown.interval)
        return replace(shown, interval="", hint=known if shown.interval else "")

    against = {found.retriever: found for found in main.differences}
    compared_on, label = main.label, _("Difference to {baseline}", baseline=comparison.baseline)
    if main is not comparison.in_context and main.difference_label != panel.labels[measure]:
        compared_on = main.difference_label
        label = joined([compared_on, label], ": ")
    difference = Column(
        "difference",
        label,
        hint=_(
            "Mean difference to {baseline} on {label}, query by query; + is better",
            baseline=comparison.baseline,
            label=compared_on,
        ),
        interval=True,
        better="high",
        axis=Axis.over([drawn(found) for found in main.differences], main.margin),
    )

    def compared(name: str) -> Cell:
        if comparison.same(name, comparison.baseline):
            return nothing(_("same as {baseline}", baseline=comparison.baseline), retriever=name)
        if name not in against:
            return nothing(_("baseline"), retriever=name)
        cell = compared_cell(against[name], retriever=name)
        return replace(cell, bar=drawn(against[name]), hint=difference_words(against[name]))

    return [(column, brief), (difference, compared)]


def _mean(
    panel: DatasetResult,
    comparison: DatasetComparison | None,
    measure: str,
    *,
    extra: bool = True,
) -> tuple[Column, Callable[[str], Cell]]:
    """The means of a measure, each with its own interval."""
    best = None if comparison is None else comparison[measure].best
    hint = _("In brackets: 95 % intervals, each taken alone.")
    column = replace(measure_column(measure), extra=extra, hint=hint)

    def cell(name: str) -> Cell:
        mean = panel.means[measure][name]
        return mean_cell(mean.value, mean, strong=best == name, retriever=name)

    return column, cell


def _time_column(panel: DatasetResult) -> Column:
    """The time of a query; where it is about the same for all, only for who asks."""
    ranges = {latency_range_text(known) for known in panel.latency.values()}
    return replace(latency_column(), unit="", extra=len(ranges) == 1)


def _time(panel: DatasetResult) -> Callable[[str], Cell]:
    return lambda name: latency_range_cell(
        panel.latency.get(name), earlier=timed_earlier(panel, name)
    )


def _compared(
    panel: DatasetResult, comparison: DatasetComparison, main: MeasureComparison
) -> Columns:
    """On how many queries each is better, worse, the same; the p-values."""
    against = {
        found.retriever: found
        for found in main.differences
        if not comparison.same(found.retriever, comparison.baseline)
    }
    corrected = Column("p corrected", p_label(panel.options), better="low", extra=True)

    def of(cell: Callable[[Difference], Cell]) -> Callable[[str], Cell]:
        return lambda name: cell(against[name]) if name in against else nothing("")

    return [
        (record_column(), of(compared_record)),
        (corrected, of(lambda found: p_cell(found.p_adjusted, floor=found.test.at_floor))),
    ]


def _notes(
    panel: DatasetResult,
    comparison: DatasetComparison | None,
    main: MeasureComparison | None,
    measure: str,
) -> Iterator[Text]:
    if comparison is not None and main is not None:
        outside = [found for found in main.differences if math.isnan(found.p_adjusted)]
        if not all(comparison.same(found.retriever, found.baseline) for found in outside):
            yield _(
                "Rows without a corrected p have no mark: they are not among {family}, which the "
                "experiment compares.",
                family=family_name(comparison.family),
            )
        yield from measure_notes(comparison, [measure])
    shown = panel.latency if not _time_column(panel).extra else ()
    if any(timed_earlier(panel, name) for name in shown):
        yield _(
            "{mark} timed in an earlier run; this run took the result from the cache.",
            mark=EARLIER,
        )
    yield from (failure(*failed) for failed in panel.failures.items())
