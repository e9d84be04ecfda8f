"""A sweep as elements: which settings to use, the best configurations, what each parameter does.

The command, a notebook and the report show the same ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from ragscore.elements import (
    Cell,
    Code,
    Column,
    Element,
    Headline,
    Lines,
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
from ragscore.elements.numbers import (
    DECIDED,
    bytes_text,
    count_text,
    interval_text,
    latency_text,
    number_text,
    signed_text,
    size_text,
)
from ragscore.elements.tables import table
from ragscore.measures import parse_measure
from ragscore.messages import Message, Text, _, counted, few_names, joined, listed
from ragscore.scoring.score_tables import measure_column
from ragscore.stats.cross_validation import HeldOutGain
from ragscore.stats.few_differ import TOO_FEW
from ragscore.stats.units import MIN_CLUSTERS
from ragscore.sweeps.model import value_text
from ragscore.sweeps.record import ScoredConfiguration, SweepResult

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
    "largest": _(
        "{parameter} = {value} is the largest value tried. A larger one may be better still, if "
        "the option allows it."
    ),
    "smallest": _(
        "{parameter} = {value} is the smallest value tried. A smaller one may be better still, if "
        "the option allows it."
    ),
}


def sweep_elements(found: SweepResult) -> Section:
    """What is printed of a sweep on one dataset."""
    elements: list[Element] = [
        sweep_headline(found),
        Lines(tuple(sweep_notes(found))),
        configurations_table(found, id="sweep", shown=SHOWN),
    ]
    if found.by_retriever:
        elements.append(each_table(found, id="sweep-retrievers"))
    if found.yaml:
        elements.append(Code(found.yaml, "yaml"))
    made = Section("sweep", sweep_title(found), tuple(elements))
    return made if found.sample is None else made.with_caveat(found.sample.caveat())


def sweep_title(found: SweepResult) -> Text:
    """How many configurations of which retrievers, on which dataset."""
    return _(
        "Sweep: {configurations} of {retrievers} on {dataset} ({queries})",
        configurations=counted(
            "1 configuration", "{count} configurations", len(found.configurations)
        ),
        retrievers=few_names(dict.fromkeys(found.swept.retrievers)),
        dataset=found.dataset,
        queries=counted("1 query", "{count} queries", found.queries),
    )


def sweep_headline(found: SweepResult) -> Headline:
    """The card: which settings to use, what is sure, what is open, what would settle it.

    Its first line with Sure, Open and To settle has at most 60 words; But has at most 20.
    """
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
        "good" if found.gain is not None and found.gain.decided else "fair",
        _tried(found),
        tuple((joined([name, ":"], ""), text) for name, text in lines if text),
    )


def _tried(found: SweepResult) -> Message:
    """How many configurations of which parameters were tried, and what came of it."""
    n, worse = len(found.configurations), found.gain is not None and found.gain.decided
    names = dict.fromkeys(name for each in found.configurations for name in each.settings)
    facts = {"best": found.best, "names": listed(tuple(names), most=NAMED)}
    if _all_alike(found):
        return _("All {n} settings tried ({names}) score the same.", n=count_text(n), **facts)
    if found.use:
        return counted("Nothing else was tried.", "The best of {count} settings tried.", n)
    if worse:
        return counted(
            "{best} is worse.", "The best of {count} settings tried ({names}) is worse.", n, **facts
        )
    return counted(
        "{best} is not decided to be better.",
        "None of {count} settings tried ({names}) is decided to be better.",
        n,
        **facts,
    )


def _all_alike(found: SweepResult) -> bool:
    others = found.configurations[1:]
    return bool(others) and not any(other.differing for other in others)


def _sure(found: SweepResult) -> Text:
    """What is decided: the best against the settings of the file, else against the others."""
    gain, others = found.gain, len(found.configurations) - 1
    if gain is not None and (gain.decided or not gain.differing):
        gained = {"best": found.best, "gained": _gained(found, gain)}
        if found.use:
            return _("it beats your settings: {gained}.", **gained)
        return _("{best} against your settings: {gained}.", **gained)
    if _all_alike(found):
        return ""
    if worse := others - found.tied:
        return counted(
            "1 of {n} is worse than {best}.",
            "{count} of {n} are worse than {best}.",
            worse,
            n=count_text(others + 1),
            best=found.best,
        )
    if not others or found.use:
        return _("nothing yet.")
    return _("nothing yet; all {n} are within noise.", n=count_text(others + 1))


def _open(found: SweepResult) -> Text:
    """The best or the settings of the file, while that is not decided; what else may be as good as
    the best where that is to be used."""
    gain, n = found.gain, len(found.configurations)
    facts = {"best": found.best, "M": found.label}
    if found.held_out is None:
        return _(
            "{best}: {M} {value}, but too few questions to test it on others than those used to "
            "choose it.",
            value=number_text(found.in_sample),
            **facts,
        )
    if found.use:
        if not found.tied or _all_alike(found):
            return ""
        return counted(
            "1 of {n} others is within noise of it, and may be as good.",
            "{count} of {n} others are within noise of it, and may be as good.",
            found.tied,
            n=count_text(n - 1),
        )
    if gain is None or gain.decided or not gain.differing:
        return ""
    gained = _gained(found, gain)
    if gain.differing <= TOO_FEW:
        x, of = count_text(gain.differing), count_text(gain.n)
        gained = _(
            "{gained}; {x} of {n} {units} differ", gained=gained, x=x, n=of, units=_units(found)
        )
    return _("the best, {best}, or yours: {gained}.", gained=gained, **facts)


def _gained(found: SweepResult, gain: HeldOutGain) -> Message:
    return _(
        "{M} {gain} {interval} on questions not used to choose it",
        M=found.label,
        gain=signed_text(gain.difference),
        interval=_interval(gain.interval.low, gain.interval.high, sign=True),
    )


def _to_settle(found: SweepResult) -> Text:
    """What would decide what is open."""
    gain, more = found.gain, found.more
    if found.held_out is None:
        return _("more questions.")
    if found.use:
        several = found.tied and not _all_alike(found)
        return (
            _("use the cheapest of these, or tell them apart with more questions.")
            if several
            else ""
        )
    if gain is None or gain.decided or not gain.differing:
        return ""
    if gain.differing <= TOO_FEW:
        return _("more questions; too few differ to say how many.")
    if math.isnan(gain.interval.high):
        return _("more questions.")
    # Rounded up, so that what is printed holds the interval.
    w = number_text(max(0, math.ceil(gain.interval.high * 1e3) / 1e3))
    if more is not None and more <= MANY_QUERIES:
        return _(
            "about {n} more questions to decide this gain, or keep yours and miss at most {w}.",
            n=count_text(more),
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
    swept = (effect.parameter.split(".")[1:] for effect in found.effects)
    if any("chunk" in keys for keys in swept):
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
        others = counted("1 configuration", "{count} configurations", len(failed) - FAILED_SHOWN)
        yield _("Also failed: {configurations}.", configurations=others)


def _means(found: SweepResult) -> Iterator[Message]:
    """Of the file's settings, of the best, and of choosing on other questions."""
    facts: dict[str, Text] = {"M": found.label, "best": found.best}
    if not math.isnan(found.configured):
        yield _("Your settings have {M} {value}.", value=number_text(found.configured), **facts)
    held_out, bias = found.held_out, size_text(found.selection_bias)
    facts["value"] = number_text(found.in_sample)
    if held_out is None or found.state == "only":
        yield _("{best} has {M} {value}.", **facts)
        return
    yield _(
        "{best} has {M} {value} on the questions used to choose it, and {held_out} {interval} on "
        "others.",
        held_out=number_text(held_out.mean),
        interval=_interval(held_out.low, held_out.high),
        **facts,
    )
    if found.selection_bias > 0 and float(bias) > 0:
        n = count_text(len(found.configurations))
        yield _("Picking the best of {n} overstates it by {bias}.", n=n, bias=bias)


