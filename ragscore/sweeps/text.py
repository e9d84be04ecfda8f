"""A sweep as elements: which settings to use, the best configurations, what each parameter does.

The command, a notebook and the report show the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from ragscore.elements import Cell, Code, Column, Element, Headline, Lines, Section, Table
from ragscore.elements.cells import (
    count_cell,
    difference_cell,
    interval_words,
    latency_cell,
    mean_cell,
    nothing,
    number_cell,
    retriever_column,
    text_cell,
)
from ragscore.elements.numbers import (
    DECIDED,
    bytes_text,
    count_text,
    latency_text,
    number_text,
    signed_text,
)
from ragscore.elements.tables import Columns, column, table
from ragscore.measures import parse_measure
from ragscore.messages import Message, Text, _, counted, few_names, joined, listed
from ragscore.scoring.score_tables import measure_column
from ragscore.stats.few_differ import TOO_FEW
from ragscore.stats.units import MIN_CLUSTERS
from ragscore.sweeps.model import value_text
from ragscore.sweeps.record import (
    ScoredConfiguration,
    SweepResult,
    SweptRetriever,
    ValueEffect,
)

CHEAPER = 0.8
"""A configuration that takes more than this share of what the best takes is not called cheaper."""
SHOWN = 5
"""Configurations that the command shows: a sweep may have hundreds."""
NAMED = 2
"""The card names so many parameters, and counts the others."""
MANY_QUERIES = 5_000
"""Nobody asks more questions than that to settle a difference."""
FAILED_SHOWN = 3
"""Failures that are named; the others are counted."""
EDGES = {
    "largest": _("{parameter} = {value} is the largest value tried; a larger one may be better."),
    "smallest": _(
        "{parameter} = {value} is the smallest value tried; a smaller one may be better."
    ),
}


def sweep_elements(found: SweepResult) -> Section:
    """What is printed of a sweep on one dataset."""
    elements: list[Element] = [
        sweep_headline(found),
        Lines(tuple(sweep_notes(found))),
        configurations_table(found, id="sweep", shown=SHOWN),
    ]
    if len(found.by_retriever) > 1:
        elements.append(each_table(found, id="sweep-retrievers"))
    if found.yaml:
        elements.append(Code(found.yaml, "yaml"))
    made = Section("sweep", sweep_title(found), tuple(elements))
    return made if found.sample is None else made.with_caveat(found.sample.caveat())


def sweep_title(found: SweepResult) -> Text:
    """How many configurations of which retrievers, on which dataset."""
    return _(
        "Sweep: {configurations} of {retrievers} on {dataset} ({queries})",
        configurations=_configurations(len(found.configurations)),
        retrievers=few_names(dict.fromkeys(found.swept.retrievers)),
        dataset=found.dataset,
        queries=counted("1 query", "{count} queries", found.queries),
    )


def sweep_headline(found: SweepResult) -> Headline:
    """The card: which settings to use, what is sure, what is open, what would settle it.

    Its first line with Sure, Open and To settle has at most 60 words; But has at most 20.
    """
    names = dict.fromkeys(name for each in found.configurations for name in each.settings)
    if found.alike:
        tried = _("All {settings} tried ({names}) score the same.")
    elif found.use:
        tried = _("The best of {settings} tried.")
    elif found.reason == "worse":
        tried = _("The best of {settings} tried ({names}) is worse.")
    else:
        tried = _("Of {settings} tried ({names}), none is decided to be better.")
    lines: list[tuple[Text, Text]] = [
        (_("Sure"), _sure(found)),
        (_("Open"), _open(found)),
        (_("To settle"), _to_settle(found)),
        *((_("But"), text) for text in _edges(found)),
        (_("Sample"), "" if found.sample is None else found.sample.caveat()),
    ]
    return Headline(
        "SWEEP USE" if found.use else "SWEEP KEEP",
        _("Use {settings}", settings=found.best) if found.use else _("Keep your settings"),
        "good" if found.reason in ("better", "worse") else "fair",
        tried.given(
            settings=counted("1 setting", "{count} settings", len(found.configurations)),
            names=listed(tuple(names), most=NAMED),
        ),
        tuple((joined([word, ":"], ""), text) for word, text in lines if text),
    )


def _sure(found: SweepResult) -> Text:
    """What is decided: the best against the settings of the file, else against the others."""
    n = count_text(len(found.configurations))
    if found.reason == "better":
        return _("it beats your settings: {gained}.", gained=_gained(found))
    if found.reason in ("worse", "same"):
        return _(
            "{best} instead of your settings: {gained}.", best=found.best, gained=_gained(found)
        )
    if found.worse:
        return counted(
            "1 of {n} is worse than {best}.",
            "{count} of {n} are worse than {best}.",
            found.worse,
            n=n,
            best=found.best,
        )
    return "" if found.alike else _("nothing yet; all {n} are within noise.", n=n)


def _open(found: SweepResult) -> Text:
    """The best or the settings of the file, while that is not decided; what else may be as good as
    the best where that is to be used."""
    if found.held_out is None:
        return _("{best}: too few questions to hold any back for testing it.", best=found.best)
    if found.use and found.tied and not found.alike:
        return counted(
            "1 of {others} others is within noise of it, and may be as good.",
            "{count} of {others} others are within noise of it, and may be as good.",
            found.tied,
            others=count_text(len(found.configurations) - 1),
        )
    if found.reason in ("few differ", "open"):
        return _(
            "the best, {best}, instead of yours: {gained}.", best=found.best, gained=_gained(found)
        )
    return ""


def _gained(found: SweepResult) -> Text:
    """How much the best is better than the settings of the file."""
    gain = found.gain
    if gain is None:
        return ""
    gained = _(
        "{M} {gain} {interval} on questions not used to choose it",
        M=found.label,
        gain=signed_text(gain.difference),
        interval=interval_words(gain.interval, sign=True),
    )
    if found.reason != "few differ":
        return gained
    facts = {"x": count_text(gain.differing), "n": count_text(gain.n), "units": _units(found)}
    return _("{gained}; {x} of {n} {units} differ", gained=gained, **facts)


def _to_settle(found: SweepResult) -> Text:
    """What would decide what is open."""
    if found.held_out is None:
        return _("more questions.")
    if found.use and found.tied and not found.alike:
        return _("use the cheapest of these, or tell them apart with more questions.")
    if found.reason == "few differ":
        return _("more questions; too few differ to say how many.")
    if found.reason != "open" or found.gain is None:
        return ""
    high = found.gain.interval.high
    if math.isnan(high):
        return _("more questions.")
    w = number_text(max(high, 0.0))
    if found.more is not None and found.more <= MANY_QUERIES:
        return _(
            "about {n} more questions to decide this gain, or keep yours and miss at most {w}.",
            n=count_text(found.more),
            w=w,
        )
    return _("keep yours and miss at most {w}, or ask more questions.", w=w)


def _edges(found: SweepResult) -> Iterator[Message]:
    for parameter, end in found.edges.items():
        value = value_text(found.winner.settings[parameter])
        yield EDGES[end].given(parameter=parameter, value=value)


def sweep_notes(found: SweepResult) -> Iterator[Text]:
    """What is said in smaller print: the means, what is known of those within noise, chunks of
    other sizes, queries that were left out, few clusters, what failed."""
    yield joined(_means(found))
    yield from _within_noise(found)
    swept = (effect.parameter for each in found.by_retriever for effect in each.effects)
    if any("chunk" in parameter.split(".")[1:] for parameter in swept):
        yield _(
            "{measure} compares chunkings at the same k, where large chunks hand over more "
            "text. To compare them in contexts of the same size, write the best ones as "
            "retrievers of their own (section budgets).",
            measure=found.label,
        )
    if found.dropped:
        yield _(
            "Left out: {queries} on which {measure} is undefined for some configuration.",
            queries=counted("1 query", "{count} queries", found.dropped),
            measure=found.label,
        )
    if found.clusters is not None and found.clusters < MIN_CLUSTERS:
        yield _("Only {n} clusters: intervals are rough.", n=found.clusters)
    failed = list(found.failures.items())
    for label, error in failed[:FAILED_SHOWN]:
        yield _("{configuration} failed: {error}", configuration=label, error=error)
    if len(failed) > FAILED_SHOWN:
        others = _configurations(len(failed) - FAILED_SHOWN)
        yield _("Also failed: {configurations}.", configurations=others)


def _means(found: SweepResult) -> Iterator[Message]:
    """Of the file's settings, of the best, and of choosing on other questions."""
    facts: dict[str, Text] = {"M": found.label, "best": found.best}
    if not math.isnan(found.configured):
        yield _("Your settings have {M} {value}.", value=number_text(found.configured), **facts)
    held_out, value = found.held_out, number_text(found.in_sample)
    if held_out is None or found.state == "only":
        yield _("{best} has {M} {value}.", value=value, **facts)
        return
    yield _(
        "{best} has {M} {value} on the questions used to choose it, and {held_out} {interval} on "
        "others.",
        value=value,
        held_out=number_text(held_out.mean),
        interval=interval_words(held_out.interval),
        **facts,
    )
    bias = number_text(found.selection_bias)
    if found.selection_bias > 0 and float(bias) > 0:
        n = count_text(len(found.configurations))
        yield _("Picking the best of {n} overstates it by {bias}.", n=n, bias=bias)


