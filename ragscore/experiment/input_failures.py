"""Queries that failed for an input have failed for what is built on it, too."""

from __future__ import annotations

from collections.abc import Mapping

from ragscore.run import QueryFailure, Run


def failed_with(run: Run, inputs: Mapping[str, Run]) -> Run:
    """A run where each query that failed for one of its inputs has failed.

    Their values are left out of means where an input leaves out those of its own.

    Args:
        run: of a retriever.
        inputs: the runs that it was made from, by name.
    """
    inherited = [
        QueryFailure.of(failure.query, f"its input '{name}' failed: {failure.reason}")
        for name, found in inputs.items()
        for failure in found.failures
    ]
    if not inherited:
        return run
    leaves_out = any(found.leaves_out for found in (run, *inputs.values()) if found.failures)
    return run.with_failures([*run.failures, *inherited], leaves_out=leaves_out)