def _within_noise(found: SweepResult) -> Iterator[Message]:
    """What is known of those within noise of the best; the closest where there is none."""
    best, tied = found.winner, found.tied_with_best
    if len(found.configurations) > 1 and not tied:
        closest = found.configurations[1]
        yield _(
            "The closest to the best is {other} ({difference} {interval}).",
            other=closest.label,
            difference=signed_text(closest.against_best.value),
            interval=_interval(closest.against_best.low, closest.against_best.high, sign=True),
        )
    same = sum(other.differing == 0 for other in tied)
    if 0 < same < len(found.configurations) - 1:
        yield counted(
            "1 of those within noise of the best scores the same on every question.",
            "{count} of those within noise of the best score the same on every question.",
            same,
        )
    if few := sum(0 < other.differing <= TOO_FEW for other in tied):
        yield counted(
            "1 of those within noise of the best differs from it on {few} {units} or fewer, too "
            "few to decide.",
            "{count} of those within noise of the best differ from it on {few} {units} or fewer, "
            "too few to decide.",
            few,
            few=TOO_FEW,
            units=_units(found),
        )
    fastest = min(tied, key=lambda other: _known(other.latency_ms), default=best)
    if fastest.latency_ms < CHEAPER * best.latency_ms:
        yield _(
            "{other} is within noise of the best and faster: {ms} ms per query instead of "
            "{ms_best}.",
            other=fastest.label,
            ms=latency_text(fastest.latency_ms),
            ms_best=latency_text(best.latency_ms),
        )
    smallest = min(tied, key=lambda other: _known(other.index_bytes), default=best)
    if smallest.index_bytes < CHEAPER * best.index_bytes:
        yield _(
            "{other} is within noise of the best and has a smaller index: {size} instead of "
            "{size_best}.",
            other=smallest.label,
            size=bytes_text(smallest.index_bytes),
            size_best=bytes_text(best.index_bytes),
        )


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
    timed = any(math.isfinite(row.latency_ms) for row in rows)
    sized = any(math.isfinite(row.index_bytes) for row in rows)
    against = Column(
        "against the best",
        _("Against the best"),
        hint=_("Difference from the best; the intervals hold for all configurations at once"),
        interval=True,
        better="high",
    )
    time, index = _("Milliseconds per query"), _("Size of the indexes it searches")
    columns = (
        (
            Column("configuration", _("Configuration"), "text"),
            lambda row: Cell(row.label, row.label, strong=row is found.winner and not found.tied),
        ),
        (_measure(found.measure), lambda row: number_cell(row.value)),
        (against, lambda row: _against_best(row, found)),
        *(
            (_measure(name), lambda row, name=name: number_cell(row.means.get(name)))
            for name in measures
            if name != found.measure
        ),
        (
            Column("ms per query", _("Per query"), hint=time, unit="ms", better="low"),
            lambda row: latency_cell(row.latency_ms if math.isfinite(row.latency_ms) else None),
        )
        if timed
        else None,
        (Column("index bytes", _("Index"), hint=index, better="low"), _index_cell)
        if sized
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
    label = found.label
    in_sample = Column(
        "in sample",
        _("{label} in sample", label=label),
        hint=_("On the queries that were used to choose it"),
    )
    held_out = Column(
        "held out",
        _("{label} held out", label=label),
        hint=_("On queries that were not used to choose it, by cross-validation"),
        interval=True,
    )
    columns = (
        (retriever_column(), lambda row: Cell(row.retriever, row.retriever)),
        (Column("configuration", _("Configuration"), "text"), lambda row: text_cell(row.label)),
        (
            Column("configurations", _("Configurations")),
            lambda row: count_cell(row.configurations),
        ),
        (in_sample, lambda row: number_cell(row.value)),
        (
            held_out,
            lambda row: (
                mean_cell(row.held_out.mean, row.held_out.interval) if row.held_out else nothing()
            ),
        ),
    )
    done = next((row.held_out for row in found.by_retriever if row.held_out), None)
    note = done and _(
        "Held out: on queries that were not used to choose, by cross-validation "
        "({folds} folds, {repeats} times); the intervals are approximate.",
        folds=done.folds,
        repeats=done.repeats,
    )
    title = _("The best of each retriever")
    return table(id, title, columns, found.by_retriever, (note,) if note else ())


def effects_tables(found: SweepResult, *, id: str) -> Iterator[Table]:
    """What each parameter does: a table for each retriever."""
    effect = Column(
        "effect",
        _("Against its average"),
        hint=_("The mean minus the average over all values of the parameter"),
        interval=True,
    )
    columns = (
        (Column("parameter", _("Parameter"), "text"), lambda row: text_cell(row[0])),
        (Column("value", _("Value"), "text"), lambda row: _value_cell(row[1].value)),
        (
            Column("configurations", _("Configurations")),
            lambda row: count_cell(row[1].configurations),
        ),
        (_measure(found.measure), lambda row: number_cell(row[1].mean)),
        (effect, lambda row: difference_cell(row[1].effect.value, row[1].effect)),
    )
    several = len({effect.retriever for effect in found.effects}) > 1
    for retriever, of_retriever in groupby(found.effects, key=lambda effect: effect.retriever):
        own = list(of_retriever)
        rows = [(effect.parameter, value) for effect in own for value in effect.values]
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
        title = _(
            "What each parameter does, over all configurations of {retriever}", retriever=retriever
        )
        yield table(f"{id}-{retriever}" if several else id, title, columns, rows, notes)


def _against_best(row: ScoredConfiguration, found: SweepResult) -> Cell:
    if row is found.winner:
        return nothing()
    mark = "" if row.in_best_set else DECIDED
    return difference_cell(row.against_best.value, row.against_best, mark=mark)


def _index_cell(row: ScoredConfiguration) -> Cell:
    known = math.isfinite(row.index_bytes)
    return Cell(row.index_bytes, bytes_text(row.index_bytes)) if known else nothing()


def _measure(name: str) -> Column:
    measure = parse_measure(name)
    return measure_column(measure, measure.label)


def _value_cell(value: object) -> Cell:
    text = value_text(value)
    return Cell(value if isinstance(value, bool | int | float | str) else text, text)


def _units(found: SweepResult) -> Message:
    return _("questions") if found.clusters is None else _("clusters")


def _interval(low: float, high: float, *, sign: bool = False) -> Text:
    return interval_text(low, high, sign=sign) or _("not estimable")


def _known(cost: float) -> float:
    return math.inf if math.isnan(cost) else cost
