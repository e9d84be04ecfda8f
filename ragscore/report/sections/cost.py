"""What retrievers cost, beside how good they are: times, encoding, index, tokens and price."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from ragscore.comparison.tables import measure_column
from ragscore.elements import Cell, Column, Details, Element, Section, Table
from ragscore.elements.cells import (
    count_cell,
    latency_cell,
    mean_cell,
    name_cell,
    nothing,
    number_cell,
    retriever_column,
    text_cell,
)
from ragscore.elements.numbers import EARLIER, bytes_text, count_text, latency_text, number_text
from ragscore.elements.tables import Columns, table
from ragscore.messages import Text, _, counted, few_names
from ragscore.report.charts.cost_chart import CostPoint, best_at_cost, cost_chart
from ragscore.report.model import Chart, chart
from ragscore.report.ranking import lower_is_better, ranked
from ragscore.report.report import Report
from ragscore.report.sections.approximations import exact_search
from ragscore.report.sections.arrangement import by_measure, named, pairs
from ragscore.results import DatasetResult
from ragscore.results.manifest import RetrieverEntry
from ragscore.results.prices import price_columns
from ragscore.results.stages import ConcurrentTimes, QueryTimes
from ragscore.usage import Usage

MAX_CHARTS = 4
"""Numbers of clients that have a chart; the table has all."""


def cost(report: Report, panel: DatasetResult) -> Section | None:
    """Quality against latency, and what encoding, the index and an API cost."""
    known = [panel.entries[name] for name in panel.retrievers]
    if not any(entry.search_seconds is not None or entry.latency for entry in known):
        return None
    elements: list[Element] = []
    if panel.comparisons:
        elements.append(by_measure(panel, lambda measure: tuple(_measured(report, panel, measure))))
    else:
        elements += _measured(report, panel, panel.primary)
    if _levels(panel)[1:]:
        elements.append(_clients(panel))
    elements += exact_search(panel)
    elements.append(_seconds(panel))
    return Section("cost", _("Cost"), tuple(elements))


def _measured(report: Report, panel: DatasetResult, measure: str) -> Iterator[Element]:
    yield from pairs(list(_charts(report, panel, measure)))
    yield _table(report, panel, measure)


# The charts.


def _levels(panel: DatasetResult) -> list[int]:
    """The numbers of clients that any retriever was timed with, fewest first; 1 for the results of
    earlier versions."""
    timed = [entry.latency for entry in panel.entries.values() if entry.latency is not None]
    return sorted({level.clients for latency in timed for level in latency.levels} | {1})


def _charts(report: Report, panel: DatasetResult, measure: str) -> Iterator[Chart]:
    """Quality against p50, a chart for each number of clients with at least two timed
    retrievers."""
    label = panel.labels[measure]
    for clients in _levels(panel)[:MAX_CHARTS]:
        points = _points(report, panel, measure, clients)
        if sum(point.drawable for point in points) < 2:
            continue
        if clients > 1:
            title = _("{label} against latency, {clients} clients at once")
        else:
            title = _("{label} against latency")
        yield chart(
            cost_chart,
            points,
            id=named(panel, f"cost-{clients}"),
            title=title.given(label=label, clients=clients),
            label=label,
            axis=_("p50 of a single query, ms"),
            lower_is_better=lower_is_better(measure),
        )


def _points(
    report: Report, panel: DatasetResult, measure: str, clients: int = 1
) -> list[CostPoint]:
    """The cost and the value of each retriever; without a cost if it was not timed with this
    number of clients."""
    means, entries = panel.means[measure], panel.entries
    return [
        CostPoint(name, report.number(name), _p50(entries[name].latency, clients), means[name])
        for name in panel.retrievers
    ]


def _p50(latency: QueryTimes | None, clients: int) -> float:
    if latency is None:
        return float("nan")
    levels = {level.clients: level.p50_ms for level in latency.levels}
    return levels.get(clients, latency.p50_ms if clients == 1 else float("nan"))


# The tables.

EntryColumn: TypeAlias = tuple[Column, Callable[[RetrieverEntry], Cell]]
NAME: EntryColumn = (retriever_column(), lambda entry: name_cell(entry.name))


def _table(report: Report, panel: DatasetResult, measure: str) -> Table:
    means = panel.means[measure]
    rows = [panel.entries[name] for name in ranked(panel, measure)]
    points = _points(report, panel, measure)
    listed = best_at_cost(points, lower_is_better=lower_is_better(measure))
    best = {point.name for point, on in zip(points, listed, strict=True) if on}

    def mean(entry: RetrieverEntry) -> Cell:
        return mean_cell(means[entry.name].value, means[entry.name], retriever=entry.name)

    def best_here(entry: RetrieverEntry) -> Cell:
        return text_cell(_("yes")) if entry.name in best else nothing("")

    hint = _(
        "No faster retriever has as high a mean. The verdict says whether two means really differ"
    )
    times: list[EntryColumn] = [
        (Column("best", _("Best at its p50"), "text", hint), best_here),
        *((column, partial(_percentile, name)) for name, column in PERCENTILES.items()),
    ]
    columns = [
        NAME,
        (measure_column(measure), mean),
        *(times if any(entry.latency for entry in rows) else ()),
        *_used([*_costs(), *_prices(rows)], rows),
    ]
    return _marked(table(named(panel, "cost"), _("Quality and cost"), columns, rows, _notes(panel)))


def _percentile(name: str, entry: RetrieverEntry) -> Cell:
    latency = entry.latency
    if latency is None:
        return nothing()
    return latency_cell(getattr(latency, f"{name}_ms"), earlier=latency.from_cache)


def _used(columns: Sequence[EntryColumn], rows: Sequence[RetrieverEntry]) -> Iterator[EntryColumn]:
    """The columns that hold something."""
    for column, cell_of in columns:
        values = [cell_of(row).value for row in rows]
        if any(values) if column is RETRIED else any(value is not None for value in values):
            yield column, cell_of


def _prices(rows: Sequence[RetrieverEntry]) -> Iterator[EntryColumn]:
    for column, cell_of in price_columns(entry.usage for entry in rows):
        yield column, partial(_price, cell_of)


def _price(cell_of: Callable[[Usage | None], Cell], entry: RetrieverEntry) -> Cell:
    return cell_of(entry.usage)


def _encoding(entry: RetrieverEntry) -> Cell:
    known = entry.encoding
    rate = known.texts_per_second if known is not None else None
    if known is None or rate is None:
        return nothing()
    hint = _(
        "{texts} texts in {seconds} s, {cached} of them from the cache",
        texts=count_text(known.texts),
        seconds=number_text(known.seconds),
        cached=count_text(known.cached),
    )
    if known.device:
        hint = _("{hint}, on {device}", hint=hint, device=known.device)
    return replace(_rate(rate, known.from_cache), hint=hint)


def _searched(entry: RetrieverEntry) -> Cell:
    value = entry.queries_per_second
    if value is None or entry.inputs:  # of which a part is searched elsewhere
        return nothing()
    return _rate(value, entry.run_from_cache)


def _building(entry: RetrieverEntry) -> Cell:
    return _second(entry.build_seconds, entry.run_from_cache or entry.index_from_cache)


def _call(percentile: str, entry: RetrieverEntry) -> Cell:
    known = entry.calls
    alone = None if known is None else getattr(known, f"{percentile}_ms")
    if known is None or alone is None:
        return nothing()
    hint = _(
        "Over {n} answered queries, up to {at_once} at once; the successful call alone took "
        "{alone} ms",
        n=count_text(known.queries),
        at_once=count_text(known.at_once),
        alone=latency_text(alone),
    )
    whole = getattr(known.whole or known, f"{percentile}_ms")
    return replace(latency_cell(whole, earlier=entry.run_from_cache), hint=hint)


def _size(entry: RetrieverEntry) -> Cell:
    size = entry.index_bytes
    return nothing() if size is None else Cell(size, bytes_text(size))


def _rate(value: float, earlier: bool) -> Cell:
    cell = number_cell(value, 0 if value >= 10 else 1)
    return replace(cell, mark=EARLIER if earlier else "")


def _second(value: float | None, earlier: bool) -> Cell:
    if value is None:
        return nothing()
    text = "<0.001" if 0 < value < 0.001 else number_text(value)
    return Cell(value, text, mark=EARLIER if earlier else "")


PERCENTILES = {
    name: Column(f"{name} ms", name, unit="ms", better="low") for name in ("p50", "p95", "p99")
}
_again = _("Queries that were answered only after a retry")
RETRIED = Column("asked again", _("Retried"), hint=_again, better="low")


def _costs() -> Iterator[EntryColumn]:
    """The columns that only some results have."""
    hint = _("All queries sent at once, as when the run was recorded")
    rates = _("Queries/s in blocks")
    yield Column("queries per second", rates, hint=hint, better="high"), _searched
    hint = _("Median time until the external system answered a query, including retries and waits")
    call = Column("call p50 ms", _("Call p50"), hint=hint, unit="ms", better="low")
    yield call, partial(_call, "p50")
    hint = _(
        "The external system answered 95 % of the queries within this time, including retries and "
        "waits"
    )
    call = Column("call p95 ms", _("Call p95"), hint=hint, unit="ms", better="low")
    yield call, partial(_call, "p95")
    yield RETRIED, lambda entry: count_cell(entry.calls.asked_again if entry.calls else None)
    hint = _("Distinct passages encoded per second, not counting the time to load the model")
    texts = _("Encoding texts/s")
    yield Column("texts per second", texts, hint=hint, better="high"), _encoding
    hint = _("Time to build the index, not counting encoding")
    yield Column("build s", _("Build index"), hint=hint, unit="s", better="low"), _building
    yield Column("index bytes", _("Index size"), better="low"), _size
    tokens = Column("tokens", _("Tokens"), better="low")
    yield tokens, lambda entry: count_cell(entry.usage.tokens if entry.usage else None)


def _clients(panel: DatasetResult) -> Table:
    """The times of every retriever with every number of clients."""
    timed = {name: panel.entries[name].latency for name in panel.retrievers}
    rows = [
        (name, latency, level)
        for name, latency in timed.items()
        if latency is not None
        for level in latency.levels
    ]
    columns: Columns[tuple[str, QueryTimes, ConcurrentTimes]] = [
        (retriever_column(), lambda row: name_cell(row[0])),
        (Column("clients", _("Clients")), lambda row: count_cell(row[2].clients)),
        *((column, partial(_level_percentile, name)) for name, column in PERCENTILES.items()),
        (
            Column("queries per second", _("Queries/s"), better="high"),
            lambda row: _rate(row[2].queries_per_second, row[1].from_cache),
        ),
    ]
    cores = {latency.cores for _name, latency, _level in rows if latency.cores is not None}
    note = _(
        "Clients are threads of one Python process with {cores} cores. A retriever that holds "
        "Python's lock while it searches gains nothing from more clients.",
        cores=", ".join(map(str, sorted(cores))) or _("unknown"),
    )
    title = _("Several clients at once")
    return _marked(table(named(panel, "latency"), title, columns, rows, (note,)))


def _level_percentile(name: str, row: tuple[str, QueryTimes, ConcurrentTimes]) -> Cell:
    _name, latency, level = row
    return latency_cell(getattr(level, f"{name}_ms"), earlier=latency.from_cache)


def _seconds(panel: DatasetResult) -> Details:
    """What this run waited for, stage by stage."""
    columns: list[EntryColumn] = [
        NAME,
        (
            Column("index s", _("Index"), unit="s", better="low"),
            lambda entry: _second(entry.index_seconds, entry.run_from_cache),
        ),
        (
            Column("load s", _("Load"), unit="s", better="low"),
            lambda entry: _second(entry.load_seconds, entry.run_from_cache),
        ),
        (
            Column("search s", _("Search"), unit="s", better="low"),
            lambda entry: _second(entry.search_seconds, entry.run_from_cache),
        ),
        (Column("depth", _("Depth")), lambda entry: count_cell(entry.depth)),
    ]
    note = _(
        "Index: encoding and building, or reopening. Load: loading what queries need. Search: "
        "all queries in blocks, not counting the retrievers it builds on."
    )
    title, rows = _("Seconds per stage"), [panel.entries[name] for name in panel.retrievers]
    made = table(named(panel, "seconds"), title, columns, rows, (note, *_cached(panel)))
    return Details(title, (made,), named(panel, "seconds-details"))


# The notes.


def _notes(panel: DatasetResult) -> Iterator[Text]:
    entries = {name: panel.entries[name] for name in panel.retrievers}
    timed = [entry.latency for entry in entries.values() if entry.latency is not None]
    if timed:
        queries = max(latency.queries for latency in timed)
        warm_up = max(latency.warm_up or 1 for latency in timed)
        facts = {
            "queries": counted("1 query", "{count} queries", queries),
            "warm_up": count_text(warm_up),
        }
        yield _(
            "p50, p95, p99: {queries} of the dataset, one at a time, after a warm-up of {warm_up}.",
            **facts,
        )
        if untimed := [name for name, entry in entries.items() if entry.latency is None]:
            yield _(
                "{names}: not timed one query at a time (custom code, recorded runs and "
                "precomputed vectors never are).",
                names=few_names(untimed),
            )
    if composed := [name for name, entry in entries.items() if entry.inputs]:
        yield _(
            "{names}: latency includes the retrievers it builds on. Their search rate, index, "
            "encoding, tokens and price are in their own rows.",
            names=few_names(composed),
        )


def _cached(panel: DatasetResult) -> Iterator[Text]:
    searched = _(
        "{names}: nothing was searched this time; the figures are from an earlier, identical "
        "search."
    )
    built = _("{names}: the index was reopened, not built.")
    for key, note in (("run_from_cache", searched), ("index_from_cache", built)):
        names = [name for name in panel.retrievers if getattr(panel.entries[name], key)]
        if names:
            yield note.given(names=few_names(names))


def _marked(made: Table) -> Table:
    """The table with a note on the mark of earlier times, if it has some."""
    if not any(cell.mark == EARLIER for row in made.rows for cell in row):
        return made
    note = _(
        "{mark} measured in an earlier run; this run took the result from the cache.",
        mark=EARLIER,
    )
    return replace(made, notes=(*made.notes, note))
