"""What a query takes whose first attempts failed: as long as whoever asked it waited."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from ragscore import Dataset, Http, Result, evaluate, open_result
from ragscore.gate import gate_result
from ragscore.outside import repeating
from ragscore.report.report import make_report
from ragscore.retrievers.custom.calling import open_custom
from ragscore.retrievers.custom.options import CodeOptions
from tests.factories.built_report import rows_of, section, tables
from tests.factories.manifests import write_manifest
from tests.factories.systems.counting import counting_server

QUERIES = 12
AGAIN = {"q0", "q4", "q8"}
PASSAGES = {f"p{at}": f"room {at}" for at in range(5)}
DATA = Dataset.from_rows(
    PASSAGES,
    {f"q{at}": f"where is room {at}" for at in range(QUERIES)},
    {f"q{at}": [f"p{at % 5}"] for at in range(QUERIES)},
    name="rooms",
)
TIMEOUT = 1.5
SAID = "search: 3 of 12 queries were answered only after a retry"


@pytest.fixture(scope="module")
def slow() -> Result:
    """Of a server that hangs the first time that it is asked a quarter of the queries."""
    with counting_server(list(PASSAGES)) as system:
        system.hanging = frozenset(AGAIN)
        asks = Http(
            url=system.url,
            body={"id": "{id}", "k": "{k}"},
            response={"ids": "hits[*].id"},
            timeout=TIMEOUT,
            retries=3,
        )
        retrievers = {"search": asks, "calm": lambda query, k: ["p1"]}
        made = evaluate(DATA, retrievers, ["RR"])
        assert {query for query, times in system.asked.items() if times > 1} == AGAIN
    return made


def test_a_gate_goes_by_what_queries_took_as_a_whole(slow: Result) -> None:
    limit = TIMEOUT * 1000
    outcome = gate_result(slow, max={"p95_ms": limit}, retrievers=("search",))
    (condition,) = outcome.conditions
    assert (condition.verdict, condition.n) == ("FAIL", QUERIES)
    assert condition.value >= limit
    assert "Timed on the run's 12 questions, with retries and waits" in str(outcome)
    assert "rooms, search: 3 of 12 queries were answered only" in str(outcome)


def test_both_times_and_how_many_were_asked_again_stand_in_the_manifest(
    slow: Result, tmp_path: Path
) -> None:
    slow.save(tmp_path / "result")
    stages = open_result(tmp_path / "result").stages
    calls, calm = (stages["rooms", name].calls for name in ("search", "calm"))
    assert calls is not None
    assert calls.whole is not None
    assert calls.p50_ms is not None
    assert (calls.queries, calls.asked_again) == (QUERIES, len(AGAIN))
    assert calls.whole.p99_ms >= calls.whole.p95_ms >= TIMEOUT * 1000
    assert calls.whole.p50_ms >= calls.p50_ms > 0
    assert calm is not None
    assert calm.asked_again == 0


def test_the_table_and_the_report_say_how_many_were_asked_again(slow: Result) -> None:
    assert SAID in str(slow)
    assert any(SAID in str(note) for note in slow.manifest.notes)
    rows = rows_of(tables(section(make_report(slow), "cost"), "cost")[0])
    calls = slow.stages["rooms", "search"].calls
    assert calls is not None
    assert calls.whole is not None
    assert rows["search"]["call p95 ms"].value == calls.whole.p95_ms
    assert [rows[name]["asked again"].value for name in ("search", "calm")] == [3, 0]


def test_a_result_that_does_not_hold_what_retries_took_passes_no_limit(
    slow: Result, tmp_path: Path
) -> None:
    slow.save(tmp_path / "result")
    manifest = json.loads((tmp_path / "result" / "manifest.json").read_text(encoding="utf-8"))
    for entry in manifest["retrievers"]:
        del entry["calls"]["whole"], entry["calls"]["asked_again"]
    write_manifest(tmp_path / "result", manifest)
    outcome = gate_result(
        open_result(tmp_path / "result"), max={"p95_ms": 1e6}, retrievers=("search",)
    )
    assert (outcome.verdict, outcome.conditions[0].reason) == ("FAIL", "not measured")


def test_halves_of_a_call_that_failed_count_from_when_it_was_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repeating, "FIRST_WAIT", 0.0)
    asked = Counter[str]()

    class Ours:
        def retrieve(self, queries: list[str], k: int) -> list[list[str]]:
            asked.update(queries)
            if len(queries) > 1:
                raise OSError("too many")
            return [["p1"]] * len(queries)

    options = CodeOptions(max_errors=1, retries=1)
    with_halves = open_custom(Ours(), DATA.corpus, calls=options)
    few = DATA.queries.select(range(4))
    assert with_halves.search(few, 1).returned.all()
    times = with_halves.call_times()
    assert set(asked.values()) == {5}
    assert times is not None
    assert times.whole is not None
    assert (times.queries, times.asked_again) == (4, 4)


def test_calls_for_several_queries_are_counted_and_not_timed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(repeating, "FIRST_WAIT", 0.0)
    fails = iter([True, False])

    class Ours:
        def retrieve(self, queries: list[str], k: int) -> list[list[str]]:
            if next(fails):
                raise OSError("busy")
            return [["p1"]] * len(queries)

    ours = open_custom(Ours(), DATA.corpus, calls=CodeOptions(retries=1))
    assert ours.search(DATA.queries, 1).returned.all()
    times = ours.call_times()
    assert times is not None
    assert (times.queries, times.p95_ms, times.asked_again) == (0, None, QUERIES)
