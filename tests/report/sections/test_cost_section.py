"""The section of costs: times, encoding, index, tokens and price."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragscore import BM25, Dataset, Fusion, Result, evaluate, open_result
from ragscore.elements import Table
from ragscore.encoders import EncodingCost
from ragscore.errors import DataError
from ragscore.report.model import Figure
from ragscore.report.report import Report, make_report
from ragscore.results.prices import price_columns
from ragscore.usage import Usage
from tests.factories.built_report import (
    Data,
    inside,
    of_datasets,
    rows_of,
    section,
    tables,
    with_manifest,
)
from tests.factories.manifests import write_manifest

PASSAGES = {f"p{at}": f"room {at} costs {at * 17} crowns" for at in range(12)}
QUERIES = {f"q{at}": f"what does room {at} cost" for at in range(6)}
TRUTH = {f"q{at}": [f"p{at}"] for at in range(6)}


class Paid:
    """Counts what it used, and is good."""

    def __init__(self) -> None:
        self.usage = {"tokens": 0, "price": 0.0, "currency": "USD"}

    def retrieve(self, queries: list[str], k: int) -> list[list[str]]:
        self.usage = {"tokens": 1234, "price": 0.00168, "currency": "USD"}
        return [[f"p{query.split()[3]}"] for query in queries]


@pytest.fixture(scope="module")
def searched() -> Result:
    retrievers = {
        "bm25": BM25(tokenizer="words"),
        "presence": BM25(tokenizer="words", k1=0.0),
        "both": Fusion(retrievers=("bm25", "presence")),
        "paid": Paid,
    }
    return evaluate(
        Dataset.from_rows(PASSAGES, QUERIES, TRUTH, name="rooms"),
        retrievers,
        ["nDCG@3", "MR"],
        latency_queries=4,
        latency_concurrency=[1, 2],
    )


@pytest.fixture(scope="module")
def made(searched: Result) -> Report:
    return make_report(searched)


def test_the_table_has_what_is_known(searched: Result, made: Report) -> None:
    table = tables(section(made, "cost"), "cost")[0]
    rows = rows_of(table)
    entries = {entry.name: entry for entry in searched.manifest.retrievers}
    timed = entries["bm25"].latency
    assert timed is not None
    assert [rows["bm25"][f"{name} ms"].value for name in ("p50", "p95", "p99")] == [
        timed.p50_ms,
        timed.p95_ms,
        timed.p99_ms,
    ]
    assert rows["bm25"]["nDCG@3"].interval
    assert rows["bm25"]["build s"].value == entries["bm25"].build_seconds
    assert rows["bm25"]["index bytes"].value == entries["bm25"].index_bytes
    assert rows["bm25"]["queries per second"].value == entries["bm25"].queries_per_second
    assert (rows["paid"]["tokens"].text, rows["paid"]["price USD"].text) == ("1,234", "0.0017")
    assert rows["bm25"]["tokens"].value is None
    assert rows["paid"]["p50 ms"].value is None
    assert rows["both"]["queries per second"].value is None, "its inputs were searched before"
    assert "texts per second" not in rows["bm25"], "nothing was encoded"
    assert any(row["best"].value for row in rows.values())
    said = " ".join(table.notes)
    for part in ("4 queries of the dataset", "paid: not timed", "both: latency includes"):
        assert part in said


def test_a_retriever_without_its_optional_input_is_not_composed(
    searched: Result, tmp_path: Path
) -> None:
    folder = _changed(searched, tmp_path, lambda entry: entry["spec"].setdefault("retriever", None))
    table = tables(section(make_report(open_result(folder)), "cost"), "cost")[0]
    assert rows_of(table)["bm25"]["queries per second"].value is not None
    assert "both: latency includes" in " ".join(table.notes)


def test_every_number_of_clients_has_its_rows_and_its_chart(made: Report) -> None:
    found = section(made, "cost")
    (table,) = tables(found, "latency")
    assert [(row[0].value, row[1].value) for row in table.rows] == [
        (name, clients) for name in ("bm25", "presence", "both") for clients in (1, 2)
    ]
    (shown,) = [element for element in found.elements if hasattr(element, "variants")]
    figures = [one for element in shown.shown for one in inside(element) if isinstance(one, Figure)]
    assert [figure.id for figure in figures] == ["cost-1", "cost-2"]
    assert "2 clients at once" in figures[1].title


def test_a_measure_whose_small_values_are_good_has_other_best_ones(made: Report) -> None:
    (shown,) = [
        element for element in section(made, "cost").elements if hasattr(element, "variants")
    ]
    assert len(shown.variants) == 2
    for choice, elements in shown.variants.items():
        texts = [figure.drawing.markup for figure in _figures(elements)]
        assert all(("lower is better" in text) == (choice.measure == "MR") for text in texts)


def _figures(elements: Any) -> list[Figure]:
    return [one for element in elements for one in inside(element) if isinstance(one, Figure)]


def test_encoding_from_the_cache_is_marked(small: Report) -> None:
    panel = small.result.dataset_results[0]
    name, other, *_ = panel.retrievers
    cost = EncodingCost(300, 2.0, device="cuda")
    entries = {
        **panel.entries,
        name: panel.entries[name].model_copy(update={"encoding": cost.reopened()}),
        other: panel.entries[other].model_copy(update={"encoding": cost}),
    }
    manifest = small.result.manifest.model_copy(update={"retrievers": tuple(entries.values())})
    report = of_datasets(with_manifest(small, manifest), panel.holding(entries=entries))
    rows = rows_of(tables(section(report, "cost"), "cost")[0])
    assert rows[name]["texts per second"].text == "150"
    assert rows[name]["texts per second"].mark
    assert not rows[other]["texts per second"].mark
    assert rows[name]["texts per second"].hint.endswith("300 of them from the cache, on cuda")


def test_an_old_result_has_a_cost_too(data_of: Data, tmp_path: Path, searched: Result) -> None:
    """As versions before this one wrote it."""
    folder = _changed(searched, tmp_path, _as_before)
    report = make_report(open_result(folder))
    found = section(report, "cost")
    assert not tables(found, "latency")
    rows = rows_of(tables(found, "cost")[0])
    assert rows["bm25"]["p50 ms"].value is not None
    assert "build s" not in rows["bm25"]
    assert len(_figures(found.elements)) == 2, "one for each measure"


def _as_before(entry: dict[str, Any]) -> None:
    for key in ("build_seconds", "encoding", "usage"):
        entry.pop(key, None)
    if entry["latency"]:
        kept = ("queries", "p50_ms", "p95_ms", "p99_ms", "from_cache")
        entry["latency"] = {key: entry["latency"][key] for key in kept}


def _changed(result: Result, folder: Path, change: Any) -> Path:
    place = folder / "result"
    result.save(place)
    manifest = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["retrievers"]:
        change(entry)
    write_manifest(place, manifest)
    return place


HOSTILE = "<script>\u202e"


@pytest.mark.slow
@pytest.mark.parametrize(
    "values",
    [
        {"latency": {"queries": 1, "p50_ms": -5.0, "p95_ms": 0.0, "p99_ms": 1e308}},
        {"latency": {"queries": 10**19, "p50_ms": 1e-308, "p95_ms": 0.0, "p99_ms": 0.0}},
        {"usage": {"tokens": 10**19, "price": 1e308, "currency": HOSTILE}},
        {"encoding": {"texts": 10**19, "seconds": 1e-308, "cached": 10**19}},
        {"build_seconds": 1e308, "index_bytes": -1, "queries_per_second": -1e308},
        {"spec": {"retriever": ["x" * 10_000]}},
    ],
    ids=lambda values: next(iter(values)),
)
def test_hostile_values_are_shown_as_text(
    searched: Result, tmp_path: Path, values: dict[str, Any]
) -> None:
    report = make_report(open_result(_changed(searched, tmp_path, lambda e: e.update(values))))
    report.write(tmp_path / "page", ["html", "csv", "markdown"])
    page = (tmp_path / "page" / "report.html").read_text(encoding="utf-8")
    assert "<script>\u202e" not in page
    assert section(report, "cost").elements


@pytest.mark.parametrize(
    "values",
    [
        {"usage": {"tokens": -1}},
        {"usage": {"price": "much", "currency": "USD"}},
        {"usage": {"price": 1.0, "currency": "x" * 1000}},
        {"encoding": {"texts": "all", "seconds": 1.0}},
        {"build_seconds": -1.0},
        {"latency": {"queries": 1, "p50_ms": 1, "p95_ms": 1, "p99_ms": 1, "levels": [{}]}},
        {"latency": {"queries": 1, "p50_ms": 1, "p95_ms": 1, "p99_ms": 1, "levels":
            [{"clients": n, "p50_ms": 1, "p95_ms": 1, "p99_ms": 1, "queries_per_second": 1}
             for n in range(1000)]}},
    ],
)  # fmt: skip
def test_what_no_run_writes_is_refused(
    searched: Result, tmp_path: Path, values: dict[str, Any]
) -> None:
    folder = _changed(searched, tmp_path, lambda entry: entry.update(values))
    with pytest.raises(DataError, match="not a manifest"):
        open_result(folder)


def test_the_summary_has_a_price_where_there_is_one(searched: Result) -> None:
    table = next(element for element in searched.elements() if isinstance(element, Table))
    assert rows_of(table)["paid"]["price USD"].text == "0.0017"
    assert rows_of(table)["bm25"]["price USD"].value is None


def test_prices_stand_in_a_column_for_each_currency() -> None:
    used = [Usage(None, 2.5, "USD"), None, Usage(7), Usage(1, 12_000.0, "KRW")]
    assert [
        (column.name, [cell_of(usage).text for usage in used])
        for column, cell_of in price_columns(used)
    ] == [
        ("price USD", ["2.50", "-", "-", "-"]),
        ("price KRW", ["-", "-", "-", "12,000.00"]),
    ]
    many = [Usage(None, 1.0, currency) for currency in "ABCD"]
    ((column, cell_of),) = price_columns(many)
    cells = [cell_of(usage) for usage in many]
    assert (column.name, cells[3].text) == ("price", "1.00 D")


def test_times_of_calls_stand_beside_those_of_single_queries(tmp_path: Path) -> None:
    async def outside(query: str, k: int) -> list[str]:
        return [f"p{query.split()[3]}"]

    data = Dataset.from_rows(PASSAGES, QUERIES, TRUTH, name="rooms")
    made = evaluate(data, {"bm25": BM25(tokenizer="words"), "outside": outside}, ["MR"])
    made.save(tmp_path / "result")
    calls = open_result(tmp_path / "result").stages["rooms", "outside"].calls
    assert calls is not None
    assert calls == made.stages["rooms", "outside"].calls
    assert calls.whole is not None
    assert calls.queries == len(QUERIES)
    assert 0 < calls.p50_ms <= calls.p95_ms <= calls.p99_ms < 1_000
    rows = rows_of(tables(section(make_report(made), "cost"), "cost")[0])
    assert rows["outside"]["call p95 ms"].value == calls.whole.p95_ms
    assert "asked again" not in rows["outside"], "nothing was"
    assert rows["bm25"]["call p50 ms"].value is None
