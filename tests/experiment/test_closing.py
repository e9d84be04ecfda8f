"""What retrievers hold open ends with the search, explicitly."""

from __future__ import annotations

from typing import Any

from ragscore import BM25, Dataset, Fusion, evaluate
from ragscore.retrievers.base import Index

DATA = Dataset.from_rows(
    {"a": "Rent is due on the first.", "b": "Pets are welcome."},
    {"q1": "when is rent due", "q2": "pets"},
    {"q1": ["a"], "q2": ["b"]},
)
EVENTS: list[str] = []


class Opened(BM25):
    """A BM25 that holds something open."""

    def build(self, *given: Any, **options: Any) -> Index:
        index = super().build(*given, **options)
        name, search = options["name"], index.search

        def searched(*given: Any, **options: Any) -> Any:
            EVENTS.append(f"{name} searched")
            return search(*given, **options)

        def close() -> None:
            EVENTS.append(f"{name} closed")
            if self.k1 == 0.5:
                raise SystemExit("it holds on")

        index.search, index.close = searched, close  # type: ignore[method-assign]
        return index


def test_an_index_is_closed_after_all_that_asks_it() -> None:
    EVENTS.clear()
    retrievers = {
        "first": Opened(),
        "both": Fusion(retrievers=("first", "second")),
        "second": Opened(k1=0.5),
        "last": Opened(k1=0.7),
    }
    result = evaluate(DATA, retrievers, ["nDCG@10"], latency_queries=1)
    assert list(result.retrievers) == list(retrievers)
    # The fusion asks both when it is timed; a close that fails costs a note.
    first = ["first searched", "second searched"]
    closed = ["first closed", "second closed", "last closed"]
    assert [event for event in EVENTS if "closed" in event] == closed
    assert set(EVENTS[: EVENTS.index(closed[0])]) == set(first)
    assert set(EVENTS[EVENTS.index(closed[1]) :]) == {closed[1], "last searched", closed[2]}
    holds = "retriever 'second': SystemExit: it holds on; this"
    assert any(holds in str(note) for note in result.manifest.notes)
