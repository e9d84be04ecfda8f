"""What retrievers cost, beside how good they are: times, encoding, index, tokens and price."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

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
from ragscore.messages import Text, _, counted, few_names
from ragscore.report.charts import CostPoint, best_at_cost, cost_chart
from ragscore.report.model import Chart, chart
from ragscore.report.ranking import lower_is_better, ranked
from ragscore.report.report import Report
from ragscore.report.sections.arrangement import by_measure, named, pairs, retriever_table
from ragscore.report.sections.exact_search import exact_search
from ragscore.results import DatasetResult
from ragscore.results.manifest import RetrieverEntry
from ragscore.results.prices import price_columns
from ragscore.results.stages import QueryTimes

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
    points = []
    for name in panel.retrievers:
        mean = panel.means[measure][name]
        bounds = mean
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
    entries = panel.entries
    order = ranked(panel, measure)
    means = panel.means[measure]
    columns = [measure_column(measure)]
    cells = {name: [mean_cell(means[name].value, means[name], retriever=name)] for name in order}
    if any(entries[name].latency for name in order):
        points = _points(report, panel, measure)
        listed = best_at_cost(points, lower_is_better=lower_is_better(measure))
        best = {point.name for point, on in zip(points, listed, strict=True) if on}
        columns.append(
            Column(
                "best",
                _("Best at its p50"),
                "text",
                _(
                    "No faster retriever has as high a mean. The verdict says whether two means "
                    "really differ"
                ),
            )
        )
        columns += _percentile_columns()
        for name in order:
            yes = text_cell(_("yes")) if name in best else nothing("")
            cells[name] += [yes, *_percentiles(entries[name].latency)]
    of_costs = [(column, [of(entries[name]) for name in order]) for column, of in _costs()]
    of_costs += price_columns([entries[name].usage for name in order])
    for column, of_retrievers in of_costs:
        if any(cell.value is not None for cell in of_retrievers) and any(
            column.name != "asked again" or cell.value for cell in of_retrievers
        ):
            columns.append(column)
            for name, cell in zip(order, of_retrievers, strict=True):
                cells[name].append(cell)
    notes = [*_notes(panel), *_earlier(cells.values())]
    title = _("Quality and cost")
    return retriever_table(named(panel, "cost"), title, columns, cells, notes)


def _costs() -> Iterator[tuple[Column, Callable[[RetrieverEntry], Cell]]]:
    """The columns that only some results have, each with what makes its cells."""

    def encoding(entry: RetrieverEntry) -> Cell:
        known = entry.encoding
        rate = known.texts_per_second if known is not None else None
        if known is None or rate is None:
            return nothing()
        counts = {"texts": count_text(known.texts), "cached": count_text(known.cached)}
        hint = _(
            "{texts} texts in {seconds} s, {cached} of them from the cache",
            seconds=number_text(known.seconds),
            **counts,
        )
        if known.device:
            hint = _("{hint}, on {device}", hint=hint, device=known.device)
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
            hint = _(
                "Over {n} answered queries, up to {at_once} at once; the successful call alone "
                "took {alone} ms",
                alone=latency_text(alone),
                **facts,
            )
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

    hint = _("All queries sent at once, as when the run was recorded")
    rates = _("Queries/s in blocks")
    yield Column("queries per second", rates, hint=hint, better="high"), rate
    hint = _("Median time until the external system answered a query, including retries and waits")
    yield Column("call p50 ms", _("Call p50"), hint=hint, unit="ms", better="low"), calls("p50")
    hint = _(
        "The external system answered 95 % of the queries within this time, including retries and "
        "waits"
    )
    yield Column("call p95 ms", _("Call p95"), hint=hint, unit="ms", better="low"), calls("p95")
    hint = _("Queries that were answered only after a retry")
    yield Column("asked again", _("Retried"), hint=hint, better="low"), asked_again
    hint = _("Distinct passages encoded per second, not counting the time to load the model")
    texts = _("Encoding texts/s")
    yield Column("texts per second", texts, hint=hint, better="high"), encoding
    hint = _("Time to build the index, not counting encoding")
    yield Column("build s", _("Build index"), hint=hint, unit="s", better="low"), building
    yield Column("index bytes", _("Index size"), better="low"), size
    yield Column("tokens", _("Tokens"), better="low"), tokens


def _percentile_columns() -> list[Column]:
    return [Column(f"{name} ms", name, unit="ms", better="low") for name in PERCENTILES]


def _percentiles(latency: QueryTimes | None) -> list[Cell]:
    if latency is None:
        return [nothing() for _ in PERCENTILES]
    times = (latency.p50_ms, latency.p95_ms, latency.p99_ms)
    return [latency_cell(time, earlier=latency.from_cache) for time in times]


def _clients(panel: DatasetResult) -> Table:
    """The times of every retriever with every number of clients."""
    columns = (
        retriever_column(),
        Column("clients", _("Clients")),
        *_percentile_columns(),
        Column("queries per second", _("Queries/s"), better="high"),
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
    shown = ", ".join(map(str, sorted(cores))) or _("unknown")
    notes = (
        _(
            "Clients are threads of one Python process with {cores} cores. A retriever that holds "
            "Python's lock while it searches gains nothing from more clients.",
            cores=shown,
        ),
        *_earlier(rows),
    )
    title = _("Several clients at once")
    return Table(named(panel, "latency"), title, columns, tuple(rows), notes)


def _seconds(panel: DatasetResult) -> Details:
    """What this run waited for, stage by stage."""
    columns = (
        Column("index s", _("Index"), unit="s", better="low"),
        Column("load s", _("Load"), unit="s", better="low"),
        Column("search s", _("Search"), unit="s", better="low"),
        Column("depth", _("Depth")),
    )
    cells = {}
    for name in panel.retrievers:
        entry = panel.entries[name]
        seconds = (entry.index_seconds, entry.load_seconds, entry.search_seconds)
        cells[name] = [*(_second(value, entry.run_from_cache) for value in seconds)]
        cells[name].append(count_cell(entry.depth))
    notes = [
        _(
            "Index: encoding and building, or reopening. Load: loading what queries need. Search: "
            "all queries in blocks, not counting the retrievers it builds on."
        ),
        *_cached(panel),
    ]
    title, id = _("Seconds per stage"), named(panel, "seconds")
    table = retriever_table(id, title, columns, cells, notes)
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


def _earlier(rows: Iterable[Iterable[Cell]]) -> Iterator[Text]:
    if any(cell.mark == EARLIER for row in rows for cell in row):
        yield _(
            "{mark} measured in an earlier run; this run took the result from the cache.",
            mark=EARLIER,
        )