def _within_noise(found: SweepResult) -> Iterator[Message]:
    """What is known of those within noise of the best; the closest where there is none."""
    best, tied = found.winner, found.tied_with_best
    if found.worse and not tied:
        closest = found.configurations[1]
        yield _(
            "The closest to the best is {other} ({difference} {interval}).",
            other=closest.label,
            difference=signed_text(closest.against_best.value),
            interval=interval_words(closest.against_best, sign=True),
        )
        return
    parts: list[Text] = []
    same = sum(other.differing == 0 for other in tied)
    few = sum(0 < other.differing <= TOO_FEW for other in tied)
    if same and not found.alike:
        parts.append(_("{n} with the same score on every question", n=count_text(same)))
    if few:
        differ = _("{n} differing on {few} {units} or fewer, too few to decide")
        parts.append(differ.given(n=count_text(few), few=TOO_FEW, units=_units(found)))
    # No comparison with a cost that is not known holds.
    if faster := [each for each in tied if each.latency_ms < CHEAPER * best.latency_ms]:
        fastest = min(faster, key=lambda each: each.latency_ms)
        times = {"ms": latency_text(fastest.latency_ms), "ms_best": latency_text(best.latency_ms)}
        takes = _("{other}, which takes {ms} ms per query instead of {ms_best}")
        parts.append(takes.given(other=fastest.label, **times))
    if smaller := [each for each in tied if each.index_bytes < CHEAPER * best.index_bytes]:
        smallest = min(smaller, key=lambda each: each.index_bytes)
        sizes = {"size": bytes_text(smallest.index_bytes), "full": bytes_text(best.index_bytes)}
        parts.append(
            _("{other}, whose index is {size} instead of {full}", other=smallest.label, **sizes)
        )
    if parts:
        yield _("Within noise of the best: {parts}.", parts=joined(parts, "; "))


