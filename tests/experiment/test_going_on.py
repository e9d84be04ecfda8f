"""A run that ended early goes on from what was answered, and asks for nothing twice but a block."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragscore import Cache, Custom, Dataset, Http, Result, RetrieverError, evaluate
from ragscore.cache import LIFETIMES
from ragscore.experiment import search_blocks
from ragscore.experiment.journal import ANSWERS, Journal
from ragscore.messages import Text
from ragscore.progress import Progress, Stage
from ragscore.retrievers.calls import asked_index
from ragscore.retrievers.custom import model as custom_model
from tests.factories.systems.counting import CountingSystem, counting_server

QUERIES = 50
BLOCK = 16
"""Of a system that is asked four queries at once."""
PASSAGES = [f"p{at}" for at in range(40)]


@pytest.fixture
def dataset() -> Dataset:
    return Dataset.from_rows(
        [
            {"id": id, "text": "text", "metadata": {"even": at % 2 == 0}}
            for at, id in enumerate(PASSAGES)
        ],
        [{"id": f"q{at}", "text": f"question {at}"} for at in range(QUERIES)],
        {f"q{at}": [f"p{at % 40}"] for at in range(QUERIES)},
        name="many",
    )


@pytest.fixture
def system() -> Iterator[CountingSystem]:
    with counting_server(PASSAGES) as found:
        yield found


@pytest.fixture(autouse=True)
def _equal_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small ones, so that the tests are quick."""
    monkeypatch.setattr(search_blocks, "QUICK_BLOCK", 0)
    for module in (asked_index, custom_model):
        monkeypatch.setattr(module, "asked_block", lambda concurrency: 4 * concurrency)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


class Notes(Progress):
    """Keeps notes, and interrupts where it is told to."""

    def __init__(self, interrupt_at: int | None = None) -> None:
        self.notes = list[str]()
        self.left = interrupt_at

    def note(self, text: Text) -> None:
        self.notes.append(str(text))

    def stage(self, label: Text, total: int, unit: str = "") -> Stage:
        return _Interrupting(self) if self.left is not None else Stage()


class _Interrupting(Stage):
    def __init__(self, notes: Notes) -> None:
        self.notes = notes

    def advance(self, count: int = 1) -> None:
        assert self.notes.left is not None
        self.notes.left -= count
        if self.notes.left <= 0:
            raise KeyboardInterrupt


def asks(system: CountingSystem, **options: Any) -> Http:
    response = {"ids": "hits[*].id", "scores": "hits[*].score"}
    body = {"id": "{id}", "k": "{k}"}
    given = {"url": system.url, "body": body, "response": response, "concurrency": 4}
    return Http(**{**given, **options})


def searched(
    dataset: Dataset, spec: Any, cache: Cache | None, progress: Progress | None = None
) -> Result:
    return evaluate(
        dataset, {"http": spec}, ["RR"], depth=5, cache=cache, progress=progress or Progress()
    )


def entries(cache: Cache) -> list[Path]:
    return sorted((cache.root / ANSWERS).glob("[!.]*/*"))


def broken_off(dataset: Dataset, system: CountingSystem, cache: Cache, **options: Any) -> None:
    """Ask until it fails in the third block: the first two are kept."""
    system.fails_after = system.asked.total() + 38
    with pytest.raises(RetrieverError) as caught:
        searched(dataset, asks(system, **options), cache)
    said = "32 of 50 answers are kept in the cache; run the same command again to ask only the"
    assert said in str(caught.value)
    system.fails_after = None


def counted(system: CountingSystem) -> int:
    """How often it was asked, as far as that is certain: the calls under way when an earlier run
    failed may arrive later."""
    late = system.asked.total() - QUERIES
    return QUERIES if 0 < late < 4 else system.asked.total()


def test_answers_are_kept_until_there_is_a_result(
    dataset: Dataset, system: CountingSystem, cache: Cache
) -> None:
    calm = searched(dataset, asks(system), None)
    system.asked.clear()
    broken_off(dataset, system, cache)
    assert len(entries(cache)) == 2
    notes = Notes()
    # Fewer at once, as one would ask a system in trouble: what is kept is still found.
    result = searched(dataset, asks(system, concurrency=1), cache, notes)
    assert result.run("many", "http").digest == calm.run("many", "http").digest
    assert set(system.asked) == set(dataset.queries.ids)
    assert all(system.asked[f"q{at}"] == 1 for at in range(2 * BLOCK))
    assert system.asked.total() <= QUERIES + BLOCK
    (note,) = [note for note in notes.notes if "interrupted run" in note]
    assert note.startswith("many, http: 32 of 50 answers come from an interrupted run")
    assert "the other 18 queries are asked now" in note
    assert note in map(str, result.manifest.notes)
    assert not entries(cache)
    system.asked.clear()
    searched(dataset, asks(system), cache)
    assert counted(system) == QUERIES, "a result asks anew"


