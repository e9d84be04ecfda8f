"""Retry-After and rate limits: over all blocks and queries of a system."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from ragscore.dataset import Corpus, Ids, Queries
from ragscore.outside import repeating
from ragscore.progress import SILENT
from ragscore.retrievers.calls import CallOptions, RawAnswer, TemporaryFailure
from ragscore.retrievers.calls.asked_index import AskedIndex

CORPUS = Corpus(Ids(["a"]), ["text"])
QUERIES = Queries.from_texts({f"q{at}": "text" for at in range(12)})


class Busy(AskedIndex):
    """Asks to wait so many times, where it is asked for the given query."""

    def __init__(self, wait: float, query: str, waits: int = 1, **options: Any) -> None:
        super().__init__(CORPUS, CallOptions(**options), "busy", False, SILENT)
        self.wait, self.query, self.waits = wait, query, waits
        self.times: list[float] = []

    async def ask(self, queries: Queries, row: int, depth: int) -> RawAnswer:
        self.times.append(time.monotonic())
        await asyncio.sleep(0)
        if queries.ids[row] == self.query and self.waits:
            self.waits -= 1
            raise TemporaryFailure("too many requests", self.wait)
        return RawAnswer(["a"])


def test_a_wait_that_is_asked_for_holds_back_all_queries() -> None:
    busy = Busy(0.2, "q4", concurrency=2)
    run = busy.search(QUERIES, 1)
    assert run.returned.all()
    gaps = [after - before for before, after in zip(busy.times, busy.times[1:], strict=False)]
    [held] = [gap for gap in gaps if gap > 0.1]
    assert 0.19 <= held < 0.4
    times = busy.call_times()
    assert times is not None
    assert times.queries == 12
    assert times.at_once == 2
    assert times.whole is not None
    assert times.p99_ms is not None
    assert times.p99_ms < 100 <= times.whole.p99_ms, "waiting is no time of a call, but of a query"
    assert times.asked_again == 1


def test_a_wait_for_a_turn_under_a_rate_limit_is_no_time_of_a_query() -> None:
    calm = Busy(0, "", rate_limit=10, concurrency=12)
    calm.search(QUERIES, 1)
    times = calm.call_times()
    assert times is not None
    assert times.whole is not None
    assert times.whole.p50_ms < 500, "the sixth query waits for its turn for so long"


def test_a_wait_that_is_too_long_fails_its_query_at_once() -> None:
    busy = Busy(3_600, "q4", concurrency=2, max_errors=1)
    began = time.monotonic()
    [failure] = busy.search(QUERIES, 1).failures
    assert time.monotonic() - began < 1
    assert str(failure) == (
        "query 'q4': too many requests; it asks to wait 3,600 s, more than 600 s in all"
    )


@pytest.mark.parametrize("retries", [0, 1])
def test_a_wait_that_is_asked_for_uses_up_no_retry(retries: int) -> None:
    busy = Busy(0.01, "q4", waits=5, retries=retries)
    assert busy.search(QUERIES, 1).returned.all()
    assert len(busy.times) == len(QUERIES) + 5


def test_all_waits_of_a_query_are_bounded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repeating, "MAX_WAIT", 3.0)
    busy = Busy(0.01, "q4", waits=100, retries=0, max_errors=1)
    [failure] = busy.search(QUERIES, 1).failures
    assert failure.error == "too many requests; it asks to wait once more, more than 3 s in all"
    assert failure.attempts == 4


def test_a_wait_of_no_time_uses_up_a_retry() -> None:
    busy = Busy(0.0, "q4", waits=100, retries=2, max_errors=1)
    [failure] = busy.search(QUERIES, 1).failures
    assert failure.attempts == 3


@pytest.mark.parametrize("blocks", [1, 4])
def test_a_rate_limit_holds_over_blocks(blocks: int) -> None:
    busy = Busy(0, "", rate_limit=60, concurrency=4)
    began = time.monotonic()
    for start in range(0, 12, 12 // blocks):
        busy.search(QUERIES.select(range(start, start + 12 // blocks)), 1)
    assert 11 / 60 <= time.monotonic() - began < 1