def configurations_table(
    found: SweepResult, *, id: str, shown: int | None = None, measures: Sequence[str] = ()
) -> Table:
    """The configurations, the best first.

    Args:
        found: on one dataset.
        id: of the table.
        shown: how many; None for all.
        measures: others than the one that was chosen by, as they parse, with a column each.
    """
    rows = found.configurations[:shown]
    time = Column(
        "ms per query", _("Per query"), hint=_("Milliseconds per query"), unit="ms", better="low"
    )
    columns: Columns[ScoredConfiguration] = (
        column(
            "configuration",
            _("Configuration"),
            lambda row: Cell(row.label, row.label, strong=row is found.winner and not found.tied),
            "text",
        ),
        (_measure(found.measure), lambda row: number_cell(row.value)),
        column(
            "against the best",
            _("Against the best"),
            partial(_against_best, found),
            hint=_("Difference from the best; the intervals hold for all configurations at once"),
            interval=True,
            better="high",
        ),
        *(
            (_measure(name), lambda row, name=name: number_cell(row.means.get(name)))
            for name in measures
            if name != found.measure
        ),
        (time, _time_cell) if any(math.isfinite(row.latency_ms) for row in rows) else None,
        column(
            "index bytes",
            _("Index"),
            _index_cell,
            hint=_("Size of the indexes it searches"),
            better="low",
        )
        if any(math.isfinite(row.index_bytes) for row in rows)
        else None,
    )
    n, count = count_text(len(found.configurations)), count_text(len(rows))
    title = _("All {n} configurations", n=n)
    if len(rows) < len(found.configurations):
        title = _("The best {shown} of {n} configurations", shown=count, n=n)
    note = _(
        "Intervals hold for all configurations at once; {mark} marks those that "
        "are worse than the best (max-T over all pairs, p < .05).",
        mark=DECIDED,
    )
    return table(id, title, columns, rows, (note,))


