"""What failed for an input has failed for what is built on it."""

from __future__ import annotations

from ragscore.experiment.input_failures import failed_with
from ragscore.run import QueryFailure, Run

FOUND = {"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"b": 1.0}}


def test_queries_that_failed_for_an_input() -> None:
    run = Run.from_dict(FOUND, name="hybrid")
    first = Run.from_dict(FOUND).with_failures([QueryFailure("q3", "it is down", 3)])
    second = Run.from_dict(FOUND).with_failures([QueryFailure("q1", "no")], leaves_out=True)
    assert failed_with(run, {"bm25": Run.from_dict(FOUND)}) is run
    empty = failed_with(run, {"http": first})
    assert [str(failure) for failure in empty.failures] == [
        "query 'q3': its input 'http' failed: it is down (asked 3 times)"
    ]
    assert not empty.leaves_out
    assert empty.to_dict()["q3"] == {}
    both = failed_with(run, {"http": first, "other": second})
    assert [failure.query for failure in both.failures] == ["q1", "q3"]
    assert both.leaves_out