def test_ctrl_c_says_how_to_go_on(dataset: Dataset, system: CountingSystem, cache: Cache) -> None:
    notes = Notes(interrupt_at=25)
    with pytest.raises(KeyboardInterrupt):
        searched(dataset, asks(system), cache, notes)
    assert notes.notes[-1].startswith("many, http: 16 of 50 answers are kept in the cache;")
    searched(dataset, asks(system), cache)
    assert max(system.asked.values()) <= 2
    assert system.asked.total() <= QUERIES + BLOCK


def test_without_a_cache_the_error_says_so(dataset: Dataset, system: CountingSystem) -> None:
    system.fails_after = 20
    with pytest.raises(
        RetrieverError,
        match="Its answers are not kept because there is no cache",
    ):
        searched(dataset, asks(system), None)


@pytest.mark.parametrize("change", ["damaged", "old", "url", "depth"])
def test_what_cannot_be_used_is_asked_again(
    dataset: Dataset, system: CountingSystem, cache: Cache, change: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    broken_off(dataset, system, cache)
    notes, spec = Notes(), asks(system)
    if change == "damaged":
        rows = entries(cache)[0] / "rows.npy"
        rows.write_bytes(rows.read_bytes()[:-1] + b"\x7f")
    elif change == "old":
        ages_ago = time.time() - LIFETIMES[ANSWERS] - 60
        for entry in entries(cache):
            os.utime(entry, (ages_ago, ages_ago))
    elif change == "url":
        spec = asks(system, url=f"{system.url}?other")
    system.asked.clear()
    evaluate(dataset, {"http": spec}, ["RR"], depth=4 if change == "depth" else 5, cache=cache,
             progress=notes)  # fmt: skip
    asked = QUERIES - BLOCK if change == "damaged" else QUERIES
    assert asked <= system.asked.total() < asked + 4
    assert any("damaged" in note for note in notes.notes) is (change == "damaged")
    assert len(entries(cache)) == (2 if change in ("url", "depth") else 0)


def test_a_run_under_way_is_left_alone(
    dataset: Dataset, system: CountingSystem, cache: Cache
) -> None:
    """Two processes on the same experiment: neither uses or deletes what the other keeps."""
    system.fails_after = 38
    with cache.session(ANSWERS):
        live = cache.sessions(ANSWERS)
        with pytest.raises(RetrieverError):
            searched(dataset, asks(system), Cache(cache.root))
        system.fails_after = None
        for entry in entries(cache):  # as if the other process had kept them
            key, _, number = entry.name.split(".")
            kept = cache.read(ANSWERS, entry.name, lambda folder: folder)
            assert kept is not None
            cache.entry(ANSWERS, f"{key}.{next(iter(live))}.{number}", _copied_from(kept))
            cache.delete(ANSWERS, entry.name)
        system.asked.clear()
        searched(dataset, asks(system), Cache(cache.root))
        assert counted(system) == QUERIES
        assert len(entries(cache)) == 2
    system.asked.clear()
    searched(dataset, asks(system), cache)
    assert system.asked.total() == QUERIES - 2 * BLOCK, "it has ended now"


def _copied_from(folder: Path) -> Any:
    def write(new: Path) -> None:
        for file in folder.iterdir():
            if file.name != "digests.json":
                (new / file.name).write_bytes(file.read_bytes())

    return write


def test_a_filter_goes_on_with_its_counts(
    dataset: Dataset, system: CountingSystem, cache: Cache
) -> None:
    options: dict[str, Any] = {
        "filter": {"field": "even", "op": "=", "value": True}, "overfetch": 5,
    }  # fmt: skip
    calm = searched(dataset, asks(system, **options), None).manifest.retrievers[0].filtered
    assert calm is not None
    assert calm.short
    broken_off(dataset, system, cache, **options)
    assert searched(dataset, asks(system, **options), cache).manifest.retrievers[0].filtered == calm


def test_secrets_are_in_no_key_and_a_new_one_goes_on(
    dataset: Dataset, system: CountingSystem, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEARCH_KEY", "s3cr3t-value")
    monkeypatch.setenv("TENANT", "t3nant-value")
    options: dict[str, Any] = {
        "headers": {"Authorization": "Bearer ${SEARCH_KEY}"},
        "body": {"id": "{id}", "k": "{k}", "tenant": "${TENANT}"},
    }
    broken_off(dataset, system, cache, **options)
    for path in cache.root.rglob("*"):
        content = b"" if path.is_dir() else path.read_bytes()
        for value in ("s3cr3t", "t3nant"):
            assert value not in str(path)
            assert value.encode() not in content
    monkeypatch.setenv("SEARCH_KEY", "a-new-key")
    system.asked.clear()
    system.fails_after = 10
    with pytest.raises(RetrieverError, match="32 of 50"):
        searched(dataset, asks(system, **options), cache)
    monkeypatch.setenv("TENANT", "another")
    system.fails_after = None
    system.asked.clear()
    searched(dataset, asks(system, **options), cache)
    assert counted(system) == QUERIES, "another tenant may answer otherwise"


CODE = """
import pathlib
log = pathlib.Path(__file__).with_name("asked.txt")
def search(query, k):
    with log.open("a") as file:
        file.write(query + "\\n")
    if query == "question 40" and log.with_name("broken").exists():
        raise RuntimeError("broken")
    return ["p1", "p2"][:k]
"""


def test_code_that_changed_is_asked_anew(dataset: Dataset, cache: Cache, tmp_path: Path) -> None:
    code, log = tmp_path / "going_on_code.py", tmp_path / "asked.txt"
    code.write_text(CODE, encoding="utf-8")
    spec = Custom(use="going_on_code:search", folder=str(tmp_path), concurrency=4)
    for changed, count in ((False, QUERIES - 2 * BLOCK), (True, QUERIES)):
        (tmp_path / "broken").touch()
        with pytest.raises(RetrieverError, match="32 of 50 answers are kept"):
            searched(dataset, spec, cache)
        log.unlink()
        (tmp_path / "broken").unlink()
        if changed:
            code.write_text(CODE.replace('"p2"', '"p3"'), encoding="utf-8")
        searched(dataset, spec, cache)
        assert len(log.read_text(encoding="utf-8").splitlines()) == count


def test_failed_queries_of_a_kept_block_are_asked_again(
    dataset: Dataset, system: CountingSystem, cache: Cache
) -> None:
    """They may fail, and the run ends early all the same: another time they may answer."""
    system.failing = frozenset({"q3", "q20", "q40"})
    spec = asks(system, max_errors=2)
    with pytest.raises(RetrieverError, match="max_errors allows 2 of 50") as caught:
        searched(dataset, spec, cache)
    assert "30 of 50 answers are kept in the cache" in str(caught.value)
    system.asked.clear()
    system.failing = frozenset({"q20"})
    result = searched(dataset, spec, cache)
    assert {"q3", "q20", "q40"} <= set(system.asked)
    assert "q4" not in system.asked
    assert [failure.query for failure in result.run("many", "http").failures] == ["q20"]


def test_asking_anew_deletes_what_is_kept(
    dataset: Dataset, system: CountingSystem, cache: Cache
) -> None:
    broken_off(dataset, system, cache)
    with Journal(cache, anew=True) as journal:
        (entry,) = {path.name.split(".")[0] for path in entries(cache)}
        assert journal.read(entry, dataset.queries, dataset.queries.ids, "http") == []
    assert not entries(cache)


PAID = """
import pathlib
class Paid:
    def __init__(self):
        self.usage = {"tokens": 0, "price": 0.0, "currency": "USD"}
    async def retrieve(self, queries, k):
        if pathlib.Path(__file__).with_name("broken").exists() and "question 40" in queries:
            raise RuntimeError("broken")
        self.usage["tokens"] += len(queries)
        self.usage["price"] += len(queries) / 8
        return [["p1"] for query in queries]
"""


def test_what_was_used_is_that_of_both_runs(dataset: Dataset, cache: Cache, tmp_path: Path) -> None:
    (tmp_path / "going_on_paid.py").write_text(PAID, encoding="utf-8")
    (tmp_path / "broken").touch()
    spec = Custom(use="going_on_paid:Paid", folder=str(tmp_path))
    with pytest.raises(RetrieverError, match="32 of 50 answers are kept"):
        searched(dataset, spec, cache)
    (tmp_path / "broken").unlink()
    (entry,) = searched(dataset, spec, cache).manifest.retrievers
    assert entry.usage is not None
    assert (entry.usage.tokens, entry.usage.price) == (QUERIES, QUERIES / 8)


def test_the_times_of_calls_are_those_of_both_runs(
    dataset: Dataset, system: CountingSystem, cache: Cache
) -> None:
    broken_off(dataset, system, cache)
    (entry,) = searched(dataset, asks(system), cache).manifest.retrievers
    assert entry.calls is not None
    assert (entry.calls.queries, entry.calls.at_once) == (QUERIES, 4)


def test_a_quick_system_is_asked_in_larger_and_larger_blocks(
    dataset: Dataset, system: CountingSystem, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_blocks, "QUICK_BLOCK", 60)
    writes = cache.writes
    searched(dataset, asks(system), cache)
    kept = cache.writes - writes
    assert kept == 3 + 1, "16, 32 and 2 queries, and what the search cost"


def test_a_cache_that_takes_nothing_costs_no_run(
    dataset: Dataset, system: CountingSystem, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    notes = Notes()
    result = searched(dataset, asks(system), Cache(tmp_path / "file" / "cache"), notes)
    assert not result.failures
    assert any("the run continues without the cache" in note for note in notes.notes)
