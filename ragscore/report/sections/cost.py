"""What retrievers cost, beside how good they are: times, encoding, index, tokens and price."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from ragscore.comparison.measure_tables import measure_column
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
from ragscore.report.charts import CostPoint, best_at_cost, cost_chart
from ragscore.report.model import Figure
from ragscore.report.ranking import lower_is_better, ranked
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import by_measure, named, pairs, retriever_table
from ragscore.report.sections.exact_search import exact_search
from ragscore.results import DatasetResult
from ragscore.results.manifest import RetrieverEntry
from ragscore.results.prices import price_columns
from ragscore.results.stages import QueryTimes
from ragscore.strings import Strings

MAX_CHARTS = 4
"""Numbers of clients that have a chart; the table has all."""
PERCENTILES = ("p50", "p95", "p99")


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
        elements.append(_clients(panel, report.strings))
    elements += exact_search(panel, report.strings)
    elements.append(_seconds(report, panel))
    return Section("cost", report.strings("cost"), tuple(elements))


def _measured(report: Report, panel: DatasetResult, measure: str) -> Iterator[Element]:
    yield from pairs(list(_charts(report, panel, measure)))
    yield _table(report, panel, measure)


# The charts.


def _levels(panel: DatasetResult) -> list[int]:
    """The numbers of clients that any retriever was timed with, fewest first; 1 for the results of
    earlier versions."""
    timed = [entry.latency for entry in panel.entries.values() if entry.latency is not None]
    return sorted({level.clients for latency in timed for level in latency.levels} | {1})


def _charts(report: Report, panel: DatasetResult, measure: str) -> Iterator[Figure]:
    """Quality against p50, a chart for each number of clients; none where only one was timed."""
    strings, label = report.strings, panel.labels[measure]
    for clients in _levels(panel)[:MAX_CHARTS]:
        points = _points(report, panel, measure, clients)
        if sum(point.drawable for point in points) < 2:
            continue
        key = "cost_title_clients" if clients > 1 else "cost_title"
        yield cost_chart(
            points,
            id=named(panel, f"cost-{clients}"),
            title=strings(key, label=label, clients=clients),
            label=label,
            axis=strings("cost_axis"),
            strings=strings,
            lower_is_better=lower_is_better(measure),
        )


def _points(
    report: Report, panel: DatasetResult, measure: str, clients: int = 1
) -> list[CostPoint]:
    """What each retriever costs and is worth; without a cost where it was not timed so."""
    points = []
    for name in panel.retrievers:
        mean = panel.means[measure][name]
        bounds = mean.interval
        p50 = _p50(panel.entries[name].latency, clients)
        low, high = (bounds.low, bounds.high) if bounds is not None else (None, None)
        points.append(CostPoint(name, report.number(name), p50, mean.value, low, high))
    return points


def _p50(latency: QueryTimes | None, clients: int) -> float:
    if latency is None:
        return float("nan")
    levels = {level.clients: level.p50_ms for level in latency.levels}
    return levels.get(clients, latency.p50_ms if clients == 1 else float("nan"))


# The tables.


def _table(report: Report, panel: DatasetResult, measure: str) -> Table:
    strings, entries = report.strings, panel.entries
    order = ranked(panel, measure)
    means = panel.means[measure]
    columns = [measure_column(measure, strings)]
    cells = {
        name: [mean_cell(means[name].value, means[name].interval, strings, retriever=name)]
        for name in order
    }
    if any(entries[name].latency for name in order):
        points = _points(report, panel, measure)
        listed = best_at_cost(points, lower_is_better=lower_is_better(measure))
        best = {point.name for point, on in zip(points, listed, strict=True) if on}
        columns.append(Column("best", strings("column_best_cost"), "text", strings("hint_best")))
        columns += _percentile_columns()
        for name in order:
            yes = text_cell(strings("yes")) if name in best else nothing("")
            cells[name] += [yes, *_percentiles(entries[name].latency)]
    of_costs = [(column, [of(entries[name]) for name in order]) for column, of in _costs(strings)]
    of_costs += price_columns([entries[name].usage for name in order], strings)
    for column, of_retrievers in of_costs:
        if any(cell.value is not None for cell in of_retrievers) and any(
            column.name != "asked again" or cell.value for cell in of_retrievers
        ):
            columns.append(column)
            for name, cell in zip(order, of_retrievers, strict=True):
                cells[name].append(cell)
    notes = [*_notes(panel, strings), *_earlier(cells.values(), strings)]
    title = strings("cost_table_title")
    return retriever_table(named(panel, "cost"), title, columns, cells, strings, notes)


def _costs(strings: Strings) -> Iterator[tuple[Column, Callable[[RetrieverEntry], Cell]]]:
    """The columns that only some results have, each with what makes its cells."""

    def encoding(entry: RetrieverEntry) -> Cell:
        known = entry.encoding
        rate = known.texts_per_second if known is not None else None
        if known is None or rate is None:
            return nothing()
        counts = {"texts": count_text(known.texts), "cached": count_text(known.cached)}
        hint = strings("hint_encoding_cell", seconds=number_text(known.seconds), **counts)
        if known.device:
            hint = strings("hint_encoding_device", hint=hint, device=known.device)
        return replace(_rate(rate, known.from_cache), hint=hint)

    def building(entry: RetrieverEntry) -> Cell:
        return _second(entry.build_seconds, entry.run_from_cache or entry.index_from_cache)

    def rate(entry: RetrieverEntry) -> Cell:
        value = entry.queries_per_second
        if value is None or entry.inputs:  # of which a part is searched elsewhere
            return nothing()
        return _rate(value, entry.run_from_cache)

    def calls(percentile: str) -> Callable[[RetrieverEntry], Cell]:
        def cell(entry: RetrieverEntry) -> Cell:
            known = entry.calls
            alone = None if known is None else getattr(known, f"{percentile}_ms")
            if known is None or alone is None:
                return nothing()
            facts = {"n": count_text(known.queries), "at_once": count_text(known.at_once)}
            whole = getattr(known.whole or known, f"{percentile}_ms")
            hint = strings("hint_calls_cell", alone=latency_text(alone), **facts)
            return replace(latency_cell(whole, earlier=entry.run_from_cache), hint=hint)

        return cell

    def asked_again(entry: RetrieverEntry) -> Cell:
        count = entry.calls.asked_again if entry.calls is not None else None
        return nothing() if count is None else count_cell(count)

    def size(entry: RetrieverEntry) -> Cell:
        count = entry.index_bytes
        return nothing() if count is None else Cell(count, bytes_text(count))

    def tokens(entry: RetrieverEntry) -> Cell:
        used = entry.usage.tokens if entry.usage is not None else None
        return nothing() if used is None else count_cell(used)

    def column(name: str, key: str, **options: Any) -> Column:
        return Column(name, strings(f"column_{key}"), hint=strings(f"hint_{key}"), **options)

    yield column("queries per second", "rate_blocks", better="high"), rate
    for percentile in ("p50", "p95"):
        key = f"calls_{percentile}"
        yield column(f"call {percentile} ms", key, unit="ms", better="low"), calls(percentile)
    yield column("asked again", "asked_again", better="low"), asked_again
    yield column("texts per second", "encoding", better="high"), encoding
    yield column("build s", "building", unit="s", better="low"), building
    yield Column("index bytes", strings("column_index_size"), better="low"), size
    yield Column("tokens", strings("column_tokens"), better="low"), tokens


def _percentile_columns() -> list[Column]:
    return [Column(f"{name} ms", name, unit="ms", better="low") for name in PERCENTILES]


def _percentiles(latency: QueryTimes | None) -> list[Cell]:
    if latency is None:
        return [nothing() for _ in PERCENTILES]
    times = (latency.p50_ms, latency.p95_ms, latency.p99_ms)
    return [latency_cell(time, earlier=latency.from_cache) for time in times]


def _clients(panel: DatasetResult, strings: Strings) -> Table:
    """The times of every retriever with every number of clients."""
    columns = (
        retriever_column(strings),
        Column("clients", strings("column_clients")),
        *_percentile_columns(),
        Column("queries per second", strings("column_throughput"), better="high"),
    )
    rows = []
    cores: set[int] = set()
    for name in panel.retrievers:
        latency = panel.entries[name].latency
        if latency is None:
            continue
        cores |= {latency.cores} if latency.cores is not None else set()
        for level in latency.levels:
            times = [
                latency_cell(time, earlier=latency.from_cache)
                for time in (level.p50_ms, level.p95_ms, level.p99_ms)
            ]
            throughput = _rate(level.queries_per_second, latency.from_cache)
            rows.append((name_cell(name), count_cell(level.clients), *times, throughput))
    shown = ", ".join(map(str, sorted(cores))) or strings("unknown")
    notes = (strings("note_clients", cores=shown), *_earlier(rows, strings))
    title = strings("latency_title")
    return Table(named(panel, "latency"), title, columns, tuple(rows), notes)


def _seconds(report: Report, panel: DatasetResult) -> Details:
    """What this run waited for, stage by stage."""
    strings = report.strings
    columns = (
        Column("index s", strings("column_index"), unit="s", better="low"),
        Column("load s", strings("column_load"), unit="s", better="low"),
        Column("search s", strings("column_search"), unit="s", better="low"),
        Column("depth", strings("column_depth")),
    )
    cells = {}
    for name in panel.retrievers:
        entry = panel.entries[name]
        seconds = (entry.index_seconds, entry.load_seconds, entry.search_seconds)
        cells[name] = [*(_second(value, entry.run_from_cache) for value in seconds)]
        cells[name].append(count_cell(entry.depth))
    notes = [strings("note_stages"), *_cached(panel, strings)]
    title, id = strings("stages_title"), named(panel, "seconds")
    table = retriever_table(id, title, columns, cells, strings, notes)
    return Details(title, (table,), named(panel, "seconds-details"))


def _rate(value: float, earlier: bool) -> Cell:
    return replace(number_cell(value, 0 if value >= 10 else 1), mark=_mark(earlier))


def _second(value: float | None, earlier: bool) -> Cell:
    if value is None:
        return nothing()
    text = "<0.001" if 0 < value < 0.001 else number_text(value)
    return Cell(value, text, mark=_mark(earlier))


def _mark(earlier: bool) -> str:
    return EARLIER if earlier else ""


# The notes.


def _notes(panel: DatasetResult, strings: Strings) -> Iterator[str]:
    entries = {name: panel.entries[name] for name in panel.retrievers}
    timed = [entry.latency for entry in entries.values() if entry.latency is not None]
    if timed:
        queries = max(latency.queries for latency in timed)
        warm_up = max(latency.warm_up or 1 for latency in timed)
        facts = {
            "queries": strings.counted("count_queries", queries),
            "warm_up": count_text(warm_up),
        }
        yield strings("note_sample", **facts)
        if untimed := [name for name, entry in entries.items() if entry.latency is None]:
            yield strings("note_untimed", names=strings.names(untimed))
    if composed := [name for name, entry in entries.items() if entry.inputs]:
        yield strings("note_composed", names=strings.names(composed))


def _cached(panel: DatasetResult, strings: Strings) -> Iterator[str]:
    for key, note in (("run_from_cache", "note_run_cached"), ("index_from_cache", "note_cached")):
        names = [name for name in panel.retrievers if getattr(panel.entries[name], key)]
        if names:
            yield strings(note, names=strings.names(names))


def _earlier(rows: Iterable[Iterable[Cell]], strings: Strings) -> Iterator[str]:
    if any(cell.mark == EARLIER for row in rows for cell in row):
        yield strings("note_from_cache", mark=EARLIER)