def each_table(found: SweepResult, *, id: str) -> Table:
    """The best configuration of each retriever, and its worth on held-out queries."""
    columns: Columns[SweptRetriever] = (
        (retriever_column(), lambda row: Cell(row.retriever, row.retriever)),
        column("configuration", _("Configuration"), lambda row: text_cell(row.label), "text"),
        column("configurations", _("Configurations"), lambda row: count_cell(row.configurations)),
        column(
            "in sample",
            _("{label} in sample", label=found.label),
            lambda row: number_cell(row.value),
            hint=_("On the queries that were used to choose it"),
        ),
        column(
            "held out",
            _("{label} held out", label=found.label),
            _held_out_cell,
            hint=_("On queries that were not used to choose it, by cross-validation"),
            interval=True,
        ),
    )
    notes = []
    if (done := found.held_out) is not None:
        held_out = _(
            "Held out: on queries that were not used to choose, by cross-validation "
            "({folds} folds, {repeats} times); the intervals are approximate."
        )
        notes.append(held_out.given(folds=done.folds, repeats=done.repeats))
    title = _("The best of each retriever")
    return table(id, title, columns, found.by_retriever, notes)


def effects_tables(found: SweepResult, *, id: str) -> Iterator[Table]:
    """What each parameter does: a table for each retriever."""
    columns: Columns[tuple[str, ValueEffect]] = (
        column("parameter", _("Parameter"), lambda row: text_cell(row[0]), "text"),
        column("value", _("Value"), lambda row: _value_cell(row[1].value), "text"),
        column(
            "configurations",
            _("Configurations"),
            lambda row: count_cell(row[1].configurations),
        ),
        (_measure(found.measure), lambda row: number_cell(row[1].mean)),
        column(
            "effect",
            _("Against its average"),
            lambda row: difference_cell(row[1].effect.value, row[1].effect),
            hint=_("The mean minus the average over all values of the parameter"),
            interval=True,
        ),
    )
    for each in found.by_retriever:
        rows = [(effect.parameter, value) for effect in each.effects for value in effect.values]
        if not rows:
            continue
        notes = [
            _(
                "Means over all configurations with that value. The 95 % intervals are of the "
                "difference from the parameter's average, not adjusted."
            )
        ]
        if unbalanced := [effect.parameter for effect in each.effects if not effect.balanced]:
            notes.append(
                _(
                    "{names}: the values were tried with different settings of the other "
                    "parameters, and the means reflect these, too.",
                    names=few_names(unbalanced),
                )
            )
        title = _(
            "What each parameter does, over all configurations of {retriever}",
            retriever=each.retriever,
        )
        ending = f"-{each.retriever}" if len(found.by_retriever) > 1 else ""
        yield table(f"{id}{ending}", title, columns, rows, notes)


def _against_best(found: SweepResult, row: ScoredConfiguration) -> Cell:
    if row is found.winner:
        return nothing()
    mark = "" if row.in_best_set else DECIDED
    return difference_cell(row.against_best.value, row.against_best, mark=mark)


def _time_cell(row: ScoredConfiguration) -> Cell:
    return latency_cell(row.latency_ms) if math.isfinite(row.latency_ms) else nothing()


def _index_cell(row: ScoredConfiguration) -> Cell:
    known = math.isfinite(row.index_bytes)
    return Cell(row.index_bytes, bytes_text(row.index_bytes)) if known else nothing()


def _held_out_cell(row: SweptRetriever) -> Cell:
    return mean_cell(row.held_out.mean, row.held_out.interval) if row.held_out else nothing()


def _value_cell(value: object) -> Cell:
    text = value_text(value)
    return Cell(value if isinstance(value, bool | int | float | str) else text, text)


def _measure(name: str) -> Column:
    measure = parse_measure(name)
    return measure_column(measure, measure.label)


def _configurations(count: int) -> Message:
    return counted("1 configuration", "{count} configurations", count)


def _units(found: SweepResult) -> Message:
    return _("questions") if found.clusters is None else _("clusters")
